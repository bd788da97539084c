//go:build unix

package main

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// However breakwire ends, no debugger and no launched program is left. An attached program lives on.
func TestLiveNoOrphans(t *testing.T) {
	d := goDebuggee(t)
	ends := map[string]struct {
		end    func(c *mcptest.Command)
		status int // -1: by a signal
	}{
		"end of input": {func(c *mcptest.Command) { c.Close() }, 0},
		"SIGTERM":      {func(c *mcptest.Command) { c.Signal(syscall.SIGTERM) }, 0},
		"SIGINT":       {func(c *mcptest.Command) { c.Signal(os.Interrupt) }, 0},
		"SIGKILL":      {func(c *mcptest.Command) { c.Signal(os.Kill) }, -1},
	}
	states := map[string]func(t *testing.T, c *mcptest.Command) (pid int){
		"paused": func(t *testing.T, c *mcptest.Command) int {
			c.Do("breakpoint_set", mcptest.Args{"file": d.longSource, "line": d.longHit})
			r := c.Settled(c.Do("debug_launch", mcptest.Args{"program": d.longProgram, "backend": d.backend,
				"stop_at_entry": false}))
			require.Equal(t, "paused", r.String("session.state"), "%s", r.Raw)
			return r.Int("session.processId")
		},
		"running": func(t *testing.T, c *mcptest.Command) int {
			r := c.Do("debug_launch", mcptest.Args{"program": d.longProgram, "backend": d.backend, "stop_at_entry": false})
			require.Equal(t, "running", r.String("session.state"), "%s", r.Raw)
			return r.Int("session.processId")
		},
		"during a wait": func(t *testing.T, c *mcptest.Command) int {
			r := c.Do("debug_launch", mcptest.Args{"program": d.longProgram, "backend": d.backend, "stop_at_entry": false})
			c.BeginCall("breakpoint_wait", nil)
			c.Do("debug_state", nil)
			return r.Int("session.processId")
		},
	}
	for how, e := range ends {
		for what, start := range states {
			t.Run(how+" while "+what, func(t *testing.T) {
				c := mcptest.Run(t, fixtures.Breakwire(t))
				pid := start(t, c)
				below := children(t, c.Pid())
				require.Contains(t, below, pid, "the debuggee is below breakwire")
				require.GreaterOrEqual(t, len(below), 2, "so is the debugger")
				e.end(c)
				if status := c.Ended().ExitCode(); e.status >= 0 {
					require.Equal(t, e.status, status, c.Log())
				}
				for _, p := range below {
					requireGone(t, p)
				}
			})
		}
		t.Run(how+" while attached", func(t *testing.T) {
			pid, said := mcptest.RunLong(t, d.long...)
			c := mcptest.Run(t, fixtures.Breakwire(t))
			c.Do("breakpoint_set", mcptest.Args{"file": d.longSource, "line": d.longHit})
			c.Do("debug_attach", mcptest.Args{"pid": pid, "backend": d.backend})
			c.Do("breakpoint_wait", nil)
			below := children(t, c.Pid())
			require.NotEmpty(t, below)
			e.end(c)
			c.Ended()
			for _, p := range below {
				requireGone(t, p)
			}
			require.True(t, alive(pid))
			said() // and it runs
		})
	}
}

// When the debugger is killed, the launched program ends too, and the waiting call reports it.
func TestLiveDebuggerKilled(t *testing.T) {
	d := goDebuggee(t)
	for _, paused := range []bool{true, false} {
		c := mcptest.Run(t, fixtures.Breakwire(t))
		if paused {
			c.Do("breakpoint_set", mcptest.Args{"file": d.longSource, "line": d.longHit})
		}
		r := c.Do("debug_launch", mcptest.Args{"program": d.longProgram, "backend": d.backend, "stop_at_entry": false})
		pid := r.Int("session.processId")
		wait := c.BeginCall("breakpoint_wait", mcptest.Args{"after_seq": r.Int("session.lastSeq")})
		c.Do("debug_state", nil)
		for _, p := range children(t, c.Pid()) {
			if p != pid {
				require.NoError(t, syscall.Kill(p, syscall.SIGKILL))
			}
		}
		r = c.AwaitCall(wait)
		require.Equal(t, "backend_exited", r.String("reason"), "%s", r.Raw)
		requireGone(t, pid)
		r = c.Do("debug_state", nil)
		require.Equal(t, "terminated", r.String("session.state"))
		require.Equal(t, "backend_exited", r.String("session.endReason"))
		c.Close()
	}
}

// requireGone waits until a process has ended.
func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.True(t, gone(pid), "process %d lives", pid)
}

// gone waits for the end of a process that is not our child, by polling.
func gone(pid int) bool {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for end := time.Now().Add(10 * time.Second); alive(pid); <-ticker.C {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
