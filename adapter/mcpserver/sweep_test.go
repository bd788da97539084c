package mcpserver_test

import (
	"runtime"
	"slices"
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
			require.False(t, r.Has("stop.alsoStopped"), "%s", r.Raw)
			resume := c.BeginCall("debug_continue", mcptest.Args{"wait": true})
			fakes.Last().WaitFor("threads")
			require.Zero(t, fakes.Last().Count("continue"), "the resume waits for the sweep")
			open()
			r = c.AwaitCall(resume)
			require.Equal(t, "exited", r.String("reason"))

			require.Equal(t, 1, fakes.Last().Count("continue"))
			hits := c.Notifications("debugger/breakpointHit")
			require.Len(t, hits, 2)
			require.Equal(t, second, hits[1].String("breakpointId"))
			require.NotEqual(t, hits[0].Int("threadId"), hits[1].Int("threadId"))
			list := c.Do("breakpoint_list", nil)
			require.Equal(t, 1, list.Int("breakpoints.1.hitCount"))
			require.Equal(t, tc.other == "breakpoint_set", r.Has("passed"), "%s", r.Raw)
			if tc.other == "breakpoint_set" {
				requireFurther(t, r.At("passed.0"), second, hits[1].Int("threadId"), 1)
				events := c.Do("events_query", mcptest.Args{"types": []string{"hit"}})
				require.Equal(t, first, events.String("events.0.breakpointId"))
				require.Equal(t, second, events.String("events.1.breakpointId"))
				require.Equal(t, events.Int("events.0.seq"), events.Int("events.1.stopSeq"), "it is the same stop")
			}
		})
	}
}

// requireFurther checks one hit beside the stop's own.
func requireFurther(t *testing.T, r mcptest.Result, breakpoint string, thread, count int) {
	t.Helper()
	require.Equal(t, breakpoint, r.String("breakpointId"), "%s", r.Raw)
	require.Equal(t, thread, r.Int("threadId"), "%s", r.Raw)
	require.Equal(t, count, r.Int("hitCount"), "%s", r.Raw)
}

// Of hits at the same time every one is named beside the stop: those that the debugger names, and those that the sweep
// finds when the stop is visible already.
func TestFurtherHitsAreNamed(t *testing.T) {
	for name, shape := range map[string]daptest.Shape{"dlv": daptest.Delve(), "lldb-dap": daptest.LLDB()} {
		m, _ := mcptest.Fake(t, name, shape, twoLines())
		c := mcptest.Serve(t, m, mcpserver.Options{})
		var ids [2]string
		for i := range ids {
			ids[i] = c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10 * (i + 1)}).String("breakpoint.id")
		}
		r := launch(c)
		require.ElementsMatch(t, ids[:], r.Strings("stop.breakpointIds"), "%s", r.Raw)
		require.Equal(t, 1, r.Len("stop.alsoStopped"), "%s", r.Raw)
		thread := 0
		for _, h := range c.Notifications("debugger/breakpointHit") {
			if h.Int("threadId") != r.Int("stop.threadId") {
				thread = h.Int("threadId")
			}
		}
		requireFurther(t, r.At("stop.alsoStopped.0"), r.Strings("stop.breakpointIds")[1], thread, 1)
		require.JSONEq(t, string(r.At("stop").Raw), string(c.Do("debug_state", nil).At("stop").Raw))
		r = next(c)
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
		require.False(t, r.Has("passed"), "they were named: %s", r.Raw)
	}
}

// Each answer that lets the program run names the hits of the stop before that no answer has named.
func TestHitsOfALateSweepAreNamedNext(t *testing.T) {
	for tool, args := range map[string]mcptest.Args{
		"debug_continue": {}, "debug_step": {}, "debug_run_to": {"file": loopFile, "line": 2},
		"batch_evaluate": {"experiments": []any{mcptest.Args{"file": loopFile, "line": 2, "capture": []string{"x"}}}},
	} {
		gate, open := daptest.Gate()
		m, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), twoLines(), func(a *daptest.Adapter) {
			a.Once("threads", daptest.Hold(gate))
		})
		c := mcptest.Serve(t, m, mcpserver.Options{})
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
		second := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 20}).String("breakpoint.id")
		require.True(t, launch(c).Has("stop"))
		running := c.BeginCall(tool, args)
		fakes.Last().WaitFor("threads")
		open()
		r := c.AwaitCall(running)
		requireFurther(t, r.At("passed.0"), second, fakes.Last().ThreadID(1), 1)
		require.Equal(t, 1, r.Len("passed"))
		if r = c.Do("debug_state", nil); r.String("session.state") == "paused" {
			require.False(t, next(c).Has("passed"), tool)
		}
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

// On real debuggers, each hit of threads that reach a line at the same moment is in some answer, once.
func TestLiveEachHitIsNamed(t *testing.T) {
	run := func(t *testing.T, c *mcptest.Client, program, source string, line, hits int) {
		c.Do("breakpoint_set", mcptest.Args{"file": source, "line": line})
		var counts []int
		for r := toFirstStop(c, program); ; r = next(c) {
			for i := range r.Len("passed") {
				counts = append(counts, r.Int("passed."+itoa(i)+".hitCount"))
			}
			if !r.Has("stop") {
				break
			}
			counts = append(counts, r.Int("stop.hitCount"))
			for i := range r.Len("stop.alsoStopped") {
				counts = append(counts, r.Int("stop.alsoStopped."+itoa(i)+".hitCount"))
			}
		}
		slices.Sort(counts)
		want := make([]int, hits)
		for i := range want {
			want[i] = i + 1
		}
		require.Equal(t, want, counts)
		require.Equal(t, hits, c.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"))
	}
	t.Run("Delve", func(t *testing.T) {
		folder := t.TempDir()
		source := writeGo(t, folder, `package main

import "sync"

func handle(id int, start chan bool, wg *sync.WaitGroup) {
	<-start
	println("served", id) // line 7
	wg.Done()
}

func main() {
	start := make(chan bool)
	var wg sync.WaitGroup
	for i := 0; i < 6; i++ {
		wg.Add(1)
		go handle(i, start, &wg)
	}
	close(start)
	wg.Wait()
}
`)
		run(t, liveDelve(t), folder, source, 7, 6)
	})
	t.Run("lldb-dap", func(t *testing.T) {
		source, program := writeC(t, t.TempDir(), `#include <pthread.h>
pthread_barrier_t b;
void *work(void *p) {
  pthread_barrier_wait(&b);
  int x = *(int *)p;
  return x ? p : 0; // line 6
}
int main(void) {
  pthread_t t[4]; int n[4];
  pthread_barrier_init(&b, 0, 4);
  for (int i = 0; i < 4; i++) { n[i] = i; pthread_create(&t[i], 0, work, &n[i]); }
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
}
`, "-g", "-O0", "-pthread")
		run(t, liveLLDB(t), program, source, 6, 4)
	})
}
