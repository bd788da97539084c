package mcpserver_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// keepsEndings reports whether the system tells how a process has ended after its debugger has reaped it (Linux 6.15).
func keepsEndings() bool {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	var major, minor int
	fmt.Sscanf(string(release), "%d.%d", &major, &minor)
	return major > 6 || major == 6 && minor >= 15
}

// A program that a signal has ended has no exit code: every answer names the signal.
func TestDeathBySignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: Windows has no signals")
	}
	killed := -9
	s := serve(t, "dlv", daptest.Delve(), daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
		daptest.Step{File: source, Line: 1, Func: "main.main"},
		daptest.Step{File: source, Line: 2, Func: "main.main", Exits: &killed},
	)}}})
	stopped := s.launchTo(t, 1).Int("stop.seq")
	r := s.Do("debug_continue", mcptest.Args{"wait": true})
	for _, r := range []mcptest.Result{r, s.Do("debug_state", nil)} {
		assert.Equal(t, "terminated", r.String("session.state"), "%s", r.Raw)
		assert.Equal(t, "signal", r.String("session.endReason"))
		assert.Equal(t, "SIGKILL", r.String("session.signal"))
		assert.False(t, r.Has("session.exitCode"))
	}
	assert.Equal(t, "signal", r.String("reason"))
	r = s.Do("breakpoint_wait", mcptest.Args{"after_seq": stopped, "timeout_ms": 0})
	assert.Equal(t, "signal", r.String("reason"), "%s", r.Raw)
	assert.Equal(t, "SIGKILL", r.String("signal"))
	r = s.Do("events_query", mcptest.Args{"types": []string{"state"}})
	last := r.At(fmt.Sprintf("events.%d", r.Len("events")-1))
	assert.Contains(t, string(last.Raw), `"signal":"SIGKILL"`)
	assert.NotContains(t, string(last.Raw), "exitCode")
	r = s.Refused(fault.NoSession, "evaluate", mcptest.Args{"expression": "x"})
	assert.Contains(t, r.String("error.message"), "ended by SIGKILL")
}

// lldb-dap has one exit code for a signal and for the exit with its number. The system tells them apart, for launched
// and for attached programs.
func TestLiveDeathBySignal(t *testing.T) {
	if !keepsEndings() {
		t.Skip("SKIPPED: this system does not keep how a process has ended")
	}
	const text = `#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int main(int c, char **v) {
    if (c > 2) for (;;) pause();
    int n = atoi(v[1]);
    if (n < 0) exit(-n);
    raise(n);
}
`
	_, program := writeC(t, t.TempDir(), text, "-g", "-O0")
	for _, tt := range []struct{ arg, signal, thrown string }{
		{"9", "SIGKILL", ""}, {"-9", "", ""}, {"10", "SIGUSR1", "SIGUSR1"}, {"-11", "", ""},
	} {
		c := liveLLDB(t)
		r := c.Do("debug_launch", mcptest.Args{"program": program, "args": []string{tt.arg}, "stop_at_entry": false})
		if r.String("session.state") == "running" {
			r = c.Do("breakpoint_wait", mcptest.Args{"after_seq": 0})
		}
		if tt.thrown != "" { // lldb-dap stops at the signal first
			r = c.Do("debug_state", nil)
			require.Contains(t, string(r.At("stop").Raw), tt.thrown)
			c.Do("debug_continue", mcptest.Args{"wait": true})
		}
		r = c.Do("debug_state", nil)
		assert.Equal(t, tt.signal, r.String("session.signal"), "%s: %s", tt.arg, r.Raw)
		assert.Equal(t, tt.signal == "", r.Has("session.exitCode"), "%s: %s", tt.arg, r.Raw)
	}

	cmd := exec.Command(program, "0", "wait")
	require.NoError(t, cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Kill()
	c := liveLLDB(t)
	r := c.Do("debug_attach", mcptest.Args{"pid": cmd.Process.Pid})
	if r.Has("stop") {
		c.Do("debug_continue", nil)
	}
	require.NoError(t, cmd.Process.Kill())
	r = c.Do("breakpoint_wait", nil)
	assert.Equal(t, "signal", r.String("reason"), "%s", r.Raw)
	assert.Equal(t, "SIGKILL", r.String("signal"))
}
