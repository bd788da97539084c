package mcpserver

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"breakwire/adapter"
)

// errClosing is the cause with which calls end that are in flight when the connection closes.
var errClosing = &adapter.Error{
	Code: adapter.Cancelled, Message: "the call was cancelled before it ended: breakwire is closing",
}

// errClientCancelled is the cause of a call that the client has cancelled. Nobody reads it.
var errClientCancelled = &adapter.Error{Code: adapter.Cancelled, Message: "the client cancelled the call"}

type callState uint8

const (
	callRunning  callState = iota // its goroutine runs
	callAnswered                  // its response is in the outbox
	callOver                      // written, or cancelled: no response any more
)

// call is one request in flight. Handlers reach it with callFrom.
type call struct {
	id     json.RawMessage
	key    string
	method string
	cursor uint64
	opens  bool // its response opens the gate for notifications

	carries atomic.Uint64
	token   func() json.RawMessage             // the progress token, nil for none
	notify  func(method string, params []byte) // sends progress; nil when the call cannot have any
	cancel  context.CancelCauseFunc

	hold    hold     // of the budget
	leave   func()   // its goroutine ends, or never began
	failure *failure // of a request whose handler has failed; set and read by its goroutine

	// Over HTTP, where the library writes the answer.
	//
	// ends the handler with its cause; nil on stdio, where the call's own context does
	closing  context.Context
	answered func(result json.RawMessage) // told what a tool answers, before the client is
	finished atomic.Bool                  // the tool's handler has returned

	state callState // guarded by calls.mu
}

type callKey struct{}

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// callFrom returns the request that is being handled, nil outside of one. Methods work on nil too.
func callFrom(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// Carries says that the answer to this call will hold the stop or end with this seq. When the answer
// is written, and only then, the client's stop cursor moves there.
func (c *call) Carries(seq uint64) {
	if c == nil {
		return
	}
	for {
		old := c.carries.Load()
		if old >= seq || c.carries.CompareAndSwap(old, seq) {
			return
		}
	}
}

// Cursor is the client's stop cursor as it was when the call arrived.
func (c *call) Cursor() uint64 {
	if c == nil {
		return 0
	}
	return c.cursor
}

// withClosing is ctx, ended also by what ends the call's client. release is to be called when the handler returns.
func (c *call) withClosing(ctx context.Context) (_ context.Context, release func()) {
	if c == nil || c.closing == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.closing, func() { cancel(context.Cause(c.closing)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// admit waits until the budget lets a tool start. On stdio it has already.
func (c *call) admit(ctx context.Context, tool string) error {
	if c == nil {
		return nil
	}
	return c.hold.await(ctx, claimOfTool(tool))
}

// build waits until the budget lets the answer be built.
func (c *call) build(ctx context.Context) error {
	if c == nil {
		return nil
	}
	return c.hold.await(ctx, building)
}

// finish says that a tool's handler has returned with a result.
func (c *call) finish(result json.RawMessage) {
	if c == nil {
		return
	}
	if c.answered != nil {
		c.answered(result)
	}
	c.finished.Store(true)
}

// withRequest makes sure that a tool finds a call in its context on every transport. Without our
// own one the progress goes through the library.
func withRequest(ctx context.Context, s *server.MCPServer, req *mcp.CallToolRequest) context.Context {
	if callFrom(ctx) != nil {
		return ctx
	}
	c := &call{}
	if meta := req.Params.Meta; meta != nil && meta.ProgressToken != nil {
		c.token = func() json.RawMessage {
			token, _ := json.Marshal(meta.ProgressToken)
			return token
		}
		c.notify = func(method string, params []byte) {
			var fields map[string]any
			if json.Unmarshal(params, &fields) == nil {
				_ = s.SendNotificationToClient(ctx, method, fields) // a full channel drops progress, which is right
			}
		}
	}
	return withCall(ctx, c)
}

// calls is the table of requests in flight of one connection.
type calls struct {
	mu      sync.Mutex
	byKey   map[string]*call
	running int           // goroutines, which end a moment after their answer, and calls that wait to start
	closing bool          // no new ones
	idle    chan struct{} // closed when closing and none runs
	ended   func(*call)   // told of each that is over, under mu
}

func newCalls(ended func(*call)) *calls {
	return &calls{byKey: make(map[string]*call), idle: make(chan struct{}), ended: ended}
}

// start enters a call. It is refused when its id is in use, and silently when closing.
func (t *calls) start(c *call) (_ *rpcError, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closing:
		return nil, false
	case c.key != "" && t.byKey[c.key] != nil:
		return &rpcError{id: c.id, code: mcp.INVALID_REQUEST, message: "a request with this id is in flight"}, false
	}
	if c.key != "" {
		t.byKey[c.key] = c
	}
	t.running++
	return nil, true
}

// begin gives a call that starts its cancel function, and calls it when the call has been cancelled by now.
func (t *calls) begin(c *call, cancel context.CancelCauseFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.cancel = cancel
	if c.state == callOver {
		cancel(errClientCancelled)
	} else if t.closing && c.method == methodListen {
		cancel(errClosing)
	}
}

// answer runs put, which queues the response, unless the call was cancelled meanwhile, and reports whether it did. put
// is nil when there is no response. It is called once for each call that was not cancelled before it started.
func (t *calls) answer(c *call, put func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.token, c.notify, c.leave = nil, nil, nil // an answer that waits to be written keeps no request
	if c.state != callRunning {
		return false
	}
	if put == nil {
		t.over(c)
		return false
	}
	c.state = callAnswered
	put()
	return true
}

// exit says that the call's goroutine ends.
func (t *calls) exit() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
	t.checkIdle()
}

// commit decides, at the last moment, that a response is written.
func (t *calls) commit(c *call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.state == callOver {
		return false
	}
	t.over(c)
	return true
}

// cancelled ends a call by request of the client, also one that has not started.
func (t *calls) cancelled(key string) {
	t.mu.Lock()
	c := t.byKey[key]
	if c == nil || c.method == methodInitialize { // which the protocol says is never cancelled
		t.mu.Unlock()
		return
	}
	t.over(c)
	cancel, leave := c.cancel, c.leave
	t.mu.Unlock()
	if cancel != nil {
		cancel(errClientCancelled)
	} else if c.hold.withdrawStart() {
		leave()
	}
}

// over is called with mu held.
func (t *calls) over(c *call) {
	c.state = callOver
	if c.key != "" {
		delete(t.byKey, c.key)
	}
	t.ended(c)
}

// isOver reports whether nothing more may be sent for a call.
func (t *calls) isOver(c *call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return c.state == callOver
}

// close refuses new calls, ends those that only end with the connection, and returns a channel
// that is closed when none runs.
func (t *calls) close() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closing = true
	for _, c := range t.byKey {
		if c.method == methodListen && c.cancel != nil {
			c.cancel(errClosing)
		}
	}
	t.checkIdle()
	return t.idle
}

func (t *calls) checkIdle() {
	if t.closing && t.running == 0 {
		select {
		case <-t.idle:
		default:
			close(t.idle)
		}
	}
}
