package mcpserver_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// forking has a child that passes a line with a breakpoint.
const forking = `#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char byte;
    if (argc > 2) return system("true");
    if (fork() == 0) {
        puts("child"); // mark: child
        fflush(stdout);
        if (argc > 1) read(0, &byte, 1); // lives until its input ends
        _exit(3);
    }
    wait(0);
    return argc; // mark: parent
}
`

// lldb-dap stays with the parent. The breakpoint that the child passes says so, while the child lives and at the end.
func TestLiveForkedChild(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("children are looked up in /proc")
	}
	source, program := writeC(t, t.TempDir(), forking, "-g", "-O0")
	child, parent := fixtures.MarkIn(t, source, "child"), fixtures.MarkIn(t, source, "parent")

	c := liveLLDB(t)
	id := c.Do("breakpoint_set", mcptest.Args{"file": source, "line": child}).String("breakpoint.id")
	c.Do("breakpoint_set", mcptest.Args{"file": source, "line": parent})
	c.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "args": []string{"lives"}})
	told := func(r mcptest.Result) bool {
		return r.String("change") == "changed" && r.String("breakpointId") == id
	}
	for seq, found, looks := 0, false, 0; !found; looks++ {
		require.Less(t, looks, 1000, "no event says that the program has forked")
		r := c.Do("events_query", mcptest.Args{"types": []string{"breakpoint"}, "after_seq": seq})
		for i := range r.Len("events") {
			found = found || told(r.At("events."+itoa(i)))
		}
		seq = r.Int("lastSeq")
		c.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 50})
	}
	r := c.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 0})
	require.Equal(t, id, r.String("breakpoints.0.id"), "%s", r.Raw)
	require.Equal(t, "bound", r.String("breakpoints.0.state"))
	require.Contains(t, r.String("breakpoints.0.message"), "has forked (children ")
	require.Contains(t, r.String("breakpoints.0.message"), "follow-fork-mode child")
	c.Do("process_write_input", mcptest.Args{"data": "x"})
	r = c.Do("breakpoint_wait", nil)
	require.Equal(t, parent, r.Int("stop.location.line"), "%s", r.Raw)
	r = c.Do("breakpoint_list", nil)
	assert.Contains(t, r.String("breakpoints.0.message"), "has forked")
	assert.False(t, r.Has("breakpoints.1.message"), "it was hit: %s", r.Raw)

	// A program that is over before anyone looks.
	c = liveLLDB(t)
	c.Do("breakpoint_set", mcptest.Args{"file": source, "line": child})
	r = c.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false})
	if r.String("session.state") == "running" {
		r = c.Do("breakpoint_wait", nil)
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
	}
	require.Contains(t, r.String("breakpoints.0.message"), " fork", "%s", r.Raw)
}

// With the setting that the message names, the child is debugged.
func TestLiveForkedChildIsFollowed(t *testing.T) {
	source, program := writeC(t, t.TempDir(), forking, "-g", "-O0")
	root := filepath.Dir(program)
	require.NoError(t, os.Mkdir(filepath.Join(root, ".vscode"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".vscode", "launch.json"), []byte(`{"configurations": [{
		"name": "child", "type": "lldb-dap", "request": "launch", "program": "`+program+`",
		"initCommands": ["settings set target.process.follow-fork-mode child"]}]}`), 0o600))
	t.Setenv("LLDB_DAP_PATH", fixtures.LLDB(t))
	c := mcptest.Serve(t, adapter.NewManager(adapter.Options{ProjectRoot: root}), mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": source, "line": fixtures.MarkIn(t, source, "child")})
	r := c.Settled(c.Do("debug_launch", mcptest.Args{"configuration": "child", "stop_at_entry": false}))
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	require.Equal(t, fixtures.MarkIn(t, source, "child"), r.Int("stop.location.line"))
	require.Equal(t, 3, next(c).Int("session.exitCode"))
}
