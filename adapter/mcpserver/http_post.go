package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"breakwire/adapter/mcpserver/jsonrpc"
)

// orderGrace is how long an answer waits until its call's notifications are written on the client's stream.
const orderGrace = 250 * time.Millisecond

// post is one message from a client that the library handles.
type post struct {
	h      *HTTP
	m      *jsonrpc.Message
	client *httpClient // nil for a stateless client, and until initialize creates it
	modern bool
	call   *call
	end    []func()
}

type postKey struct{}

const (
	// postBytes is the memory of a request in addition to its body: a connection and a goroutine.
	postBytes = 128 << 10
	// A body up to smallBody is read before it is counted, so that a cancellation is always read.
	smallBody = 64 << 10
)

// post reads a message and passes it to the library.
func (h *HTTP) post(w http.ResponseWriter, r *http.Request) {
	c := &call{hold: hold{account: h.accountOf(r)}}
	defer c.hold.release()
	body, ok := h.body(w, r, &c.hold)
	if !ok {
		return
	}
	m, refused := jsonrpc.Parse(body)
	if refused == nil && !m.Versioned {
		refused = &jsonrpc.Error{ID: m.ID, Code: mcp.INVALID_REQUEST, Message: `a message needs "jsonrpc":"2.0"`}
	}
	if refused != nil {
		refuse(w, http.StatusBadRequest, refused.ID, refused.Code, refused.Message)
		return
	}
	p := &post{h: h, m: m, modern: jsonrpc.IsModern(body) || mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))}
	if m.ID != nil {
		if !c.hold.take(postBytes) {
			refuseBusy(w, m.ID)
			return
		}
	}
	c.id, c.key, c.method, c.closing = m.ID, m.Key, m.Method, h.closing
	c.token = func() json.RawMessage { return jsonrpc.ProgressToken(body) }
	p.call = c
	switch {
	case p.modern && m.Method == jsonrpc.MethodCancelled:
		// These clients cancel by closing the stream. The library would look up the id among all stateless clients
		// and could end another client's call.
		w.WriteHeader(http.StatusAccepted)
		return
	case p.modern:
		h.stateless.hold()
		defer func() { h.stateless.release(h.Lease) }()
		// A client without an identity has no earlier stop cursor, so only later stops are new to it.
		now := known{given: h.Journal.LastSeq()}
		p.call.cursor = func(string) known { return now }
		p.call.answered = p.answered("")
	case m.Method == jsonrpc.MethodInitialize && m.ID != nil:
		if !h.admit() {
			w.Header().Set("Retry-After", "60")
			refuse(w, http.StatusServiceUnavailable, m.ID, jsonrpc.TooManyRequests,
				"too many MCP sessions: end one with DELETE, or wait for an idle one to end")
			return
		}
		defer p.initialized()
	default:
		c := h.clientOf(w, r, m.ID)
		if c == nil {
			return
		}
		p.take(c)
		defer func() { c.tenancy.release(h.Idle) }()
	}
	defer func() {
		for _, f := range p.end {
			f()
		}
	}()
	if !p.admitted(w, r) {
		return
	}
	// Set on a copy, because the library reads the body again.
	r = r.WithContext(context.WithValue(r.Context(), postKey{}, p))
	r.Body = io.NopCloser(bytes.NewReader(body))
	aw := &answerWriter{ResponseWriter: w, p: p, control: http.NewResponseController(w)}
	defer aw.control.SetWriteDeadline(time.Time{})
	p.call.notify = aw.progress
	h.library.ServeHTTP(aw, r)
	if m.Method == jsonrpc.MethodInitialized && p.client != nil {
		p.client.legacy.Store(true)
		p.client.Open()
	}
}

// admitted waits until the budget allows a request to be handled. Tool calls and resource reads wait by themselves,
// because there the library can cancel them.
func (p *post) admitted(w http.ResponseWriter, r *http.Request) bool {
	switch mcp.MCPMethod(p.m.Method) {
	case mcp.MethodToolsCall, mcp.MethodResourcesRead:
		return true
	}
	if p.m.ID == nil {
		return true
	}
	ctx, release := p.call.withClosing(r.Context())
	defer release()
	if err := p.call.hold.await(ctx, claimOf(p.m)); err != nil {
		refuse(w, http.StatusServiceUnavailable, p.m.ID, mcp.INTERNAL_ERROR, context.Cause(ctx).Error())
		return false
	}
	return true
}

// refuseBusy refuses a request for which there is no room.
func refuseBusy(w http.ResponseWriter, id []byte) {
	w.Header().Set("Retry-After", "1")
	e := jsonrpc.TooMany(id)
	refuse(w, http.StatusServiceUnavailable, id, e.Code, e.Message)
}

// body reads a request's body, within the limits of size and time.
func (h *HTTP) body(w http.ResponseWriter, r *http.Request, counted *hold) ([]byte, bool) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(h.BodyTimeout))
	limited := http.MaxBytesReader(w, r.Body, int64(h.MaxBody))
	body, err := io.ReadAll(io.LimitReader(limited, smallBody+1))
	if err == nil && len(body) > smallBody {
		size := h.MaxBody
		if r.ContentLength >= 0 {
			size = int(min(r.ContentLength, int64(size)))
		}
		if !counted.take(size) {
			refuseBusy(w, nil)
			return nil, false
		}
		var rest []byte
		rest, err = io.ReadAll(limited)
		body = append(body, rest...)
	}
	if err == nil {
		_ = control.SetReadDeadline(time.Time{}) // else it also limits what the server reads of the rest
	}
	var tooLarge *http.MaxBytesError
	switch body = bytes.TrimSpace(body); {
	case errors.As(err, &tooLarge):
		id := jsonrpc.SalvageID(body[:min(len(body), 4<<10)], body[max(0, len(body)-256):])
		refuse(w, http.StatusRequestEntityTooLarge, id, mcp.INVALID_REQUEST, tooLarge.Error())
	case err != nil:
		refuse(w, http.StatusBadRequest, nil, mcp.PARSE_ERROR, "the body could not be read: "+err.Error())
	case len(body) == 0:
		refuse(w, http.StatusBadRequest, nil, mcp.PARSE_ERROR, "the body is empty")
	default:
		return body, true
	}
	return nil, false
}

// admit takes a place for another client and reports whether there was one. initialized gives the place back when no
// client was made.
func (h *HTTP) admit() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.clients)+h.joining >= h.MaxClients {
		return false
	}
	h.joining++
	return true
}

// take makes c the client of the post.
func (p *post) take(c *httpClient) {
	c.tenancy.hold()
	p.client = c
	p.call.cursor = c.Cursor()
	p.call.closing = c.life
	p.call.answered = p.answered(c.id)
}

// answered returns the function that reports a tool's result together with its client. If the client has gone by
// then, Ended is called again, because only now is it known which session the client used.
func (p *post) answered(id string) func(json.RawMessage) {
	return func(result json.RawMessage) {
		p.h.Answered(id, result)
		if !p.h.has(id) {
			p.h.lapsed(id)
		}
	}
}

// initialized removes a client whose initialize was refused.
func (p *post) initialized() {
	c := p.client
	switch {
	case c == nil:
		p.h.mu.Lock()
		p.h.joining--
		p.h.mu.Unlock()
	case !c.Initialized():
		p.h.end(c, errSessionEnded)
	default:
		c.tenancy.release(p.h.Idle)
	}
}

// sessionIDs tells the library about our clients: the library asks for an id when it handles initialize.
type sessionIDs struct{ *post }

// ResolveSessionIdManager implements server.SessionIdManagerResolver.
func (sessionIDs) ResolveSessionIdManager(r *http.Request) server.SessionIdManager {
	if r == nil {
		return sessionIDs{}
	}
	p, _ := r.Context().Value(postKey{}).(*post)
	return sessionIDs{p}
}

// Generate creates the client that initialize asks for.
func (s sessionIDs) Generate() string {
	if s.post == nil {
		return ""
	}
	s.take(s.h.newClient())
	return s.client.id
}

// Validate always accepts: unknown clients were refused before.
func (sessionIDs) Validate(string) (bool, error) { return false, nil }

// Terminate is not used: DELETE is handled before the library.
func (sessionIDs) Terminate(string) (bool, error) { return false, nil }

// requestContext replaces the library's session by our client and adds the call.
func requestContext(ctx context.Context, r *http.Request) context.Context {
	p, _ := r.Context().Value(postKey{}).(*post)
	if p == nil {
		return ctx
	}
	library := server.ClientSessionFromContext(ctx)
	if p.client != nil {
		ctx = p.h.Server.WithContext(ctx, p.h.session(p.client.Client, library))
	}
	if p.m.Method == jsonrpc.MethodListen {
		// The handler ends only with its context; nobody waits for its answer then.
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		stop := context.AfterFunc(p.h.closing, func() { cancel(errClosing) })
		p.end = append(p.end, func() { stop(); cancel(nil) })
	}
	return withCall(ctx, p.call)
}

// answerWriter takes the answer that the library writes. It puts a running tool's notifications before the answer on
// the same stream, because the library's own way sometimes loses some.
type answerWriter struct {
	http.ResponseWriter
	p       *post
	control *http.ResponseController

	mu      sync.Mutex
	begun   bool // the header is written
	framed  bool // by us, as a stream: JSON from the library must become an event
	settled bool
}

const (
	eventHead = "event: message\ndata: "
	eventTail = "\n\n"
)

// Unwrap serves http.ResponseController.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements http.Flusher, which the library requires.
func (w *answerWriter) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.control.Flush()
}

// WriteHeader implements http.ResponseWriter.
func (w *answerWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.settle()
	if w.begun {
		return
	}
	w.begun = true
	if f := w.p.call.failure; f != nil && w.p.modern && f.code == mcp.INVALID_PARAMS {
		status = http.StatusBadRequest
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. The library writes one message at a time.
func (w *answerWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.settle()
	w.p.call.hold.settle(2*len(b) + keptBytes) // the library keeps its encoded answer
	w.begun = true
	out := b
	if bytes.Contains(b, []byte(`"error":{`)) {
		out = w.amend(b)
	}
	if w.framed && !bytes.HasPrefix(out, []byte(eventHead)) {
		out = event(out)
	}
	if err := w.send(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// progress writes a notification of the call, which turns the answer into a stream.
func (w *answerWriter) progress(method string, params []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.begun {
		h := w.Header()
		h.Set("Content-Type", "text/event-stream")
		w.begun, w.framed = true, true
		w.ResponseWriter.WriteHeader(http.StatusOK)
	}
	if w.settled || w.Header().Get("Content-Type") != "text/event-stream" {
		return
	}
	if w.send(event(notificationLine(method, params))) == nil {
		_ = w.control.Flush()
	}
}

func (w *answerWriter) send(b []byte) error {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.p.h.Stall))
	_, err := w.ResponseWriter.Write(b)
	return err
}

// event frames a message as a server-sent event.
func event(message []byte) []byte {
	return append(append([]byte(eventHead), bytes.TrimRight(message, "\n")...), eventTail...)
}

// settle runs before the client gets the first byte after its tool has ended. It waits until the call's notifications
// are on the stream, and moves the client's cursor for its next request.
func (w *answerWriter) settle() {
	c := w.p.client
	if w.settled || !w.p.call.finished.Load() {
		return
	}
	w.settled = true
	if c == nil {
		return
	}
	if s := c.current(); s != nil {
		s.awaitWritten(w.p.h.Journal.LastSeq(), orderGrace)
	}
	c.Deliver(w.p.call.told())
}

// amend replaces the library's error by the one that the handler meant.
func (w *answerWriter) amend(b []byte) []byte {
	raw, streamed := bytes.CutPrefix(b, []byte(eventHead))
	var failed mcp.JSONRPCError
	if w.p.call.failure == nil || json.Unmarshal(raw, &failed) != nil || failed.Error.Code == 0 {
		return b
	}
	line := responseLine(w.p.m.ID, amend(withCall(context.Background(), w.p.call), failed))
	if streamed {
		return event(line)
	}
	return line
}
