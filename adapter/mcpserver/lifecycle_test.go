package mcpserver_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

func TestLaunchToTheEnd(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, loop(2))
		id := s.breakAt(10)
		r := s.launch(t)
		require.Equal(t, name, r.String("session.backend"))
		require.Equal(t, "launch", r.String("session.launchMode"))
		require.False(t, r.Has("session.capabilities"))
		known := s.Do("debug_state", nil)
		require.NotEmpty(t, known.String("session.attachedAt"))
		require.Equal(t, "native", known.String("session.capabilities.pause"))
		require.Equal(t, "breakpoint", r.String("stop.reason"))
		require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"))
		require.Equal(t, "LoopApp.Program.Work()", r.String("stop.location.functionName"))
		require.False(t, r.Has("breakpoints"), "all are bound: %s", r.Raw)

		r = s.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, 2, r.Int("stop.hitCount"))
		r = s.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, "exited", r.String("reason"))
		require.Equal(t, "terminated", r.String("session.state"))
		require.Equal(t, "exited", r.String("session.endReason"))
		require.True(t, r.Has("session.exitCode"), "%s", r.Raw)
		<-s.adapter().Done()
		require.Equal(t, daptest.FateExited, s.adapter().Fate())

		changes := s.changes()
		require.Equal(t, "starting", changes[0][:8])
		require.Subset(t, changes, []string{"running paused", "paused running", "running terminated"})
		for i := 1; i < len(changes); i++ {
			var was, is string
			_, was, _ = cut(changes[i-1])
			is, _, _ = cut(changes[i])
			assert.Equal(t, was, is, "the changes make a chain: %v", changes)
		}
	})
}

func cut(change string) (from, to string, ok bool) {
	for i := range change {
		if change[i] == ' ' {
			return change[:i], change[i+1:], true
		}
	}
	return "", "", false
}

func TestStopAtEntry(t *testing.T) {
	entry := daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
		daptest.Step{File: source, Line: 1, Func: "main.main"},
		daptest.Step{File: source, Line: 2, Func: "main.main"},
	)}}}
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, entry)
		r := s.Do("debug_launch", mcptest.Args{"program": program})
		require.Equal(t, "entry", r.String("stop.reason"), "%s", r.Raw)
		require.Equal(t, "paused", r.String("session.state"))
		require.Equal(t, 1, r.Int("stop.location.line"))
		require.Equal(t, 0, r.Len("stop.breakpointIds"))
		require.Empty(t, s.Notifications("debugger/breakpointHit"), "the entry is nobody's breakpoint")
		require.Equal(t, 0, s.Do("breakpoint_list", nil).Int("count"))
		r = s.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, "exited", r.String("reason"))
	})
}

func TestAttach(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		for _, test := range []struct {
			name      string
			terminate any
			state     string
			reason    string
			fate      daptest.Fate
		}{
			{"let go by default", nil, "disconnected", "disconnected", daptest.FateDetached},
			{"let go", false, "disconnected", "disconnected", daptest.FateDetached},
			{"ended", true, "disconnected", "killed", daptest.FateKilled},
		} {
			t.Run(test.name, func(t *testing.T) {
				gate, open := daptest.Gate()
				defer open()
				s := serve(t, name, shape, sleeper(gate))
				r := s.Do("debug_attach", mcptest.Args{"pid": 4242})
				require.Equal(t, "running", r.String("session.state"))
				require.Equal(t, "attach", r.String("session.launchMode"))
				require.Equal(t, 4242, r.Int("session.processId"))
				require.False(t, r.Has("stop"))
				require.Equal(t, "pause", s.Do("debug_pause", nil).String("stop.reason"))

				args := mcptest.Args{}
				if test.terminate != nil {
					args["terminate"] = test.terminate
				}
				if test.fate == daptest.FateKilled && (name == "dlv" || name == "debugpy") {
					// These adapters do not advertise it, and the process is not ours to kill.
					s.Refused(fault.NotSupported, "debug_disconnect", args)
					require.Equal(t, "paused", s.state())
					return
				}
				r = s.Do("debug_disconnect", args)
				require.Equal(t, test.state, r.String("state"))
				require.Equal(t, test.fate == daptest.FateKilled, r.Bool("wasTerminated"))
				require.Less(t, len(r.Raw), 250, "%s", r.Raw)
				require.Equal(t, test.reason, r.String("session.endReason"))
				<-s.adapter().Done()
				require.Equal(t, test.fate, s.adapter().Fate())
				require.Equal(t, "disconnected", s.state())
			})
		}
	})
}

func TestAttachAndStop(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		gate, open := daptest.Gate()
		defer open()
		s := serve(t, name, shape, sleeper(gate))
		r := s.Do("debug_attach", mcptest.Args{"pid": 4242, "stop_on_attach": true})
		require.Equal(t, "paused", r.String("session.state"), "%s", r.Raw)
		require.Contains(t, []string{"pause", "entry"}, r.String("stop.reason"))
		require.Equal(t, 4242, r.Int("session.processId"))
	})
}

func TestDisconnectOfALaunchedProgram(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		gate, open := daptest.Gate()
		defer open()
		s := serve(t, name, shape, sleeper(gate))
		s.launch(t)
		if name == "lldb-dap" {
			r := s.Do("debug_disconnect", mcptest.Args{"terminate": false})
			require.False(t, r.Bool("wasTerminated"))
			<-s.adapter().Done()
			require.Equal(t, daptest.FateDetached, s.adapter().Fate())
			return
		}
		r := s.Refused(fault.NotSupported, "debug_disconnect", mcptest.Args{"terminate": false})
		for _, key := range []string{"feature", "missingCapability", "backend", "hint"} {
			require.NotEmpty(t, r.String("error.details."+key), "%s", r.Raw)
		}
		require.Equal(t, "running", s.state(), "nothing happened")
		r = s.Do("debug_disconnect", nil)
		require.True(t, r.Bool("wasTerminated"))
		require.Equal(t, "disconnected", r.String("state"))
		require.Equal(t, "killed", r.String("session.endReason"))
		<-s.adapter().Done()
		require.Equal(t, daptest.FateKilled, s.adapter().Fate())
		s.Refused(fault.NoSession, "debug_disconnect", nil)
	})
}

func TestRestart(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, loop(3))
		id := s.breakAt(10)
		s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "args": []string{"a"},
			"env": map[string]any{"K": "V"}})
		s.Do("debug_continue", mcptest.Args{"wait": true})
		first := s.adapter()

		r := s.Do("debug_restart", mcptest.Args{"args": []string{"b", "c"}})
		require.Equal(t, "s2", r.String("session.sessionId"))
		require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"))
		require.Equal(t, 1, r.Int("stop.hitCount"), "counts start again")
		<-first.Done()
		require.Equal(t, daptest.FateKilled, first.Fate())
		var sent struct {
			Args []string
			Env  json.RawMessage
		}
		require.NoError(t, json.Unmarshal(s.adapter().Requests("launch")[0].Arguments, &sent))
		require.Equal(t, []string{"b", "c"}, sent.Args)
		require.Contains(t, string(sent.Env), "K", "what was not given stays")

		// Also after the end, when there is no live session.
		s.Do("debug_disconnect", nil)
		r = s.Do("debug_restart", nil)
		require.Equal(t, "s3", r.String("session.sessionId"))
		require.NoError(t, json.Unmarshal(s.adapter().Requests("launch")[0].Arguments, &sent))
		require.Equal(t, []string{"b", "c"}, sent.Args)
	})
}

// A restart applies to the named session, also when another program was launched later.
func TestRestartOfOneOfSeveral(t *testing.T) {
	s := serve(t, "netcoredbg", daptest.Netcoredbg(), loop(3))
	s.breakAt(10)
	start := func(arg string) string {
		return s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "args": []string{arg}}).
			String("session.sessionId")
	}
	one, two := start("one"), start("two")
	again := s.Do("debug_restart", mcptest.Args{"session_id": one}).String("session.sessionId")
	var sent struct{ Args []string }
	require.NoError(t, json.Unmarshal(s.adapter().Requests("launch")[0].Arguments, &sent))
	require.Equal(t, []string{"one"}, sent.Args)
	r := s.Do("sessions_list", nil)
	require.Equal(t, 2, r.Int("count"), "%s", r.Raw)
	require.Equal(t, []string{two, again}, []string{r.String("sessions.0.sessionId"), r.String("sessions.1.sessionId")})
}

// Two restarts at the same time restart the program once.
func TestConcurrentRestarts(t *testing.T) {
	s := serve(t, "netcoredbg", daptest.Netcoredbg(), loop(3))
	s.breakAt(10)
	s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false})
	var calls []int
	for range 4 {
		calls = append(calls, s.BeginCall("debug_restart", nil))
	}
	for _, id := range calls {
		r := s.AwaitCall(id)
		require.True(t, r.Bool("success"), "%s", r.Raw)
	}
	r := s.Do("sessions_list", nil)
	require.Equal(t, 1, r.Int("count"), "%s", r.Raw)
	require.Equal(t, "s5", r.String("sessions.0.sessionId"))
}

func TestRestartWithoutALaunch(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, sleeper(gate))
	s.Refused(fault.NoSession, "debug_restart", nil)
	s.Do("debug_attach", mcptest.Args{"pid": 4242})
	r := s.Call("debug_restart", nil)
	require.True(t, r.IsError)
	require.Contains(t, []string{"NO_SESSION", "NOT_SUPPORTED"}, r.String("error.code"))
	require.Equal(t, "running", s.state())
}

// After the end a session can still be read; every other call returns how it ended.
func TestAfterTheEnd(t *testing.T) {
	gate, open := daptest.Gate()
	s := netcoredbg(t, sleeper(gate))
	id := s.breakAt(3)
	s.launch(t)
	open()
	require.Equal(t, 3, s.Do("breakpoint_wait", nil).Int("stop.location.line"))
	require.Equal(t, "exited", s.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))

	r := s.Do("debug_state", nil)
	require.Equal(t, "terminated", r.String("session.state"))
	require.Equal(t, 7, r.Int("session.exitCode"))
	require.Equal(t, "exited", r.String("session.endReason"))
	require.False(t, r.Has("stop"))
	r = s.Do("breakpoint_list", nil)
	require.Equal(t, 1, r.Int("breakpoints.0.hitCount"), "counts stay readable: %s", r.Raw)
	require.Equal(t, id, r.String("breakpoints.0.id"))
	r = s.Do("process_read_output", nil)
	require.Equal(t, "before\n", r.String("output.0.text"))
	require.Positive(t, s.Do("events_query", mcptest.Args{"types": []string{"hit"}}).Len("events"))

	for _, tool := range []string{
		"debug_continue", "debug_pause", "debug_step", "threads_list", "stacktrace_get", "variables_get",
		"debug_disconnect", "breakpoint_wait",
	} {
		r := s.Refused(fault.NoSession, tool, nil)
		require.Contains(t, r.String("error.message"), "exited", tool)
		require.Equal(t, "s1", r.String("error.details.sessionId"), tool)
	}
	s.Refused(fault.NoSession, "evaluate", mcptest.Args{"expression": "1"})

	// The next start makes the old session unreadable.
	s.launch(t)
	s.Refused(fault.NoSession, "debug_state", mcptest.Args{"session_id": "s1"})
	require.Equal(t, 0, s.Do("events_query", mcptest.Args{"session_id": "s2", "types": []string{"output"}}).Int("dropped"))
}

func TestNothingEverStarted(t *testing.T) {
	s := netcoredbg(t, loop(1))
	r := s.Do("debug_state", nil)
	require.Equal(t, "disconnected", r.String("session.state"))
	for _, tool := range []string{
		"debug_continue", "debug_pause", "debug_step", "debug_disconnect", "threads_list", "stacktrace_get",
		"variables_get", "breakpoint_wait", "process_read_output",
	} {
		s.Refused(fault.NoSession, tool, nil)
	}
	require.Equal(t, 0, s.Do("breakpoint_list", nil).Int("count"))
	require.Equal(t, 0, s.Do("events_query", nil).Len("events"))
}

// While a session starts, calls that need a started one are refused, and other calls are answered at once.
func TestStarting(t *testing.T) {
	gate, open := daptest.Gate()
	s := netcoredbg(t, loop(2), func(a *daptest.Adapter) { a.Once("configurationDone", daptest.Hold(gate)) })
	s.breakAt(10)
	launch := s.BeginCall("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false})
	s.AwaitNotifications("debugger/sessionStateChanged", 0)
	waitUntil(t, func() bool { return s.state() == "starting" })
	for _, tool := range []string{"debug_continue", "debug_pause", "debug_step", "stacktrace_get", "variables_get"} {
		s.Refused(fault.SessionStarting, tool, nil)
	}
	s.Refused(fault.SessionStarting, "evaluate", mcptest.Args{"expression": "1"})
	require.True(t, s.Do("threads_list", nil).Bool("stale"))
	require.False(t, s.Answered(launch))
	open()
	require.Equal(t, "paused", s.AwaitCall(launch).String("session.state"))
}

func TestDisconnectWhileStarting(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, loop(2), func(a *daptest.Adapter) { a.Once("configurationDone", daptest.Hold(gate)) })
	launch := s.BeginCall("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false})
	waitUntil(t, func() bool { return s.state() == "starting" })
	r := s.Do("debug_disconnect", nil)
	require.Equal(t, "disconnected", r.String("state"))
	require.True(t, s.AwaitCall(launch).IsError)
}

// waitUntil polls until ok is true, where no notification exists.
func waitUntil(t testing.TB, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, mcptest.Patience, 1e6)
}

// attempts repeats a test until the call that was sent first also came first.
func attempts(t *testing.T, inOrder func(t *testing.T) bool) {
	t.Helper()
	for range 20 {
		if inOrder(t) {
			return
		}
	}
	require.Fail(t, "it never came in time")
}

func TestSessionsSideBySide(t *testing.T) {
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(3))
	s := &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
	id := s.breakAt(10)
	s.launch(t)
	first := s.adapter()
	s.launch(t)
	second := s.adapter()
	require.NotSame(t, first, second)

	r := s.Refused(fault.SessionAmbiguous, "debug_continue", nil)
	require.Equal(t, "s1", r.String("error.details.sessions.0.sessionId"), "%s", r.Raw)
	require.Equal(t, "s2", r.String("error.details.sessions.1.sessionId"))
	require.Contains(t, r.String("error.message"), "session_id")
	s.Refused(fault.SessionAmbiguous, "debug_state", nil)
	known := s.Do("breakpoint_wait", nil)
	require.True(t, known.Bool("alreadySeen"), "both stand at stops that were given: %s", known.Raw)
	require.Equal(t, "s2", known.String("session.sessionId"), "the later one")

	// Each session has its own state and counts; breakpoints apply to both.
	r = s.Do("debug_continue", mcptest.Args{"session_id": "s2", "wait": true})
	require.Equal(t, 2, r.Int("stop.hitCount"))
	require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"))
	require.Equal(t, "1", s.Do("evaluate", mcptest.Args{"session_id": "s2", "expression": "i"}).String("value"))
	require.Equal(t, "0", s.Do("evaluate", mcptest.Args{"session_id": "s1", "expression": "i"}).String("value"))
	require.Equal(t, 1, s.Do("breakpoint_list", mcptest.Args{"session_id": "s1"}).Int("breakpoints.0.hitCount"))
	require.Equal(t, 2, s.Do("breakpoint_list", mcptest.Args{"session_id": "s2"}).Int("breakpoints.0.hitCount"))

	// One of its own.
	own := s.Do("breakpoint_set", mcptest.Args{"file": source, "line": 22, "session_id": "s1"}).String("breakpoint.id")
	require.NotEqual(t, id, own)
	require.Equal(t, 2, s.Do("breakpoint_list", mcptest.Args{"session_id": "s1"}).Int("count"))
	require.Equal(t, 1, s.Do("breakpoint_list", mcptest.Args{"session_id": "s2"}).Int("count"))
	r = s.Do("debug_continue", mcptest.Args{"session_id": "s1", "wait": true})
	require.Equal(t, []string{own}, r.Strings("stop.breakpointIds"))
	r = s.Do("debug_continue", mcptest.Args{"session_id": "s2", "wait": true})
	require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"))

	// A wait belongs to its session: the end of the other does not end it.
	wait := s.BeginCall("breakpoint_wait",
		mcptest.Args{"session_id": "s1", "after_seq": s.Do("debug_state", mcptest.Args{"session_id": "s1"}).
			Int("session.lastSeq")})
	s.Do("debug_disconnect", mcptest.Args{"session_id": "s2"})
	<-second.Done()
	require.Equal(t, daptest.FateKilled, second.Fate())
	require.False(t, s.Answered(wait))
	require.Equal(t, "paused", s.state(), "one is left, and needs no name")
	s.Do("debug_continue", nil)
	require.True(t, s.AwaitCall(wait).Bool("hit"))
	r = s.Refused(fault.NoSession, "debug_state", mcptest.Args{"session_id": "s9"})
	require.NotEmpty(t, r.String("error.message"))
}

func TestTooManySessions(t *testing.T) {
	fakes := []func(*daptest.Adapter){}
	_, f := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(3), fakes...)
	m := adapter.NewManager(adapter.Options{Backends: f.Backends("netcoredbg"), MaxSessions: 2})
	s := &session{mcptest.Serve(t, m, mcpserver.Options{}), f}
	s.breakAt(10)
	s.launch(t)
	s.launch(t)
	s.Refused(fault.SessionLimit, "debug_launch", mcptest.Args{"program": program})
	s.Do("debug_disconnect", mcptest.Args{"session_id": "s1"})
	s.launch(t)
}

// Reverse requests are refused, and the session continues.
func TestReverseRequest(t *testing.T) {
	s := netcoredbg(t, loop(2))
	s.launchTo(t, 10)
	s.adapter().Send(`{"seq":900,"type":"request","command":"runInTerminal","arguments":{"args":["sh"]}}`)
	require.Equal(t, "paused", s.state())
	waitUntil(t, func() bool {
		for _, m := range s.adapter().Received() {
			if m.Kind == dapclient.KindResponse {
				return true
			}
		}
		return false
	})
	require.Equal(t, "0", s.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
}
