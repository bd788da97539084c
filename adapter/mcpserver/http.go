package mcpserver

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"breakwire/adapter/journal"
	"breakwire/adapter/mcpserver/jsonrpc"
)

// HTTPPath is the path of the MCP endpoint.
const HTTPPath = "/mcp"

// HTTPOptions configure NewHTTP. Zero fields take the defaults.
type HTTPOptions struct {
	Server  *server.MCPServer // required
	Journal *journal.Journal  // required
	Token   string            // that clients must send; "" lets everybody in and is for tests

	// Remote accepts requests that name this machine by any of its own addresses, not only a loopback one.
	Remote bool

	// Types and Render have the meaning they have in StdioOptions.
	Types  []string
	Render func(c *Client, dst []byte, e *journal.Entry, missed uint64) []byte

	// Answered is called with a tool's result before the client gets it. client is its MCP session, or "" for all
	// clients without one. Ended is called when a client has gone for good. It may wait, and may be called again for
	// a client whose call ended late.
	Answered func(client string, result []byte)
	Ended    func(client string)

	Idle        time.Duration // 10 min: lifetime of an MCP session without a stream and a call
	Reconnect   time.Duration // 1 min: the same after its stream was lost
	Lease       time.Duration // 10 min: the same for all stateless clients together
	Stall       time.Duration // 1 min: how long a write to a client that does not read may take
	KeepAlive   time.Duration // 15 s between comments on a silent stream, which detect a client that is gone
	BodyTimeout time.Duration // 30 s to send a body
	StopGrace   time.Duration // 250 ms: time for running calls when the server stops
	EndGrace    time.Duration // 1 s: time after that to end with errClosing
	MaxBody     int           // 16 MiB
	MaxHeader   int           // 16 KiB
	MaxClients  int           // 64 MCP sessions
	MaxConns    int           // 256 connections

	AnswerBytes int // 32 MiB of answers of all clients that are built or not yet read; each client may have one more
	// 16 MiB of requests of one client, where each counts as its body and 128 KiB; more is refused
	RequestBytes int

	Log *slog.Logger

	// session may wrap the library's session of a request's client.
	session func(c *Client, library server.ClientSession) server.ClientSession
}

func (o *HTTPOptions) setDefaults() {
	shared := StdioOptions{Types: o.Types, Render: o.Render, Log: o.Log}
	shared.setDefaults()
	o.Types, o.Render, o.Log = shared.Types, shared.Render, shared.Log
	if o.Answered == nil {
		o.Answered = func(string, []byte) {}
	}
	if o.Ended == nil {
		o.Ended = func(string) {}
	}
	if o.session == nil {
		o.session = func(c *Client, _ server.ClientSession) server.ClientSession { return c }
	}
	setDefault(&o.Idle, 10*time.Minute)
	setDefault(&o.Reconnect, time.Minute)
	setDefault(&o.Lease, 10*time.Minute)
	setDefault(&o.Stall, time.Minute)
	setDefault(&o.KeepAlive, 15*time.Second)
	setDefault(&o.BodyTimeout, 30*time.Second)
	setDefault(&o.StopGrace, 250*time.Millisecond)
	setDefault(&o.EndGrace, time.Second)
	setDefault(&o.MaxBody, 16<<20)
	setDefault(&o.MaxHeader, 16<<10)
	setDefault(&o.MaxClients, 64)
	setDefault(&o.MaxConns, 256)
	setDefault(&o.AnswerBytes, unwrittenMax)
	setDefault(&o.RequestBytes, requestsMax)
}

// HTTP serves MCP over streamable HTTP (MCP, Transports) to any number of clients, of both protocol generations.
//
// The library answers POST requests and the stateless generation. This package adds what the library lacks: access
// control (http_guard.go), MCP sessions that end (http_client.go), and a GET stream that loses no event, because it
// reads the journal through a cursor as stdio does (http_stream.go). The id of an event on the stream is its seq, so
// a client that reconnects continues where it was.
type HTTP struct {
	HTTPOptions
	guard   guard
	library *server.StreamableHTTPServer

	closing context.Context // done when running calls must end
	close   context.CancelCauseFunc
	stop    atomic.Bool // no new requests are accepted

	budget *budget
	shared *account // of all clients without an MCP session

	calls      sync.WaitGroup
	background sync.WaitGroup // calls of Ended

	mu        sync.Mutex
	clients   map[string]*httpClient
	joining   int  // places that are taken by initialize requests without a client yet
	over      bool // nobody is told of clients any more: all sessions end
	stateless tenancy
}

// NewHTTP returns a handler. Most callers use Serve.
func NewHTTP(o HTTPOptions) *HTTP {
	o.setDefaults()
	h := &HTTP{HTTPOptions: o, guard: newGuard(o.Token, o.Remote), clients: map[string]*httpClient{}}
	h.budget = newBudget(o.AnswerBytes)
	h.shared = h.budget.open(o.RequestBytes)
	h.closing, h.close = context.WithCancelCause(context.Background())
	h.stateless.lapse = func() { h.lapsed("") }
	h.library = server.NewStreamableHTTPServer(o.Server,
		server.WithSessionIdManagerResolver(sessionIDs{}), server.WithHTTPContextFunc(requestContext),
		server.WithDisableLocalhostProtection(true), // the guard does this check
		server.WithStreamableHTTPLogger(o.Log))
	return h
}

// Serve answers requests on a listener until ctx is cancelled. Then it lets running calls end, writes their answers
// and ends all clients.
func (h *HTTP) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    h.MaxHeader,
		ErrorLog:          slog.NewLogLogger(h.Log.Handler(), slog.LevelDebug), // mostly clients that have gone
	}
	l = limitListener(l, h.MaxConns)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	var err error
	select {
	case err = <-served:
		err = fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
		l.Close()
		<-served
	}
	h.Shutdown()
	down, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.EndGrace)
	defer cancel()
	if srv.Shutdown(down) != nil {
		srv.Close()
	}
	return err
}

// Shutdown ends the running calls and all clients. It is for callers that use the handler without Serve.
func (h *HTTP) Shutdown() {
	h.mu.Lock()
	h.stop.Store(true)
	h.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		h.calls.Wait()
		close(idle)
	}()
	for _, grace := range []time.Duration{h.StopGrace, h.EndGrace} {
		timer := time.NewTimer(grace)
		select {
		case <-idle:
			timer.Stop()
		case <-timer.C:
			h.close(errClosing)
		}
	}
	h.close(errClosing)
	h.mu.Lock()
	var all []*httpClient
	for _, c := range h.clients {
		all = append(all, c)
	}
	h.mu.Unlock()
	for _, c := range all {
		h.end(c, errClosing)
	}
	h.stateless.stop()
	h.mu.Lock()
	h.over = true
	h.mu.Unlock()
	h.background.Wait()
}

// ServeHTTP implements http.Handler.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if status, why := h.guard.check(r); status != 0 {
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="breakwire"`)
		}
		h.Log.Debug("refused a request", "status", status, "why", why, "from", r.RemoteAddr)
		refuse(w, status, nil, mcp.INVALID_REQUEST, why)
		return
	}
	if r.URL.Path != HTTPPath {
		refuse(w, http.StatusNotFound, nil, mcp.INVALID_REQUEST, "MCP is served at "+HTTPPath)
		return
	}
	if !h.begin() {
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, nil, jsonrpc.TooManyRequests, "the server is closing")
		return
	}
	modern := mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
	switch {
	case r.Method == http.MethodPost:
		defer h.calls.Done()
		h.post(w, r)
	case r.Method == http.MethodGet && !modern:
		h.calls.Done() // a stream is not a call and must not delay the end
		h.get(w, r)
	case r.Method == http.MethodDelete && !modern:
		defer h.calls.Done()
		h.delete(w, r)
	default:
		defer h.calls.Done()
		allow := "POST, GET, DELETE"
		if modern {
			allow = "POST"
		}
		w.Header().Set("Allow", allow)
		refuse(w, http.StatusMethodNotAllowed, nil, mcp.INVALID_REQUEST,
			r.Method+" is not for this protocol version: use "+allow)
	}
}

// begin counts a request, and reports false when no requests are accepted.
func (h *HTTP) begin() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop.Load() {
		return false
	}
	h.calls.Add(1)
	return true
}

// delete serves the DELETE with which a client ends its MCP session (MCP, Transports).
func (h *HTTP) delete(w http.ResponseWriter, r *http.Request) {
	if c := h.clientOf(w, r, nil); c != nil {
		h.end(c, errSessionEnded)
		w.WriteHeader(http.StatusOK)
	}
}

// refuse answers with a JSON-RPC error and an HTTP status.
func refuse(w http.ResponseWriter, status int, id []byte, code int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write((&jsonrpc.Error{ID: id, Code: code, Message: why}).Line())
}

// limitListener limits the open connections to n; further ones wait in the kernel.
func limitListener(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, slots: make(chan struct{}, n), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	slots  chan struct{}
	once   sync.Once
	closed chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitedConn{Conn: conn, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	free func()
}

func (c *limitedConn) Close() error {
	defer c.free()
	return c.Conn.Close()
}
