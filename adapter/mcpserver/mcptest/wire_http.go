package mcptest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// HTTPWire is Wire over streamable HTTP. Its overhead is that of Go's HTTP client.
type HTTPWire struct {
	tb                  testing.TB
	client              *http.Client
	url, token, session string
	id                  int
}

// WireHTTP does the handshake with a running server.
func WireHTTP(tb testing.TB, url, token string) *HTTPWire {
	tb.Helper()
	w := &HTTPWire{tb: tb, client: &http.Client{Transport: &http.Transport{}}, url: url, token: token}
	tb.Cleanup(w.client.CloseIdleConnections)
	resp := w.send(context.Background(), "POST", url,
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
			`"clientInfo":{"name":"bench","version":"1"}}}`)
	w.session = resp.Header.Get("Mcp-Session-Id")
	w.read(resp)
	w.read(w.send(context.Background(), "POST", url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return w
}

func (w *HTTPWire) send(ctx context.Context, method, url, body string) *http.Response {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	require.NoError(w.tb, err)
	r.Header.Set("Authorization", "Bearer "+w.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if w.session != "" {
		r.Header.Set("Mcp-Session-Id", w.session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	resp, err := w.client.Do(r)
	require.NoError(w.tb, err)
	return resp
}

func (w *HTTPWire) read(resp *http.Response) []byte {
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(w.tb, err)
	require.Less(w.tb, resp.StatusCode, 300, "%s", text)
	return text
}

// Listen opens the stream of the server's own messages.
func (w *HTTPWire) Listen(ctx context.Context) io.ReadCloser {
	return w.send(ctx, "GET", w.url, "").Body
}

// Request returns the response.
func (w *HTTPWire) Request(method, params string) []byte {
	w.id++
	return w.read(w.send(context.Background(), "POST", w.url,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, w.id, method, params)))
}

// Nothing posts to a path that does not exist, to measure HTTP alone.
func (w *HTTPWire) Nothing() {
	resp := w.send(context.Background(), "POST", w.url+"/nothing", `{}`)
	defer resp.Body.Close()
	_, err := io.Copy(io.Discard, resp.Body)
	require.NoError(w.tb, err)
	require.Equal(w.tb, http.StatusNotFound, resp.StatusCode)
}

// Call calls a tool, which must succeed.
func (w *HTTPWire) Call(tool, args string) {
	if text := string(w.Request("tools/call", callOf(tool, args))); !strings.Contains(text, `{"success":true`) {
		w.tb.Fatalf("%s %s: %s", tool, args, text)
	}
}
