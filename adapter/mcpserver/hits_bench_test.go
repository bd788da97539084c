package mcpserver_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"

	"github.com/stretchr/testify/require"
)

// BenchmarkHits measures a tracepoint hit from the frame of an adapter that answers at once to the notification's
// line in the client's pipe: strategy stop, with no and with three expressions. One operation is one hit.
func BenchmarkHits(b *testing.B) {
	for _, k := range []int{0, 3} {
		for _, shape := range []string{"netcoredbg", "lldb-dap"} {
			b.Run(fmt.Sprintf("%s/k=%d", shape, k), func(b *testing.B) { benchmarkHits(b, shape, k) })
		}
	}
}

func benchmarkHits(b *testing.B, profile string, k int) {
	line := func(n int) func(int) daptest.Step {
		return func(int) daptest.Step {
			return daptest.Step{File: loopFile, Line: n, Func: "Work",
				Vars: []daptest.Var{{Name: "i", Value: "1", Type: "int"}, {Name: "j", Value: "2", Type: "int"},
					{Name: "k", Value: "3", Type: "int"}}}
		}
	}
	shape := daptest.Netcoredbg()
	if profile == "lldb-dap" {
		shape = daptest.LLDB()
	}
	program := daptest.Program{Threads: []daptest.Thread{{Code: daptest.Loop(b.N, line(10), line(11))}}}
	m, _ := mcptest.Fake(b, profile, shape, program)
	message := ""
	if k == 3 {
		message = "i {i}, j {j}, k {k}"
	}
	_, _, err := m.SetBreakpoint(context.Background(), breakpoint.Spec{
		Kind: breakpoint.Tracepoint, File: loopFile, Line: 10, LogMessage: message, Strategy: "stop",
	})
	require.NoError(b, err)
	in, clientOut, err := os.Pipe()
	require.NoError(b, err)
	clientIn, out, err := os.Pipe()
	require.NoError(b, err)
	server := mcpserver.New(m, mcpserver.Options{Version: "bench"})
	served := make(chan error, 1)
	go func() {
		served <- server.ServeStdio(context.Background(), in, out)
		out.Close()
	}()
	told := make(chan int, 1)
	go func() {
		buf := make([]byte, 1<<20)
		hits := 0
		for {
			n, err := clientIn.Read(buf)
			if err != nil {
				told <- hits
				return
			}
			hits += bytes.Count(buf[:n], []byte{'\n'})
		}
	}()
	_, err = clientOut.WriteString(`{"jsonrpc":"2.0","id":1,"method":"initialize",` +
		`"params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	require.NoError(b, err)
	b.ReportAllocs()
	b.ResetTimer()
	s, err := m.Launch(context.Background(), "",
		adapter.LaunchParams{LaunchRequest: dapclient.LaunchRequest{Program: "/x"}, Timeout: mcptest.Patience})
	require.NoError(b, err)
	<-s.Ended()
	clientOut.Close()
	<-served
	lines := <-told
	b.StopTimer()
	require.GreaterOrEqual(b, lines, b.N, "a line for each hit")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "hits/s")
	m.Close()
}

// BenchmarkHitWhileWaiting measures the time from the program's resume to the client's line of a tracepoint hit,
// while 100 other calls wait. The continue after the previous hit is included.
func BenchmarkHitWhileWaiting(b *testing.B) {
	gate := make(chan struct{})
	code := daptest.Loop(daptest.Forever, func(int) daptest.Step {
		return daptest.Step{File: loopFile, Line: 10, Func: "Work", Gate: gate}
	})
	m, _ := mcptest.Fake(b, "netcoredbg", daptest.Netcoredbg(), daptest.Program{Threads: []daptest.Thread{{Code: code}}})
	w := mcptest.WireServe(b, m)
	w.Call("tracepoint_set", fmt.Sprintf(`{"file":%q,"line":10,"log_message":"i","strategy":"stop"}`, loopFile))
	w.BeginCall("debug_launch", `{"program":"/x.dll","stop_at_entry":false}`)
	w.Notification("debugger/breakpointHit") // the first hit, before the gate
	for range 100 {
		w.BeginCall("breakpoint_wait", `{"timeout_ms":600000}`)
	}
	w.Call("debug_state", `{}`) // handled after them
	took := make([]time.Duration, 0, 1<<14)
	for b.Loop() {
		began := time.Now()
		gate <- struct{}{}
		hit := w.Notification("debugger/breakpointHit")
		took = append(took, time.Since(began))
		require.Contains(b, string(hit), fmt.Sprintf(`"hitCount":%d,`, len(took)+1), "the one that was let go")
	}
	// All of them have waited: each gets the end that comes now.
	w.BeginCall("debug_disconnect", `{}`)
	for told := 0; told < 100; {
		if bytes.Contains(w.Line(), []byte(`"reason":"disconnected"`)) {
			told++
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "median-µs")
}
