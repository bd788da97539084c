package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
	"breakwire/adapter/mcpserver/jsonrpc"
)

// errClosing is the cause that ends running calls when the connection closes.
var errClosing = &fault.Error{
	Code: fault.Cancelled, Message: "the call was cancelled before it ended: breakwire is closing",
}

// errClientCancelled is the cause that ends a call the client has cancelled. Nobody reads it.
var errClientCancelled = &fault.Error{Code: fault.Cancelled, Message: "the client cancelled the call"}

type callState uint8

const (
	callRunning  callState = iota // its goroutine runs
	callAnswered                  // its response is in the outbox
	callOver                      // written or cancelled; no response follows
)

// call is one request in flight. Handlers get it with callFrom.
type call struct {
	id     json.RawMessage
	key    string
	method string
	cursor func(session string) known // nil: nothing was given to the client
	opens  bool                       // its response opens the gate for notifications

	carries atomic.Pointer[[]carried]
	token   func() json.RawMessage             // the progress token, nil for none
	notify  func(method string, params []byte) // sends progress; nil when the call cannot have any
	cancel  context.CancelCauseFunc

	hold    hold     // of the budget
	leave   func()   // called when its goroutine ends, or when it never started one
	failure *failure // the error of a failed handler; set and read by the call's goroutine

	// Over HTTP, where the library writes the answer.
	//
	// closing ends the handler, with its cause. It is nil on stdio, where the call's own context does that.
	closing  context.Context
	answered func(result json.RawMessage) // called with a tool's result before the client gets it
	finished atomic.Bool                  // the tool's handler has returned

	state callState // guarded by calls.mu
}

type callKey struct{}

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// callFrom returns the request that is being handled, nil outside of a request. Its methods work on nil too.
func callFrom(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// Carries records that the answer to this call holds the stop or end of a session with this seq. The client's stop
// cursor of the session moves there when the answer is written, and not before.
func (c *call) Carries(session string, seq uint64) { c.tells(session, known{given: seq}) }

// Names records that an event or a resource in the answer names a stop.
func (c *call) Names(session string, seq uint64) { c.tells(session, known{named: seq}) }

// namesStopOf records that the answer has an event, when it is about a stop.
func (c *call) namesStopOf(e *journal.Entry) {
	switch data := e.Data.(type) {
	case *adapter.HitEvent:
		c.Names(e.Session, data.Stop.Seq)
	case *adapter.Stop:
		c.Names(e.Session, data.Seq)
	case *adapter.StateChange:
		if data.NewState == adapter.Paused {
			c.Names(e.Session, e.Seq) // it follows its stop
		}
	}
}

// Runs records that the answer says that the program of a session runs.
func (c *call) Runs(session string) { c.tells(session, known{ran: true}) }

func (c *call) tells(session string, what known) {
	if c == nil {
		return
	}
	told := slices.Clone(c.told())
	i := slices.IndexFunc(told, func(have carried) bool { return have.session == session })
	if i < 0 {
		i, told = len(told), append(told, carried{session: session})
	}
	told[i].known = told[i].with(what)
	c.carries.Store(&told)
}

// told returns what the answer tells of stops.
func (c *call) told() []carried {
	if told := c.carries.Load(); told != nil {
		return *told
	}
	return nil
}

// Cursor returns the seq of the last stop or end of a session that the client had been given when the call arrived.
func (c *call) Cursor(session string) uint64 { return c.known(session).given }

// Knows returns the seq of the newest stop of a session that the client may leave: those before it are known to it, or
// it has never been told that the program runs.
func (c *call) Knows(session string) uint64 {
	k := c.known(session)
	if !k.ran {
		return adapter.AnyStop
	}
	return max(k.given, k.named)
}

func (c *call) known(session string) known {
	if c == nil || c.cursor == nil {
		return known{}
	}
	return c.cursor(session)
}

// withClosing returns a ctx that also ends with the call's client. The handler must call release before it returns.
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

// admit waits until the budget allows a tool to start. On stdio the call has waited already.
func (c *call) admit(ctx context.Context, tool string) error {
	if c == nil {
		return nil
	}
	return c.hold.await(ctx, claimOfTool(tool))
}

// build waits until the budget allows the answer to be built.
func (c *call) build(ctx context.Context) error {
	if c == nil {
		return nil
	}
	return c.hold.await(ctx, building)
}

// finish records that a tool's handler has returned with a result.
func (c *call) finish(result json.RawMessage) {
	if c == nil {
		return
	}
	if c.answered != nil {
		c.answered(result)
	}
	c.finished.Store(true)
}

// withRequest gives a tool a call in its context on every transport. When the transport is not ours, progress goes
// through the library.
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
				_ = s.SendNotificationToClient(ctx, method, fields) // a full channel drops progress; that is intended
			}
		}
	}
	return withCall(ctx, c)
}

// calls is the table of one connection's requests in flight.
type calls struct {
	mu      sync.Mutex
	byKey   map[string]*call
	running int           // goroutines, which end shortly after their answer, and calls that wait to start
	closing bool          // no new calls are accepted
	idle    chan struct{} // closed when closing is set and no call runs
	ended   func(*call)   // called for each call that is over, under mu
}

func newCalls(ended func(*call)) *calls {
	return &calls{byKey: make(map[string]*call), idle: make(chan struct{}), ended: ended}
}

// start adds a call. It refuses a call whose id is in use, and drops it without an error when closing.
func (t *calls) start(c *call) (_ *jsonrpc.Error, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closing:
		return nil, false
	case c.key != "" && t.byKey[c.key] != nil:
		return &jsonrpc.Error{ID: c.id, Code: mcp.INVALID_REQUEST, Message: "a request with this id is in flight"}, false
	}
	if c.key != "" {
		t.byKey[c.key] = c
	}
	t.running++
	return nil, true
}

// begin gives a starting call its cancel function. If the call was cancelled already, begin cancels it at once.
func (t *calls) begin(c *call, cancel context.CancelCauseFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.cancel = cancel
	if c.state == callOver {
		cancel(errClientCancelled)
	} else if t.closing && c.method == jsonrpc.MethodListen {
		cancel(errClosing)
	}
}

// answer runs put, which queues the response, unless the call was cancelled, and reports whether it did. put is nil
// when there is no response. answer is called once for each call that was not cancelled before it started.
func (t *calls) answer(c *call, put func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.token, c.notify, c.leave = nil, nil, nil // an answer that waits to be written keeps nothing of its request
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

// exit records that the call's goroutine ends.
func (t *calls) exit() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
	t.checkIdle()
}

// commit decides, just before the write, whether a response is written.
func (t *calls) commit(c *call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.state == callOver {
		return false
	}
	t.over(c)
	return true
}

// cancelled ends a call at the client's request, also one that has not started.
func (t *calls) cancelled(key string) {
	t.mu.Lock()
	c := t.byKey[key]
	if c == nil || c.method == jsonrpc.MethodInitialize { // MCP forbids cancelling initialize (Cancellation)
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

// over needs mu held.
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

// close refuses new calls, ends the calls that only end with the connection, and returns a channel that is closed
// when no call runs.
func (t *calls) close() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closing = true
	for _, c := range t.byKey {
		if c.method == jsonrpc.MethodListen && c.cancel != nil {
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
