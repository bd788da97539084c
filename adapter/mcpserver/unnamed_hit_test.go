package mcpserver_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// counting is a program whose only thread calls a function. The variable i is 0.
func counting() daptest.Program { return oneThread(countingSteps()) }

func oneThread(steps []daptest.Step) daptest.Program {
	return daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(steps...)}}}
}

// countingSteps are the lines of counting: the call is in line 3, the function has lines 11 and 12.
func countingSteps() []daptest.Step {
	at := func(line int, fn string, callers ...daptest.Frame) daptest.Step {
		return daptest.Step{File: source, Line: line, Func: fn, Callers: callers,
			Vars: []daptest.Var{{Name: "i", Value: "0", Type: "int"}}}
	}
	return []daptest.Step{
		at(1, "App.Main"), at(2, "App.Main"), at(3, "App.Main"),
		at(11, "App.Work", daptest.Frame{File: source, Line: 3, Func: "App.Main"}),
		at(12, "App.Work", daptest.Frame{File: source, Line: 3, Func: "App.Main"}), at(4, "App.Main"),
	}
}

// The end of a step at a breakpoint is a hit only when its condition is true: on each backend, for lines and functions,
// breakpoints and tracepoints.
func TestConditionWhereAStepEnds(t *testing.T) {
	work := mcptest.Args{"function": "App.Work"}
	for _, tc := range []struct {
		name, tool, condition, mode string
		place                       mcptest.Args
		count, done, line, hits     int
		reason                      string
	}{
		{"a line, false", "breakpoint_set", "i == 3", "over", mcptest.Args{"file": source, "line": 2}, 2, 2, 3, 0, "step"},
		{"a line, true", "breakpoint_set", "i == 0", "over", mcptest.Args{"file": source, "line": 2}, 2, 0, 2, 1, "hit"},
		{"a tracepoint, false", "tracepoint_set", "i == 3", "over",
			mcptest.Args{"file": source, "line": 2, "strategy": "stop"}, 2, 2, 3, 0, "step"},
		{"a log point, false", "tracepoint_set", "i == 3", "over",
			mcptest.Args{"file": source, "line": 2}, 2, 2, 3, 0, "step"},
		{"a log point, true", "tracepoint_set", "i == 0", "over",
			mcptest.Args{"file": source, "line": 2}, 2, 2, 3, 1, "step"},
		{"a function, false", "breakpoint_set_function", "i == 3", "in", work, 4, 4, 12, 0, "step"},
		{"a function, true", "breakpoint_set_function", "i == 0", "in", work, 4, 2, 11, 1, "hit"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tested := shapes
			if tc.name == "a log point, true" { // the fake does not run debugpy's helper of log points
				tested = slices.DeleteFunc(slices.Clone(shapes), func(s shape) bool { return s.name == "debugpy" })
			}
			if tc.name == "a function, true" {
				// Elsewhere nobody knows where the function begins before its first hit that the debugger reports.
				tested = slices.DeleteFunc(slices.Clone(shapes), func(s shape) bool { return s.shape.StepFirst })
			}
			eachOf(t, tested, func(t *testing.T, name string, shape daptest.Shape) {
				s := serve(t, name, shape, counting())
				tc.place["condition"] = tc.condition
				id := s.Do(tc.tool, tc.place).String("breakpoint.id")
				s.launchTo(t, 1)
				r := s.Do("debug_step", mcptest.Args{"count": tc.count, "mode": tc.mode})
				require.Equal(t, tc.reason, r.String("reason"), "%s", r.Raw)
				require.Equal(t, tc.done, r.Int("stepsDone"), "%s", r.Raw)
				require.Equal(t, tc.line, r.Int("stop.location.line"), "%s", r.Raw)
				require.Equal(t, tc.reason == "hit", r.Has("interruptedBy"), "%s", r.Raw)
				list := s.Do("breakpoint_list", nil)
				require.Equal(t, id, list.String("breakpoints.0.id"))
				require.Equal(t, tc.hits, list.Int("breakpoints.0.hitCount"), "%s", list.Raw)
				require.Len(t, messages(s.Client, id), tc.hits)
			})
		})
	}
}

// A thread that the sweep finds at a breakpoint has hit it only when the condition is true, also before the first hit
// has shown at which instruction the breakpoint is.
func TestConditionOfASweptThread(t *testing.T) {
	for _, tc := range []struct {
		condition string
		hits      int
	}{{"i == 3", 0}, {"i == 0", 1}} {
		t.Run(tc.condition, func(t *testing.T) {
			p := twoLines()
			p.Globals = []daptest.Var{{Name: "i", Value: "0", Type: "int"}}
			s := serve(t, "dlv", daptest.Delve(), p)
			s.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 20, "condition": tc.condition})
			s.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
			require.Equal(t, 10, s.Settled(s.launch(t)).Int("stop.location.line"))
			require.Equal(t, "exited", next(s.Client).String("reason"))
			list := s.Do("breakpoint_list", nil)
			require.Equal(t, tc.hits, list.Int("breakpoints.0.hitCount"), "%s", list.Raw)
		})
	}
}

// The end of a run_to at a line with a breakpoint whose condition is false is no hit of that breakpoint.
func TestConditionWhereARunToEnds(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, counting())
		s.Do("breakpoint_set", mcptest.Args{"file": source, "line": 3, "condition": "i == 3"})
		s.launchTo(t, 1)
		r := s.Do("debug_run_to", mcptest.Args{"file": source, "line": 3})
		require.Equal(t, "run_to", r.String("stop.reason"), "%s", r.Raw)
		require.Empty(t, r.Strings("stop.breakpointIds"))
		require.Zero(t, s.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"))
	})
}

// A breakpoint of a function is at the beginning of the function: a condition that becomes true further down is no hit,
// whether a step or another breakpoint stops there.
func TestConditionInsideAFunction(t *testing.T) {
	steps := countingSteps()
	steps[4].Vars = []daptest.Var{{Name: "i", Value: "1", Type: "int"}} // line 12
	program := oneThread(steps)
	for _, tc := range []struct {
		name string
		go12 func(s *session)
	}{
		{"a step", func(s *session) {
			s.launchTo(t, 11)
			s.Do("debug_step", nil)
		}},
		{"a breakpoint", func(s *session) { s.launchTo(t, 12) }},
		{"a run_to", func(s *session) {
			s.launchTo(t, 11)
			s.Do("debug_run_to", mcptest.Args{"file": source, "line": 12})
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
				s := serve(t, name, shape, program)
				s.Do("breakpoint_set_function", mcptest.Args{"function": "App.Work", "condition": "i == 1"})
				tc.go12(s)
				r := s.Do("debug_state", nil)
				require.Equal(t, 12, r.Int("stop.location.line"), "%s", r.Raw)
				list := s.Do("breakpoint_list", nil)
				require.Equal(t, "function", list.String("breakpoints.0.type"))
				require.Zero(t, list.Int("breakpoints.0.hitCount"), "%s", list.Raw)
				require.NotContains(t, r.Strings("stop.breakpointIds"), list.String("breakpoints.0.id"))
			})
		})
	}
}

// A step that returns from a call ends in the middle of the caller's line, behind a breakpoint of that line: no hit of
// it, also before its first hit has shown at which instruction it is.
func TestStepOutBehindABreakpoint(t *testing.T) {
	one := []daptest.Var{{Name: "i", Value: "1", Type: "int"}}
	steps := countingSteps()
	steps[4].Vars = one // line 12
	program := oneThread(slices.Insert(steps, 5,
		daptest.Step{File: source, Line: 3, Func: "App.Main", Landing: true, Vars: one}))
	for _, tc := range []struct {
		name, mode string
		before     bool // the breakpoint is set before the line is entered
		args       mcptest.Args
	}{
		{"a condition that the call makes true, out", "out", true, mcptest.Args{"condition": "i == 1"}},
		{"a condition that the call makes true, over", "over", true, mcptest.Args{"condition": "i == 1"}},
		{"set while the call runs", "out", false, mcptest.Args{}},
		{"a tracepoint", "out", true, mcptest.Args{"condition": "i == 1", "strategy": "stop"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
				s := serve(t, name, shape, program)
				set := func() string {
					tool := "breakpoint_set"
					if tc.args["strategy"] != nil {
						tool = "tracepoint_set"
					}
					tc.args["file"], tc.args["line"] = source, 3
					return s.Do(tool, tc.args).String("breakpoint.id")
				}
				var id string
				if tc.before {
					id = set()
				}
				s.launchTo(t, 12)
				if !tc.before {
					id = set()
				}
				r := s.Do("debug_step", mcptest.Args{"mode": tc.mode})
				require.Equal(t, 3, r.Int("stop.location.line"), "%s", r.Raw)
				require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
				require.Empty(t, r.Strings("stop.breakpointIds"))
				require.Empty(t, messages(s.Client, id))
				list := s.Do("breakpoint_list", nil)
				at := 0
				if !tc.before {
					at = 1
				}
				require.Equal(t, id, list.String(fmt.Sprintf("breakpoints.%d.id", at)))
				require.Zero(t, list.Int(fmt.Sprintf("breakpoints.%d.hitCount", at)), "%s", list.Raw)
			})
		})
	}
}
