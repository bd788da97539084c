package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// netcoredbg reports exit code 1 for a program that an unhandled exception ends. The end is told as what it is, also
// when nobody asked for the exception.
func TestUnhandledExceptionIsNoExitCode(t *testing.T) {
	for name, tt := range map[string]struct {
		throws *daptest.Exception
		silent bool
		reason string
	}{
		"thrown":    {&daptest.Exception{Type: "System.Exception", Unhandled: true}, false, "unhandled_exception"},
		"not shown": {&daptest.Exception{Type: "System.Exception", Unhandled: true}, true, "unhandled_exception"},
		"caught":    {&daptest.Exception{Type: "System.Exception"}, false, "exited"},
		"none":      {nil, false, "exited"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, "netcoredbg", daptest.Netcoredbg(), daptest.Program{ExitCode: 1, Threads: []daptest.Thread{{
				Code: daptest.Lines(
					daptest.Step{File: source, Line: 1, Func: "Main()"},
					daptest.Step{File: source, Line: 2, Func: "Main()", Throws: tt.throws},
				)}}})
			if tt.silent {
				s.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "System.OtherException"})
			}
			s.launchTo(t, 1)
			r := s.Do("debug_continue", mcptest.Args{"wait": true})
			for r.Has("stop") {
				r = s.Do("debug_continue", mcptest.Args{"wait": true})
			}
			require.Equal(t, tt.reason, r.String("reason"), "%s", r.Raw)
			require.Equal(t, tt.reason, r.String("session.endReason"))
			require.Equal(t, tt.reason == "exited", r.Has("session.exitCode"), "%s", r.Raw)
			if tt.reason == "unhandled_exception" {
				refused := s.Refused(fault.NoSession, "evaluate", mcptest.Args{"expression": "x"})
				require.Contains(t, refused.String("error.message"), "ended by an unhandled exception")
			}
		})
	}
}

// The same from the dialogue with the real netcoredbg.
func TestRecordedUnhandledException(t *testing.T) {
	c := mcptest.Serve(t, replayed(t, "netcoredbg", "crash-exit"), mcpserver.Options{})
	r := c.Settled(c.Do("debug_launch", mcptest.Args{
		"program": "/src/dotnet-crash-exit/bin/Program.dll", "args": []string{"throw"}, "stop_at_entry": false,
	}))
	require.Equal(t, "exception", r.String("stop.reason"), "%s", r.Raw)
	r = c.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, "unhandled_exception", r.String("reason"), "%s", r.Raw)
	require.False(t, r.Has("session.exitCode"))
}

// After a stack overflow netcoredbg tells nothing more. The wait ends with what standard error says; a program that
// goes on all the same is a running program.
func TestStackOverflowEndsTheWait(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		text := "Stack overflow." + end + "   at Program.Depth(Int32)" + end
		gate, open := daptest.Gate()
		defer open()
		s := serve(t, "netcoredbg", daptest.Netcoredbg(), daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
			daptest.Step{File: source, Line: 1, Func: "Main()"},
			daptest.Step{File: source, Line: 2, Func: "Main()", Stderr: "before\n"},
			daptest.Step{File: source, Line: 3, Func: "Main()", Stderr: text},
			daptest.Step{File: source, Line: 4, Func: "Main()", Gate: gate},
			daptest.Step{File: source, Line: 5, Func: "Main()"},
		)}}})
		s.launchTo(t, 1)
		s.breakAt(5)
		r := s.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, "fatal_error", r.String("reason"), "%s", r.Raw)
		require.Equal(t, "running", r.String("session.state"))
		require.Contains(t, r.String("session.fatal"), "It wrote: Stack overflow.")
		require.Contains(t, r.String("session.fatal"), "at Program.")
		require.NotContains(t, r.String("session.fatal"), "before")
		require.Contains(t, s.Do("debug_state", nil).String("session.fatal"), "debug_restart")
		r = s.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 0})
		require.Equal(t, "timeout", r.String("reason"), "it is told once: %s", r.Raw)
		require.True(t, r.Has("session.fatal"))
		open()
		r = s.Do("breakpoint_wait", nil)
		require.Equal(t, "hit", r.String("reason"), "%s", r.Raw)
		require.False(t, r.Has("session.fatal"), "it went on: %s", r.Raw)
	}
}

// netcoredbg passes breakpoints that new threads reach while an expression is evaluated. A thread that starts then
// makes the counts a lower bound, and an event says so. A thread that starts at another time does not.
func TestHitsMayBeLost(t *testing.T) {
	for name, tt := range map[string]struct {
		profile string
		shape   daptest.Shape
		during  bool
		marked  bool
	}{
		"during an evaluation": {"netcoredbg", daptest.Netcoredbg(), true, true},
		"while it runs":        {"netcoredbg", daptest.Netcoredbg(), false, false},
		"another debugger":     {"debugpy", daptest.Debugpy(), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			gate, open := daptest.Gate()
			defer open()
			hits := 2
			if !tt.during {
				hits = 1 // or the thread could start while the next hit is evaluated
			}
			program := loop(hits)
			program.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
				return daptest.Var{Value: "1", Type: "int", Gate: gate}, call.Expression == "Label"
			}
			m, fakes := mcptest.Fake(t, tt.profile, tt.shape, program)
			c := mcptest.Serve(t, m, mcpserver.Options{})
			c.Do("tracepoint_set", mcptest.Args{
				"file": loopFile, "line": 10, "log_message": "{Label}", "strategy": "stop",
			})
			c.Do("debug_launch", mcptest.Args{"program": "/x.dll", "stop_at_entry": false})
			fake := fakes.Last()
			fake.WaitFor("evaluate")
			if tt.during {
				fake.Event("thread", `{"reason":"started","threadId":777}`)
			}
			open()
			if !tt.during {
				fake.WaitFor("continue")
				fake.Event("thread", `{"reason":"started","threadId":777}`)
			}
			c.Do("breakpoint_wait", nil)
			b := c.Do("breakpoint_list", nil)
			require.Equal(t, tt.marked, b.Bool("breakpoints.0.hitCountAtLeast"), "%s", b.Raw)
			lost := c.Do("events_query", mcptest.Args{"types": []string{"lost"}})
			if !tt.marked {
				require.Zero(t, lost.Len("events"), "%s", lost.Raw)
				return
			}
			require.Equal(t, "hits", lost.String("events.0.what"), "%s", lost.Raw)
			require.Contains(t, lost.String("events.0.message"), "a thread has started while")
		})
	}
}
