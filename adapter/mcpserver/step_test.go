package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// calls is a program of three lines, the second of which calls a function that calls another:
//
//	Main 20; Main 21 → Work 9, 10 → Inner 5, 6 → Work 10 (landing), 11 → Main 21 (landing); Main 22
func calls() daptest.Program {
	main := func(line int) daptest.Step {
		return daptest.Step{File: loopFile, Line: line, Func: "LoopApp.Program.Main()"}
	}
	atMain := daptest.Frame{File: loopFile, Line: 21, Func: "LoopApp.Program.Main()"}
	work := func(line int) daptest.Step {
		return daptest.Step{File: loopFile, Line: line, Func: "LoopApp.Program.Work()", Callers: []daptest.Frame{atMain}}
	}
	atWork := daptest.Frame{File: loopFile, Line: 10, Func: "LoopApp.Program.Work()"}
	inner := func(line int) daptest.Step {
		return daptest.Step{File: loopFile, Line: line, Func: "LoopApp.Program.Inner()",
			Callers: []daptest.Frame{atWork, atMain}}
	}
	landing := func(s daptest.Step) daptest.Step {
		s.Landing = true
		return s
	}
	return daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
		main(20), main(21), work(9), work(10), inner(5), inner(6), landing(work(10)), work(11), landing(main(21)),
		main(22), main(23),
	)}}}
}

// A step ends where it should although tracepoints are hit during it, on every backend, at any depth.
func TestStepsSurviveTracepoints(t *testing.T) {
	for _, tc := range []struct {
		name   string
		traces []int
		mode   string
		from   int
		want   int
		fn     string
	}{
		{"over, nothing inside", nil, "over", 21, 22, "Main"},
		{"over a call with one inside", []int{9}, "over", 21, 22, "Main"},
		{"over a call with one two deep", []int{6}, "over", 21, 22, "Main"},
		{"over a call with many inside", []int{9, 10, 5, 6, 11}, "over", 21, 22, "Main"},
		{"over onto a line with one", []int{22}, "over", 21, 22, "Main"},
		{"over a plain line", []int{9, 10}, "over", 20, 21, "Main"},
		{"in, with one on the first line", []int{9}, "in", 21, 9, "Work"},
		{"in, with one further on", []int{10}, "in", 21, 9, "Work"},
		{"out, with one on the way", []int{11}, "out", 9, 21, "Main"},
		{"out, with some deeper", []int{5, 6, 11}, "out", 9, 21, "Main"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
				m, _ := mcptest.Fake(t, profile, shape, calls())
				c := mcptest.Serve(t, m, mcpserver.Options{})
				start := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": tc.from}).String("breakpoint.id")
				r := launch(c)
				require.Equal(t, tc.from, r.Int("stop.location.line"))
				c.Do("breakpoint_remove", mcptest.Args{"id": start})
				for _, line := range tc.traces {
					c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": line, "strategy": "stop"})
				}
				r = c.Do("debug_step", mcptest.Args{"mode": tc.mode})
				require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
				require.Equal(t, 1, r.Int("stepsDone"))
				require.False(t, r.Has("interruptedBy"), "%s", r.Raw)
				require.Equal(t, tc.want, r.Int("stop.location.line"), "%s", r.Raw)
				require.Contains(t, r.String("stop.location.functionName"), tc.fn)
				// To the end: each tracepoint was hit once.
				require.Equal(t, "exited", next(c).String("reason"))
				list := c.Do("breakpoint_list", nil)
				for i := range tc.traces {
					line := list.Int("breakpoints." + itoa(i) + ".line")
					if line >= tc.from || tc.from == 21 || tc.from == 20 {
						require.Equal(t, 1, list.Int("breakpoints."+itoa(i)+".hitCount"), "line %d: %s", line, list.Raw)
					}
				}
			})
		})
	}
}

// A blocking breakpoint during a step ends it and is named.
func TestStepInterruptedByABreakpoint(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		m, _ := mcptest.Fake(t, profile, shape, calls())
		c := mcptest.Serve(t, m, mcpserver.Options{})
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 21})
		inside := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 5}).String("breakpoint.id")
		c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 9, "strategy": "stop"})
		launch(c)
		r := c.Do("debug_step", mcptest.Args{"count": 3})
		require.Equal(t, "hit", r.String("reason"), "%s", r.Raw)
		require.Equal(t, inside, r.String("interruptedBy"))
		require.Equal(t, 0, r.Int("stepsDone"))
		require.Equal(t, 5, r.Int("stop.location.line"))
	})
}

func TestSeveralSteps(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		m, fakes := mcptest.Fake(t, profile, shape, calls())
		c := mcptest.Serve(t, m, mcpserver.Options{})
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 20})
		c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 6, "log_message": "x", "strategy": "stop"})
		launch(c)
		before := len(c.Notifications("debugger/sessionStateChanged"))
		r := c.Do("debug_step", mcptest.Args{"count": 3})
		require.Equal(t, 3, r.Int("stepsDone"), "%s", r.Raw)
		require.Equal(t, 23, r.Int("stop.location.line"))
		require.Len(t, c.Notifications("debugger/sessionStateChanged"), before+2,
			"one run and one stop, not one for each step")
		require.GreaterOrEqual(t, fakes.Last().Count("next"), 3)
		// The end of the program ends a step.
		r = c.Do("debug_step", mcptest.Args{"count": 5})
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
	})
}

// On some backends a tracepoint hit of another thread drops the step: it is repeated in the stepping thread.
func TestStepSurvivesHitsOfOtherThreads(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		program := calls()
		program.Threads = append(program.Threads,
			daptest.Thread{Background: true, Code: daptest.Loop(200, func(i int) daptest.Step {
				return daptest.Step{File: "/src/LoopApp/Other.cs", Line: 3 + i%3, Func: "Other.Spin()"}
			})})
		m, _ := mcptest.Fake(t, profile, shape, program)
		c := mcptest.Serve(t, m, mcpserver.Options{})
		start := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 21}).String("breakpoint.id")
		launch(c)
		c.Do("breakpoint_remove", mcptest.Args{"id": start})
		c.Do("tracepoint_set", mcptest.Args{"file": "/src/LoopApp/Other.cs", "line": 4, "strategy": "stop"})
		r := c.Do("debug_step", nil)
		require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
		require.Equal(t, 22, r.Int("stop.location.line"), "%s", r.Raw)
	})
}

// A step ends with its thread, at once, and says so. The program runs on.
func TestStepEndsWithItsThread(t *testing.T) {
	work := func(line int, fn string) daptest.Step {
		return daptest.Step{File: "/src/LoopApp/Work.cs", Line: line, Func: fn}
	}
	for _, tc := range []struct {
		backend string
		shape   daptest.Shape
		last    string // the function where the thread ends
		count   int
		done    int // steps of the second call
	}{
		{"debugpy", daptest.Debugpy(), "work", 1, 0},
		{"netcoredbg", daptest.Netcoredbg(), "Work()", 1, 0},
		{"debugpy", daptest.Debugpy(), "work", 5, 0},
		{"dlv", daptest.Delve(), "runtime.goexit", 1, 0},
	} {
		t.Run(tc.backend+" "+itoa(tc.count), func(t *testing.T) {
			gate, open := daptest.Gate()
			defer open()
			s := serve(t, tc.backend, tc.shape, daptest.Program{Threads: []daptest.Thread{
				{Code: daptest.Lines(daptest.Step{File: source, Line: 1, Func: "main", Gate: gate},
					daptest.Step{File: source, Line: 2, Func: "main"})},
				{Code: daptest.Lines(work(5, "Work()"), work(6, tc.last))},
			}})
			s.Do("breakpoint_set", mcptest.Args{"file": "/src/LoopApp/Work.cs", "line": 5})
			s.Settled(s.launch(t))
			r := s.Do("debug_step", mcptest.Args{"timeout_ms": 60000})
			require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
			thread := r.Int("stop.threadId")
			r = s.Do("debug_step", mcptest.Args{"timeout_ms": 60000, "count": tc.count})
			require.Equal(t, "thread_exited", r.String("reason"), "%s", r.Raw)
			require.Contains(t, r.String("note"), "thread "+itoa(thread)+" has ended")
			require.Equal(t, tc.done, r.Int("stepsDone"))
			require.Equal(t, "running", r.String("session.state"))
			require.False(t, r.Has("stop"), "%s", r.Raw)
			// The next stop is an ordinary one.
			id := s.breakAt(2)
			open()
			r = s.Do("breakpoint_wait", nil)
			require.Equal(t, id, r.String("breakpointId"), "%s", r.Raw)
			r = s.Do("debug_step", nil)
			require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
		})
	}
}

// Several steps end where a goroutine ends, although more were asked for.
func TestSeveralStepsToTheEndOfAGoroutine(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := serve(t, "dlv", daptest.Delve(), daptest.Program{Threads: []daptest.Thread{
		{Code: daptest.Lines(daptest.Step{File: source, Line: 1, Func: "main.main", Gate: gate})},
		{Code: daptest.Lines(daptest.Step{File: source, Line: 5, Func: "main.work"},
			daptest.Step{File: source, Line: 6, Func: "main.work"},
			daptest.Step{File: source, Line: 7, Func: "runtime.goexit"})},
	}})
	s.breakAt(5)
	s.Settled(s.launch(t))
	r := s.Do("debug_step", mcptest.Args{"timeout_ms": 60000, "count": 10})
	require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
	require.Equal(t, 2, r.Int("stepsDone"))
	require.Equal(t, "runtime.goexit", r.String("stop.location.functionName"))
}

// A tracepoint that another thread hits after the end of the stepping thread is no end of the step.
func TestStepEndsWithItsThreadBesideATracepoint(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := serve(t, "debugpy", daptest.Debugpy(), daptest.Program{Threads: []daptest.Thread{
		{Code: daptest.Seq(daptest.Loop(50, func(i int) daptest.Step {
			return daptest.Step{File: source, Line: 10 + i%2, Func: "main"}
		}), daptest.Lines(daptest.Step{File: source, Line: 20, Func: "main", Gate: gate}))},
		{Code: daptest.Lines(daptest.Step{File: source, Line: 5, Func: "work"})},
	}})
	s.breakAt(5)
	s.Settled(s.launch(t))
	s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 11, "strategy": "stop"})
	r := s.Do("debug_step", mcptest.Args{"timeout_ms": 60000})
	require.NotEqual(t, "timeout", r.String("reason"), "%s", r.Raw)
	require.False(t, r.Has("stop"), "%s", r.Raw)
}
