package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// Several sessions at once: each must be named, and the end of one does not affect the others.
func TestSeveralSessions(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	_, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), sleeper(gate))
	m := adapter.NewManager(adapter.Options{Backends: fakes.Backends("netcoredbg"), MaxSessions: 2})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	list := c.Do("sessions_list", nil)
	require.Equal(t, 0, list.Int("count"))
	require.Equal(t, []any{}, list.Get("sessions"))

	launch := mcptest.Args{"program": program, "stop_at_entry": false}
	first := c.Do("debug_launch", launch).String("session.sessionId")
	firstAdapter := fakes.Last()
	require.Equal(t, first, c.Do("debug_pause", nil).String("session.sessionId"), "the only one needs no name")
	second := c.Do("debug_attach", mcptest.Args{"pid": 77}).String("session.sessionId")
	require.NotEqual(t, first, second)

	list = c.Do("sessions_list", nil)
	require.Equal(t, 2, list.Int("count"))
	require.Equal(t, first, list.String("sessions.0.sessionId"))
	require.Equal(t, "paused", list.String("sessions.0.state"))
	require.Equal(t, "netcoredbg", list.String("sessions.0.backend"))
	require.Equal(t, program, list.String("sessions.0.program"))
	require.NotZero(t, list.Int("sessions.0.processId"))
	require.Equal(t, "running", list.String("sessions.1.state"))
	require.Equal(t, 77, list.Int("sessions.1.processId"))

	for _, tool := range []string{"debug_state", "debug_continue", "debug_pause", "debug_step", "threads_list",
		"stacktrace_get", "variables_get", "debug_disconnect", "process_read_output", "breakpoint_wait"} {
		r := c.Refused(fault.SessionAmbiguous, tool, nil)
		require.Equal(t, 2, r.Len("error.details.sessions"), "%s", r.Raw)
		require.Equal(t, second, r.String("error.details.sessions.1.sessionId"))
	}
	c.Refused(fault.SessionLimit, "debug_launch", launch)
	c.Refused(fault.NoSession, "debug_state", mcptest.Args{"session_id": "s99"})

	// A breakpoint of a session applies to that session, other breakpoints to all.
	own := c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 3, "session_id": first}).String("breakpoint.id")
	c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 1})
	require.Equal(t, 2, c.Do("breakpoint_list", mcptest.Args{"session_id": first}).Int("count"))
	require.Equal(t, 1, c.Do("breakpoint_list", mcptest.Args{"session_id": second}).Int("count"))

	done := c.Do("debug_disconnect", mcptest.Args{"session_id": second})
	require.Equal(t, second, done.String("session.sessionId"))
	require.Equal(t, daptest.FateDetached, fakes.Last().Fate())
	require.Equal(t, daptest.FateNone, firstAdapter.Fate(), "the other goes on")
	require.Equal(t, 1, c.Do("sessions_list", nil).Int("count"))
	require.Equal(t, "paused", c.Do("debug_state", nil).String("session.state"))
	c.Do("debug_continue", nil)
	open()
	r := c.Do("breakpoint_wait", nil)
	require.Equal(t, own, r.String("breakpointId"), "%s", r.Raw)
	require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
	require.Equal(t, 0, c.Do("sessions_list", nil).Int("count"))
}
