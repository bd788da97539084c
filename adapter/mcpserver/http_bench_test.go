package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// httpBencher is a client of the streamable HTTP transport that does as little as it can.
type httpBencher struct {
	b       *testing.B
	client  *http.Client
	url     string
	session string
	id      int
}

const benchToken = "0123456789abcdef"

// serveBencher serves a manager over HTTP until the benchmark's end.
func serveBencher(b *testing.B, m *adapter.Manager) *httpBencher {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		served <- mcpserver.New(m, mcpserver.Options{Version: "bench"}).ServeHTTP(ctx, l, mcpserver.HTTPOptions{Token: benchToken})
	}()
	w := &httpBencher{b: b, client: &http.Client{Transport: &http.Transport{}}, url: "http://" + l.Addr().String() + mcpserver.HTTPPath}
	b.Cleanup(func() {
		cancel()
		require.NoError(b, <-served)
		w.client.CloseIdleConnections()
		m.Close()
	})
	resp := w.request(context.Background(), "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}`)
	w.session = resp.Header.Get("Mcp-Session-Id")
	w.read(resp)
	w.read(w.request(context.Background(), "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return w
}

func (w *httpBencher) request(ctx context.Context, method, body string) *http.Response {
	r, err := http.NewRequestWithContext(ctx, method, w.url, strings.NewReader(body))
	require.NoError(w.b, err)
	r.Header.Set("Authorization", "Bearer "+benchToken)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if w.session != "" {
		r.Header.Set("Mcp-Session-Id", w.session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	resp, err := w.client.Do(r)
	require.NoError(w.b, err)
	return resp
}

func (w *httpBencher) read(resp *http.Response) []byte {
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(w.b, err)
	require.Less(w.b, resp.StatusCode, 300, "%s", text)
	return text
}

func (w *httpBencher) call(tool, args string) {
	w.id++
	text := w.read(w.request(context.Background(), "POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, w.id, tool, args)))
	require.Contains(w.b, string(text), `"success":true`)
}

// BenchmarkHTTPCall is BenchmarkCall over streamable HTTP.
func BenchmarkHTTPCall(b *testing.B) {
	for _, call := range stopCalls {
		b.Run(call.tool, func(b *testing.B) {
			m, _ := mcptest.Fake(b, "netcoredbg", daptest.Netcoredbg(), loop(daptest.Forever))
			w := serveBencher(b, m)
			w.call("breakpoint_set", `{"file":"`+source+`","line":10}`)
			w.call("debug_launch", `{"program":"`+program+`","stop_at_entry":false}`)
			mcptest.TimeCalls(b, func() { w.call(call.tool, call.args) })
		})
	}
}

// BenchmarkHTTPHits is the way of a tracepoint hit to a client that listens on the GET stream, none lost. One operation is one hit.
func BenchmarkHTTPHits(b *testing.B) {
	step := func(n int) func(int) daptest.Step {
		return func(int) daptest.Step { return daptest.Step{File: loopFile, Line: n, Func: "Work"} }
	}
	m, _ := mcptest.Fake(b, "netcoredbg", daptest.Netcoredbg(), daptest.Program{Threads: []daptest.Thread{{Code: daptest.Loop(b.N, step(10), step(11))}}})
	w := serveBencher(b, m)
	w.call("tracepoint_set", fmt.Sprintf(`{"file":%q,"line":10,"strategy":"stop"}`, loopFile))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stream := w.request(ctx, "GET", "")
	defer stream.Body.Close()
	b.ReportAllocs()
	b.ResetTimer()
	w.call("debug_launch", `{"program":"/x.dll","stop_at_entry":false}`)
	hits := 0
	for in := bufio.NewReaderSize(stream.Body, 1<<20); hits < b.N; {
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
