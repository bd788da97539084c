package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"breakwire/adapter"
)

// direct serves the methods of the older DebugOps protocol on one stdio connection, beside MCP: see docs/direct.md.
// They are other words for the tools and call the tools' own handlers.
//
// Callers of that protocol may send several lines without waiting for the answers, and expect them to be dealt with in
// their order; orders does that. take runs on the reader's goroutine, everything else on that of its request.
type direct struct {
	server  *Server
	orders  orders
	handles handles
}

// directMethod is one method: its place in the order, and what answers it.
type directMethod struct {
	order order
	serve func(d *direct, ctx context.Context, params json.RawMessage) (any, error)
}

func newDirect(s *Server) *direct { return &direct{server: s, orders: newOrders()} }

// take is StdioOptions.Direct. It claims what is not MCP's: the methods of the older protocol, names that no method of
// MCP can have (all have a slash, but for two), and every line without "jsonrpc".
func (d *direct) take(m *Message) func(ctx context.Context) []byte {
	method, known := directMethods()[m.Method]
	if !known && m.Versioned && (strings.Contains(m.Method, "/") || m.Method == methodInitialize ||
		m.Method == string(mcp.MethodPing)) {
		return nil
	}
	wait, answer := d.orders.enter(m, method.order)
	return func(ctx context.Context) []byte {
		wait(ctx)
		data, err := d.call(ctx, m, method)
		if err == nil {
			if err = callFrom(ctx).build(ctx); err != nil {
				err = d.explain(ctx, m.Method, err)
			}
		}
		line := directLine(m, data, err)
		answer(ctx)
		return line
	}
}

func (d *direct) call(ctx context.Context, m *Message, method directMethod) (any, error) {
	if method.serve == nil {
		return nil, &directError{mcpCode: methodNotFound, message: "there is no method " + clip(m.Method)}
	}
	envelope := struct {
		JSONRPC any             `json:"jsonrpc"`
		Params  json.RawMessage `json:"params"`
	}{}
	if err := json.Unmarshal(m.Line, &envelope); err != nil {
		return nil, &directError{mcpCode: invalidRequest, message: err.Error()}
	}
	if m.Versioned && envelope.JSONRPC != "2.0" {
		return nil, &directError{mcpCode: invalidRequest, message: `"jsonrpc" must be "2.0"; leave it out for the raw form`}
	}
	data, err := runTool(m.Method, func() (any, error) { return method.serve(d, ctx, envelope.Params) })
	if err != nil {
		return nil, d.explain(ctx, m.Method, err)
	}
	return data, nil
}

// order says what a method waits for.
type order uint8

const (
	inTurn order = iota // everything before it
	starts              // the same; the urgent ones wait for it however long it takes
	// everything before it, but not for long: a step may take its time, and these are how to see and end it
	urgent
	anytime // nothing
)

// patience is how long the urgent methods give what is before them. Steps mostly end within milliseconds, and scripts
// that send everything in one go do not want their last line to overtake them.
const patience = time.Second

// orders keeps the requests of one connection in their order. enter is called by the reader only.
type orders struct {
	last   <-chan struct{} // closed when the latest one that is not urgent is over
	start  <-chan struct{} // the same of launch and attach
	urgent <-chan struct{} // the same of the urgent ones
	raw    <-chan struct{} // closed when the latest answer that has no id is on its way
}

func newOrders() orders {
	none := make(chan struct{})
	close(none)
	return orders{none, none, none, none}
}

// enter gives a request its place. wait returns when its time has come, answer when its answer may go out: answers
// without an id can only be told by their order.
func (o *orders) enter(m *Message, kind order) (wait, answer func(ctx context.Context)) {
	over := make(chan struct{})
	m.over = func() { close(over) }
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

// awaitAll waits for all of these, no longer than limit if there is one.
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

// invoke calls the handler of a tool with arguments by their names there; what is left out takes the tool's default.
func invoke[Result, In any](ctx context.Context, handler func(context.Context, In) (any, error),
	args map[string]any) (Result, error) {
	var in In
	var none Result
	raw, err := marshal(args)
	if err != nil {
		return none, err
	}
	if err := bind(raw, &in); err != nil {
		return none, err
	}
	result, err := handler(ctx, in)
	if err != nil {
		return none, err
	}
	typed, ok := result.(Result)
	if !ok {
		return none, adapter.Errorf(adapter.Internal, "the handler returned a %T", result)
	}
	return typed, nil
}
