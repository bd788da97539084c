package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

const benchToken = "0123456789abcdef"

// wireHTTP serves a manager over HTTP until the benchmark's end.
func wireHTTP(b *testing.B, m *adapter.Manager) *mcptest.HTTPWire {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		served <- mcpserver.New(m, mcpserver.Options{Version: "bench"}).
			ServeHTTP(ctx, l, mcpserver.HTTPOptions{Token: benchToken})
	}()
	b.Cleanup(func() {
		cancel()
		require.NoError(b, <-served)
		m.Close()
	})
	return mcptest.WireHTTP(b, "http://"+l.Addr().String()+mcpserver.HTTPPath, benchToken)
}

// BenchmarkHTTPCall is BenchmarkCall over streamable HTTP.
func BenchmarkHTTPCall(b *testing.B) {
	for _, call := range stopCalls {
		b.Run(call.tool, func(b *testing.B) {
			m, _ := mcptest.Fake(b, "netcoredbg", daptest.Netcoredbg(), loop(daptest.Forever))
			w := wireHTTP(b, m)
			w.Call("breakpoint_set", `{"file":"`+source+`","line":10}`)
			w.Call("debug_launch", `{"program":"`+program+`","stop_at_entry":false}`)
			mcptest.TimeCalls(b, func() { w.Call(call.tool, call.args) })
		})
	}
}

// BenchmarkHTTPHits measures tracepoint hits to a client on the GET stream, with none lost. One operation is one hit.
func BenchmarkHTTPHits(b *testing.B) {
	step := func(n int) func(int) daptest.Step {
		return func(int) daptest.Step { return daptest.Step{File: loopFile, Line: n, Func: "Work"} }
	}
	m, _ := mcptest.Fake(b, "netcoredbg", daptest.Netcoredbg(),
		daptest.Program{Threads: []daptest.Thread{{Code: daptest.Loop(b.N, step(10), step(11))}}})
	w := wireHTTP(b, m)
	w.Call("tracepoint_set", fmt.Sprintf(`{"file":%q,"line":10,"strategy":"stop"}`, loopFile))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stream := w.Listen(ctx)
	defer stream.Close()
	b.ReportAllocs()
	b.ResetTimer()
	w.Call("debug_launch", `{"program":"/x.dll","stop_at_entry":false}`)
	hits := 0
	for in := bufio.NewReaderSize(stream, 1<<20); hits < b.N; {
		line, err := in.ReadSlice('\n')
		require.NoError(b, err)
		if bytes.Contains(line, []byte("debugger/breakpointHit")) {
			require.NotContains(b, string(line), `"missed"`)
			hits++
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(hits)/b.Elapsed().Seconds(), "hits/s")
}
