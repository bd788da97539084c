package mcpserver_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
)

// For a Go program without symbols Delve lists no threads, and its stops name no thread.
func TestLiveStrippedGo(t *testing.T) {
	c := liveDelve(t)
	folder := t.TempDir()
	file := writeGo(t, folder, "package main\n\nfunc work(i int) int {\n\treturn i + 1\n}\n\nfunc main() {\n\tfor "+
		"i := 0; i < 3; i++ {\n\t\tprintln(work(i))\n\t}\n}\n")
	program := buildWith(t, folder, "-ldflags=-s -w", "-gcflags=-N -l")
	function := c.Do("breakpoint_set_function", mcptest.Args{"function": "main.work", "hit_condition": "2"}).
		String("breakpoint.id")
	r := c.Do("debug_launch", mcptest.Args{"program": program, "backend": "dlv"})
	if runtime.GOOS == "windows" { // there Delve finds no function in a program without symbols
		require.Contains(t, r.String("warning"), "the program has no function main.main in its symbols", "%s", r.Raw)
		return
	}
	require.Equal(t, "entry", r.String("stop.reason"), "%s", r.Raw)
	require.Contains(t, r.String("warning"), "no debug information")
	c.Refused(fault.NoSymbols, "variables_get", nil)
	refused := c.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": file, "line": 4})
	require.Contains(t, refused.String("error.message"), `without -ldflags="-s -w"`, "%s", refused.Raw)
	require.Equal(t, "main.main", r.String("stop.location.functionName"))
	r = c.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, []string{function}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
	require.Equal(t, 2, r.Int("stop.hitCount"))
	r = c.Do("debug_step", mcptest.Args{"mode": "over"})
	require.Equal(t, "main.work", r.String("stop.location.functionName"), "%s", r.Raw)
	require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
}

// A native program without symbols has no main to stop at. It stops before that; it must not run to its end without a
// report.
func TestLiveStrippedC(t *testing.T) {
	c := liveLLDB(t)
	_, program := writeC(t, t.TempDir(), "int main(void) { return 5; }\n", "-s")
	r := c.Do("debug_launch", mcptest.Args{"program": program, "backend": "lldb-dap"})
	require.Contains(t, r.String("warning"), "the program has no function main in its symbols")
	if r.Has("stop") { // not where the C library has no such symbol
		require.Equal(t, "entry", r.String("stop.reason"), "%s", r.Raw)
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
		require.Equal(t, 5, r.Int("session.exitCode"))
	}
	r = toFirstStop(c, program)
	require.False(t, r.Has("warning"), "%s", r.Raw)
}
