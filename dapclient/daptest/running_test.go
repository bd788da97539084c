package daptest_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// where returns the line of the top frame and its depth.
func (c *client) where(thread int) string {
	c.t.Helper()
	m := c.must("stackTrace", dapclient.StackTraceArguments{ThreadID: thread})
	body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](m)
	require.NoError(c.t, err)
	require.Len(c.t, body.StackFrames, body.TotalFrames)
	return strconv.Itoa(body.StackFrames[0].Line) + "/" + strconv.Itoa(len(body.StackFrames)-1)
}

func TestSteps(t *testing.T) {
	cases := []struct {
		name  string
		steps []string
		want  []string // line/depth and reason after each
	}{
		{"over a call", []string{"next", "next", "next"}, []string{"22/0 step", "21/0 breakpoint", "22/0 step"}},
		{"into and along", []string{"stepIn", "next", "next"}, []string{"8/1 step", "9/1 step", "10/1 step"}},
		{"over the end of a method lands in the caller", []string{"stepIn", "next", "next", "next", "next"},
			[]string{"8/1 step", "9/1 step", "10/1 step", "21/0 step", "22/0 step"}},
		{"out", []string{"stepIn", "stepOut", "next"}, []string{"8/1 step", "21/0 step", "22/0 step"}},
		{"out of main runs to the next hit", []string{"stepOut"}, []string{"21/0 breakpoint"}},
	}
	eachShape(t, func(t *testing.T, s daptest.Shape) {
		for _, test := range cases {
			t.Run(test.name, func(t *testing.T) {
				a := daptest.New(t, s, loop(9))
				c := dial(t, a)
				c.launch(dap.SourceBreakpoint{Line: 21})
				thread := c.stopped().ThreadId
				for i, step := range test.steps {
					c.must(step, map[string]int{"threadId": thread})
					stop := c.stopped()
					want := test.want[i]
					if s.StepFirst && step == "next" {
						want = strings.Replace(want, "breakpoint", "step", 1) // measured on netcoredbg 3.1.2
					}
					assert.Equal(t, want, c.where(thread)+" "+stop.Reason)
				}
			})
		}
	})
}

// TestStepMeetsHit: netcoredbg, Delve and debugpy drop a step at a hit; lldb-dap ends it later (all measured).
func TestStepMeetsHit(t *testing.T) {
	eachShape(t, func(t *testing.T, s daptest.Shape) {
		c := dial(t, daptest.New(t, s, loop(2)))
		c.launch(dap.SourceBreakpoint{Line: 20}, dap.SourceBreakpoint{Line: 9})
		stop := c.stopped()
		thread := map[string]int{"threadId": stop.ThreadId}
		c.must("next", thread)
		c.stopped() // 21
		c.must("next", thread)
		assert.Equal(t, "breakpoint", c.stopped().Reason)
		assert.Equal(t, "9/1", c.where(stop.ThreadId))
		c.must("continue", thread)
		if s.KeepsStep {
			assert.Equal(t, "step", c.stopped().Reason)
			assert.Equal(t, "22/0", c.where(stop.ThreadId))
			return
		}
		assert.Equal(t, "breakpoint", c.stopped().Reason)
		assert.Equal(t, "9/1", c.where(stop.ThreadId), "of the next pass")
	})
}

// sleeper waits at line 2 for a gate.
func sleeper(gate <-chan struct{}) daptest.Program {
	return daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
		daptest.Step{File: source, Line: 1, Func: "Main", Stdout: "before\n"},
		daptest.Step{File: source, Line: 2, Func: "Main", Gate: gate},
		daptest.Step{File: source, Line: 3, Func: "Main", Stdout: "after\n"},
	)}}}
}

func TestPauseOfASleepingProgram(t *testing.T) {
	eachShape(t, func(t *testing.T, s daptest.Shape) {
		gate, open := daptest.Gate()
		a := daptest.New(t, s, sleeper(gate))
		c := dial(t, a)
		c.launch()
		id := a.ThreadID(0)
		_, err := c.evaluate("x", 0)
		require.Error(t, err, "it runs")
		_, err = c.call("stackTrace", dapclient.StackTraceArguments{ThreadID: id})
		require.Error(t, err)
		c.must("threads", nil)

		c.must("pause", map[string]int{"threadId": id})
		stop := c.stopped()
		assert.Equal(t, "pause", stop.Reason)
		if s.PauseWithoutThread {
			assert.Zero(t, stop.ThreadId)
		} else {
			assert.Equal(t, id, stop.ThreadId)
		}
		assert.Equal(t, "2/0", c.where(id))
		c.must("pause", map[string]int{"threadId": id}) // no event
		open()                                          // while the program is stopped
		assert.Equal(t, "2/0", c.where(id))
		c.must("continue", map[string]int{"threadId": id})
		c.until("exited")
		assert.Equal(t, daptest.FateExited, a.Fate())
	})
}

func TestGateOpensWhileRunning(t *testing.T) {
	gate, open := daptest.Gate()
	c := dial(t, daptest.New(t, daptest.Netcoredbg(), sleeper(gate)))
	c.launch(dap.SourceBreakpoint{Line: 3})
	c.must("threads", nil)
	open()
	open()
	assert.Equal(t, "3/0", c.where(c.stopped().ThreadId))
}

func TestPauseOfABusyProgram(t *testing.T) {
	eachShape(t, func(t *testing.T, s daptest.Shape) {
		a := daptest.New(t, s, loop(daptest.Forever))
		c := dial(t, a)
		c.must("initialize", nil)
		_, err := c.conn.Send(dapclient.Request{Command: "launch"})
		require.NoError(t, err)
		c.until("initialized")
		c.must("configurationDone", nil)
		c.must("pause", map[string]int{"threadId": a.ThreadID(0)})
		assert.Equal(t, "pause", c.stopped().Reason)
	})
}

// workers are n threads that pass line 5 at the same time, each pass with its own i.
func workers(n, passes int) daptest.Program {
	var p daptest.Program
	for w := range n {
		p.Threads = append(p.Threads, daptest.Thread{Code: daptest.Loop(passes, func(i int) daptest.Step {
			return daptest.Step{File: source, Line: 4, Func: "Work"}
		}, func(i int) daptest.Step {
			return daptest.Step{File: source, Line: 5, Func: "Work", Vars: []daptest.Var{intVar("i", i), intVar("w", w)}}
		})})
	}
	return p
}

func TestHitsAtTheSameTime(t *testing.T) {
	const n, passes = 3, 4
	counts := map[string]int{"netcoredbg": n * passes, "debugpy": n * passes, "lldb-dap": n * passes, "dlv": passes}
	eachShape(t, func(t *testing.T, s daptest.Shape) {
		a := daptest.New(t, s, workers(n, passes))
		c := dial(t, a)
		c.launch(dap.SourceBreakpoint{Line: 5})
		told, seen, focused := 0, map[string]bool{}, 0
		for over := false; !over; {
			switch m := c.next(); m.Name {
			case "stopped":
				told++
				stop, err := dapclient.DecodeBody[struct {
					ThreadID          int
					ThreadCausedFocus bool
					HitBreakpointIDs  []int
				}](m)
				require.NoError(t, err)
				assert.Equal(t, s.HitIDs, len(stop.HitBreakpointIDs) == 1)
				if stop.ThreadCausedFocus {
					focused++
				}
				last := s.Stops != daptest.StopsTogether || stop.ThreadCausedFocus
				threads := []int{stop.ThreadID}
				if s.Stops == daptest.StopsNameOne { // the others are at the breakpoint too
					threads = []int{a.ThreadID(0), a.ThreadID(1), a.ThreadID(2)}
				}
				for _, id := range threads {
					f := c.frame(id)
					assert.Equal(t, 5, f.Line)
					i, err := c.evaluate("i", f.Id)
					require.NoError(t, err)
					w, err := c.evaluate("w", f.Id)
					require.NoError(t, err)
					seen[i+"/"+w] = true
				}
				if last {
					c.must("continue", map[string]int{"threadId": stop.ThreadID})
				}
			case "exited":
				over = true
			}
		}
		assert.Equal(t, counts[string(s.Family)], told)
		assert.Len(t, seen, n*passes)
		if s.Stops == daptest.StopsTogether {
			assert.Equal(t, passes, focused)
		}
	})
}

func TestEntry(t *testing.T) {
	eachShape(t, func(t *testing.T, s daptest.Shape) {
		a := daptest.New(t, s, loop(1))
		c := dial(t, a)
		c.must("initialize", nil)
		_, err := c.conn.Send(dapclient.Request{Command: "launch",
			Args: map[string]any{"stopAtEntry": true, "stopOnEntry": true}})
		require.NoError(t, err)
		c.until("initialized")
		c.must("setBreakpoints", lines(source, dap.SourceBreakpoint{Line: 22}))
		c.must("configurationDone", nil)
		assert.Equal(t, "entry", c.stopped().Reason)
		if s.Family == daptest.FamilyDelve {
			threads := c.must("threads", nil)
			assert.JSONEq(t, `{"threads":[{"id":1,"name":"Dummy"}]}`, string(threads.Body))
			_, err := c.call("stackTrace", dapclient.StackTraceArguments{ThreadID: 1})
			require.Error(t, err)
		} else {
			assert.Equal(t, "20/0", c.where(a.ThreadID(0)))
		}
		c.must("continue", map[string]int{"threadId": 1})
		assert.Equal(t, "breakpoint", c.stopped().Reason)
		assert.Equal(t, "22/0", c.where(a.ThreadID(0)))
	})
}

func TestThreadsThatStartLater(t *testing.T) {
	gate, open := daptest.Gate()
	p := daptest.Program{Threads: []daptest.Thread{
		{Code: daptest.Lines(
			daptest.Step{File: source, Line: 1, Func: "Main", Starts: []int{77}},
			daptest.Step{File: source, Line: 2, Func: "Main"},
		)},
		{ID: 77, Name: "late", Waits: true, Code: daptest.Lines(daptest.Step{File: source, Line: 9, Func: "Late"})},
		{ID: 78, Name: "pool", Background: true, Code: daptest.Lines(daptest.Step{Func: "Sleep", Gate: gate})},
	}}
	defer open()
	c := dial(t, daptest.New(t, daptest.Netcoredbg(), p))
	c.launch(dap.SourceBreakpoint{Line: 1}, dap.SourceBreakpoint{Line: 9})
	main := c.stopped().ThreadId
	list := func() []dap.Thread {
		body, err := dapclient.DecodeBody[dap.ThreadsResponseBody](c.must("threads", nil))
		require.NoError(t, err)
		return body.Threads
	}
	assert.Equal(t, []dap.Thread{{Id: main, Name: "Main Thread"}, {Id: 78, Name: "pool"}}, list())
	c.must("continue", map[string]int{"threadId": main})
	assert.Equal(t, 77, c.stopped().ThreadId)
	assert.Equal(t, []dap.Thread{{Id: main, Name: "Main Thread"}, {Id: 77, Name: "late"}, {Id: 78, Name: "pool"}}, list())
	c.must("continue", map[string]int{"threadId": main})
	c.until("exited") // the background thread does not prevent the end
}
