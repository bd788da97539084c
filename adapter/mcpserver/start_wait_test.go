package mcpserver_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// late is a program whose line 9 takes until the gate opens. Line 10 follows.
func late(gate <-chan struct{}) daptest.Program {
	at := func(line int) daptest.Step { return daptest.Step{File: source, Line: line, Func: "App.Main()"} }
	slow := at(9)
	slow.Gate = gate
	return daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(at(8), slow, at(10))}}}
}

// With wait=true a start returns at the first stop, however late it comes, or at the end.
func TestStartWaits(t *testing.T) {
	for _, tool := range []string{"debug_launch", "debug_attach", "debug_restart"} {
		t.Run(tool, func(t *testing.T) {
			gate, open := daptest.Gate()
			defer open()
			s := netcoredbg(t, late(gate))
			s.breakAt(10)
			args := mcptest.Args{"wait": true}
			sessions := 1
			switch tool {
			case "debug_launch":
				args["program"], args["stop_at_entry"] = program, false
			case "debug_attach":
				args["pid"] = os.Getpid()
			case "debug_restart":
				s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "wait": false})
				sessions = 2
			}
			start := s.BeginCall(tool, args)
			runs := func(n mcptest.Result) bool { return n.String("newState") == "running" }
			waitUntil(t, func() bool {
				started := 0
				for _, n := range s.Notifications("debugger/sessionStateChanged") {
					if runs(n) {
						started++
					}
				}
				return started >= sessions
			})
			require.False(t, s.Answered(start))
			open()
			r := s.AwaitCall(start)
			require.Equal(t, "paused", r.String("session.state"), "%s", r.Raw)
			require.Equal(t, 10, r.Int("stop.location.line"))
			require.False(t, r.Has("timedOut"))
			r = s.Do("debug_continue", mcptest.Args{"wait": true})
			require.Equal(t, "exited", r.String("reason"), "the client knows the stop: %s", r.Raw)
		})
	}
	t.Run("to the end", func(t *testing.T) {
		s := netcoredbg(t, loop(2))
		r := s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "wait": true})
		require.Equal(t, "terminated", r.String("session.state"), "%s", r.Raw)
		require.True(t, r.Has("exitCode"))
		require.False(t, r.Has("timedOut"))
	})
}

// A start that waits in vain says so, and its stop is then returned by the next resume.
func TestStartTimesOut(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, late(gate))
	s.breakAt(10)
	r := s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "wait": true, "timeout_ms": 400})
	require.Equal(t, "running", r.String("session.state"), "%s", r.Raw)
	require.True(t, r.Bool("timedOut"))
	open()
	s.AwaitNotifications("debugger/breakpointHit", 1)
	r = s.Do("debug_continue", mcptest.Args{"wait": true})
	require.True(t, r.Bool("unseen"), "%s", r.Raw)
	require.Equal(t, 10, r.Int("stop.location.line"))
	require.Equal(t, "exited", s.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
}

// With wait=false a start does not wait for a breakpoint, and that is no timeout.
func TestStartDoesNotWait(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, late(gate))
	s.breakAt(10)
	r := s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "wait": false})
	require.Equal(t, "running", r.String("session.state"), "%s", r.Raw)
	require.False(t, r.Has("timedOut"))
}
