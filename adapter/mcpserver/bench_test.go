package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/mark3labs/mcp-go/server"
)

// benchPeer serves r over two pipes to a client after the handshake.
func benchPeer(b *testing.B, r *rig) (in *os.File, out *bufio.Reader) {
	b.Helper()
	inR, in, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- ServeStdio(context.Background(), inR, outW, r.options()) }()
	b.Cleanup(func() {
		in.Close()
		<-served
		outR.Close()
	})
	out = bufio.NewReaderSize(outR, 1<<20)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	roundTrip(b, in, out, []byte(`{"jsonrpc":"2.0","id":0,"method":"ping"}`+"\n"))
	return in, out
}

func roundTrip(b *testing.B, in *os.File, out *bufio.Reader, request []byte) {
	if _, err := in.Write(request); err != nil {
		b.Fatal(err)
	}
	if _, err := out.ReadSlice('\n'); err != nil {
		b.Fatal(err)
	}
}

// A tool call through both pipes, one at a time.
func BenchmarkRoundTrip(b *testing.B) {
	in, out := benchPeer(b, newRig())
	request := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",` +
		`"arguments":{"text":"hello"}}}` + "\n")
	b.ReportAllocs()
	for b.Loop() {
		roundTrip(b, in, out, request)
	}
}

// The same without pipes: the cost of the library and addTool.
func BenchmarkHandleMessage(b *testing.B) {
	r := newRig()
	request := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",` +
		`"arguments":{"text":"hello"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		responseLine([]byte("1"), r.server.HandleMessage(b.Context(), request))
	}
}

// Hits from Add to the client's end of the pipe.
func BenchmarkNotifications(b *testing.B) {
	r := newRig()
	_, out := benchPeer(b, r)
	b.ReportAllocs()
	read := make(chan struct{})
	window := make(chan struct{}, 4000) // less than the ring, so that no event is lost
	go func() {
		defer close(read)
		for range b.N {
			if _, err := out.ReadSlice('\n'); err != nil {
				b.Error(err)
				return
			}
			<-window
		}
	}()
	for i := 0; i < b.N; i++ {
		window <- struct{}{}
		r.hits(1)
	}
	<-read
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "hits/s")
}

// The output schemas of thirty tools, as at every start.
func BenchmarkOutputSchemas(b *testing.B) {
	for b.Loop() {
		for range 30 {
			outputOf("session:session stop:stop breakpoints:[breakpoint]")
		}
	}
}

// The registration of thirty tools, as at every start.
func BenchmarkRegister(b *testing.B) {
	for b.Loop() {
		s := server.NewMCPServer("x", "1")
		for i := range 30 {
			addTool(s, Tool{Name: fmt.Sprint("t", i), Output: outputs()["debug_launch"]},
				func(context.Context, launchArgs) (any, error) {
					return nil, nil
				})
		}
	}
}
