package direct

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/jsonrpc"
	"breakwire/adapter/mcpserver/toolargs"
)

// Server has the tools that the methods call.
type Server interface {
	// Version is the server's own.
	Version() string
	// Live are the sessions that have not ended.
	Live() []*adapter.Session
	// Session finds a session by its id, "" for the only one.
	Session(id string) (*adapter.Session, error)
	// Run runs a method. A panic in it is logged and becomes an error.
	Run(method string, run func() (any, error)) (any, error)
	// Call runs a tool with arguments by name. Missing ones get the tool's defaults. result is a pointer to a struct
	// with the members that are wanted of the tool's result.
	Call(ctx context.Context, tool string, args map[string]any, result any) error
	// Answer waits until the answer of a request may be built.
	Answer(ctx context.Context) error
	// TooLarge is the error for an answer of that many bytes, nil if it may be sent.
	TooLarge(method string, bytes int) *fault.Error
}

// Methods are the methods of the older protocol on one connection.
//
// Callers of that protocol may send several lines without waiting for answers, and expect them to run in order;
// orders does that. Take runs on the reader's goroutine, everything else on the goroutine of its request.
type Methods struct {
	server  Server
	orders  orders
	handles handles
}

// method is one method: what it waits for, and the function that answers it.
type method struct {
	order order
	serve func(d *Methods, ctx context.Context, params json.RawMessage) (any, error)
}

// New serves the methods of one connection.
func New(s Server) *Methods { return &Methods{server: s, orders: newOrders()} }

// Take is StdioOptions.Direct. It accepts what is not MCP: the methods of the older protocol, names that no MCP
// method can have (all but two contain a slash), and lines without "jsonrpc".
func (d *Methods) Take(m *jsonrpc.Message) func(ctx context.Context) []byte {
	method, known := methods()[m.Method]
	if !known && m.Versioned && (strings.Contains(m.Method, "/") || m.Method == jsonrpc.MethodInitialize ||
		m.Method == string(mcp.MethodPing)) {
		return nil
	}
	wait, answer := d.orders.enter(m, method.order)
	return func(ctx context.Context) []byte {
		wait(ctx)
		data, err := d.call(ctx, m, method)
		if err == nil {
			if err = d.server.Answer(ctx); err != nil {
				err = d.explain(ctx, m.Method, err)
			}
		}
		line := d.answerLine(m, data, err)
		answer(ctx)
		return line
	}
}

func (d *Methods) call(ctx context.Context, m *jsonrpc.Message, method method) (any, error) {
	if method.serve == nil {
		return nil, &failure{mcpCode: methodNotFound, message: "there is no method " + toolargs.Clip(m.Method)}
	}
	envelope := struct {
		JSONRPC any             `json:"jsonrpc"`
		Params  json.RawMessage `json:"params"`
	}{}
	if err := json.Unmarshal(m.Line, &envelope); err != nil {
		return nil, &failure{mcpCode: invalidRequest, message: err.Error()}
	}
	if m.Versioned && envelope.JSONRPC != "2.0" {
		return nil, &failure{mcpCode: invalidRequest, message: `"jsonrpc" must be "2.0"; leave it out for the raw form`}
	}
	data, err := d.server.Run(m.Method, func() (any, error) { return method.serve(d, ctx, envelope.Params) })
	if err != nil {
		return nil, d.explain(ctx, m.Method, err)
	}
	return data, nil
}

// order says what a method waits for.
type order uint8

const (
	inTurn order = iota // all earlier methods
	starts              // the same; urgent methods wait for it without a limit
	// all earlier methods, but only for patience: they show or end a step that takes long
	urgent
	anytime // nothing
)

// patience is how long an urgent method waits for earlier ones. Most steps end within milliseconds, and the last line
// of a script that sends all lines at once must not overtake the others.
const patience = time.Second

// orders keeps the requests of one connection in order. Only the reader calls enter.
type orders struct {
	last   <-chan struct{} // closed when the latest request that is not urgent is over
	start  <-chan struct{} // the same for launch and attach
	urgent <-chan struct{} // the same for urgent requests
	raw    <-chan struct{} // closed when the latest answer without an id is queued
}

func newOrders() orders {
	none := make(chan struct{})
	close(none)
	return orders{none, none, none, none}
}

// enter adds a request to the order. wait returns when the request may run, answer when its answer may be sent: only
// their order distinguishes answers without an id.
func (o *orders) enter(m *jsonrpc.Message, kind order) (wait, answer func(ctx context.Context)) {
	over := make(chan struct{})
	m.Over = func() { close(over) }
	switch previous := *o; kind {
	case inTurn, starts:
		wait = func(ctx context.Context) { awaitAll(ctx, 0, previous.last, previous.urgent) }
		if o.last = over; kind == starts {
			o.start = over
		}
	case urgent:
		wait = func(ctx context.Context) {
			awaitAll(ctx, 0, previous.start, previous.urgent)
			awaitAll(ctx, patience, previous.last)
		}
		o.urgent = over
	default:
		wait = func(context.Context) {}
	}
	if m.Versioned || m.ID != nil {
		return wait, func(context.Context) {}
	}
	before := o.raw
	o.raw = over
	return wait, func(ctx context.Context) { awaitAll(ctx, 0, before) }
}

// awaitAll waits until all channels are closed, at most for limit if that is positive.
func awaitAll(ctx context.Context, limit time.Duration, all ...<-chan struct{}) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	for _, c := range all {
		select {
		case <-c:
		case <-ctx.Done():
			return
		}
	}
}

// call runs a tool and returns the members of its result that a Result has.
func call[Result any](ctx context.Context, d *Methods, tool string, args arguments) (result Result, err error) {
	err = d.server.Call(ctx, tool, args, &result)
	return result, err
}
