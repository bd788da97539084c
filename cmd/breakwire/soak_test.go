package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// statusOf reads a number from /proc/PID/status.
func statusOf(t testing.TB, pid int, name string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name+":")); ok {
			n, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
			require.NoError(t, err)
			return n
		}
	}
	t.Fatalf("no %s of %d", name, pid)
	return 0
}

// The binary with many sessions, one after the other and at once: it has as many open files as after the first ones,
// and no more memory than they needed. In `make soak` there are more sessions, with live ones on Delve between them.
func TestSoakBinary(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("memory is read in /proc")
	}
	var long time.Duration
	if text := os.Getenv("BREAKWIRE_SOAK"); text != "" {
		var err error
		long, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	inARow, atOnce := 20, 16
	if long > 0 {
		inARow, atOnce = 100, 64
	}
	d := goDebuggee(t)
	c := mcptest.Run(t, fixtures.Breakwire(t), "--backend", "replay", "--transcript",
		fixtures.Transcript("netcoredbg", "tracepoint-loop-20"),
		"--max-sessions", "64", "--notify", "none")
	program := filepath.Join(t.TempDir(), "LoopApp.dll")
	c.Do("tracepoint_set", mcptest.Args{"file": "Program.cs", "line": 21, "log_message": "{i}", "strategy": "stop"})

	files := func() int {
		open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.Pid()))
		require.NoError(t, err)
		return len(open)
	}
	began := time.Now()
	var memory, open, sessions int
	for round := 1; round <= 3 || time.Since(began) < long; round++ {
		launch := mcptest.Args{"program": program, "stop_at_entry": false}
		for range inARow {
			id := c.Do("debug_launch", launch).String("session.sessionId")
			for r := c.Do("breakpoint_wait", mcptest.Args{"session_id": id}); r.String("reason") != "exited"; {
				r = c.Do("debug_continue", mcptest.Args{"session_id": id, "wait": true})
			}
		}
		var calls []int
		launch["stop_at_entry"] = true
		for range atOnce {
			calls = append(calls, c.BeginCall("debug_launch", launch))
		}
		for _, call := range calls {
			c.AwaitCall(call)
		}
		list := c.Do("sessions_list", nil)
		require.Equal(t, atOnce, list.Int("count"), "%s", list.Raw)
		calls = calls[:0]
		for i := range atOnce {
			calls = append(calls,
				c.BeginCall("debug_disconnect", mcptest.Args{"session_id": list.String(fmt.Sprintf("sessions.%d.sessionId", i))}))
		}
		for _, call := range calls {
			require.Equal(t, "disconnected", c.AwaitCall(call).String("state"))
		}
		sessions += inARow + atOnce
		if long > 0 {
			r := c.Do("debug_launch", mcptest.Args{"backend": d.backend, "program": d.loop, "args": []string{"6"}})
			require.Equal(t, "paused", r.String("session.state"), "%s", r.Raw)
			c.Do("debug_disconnect", nil)
			sessions++
		}
		kib, n := statusOf(t, c.Pid(), "VmRSS"), files()
		if long > 0 {
			t.Logf("%v: %d sessions: %d MiB resident, %d files, %d threads", time.Since(began).Round(time.Second),
				sessions, kib>>10, n, statusOf(t, c.Pid(), "Threads"))
		}
		if round == 2 {
			memory, open = kib, n
		} else if round > 2 {
			require.LessOrEqual(t, n, open+2, "files after %d sessions", sessions)
			require.Less(t, kib, memory+24<<10, "KiB after %d sessions", sessions)
		}
	}
}
