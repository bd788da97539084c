//go:build linux

package main

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// A client of the binary requests long events 20,000 times and reads nothing. That takes less than 128 MiB, and the
// end of its input or a signal still ends the server and the program.
func TestLiveUnreadRequests(t *testing.T) {
	d := goDebuggee(t)
	for name, end := range map[string]func(c *mcptest.Command){
		"end of input": func(c *mcptest.Command) { c.CloseInput() },
		"SIGTERM":      func(c *mcptest.Command) { c.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			c := mcptest.Run(t, fixtures.Breakwire(t))
			c.Do("tracepoint_set", mcptest.Args{"file": d.longSource, "line": d.longHit, "log_message": "pass {pass} " +
				strings.Repeat("p", 7000)})
			r := c.Do("debug_launch", mcptest.Args{"program": d.longProgram, "backend": d.backend, "stop_at_entry": false})
			pid := r.Int("session.processId")
			c.AwaitNotifications("debugger/breakpointHit", 300)
			below := children(t, c.Pid())
			require.Contains(t, below, pid)
			c.PauseReading(true)
			for range 20_000 {
				c.BeginCall("events_query", mcptest.Args{"limit": 1000})
			}
			end(c)
			// The status can be read until the process is reaped; that happens with the rest.
			peak := statusOf(t, c.Pid(), "VmHWM")
			c.Ended()
			for _, p := range below {
				requireGone(t, p)
			}
			require.Less(t, peak, 128<<10, "KiB")
			c.PauseReading(false)
		})
	}
}
