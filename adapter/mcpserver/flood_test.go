package mcpserver

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/jsonrpc"
)

// A client requests a megabyte 20,000 times and reads nothing. Memory stays bounded, and a cancellation and the end
// of the input after these requests are handled.
func TestFloodOfUnreadRequests(t *testing.T) {
	p := ready(t, newRig(), func(o *StdioOptions) { o.EndGrace = 50 * time.Millisecond })
	p.call("blocked", "block", `{}`)
	await(t, p.rig.blocked)
	for i := range 20_000 {
		p.call(i, "big", `{"n":1000000}`)
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"blocked"}}`)
	require.ErrorIs(t, await(t, p.rig.causes), errClientCancelled)
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	require.Less(t, m.HeapAlloc, uint64(96<<20))
	p.in.Close()
	require.ErrorContains(t, p.result(), "does not read")
}

// A client that first sends everything and then reads gets all answers and the hits between them.
func TestFloodIsAnsweredInTheEnd(t *testing.T) {
	p := ready(t, newRig(), func(o *StdioOptions) { o.AnswerBytes = 3 << 20 })
	const calls = 500
	for i := range calls {
		p.call(i, "big", `{"n":10000}`)
	}
	p.rig.hits(1)
	answers, hits, hitAt := 0, 0, 0
	for answers < calls || hits == 0 {
		l, ok := p.next()
		require.True(t, ok)
		if l.ID == nil {
			hits, hitAt = hits+1, answers
			continue
		}
		require.Nil(t, l.Error, l.raw)
		answers++
	}
	assert.Less(t, hitAt, calls, "a hit does not wait for all answers")
}

// A call that was cancelled before it started does not start, and the next one does.
func TestCancelBeforeTheStart(t *testing.T) {
	p := ready(t, newRig(), func(o *StdioOptions) { o.AnswerBytes = 1 })
	p.call(1, "hold", `{}`)
	await(t, p.rig.blocked)
	p.call(2, "hold", `{}`)
	p.call(3, "echo", `{"text":"x"}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	p.call(2, "echo", `{"text":"its id is free"}`)
	p.call(3, "echo", `{"text":"in flight"}`)
	require.NotNil(t, p.response(3).Error, "all before this was read")
	close(p.rig.release)
	seen := map[string]bool{}
	for range 3 {
		l, ok := p.next()
		require.True(t, ok)
		require.Nil(t, l.Error, l.raw)
		seen[string(l.ID)] = true
	}
	require.Equal(t, map[string]bool{"1": true, "2": true, "3": true}, seen)
	require.Empty(t, p.rig.blocked)
}

// Calls that wait to start at the end of the input are refused with that reason.
func TestWaitingCallsAtTheEndOfInput(t *testing.T) {
	p := ready(t, newRig(), func(o *StdioOptions) { o.AnswerBytes, o.Grace = 1, time.Millisecond })
	p.call(1, "block", `{}`)
	await(t, p.rig.blocked)
	p.call(2, "echo", `{"text":"x"}`)
	p.in.Close()
	answers := map[string]string{}
	for _, l := range p.rest() {
		answers[string(l.ID)] = l.raw
	}
	require.Contains(t, answers["1"], "breakwire is closing")
	require.Contains(t, answers["2"], "breakwire is closing")
	require.NoError(t, p.result())
}

// Refusals are bounded too: further ones are counted and reported in one line.
func TestFloodOfRefusals(t *testing.T) {
	p := ready(t, newRig(), func(o *StdioOptions) { o.RequestBytes, o.Grace, o.EndGrace = 1, time.Minute, time.Minute })
	p.call("held", "hold", `{}`)
	await(t, p.rig.blocked)
	const calls = 30_000
	for i := range calls {
		p.call(i, "echo", `{"text":"x"}`)
	}
	p.in.Close()
	answered, refused, dropped := 0, 0, 0
	released := false
	for {
		l, ok := p.next()
		if !ok {
			break
		}
		if !released {
			released = true
			close(p.rig.release)
		}
		switch {
		case l.Error == nil: // also those that came after the first answer
			answered++
		case string(l.ID) == "null" || l.ID == nil:
			n := 0
			_, err := fmt.Sscanf(l.Error.Message, "%d more requests", &n)
			require.NoError(t, err, l.raw)
			dropped += n
		default:
			require.Equal(t, jsonrpc.TooManyRequests, l.Error.Code)
			refused++
		}
	}
	require.Equal(t, calls+1, answered+refused+dropped)
	require.NotZero(t, dropped)
}

func TestAnswerThatIsTooLarge(t *testing.T) {
	p := ready(t, newRig())
	p.call(1, "big", `{"n":1990000}`)
	require.Len(t, p.response(1).Result.Content, 1)
	p.call(2, "big", `{"n":2100000}`)
	l := p.response(2)
	require.True(t, l.Result.IsError)
	require.Contains(t, l.raw, "ANSWER_TOO_LARGE")
}

// Over HTTP the calls of one client wait to start and can be cancelled. Meanwhile another client is served and
// notifications arrive.
func TestHTTPFloodOfOneClient(t *testing.T) {
	r := newRig()
	s := serveHTTPRig(t, r, func(o *HTTPOptions) { o.AnswerBytes, o.RequestBytes = 1, 3*postBytes })
	greedy, modest := s.join("2025-11-25"), s.join("2025-11-25")
	stream := greedy.listen()
	held := greedy.begin("hold")
	await(t, r.blocked)
	waiting := greedy.begin("block")
	list := greedy.beginRequest(greedy.post(`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`))
	account := s.http.accountOf(greedy.post(""))
	require.Eventually(t, func() bool {
		s.http.budget.mu.Lock()
		defer s.http.budget.mu.Unlock()
		return account.requests == 3*postBytes
	}, deadline, time.Millisecond)
	status, header, _ := s.do(greedy.post(toolCall(3, "echo", `{"text":"x"}`)))
	require.Equal(t, http.StatusServiceUnavailable, status, "what is beyond its requests is refused")
	require.NotEmpty(t, header.Get("Retry-After"))
	modest.call("echo", `{"text":"x"}`)
	r.hits(1)
	stream.hit()
	status, _, _ = s.do(greedy.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"block"}}`))
	require.Equal(t, 202, status)
	require.Contains(t, await(t, waiting).body, "CANCELLED")
	require.Empty(t, r.blocked, "it never started")
	close(r.release)
	require.Equal(t, 200, await(t, held).status)
	require.Contains(t, await(t, list).body, `"tools"`)
}

// HTTP clients that send requests and do not read: memory is bounded, and the server can end.
func TestHTTPFloodOfUnreadAnswers(t *testing.T) {
	s := serveHTTPRig(t, newRig(), func(o *HTTPOptions) {
		o.StopGrace, o.EndGrace = time.Millisecond, 50*time.Millisecond
	})
	p := s.join("2025-11-25")
	for i := range 120 {
		conn := dialRaw(t, s)
		body := toolCall(i, "big", `{"n":1900000}`)
		_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nMcp-Session-Id: %s\r\n"+
			"Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			HTTPPath, s.addr, testToken, p.id, len(body), body)
		require.NoError(t, err)
	}
	s.join("2025-11-25").call("echo", `{"text":"another is served"}`)
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	require.Less(t, m.HeapAlloc, uint64(96<<20))
	s.stop()
	require.NoError(t, s.result())
}

// A large body counts while its request is under way.
func TestHTTPBodiesAreCounted(t *testing.T) {
	r := newRig()
	s := serveHTTPRig(t, r, func(o *HTTPOptions) { o.RequestBytes = 2 << 20 })
	p := s.join("2025-11-25")
	large := strings.Repeat(" ", 1<<20)
	held := p.beginRequest(p.post(toolCall("a", "hold", "{"+large+"}")))
	await(t, r.blocked)
	status, _, body := s.do(p.post(toolCall("b", "echo", `{"text":"x"`+large+"}")))
	require.Equal(t, http.StatusServiceUnavailable, status, body)
	close(r.release)
	require.Equal(t, 200, await(t, held).status)
	status, _, body = s.do(p.post(toolCall("b", "echo", `{"text":"x"`+large+"}")))
	require.Equal(t, 200, status, body)
}

// dialRaw opens a connection that ends with the test.
func dialRaw(t *testing.T, s *site) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}
