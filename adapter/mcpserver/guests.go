package mcpserver

import (
	"context"
	"maps"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// guests are the clients without a Client of ours: stateless ones over HTTP, and those in process. The library does
// not keep their subscriptions.
type guests struct {
	server *Server

	mu   sync.Mutex
	byID map[string]*guest
}

// guest is one such client, or one subscriptions/listen stream.
type guest struct {
	send func(method string, params map[string]any) error
	tag  any // the id of the listen request, nil for none

	mu    sync.Mutex
	wants map[string]uint64
}

// Subscriptions implements subscriber.
func (g *guest) Subscriptions() map[string]uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.wants)
}

// Updated implements subscriber. The library drops the notification of a client that does not read; the next change
// sends another.
func (g *guest) Updated(uri string) {
	params := map[string]any{"uri": uri}
	if g.tag != nil {
		params["_meta"] = map[string]any{mcp.MetaKeySubscriptionID: g.tag}
	}
	_ = g.send(mcp.MethodNotificationResourceUpdated, params)
}

// ours reports whether a request's client is a Client, which keeps its own subscriptions.
func ours(ctx context.Context) bool { return clientFrom(ctx) != nil }

func (gs *guests) subscribe(ctx context.Context, uri string) {
	session := server.ClientSessionFromContext(ctx)
	if ours(ctx) || session == nil {
		return
	}
	id := session.SessionID()
	gs.mu.Lock()
	defer gs.mu.Unlock()
	g := gs.byID[id]
	if g == nil {
		g = &guest{wants: map[string]uint64{}, send: func(method string, params map[string]any) error {
			return gs.server.mcp.SendNotificationToSpecificClient(id, method, params)
		}}
		gs.byID[id] = g
	}
	g.mu.Lock()
	g.wants[uri] = gs.server.manager.Journal().LastSeq()
	g.mu.Unlock()
	gs.server.pump.attach(g) // it reads the subscriptions once more, also of a client that it has
}

func (gs *guests) unsubscribe(ctx context.Context, uri string) {
	session := server.ClientSessionFromContext(ctx)
	if ours(ctx) || session == nil {
		return
	}
	gs.mu.Lock()
	g := gs.byID[session.SessionID()]
	gs.mu.Unlock()
	if g != nil {
		g.mu.Lock()
		delete(g.wants, uri)
		g.mu.Unlock()
	}
}

func (gs *guests) leave(id string) {
	gs.mu.Lock()
	g := gs.byID[id]
	delete(gs.byID, id)
	gs.mu.Unlock()
	if g != nil {
		gs.server.pump.detach(g)
	}
}

// listen keeps the subscriptions of a listen request until the request ends.
func (gs *guests) listen(ctx context.Context, id any, uris []string) {
	if ours(ctx) || len(uris) == 0 {
		return
	}
	g := &guest{wants: map[string]uint64{}, tag: id, send: func(method string, params map[string]any) error {
		return gs.server.mcp.SendNotificationToClient(ctx, method, params)
	}}
	for _, uri := range uris {
		g.wants[uri] = gs.server.manager.Journal().LastSeq()
	}
	gs.server.pump.attach(g)
	context.AfterFunc(ctx, func() { gs.server.pump.detach(g) })
}
