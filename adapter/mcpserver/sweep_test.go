package mcpserver_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// twoLines is a program whose two threads reach different lines at the same time. Delve names only the first thread.
func twoLines() daptest.Program {
	line := func(n int, fn string) daptest.Step { return daptest.Step{File: loopFile, Line: n, Func: fn} }
	return daptest.Program{Threads: []daptest.Thread{
		{Code: daptest.Lines(line(1, "a"), line(10, "a"), line(2, "a"))},
		{Code: daptest.Lines(line(1, "b"), line(20, "b"), line(2, "b"))},
	}}
}

// A blocking stop is reported before the sweep of the other threads. Their breakpoints are reported too, and a resume
// waits for the sweep.
func TestLateSweep(t *testing.T) {
	for _, tc := range []struct {
		name, other string
	}{{"a second breakpoint", "breakpoint_set"}, {"a tracepoint", "tracepoint_set"}} {
		t.Run(tc.name, func(t *testing.T) {
			gate, open := daptest.Gate()
			m, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), twoLines(), func(a *daptest.Adapter) {
				a.Once("threads", daptest.Hold(gate))
			})
			c := mcptest.Serve(t, m, mcpserver.Options{})
			first := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10}).String("breakpoint.id")
			args := mcptest.Args{"file": loopFile, "line": 20}
			if tc.other == "tracepoint_set" {
				args["strategy"] = "stop"
			}
			second := c.Do(tc.other, args).String("breakpoint.id")

			r := launch(c) // although the answer about the threads is held
			require.Equal(t, []string{first}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
			resume := c.BeginCall("debug_continue", mcptest.Args{"wait": true})
			fakes.Last().WaitFor("threads")
			require.Zero(t, fakes.Last().Count("continue"), "the resume waits for the sweep")
			open()
			require.Equal(t, "exited", c.AwaitCall(resume).String("reason"))

			require.Equal(t, 1, fakes.Last().Count("continue"))
			hits := c.Notifications("debugger/breakpointHit")
			require.Len(t, hits, 2)
			require.Equal(t, second, hits[1].String("breakpointId"))
			require.NotEqual(t, hits[0].Int("threadId"), hits[1].Int("threadId"))
			list := c.Do("breakpoint_list", nil)
			require.Equal(t, 1, list.Int("breakpoints.1.hitCount"))
			if tc.other == "breakpoint_set" {
				events := c.Do("events_query", mcptest.Args{"types": []string{"hit"}})
				require.Equal(t, []string{first, second}, events.Strings("events.1.data.stop.breakpointIds"),
					"the stop has both now")
				require.Equal(t, events.Int("events.0.data.stop.seq"), events.Int("events.1.data.stop.seq"),
					"and is still the same")
			}
		})
	}
}

// A failed sweep never blocks a resume.
func TestLateSweepThatFails(t *testing.T) {
	m, _ := mcptest.Fake(t, "dlv", daptest.Delve(), twoLines(), func(a *daptest.Adapter) {
		a.OnRequest("threads", func(*dapclient.Message) daptest.Action { return daptest.Fail("no threads today") })
	})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	require.True(t, launch(c).Has("stop"))
	require.Equal(t, "exited", next(c).String("reason"))
}

// A disconnect does not wait for a sweep.
func TestDisconnectDuringALateSweep(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	m, _ := mcptest.Fake(t, "dlv", daptest.Delve(), twoLines(), func(a *daptest.Adapter) {
		a.Once("threads", daptest.Action{Until: gate, Aside: true})
	})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	require.True(t, launch(c).Has("stop"))
	resume := c.BeginCall("debug_continue", nil)
	require.Equal(t, "disconnected", c.Do("debug_disconnect", nil).String("state"))
	require.True(t, c.AwaitCall(resume).IsError)
}

// A breakpoint that is removed while a late sweep evaluates its condition is not reported as hit.
func TestRemovedDuringALateSweep(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	program := twoLines()
	program.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
		return daptest.Var{Value: "true", Type: "bool"}, call.Expression == "asked"
	}
	m, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), program, func(a *daptest.Adapter) {
		a.Once("evaluate", daptest.Action{Until: gate, Aside: true})
	})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	removed := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 20, "condition": "asked"}).
		String("breakpoint.id")
	// so the session evaluates the condition
	c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 20, "strategy": "stop"})
	require.True(t, launch(c).Has("stop"))
	fakes.Last().WaitFor("evaluate")
	c.Do("breakpoint_remove", mcptest.Args{"id": removed})
	open()
	require.Equal(t, "exited", next(c).String("reason"))
	require.Len(t, c.Notifications("debugger/breakpointHit"), 2, "the stop's and the tracepoint's")
}

// A stop is expected to be visible, but its breakpoint is removed meanwhile. It is counted once: the sweep of the
// other threads does not serve its thread again.
func TestHitOfAStopThatIsNotShownIsCountedOnce(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	line := func(n int) daptest.Step { return daptest.Step{File: source, Line: n, Func: "main.main"} }
	held := line(4)
	held.Gate = gate
	s := serve(t, "dlv", daptest.Delve(),
		daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(line(1), line(2), line(3), held, line(5))}}})
	s.launchTo(t, 1)
	quiet := s.Do("breakpoint_set", mcptest.Args{"file": source, "line": 3, "hit_condition": ">=5",
		"session_id": "s1"}).String("breakpoint.id")
	removed := s.breakAt(3)
	hold, release := daptest.Gate()
	s.adapter().Once("stackTrace", daptest.Hold(hold))
	n := s.adapter().Count("stackTrace")
	s.Do("debug_continue", nil)
	for s.adapter().Count("stackTrace") == n {
		runtime.Gosched()
	}
	gone := s.BeginCall("breakpoint_remove", mcptest.Args{"id": removed})
	for s.Do("breakpoint_list", nil).Int("count") == 3 {
		runtime.Gosched()
	}
	release()
	require.False(t, s.AwaitCall(gone).IsError)
	for s.state() != "running" || s.adapter().Count("continue") < 2 {
		runtime.Gosched()
	}
	r := s.Do("breakpoint_list", nil)
	found := false
	for i := range r.Int("count") {
		if bp := r.At("breakpoints." + itoa(i)); bp.String("id") == quiet {
			found = true
			require.Equal(t, 1, bp.Int("hitCount"))
		}
	}
	require.True(t, found)
}
