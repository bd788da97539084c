package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// throws is a program with three caught exceptions and an unhandled one.
func throws() daptest.Program {
	at := func(line int, e *daptest.Exception) daptest.Step {
		return daptest.Step{File: loopFile, Line: line, Func: "LoopApp.Program.Main()", Throws: e}
	}
	return daptest.Program{
		Threads: []daptest.Thread{{Code: daptest.Lines(
			at(1, nil),
			at(2, &daptest.Exception{Type: "System.InvalidOperationException", Message: "first"}),
			at(3, &daptest.Exception{Type: "System.ArgumentNullException", Message: "second"}),
			at(4, &daptest.Exception{Type: "System.FormatException", Message: "third"}),
			at(5, &daptest.Exception{Type: "App.FatalException", Message: "last", Unhandled: true}),
		)}},
		// The requests about base types.
		Eval: func(call daptest.EvalCall) (daptest.Var, bool) {
			if !strings.HasPrefix(call.Expression, "$exception.GetType()") {
				return daptest.Var{}, false
			}
			bases := []string{"System.SystemException", "System.Exception", "System.Object"}
			switch call.Step.Throws.Type {
			case "System.ArgumentNullException":
				bases = append([]string{"System.ArgumentException"}, bases...)
			case "App.FatalException":
				bases = bases[1:]
			}
			first, second, ok := strings.Cut(call.Expression, ` + "|" + `)
			of := func(part string) int { return strings.Count(part, ".BaseType") - 1 }
			if !ok || of(second) >= len(bases) { // netcoredbg has no null + text
				return daptest.Var{Err: "error CS0019"}, true
			}
			return daptest.Var{Value: `"` + bases[of(first)] + "|" + bases[of(second)] + `"`, Type: "string"}, true
		},
	}
}

func TestExceptionBreakpoints(t *testing.T) {
	for _, tc := range []struct {
		name string
		args mcptest.Args
		want []string // message and chance of each stop
		all  bool     // the backend reports every exception
	}{
		{"none", nil, []string{"last second"}, false},
		{"every", mcptest.Args{"exception_type": "*"},
			[]string{"first first", "second first", "third first", "last first", "last second"}, true},
		{"every, first chance only", mcptest.Args{"exception_type": "*", "break_on_second_chance": false},
			[]string{"first first", "second first", "third first", "last first"}, true},
		{"every, second chance only", mcptest.Args{"exception_type": "*", "break_on_first_chance": false},
			[]string{"last second"}, false},
		{"one type exactly", mcptest.Args{"exception_type": "System.FormatException", "include_subtypes": false},
			[]string{"third first"}, false},
		{"a base type without subtypes", mcptest.Args{"exception_type": "System.ArgumentException",
			"include_subtypes": false}, nil, false},
		{"the unhandled type, second chance only", mcptest.Args{"exception_type": "App.FatalException",
			"break_on_first_chance": false, "include_subtypes": false}, []string{"last second"}, false},
		{"a base type, second chance only", mcptest.Args{"exception_type": "System.Exception",
			"break_on_first_chance": false}, []string{"last second"}, false},
		{"a base type with subtypes", mcptest.Args{"exception_type": "System.ArgumentException"},
			[]string{"second first"}, true},
		{"a base type of most", mcptest.Args{"exception_type": "System.SystemException"},
			[]string{"first first", "second first", "third first"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), throws())
			c := mcptest.Serve(t, m, mcpserver.Options{})
			id := ""
			if tc.args != nil {
				r := c.Do("breakpoint_set_exception", tc.args)
				id = r.String("breakpoint.id")
				require.Equal(t, tc.all && tc.args["exception_type"] != "*", r.Has("warning"), "%s", r.Raw)
			}
			var got []string
			for r := launch(c); r.Has("stop"); r = next(c) {
				require.Equal(t, "exception", r.String("stop.reason"), "%s", r.Raw)
				chance := "second"
				if r.Bool("stop.exception.isFirstChance") {
					chance = "first"
				}
				got = append(got, r.String("stop.exception.message")+" "+chance)
				require.NotEmpty(t, r.String("stop.exception.type"))
				require.NotZero(t, r.Int("stop.location.line"))
			}
			require.Equal(t, tc.want, got)
			// A hit of the breakpoint is reported with its exception; others are plain stops.
			for _, n := range c.Notifications("debugger/breakpointHit") {
				require.Equal(t, id, n.String("breakpointId"))
				require.NotEmpty(t, n.String("exceptionInfo.type"))
				require.True(t, n.Has("exceptionInfo.isFirstChance"))
			}
			sent := string(fakes.Last().Requests("setExceptionBreakpoints")[0].Arguments)
			require.Equal(t, tc.all, strings.Contains(sent, `"filters":["all"`), sent)
		})
	}
}

// Unhandled exceptions halt by default. With an exception breakpoint for this debugger only those halt that it asks
// for, although debuggers report all of them; what cannot be told apart halts.
func TestUnhandledExceptionsNobodyAskedFor(t *testing.T) {
	panics := daptest.Exception{Type: "panic", Message: "x", Unhandled: true}
	fatal := daptest.Exception{Type: "fatal error", Message: "concurrent map writes", Unhandled: true}
	value := daptest.Exception{Type: "ValueError", Message: "x", Unhandled: true}
	exit := daptest.Exception{Type: "SystemExit", Message: "3", Unhandled: true}
	type args = mcptest.Args
	for _, tc := range []struct {
		name, backend string
		shape         daptest.Shape
		throws        daptest.Exception
		args          args
		halts         bool
	}{
		{"by default", "dlv", daptest.Delve(), panics, nil, true},
		{"another type", "dlv", daptest.Delve(), panics, args{"exception_type": "fatal error"}, false},
		{"the same type", "dlv", daptest.Delve(), panics, args{"exception_type": "panic"}, true},
		{"a type of two words", "dlv", daptest.Delve(), fatal, args{"exception_type": "fatal error"}, true},
		{"first chance only", "dlv", daptest.Delve(), panics,
			args{"exception_type": "*", "break_on_second_chance": false}, false},
		{"a type of another debugger", "dlv", daptest.Delve(), panics, args{"exception_type": "System.Exception"}, true},
		{"by default", "debugpy", daptest.Debugpy(), value, nil, true},
		{"another type", "debugpy", daptest.Debugpy(), value,
			args{"exception_type": "KeyError", "include_subtypes": false}, false},
		{"another type, base types unknown", "debugpy", daptest.Debugpy(), value, args{"exception_type": "KeyError"}, true},
		{"an orderly end", "debugpy", daptest.Debugpy(), exit, nil, false},
		{"an orderly end beside every exception", "debugpy", daptest.Debugpy(), exit,
			args{"exception_type": "*", "break_on_first_chance": false}, false},
		{"an orderly end that is named", "debugpy", daptest.Debugpy(), exit,
			args{"exception_type": "SystemExit", "break_on_first_chance": false}, true},
	} {
		t.Run(tc.backend+", "+tc.name, func(t *testing.T) {
			s := serve(t, tc.backend, tc.shape, daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
				daptest.Step{File: source, Line: 1, Func: "main"},
				daptest.Step{File: source, Line: 2, Func: "main", Throws: &tc.throws})}}})
			if tc.args != nil {
				s.Do("breakpoint_set_exception", tc.args)
			}
			stops := 0
			for r := s.Settled(s.launch(t)); r.Has("stop"); r = next(s.Client) {
				require.Equal(t, tc.throws.Type, r.String("stop.exception.type"), "%s", r.Raw)
				stops++
			}
			require.Equal(t, tc.halts, stops > 0)
		})
	}
}

// The base types are requested once for each type.
func TestBaseTypesAreKept(t *testing.T) {
	program := throws()
	step := program.Threads[0].Code.At(1)
	program.Threads[0].Code = daptest.Loop(5, func(int) daptest.Step { return step })
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "System.ArgumentException"})
	runToEnd(t, c)
	require.LessOrEqual(t, fakes.Last().Count("evaluate"), 1)
	require.Zero(t, fakes.Last().Count("exceptionInfo")) // the stop's text says that nobody asks for it
	require.Empty(t, c.Notifications("debugger/breakpointHit"))
}

// The text of netcoredbg's stop has the type and whether it may be caught. So an exact match costs no question about
// base types, and an exceptionInfo that fails loses only the message.
func TestExceptionOfTheStopText(t *testing.T) {
	for _, tc := range []struct {
		name, typ string
		infoFails bool
		asked     int      // questions for base types
		want      []string // type, message and chance of each stop
	}{
		{"exact", "System.FormatException", false, 1, []string{"System.FormatException third first"}},
		{"exact, no exceptionInfo", "System.FormatException", true, 1, []string{"System.FormatException  first"}},
		{"base, no exceptionInfo", "System.ArgumentException", true, 1, []string{"System.ArgumentNullException  first"}},
		{"of the program, no exceptionInfo", "App.FatalException", true, 0,
			[]string{"App.FatalException  first", "App.FatalException  second"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), throws())
			c := mcptest.Serve(t, m, mcpserver.Options{})
			c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 1})
			launch(c)
			if tc.infoFails {
				fakes.Last().OnRequest("exceptionInfo", func(*dapclient.Message) daptest.Action { return daptest.Fail("late") })
			}
			c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": tc.typ})
			var got []string
			for r := next(c); r.Has("stop"); r = next(c) {
				chance := "second"
				if r.Bool("stop.exception.isFirstChance") {
					chance = "first"
				}
				got = append(got, r.String("stop.exception.type")+" "+r.String("stop.exception.message")+" "+chance)
				assert.Equal(t, tc.infoFails, strings.Contains(r.String("stop.text"), "did not tell its message"), "%s", r.Raw)
			}
			assert.Equal(t, tc.want, got)
			assert.Equal(t, tc.asked, fakes.Last().Count("evaluate"))
		})
	}
}

// When the base types cannot be read, the program stops, and the stop says why.
func TestBaseTypesAreNotTold(t *testing.T) {
	program := throws()
	program.Eval = func(daptest.EvalCall) (daptest.Var, bool) { return daptest.Var{Err: "0x80131c00"}, true }
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "System.ArgumentException"})
	r := c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
	require.Equal(t, "second", r.String("stop.exception.message"), "the bases of the runtime's types are known: %s", r.Raw)
	require.Equal(t, 1, r.Int("stop.hitCount"))
	r = next(c)
	require.Equal(t, "App.FatalException", r.String("stop.exception.type"), "%s", r.Raw)
	require.Contains(t, r.String("stop.text"), "its base types were not told")
	require.Zero(t, r.Int("stop.hitCount"))
}

func TestExceptionBreakpointWhileRunning(t *testing.T) {
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), throws())
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 1})
	launch(c)
	r := c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "System.FormatException",
		"include_subtypes": false})
	require.Equal(t, "bound", r.String("breakpoint.state"))
	r = next(c)
	require.Equal(t, "third", r.String("stop.exception.message"), "%s", r.Raw)
	require.Equal(t, 1, r.Int("stop.hitCount"))
	c.Do("breakpoint_remove", mcptest.Args{"id": r.Strings("stop.breakpointIds")[0]})
	require.Equal(t, "last", next(c).String("stop.exception.message"))
}

// boom is the value of a panic as Delve gives it: an error that wraps two others, of which one wraps a third.
var boom = func() daptest.Var {
	wrapped := func(name, typ, text string, fields ...daptest.Var) daptest.Var {
		value := daptest.Var{Name: "data", Type: typ, Value: typ + " " + text, Children: []daptest.Var{{Children: fields}}}
		return daptest.Var{Name: name, Type: "error(" + typ + ")", Value: "error(" + typ + ") *" + text,
			Children: []daptest.Var{value}}
	}
	deepest := wrapped("Err", "*errors.errorString", `{s: "deepest"}`)
	list := daptest.Var{Name: "errs", Type: "[]error", Children: []daptest.Var{
		wrapped("[0]", "*main.own", "{code: 7}", deepest), wrapped("[1]", "*errors.errorString", `{s: "second"}`),
		{Name: "[2]", Type: "error", Value: "error nil"},
	}}
	return daptest.Var{Type: "*fmt.wrapErrors", Value: `*fmt.wrapErrors {msg: "boom", errs: ...}`,
		Children: []daptest.Var{{Children: []daptest.Var{{Name: "msg", Type: "string", Value: `"boom"`}, list}}}}
}()

// panicking is a Go program with two panics that are recovered.
func panicking() daptest.Program {
	user := daptest.Frame{File: source, Line: 12, Func: "main.try"}
	panics := daptest.Step{File: "/usr/local/go/src/runtime/panic.go", Line: 803, Func: "runtime.gopanic",
		Callers: []daptest.Frame{user}}
	at := func(line int) daptest.Step { return daptest.Step{File: source, Line: line, Func: "main.main"} }
	return daptest.Program{
		Threads: []daptest.Thread{{Code: daptest.Lines(at(10), panics, at(20), panics, at(30))}},
		Eval:    func(call daptest.EvalCall) (daptest.Var, bool) { return boom, call.Expression == "e.(data)" },
	}
}

// Delve reports only panics that nobody recovers. An exception breakpoint that asks for the first chance stops at the
// others too, in the program's own frame and with the panic's value.
func TestRecoveredPanics(t *testing.T) {
	for _, tc := range []struct {
		name   string
		args   mcptest.Args
		panics bool
	}{
		{"all", mcptest.Args{"exception_type": "*"}, true},
		{"panic", mcptest.Args{"exception_type": "panic", "break_on_second_chance": false}, true},
		{"second chance", mcptest.Args{"exception_type": "*", "break_on_first_chance": false}, false},
		{"fatal error", mcptest.Args{"exception_type": "fatal error"}, false},
	} {
		for _, early := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s early %t", tc.name, early), func(t *testing.T) {
				s := serve(t, "dlv", daptest.Delve(), panicking())
				id := ""
				set := func() {
					r := s.Do("breakpoint_set_exception", tc.args)
					require.False(t, !early && r.Has("warning"), "%s", r.Raw)
					id = r.String("breakpoint.id")
				}
				if early {
					set()
				}
				s.launchTo(t, 10)
				if !early {
					set()
				}
				for hit := 1; tc.panics && hit <= 2; hit++ {
					r := next(s.Client)
					require.Equal(t, "exception", r.String("reason"), "%s", r.Raw)
					require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"))
					require.Equal(t, hit, r.Int("stop.hitCount"))
					require.Equal(t, "panic", r.String("stop.exception.type"))
					require.Equal(t, `"boom"`, r.String("stop.exception.message"))
					require.True(t, r.Bool("stop.exception.isFirstChance"))
					require.Equal(t, 12, r.Int("stop.location.line"), "%s", r.Raw)
					r = s.Do("exception_get_context", nil)
					require.JSONEq(t, `[{"type": "*main.own", "message": "{code: 7}"},
						{"type": "*errors.errorString", "message": "deepest"},
						{"type": "*errors.errorString", "message": "second"}]`, string(r.At("innerExceptions").Raw))
					require.False(t, r.Has("partial"), "%s", r.Raw)
				}
				require.Equal(t, "exited", next(s.Client).String("reason"))
			})
		}
	}
}

// When the breakpoint goes, panics stop nothing any more, and a breakpoint of the user on the same function stays.
func TestRecoveredPanicsNoMore(t *testing.T) {
	s := serve(t, "dlv", daptest.Delve(), panicking())
	function := s.Do("breakpoint_set_function", mcptest.Args{"function": "runtime.gopanic"}).String("breakpoint.id")
	id := s.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "*"}).String("breakpoint.id")
	s.launchTo(t, 10)
	r := next(s.Client)
	require.ElementsMatch(t, []string{id, function}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
	require.Equal(t, "exception", r.String("stop.reason"))
	s.Do("breakpoint_remove", mcptest.Args{"id": id})
	r = next(s.Client)
	require.Equal(t, []string{function}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
	require.Equal(t, "breakpoint", r.String("stop.reason"))
	require.Equal(t, "exited", next(s.Client).String("reason"))
}

// A hit of another thread that is reported during the requests about an exception is served, whether or not the
// exception stops the program.
func TestHitDuringAnException(t *testing.T) {
	const wanted, other = "System.InvalidOperationException", "System.OverflowException"
	for _, tc := range []struct {
		tool, exception string
		reason          string // of the stop
		line            int
	}{
		{"tracepoint_set", wanted, "exception", 2},
		{"breakpoint_set", wanted, "exception", 2},
		{"tracepoint_set", other, "", 0}, // the unhandled exception is not asked for either
		{"breakpoint_set", other, "breakpoint", 50},
	} {
		t.Run(tc.tool+" "+tc.exception, func(t *testing.T) {
			gate, open := daptest.Gate()
			p := throws()
			p.Threads = append(p.Threads,
				daptest.Thread{Code: daptest.Lines(daptest.Step{File: loopFile, Line: 50,
					Func: "LoopApp.Program.Wait()", Gate: gate})})
			m, f := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), p)
			c := mcptest.Serve(t, m, mcpserver.Options{})
			defer open()
			c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": tc.exception})
			c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 1})
			require.Equal(t, 1, launch(c).Int("stop.location.line"))
			args := mcptest.Args{"file": loopFile, "line": 50} // the line of the other thread; this is not a hit
			if tc.tool == "tracepoint_set" {
				args["log_message"], args["strategy"] = "here", "stop"
			}
			id := c.Do(tc.tool, args).String("breakpoint.id")
			thread := f.Last().ThreadID(1)
			f.Last().Once("exceptionInfo", daptest.Action{Before: []string{stoppedEvent("breakpoint", thread)}})
			r := next(c)
			require.Equal(t, tc.reason, r.String("stop.reason"), "%s", r.Raw)
			require.Equal(t, tc.line, r.Int("stop.location.line"), "%s", r.Raw)
			require.Equal(t, tc.reason == "breakpoint", r.Int("stop.threadId") == thread)
			for _, bp := range m.Breakpoints("") {
				if bp.ID == id {
					require.EqualValues(t, 1, bp.HitCount)
				}
			}
		})
	}
}

// During a step, an exception without a breakpoint is not asked about when its stop has the type, and the step
// continues.
func TestStepOverAnExceptionThatNobodyWaitsFor(t *testing.T) {
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), throws())
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 1})
	c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "System.OverflowException"}) // with subtypes: all stop
	require.Equal(t, 1, launch(c).Int("stop.location.line"))
	for line := 2; line <= 3; line++ { // both lines throw
		r := c.Do("debug_step", mcptest.Args{"mode": "over"})
		require.Equal(t, "step", r.String("stop.reason"), "%s", r.Raw)
		require.Equal(t, line, r.Int("stop.location.line"))
	}
	require.Zero(t, fakes.Last().Count("exceptionInfo"))
}

// A step whose function calls sys.exit ends with the program, not at the line of the exception.
func TestStepIntoAnOrderlyEnd(t *testing.T) {
	exit := daptest.Exception{Type: "SystemExit", Message: "3", Unhandled: true}
	for _, mode := range []string{"over", "out"} {
		s := serve(t, "debugpy", daptest.Debugpy(), daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
			daptest.Step{File: source, Line: 1, Func: "main"},
			daptest.Step{File: source, Line: 2, Func: "quit", Throws: &exit,
				Callers: []daptest.Frame{{File: source, Line: 1, Func: "main"}}})}}})
		s.launchTo(t, 1)
		r := s.Do("debug_step", mcptest.Args{"mode": mode})
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
		require.False(t, r.Has("stop"), "%s", r.Raw)
	}
}

// breakpoint_wait says that an exception breakpoint was hit; an exception that no breakpoint asks for is none.
func TestWaitForAnExceptionBreakpoint(t *testing.T) {
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), throws())
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "System.FormatException"}).
		String("breakpoint.id")
	other := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 50}).String("breakpoint.id")
	c.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false})
	for wanted, hit := range map[string]bool{"": true, id: true, other: false} {
		args := mcptest.Args{"after_seq": 0}
		if wanted != "" {
			args["breakpoint_id"] = wanted
		}
		r := c.Do("breakpoint_wait", args)
		require.Equal(t, "exception", r.String("reason"), "%s", r.Raw)
		require.Equal(t, id, r.String("breakpointId"))
		require.Equal(t, hit, r.Bool("hit"), "%s", r.Raw)
	}
	c.Do("breakpoint_remove", mcptest.Args{"id": id})
	r := next(c)
	require.Equal(t, "last", r.String("stop.exception.message"))
	r = c.Do("breakpoint_wait", mcptest.Args{"after_seq": r.Int("stop.seq") - 1})
	require.Equal(t, "exception", r.String("reason"), "%s", r.Raw)
	require.False(t, r.Bool("hit"), "%s", r.Raw)
}

// An exception that cannot be read in time is not shown as one without inner exceptions and members.
func TestExceptionThatIsNotReadInTime(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	p := daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(daptest.Step{
		File: source, Line: 10, Func: "LoopApp.Program.Work()",
		Throws: &daptest.Exception{Type: "System.AggregateException", Message: "several"},
	})}}}
	p.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
		return daptest.Var{Value: "{System.AggregateException}", Type: "System.AggregateException", Gate: gate},
			call.Expression == "$exception"
	}
	s := netcoredbg(t, p)
	s.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "*"})
	s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false})
	r := s.Do("exception_get_context", nil)
	require.Equal(t, "several", r.String("exception.message"), "%s", r.Raw)
	require.Contains(t, r.String("partial.0"), "innerExceptions and members", "%s", r.Raw)
}
