//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// TestLiveJavaScriptKilledInEveryState: js-debug and the program would outlive us. Nothing of node is left, whatever
// the program is doing when we are killed or our input ends.
func TestLiveJavaScriptKilledInEveryState(t *testing.T) {
	t.Setenv("JS_DEBUG_PATH", fixtures.JSDebug(t))
	long, crew := fixtures.Program("js", "longrun.js"), fixtures.Program("js", "crew.js")
	launch := func(c *mcptest.Command, program string) {
		c.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false})
	}
	stopped := func(t *testing.T, c *mcptest.Command) {
		c.Do("breakpoint_set", mcptest.Args{"file": long, "line": fixtures.MarkIn(t, long, "hit")})
		r := c.Do("debug_launch", mcptest.Args{"program": long, "stop_at_entry": false, "wait": true})
		require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	}
	for what, reach := range map[string]func(t *testing.T, c *mcptest.Command){
		"starting": func(t *testing.T, c *mcptest.Command) {
			c.BeginCall("debug_launch", mcptest.Args{"program": long, "stop_at_entry": false})
			require.Eventually(t, func() bool { return len(children(t, c.Pid())) > 1 }, mcptest.Patience, time.Millisecond)
		},
		"running": func(_ *testing.T, c *mcptest.Command) { launch(c, long) },
		"at its first line": func(_ *testing.T, c *mcptest.Command) {
			c.Do("debug_launch", mcptest.Args{"program": long, "stop_at_entry": true})
		},
		"at a breakpoint": stopped,
		"paused": func(_ *testing.T, c *mcptest.Command) {
			launch(c, long)
			c.Do("debug_pause", nil)
		},
		"in an evaluation that never ends": func(t *testing.T, c *mcptest.Command) {
			stopped(t, c)
			c.BeginCall("evaluate", mcptest.Args{"expression": "(() => { for (;;); })()"})
			c.Do("debug_state", nil)
		},
		"with a worker and a forked process": func(t *testing.T, c *mcptest.Command) {
			launch(c, crew)
			require.Eventually(t, func() bool {
				list := string(c.Do("sessions_list", nil).Raw)
				return strings.Count(list, `"state":"running"`) == 3
			}, mcptest.Patience, 20*time.Millisecond)
		},
		"with a worker and a forked process that are stopped": func(t *testing.T, c *mcptest.Command) {
			c.Do("breakpoint_set", mcptest.Args{"file": crew, "line": fixtures.MarkIn(t, crew, "work")})
			launch(c, crew)
			require.Eventually(t, func() bool {
				list := string(c.Do("sessions_list", nil).Raw)
				return strings.Count(list, `"state":"paused"`) > 0
			}, mcptest.Patience, 20*time.Millisecond)
		},
	} {
		for how, end := range map[string]func(c *mcptest.Command){
			"killed":       func(c *mcptest.Command) { c.Signal(os.Kill) },
			"end of input": func(c *mcptest.Command) { c.Close() },
		} {
			t.Run(what+", "+how, func(t *testing.T) {
				c := mcptest.Run(t, fixtures.Breakwire(t))
				reach(t, c)
				below := children(t, c.Pid())
				require.NotEmpty(t, below)
				end(c)
				c.Ended()
				for _, pid := range below {
					requireGone(t, pid)
				}
			})
		}
	}
}

// A program that was attached to lives on, whatever it does.
func TestLiveJavaScriptKilledWhileAttached(t *testing.T) {
	t.Setenv("JS_DEBUG_PATH", fixtures.JSDebug(t))
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not on PATH")
	}
	long := fixtures.Program("js", "longrun.js")
	for what, reach := range map[string]func(c *mcptest.Command){
		"running": func(*mcptest.Command) {},
		"paused":  func(c *mcptest.Command) { c.Do("debug_pause", nil) },
		"at a breakpoint": func(c *mcptest.Command) {
			c.Do("breakpoint_set", mcptest.Args{"file": long, "line": fixtures.MarkIn(t, long, "hit")})
			c.Do("breakpoint_wait", nil)
		},
	} {
		for how, end := range map[string]func(c *mcptest.Command){
			"killed":       func(c *mcptest.Command) { c.Signal(os.Kill) },
			"end of input": func(c *mcptest.Command) { c.Close() },
		} {
			t.Run(what+", "+how, func(t *testing.T) {
				pid, said := mcptest.RunLong(t, node, "--inspect=127.0.0.1:0", long)
				said()
				c := mcptest.Run(t, fixtures.Breakwire(t))
				c.Do("debug_attach", mcptest.Args{"pid": pid, "timeout_ms": 60000})
				reach(c)
				below := children(t, c.Pid())
				require.NotContains(t, below, pid)
				end(c)
				c.Ended()
				for _, p := range below {
					requireGone(t, p)
				}
				require.True(t, alive(pid))
				said()
			})
		}
	}
}
