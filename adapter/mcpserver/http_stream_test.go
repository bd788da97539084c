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
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
)

// TestHTTPStreamLosesNothing covers bursts, and a client that reconnects, also one that has not read everything.
func TestHTTPStreamLosesNothing(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			s := serveHTTPRig(t, newRig())
			s.rig.hits(5) // before the client was there
			p := s.join(version)
			p.call("burst", `{"n":100}`) // before its stream is open
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
				for range 2000 - 100*round { // from the second round on some events stay unread
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

// TestHTTPStreamOfASlowClient checks that the program is not slowed, memory is bounded, and missed events are
// counted.
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

// TestHTTPNotificationsPrecedeTheAnswer checks the server's side: the notifications have arrived when the answer
// arrives.
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
		require.Eventually(t, func() bool {
			mu.Lock()
			defer mu.Unlock()
			return got == 3*(i+1)
		}, deadline, 100*time.Microsecond)
	}
}

// TestHTTPSecondStream checks that the newer stream continues where the older one was, and that the older one ends.
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

// TestHTTPStateless: without a session the calls work, new events begin with the call, and nothing is kept for a
// client.
func TestHTTPStateless(t *testing.T) {
	s := serveHTTPRig(t, newRig())
	status, header, body := s.do(modern(s, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{%s}}`))
	require.Equal(t, 200, status, body)
	require.Empty(t, header.Get("Mcp-Session-Id"))
	require.Contains(t, body, "2026-07-28")
	s.rig.hits(3)
	for range 2 {
		status, _, body = s.do(modern(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"carry",`+
			`"arguments":{"seq":9},%s}}`))
		require.Equal(t, 200, status, body)
		var got cursorResult
		require.NoError(t, json.Unmarshal(parseLine(t, body).Result.StructuredContent, &got))
		require.EqualValues(t, 3, got.Cursor)
	}
}

// TestHTTPListen covers the stream of the stateless generation.
func TestHTTPListen(t *testing.T) {
	s := serveHTTPRig(t, newRig())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	resp, err := s.client.Do(modern(s,
		`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen",`+
			`"params":{"notifications":{"resourcesListChanged":true},%s}}`).WithContext(ctx))
	require.NoError(t, err)
	stream := &sse{t, resp.Body, bufio.NewReader(resp.Body), cancel, time.AfterFunc(deadline, func() {
		resp.Body.Close()
	})}
	defer stream.close()
	stream.notification("notifications/subscriptions/acknowledged")
	status, _, body := s.do(modern(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_resource",`+
		`"arguments":{},%s}}`))
	require.Equal(t, 200, status, body)
	e := stream.notification("notifications/resources/list_changed")
	require.Equal(t, "l", e.line.Params.Meta[mcp.MetaKeySubscriptionID])
	s.stop() // and the open stream does not delay the end
	require.NoError(t, s.result())
}

// TestHTTPProgress checks that progress comes before the answer on the same stream.
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
		p.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{},` +
			`"_meta":{"progressToken":"tok"}}}`),
		modernWith(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{},%s}}`,
			strings.Replace(metaOfModern, "{", `{"progressToken":"tok",`, 1)),
	} {
		resp, err := s.client.Do(request)
		require.NoError(t, err)
		stream := &sse{t, resp.Body, bufio.NewReader(resp.Body), func() {},
			time.AfterFunc(deadline, func() { resp.Body.Close() })}
		e := stream.notification("notifications/progress")
		require.Equal(t, `"tok"`, string(e.line.Params.ProgressToken))
		r.blocked <- struct{}{}
		e, ok := stream.next()
		require.True(t, ok)
		require.Equal(t, "1", string(e.line.ID))
		stream.close()
	}
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

// TestHTTPStalledStream: a client that does not read for too long loses its stream, and continues with the unread
// events when it reconnects.
func TestHTTPStalledStream(t *testing.T) {
	s := serveHTTPRig(t, newRig(), func(o *HTTPOptions) { o.Stall = 20 * time.Millisecond })
	p := s.join("2025-11-25")
	conn, err := net.Dial("tcp", s.addr)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(1))
	fmt.Fprintf(conn, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nMcp-Session-Id: %s\r\n\r\n",
		testToken, p.id)
	for range 100 { // until the sockets are full
		s.rig.hits(1000)
		if c := s.http.clients[p.id].current(); c != nil {
			c.awaitWritten(s.rig.journal.LastSeq(), time.Millisecond)
		}
	}
	require.Eventually(t, func() bool { return s.http.clients[p.id].current() == nil }, deadline, time.Millisecond)
	// What the sockets hold comes in small pieces; the beginning of it is enough.
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Second)))
	all, _ := io.ReadAll(conn)
	last := uint64(0)
	for text := range bytes.Lines(all) {
		if id, ok := bytes.CutPrefix(text, []byte("id: ")); ok {
			fmt.Sscan(string(id), &last)
		}
	}
	e := p.listen("Last-Event-ID", fmt.Sprint(last)).hit()
	require.Equal(t, last+1+e.line.Params.Missed, e.line.Params.Seq)
}
