package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const testToken = "0123456789abcdef0123"

// site is a rig served by HTTP.
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

const initializeBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// httpPeer is a client with an MCP session.
type httpPeer struct {
	*site
	id string
}

// join initializes.
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
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, key, tool, arguments)
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
}

// received is one server-sent event.
type received struct {
	id   string
	line line
}

// listen opens the GET stream.
func (p *httpPeer) listen(header ...string) *sse {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	r := p.request("GET", "", append([]string{"Mcp-Session-Id", p.id, "Accept", "text/event-stream"}, header...)...).WithContext(ctx)
	resp, err := p.client.Do(r)
	require.NoError(p.t, err)
	require.Equal(p.t, 200, resp.StatusCode)
	require.Equal(p.t, "text/event-stream", resp.Header.Get("Content-Type"))
	s := &sse{p.t, resp.Body, bufio.NewReaderSize(resp.Body, 1<<16), cancel}
	p.t.Cleanup(s.close)
	return s
}

func (s *sse) close() {
	s.cancel()
	s.body.Close()
}

// next reads an event with data; ok is false at the end.
func (s *sse) next() (e received, ok bool) {
	s.t.Helper()
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

// hit reads the next hit. A stream that follows another one begins with a list change.
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

func TestHTTPGuard(t *testing.T) {
	s := serveHTTPRig(t, newRig())
	for _, tc := range []struct {
		name   string
		host   string
		header []string
		status int
	}{
		{"all right", "", nil, 200},
		{"localhost", "localhost:" + port(s.addr), nil, 200},
		{"case of the scheme", "", []string{"Authorization", "bearer " + testToken}, 200},
		{"no token", "", []string{"Authorization", ""}, 401},
		{"wrong token", "", []string{"Authorization", "Bearer " + testToken[1:] + "x"}, 401},
		{"prefix of the token", "", []string{"Authorization", "Bearer " + testToken[:10]}, 401},
		{"empty token", "", []string{"Authorization", "Bearer "}, 401},
		{"another scheme", "", []string{"Authorization", "Basic " + testToken}, 401},
		{"rebound name", "evil.example:" + port(s.addr), nil, 403},
		{"name that begins well", "localhost.evil.example", nil, 403},
		{"number that begins well", "127.0.0.1.evil.example", nil, 403},
		{"another machine's address", "10.0.0.1", nil, 403},
		{"IPv6 loopback", "[::1]:80", nil, 200},
		{"mapped loopback", "[::ffff:127.0.0.1]:80", nil, 200},
		{"foreign page", "", []string{"Origin", "https://evil.example"}, 403},
		{"page of another port", "", []string{"Origin", "http://127.0.0.1:1"}, 403},
		{"opaque page", "", []string{"Origin", "null"}, 403},
		{"own origin", "", []string{"Origin", "http://" + s.addr}, 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := s.request("POST", fmt.Sprintf(initializeBody, "2025-11-25"), tc.header...)
			if tc.host != "" {
				r.Host = tc.host
			}
			status, header, body := s.do(r)
			assert.Equal(t, tc.status, status, body)
			assert.NotContains(t, body, testToken)
			assert.Empty(t, header.Get("Access-Control-Allow-Origin"))
			if status == 401 {
				assert.Contains(t, header.Get("WWW-Authenticate"), "Bearer")
			}
		})
	}
	t.Run("two tokens", func(t *testing.T) {
		r := s.request("POST", "{}")
		r.Header.Add("Authorization", "Bearer "+testToken)
		status, _, _ := s.do(r)
		assert.Equal(t, 401, status)
	})
	t.Run("preflight", func(t *testing.T) {
		status, header, _ := s.do(s.request("OPTIONS", "", "Origin", "http://evil.example", "Authorization", ""))
		assert.Equal(t, 403, status)
		assert.Empty(t, header.Get("Access-Control-Allow-Origin"))
	})
}

func TestHTTPGuardOfARemoteServer(t *testing.T) {
	g := newGuard("", true)
	g.names = []string{"devbox"}
	for host, want := range map[string]bool{
		"10.0.0.5:80": true, "devbox": true, "DevBox.local:1": true, "[fe80::1]:80": true, "localhost": true,
		"evil.example": false, "devbox-evil.example": false, "": false,
	} {
		assert.Equal(t, want, g.knows(host), host)
	}
}

func port(addr string) string {
	_, p, _ := net.SplitHostPort(addr)
	return p
}

func TestHTTPRefusals(t *testing.T) {
	s := serveHTTPRig(t, newRig(), func(o *HTTPOptions) { o.MaxBody = 1000 })
	p := s.join("2025-11-25")
	big := toolCall("big", "echo", `{"text":"`+strings.Repeat("x", 1000)+`"}`)
	for _, tc := range []struct {
		name   string
		r      *http.Request
		status int
		want   string
	}{
		{"another path", with(s.request("POST", "{}"), func(r *http.Request) { r.URL.Path = "/" }), 404, "/mcp"},
		{"no session", s.request("POST", toolCall(1, "echo", `{"text":"x"}`)), 400, "initialize first"},
		{"unknown session", s.request("POST", toolCall(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", "nosuch"), 404, "initialize again"},
		{"stream of nobody", s.request("GET", ""), 400, "initialize first"},
		{"end of nobody", s.request("DELETE", "", "Mcp-Session-Id", "nosuch"), 404, "initialize again"},
		{"another method", s.request("PUT", "{}"), 405, "POST, GET, DELETE"},
		{"no JSON", p.post("{"), 400, "parse error"},
		{"empty", p.post("  \n"), 400, "empty"},
		{"batch", p.post("[]"), 400, "batches"},
		{"no version", p.post(`{"id":3,"method":"ping"}`), 400, `"id":3`},
		{"too large", p.post(big), 413, `"id":"big"`},
		{"type", with(p.post(toolCall(1, "echo", `{"text":"x"}`)), func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }), 400, "content type"},
		{"stream as JSON", p.request("GET", "", "Mcp-Session-Id", p.id, "Accept", "application/json"), 406, "text/event-stream"},
		{"version", p.request("GET", "", "Mcp-Session-Id", p.id, "Mcp-Protocol-Version", "1999-01-01"), 400, "1999"},
		{"modern GET", p.request("GET", "", "Mcp-Protocol-Version", "2026-07-28"), 405, "POST"},
		{"modern DELETE", p.request("DELETE", "", "Mcp-Protocol-Version", "2026-07-28"), 405, "POST"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, _, body := s.do(tc.r)
			assert.Equal(t, tc.status, status, body)
			assert.Contains(t, body, tc.want)
		})
	}
	assert.Equal(t, `{"text":"still here"}`, strings.Replace(string(p.call("echo", `{"text":"still here"}`).Result.StructuredContent), `"success":true,`, "", 1))
}

func with(r *http.Request, f func(*http.Request)) *http.Request {
	f(r)
	return r
}

// TestHTTPRawSockets: what no HTTP client would send.
func TestHTTPRawSockets(t *testing.T) {
	s := serveHTTPRig(t, newRig(), func(o *HTTPOptions) { o.BodyTimeout = 50 * time.Millisecond })
	auth := "Authorization: Bearer " + testToken + "\r\n"
	for _, tc := range []struct{ name, send, want string }{
		{"garbage", "\x00\x01\x02\r\n\r\n", "HTTP/1.1 400"},
		{"no Host", "POST /mcp HTTP/1.1\r\n" + auth + "Content-Length: 2\r\n\r\n{}", "HTTP/1.1 400"},
		{"two Hosts", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n" + auth + "Content-Length: 2\r\n\r\n{}", "HTTP/1.1 400"},
		{"host in the request line", "POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n" + auth + "Content-Length: 2\r\n\r\n{}", "HTTP/1.1 403"},
		{"huge header", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", "HTTP/1.1 431"},
		{"two lengths", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + auth + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "HTTP/1.1 400"},
		{"body that never comes", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + auth + "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{", "HTTP/1.1 400"},
		{"body before the token is looked at", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n", "HTTP/1.1 401"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", s.addr)
			require.NoError(t, err)
			defer conn.Close()
			require.NoError(t, conn.SetDeadline(time.Now().Add(deadline)))
			go io.WriteString(conn, tc.send)
			answer, err := bufio.NewReader(conn).ReadString('\n')
			require.NoError(t, err)
			assert.Contains(t, answer, tc.want)
		})
	}
	s.join("2025-06-18")
}

// TestHTTPConnectionLimit: connections beyond the limit wait, and get their turn.
func TestHTTPConnectionLimit(t *testing.T) {
	s := serveHTTPRig(t, newRig(), func(o *HTTPOptions) { o.MaxConns = 1 })
	first, err := net.Dial("tcp", s.addr)
	require.NoError(t, err)
	_, err = io.WriteString(first, "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	_, err = bufio.NewReader(first).ReadString('\n')
	require.NoError(t, err)
	answered := make(chan int, 1)
	go func() {
		resp, err := s.client.Do(s.request("POST", fmt.Sprintf(initializeBody, "2025-11-25")))
		if err == nil {
			resp.Body.Close()
			answered <- resp.StatusCode
		}
	}()
	require.Empty(t, answered)
	first.Close()
	require.Equal(t, 200, await(t, answered))
}

func TestHTTPRequestLimit(t *testing.T) {
	r := newRig()
	s := serveHTTPRig(t, r, func(o *HTTPOptions) { o.MaxInFlight, o.MaxClients = 1, 1 })
	p := s.join("2025-11-25")
	status, header, body := s.do(s.request("POST", fmt.Sprintf(initializeBody, "2025-11-25")))
	assert.Equal(t, 503, status, body)
	assert.NotEmpty(t, header.Get("Retry-After"))
	assert.Contains(t, body, "MCP sessions")
	held := p.begin("hold")
	await(t, r.blocked)
	status, _, body = s.do(p.post(toolCall(2, "echo", `{"text":"x"}`)))
	assert.Equal(t, 503, status, body)
	close(r.release)
	assert.Equal(t, 200, await(t, held).status)
	p.call("echo", `{"text":"x"}`)
}

// answer is what came of a request made in the background.
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

// TestHTTPStreamLosesNothing: bursts, a client that goes and comes back, also one that has not read all that was sent.
func TestHTTPStreamLosesNothing(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			s := serveHTTPRig(t, newRig())
			s.rig.hits(5) // before the client was there
			p := s.join(version)
			p.call("burst", `{"n":100}`) // before its stream is
			var seqs []uint64
			last := ""
			header := []string{}
			for round := range 5 {
				stream := p.listen(header...)
				if round == 0 {
					for range 100 {
						e := stream.hit()
						seqs, last = append(seqs, e.line.Params.Seq), e.id
					}
				}
				p.call("burst", `{"n":2000}`)
				for range 2000 - 100*round { // from the second round on some are left unread
					e := stream.hit()
					require.Zero(t, e.line.Params.Missed)
					seqs, last = append(seqs, e.line.Params.Seq), e.id
				}
				stream.close()
				header = []string{"Last-Event-ID", last}
			}
			stream := p.listen(header...)
			for uint64(len(seqs)) < 10100 {
				e := stream.hit()
				seqs = append(seqs, e.line.Params.Seq)
			}
			for i, seq := range seqs {
				require.Equal(t, uint64(6+i), seq)
			}
		})
	}
}

const hitMethod = "debugger/breakpointHit"

// TestHTTPStreamOfASlowClient: the program is not slowed, memory is bounded, and what was missed is counted.
func TestHTTPStreamOfASlowClient(t *testing.T) {
	s := serveHTTPRig(t, newRig())
	p := s.join("2025-11-25")
	stream := p.listen()
	const total = 60_000 // the journal keeps 10,000
	for range total / 10_000 {
		s.rig.hits(10_000)
	}
	seen, missed := uint64(0), uint64(0)
	for seen+missed < total {
		e := stream.hit()
		missed += e.line.Params.Missed
		seen++
		require.Equal(t, seen+missed, e.line.Params.Seq)
	}
	require.EqualValues(t, total, seen+missed)
}

// TestHTTPNotificationsPrecedeTheAnswer, on the server's side at least: by the time the answer is here, so are they.
func TestHTTPNotificationsPrecedeTheAnswer(t *testing.T) {
	s := serveHTTPRig(t, newRig())
	p := s.join("2025-11-25")
	stream := p.listen()
	var mu sync.Mutex
	got := 0
	go func() {
		for {
			if _, ok := stream.next(); !ok {
				return
			}
			mu.Lock()
			got++
			mu.Unlock()
		}
	}()
	for i := range 50 {
		p.call("burst", `{"n":3}`)
		require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return got == 3*(i+1) }, deadline, 100*time.Microsecond)
	}
}

// TestHTTPSecondStream: the newer one goes on where the older one was, which ends.
func TestHTTPSecondStream(t *testing.T) {
	s := serveHTTPRig(t, newRig())
	p := s.join("2025-11-25")
	first := p.listen()
	s.rig.hits(1)
	require.EqualValues(t, 1, first.hit().line.Params.Seq)
	second := p.listen()
	_, ok := first.next()
	require.False(t, ok)
	s.rig.hits(1)
	require.EqualValues(t, 2, second.hit().line.Params.Seq)
}

// TestHTTPClientsAreApart: subscriptions, stop cursors, levels and list changes belong to one MCP session.
func TestHTTPClientsAreApart(t *testing.T) {
	s := serveHTTPRig(t, newRig())
	one, two := s.join("2025-11-25"), s.join("2025-06-18")
	status, _, body := s.do(one.post(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"debugger://session"}}`))
	require.Equal(t, 200, status, body)
	a, b := one.listen(), two.listen()
	one.call("touch", `{}`)
	two.call("touch", `{}`) // not subscribed
	require.Equal(t, "debugger://session", a.notification("notifications/resources/updated").line.Params.URI)
	one.call("add_resource", `{}`)
	a.notification("notifications/resources/list_changed")
	b.notification("notifications/resources/list_changed")

	cursor := func(p *httpPeer, seq int) (got cursorResult) {
		l := p.call("carry", fmt.Sprintf(`{"seq":%d}`, seq))
		require.NoError(t, json.Unmarshal(l.Result.StructuredContent, &got))
		return got
	}
	require.EqualValues(t, 0, cursor(one, 5).Cursor)
	require.EqualValues(t, 5, cursor(one, 3).Cursor)
	require.EqualValues(t, 0, cursor(two, 0).Cursor)
	require.EqualValues(t, 5, cursor(one, 0).Cursor)
}

// TestHTTPCursorOfAnAnswerThatNobodyGot does not move.
func TestHTTPCursorOfAnAnswerThatNobodyGot(t *testing.T) {
	r := newRig()
	s := serveHTTPRig(t, r)
	p := s.join("2025-11-25")
	ctx, cancel := context.WithCancel(context.Background())
	gone := p.beginRequest(p.post(toolCall(1, "carry_block", `{"seq":9}`)).WithContext(ctx))
	await(t, r.blocked)
	cancel()
	require.Error(t, await(t, gone).err)
	await(t, r.causes)
	var got cursorResult
	require.NoError(t, json.Unmarshal(p.call("carry", `{"seq":0}`).Result.StructuredContent, &got))
	require.Zero(t, got.Cursor)
}

func TestHTTPCancel(t *testing.T) {
	r := newRig()
	s := serveHTTPRig(t, r)
	p, other := s.join("2025-11-25"), s.join("2025-11-25")
	call := p.begin("block")
	await(t, r.blocked)
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"block"}}`
	for _, stranger := range []*http.Request{
		other.post(cancel),
		modern(s, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"block",%s}}`),
	} {
		status, _, body := s.do(stranger)
		require.Equal(t, 202, status, body)
	}
	p.call("echo", `{"text":"x"}`)
	require.Empty(t, r.causes, "nobody cancels the call of another")
	status, _, _ := s.do(p.post(cancel))
	require.Equal(t, 202, status)
	require.Error(t, await(t, r.causes))
	require.Contains(t, await(t, call).body, "CANCELLED")
}

const metaOfModern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

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

// TestHTTPStateless: no session, the calls work, what is new begins with the call, and nothing is remembered of a client.
func TestHTTPStateless(t *testing.T) {
	s := serveHTTPRig(t, newRig())
	status, header, body := s.do(modern(s, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{%s}}`))
	require.Equal(t, 200, status, body)
	require.Empty(t, header.Get("Mcp-Session-Id"))
	require.Contains(t, body, "2026-07-28")
	s.rig.hits(3)
	for range 2 {
		status, _, body = s.do(modern(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"carry","arguments":{"seq":9},%s}}`))
		require.Equal(t, 200, status, body)
		var got cursorResult
		require.NoError(t, json.Unmarshal(parseLine(t, body).Result.StructuredContent, &got))
		require.EqualValues(t, 3, got.Cursor)
	}
}

// TestHTTPListen is the stream of the stateless generation.
func TestHTTPListen(t *testing.T) {
	s := serveHTTPRig(t, newRig())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	resp, err := s.client.Do(modern(s, `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},%s}}`).WithContext(ctx))
	require.NoError(t, err)
	stream := &sse{t, resp.Body, bufio.NewReader(resp.Body), cancel}
	defer stream.close()
	stream.notification("notifications/subscriptions/acknowledged")
	status, _, body := s.do(modern(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_resource","arguments":{},%s}}`))
	require.Equal(t, 200, status, body)
	e := stream.notification("notifications/resources/list_changed")
	require.Equal(t, "l", e.line.Params.Meta[mcp.MetaKeySubscriptionID])
	s.stop() // and the open stream does not hold up the end
	require.NoError(t, s.result())
}

// TestHTTPProgress goes out with the answer.
func TestHTTPProgress(t *testing.T) {
	r := newRig()
	addTool(r.server, Tool{Name: "slow", Title: "Say progress"}, func(ctx context.Context, _ struct{}) (any, error) {
		c := callFrom(ctx)
		c.notify("notifications/progress", progressParams(c.token(), time.Second, 0, "half"))
		<-r.blocked
		return nil, nil
	})
	s := serveHTTPRig(t, r)
	p := s.join("2025-11-25")
	for _, request := range []*http.Request{
		p.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{},"_meta":{"progressToken":"tok"}}}`),
		modernWith(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{},%s}}`,
			strings.Replace(metaOfModern, "{", `{"progressToken":"tok",`, 1)),
	} {
		resp, err := s.client.Do(request)
		require.NoError(t, err)
		stream := &sse{t, resp.Body, bufio.NewReader(resp.Body), func() {}}
		e := stream.notification("notifications/progress")
		require.Equal(t, `"tok"`, string(e.line.Params.ProgressToken))
		r.blocked <- struct{}{}
		e, ok := stream.next()
		require.True(t, ok)
		require.Equal(t, "1", string(e.line.ID))
		stream.close()
	}
}

// TestHTTPEnds: the ways in which a client is gone, and what is told of it.
func TestHTTPEnds(t *testing.T) {
	short := 30 * time.Millisecond
	for _, tc := range []struct {
		name   string
		change func(*HTTPOptions)
		leave  func(t *testing.T, s *site, p *httpPeer)
		who    string // "" is the stateless
	}{
		{"DELETE", func(*HTTPOptions) {}, func(t *testing.T, s *site, p *httpPeer) {
			status, _, _ := s.do(p.request("DELETE", "", "Mcp-Session-Id", p.id))
			require.Equal(t, 200, status)
		}, "client"},
		{"DELETE with a stream", func(*HTTPOptions) {}, func(t *testing.T, s *site, p *httpPeer) {
			stream := p.listen()
			status, _, _ := s.do(p.request("DELETE", "", "Mcp-Session-Id", p.id))
			require.Equal(t, 200, status)
			_, ok := stream.next()
			require.False(t, ok)
		}, "client"},
		{"idle", func(o *HTTPOptions) { o.Idle = short }, func(*testing.T, *site, *httpPeer) {}, "client"},
		{"lost stream", func(o *HTTPOptions) { o.Reconnect = short }, func(_ *testing.T, _ *site, p *httpPeer) { p.listen().close() }, "client"},
		{"lease", func(o *HTTPOptions) { o.Lease = short }, func(t *testing.T, s *site, _ *httpPeer) {
			s.do(modern(s, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{%s}}`))
		}, ""},
		{"end of the server", func(*HTTPOptions) {}, func(_ *testing.T, s *site, _ *httpPeer) { s.stop() }, "client"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ended := make(chan string, 10)
			s := serveHTTPRig(t, newRig(), tc.change, func(o *HTTPOptions) { o.Ended = func(id string) { ended <- id } })
			p := s.join("2025-11-25")
			tc.leave(t, s, p)
			if tc.who == "" {
				require.Empty(t, await(t, ended))
				return
			}
			require.Equal(t, p.id, await(t, ended))
			if tc.name != "end of the server" {
				status, _, _ := s.do(p.post(toolCall(1, "echo", `{"text":"x"}`)))
				require.Equal(t, 404, status)
			}
		})
	}
}

// TestTenancy: what is held does not lapse, and what is used again begins anew.
func TestTenancy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lapsed := 0
		began := time.Now()
		var after time.Duration
		x := &tenancy{lapse: func() { lapsed++; after = time.Since(began) }}
		x.hold()
		x.hold()
		x.release(time.Minute)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Zero(t, lapsed, "held by a second one")
		x.release(time.Minute)
		time.Sleep(time.Minute - 1)
		x.hold()
		x.release(time.Minute)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, 1, lapsed)
		require.Equal(t, time.Hour+2*time.Minute-1, after)
		x.hold()
		x.stop()
		x.release(time.Minute)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, 1, lapsed, "stopped")
	})
}

// TestHTTPDeleteEndsCalls of that client.
func TestHTTPDeleteEndsCalls(t *testing.T) {
	r := newRig()
	s := serveHTTPRig(t, r)
	p := s.join("2025-11-25")
	call := p.begin("block")
	await(t, r.blocked)
	status, _, _ := s.do(p.request("DELETE", "", "Mcp-Session-Id", p.id))
	require.Equal(t, 200, status)
	require.ErrorIs(t, await(t, r.causes), errSessionEnded)
	require.Contains(t, await(t, call).body, "MCP session has ended")
}

// TestHTTPGracefulEnd: calls in flight are answered, the stream has all, nothing new is taken.
func TestHTTPGracefulEnd(t *testing.T) {
	r := newRig()
	s := serveHTTPRig(t, r, func(o *HTTPOptions) { o.StopGrace = time.Millisecond })
	p := s.join("2025-11-25")
	stream := p.listen()
	call := p.begin("block")
	await(t, r.blocked)
	r.hits(100)
	s.stop()
	require.ErrorIs(t, await(t, r.causes), errClosing)
	got := await(t, call)
	require.NoError(t, got.err)
	require.Contains(t, got.body, "breakwire is closing")
	for range 100 {
		stream.hit()
	}
	_, ok := stream.next()
	require.False(t, ok)
	require.NoError(t, s.result())
	_, err := s.client.Do(s.request("POST", "{}"))
	require.Error(t, err)
}

// TestHTTPRefusedInitialize leaves no session behind.
func TestHTTPRefusedInitialize(t *testing.T) {
	s := serveHTTPRig(t, newRig(), func(o *HTTPOptions) { o.MaxClients = 1 })
	for range 3 {
		_, _, body := s.do(s.request("POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":"none"}`))
		require.Contains(t, body, `"error"`)
	}
	s.join("2025-11-25")
}

// TestHTTPKeepAlive: a silent stream carries comments.
func TestHTTPKeepAlive(t *testing.T) {
	s := serveHTTPRig(t, newRig(), func(o *HTTPOptions) { o.KeepAlive = time.Millisecond })
	stream := s.join("2025-11-25").listen()
	for range 3 {
		for {
			text, err := stream.reader.ReadString('\n')
			require.NoError(t, err)
			if text == ": alive\n" {
				break
			}
		}
	}
}

// TestHTTPStalledStream: a client that does not read for too long loses its stream, and comes back to what it had not read.
func TestHTTPStalledStream(t *testing.T) {
	s := serveHTTPRig(t, newRig(), func(o *HTTPOptions) { o.Stall = 20 * time.Millisecond })
	p := s.join("2025-11-25")
	conn, err := net.Dial("tcp", s.addr)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(1))
	fmt.Fprintf(conn, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nMcp-Session-Id: %s\r\n\r\n", testToken, p.id)
	for range 100 { // until the sockets are full
		s.rig.hits(1000)
		if c := s.http.clients[p.id].current(); c != nil {
			c.awaitWritten(s.rig.journal.LastSeq(), time.Millisecond)
		}
	}
	require.NoError(t, conn.SetDeadline(time.Now().Add(deadline)))
	all, _ := io.ReadAll(conn) // to the end that the server made
	last := uint64(0)
	for text := range bytes.Lines(all) {
		if id, ok := bytes.CutPrefix(text, []byte("id: ")); ok {
			fmt.Sscan(string(id), &last)
		}
	}
	e := p.listen("Last-Event-ID", fmt.Sprint(last)).hit()
	require.Equal(t, last+1+e.line.Params.Missed, e.line.Params.Seq)
}
