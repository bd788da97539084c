package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// The rules of breakpoint_wait, one by one.

// A hit between continue and wait is returned as new.
func TestWaitReturnsWhatCameBefore(t *testing.T) {
	s := netcoredbg(t, loop(5))
	s.launchTo(t, 10)
	s.Do("debug_continue", nil)
	s.AwaitNotifications("debugger/breakpointHit", 2)
	r := s.Do("breakpoint_wait", nil)
	require.True(t, r.Bool("hit"))
	require.Equal(t, "hit", r.String("reason"))
	require.Equal(t, "paused", r.String("state"))
	require.Equal(t, 2, r.Int("stop.hitCount"))
	require.Equal(t, "bp-1", r.String("breakpointId"))
	require.False(t, r.Has("alreadySeen"))
	require.GreaterOrEqual(t, r.Int("lastSeq"), r.Int("stop.seq"))
}

// Paused at a stop that was returned by any tool: the wait returns at once, with that stop.
func TestWaitAtAKnownStop(t *testing.T) {
	for _, test := range []struct {
		tool string
		args mcptest.Args
	}{
		{"debug_continue", mcptest.Args{"wait": true}},
		{"debug_step", nil},
		{"breakpoint_wait", nil},
		{"debug_state", nil},
		{"debug_pause", nil},
	} {
		t.Run(test.tool, func(t *testing.T) {
			s := netcoredbg(t, loop(9))
			s.launchTo(t, 10)
			if test.tool == "breakpoint_wait" || test.tool == "debug_state" || test.tool == "debug_pause" {
				s.Do("debug_continue", nil)
				s.AwaitNotifications("debugger/breakpointHit", 2)
			}
			given := s.Do(test.tool, test.args)
			r := s.Do("breakpoint_wait", nil)
			require.True(t, r.Bool("alreadySeen"), "%s", r.Raw)
			require.Equal(t, given.Int("stop.seq"), r.Int("stop.seq"))
			again := s.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 0})
			require.True(t, again.Bool("alreadySeen"))
			require.Equal(t, r.Get("stop"), again.Get("stop"))
		})
	}
	t.Run("debug_launch", func(t *testing.T) {
		s := netcoredbg(t, loop(9))
		given := s.launchTo(t, 10)
		r := s.Do("breakpoint_wait", nil)
		require.True(t, r.Bool("alreadySeen"))
		require.Equal(t, given.Get("stop"), r.Get("stop"))
		require.True(t, r.Bool("hit"))
	})
}

// A notification or an event does not count as returned.
func TestNotificationsAndEventsAreNotAnswers(t *testing.T) {
	s := netcoredbg(t, loop(5))
	s.launchTo(t, 10)
	s.Do("debug_continue", nil)
	s.AwaitNotifications("debugger/breakpointHit", 2)
	require.Len(t, s.events("hit"), 2)
	r := s.Do("breakpoint_wait", nil)
	require.False(t, r.Has("alreadySeen"), "%s", r.Raw)
}

// With after_seq the client's own cursor is ignored.
func TestWaitAfterSeq(t *testing.T) {
	s := netcoredbg(t, loop(5))
	first := s.launchTo(t, 10)
	second := s.Do("debug_continue", mcptest.Args{"wait": true})
	r := s.Do("breakpoint_wait", mcptest.Args{"after_seq": 0})
	require.Equal(t, first.Int("stop.seq"), r.Int("stop.seq"), "the first one after")
	require.False(t, r.Has("stop.locals"), "it has been left")
	require.False(t, r.Has("alreadySeen"))
	r = s.Do("breakpoint_wait", mcptest.Args{"after_seq": first.Int("stop.seq")})
	require.Equal(t, second.Get("stop"), r.Get("stop"))
	require.False(t, r.Has("alreadySeen"), "not with after_seq")
	r = s.Do("breakpoint_wait", mcptest.Args{"after_seq": second.Int("stop.seq"), "timeout_ms": 30})
	require.Equal(t, "timeout", r.String("reason"), "%s", r.Raw)
	require.Equal(t, "paused", r.String("state"))
	wait := s.BeginCall("breakpoint_wait", mcptest.Args{"after_seq": second.Int("stop.seq")})
	s.Do("debug_continue", nil)
	require.Equal(t, 3, s.AwaitCall(wait).Int("stop.hitCount"))
}

// The cursor is read when the call arrives and moves when an answer is written: concurrent waits all get the same
// stop.
func TestConcurrentWaits(t *testing.T) {
	gate, open := daptest.Gate()
	s := netcoredbg(t, sleeper(gate))
	s.breakAt(3)
	s.launch(t)
	var waits []int
	for range 20 {
		waits = append(waits, s.BeginCall("breakpoint_wait", nil))
	}
	s.Do("debug_state", nil)
	open()
	var stop any
	for _, id := range waits {
		r := s.AwaitCall(id)
		require.True(t, r.Bool("hit"))
		require.False(t, r.Has("alreadySeen"))
		if stop == nil {
			stop = r.Get("stop")
		}
		require.Equal(t, stop, r.Get("stop"))
	}
	require.True(t, s.Do("breakpoint_wait", nil).Bool("alreadySeen"))
}

// With breakpoint_id only hit depends on the breakpoint.
func TestWaitForOneBreakpoint(t *testing.T) {
	s := netcoredbg(t, loop(5))
	s.launchTo(t, 10)
	other := s.breakAt(22)
	s.Do("debug_continue", nil)
	r := s.Do("breakpoint_wait", mcptest.Args{"breakpoint_id": "bp-1"})
	require.False(t, r.Bool("hit"), "%s", r.Raw)
	require.Equal(t, 22, r.Int("stop.location.line"))
	require.Equal(t, other, r.String("breakpointId"))
	s.Do("debug_continue", nil)
	r = s.Do("breakpoint_wait", mcptest.Args{"breakpoint_id": "bp-1"})
	require.True(t, r.Bool("hit"))
	require.Equal(t, "bp-1", r.String("breakpointId"))
	s.Refused(fault.BreakpointNotFound, "breakpoint_wait", mcptest.Args{"breakpoint_id": "bp-77"})
}

// Tracepoint hits never end a wait.
func TestTracepointsDoNotEndAWait(t *testing.T) {
	gate, open := daptest.Gate()
	p := sleeper(gate)
	p.Threads[0].Code = daptest.Seq(p.Threads[0].Code, loop(50).Threads[0].Code)
	s := netcoredbg(t, p)
	trace := s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 10, "strategy": "stop"}).String("breakpoint.id")
	s.launch(t)
	wait := s.BeginCall("breakpoint_wait", mcptest.Args{"breakpoint_id": trace})
	s.Do("debug_state", nil)
	open()
	r := s.AwaitCall(wait)
	require.Equal(t, "exited", r.String("reason"))
	require.False(t, r.Bool("hit"))
	require.Len(t, s.events("tracepoint"), 50)
}

// Every kind of stop and end has its reason.
func TestWaitReasons(t *testing.T) {
	begin := func(t *testing.T) (*session, func()) {
		gate, open := daptest.Gate()
		t.Cleanup(open)
		s := netcoredbg(t, sleeper(gate))
		s.launch(t)
		return s, open
	}
	t.Run("pause", func(t *testing.T) {
		s, _ := begin(t)
		wait := s.BeginCall("breakpoint_wait", nil)
		s.Do("debug_pause", nil)
		r := s.AwaitCall(wait)
		require.Equal(t, "pause", r.String("reason"))
		require.False(t, r.Bool("hit"))
		require.Equal(t, "paused", r.String("state"))
	})
	t.Run("exited", func(t *testing.T) {
		s, open := begin(t)
		wait := s.BeginCall("breakpoint_wait", nil)
		open()
		r := s.AwaitCall(wait)
		require.Equal(t, "exited", r.String("reason"))
		require.Equal(t, 7, r.Int("exitCode"))
		require.Equal(t, "terminated", r.String("state"))
	})
	t.Run("disconnected", func(t *testing.T) {
		s, _ := begin(t)
		wait := s.BeginCall("breakpoint_wait", nil)
		s.Do("debug_state", nil)
		s.Do("debug_disconnect", nil)
		r := s.AwaitCall(wait)
		require.Equal(t, "disconnected", r.String("reason"))
	})
	t.Run("backend_exited", func(t *testing.T) {
		s, _ := begin(t)
		wait := s.BeginCall("breakpoint_wait", nil)
		s.Do("debug_state", nil)
		s.adapter().Close()
		require.Equal(t, "backend_exited", s.AwaitCall(wait).String("reason"))
	})
	t.Run("step", func(t *testing.T) {
		s := netcoredbg(t, loop(3))
		first := s.launchTo(t, 10)
		s.Do("debug_step", nil)
		r := s.Do("breakpoint_wait", mcptest.Args{"after_seq": first.Int("stop.seq")})
		require.Equal(t, "step", r.String("reason"))
	})
	t.Run("entry", func(t *testing.T) {
		s := netcoredbg(t, loop(3))
		s.Do("debug_launch", mcptest.Args{"program": program})
		r := s.Do("breakpoint_wait", nil)
		require.Equal(t, "entry", r.String("reason"))
		require.True(t, r.Bool("alreadySeen"))
		require.False(t, r.Bool("hit"))
	})
	t.Run("timeout", func(t *testing.T) {
		s, _ := begin(t)
		r := s.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 30})
		require.Equal(t, "timeout", r.String("reason"))
		require.False(t, r.Bool("hit"))
		require.Equal(t, "running", r.String("state"))
		r = s.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 0})
		require.Equal(t, "timeout", r.String("reason"))
	})
	t.Run("exception", func(t *testing.T) {
		p := loop(1)
		p.Threads[0].Code = daptest.Seq(daptest.Lines(daptest.Step{
			File: source, Line: 40, Func: "main.main",
			Throws: &daptest.Exception{Type: "System.Exception", Message: "boom", Unhandled: true},
		}))
		s := netcoredbg(t, p)
		r := s.Settled(s.launch(t))
		require.Equal(t, "exception", r.String("stop.reason"), "%s", r.Raw)
		r = s.Do("breakpoint_wait", nil)
		require.Equal(t, "exception", r.String("reason"))
	})
}

// Each client gets the end once.
func TestEndIsGivenOnce(t *testing.T) {
	gate, open := daptest.Gate()
	s := netcoredbg(t, sleeper(gate))
	s.launch(t)
	open()
	s.AwaitNotification("debugger/sessionStateChanged", func(r mcptest.Result) bool {
		return r.String("newState") == "terminated"
	})
	require.Equal(t, "exited", s.Do("breakpoint_wait", nil).String("reason"), "also when it came before the call")
	r := s.Refused(fault.NoSession, "breakpoint_wait", nil)
	require.Contains(t, r.String("error.message"), "7")
	require.Equal(t, "exited", s.Do("breakpoint_wait", mcptest.Args{"after_seq": 0}).String("reason"),
		"after_seq asks for it again")
}

func TestEndIsGivenToEachClient(t *testing.T) {
	gate, open := daptest.Gate()
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), sleeper(gate))
	a := &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
	b := &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
	a.breakAt(2)
	a.Settled(a.launch(t))
	require.True(t, a.Do("breakpoint_wait", nil).Bool("alreadySeen"))
	r := b.Do("breakpoint_wait", nil)
	require.True(t, r.Bool("hit"))
	require.False(t, r.Has("alreadySeen"), "the other client was not given it")
	open()
	for _, c := range []*session{a, b} {
		wait := c.BeginCall("breakpoint_wait", mcptest.Args{"after_seq": c.Do("debug_state", nil).Int("stop.seq")})
		if c == b {
			b.Do("debug_continue", nil)
			require.Equal(t, "exited", c.AwaitCall(wait).String("reason"))
		}
	}
	b.Refused(fault.NoSession, "breakpoint_wait", nil)
}

// Cancelling a wait ends it at once, without a response, and loses nothing: the next call gets the stop.
func TestCancelOfAWait(t *testing.T) {
	gate, open := daptest.Gate()
	s := netcoredbg(t, sleeper(gate))
	s.breakAt(3)
	s.launch(t)
	wait := s.BeginCall("breakpoint_wait", nil)
	s.Do("debug_state", nil)
	s.Notify("notifications/cancelled", map[string]any{"requestId": wait, "reason": "enough"})
	s.Do("debug_state", nil)
	open()
	s.AwaitNotifications("debugger/breakpointHit", 1)
	r := s.Do("breakpoint_wait", nil)
	require.True(t, r.Bool("hit"))
	require.False(t, r.Has("alreadySeen"), "%s", r.Raw)
	require.False(t, s.Answered(wait), "no response at all")

	// A cancelled continue with wait has resumed the program all the same.
	resume := s.BeginCall("debug_continue", mcptest.Args{"wait": true, "timeout_ms": 20_000})
	s.Notify("notifications/cancelled", map[string]any{"requestId": resume})
	s.AwaitNotification("debugger/sessionStateChanged", func(r mcptest.Result) bool {
		return r.String("newState") == "terminated"
	})
}

// Without a session id the only session is meant; without a session there is nothing to wait for.
func TestWaitWithoutASession(t *testing.T) {
	s := netcoredbg(t, loop(1))
	s.Refused(fault.NoSession, "breakpoint_wait", nil)
	s.Refused(fault.NoSession, "breakpoint_wait", mcptest.Args{"after_seq": 0})
	s.Refused(fault.NoSession, "breakpoint_wait", mcptest.Args{"session_id": "s4"})
}

// The stops of a new session are new, whatever was returned of the previous one.
func TestWaitAfterARestart(t *testing.T) {
	s := netcoredbg(t, loop(3))
	s.launchTo(t, 10)
	wait := s.Begin("tools/call", map[string]any{
		"name": "breakpoint_wait", "arguments": mcptest.Args{"after_seq": s.Do("debug_state", nil).Int("stop.seq")},
		"_meta": map[string]any{"progressToken": "w"},
	})
	s.AwaitNotifications("notifications/progress", 1) // it waits, with the current session
	r := s.Do("debug_restart", nil)
	require.Equal(t, 1, r.Int("stop.hitCount"))
	require.Equal(t, "disconnected", s.AwaitCall(wait).String("reason"), "the old session's wait ended with it")
	require.True(t, s.Do("breakpoint_wait", nil).Bool("alreadySeen"))
}

// A waiting call reports its progress if the client asked for it.
func TestWaitTellsProgress(t *testing.T) {
	gate, open := daptest.Gate()
	s := netcoredbg(t, sleeper(gate))
	s.launch(t)
	wait := s.Begin("tools/call", map[string]any{
		"name": "breakpoint_wait", "arguments": map[string]any{}, "_meta": map[string]any{"progressToken": "p-1"},
	})
	r := s.AwaitNotifications("notifications/progress", 1)[0]
	require.Equal(t, "p-1", r.String("progressToken"))
	require.Contains(t, r.String("message"), "running")
	require.Equal(t, 30, r.Int("total"))
	open()
	require.Equal(t, "exited", s.AwaitCall(wait).String("reason"))
}

// A tracepoint that has failed logs no more, so the answer of a wait names it: at a timeout, and at a stop when it
// failed during the wait.
func TestWaitNamesAFailedTracepoint(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	program := loop(1)
	program.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
		return daptest.Var{Value: "1", Type: "int", Gate: gate}, call.Expression == "Endless"
	}
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{Endless}"}).
		String("breakpoint.id")
	bp := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 22}).String("breakpoint.id")
	c.Do("debug_launch", mcptest.Args{"program": "/x.dll", "stop_at_entry": false})
	for c.Do("breakpoint_list", nil).String("breakpoints.0.state") != "failed" {
		continue
	}
	r := c.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 0})
	require.Equal(t, "timeout", r.String("reason"), "%s", r.Raw)
	require.Equal(t, id, r.String("breakpoints.0.id"), "%s", r.Raw)
	require.Equal(t, "failed", r.String("breakpoints.0.state"))
	require.Contains(t, r.String("breakpoints.0.message"), "did not end in time")
	changed := c.Do("events_query", mcptest.Args{"types": []string{"breakpoint"}, "breakpoint_id": id})
	require.Contains(t, string(changed.Raw), `"state":"failed"`)
	open()
	r = c.Do("breakpoint_wait", nil)
	require.Equal(t, bp, r.String("breakpointId"), "%s", r.Raw)
	require.Equal(t, id, r.String("breakpoints.0.id"), "it failed during the wait: %s", r.Raw)
	require.Equal(t, 1, r.Len("breakpoints"))
}

// A breakpoint that is not bound is named when a wait times out, and at the end when it never was.
func TestWaitNamesWhatIsNotBound(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		program := loop(2)
		program.Sources = map[string][]int{loopFile: {9, 10, 11, 21, 22}}
		m, _ := mcptest.Fake(t, profile, shape, program)
		c := mcptest.Serve(t, m, mcpserver.Options{})
		lost := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 500}).String("breakpoint.id")
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
		r := c.Settled(start(c))
		require.False(t, r.Has("breakpoints.1"), "%s", r.Raw)
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, "hit", r.String("reason"), "%s", r.Raw)
		require.False(t, r.Has("breakpoints"), "a stop says only what is new: %s", r.Raw)
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
		require.Equal(t, lost, r.String("breakpoints.0.id"), "%s", r.Raw)
		require.Equal(t, 1, r.Len("breakpoints"), "the other one was bound")
	})
}
