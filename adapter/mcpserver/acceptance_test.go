package mcpserver_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

// lab is one backend for the acceptance script, with the same two programs in its language: a loop that calls Work,
// and one that runs until it is killed. All differences between backends are here, none in the script.
type lab struct {
	name    string
	connect func(t *testing.T, program string) *mcptest.Client // a new server; program is "loop", "throw" or "long"
	backend string

	loop, source   string
	call, in, hit  int // lines: main's call of Work, Work's first and last one
	inWork, inMain string
	done           string // how its last line of output begins

	throw     string // a program that ends with an unhandled exception
	throwArgs []string
	thrown    string // part of the exception's type, message or text
	exitCode  int    // then; -1: not compared
	signal    string // then, instead of an exit code, where the system tells it
	crash     bool   // the end is told as that of an unhandled exception

	long, longSource string
	longHit          int
	longCommand      []string // starts it without a debugger; nil: any process id works

	// The expected differences.
	noNative    bool   // no native log points with values: native becomes stop, with a message
	entryInMain bool   // the entry stop is in main; Python's is at the file's first line
	setValue    string // to set `result` with
}

// labs are the backends. A live one is skipped only if it is not installed.
var labs = []struct {
	name string
	lab  func(t *testing.T) lab
}{
	{"netcoredbg-fake", fakeLab}, {"delve", goLab}, {"debugpy", pythonLab}, {"lldb-dap", cLab}, {"netcoredbg", dotnetLab},
	{"js-debug", jsLab}, {"codelldb", codelldbLab},
}

// binary connects to the built server.
func binary(flags ...string) func(t *testing.T, program string) *mcptest.Client {
	return func(t *testing.T, _ string) *mcptest.Client {
		return mcptest.Run(t, fixtures.Breakwire(t), flags...).Client
	}
}

func goLab(t *testing.T) lab {
	t.Setenv("DLV_PATH", fixtures.Delve(t))
	loop, long := fixtures.BuildGo(t, "loop"), fixtures.BuildGo(t, "longrun")
	return lab{
		connect: binary(), backend: "dlv",
		loop: loop, source: fixtures.GoSource("loop"), call: 27, in: 10, hit: 12, inWork: "main.Work",
		inMain: "main.main", done: "done sum",
		throw: loop, throwArgs: []string{"2", "panic"}, thrown: "assignment to entry in nil map", exitCode: 2,
		long: long, longSource: fixtures.GoSource("longrun"), longHit: fixtures.Mark(t, "longrun", "hit"),
		longCommand: []string{long},
		entryInMain: true, setValue: "100",
	}
}

func pythonLab(t *testing.T) lab {
	python := fixtures.Debugpy(t)
	t.Setenv("DEBUGPY_PYTHON", python)
	loop, long := fixtures.Program("python", "loop.py"), fixtures.Program("python", "longrun.py")
	return lab{
		connect: binary(), backend: "debugpy",
		loop: loop, source: loop, call: 16, in: 5, hit: 7, inWork: "Work", inMain: "main", done: "done sum=",
		throw: loop, throwArgs: []string{"2", "raise"}, thrown: "ValueError", exitCode: 1,
		long: long, longSource: long, longHit: fixtures.MarkIn(t, long, "hit"), longCommand: []string{python, long},
		setValue: "100",
	}
}

func jsLab(t *testing.T) lab {
	t.Setenv("JS_DEBUG_PATH", fixtures.JSDebug(t))
	loop, long := fixtures.Program("js", "loop.js"), fixtures.Program("js", "longrun.js")
	return lab{
		connect: binary(), backend: "js-debug",
		loop: loop, source: loop, call: 22, in: 11, hit: 13, inWork: "Work", inMain: "main", done: "done sum=",
		throw: loop, throwArgs: []string{"2", "throw"}, thrown: "AppError", exitCode: 1,
		long: long, longSource: long, longHit: fixtures.MarkIn(t, long, "hit"), longCommand: []string{"node", long},
		setValue: "100",
	}
}

func cLab(t *testing.T) lab {
	t.Setenv("LLDB_DAP_PATH", fixtures.LLDB(t))
	loop, long := fixtures.BuildC(t, "loop"), fixtures.BuildC(t, "longrun")
	longSource := fixtures.Program("c", "longrun.c")
	return lab{
		connect: binary(), backend: "lldb-dap",
		loop: loop, source: fixtures.Program("c", "loop.c"), call: 18, in: 6, hit: 8, inWork: "Work", inMain: "main",
		done:  "done sum=",
		throw: loop, throwArgs: []string{"2", "crash"}, thrown: "SIGSEGV", exitCode: 11, signal: "SIGSEGV",
		long: long, longSource: longSource, longHit: fixtures.MarkIn(t, longSource, "hit"), longCommand: []string{long},
		entryInMain: true, setValue: "100",
	}
}

// codelldbLab is cLab by another adapter, which is asked for by its name.
func codelldbLab(t *testing.T) lab {
	t.Setenv("CODELLDB_PATH", fixtures.CodeLLDB(t))
	t.Setenv("BREAKWIRE_BACKEND", "codelldb")
	loop, long := fixtures.BuildC(t, "loop"), fixtures.BuildC(t, "longrun")
	longSource := fixtures.Program("c", "longrun.c")
	return lab{
		connect: binary(), backend: "codelldb",
		loop: loop, source: fixtures.Program("c", "loop.c"), call: 18, in: 6, hit: 8, inWork: "Work", inMain: "main",
		done:  "done sum=",
		throw: loop, throwArgs: []string{"2", "crash"}, thrown: "SIGSEGV", exitCode: 11, signal: "SIGSEGV",
		long: long, longSource: longSource, longHit: fixtures.MarkIn(t, longSource, "hit"), longCommand: []string{long},
		entryInMain: true, setValue: "100",
	}
}

// dotnetLab uses a path map, because the programs' symbols contain /src, to the sources beside the programs.
func dotnetLab(t *testing.T) lab {
	fixtures.Netcoredbg(t)
	loop, long, throw := fixtures.DotnetProgram("LoopApp"), fixtures.DotnetProgram("LongApp"),
		fixtures.DotnetProgram("ThrowApp")
	beside := func(program string) string { return filepath.Join(filepath.Dir(filepath.Dir(program)), "Program.cs") }
	return lab{
		connect: binary("--path-map", "/src="+filepath.Dir(filepath.Dir(filepath.Dir(loop)))), backend: "netcoredbg",
		loop: loop, source: beside(loop), call: 21, in: 9, hit: 11, inWork: "LoopApp.Program.Work",
		inMain: "LoopApp.Program.Main", done: "done sum=",
		throw: throw, thrown: "NullReferenceException", exitCode: -1, signal: "SIGABRT", crash: true,
		long: long, longSource: beside(long), longHit: 14, longCommand: []string{"dotnet", long},
		noNative: true, entryInMain: true, setValue: "100",
	}
}

// fakeLab is an adapter with netcoredbg's shape, whose programs pass the same lines.
func fakeLab(t *testing.T) lab {
	main := func(line int, out string) daptest.Step {
		return daptest.Step{File: source, Line: line, Func: "LoopApp.Program.Main()", Stdout: out}
	}
	programs := map[string]daptest.Program{
		"loop": {Threads: []daptest.Thread{{Code: daptest.Seq(daptest.Lines(main(17, "start 6\n")),
			callersKnowI(loop(6).Threads[0].Code), daptest.Lines(main(26, "done sum=13\n")))}}},
		"throw": {Threads: []daptest.Thread{{Code: daptest.Lines(main(17, ""), daptest.Step{
			File: source, Line: 18, Func: "LoopApp.Program.Main()",
			Throws: &daptest.Exception{Type: "System.NullReferenceException", Message: "nothing there", Unhandled: true},
		})}}},
		"long": {Threads: []daptest.Thread{{Code: daptest.Seq(daptest.Lines(main(13, "pid 4242\n")),
			daptest.Loop(daptest.Forever,
				func(int) daptest.Step {
					s := main(14, "")
					s.Gate = ticks
					return s
				}))}}},
	}
	return lab{
		connect: func(t *testing.T, name string) *mcptest.Client {
			p := programs[name]
			p.Eval = func(c daptest.EvalCall) (daptest.Var, bool) {
				return daptest.Var{Err: "error: error CS1733: Expected expression\n"}, c.Expression == "1 +"
			}
			m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), p)
			return mcptest.Serve(t, m, mcpserver.Options{})
		},
		backend: "fake",
		loop:    program, source: source, call: 21, in: 9, hit: 11, inWork: "LoopApp.Program.Work",
		inMain: "LoopApp.Program.Main", done: "done sum=",
		throw: program, thrown: "NullReferenceException", exitCode: -1, crash: true,
		long: program, longSource: source, longHit: 14,
		noNative: true, entryInMain: true, setValue: "100",
	}
}

// callersKnowI gives the callers of each line the line's first variable.
func callersKnowI(code daptest.Code) daptest.Code {
	return daptest.Code{Len: code.Len, At: func(i int) daptest.Step {
		s := code.At(i)
		callers := make([]daptest.Frame, len(s.Callers))
		for n, f := range s.Callers {
			f.Vars = s.Vars[:1]
			callers[n] = f
		}
		s.Callers = callers
		return s
	}}
}

// ticks makes the fake's endless program pass a line; it never does so by itself.
var ticks = make(chan struct{})

// TestAcceptance runs one script on every backend. Each part has its own server.
func TestAcceptance(t *testing.T) {
	for _, l := range labs {
		t.Run(l.name, func(t *testing.T) {
			specimen := l.lab(t)
			specimen.name = l.name
			for _, part := range []struct {
				name string
				run  func(t *testing.T, l lab)
			}{
				{"entry, steps, output, exit", acceptSteps},
				{"breakpoints and conditions", acceptBreakpoints},
				{"values", acceptValues},
				{"tracepoints", acceptTracepoints}, {"snapshots and a batch", acceptCollecting},
				{"exception", acceptException},
				{"pause and end", acceptPause},
				{"attach and detach", acceptAttach},
			} {
				t.Run(part.name, func(t *testing.T) { part.run(t, specimen) })
			}
		})
	}
}

// start launches a program and returns its first stop or end.
func (l lab) start(c *mcptest.Client, program string, entry bool, args ...string) mcptest.Result {
	r := c.Do("debug_launch", mcptest.Args{"program": program, "args": args, "backend": l.backend, "stop_at_entry": entry})
	if r.String("session.state") == "running" && program != l.long {
		return c.Do("breakpoint_wait", nil) // .NET may need longer than a launch waits
	}
	return r
}

func acceptSteps(t *testing.T, l lab) {
	c := l.connect(t, "loop")
	r := l.start(c, l.loop, true, "6")
	require.Equal(t, "entry", r.String("stop.reason"), "%s", r.Raw)
	if l.entryInMain {
		require.Contains(t, r.String("stop.location.functionName"), l.inMain)
	}
	r = c.Do("debug_run_to", mcptest.Args{"file": l.source, "line": l.call})
	require.True(t, r.Bool("reached"), "%s", r.Raw)
	require.Equal(t, l.call, r.Int("stop.location.line"))
	step := func(mode string) mcptest.Result {
		r := c.Do("debug_step", mcptest.Args{"mode": mode})
		require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
		return r
	}
	r = step("in")
	require.Contains(t, r.String("stop.location.functionName"), l.inWork)
	if r.Int("stop.location.line") != l.in { // Go: the function's own line comes first
		r = step("over")
	}
	require.Equal(t, l.in, r.Int("stop.location.line"))
	require.Equal(t, l.in+1, step("over").Int("stop.location.line"))
	r = step("out")
	require.Contains(t, r.String("stop.location.functionName"), l.inMain)
	for steps := 0; r.Int("stop.location.line") != l.call; steps++ {
		require.Less(t, steps, 12)
		r = step("over")
		require.Contains(t, r.String("stop.location.functionName"), l.inMain, "over goes over")
	}
	r = c.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
	require.True(t, r.Has("session.exitCode"))
	require.Equal(t, 0, r.Int("session.exitCode"))
	text := c.Do("process_read_output", mcptest.Args{"tail_lines": 100}).String("stdout")
	require.True(t, strings.HasPrefix(text, "start 6\n"), "%q", text)
	require.Contains(t, text, "\n"+l.done)
	c.Refused(fault.NoSession, "evaluate", mcptest.Args{"expression": "1"})
}

func acceptBreakpoints(t *testing.T, l lab) {
	c := l.connect(t, "loop")
	set := func(args mcptest.Args) string {
		args["file"], args["line"] = l.source, l.hit
		return c.Do("breakpoint_set", args).String("breakpoint.id")
	}
	run := func() mcptest.Result { return c.Do("debug_continue", mcptest.Args{"wait": true}) }
	i := func() string { return c.Do("evaluate", mcptest.Args{"expression": "i"}).String("value") }
	id := set(mcptest.Args{})
	r := l.start(c, l.loop, false, "6")
	require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
	require.Equal(t, 1, r.Int("stop.hitCount"))
	require.Equal(t, l.source, r.String("stop.location.file"))
	require.Equal(t, l.hit, r.Int("stop.location.line"))
	require.Equal(t, "bound", c.Do("breakpoint_list", nil).String("breakpoints.0.state"))
	require.Equal(t, id, set(mcptest.Args{"condition": "i == 2"}))
	require.Equal(t, 2, run().Int("stop.hitCount"), "a pass where the condition is false is no hit")
	require.Equal(t, "2", i())
	require.Equal(t, id, set(mcptest.Args{"hit_condition": ">=4"}))
	require.Equal(t, 4, run().Int("stop.hitCount"))
	require.Equal(t, "4", i())
	require.Equal(t, id, set(mcptest.Args{"condition": "nosuch > 1"}))
	r = run()
	require.NotEmpty(t, r.String("stop.conditionError"), "a condition that fails stops: %s", r.Raw)
	c.Do("breakpoint_remove", mcptest.Args{"id": id})
	require.Equal(t, "exited", run().String("reason"))

	// Condition first, then the count, in a session of its own.
	id = set(mcptest.Args{"condition": "i > 2", "hit_condition": "2"})
	r = l.start(c, l.loop, false, "6")
	require.Equal(t, 2, r.Int("stop.hitCount"), "%s", r.Raw)
	require.Equal(t, "4", i())
	require.Equal(t, id, r.String("stop.breakpointIds.0"))
	c.Do("debug_disconnect", nil)
}

func acceptValues(t *testing.T, l lab) {
	c := l.connect(t, "loop")
	c.Do("breakpoint_set", mcptest.Args{"file": l.source, "line": l.hit, "condition": "i == 4"})
	r := l.start(c, l.loop, false, "6")
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	r = c.Do("stacktrace_get", nil)
	require.Contains(t, r.String("frames.0.function"), l.inWork)
	require.Contains(t, r.String("frames.1.function"), l.inMain)
	require.Equal(t, l.call, r.Int("frames.1.location.line"))
	r = c.Do("variables_get", mcptest.Args{"names": []string{"i", "square"}})
	values := map[string]string{}
	for i := range r.Len("variables") {
		v := r.At("variables." + strconv.Itoa(i))
		values[v.String("name")] = v.String("value")
	}
	require.Equal(t, map[string]string{"i": "4", "square": "16"}, values)
	r = c.Do("evaluate", mcptest.Args{"expression": "square * 2 + i"})
	require.Equal(t, "36", r.String("value"))
	require.NotEmpty(t, r.String("type"))
	require.Equal(t, "4", c.Do("evaluate", mcptest.Args{"expression": "i", "frame_index": 1}).String("value"),
		"in the caller")
	c.Refused(fault.EvalFailed, "evaluate", mcptest.Args{"expression": "nosuch"})
	c.Refused(fault.SyntaxError, "evaluate", mcptest.Args{"expression": "1 +"})
	r = c.Do("variable_set", mcptest.Args{"name": "square", "value": l.setValue})
	require.Equal(t, "16", r.String("previousValue"))
	require.Equal(t, l.setValue, r.String("variable.value"))
	require.Equal(t, l.setValue, c.Do("evaluate", mcptest.Args{"expression": "square"}).String("value"))
	r = c.Do("threads_list", nil)
	require.False(t, r.Bool("stale"))
	require.Positive(t, r.Len("threads"))
	c.Do("debug_disconnect", nil)
	c.Refused(fault.NoSession, "variables_get", nil)
}

func acceptTracepoints(t *testing.T, l lab) {
	for _, strategy := range []string{"stop", "native", "auto"} {
		t.Run(strategy, func(t *testing.T) {
			c := l.connect(t, "loop")
			l.start(c, l.loop, true, "6")
			args := mcptest.Args{"file": l.source, "line": l.hit, "log_message": "{i} squared is {square}",
				"condition": "i != 1", "strategy": strategy}
			r := c.Do("tracepoint_set", args)
			require.Contains(t, r.Strings("hitsVia"), "events_query")
			switch {
			case strategy != "native":
			case l.noNative:
				require.Equal(t, "stop", r.String("breakpoint.strategy"), "emulated, and told: %s", r.Raw)
				require.Contains(t, r.String("breakpoint.message"), "not native")
			default:
				require.Equal(t, "native", r.String("breakpoint.strategy"), "%s", r.Raw)
			}
			id := r.String("breakpoint.id")
			r = c.Do("debug_continue", mcptest.Args{"wait": true})
			require.Equal(t, "exited", r.String("reason"), "a tracepoint never pauses: %s", r.Raw)
			require.Equal(t, []string{"0 squared is 0", "2 squared is 4", "3 squared is 9", "4 squared is 16",
				"5 squared is 25"}, messages(c, id))
			require.Equal(t, 5, c.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"))
			text := c.Do("process_read_output", mcptest.Args{"tail_lines": 100}).String("stdout")
			require.NotContains(t, text, "squared", "the messages are not the program's output")
		})
	}
}

func acceptException(t *testing.T, l lab) {
	c := l.connect(t, "throw")
	r := l.start(c, l.throw, false, l.throwArgs...)
	require.Equal(t, "exception", r.String("stop.reason"), "%s", r.Raw)
	require.Contains(t, string(r.At("stop").Raw), l.thrown)
	r = c.Do("exception_get_context", nil)
	require.Contains(t, string(r.Raw), l.thrown)
	require.Positive(t, r.Len("frames"))
	r = c.Do("debug_continue", mcptest.Args{"wait": true})
	reason := "exited"
	switch {
	case l.crash:
		reason = "unhandled_exception"
	case l.signal != "" && keepsEndings():
		reason = "signal"
	}
	require.Equal(t, reason, r.String("reason"), "%s", r.Raw)
	if l.signal != "" && keepsEndings() {
		require.Equal(t, l.signal, r.String("session.signal"))
		require.False(t, r.Has("session.exitCode"))
		return
	}
	if l.exitCode >= 0 {
		require.Equal(t, l.exitCode, r.Int("session.exitCode"))
	}
}

func acceptPause(t *testing.T, l lab) {
	c := l.connect(t, "long")
	r := l.start(c, l.long, false)
	require.Equal(t, "running", r.String("session.state"), "%s", r.Raw)
	pid := r.Int("session.processId")
	require.Positive(t, pid)
	c.Refused(fault.NotPaused, "evaluate", mcptest.Args{"expression": "1"})
	// before its first line only the runtime may be running, with no program function on a stack
	require.Eventually(t, func() bool {
		return strings.Contains(c.Do("process_read_output", mcptest.Args{"tail_lines": 5}).String("stdout"), "pid ")
	}, mcptest.Patience, 10*time.Millisecond)
	r = c.Do("debug_pause", nil)
	require.Equal(t, "pause", r.String("stop.reason"), "%s", r.Raw)
	require.Positive(t, r.Int("stop.threadId"))
	require.True(t, c.Do("debug_pause", nil).Bool("alreadyPaused"))
	require.Positive(t, c.Do("stacktrace_get", nil).Len("frames"))
	c.Do("debug_continue", nil)
	if l.longCommand != nil {
		set := c.Do("breakpoint_set", mcptest.Args{"file": l.longSource, "line": l.longHit}) // while it runs
		require.Equal(t, "bound", set.String("breakpoint.state"), "%s", set.Raw)
		r = c.Do("breakpoint_wait", nil)
		require.Equal(t, "hit", r.String("reason"), "%s", r.Raw)
	}
	capability := c.Do("debug_state", nil).String("session.capabilities.detachLaunched")
	if capability == "unavailable" {
		c.Refused(fault.NotSupported, "debug_disconnect", mcptest.Args{"terminate": false})
	}
	r = c.Do("debug_disconnect", nil)
	require.True(t, r.Bool("wasTerminated"), "%s", r.Raw)
	if l.longCommand != nil {
		require.True(t, r.Has("processAlive"), "%s", r.Raw)
		require.False(t, r.Bool("processAlive"))
		_, err := dapclient.FindProcess(pid)
		require.Error(t, err, "process %d is gone", pid)
	}
}

func acceptAttach(t *testing.T, l lab) {
	if l.backend == "debugpy" {
		fixtures.PythonAttach(t)
	}
	c := l.connect(t, "long")
	pid, said := 4711, func() {}
	if l.longCommand != nil {
		pid, said = mcptest.RunLong(t, l.longCommand...)
	}
	r := c.Do("debug_attach", mcptest.Args{"pid": pid, "backend": l.backend})
	require.Equal(t, "attach", r.String("session.launchMode"))
	require.Equal(t, "running", r.String("session.state"), "%s", r.Raw)
	require.Equal(t, pid, r.Int("session.processId"))
	if l.longCommand != nil {
		c.Do("breakpoint_set", mcptest.Args{"file": l.longSource, "line": l.longHit})
		r = c.Do("breakpoint_wait", nil)
		require.Equal(t, "hit", r.String("reason"), "%s", r.Raw)
		require.Equal(t, l.longHit, c.Do("stacktrace_get", nil).Int("frames.0.location.line"))
		r = c.Do("process_read_output", nil)
		require.Zero(t, r.Len("output"), "what the debugger says of the attach is not the program's: %s", r.Raw)
	} else {
		require.Equal(t, "pause", c.Do("debug_pause", nil).String("stop.reason"))
	}
	r = c.Do("debug_disconnect", nil)
	require.False(t, r.Bool("wasTerminated"), "%s", r.Raw)
	require.Equal(t, "disconnected", r.String("state"))
	said() // it runs on
}

// Two programs in two languages under two debuggers at once: the sessions are independent, and one ends without the
// other.
func TestLiveTwoBackends(t *testing.T) {
	goes, python := goLab(t), pythonLab(t)
	c := binary()(t, "")
	for _, l := range []lab{goes, python} {
		c.Do("breakpoint_set", mcptest.Args{"file": l.source, "line": l.hit, "condition": "i == 3"})
	}
	first := goes.start(c, goes.loop, false, "6")
	require.Equal(t, "breakpoint", first.String("stop.reason"), "%s", first.Raw)
	one := c.Do("debug_state", nil).String("session.sessionId")
	second := c.Do("debug_launch", mcptest.Args{"program": python.loop, "args": []string{"6"},
		"backend": python.backend, "stop_at_entry": false})
	two := second.String("session.sessionId")
	if !second.Has("stop") {
		second = c.Do("breakpoint_wait", mcptest.Args{"session_id": two})
	}
	require.Equal(t, "breakpoint", second.String("stop.reason"), "%s", second.Raw)
	list := c.Do("sessions_list", nil)
	require.Equal(t, 2, list.Int("count"))
	require.Equal(t, []string{"dlv", "debugpy"},
		[]string{list.String("sessions.0.backend"), list.String("sessions.1.backend")})
	require.Equal(t, python.loop, list.String("sessions.1.program"))
	c.Refused(fault.SessionAmbiguous, "evaluate", mcptest.Args{"expression": "i"})
	for _, id := range []string{one, two} {
		require.Equal(t, "9", c.Do("evaluate", mcptest.Args{"expression": "square", "session_id": id}).String("value"))
	}
	c.Do("debug_disconnect", mcptest.Args{"session_id": one})
	require.Equal(t, "7", c.Do("evaluate", mcptest.Args{"expression": "i + 4"}).String("value"),
		"the only one left needs no name")
	require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
}

// A program that starts a child: debugpy asks for a session for the child, and that session names its parent.
func TestLivePythonChild(t *testing.T) {
	l := pythonLab(t)
	c := binary()(t, "")
	program := filepath.Join(t.TempDir(), "parent.py")
	require.NoError(t, os.WriteFile(program, []byte("import subprocess, sys\n"+
		"if len(sys.argv) > 1:\n    inner = 5\n    print('child', inner)\nelse:\n    subprocess.run([sys.executable, "+
		"__file__, 'again'])\n    print('parent')\n"), 0o644))
	c.Do("breakpoint_set", mcptest.Args{"file": program, "line": 4})
	parent := c.Do("debug_launch", mcptest.Args{"program": program, "backend": l.backend, "stop_at_entry": false}).
		String("session.sessionId")
	hit := c.AwaitNotification("debugger/breakpointHit", func(mcptest.Result) bool { return true })
	child := hit.String("sessionId")
	require.NotEqual(t, parent, child)
	require.Equal(t, parent, c.Do("debug_state", mcptest.Args{"session_id": child}).String("session.parentSessionId"))
	require.Equal(t, "5", c.Do("evaluate", mcptest.Args{"session_id": child, "expression": "inner"}).String("value"))
	c.Do("debug_continue", mcptest.Args{"session_id": child})
	c.AwaitNotification("debugger/sessionStateChanged", func(r mcptest.Result) bool {
		return r.String("sessionId") == parent && r.String("newState") == "terminated"
	})
}
