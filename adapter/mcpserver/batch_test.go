package mcpserver_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

func at(line int, more ...any) mcptest.Args {
	e := mcptest.Args{"trigger": mcptest.Args{"file": source, "line": line}}
	for i := 0; i < len(more); i += 2 {
		e[more[i].(string)] = more[i+1]
	}
	return e
}

func TestBatch(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, loop(1_000_000))
		first := s.breakAt(21)
		s.launch(t)
		require.Equal(t, "paused", s.state())
		s.Do("breakpoint_remove", mcptest.Args{"id": first})
		r := s.Do("batch_evaluate", mcptest.Args{"experiments": []any{
			at(10, "capture", []string{"i", "square", "nosuch"}, "condition", "i > 5", "max_hits", 3),
			at(22, "capture", []string{"i"}),
			at(11),
		}})
		require.Equal(t, "all_triggered", r.String("completionReason"), "%s", r.Raw)
		require.Equal(t, []int{3, 3, 0, 0}, []int{r.Int("totalExperiments"), r.Int("triggered"), r.Int("notTriggered"),
			r.Int("errors")})
		require.Equal(t, 3, r.Int("experiments.0.hitCount"))
		for i := range 3 {
			h := r.At(fmt.Sprintf("experiments.0.hits.%d", i))
			require.Equal(t, itoa(6+i), h.String("values.i"))
			require.Equal(t, itoa((6+i)*(6+i)), h.String("values.square"))
			require.NotEmpty(t, h.String("evalErrors.nosuch"))
			require.Equal(t, 10, h.Int("location.line"))
			require.NotZero(t, h.Int("seq"))
			require.NotZero(t, h.Int("threadId"))
		}
		require.Equal(t, "0", r.String("experiments.1.hits.0.values.i"))
		require.Equal(t, 1, r.Len("experiments.2.hits"))

		// Everything is as before: paused, with nothing set, also in the debugger.
		require.Equal(t, "pause", r.String("stop.reason"))
		require.Equal(t, "paused", s.state())
		require.Equal(t, 0, s.Do("breakpoint_list", nil).Int("count"))
		sent := s.adapter().Requests("setBreakpoints")
		require.Contains(t, string(sent[len(sent)-1].Arguments), `"breakpoints":[]`)

		// The hits are in the journal too, as tracepoint hits.
		events := s.Do("events_query", mcptest.Args{"types": []string{"tracepoint"}})
		require.Equal(t, 5, events.Len("events"))
	})
}

// TestBatchEnds covers the other ends of a batch. The program stays as the end left it.
func TestBatchEnds(t *testing.T) {
	t.Run("exit", func(t *testing.T) {
		s := netcoredbg(t, loop(3))
		s.Do("debug_launch", mcptest.Args{"program": program})
		r := s.Do("batch_evaluate",
			mcptest.Args{"experiments": []any{at(10, "capture", []string{"i"}, "max_hits", 10), at(11, "condition", "i == 77")}})
		require.Equal(t, "process_exited", r.String("completionReason"))
		require.Equal(t, 3, r.Int("experiments.0.hitCount"))
		require.Equal(t, "not_triggered", r.String("experiments.1.status"))
		require.True(t, r.Has("exitCode"))
	})
	t.Run("a breakpoint of somebody else", func(t *testing.T) {
		s := netcoredbg(t, loop(1_000_000))
		s.Do("debug_launch", mcptest.Args{"program": program})
		id := s.Do("breakpoint_set", mcptest.Args{"file": source, "line": 22, "condition": "i == 2"}).String("breakpoint.id")
		r := s.Do("batch_evaluate", mcptest.Args{"experiments": []any{at(10, "capture", []string{"i"}, "max_hits", 100)}})
		require.Equal(t, "stopped", r.String("completionReason"))
		require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"))
		require.Equal(t, 3, r.Int("experiments.0.hitCount"))
		require.Equal(t, 1, s.Do("breakpoint_list", nil).Int("count"))
	})
	t.Run("limit of all", func(t *testing.T) {
		s := netcoredbg(t, loop(1_000_000))
		s.Do("debug_launch", mcptest.Args{"program": program})
		r := s.Do("batch_evaluate",
			mcptest.Args{"max_total_hits": 5, "experiments": []any{at(10, "max_hits", 100), at(11, "max_hits", 100)}})
		require.Equal(t, "hit_limit_reached", r.String("completionReason"))
		require.Equal(t, 5, r.Int("experiments.0.hitCount")+r.Int("experiments.1.hitCount"))
	})
	t.Run("time", func(t *testing.T) {
		s := netcoredbg(t, loop(1_000_000))
		s.Do("debug_launch", mcptest.Args{"program": program})
		r := s.Do("batch_evaluate",
			mcptest.Args{"timeout_ms": 20, "experiments": []any{at(10, "condition", "i == 77777777")}})
		require.Equal(t, "timeout", r.String("completionReason"))
		require.Equal(t, "paused", s.state())
	})
	t.Run("cancelled", func(t *testing.T) {
		s := netcoredbg(t, loop(1_000_000))
		s.Do("debug_launch", mcptest.Args{"program": program})
		id := s.BeginCall("batch_evaluate", mcptest.Args{"experiments": []any{at(10, "condition", "i == 77777777")}})
		s.AwaitNotifications("debugger/sessionStateChanged", 3) // running, paused at the entry, running
		s.Refused(fault.BatchRunning, "batch_evaluate", mcptest.Args{"experiments": []any{at(11)}})
		s.Notify("notifications/cancelled", map[string]any{"requestId": id})
		s.AwaitNotifications("debugger/sessionStateChanged", 4)
		require.Equal(t, "pause", s.Do("debug_state", nil).String("stop.reason"))
		require.Equal(t, 0, s.Do("breakpoint_list", nil).Int("count"))
	})
	t.Run("cancelled before it runs", func(t *testing.T) {
		s := netcoredbg(t, loop(1_000_000))
		s.Do("debug_launch", mcptest.Args{"program": program})
		hold := make(chan struct{})
		s.adapter().OnRequest("continue", func(*dapclient.Message) daptest.Action { return daptest.Hold(hold) })
		id := s.BeginCall("batch_evaluate", mcptest.Args{"experiments": []any{at(10, "condition", "i == 77777777")}})
		s.adapter().WaitFor("continue")
		s.Notify("notifications/cancelled", map[string]any{"requestId": id})
		s.Do("debug_state", nil) // handled after the cancellation
		close(hold)
		s.AwaitNotifications("debugger/sessionStateChanged", 4)
		require.Equal(t, "pause", s.Do("debug_state", nil).String("stop.reason"))
		require.Equal(t, 0, s.Do("breakpoint_list", nil).Int("count"))
	})
	t.Run("the debugger dies", func(t *testing.T) {
		s := netcoredbg(t, loop(1_000_000))
		s.Do("debug_launch", mcptest.Args{"program": program})
		id := s.BeginCall("batch_evaluate", mcptest.Args{"experiments": []any{at(10, "condition", "i == 77777777")}})
		s.AwaitNotifications("debugger/sessionStateChanged", 3) // running, paused at the entry, running
		s.adapter().Close()
		require.Equal(t, "process_exited", s.AwaitCall(id).String("completionReason"))
		require.Equal(t, 0, s.Do("breakpoint_list", nil).Int("count"))
	})
}

func TestBatchRefuses(t *testing.T) {
	s := netcoredbg(t, loop(3))
	s.Refused(fault.NoSession, "batch_evaluate", mcptest.Args{"experiments": []any{at(10)}})
	s.Do("debug_launch", mcptest.Args{"program": program})
	many := make([]any, 21)
	for i := range many {
		many[i] = at(10)
	}
	for _, tt := range []struct {
		code        fault.Code
		message     string
		experiments any
	}{
		{fault.InvalidParameter, "a list of objects with from 1 to 20 items", many},
		{fault.InvalidParameter, "a list of objects", []any{}},
		{fault.InvalidParameter, "a list of objects", "[{"},
		{fault.InvalidParameter, "experiment 0 has no trigger", []any{mcptest.Args{"capture": []string{"i"}}}},
		{fault.InvalidParameter, `wrong in item 1: unknown parameter "captures", did you mean "capture"?`,
			[]any{at(10), at(11, "captures", []string{"i"})}},
		{fault.InvalidParameter, "max_hits", []any{at(10, "max_hits", 0)}},
		{fault.InvalidParameter, "capture of experiment 0", []any{at(10, "capture", []string{"a[0"})}},
		{fault.InvalidCondition, "condition of experiment 0 is empty", []any{at(10, "condition", " ")}},
		{fault.EvalRejected, `not allowed with eval_mode "safe"`, []any{at(10), at(11, "capture", []string{"Kill()"})}},
		{fault.EvalRejected, "not allowed", []any{at(10, "condition", "i = 3")}},
	} {
		e := s.Refused(tt.code, "batch_evaluate", mcptest.Args{"experiments": tt.experiments})
		require.Contains(t, e.String("error.message"), tt.message)
	}
	require.Equal(t, "paused", s.state(), "nothing ran")
	require.Equal(t, 0, s.Do("breakpoint_list", nil).Int("count"))
	// A text with the list, with the place in the experiment itself, as older servers accepted it; calls when they
	// are requested.
	r := s.Do("batch_evaluate", mcptest.Args{"eval_mode": "full",
		"experiments": fmt.Sprintf(`[{"file":%q,"line":10,"capture":["i"],"mode":"non_blocking"}]`, source)})
	require.Equal(t, 1, r.Int("triggered"))
}

// TestLiveBatch uses the real Delve: from a paused program to its end, and beside a running one.
func TestLiveBatch(t *testing.T) {
	c := liveDelve(t)
	file := fixtures.GoSource("loop")
	c.Do("debug_launch", mcptest.Args{"program": fixtures.BuildGo(t, "loop"), "args": []string{"50"}, "backend": "dlv"})
	r := c.Do("batch_evaluate", mcptest.Args{"experiments": []any{
		mcptest.Args{"trigger": mcptest.Args{"file": file, "line": 12}, "capture": []string{"i", "result"},
			"condition": "i%10 == 3", "max_hits": 5},
		mcptest.Args{"trigger": mcptest.Args{"file": file, "line": 33}, "capture": []string{"sum", "n"}, "max_hits": 2},
		mcptest.Args{"trigger": mcptest.Args{"file": file, "line": 9999}},
	}})
	require.Equal(t, "process_exited", r.String("completionReason"), "%s", r.Raw)
	require.Equal(t, 5, r.Int("experiments.0.hitCount"))
	for i := range 5 {
		n := 10*i + 3
		require.Equal(t, itoa(n), r.String(fmt.Sprintf("experiments.0.hits.%d.values.i", i)))
		require.Equal(t, itoa(n*n%7), r.String(fmt.Sprintf("experiments.0.hits.%d.values.result", i)))
	}
	require.Equal(t, "50", r.String("experiments.1.hits.0.values.n"))
	require.Equal(t, "error", r.String("experiments.2.status"))
	require.Contains(t, r.String("experiments.2.error"), "there is no line 9999")
	require.Equal(t, 0, r.Int("exitCode"))
	require.Equal(t, 0, c.Do("breakpoint_list", nil).Int("count"))

	c.Do("debug_launch", mcptest.Args{"program": fixtures.BuildGo(t, "longrun"), "stop_at_entry": false, "backend": "dlv"})
	long := fixtures.GoSource("longrun")
	r = c.Do("batch_evaluate", mcptest.Args{"experiments": []any{
		mcptest.Args{"trigger": mcptest.Args{"file": long, "line": fixtures.Mark(t, "longrun", "hit")},
			"capture": []string{"next"}, "max_hits": 3},
	}})
	require.Equal(t, "all_triggered", r.String("completionReason"), "%s", r.Raw)
	require.Equal(t, "running", c.Do("debug_state", nil).String("session.state"), "it ran, so it runs")
	require.False(t, r.Has("stop"))
}

// acceptCollecting is the acceptance script's part about batches: two snapshots of Work, then several places at once
// until the end of the program.
func acceptCollecting(t *testing.T, l lab) {
	c := l.connect(t, "loop")
	set := c.Do("breakpoint_set", mcptest.Args{"file": l.source, "line": l.hit, "condition": "i >= 2"})
	l.start(c, l.loop, false, "6")
	c.Do("snapshot_create", nil)
	c.Do("debug_continue", mcptest.Args{"wait": true})
	c.Do("snapshot_create", nil)
	d := c.Do("snapshot_diff", mcptest.Args{"snapshot_id_1": "snap-1", "snapshot_id_2": "snap-2"}).At("diff")
	got := map[string]string{}
	for n := range d.Len("modified") {
		m := d.At(fmt.Sprintf("modified.%d", n))
		got[m.String("path")] = m.String("oldValue") + " -> " + m.String("newValue")
	}
	require.Equal(t, "2 -> 3", got["i"], "%s", d.Raw)
	require.Equal(t, "4 -> 9", got["square"], "%s", d.Raw)

	c.Do("breakpoint_remove", mcptest.Args{"id": set.String("breakpoint.id")})
	place := func(line, hits int, capture ...string) mcptest.Args {
		return mcptest.Args{"trigger": mcptest.Args{"file": l.source, "line": line}, "capture": capture, "max_hits": hits}
	}
	r := c.Do("batch_evaluate", mcptest.Args{"experiments": []any{place(l.hit, 10, "i", "square"), place(l.call, 2, "i")}})
	require.Equal(t, "process_exited", r.String("completionReason"), "%s", r.Raw)
	require.Equal(t, 2, r.Int("experiments.0.hitCount"), "i is 4 and 5: %s", r.Raw)
	for n := range 2 {
		h := r.At(fmt.Sprintf("experiments.0.hits.%d", n))
		require.Equal(t, itoa(4+n), h.String("values.i"))
		require.Equal(t, itoa((4+n)*(4+n)), h.String("values.square"))
	}
	require.Equal(t, 2, r.Int("experiments.1.hitCount"))
	require.Equal(t, 0, c.Do("breakpoint_list", nil).Int("count"))
}
