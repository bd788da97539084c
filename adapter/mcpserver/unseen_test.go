package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// unseenHit lets the program run to its second hit, of which the client is only notified. It returns the notification.
func unseenHit(t *testing.T, s *session) mcptest.Result {
	t.Helper()
	s.launchTo(t, 10)
	s.Do("debug_continue", nil)
	return s.AwaitNotifications("debugger/breakpointHit", 2)[1]
}

// A stop that a client was not told of holds its next resume up, once, and changes nothing.
func TestUnseenStop(t *testing.T) {
	for _, next := range []struct {
		tool string
		args mcptest.Args
	}{
		{"debug_continue", nil}, {"debug_continue", mcptest.Args{"wait": true}}, {"debug_step", nil},
	} {
		t.Run(next.tool, func(t *testing.T) {
			s := withLocals(t, loop(9))
			unseenHit(t, s)
			resumes := s.adapter().Count("continue") + s.adapter().Count("next")
			r := s.Do(next.tool, next.args)
			require.True(t, r.Bool("unseen"), "%s", r.Raw)
			require.Equal(t, "hit", r.String("reason"))
			require.Equal(t, 2, r.Int("stop.hitCount"))
			require.Equal(t, `{"i":"1","square":"1"}`, localsOf(r))
			require.Equal(t, "paused", r.String("session.state"))
			require.NotEmpty(t, r.String("note"))
			require.Equal(t, resumes, s.adapter().Count("continue")+s.adapter().Count("next"))

			r = s.Do("debug_step", nil)
			require.False(t, r.Has("unseen"), "once: %s", r.Raw)
			require.Equal(t, 11, r.Int("stop.location.line"))
			require.False(t, s.Do("debug_continue", mcptest.Args{"wait": true}).Has("unseen"), "it was told of the step's end")
		})
	}
}

// Everything that names the stop makes it known, and so does after_seq.
func TestSeenStop(t *testing.T) {
	read := func(uri string) func(s *session, hit mcptest.Result) mcptest.Args {
		return func(s *session, _ mcptest.Result) mcptest.Args {
			s.Request("resources/read", mcptest.Args{"uri": uri})
			return nil
		}
	}
	call := func(tool string, args mcptest.Args) func(s *session, hit mcptest.Result) mcptest.Args {
		return func(s *session, _ mcptest.Result) mcptest.Args {
			s.Do(tool, args)
			return nil
		}
	}
	for _, tt := range []struct {
		name   string
		tell   func(s *session, hit mcptest.Result) mcptest.Args // returns the arguments of the resume
		unseen bool
	}{
		{"nothing", func(*session, mcptest.Result) mcptest.Args { return nil }, true},
		{"an answer that names no stop", call("breakpoint_list", nil), true},
		{"the threads", read("debugger://threads"), true},
		{"events of another kind", call("events_query", mcptest.Args{"types": []string{"output"}}), true},
		{"an earlier notification", func(s *session, hit mcptest.Result) mcptest.Args {
			return mcptest.Args{"after_seq": hit.Int("seq") - 1}
		}, true},
		{"its notification", func(s *session, hit mcptest.Result) mcptest.Args {
			return mcptest.Args{"after_seq": hit.Int("seq")}
		}, false},
		{"the state", call("debug_state", nil), false},
		{"a wait", call("breakpoint_wait", nil), false},
		{"a pause", call("debug_pause", nil), false},
		{"the events", call("events_query", nil), false},
		{"the hits", call("events_query", mcptest.Args{"types": []string{"hit"}}), false},
		{"changes of state", call("events_query", mcptest.Args{"types": []string{"state"}}), false},
		{"the session's resource", read("debugger://session"), false},
		{"the resource of events", read("debugger://events"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := netcoredbg(t, loop(9))
			hit := unseenHit(t, s)
			r := s.Do("debug_step", tt.tell(s, hit))
			require.Equal(t, tt.unseen, r.Has("unseen"), "%s", r.Raw)
			if !tt.unseen {
				require.Equal(t, "step", r.String("reason"))
			}
		})
	}
}

// A client that was never answered running may leave a stop that it was not told of.
func TestStopOfAnotherClient(t *testing.T) {
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(9))
	s := &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
	other := &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
	s.launchTo(t, 10)
	require.Equal(t, "step", other.Do("debug_step", nil).String("reason"))
	other.Do("debug_continue", nil)
	s.AwaitNotifications("debugger/breakpointHit", 2)
	require.True(t, other.Do("debug_step", nil).Bool("unseen"))
	require.Equal(t, "step", s.Do("debug_step", nil).String("reason"), "it was never told that the program runs")
}

// The end of a step that timed out is a stop that the client does not know.
func TestUnseenEndOfAStep(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, loop(9))
	s.launchTo(t, 10)
	s.adapter().Once("next", daptest.Hold(gate))
	r := s.Do("debug_step", mcptest.Args{"timeout_ms": 50})
	require.True(t, r.Bool("timedOut"), "%s", r.Raw)
	if r.String("session.state") != "running" {
		return // the debugger had not confirmed the step, and the answer said so
	}
	open()
	s.AwaitNotification("debugger/sessionStateChanged", func(n mcptest.Result) bool {
		return n.String("newState") == "paused" && n.String("pauseReason") == "step"
	})
	require.True(t, s.Do("debug_continue", mcptest.Args{"wait": true}).Bool("unseen"))
}
