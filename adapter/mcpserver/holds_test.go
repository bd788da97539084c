package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// web is an HTTP server on fakes.
type web struct {
	t       *testing.T
	manager *adapter.Manager
	fakes   *mcptest.Fakes
	url     string
	client  *http.Client
}

func serveWeb(t *testing.T, o mcpserver.HTTPOptions) *web {
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(3))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- mcpserver.New(m, mcpserver.Options{}).ServeHTTP(ctx, l, o) }()
	w := &web{t, m, fakes, "http://" + l.Addr().String() + mcpserver.HTTPPath, &http.Client{Transport: &http.Transport{}}}
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-served)
		m.Close()
		w.client.CloseIdleConnections()
	})
	return w
}

// post sends a message as a client of an MCP session, "" for a stateless one, and returns the answer and the session.
func (w *web) post(session, body string) (answer, id string) {
	w.t.Helper()
	r, err := http.NewRequest("POST", w.url, strings.NewReader(body))
	require.NoError(w.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Mcp-Session-Id", session)
	if strings.Contains(body, "2026-07-28") {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		var m struct {
			Method string
			Params struct{ Name string }
		}
		require.NoError(w.t, json.Unmarshal([]byte(body), &m))
		r.Header.Set("Mcp-Method", m.Method)
		r.Header.Set("Mcp-Name", m.Params.Name)
	}
	resp, err := w.client.Do(r)
	require.NoError(w.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(w.t, err)
	require.Less(w.t, resp.StatusCode, 300, "%s", text)
	return string(text), resp.Header.Get("Mcp-Session-Id")
}

func (w *web) join() string {
	_, id := w.post("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	w.post(id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return id
}

const stateless = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

func (w *web) call(session, tool, args string) string {
	w.t.Helper()
	meta := ""
	if session == "" {
		meta = stateless
	}
	answer, _ := w.post(session,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, tool, args, meta))
	require.Contains(w.t, answer, `"success":true`)
	return answer
}

func (w *web) leave(session string) {
	r, err := http.NewRequest("DELETE", w.url, nil)
	require.NoError(w.t, err)
	r.Header.Set("Mcp-Session-Id", session)
	resp, err := w.client.Do(r)
	require.NoError(w.t, err)
	resp.Body.Close()
	require.Equal(w.t, 200, resp.StatusCode)
}

func (w *web) launch(session string) {
	w.call(session, "breakpoint_set", fmt.Sprintf(`{"file":%q,"line":10}`, source))
	require.Contains(w.t, w.call(session, "debug_launch", fmt.Sprintf(`{"program":%q,"stop_at_entry":false}`, program)),
		`"state":"paused"`)
}

// requireFreed waits for the end of all sessions.
func (w *web) requireFreed() {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return len(w.manager.Sessions()) == 0 }, mcptest.Patience, time.Millisecond)
	require.Equal(w.t, daptest.FateKilled, w.fakes.Last().Fate())
}

// TestLostClientFreesItsDebuggee checks that a session ends after the last client that used it has gone.
func TestLostClientFreesItsDebuggee(t *testing.T) {
	w := serveWeb(t, mcpserver.HTTPOptions{})
	one, two, three := w.join(), w.join(), w.join()
	w.launch(one)
	w.call(two, "debug_state", `{}`)
	w.leave(one)
	w.leave(three) // it does not use the session
	require.Contains(t, w.call(two, "debug_state", `{}`), `"state":"paused"`)
	w.leave(two)
	w.requireFreed()
}

func TestIdleClientFreesItsDebuggee(t *testing.T) {
	w := serveWeb(t, mcpserver.HTTPOptions{Idle: 300 * time.Millisecond})
	w.launch(w.join())
	w.requireFreed()
}

func TestStatelessLeaseFreesTheDebuggee(t *testing.T) {
	w := serveWeb(t, mcpserver.HTTPOptions{Lease: 300 * time.Millisecond})
	w.launch("")
	w.requireFreed()
}

// TestStatelessWait checks that for a client without an identity the current stop is not new.
func TestStatelessWait(t *testing.T) {
	w := serveWeb(t, mcpserver.HTTPOptions{})
	w.launch("")
	require.Contains(t, w.call("", "breakpoint_wait", `{}`), `"alreadySeen":true`)
	w.call("", "debug_continue", `{}`)
	got := w.call("", "breakpoint_wait", `{"timeout_ms":5000}`)
	require.Contains(t, got, `"reason":"hit"`)
}
