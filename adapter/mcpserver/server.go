package mcpserver

import (
	"context"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"breakwire/adapter"
	"breakwire/adapter/journal"
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
	Notify   Notify // "" is all
	Backend  string // the server's default, named in descriptions and results
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
		server.WithPromptCompletionProvider(completer{s}), server.WithResourceCompletionProvider(completer{s}),
		server.WithInstructions(instructions))
	s.addSessionTools()
	s.addExecutionTools()
	s.addBreakpointTools()
	s.addEventTools()
	s.addInspectionTools()
	s.addProcessTools()
	s.addSourceTools()
	s.addSnapshotTools()
	s.addBatchTools()
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
		Direct: newDirect(s).take, EndGrace: s.opts.EndGrace, refusal: refusal,
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

// instructions explain the event model to a model, in under 2 KB.
const instructions = `breakwire debugs programs through real debuggers: .NET (netcoredbg), Go (Delve), Python (debugpy), C/C++/Rust (lldb-dap).

How to work:
1. Set breakpoints with breakpoint_set (before or after the launch), tracepoints with tracepoint_set: they log {expressions} without pausing.
2. debug_launch stops at the program's entry by default; debug_attach leaves the program running.
3. debug_continue with wait=true returns the next stop; so do debug_step and breakpoint_wait. A stop holds the place and the source lines around it.
4. At a stop: variables_get, evaluate, stacktrace_get. They answer NOT_PAUSED while the program runs.
5. debug_disconnect ends the session: a launched program with it, an attached one keeps running.

Every hit, state change and output is kept in an ordered journal. breakpoint_wait returns a hit also when it came before the call, so nothing is lost between continue and wait. Tracepoint hits never pause and never end a wait: read them with events_query (types ["tracepoint"], after_seq = the last seq you have seen). What the program prints: process_read_output.
While a session lives its state is also in resources (debugger://session, breakpoints, threads, modules, output, events, source/{file}), with updates for subscribers; source_get and modules_list are the same as tools.
Lines and columns count from 1; session_id is needed only while several sessions live; thread_id defaults to the stopped thread, frame_index 0 is its top frame. Errors say what to do next.`
