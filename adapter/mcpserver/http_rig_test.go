package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const testToken = "0123456789abcdef0123"

const initializeBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,` +
	`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// site is a rig served over HTTP.
type site struct {
	t      *testing.T
	rig    *rig
	http   *HTTP
	addr   string
	client *http.Client
	stop   context.CancelFunc
	served chan error
}

func serveHTTPRig(t *testing.T, r *rig, change ...func(*HTTPOptions)) *site {
	t.Helper()
	o := HTTPOptions{Server: r.server, Journal: r.journal, Render: renderHit, Token: testToken}
	for _, f := range change {
		f(&o)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	s := &site{t: t, rig: r, http: NewHTTP(o), addr: l.Addr().String(), stop: cancel, served: make(chan error, 1),
		client: &http.Client{Transport: &http.Transport{}}}
	go func() { s.served <- s.http.Serve(ctx, l) }()
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		cancel()
		assert.NoError(t, s.result())
		s.client.CloseIdleConnections()
	})
	return s
}

func (s *site) result() error {
	s.t.Helper()
	select {
	case err := <-s.served:
		s.served <- err
		return err
	case <-time.After(deadline):
		s.t.Error("Serve did not return")
		return nil
	}
}

// request makes a request with the token; header holds pairs.
func (s *site) request(method, body string, header ...string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequest(method, "http://"+s.addr+HTTPPath, strings.NewReader(body))
	require.NoError(s.t, err)
	r.Header.Set("Authorization", "Bearer "+testToken)
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if header[i+1] == "" {
			r.Header.Del(header[i])
		} else {
			r.Header.Set(header[i], header[i+1])
		}
	}
	return r
}

func (s *site) do(r *http.Request) (status int, header http.Header, body string) {
	s.t.Helper()
	resp, err := s.client.Do(r)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return resp.StatusCode, resp.Header, string(raw)
}

// httpPeer is a client with an MCP session.
type httpPeer struct {
	*site
	id string
}

// join sends initialize and returns the client.
func (s *site) join(version string) *httpPeer {
	s.t.Helper()
	status, header, body := s.do(s.request("POST", fmt.Sprintf(initializeBody, version)))
	require.Equal(s.t, 200, status, body)
	p := &httpPeer{s, header.Get("Mcp-Session-Id")}
	require.NotEmpty(s.t, p.id)
	status, _, body = s.do(p.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	require.Equal(s.t, 202, status, body)
	return p
}

func (p *httpPeer) post(body string) *http.Request {
	return p.request("POST", body, "Mcp-Session-Id", p.id)
}

func toolCall(id any, tool, arguments string) string {
	key, _ := json.Marshal(id)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, key, tool,
		arguments)
}

// call calls a tool and returns its answer.
func (p *httpPeer) call(tool, arguments string) line {
	p.t.Helper()
	status, _, body := p.do(p.post(toolCall(7, tool, arguments)))
	require.Equal(p.t, 200, status, body)
	return parseLine(p.t, body)
}

func parseLine(t *testing.T, raw string) line {
	t.Helper()
	var l line
	require.NoError(t, json.Unmarshal([]byte(raw), &l), "%s", raw)
	l.raw = raw
	return l
}

// sse is an open GET stream.
type sse struct {
	t      *testing.T
	body   io.ReadCloser
	reader *bufio.Reader
	cancel context.CancelFunc
	alarm  *time.Timer // ends a stream that is silent for too long
}

// received is one server-sent event.
type received struct {
	id   string
	line line
}

// listen opens the GET stream.
func (p *httpPeer) listen(header ...string) *sse {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	alarm := time.AfterFunc(deadline, cancel)
	r := p.request("GET", "", append([]string{"Mcp-Session-Id", p.id, "Accept", "text/event-stream"}, header...)...).
		WithContext(ctx)
	resp, err := p.client.Do(r)
	require.NoError(p.t, err)
	require.Equal(p.t, 200, resp.StatusCode)
	require.Equal(p.t, "text/event-stream", resp.Header.Get("Content-Type"))
	s := &sse{p.t, resp.Body, bufio.NewReaderSize(resp.Body, 1<<16), cancel, alarm}
	p.t.Cleanup(s.close)
	return s
}

func (s *sse) close() {
	s.alarm.Stop()
	s.cancel()
	s.body.Close()
}

// next reads an event with data; ok is false at the end.
func (s *sse) next() (e received, ok bool) {
	s.t.Helper()
	s.alarm.Reset(deadline)
	var data string
	for {
		text, err := s.reader.ReadString('\n')
		if err != nil {
			return received{}, false
		}
		switch text = strings.TrimSuffix(text, "\n"); {
		case text == "":
			if data != "" {
				e.line = parseLine(s.t, data)
				return e, true
			}
			e.id = ""
		case strings.HasPrefix(text, "id: "):
			e.id = text[4:]
		case strings.HasPrefix(text, "data: "):
			data += text[6:]
		}
	}
}

// hit reads the next hit. A stream that replaces another one begins with a list change.
func (s *sse) hit() received {
	s.t.Helper()
	for {
		e, ok := s.next()
		require.True(s.t, ok, "the stream ended before a hit")
		if e.line.Method != "notifications/resources/list_changed" {
			require.Equal(s.t, hitMethod, e.line.Method, e.line.raw)
			return e
		}
	}
}

func (s *sse) notification(method string) received {
	s.t.Helper()
	e, ok := s.next()
	require.True(s.t, ok, "the stream ended before %s", method)
	require.Equal(s.t, method, e.line.Method, e.line.raw)
	return e
}

func port(addr string) string {
	_, p, _ := net.SplitHostPort(addr)
	return p
}

func with(r *http.Request, f func(*http.Request)) *http.Request {
	f(r)
	return r
}

// answer is the result of a request made in the background.
type answer struct {
	status int
	body   string
	err    error
}

func (p *httpPeer) begin(tool string) chan answer {
	return p.beginRequest(p.post(toolCall(tool, tool, "{}")))
}

func (s *site) beginRequest(r *http.Request) chan answer {
	got := make(chan answer, 1)
	go func() {
		resp, err := s.client.Do(r)
		if err != nil {
			got <- answer{err: err}
			return
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		got <- answer{resp.StatusCode, string(raw), err}
	}()
	return got
}

// modern is a request of the stateless generation; body has a place for its _meta.
func modern(s *site, body string) *http.Request { return modernWith(s, body, metaOfModern) }

func modernWith(s *site, body, meta string) *http.Request {
	body = fmt.Sprintf(body, meta)
	var m struct {
		Method string
		Params struct{ Name, URI string }
	}
	_ = json.Unmarshal([]byte(body), &m)
	r := s.request("POST", body, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", m.Method)
	if name := m.Params.Name + m.Params.URI; name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	return r
}
