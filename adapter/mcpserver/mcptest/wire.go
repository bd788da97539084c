package mcptest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
)

// Wire is a client for benchmarks with little overhead: it writes prepared lines and does not parse the answers.
type Wire struct {
	tb  testing.TB
	in  *os.File
	out *bufio.Reader
	id  int
}

// WireServe starts a server for a manager in this process, as Serve does.
func WireServe(tb testing.TB, m *adapter.Manager) *Wire {
	tb.Helper()
	return wire(tb, func(in, out *os.File) (wait func()) {
		served := make(chan error, 1)
		server := mcpserver.New(m, mcpserver.Options{Version: "bench"})
		go func() {
			served <- server.ServeStdio(context.Background(), in, out)
			out.Close()
			in.Close()
		}()
		return func() {
			<-served
			m.Close()
		}
	})
}

// WireRun starts a server's executable, as Run does.
func WireRun(tb testing.TB, executable string, args ...string) *Wire {
	tb.Helper()
	return wire(tb, func(in, out *os.File) (wait func()) {
		cmd := exec.Command(executable, args...)
		cmd.Stdin, cmd.Stdout = in, out
		err := cmd.Start()
		in.Close()
		out.Close()
		require.NoError(tb, err)
		return func() { _ = cmd.Wait() }
	})
}

func wire(tb testing.TB, start func(in, out *os.File) (wait func())) *Wire {
	tb.Helper()
	serverIn, in, err := os.Pipe()
	require.NoError(tb, err)
	out, serverOut, err := os.Pipe()
	require.NoError(tb, err)
	wait := start(serverIn, serverOut)
	w := &Wire{tb: tb, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	tb.Cleanup(func() {
		w.Close()
		wait()
		out.Close()
	})
	w.Request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench",`+
		`"version":"1"}}`)
	_, err = in.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	require.NoError(tb, err)
	return w
}

// Close ends the server's input.
func (w *Wire) Close() { w.in.Close() }

// Begin writes a request and does not wait for its response.
func (w *Wire) Begin(method, params string) {
	w.id++
	fmt.Fprintf(w.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", w.id, method, params)
}

// Request returns the response, valid until the next read. It skips other lines.
func (w *Wire) Request(method, params string) []byte {
	w.Begin(method, params)
	want := fmt.Appendf(nil, `"id":%d,`, w.id)
	for {
		if line := w.Line(); bytes.Contains(line[:min(len(line), 64)], want) {
			return line
		}
	}
}

// Notification returns the next notification of a method, valid until the next read. It skips other lines.
func (w *Wire) Notification(method string) []byte {
	want := []byte(`"method":"` + method + `"`)
	for {
		if line := w.Line(); bytes.Contains(line, want) {
			return line
		}
	}
}

// Line returns the next line, valid until the next read.
func (w *Wire) Line() []byte {
	line, err := w.out.ReadSlice('\n')
	if err != nil {
		w.tb.Fatal(err)
	}
	return line
}

// BeginCall calls a tool and does not wait for its answer.
func (w *Wire) BeginCall(tool, args string) { w.Begin("tools/call", callOf(tool, args)) }

func callOf(tool, args string) string { return `{"name":"` + tool + `","arguments":` + args + `}` }

// Call calls a tool, which must succeed.
func (w *Wire) Call(tool, args string) {
	line := w.Request("tools/call", callOf(tool, args))
	if !bytes.Contains(line, []byte(`{"success":true`)) {
		w.tb.Fatalf("%s %s: %s", tool, args, line)
	}
}
