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
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
		{"unknown session", s.request("POST", toolCall(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", "nosuch"), 404,
			"initialize again"},
		{"stream of nobody", s.request("GET", ""), 400, "initialize first"},
		{"end of nobody", s.request("DELETE", "", "Mcp-Session-Id", "nosuch"), 404, "initialize again"},
		{"another method", s.request("PUT", "{}"), 405, "POST, GET, DELETE"},
		{"no JSON", p.post("{"), 400, "parse error"},
		{"empty", p.post("  \n"), 400, "empty"},
		{"batch", p.post("[]"), 400, "batches"},
		{"no version", p.post(`{"id":3,"method":"ping"}`), 400, `"id":3`},
		{"too large", p.post(big), 413, `"id":"big"`},
		{"type", with(p.post(toolCall(1, "echo", `{"text":"x"}`)), func(r *http.Request) {
			r.Header.Set("Content-Type", "text/plain")
		}), 400, "content type"},
		{"stream as JSON", p.request("GET", "", "Mcp-Session-Id", p.id, "Accept", "application/json"), 406,
			"text/event-stream"},
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
	assert.Equal(t, `{"text":"still here"}`,
		strings.Replace(string(p.call("echo", `{"text":"still here"}`).Result.StructuredContent), `"success":true,`, "", 1))
}

// TestHTTPRawSockets sends what no HTTP client would send.
func TestHTTPRawSockets(t *testing.T) {
	s := serveHTTPRig(t, newRig(), func(o *HTTPOptions) { o.BodyTimeout = 50 * time.Millisecond })
	auth := "Authorization: Bearer " + testToken + "\r\n"
	for _, tc := range []struct{ name, send, want string }{
		{"garbage", "\x00\x01\x02\r\n\r\n", "HTTP/1.1 400"},
		{"no Host", "POST /mcp HTTP/1.1\r\n" + auth + "Content-Length: 2\r\n\r\n{}", "HTTP/1.1 400"},
		{"two Hosts", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n" + auth + "Content-Length: 2\r\n\r\n{}",
			"HTTP/1.1 400"},
		{"host in the request line", "POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n" + auth +
			"Content-Length: 2\r\n\r\n{}", "HTTP/1.1 403"},
		{"huge header", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n",
			"HTTP/1.1 431"},
		{"two lengths", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + auth +
			"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "HTTP/1.1 400"},
		{"body that never comes", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + auth +
			"Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{", "HTTP/1.1 400"},
		{"body before the token is looked at",
			"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n", "HTTP/1.1 401"},
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

// TestHTTPConnectionLimit checks that connections beyond the limit wait and are then served.
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
	s := serveHTTPRig(t, r, func(o *HTTPOptions) { o.RequestBytes, o.MaxClients = postBytes, 1 })
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

const hitMethod = "debugger/breakpointHit"

// TestHTTPClientsAreApart checks that subscriptions, stop cursors, levels and list changes belong to one MCP session.
func TestHTTPClientsAreApart(t *testing.T) {
	s := serveHTTPRig(t, newRig())
	one, two := s.join("2025-11-25"), s.join("2025-06-18")
	status, _, body := s.do(one.post(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe",` +
		`"params":{"uri":"debugger://session"}}`))
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

// TestHTTPCursorOfAnAnswerThatNobodyGot checks that the cursor does not move without a delivered answer.
func TestHTTPCursorOfUndeliveredAnswer(t *testing.T) {
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

const metaOfModern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// TestHTTPEnds covers the ways in which a client goes, and the calls of Ended.
func TestHTTPWaysAClientEnds(t *testing.T) {
	short := 30 * time.Millisecond
	for _, tc := range []struct {
		name   string
		change func(*HTTPOptions)
		leave  func(t *testing.T, s *site, p *httpPeer)
		who    string // "" is a stateless client
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
		{"lost stream", func(o *HTTPOptions) {
			o.Reconnect = short
		}, func(_ *testing.T, _ *site, p *httpPeer) { p.listen().close() }, "client"},
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

// TestTenancy checks that a held tenancy does not lapse, and that its time restarts after each use.
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

// TestHTTPDeleteEndsCalls checks that DELETE ends the calls of that client.
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

// TestHTTPGracefulEnd checks that running calls are answered, the stream is complete, and no new request is accepted.
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

// TestHTTPRefusedInitialize checks that a refused initialize leaves no session.
func TestHTTPRefusedInitialize(t *testing.T) {
	s := serveHTTPRig(t, newRig(), func(o *HTTPOptions) { o.MaxClients = 1 })
	for range 3 {
		_, _, body := s.do(s.request("POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":"none"}`))
		require.Contains(t, body, `"error"`)
	}
	s.join("2025-11-25")
}

// The limit of clients also holds for clients that come at the same time.
func TestHTTPClientsThatJoinTogether(t *testing.T) {
	s := serveHTTPRig(t, newRig(), func(o *HTTPOptions) { o.MaxClients = 1 })
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"t","version":"%s"}}}`, strings.Repeat("x", 2<<20))
	var joined atomic.Int32
	var wg sync.WaitGroup
	start := make(chan struct{})
	for range 8 {
		r := s.request("POST", body)
		wg.Go(func() {
			<-start
			resp, err := s.client.Do(r)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				joined.Add(1)
			}
		})
	}
	close(start)
	wg.Wait()
	require.EqualValues(t, 1, joined.Load())
}
