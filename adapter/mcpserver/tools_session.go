package mcpserver

import (
	"context"
	"encoding/json"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/toolargs"
)

type launchArgs struct {
	Test        string             `arg:"test"`
	Module      string             `arg:"module"`
	Program     string             `arg:"program" alias:"url"`
	Args        []string           `arg:"args"`
	Cwd         string             `arg:"cwd"`
	Env         map[string]*string `arg:"env"`
	StopAtEntry *bool              `arg:"stop_at_entry" alias:"stopAtEntry"`
	JustMyCode  *bool              `arg:"just_my_code" alias:"justMyCode"`
	Config      string             `arg:"configuration"`
	PreBuild    []string           `arg:"pre_build,words"`
	Stdin       bool               `arg:"stdin" default:"true"`
	Backend     string             `arg:"backend"`
	Wait        *bool              `arg:"wait"`
	Locals      bool               `arg:"locals" default:"true"`
	Timeout     int                `arg:"timeout_ms" default:"30000" min:"100" max:"600000" alias:"timeout"`
	Breakpoints []json.RawMessage  `arg:"breakpoints" max:"50"`

	Container string   `arg:"in_container"`
	Pod       string   `arg:"in_pod"`
	PathMap   []string `arg:"path_map" alias:"pathMap"`
}

func (launchArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"program":       ".dll, .csproj, Go package or binary, .py, .js, .ts, package.json, executable, URL",
		"test":          "A test (TestCart/empty, Cart::test_empty, tests::adds); program: its package, file, project",
		"module":        "Instead of program: python -m",
		"cwd":           "Default the program's folder",
		"env":           "Variables to set; null unsets",
		"stop_at_entry": "Default true",
		"just_my_code":  "Skip code without symbols; default true",
		"configuration": "Instead of program: name in .vscode/launch.json or launchSettings.json",
		"pre_build":     `Command run first in the project root: ["dotnet","build"]`,
		"wait":          "true: return at the first stop or end; false: at once; default 2 s with a breakpoint",
		"stdin":         "false: its input ends at once",
		"backend":       "auto, netcoredbg, dlv, debugpy, lldb-dap, js-debug",
		"breakpoints": "Set before the start: arguments of breakpoint_set, tracepoint_set, ..., " +
			"as {file, line, condition}",
		"in_container": "Debugger and program in a running container (docker exec)",
		"in_pod":       "The same by kubectl: [NAMESPACE/]POD[:CONTAINER]",
		"path_map":     "As in debug_attach",
	}
}

type attachArgs struct {
	Pid          int    `arg:"pid" alias:"processId" min:"1"`
	Name         string `arg:"process_name"`
	Wait         int    `arg:"wait_ms" default:"0" min:"0" max:"600000"`
	StopOnAttach bool   `arg:"stop_on_attach" default:"false"`
	JustMyCode   bool   `arg:"just_my_code" default:"true" alias:"justMyCode"`
	Backend      string `arg:"backend"`
	Await        *bool  `arg:"wait"`
	Locals       bool   `arg:"locals" default:"true"`
	Timeout      int    `arg:"timeout_ms" default:"30000" min:"100" max:"600000" alias:"timeout"`

	Connect string   `arg:"connect"`
	Core    string   `arg:"core"`
	Program string   `arg:"program"`
	PathMap []string `arg:"path_map" alias:"pathMap"`
	Config  string   `arg:"configuration"`

	Container string `arg:"in_container"`
	Pod       string `arg:"in_pod"`

	Breakpoints []json.RawMessage `arg:"breakpoints" max:"50"`
}

func (attachArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"process_name":  "Instead of pid",
		"wait_ms":       "Wait for process_name to appear",
		"connect":       "HOST:PORT of dlv --headless, debugpy --listen, gdbserver, node; needs backend",
		"core":          "A core file, of program",
		"path_map":      "FROM=TO: the debugger's folder, and where it is here",
		"configuration": "Attach configuration in .vscode/launch.json",
		"breakpoints":   "As in debug_launch",
		"in_container":  "pid's container; needs backend",
	}
}

type disconnectArgs struct {
	Session   string `arg:"session_id"`
	Terminate *bool  `arg:"terminate" alias:"terminateDebuggee,terminateProcess"`
}

func (disconnectArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"terminate": "End the program; default only a launched one",
	}
}

type restartArgs struct {
	Session     string             `arg:"session_id"`
	Args        []string           `arg:"args"`
	Env         map[string]*string `arg:"env"`
	StopAtEntry *bool              `arg:"stop_at_entry" alias:"stopAtEntry"`
	Wait        *bool              `arg:"wait"`
	Locals      bool               `arg:"locals" default:"true"`
	Timeout     int                `arg:"timeout_ms" default:"30000" min:"100" max:"600000" alias:"timeout"`
}

type sessionArgs struct {
	Session string `arg:"session_id"`
}

func (s *Server) addSessionTools() {
	addTool(s.mcp, Tool{
		Name: "debug_launch", Title: "Launch a program under the debugger", Destructive: true,
		Description: "Starts a program under a debugger; returns at its first stop or end, else as soon as it runs.",
	}, s.launch)
	addTool(s.mcp, Tool{
		Name: "debug_attach", Title: "Attach to a running process", Destructive: true,
		Description: "Attaches to a running process, which keeps running unless stop_on_attach is set.",
	}, s.attach)
	addTool(s.mcp, Tool{
		Name: "debug_disconnect", Title: "End the debugging session", Destructive: true, Idempotent: true,
		Description: "Ends the session and a launched program; an attached one is let go. Breakpoints are kept.",
	}, s.disconnect)
	addTool(s.mcp, Tool{
		Name: "debug_restart", Title: "Restart the program", Destructive: true,
		Description: "Launches the same program again, with args, env or stop_at_entry replaced when given. " +
			"Breakpoints are kept, counts start again.",
	}, s.restart)
	addTool(s.mcp, Tool{
		Name: "debug_state", Title: "State of the session", ReadOnly: true, Idempotent: true,
		Description: "What is being debugged, whether it runs or is paused, and where. Never waits.",
	}, s.state)
	s.addSessionsTool()
}

func (s *Server) launch(ctx context.Context, in launchArgs) (_ any, err error) {
	one := &launching{launchArgs: in, done: func() {}}
	if in.Config != "" {
		project := in.Program
		if project != "" {
			project = s.manager.File(project)
		}
		if one.config, err = s.manager.Configuration(in.Config, project); err != nil {
			return nil, err
		}
		if one.config.Parts != nil {
			return s.launchCompound(ctx, in, one.config)
		}
	}
	set, undo, err := s.presetBreakpoints(ctx, in.Breakpoints)
	if err != nil {
		return nil, err
	}
	var session *adapter.Session
	defer func() {
		if session == nil {
			undo()
		}
	}()
	session, err = s.launchOne(ctx, one)
	defer func() { one.done() }()
	if err != nil {
		return nil, err
	}
	r, err := s.started(ctx, session, one.by, in.Wait, in.Locals, set...)
	if err != nil {
		return nil, err
	}
	one.tell(&r)
	return r, nil
}

func (s *Server) attach(ctx context.Context, in attachArgs) (_ any, err error) {
	if in.Core != "" && len(in.Breakpoints) > 0 {
		return nil, fault.Errorf(fault.InvalidParameter, "a core file does not run: leave breakpoints out").
			With("parameter", "breakpoints")
	}
	set, undo, err := s.presetBreakpoints(ctx, in.Breakpoints)
	if err != nil {
		return nil, err
	}
	var session *adapter.Session
	defer func() {
		if session == nil {
			undo()
		}
	}()
	if in.Core != "" {
		by := time.Now().Add(milliseconds(in.Timeout))
		session, err = s.manager.OpenCore(ctx, in.Backend, s.manager.File(in.Program), s.manager.File(in.Core),
			milliseconds(in.Timeout))
		if err != nil {
			return nil, err
		}
		return s.started(ctx, session, by, in.Await, in.Locals, set...)
	}
	by := time.Now().Add(milliseconds(in.Timeout))
	if session, err = s.attachOne(ctx, in, nil); err != nil {
		return nil, err
	}
	return s.started(ctx, session, by, in.Await, in.Locals, set...)
}

func (s *Server) restart(ctx context.Context, in restartArgs) (any, error) {
	defer Progress(ctx, milliseconds(in.Timeout), func() string { return "restarting" })()
	by := time.Now().Add(milliseconds(in.Timeout))
	session, err := s.manager.Restart(ctx, in.Session, func(p *adapter.LaunchParams) {
		p.Timeout = milliseconds(in.Timeout)
		if in.Args != nil {
			p.Args = in.Args
		}
		if in.Env != nil {
			p.Env = in.Env
		}
		if in.StopAtEntry != nil {
			p.StopAtEntry = *in.StopAtEntry
		}
	})
	if err != nil {
		return nil, err
	}
	return s.started(ctx, session, by, in.Wait, in.Locals)
}

type disconnectResult struct {
	Session       *adapter.SessionInfo `json:"session,omitempty"`
	State         adapter.State        `json:"state"`
	WasTerminated bool                 `json:"wasTerminated"`
	ProcessAlive  *bool                `json:"processAlive,omitempty"`
	AlsoEnded     []string             `json:"alsoEnded,omitempty"`
}

func (s *Server) disconnect(ctx context.Context, in disconnectArgs) (any, error) {
	session, err := s.manager.Readable(in.Session)
	if err != nil {
		return nil, err
	}
	if session == nil {
		return nil, fault.Errorf(fault.NoSession, "no program is being debugged; there is nothing to disconnect from")
	}
	if !session.Snapshot().State.Live() {
		_, err := s.manager.Session(in.Session) // the error says how it ended
		return nil, err
	}
	done, err := session.Disconnect(ctx, in.Terminate)
	if err != nil {
		return nil, err
	}
	brief := s.brief(ctx, session)
	callFrom(ctx).Carries(session.ID(), session.Snapshot().EndSeq)
	r := disconnectResult{
		Session: &brief, State: brief.State, WasTerminated: done.WasTerminated, ProcessAlive: done.ProcessAlive,
	}
	for _, other := range s.manager.EndWith(session) {
		if _, err := other.Disconnect(ctx, nil); err == nil {
			r.AlsoEnded = append(r.AlsoEnded, other.ID())
		}
	}
	return r, nil
}

type stateResult struct {
	Session adapter.SessionInfo `json:"session"`
	Stop    *adapter.Stop       `json:"stop,omitempty"`
}

func (s *Server) state(ctx context.Context, in sessionArgs) (any, error) {
	session, err := s.manager.Readable(in.Session)
	if err != nil {
		return nil, err
	}
	if session == nil {
		return stateResult{Session: adapter.SessionInfo{State: adapter.Disconnected, LastSeq: s.manager.Journal().
			LastSeq()}}, nil
	}
	r := s.stateOf(session)
	if r.Stop != nil {
		callFrom(ctx).Carries(session.ID(), r.Stop.Seq)
	}
	said(ctx, r.Session)
	return r, nil
}

// stateOf returns all that is known of a session.
func (s *Server) stateOf(session *adapter.Session) stateResult {
	snap := session.Snapshot()
	info := snap.Info(s.manager.Journal().LastSeq())
	info.BackendReason = session.Why()
	return stateResult{Session: info, Stop: session.KeptLocals(snap.Stop)}
}

// begun and brief return the session objects of results. The client then knows that the program runs, if it does.
func (s *Server) begun(ctx context.Context, session *adapter.Session) adapter.SessionInfo {
	info := session.Snapshot().Started(s.manager.Journal().LastSeq())
	info.BackendReason = session.Why()
	return said(ctx, info)
}

func (s *Server) brief(ctx context.Context, session *adapter.Session) adapter.SessionInfo {
	return said(ctx, session.Snapshot().Brief(s.manager.Journal().LastSeq()))
}

// said records what an answer says of a session's state.
func said(ctx context.Context, info adapter.SessionInfo) adapter.SessionInfo {
	if info.State == adapter.Running {
		callFrom(ctx).Runs(info.SessionID)
	}
	return info
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }
