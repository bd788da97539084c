package mcpserver

import (
	"context"
	_ "embed"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"breakwire/adapter"
	"breakwire/adapter/journal"
	"breakwire/adapter/mcpserver/direct"
)

// Notify selects the notifications that a client gets.
type Notify string

// The values of --notify.
const (
	NotifyAll      Notify = "all"      // the debugger's own methods and the protocol's
	NotifyStandard Notify = "standard" // only the protocol's
	NotifyNone     Notify = "none"
)

// Options of a Server.
type Options struct {
	Version  string
	Notify   Notify   // "" is all
	Backend  string   // the server's default, named in descriptions and results
	NoLocals bool     // stops never hold locals
	Tools    []string // the tools that are offered (SelectTools); nil is all
	Log      *slog.Logger
	EndGrace time.Duration // of ServeStdio: time for cancelled calls to end; 0: one second
}

// Server offers one Manager to MCP clients.
type Server struct {
	manager *adapter.Manager
	opts    Options
	mcp     *server.MCPServer
	pump    *pump
}

// New returns a server with all tools.
func New(m *adapter.Manager, o Options) *Server {
	if o.Notify == "" {
		o.Notify = NotifyAll
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{manager: m, opts: o, pump: newPump(m)}
	hooks := &server.Hooks{}
	pushes := o.Notify != NotifyNone
	s.mcp = server.NewMCPServer("breakwire", o.Version,
		server.WithToolCapabilities(false), server.WithResourceCapabilities(pushes, pushes),
		server.WithPromptCapabilities(false),
		server.WithLogging(), server.WithCompletions(), server.WithRecovery(), server.WithResourceRecovery(),
		server.WithHooks(hooks),
		server.WithPromptCompletionProvider(completer{s}), server.WithResourceCompletionProvider(completer{s}))
	s.instruct()
	s.addSessionTools()
	s.addExecutionTools()
	s.addBreakpointTools()
	s.addEventTools()
	s.addInspectionTools()
	s.addProcessTools()
	s.addSourceTools()
	s.addSnapshotTools()
	s.addBatchTools()
	s.withhold()
	addOutputs(hooks)
	s.addResources(hooks)
	s.addSubscriptions(hooks)
	s.addPrompts()
	return s
}

// MCP returns the library's server, for transports.
func (s *Server) MCP() *server.MCPServer { return s.mcp }

// notified lists the types of events that can become notifications.
var notified = []string{journal.TypeHit, journal.TypeTracepoint, journal.TypeState, journal.TypeError, journal.TypeLost}

// ServeStdio serves one client until the end of its input or of ctx.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return ServeStdio(ctx, in, out, StdioOptions{
		Server: s.mcp, Journal: s.manager.Journal(), Render: s.render, Log: s.opts.Log, Types: notified,
		Direct: direct.New(directTools{s}).Take, EndGrace: s.opts.EndGrace, refusal: direct.Refusal,
	})
}

// ServeHTTP serves any number of clients on a listener until ctx ends. A session that no client uses any more is
// ended. ServeHTTP sets the options Server, Journal, Types, Render, Answered, Ended and Log.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, o HTTPOptions) error {
	holds := newHolds(s.manager, s.opts.Log)
	o.Server, o.Journal, o.Types, o.Render, o.Log = s.mcp, s.manager.Journal(), notified, s.render, s.opts.Log
	o.Answered, o.Ended = holds.answered, holds.leave
	return NewHTTP(o).Serve(ctx, l)
}

// instructions teach a model the event model, in under 2 KB.
//
//go:embed instructions.txt
var instructions string
