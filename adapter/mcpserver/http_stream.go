package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// primedSince is the first protocol version in which a stream begins with an id, so that a client that loses the
// stream at once knows its position.
const primedSince = "2025-11-25"

// errCut is the error of a write to a stream that was cut.
var errCut = errors.New("the stream was cut")

// httpStream is an open GET stream. The request's goroutine writes its lines; another goroutine writes comments while
// the stream is silent.
type httpStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
	poke    func() // makes the writer check again

	stop  chan struct{} // closed when the stream is cut
	ended chan struct{} // closed when the stream has ended

	limit sync.Mutex // guards the write deadline
	isCut bool

	out  sync.Mutex // guards the output
	busy bool       // something was written since the last check

	mu      sync.Mutex
	written uint64        // all events up to here are written
	moved   chan struct{} // closed and replaced when written grows
}

// cut ends the stream at once, even during a write to a client that does not read.
func (s *httpStream) cut() {
	s.limit.Lock()
	defer s.limit.Unlock()
	if !s.isCut {
		s.isCut = true
		close(s.stop)
		_ = s.control.SetWriteDeadline(time.Now())
	}
}

// awaitWritten waits until the events up to seq are written, at most for within.
func (s *httpStream) awaitWritten(seq uint64, within time.Duration) {
	var timer *time.Timer
	for {
		s.mu.Lock()
		done, moved := s.written >= seq, s.moved
		s.mu.Unlock()
		if done {
			return
		}
		if timer == nil {
			timer = time.NewTimer(within)
			defer timer.Stop()
		}
		s.poke() // an event that is not for the client does not wake the writer
		select {
		case <-moved:
		case <-s.ended:
			return
		case <-timer.C:
			return
		}
	}
}

func (s *httpStream) wrote(seen uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seen > s.written {
		s.written = seen
		close(s.moved)
		s.moved = make(chan struct{})
	}
}

// get serves the stream of the server's own messages (MCP, Transports). A client has one stream; a second one
// replaces the first, because a client often reconnects before the server notices that it was gone.
func (h *HTTP) get(w http.ResponseWriter, r *http.Request) {
	if accept := r.Header.Get("Accept"); accept != "" && !strings.Contains(accept, "text/event-stream") &&
		!strings.Contains(accept, "*/*") {
		refuse(w, http.StatusNotAcceptable, nil, mcp.INVALID_REQUEST,
			"GET answers with text/event-stream, which Accept does not name")
		return
	}
	if version := r.Header.Get(mcp.HeaderProtocolVersion); version != "" && !mcp.IsValidProtocolVersion(version) {
		refuse(w, http.StatusBadRequest, nil, mcp.INVALID_REQUEST, "unsupported protocol version: "+version)
		return
	}
	c := h.clientOf(w, r, nil)
	if c == nil {
		return
	}
	c.tenancy.hold()
	defer func() { c.tenancy.release(h.Reconnect) }()
	s := &httpStream{
		w: w, control: http.NewResponseController(w), stall: h.Stall, poke: c.outbox.signal,
		stop: make(chan struct{}), ended: make(chan struct{}), moved: make(chan struct{}),
	}
	defer close(s.ended)
	for {
		c.mu.Lock()
		old := c.stream
		if old == nil {
			c.stream = s
			c.mu.Unlock()
			break
		}
		c.mu.Unlock()
		old.cut()
		select {
		case <-old.ended:
			c.mu.Lock()
			if c.stream == old {
				c.stream = nil
			}
			c.mu.Unlock()
		case <-r.Context().Done():
			return
		}
	}
	defer func() {
		c.mu.Lock()
		if c.stream == s {
			c.stream = nil
		}
		c.mu.Unlock()
	}()
	// Both end the stream. The client's end does too, through the outbox.
	defer context.AfterFunc(r.Context(), s.cut)()
	h.stream(r, c, s)
}

// stream writes until the client, the stream or the session ends.
func (h *HTTP) stream(r *http.Request, c *httpClient, s *httpStream) {
	c.mu.Lock()
	if after, err := strconv.ParseUint(r.Header.Get(mcp.HeaderLastEventID), 10, 64); err == nil && after >= c.start &&
		after < c.at {
		// The client has not read what was written after that.
		c.cursor.Close()
		c.cursor, c.at, c.missed = h.Journal.Cursor(after, h.filter()), after, 0
	}
	wr := &writer{
		client: c.Client, calls: newCalls(func(*call) {}), outbox: c.outbox, cursor: c.cursor, last: h.Journal.LastSeq,
		render: h.Render, log: h.Log,
		stop: s.stop, idle: s.wrote, examined: c.at, sent: c.at, missed: c.missed,
	}
	again := c.resumed
	c.resumed = true
	c.mu.Unlock()
	if again { // repeat the updates that the lost stream had taken
		for _, uri := range c.SubscribedResources() {
			c.Updated(uri)
		}
		if c.legacy.Load() {
			c.Notify(mcp.MethodNotificationResourcesListChanged, nil, "list")
		}
	}

	header := s.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set(server.HeaderKeySessionID, c.id)
	s.w.WriteHeader(http.StatusOK)
	greeting := ": the stream is open\n\n"
	if c.ProtocolVersion() >= primedSince {
		greeting = "id: " + strconv.FormatUint(wr.sent, 10) + "\ndata: \n\n"
	}
	wr.out = s
	err := s.send([]byte(greeting))
	if err == nil {
		quiet := make(chan struct{})
		var pinging sync.WaitGroup
		pinging.Go(func() { s.keepAlive(h.KeepAlive, quiet) })
		err = wr.run()
		close(quiet)
		pinging.Wait()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil || errors.Is(err, errStopped) {
		c.at, c.missed = c.cursor.Examined(), wr.missed
		return
	}
	h.Log.Debug("a stream has ended", "client", c.id, "error", err)
	// Not all that was taken from the journal is written: the next stream begins before it.
	if wr.sent > c.at {
		c.at, c.missed = wr.sent, 0
	}
	c.cursor.Close()
	c.cursor = h.Journal.Cursor(c.at, h.filter())
}

// Write takes whole lines and writes an event for each. The id of a journal event is its seq.
func (s *httpStream) Write(lines []byte) (int, error) {
	var buf []byte
	for line := range bytes.Lines(lines) {
		if seq, ok := seqOf(line); ok {
			buf = append(buf, "id: "...)
			buf = strconv.AppendUint(buf, seq, 10)
			buf = append(buf, '\n')
		}
		buf = append(buf, eventHead...)
		buf = append(buf, bytes.TrimRight(line, "\n")...)
		buf = append(buf, eventTail...)
	}
	if err := s.send(buf); err != nil {
		return 0, err
	}
	return len(lines), nil
}

// send writes at once. It fails when the client does not read for too long or the stream is cut.
func (s *httpStream) send(b []byte) error {
	s.out.Lock()
	defer s.out.Unlock()
	s.busy = true
	s.limit.Lock()
	if s.isCut {
		s.limit.Unlock()
		return errCut
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(s.stall))
	s.limit.Unlock()
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	return s.control.Flush()
}

// keepAlive writes a comment after each silent interval, to detect a lost connection.
func (s *httpStream) keepAlive(every time.Duration, done <-chan struct{}) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
		}
		s.out.Lock()
		silent := !s.busy
		s.busy = false
		s.out.Unlock()
		if silent && s.send([]byte(": alive\n\n")) != nil {
			s.cut()
			return
		}
	}
}

// seqOf returns the seq in an event's notification, where it is the first member of params.
func seqOf(line []byte) (uint64, bool) {
	const head = `{"jsonrpc":"2.0","method":"debugger/`
	rest, ok := bytes.CutPrefix(line, []byte(head))
	if !ok {
		return 0, false
	}
	_, rest, ok = bytes.Cut(rest, []byte(`","params":{"seq":`))
	if !ok {
		return 0, false
	}
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	seq, err := strconv.ParseUint(string(rest[:end]), 10, 64)
	return seq, err == nil
}
