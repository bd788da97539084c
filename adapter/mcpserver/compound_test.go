package mcpserver_test

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

const compounds = `{"configurations": [
	{"name": "server", "type": "go", "request": "launch", "program": "server", "stopOnEntry": true},
	{"name": "client", "type": "go", "request": "launch", "program": "client", "stopOnEntry": false},
	{"name": "there", "type": "go", "request": "attach", "processId": 77},
	{"name": "bad", "type": "go", "request": "launch", "program": "bad"}],
	"compounds": [
	{"name": "all", "configurations": ["server", {"name": "there", "folder": "x"}, "client"], "stopAll": true,
	 "preLaunchTask": "build"},
	{"name": "loose", "configurations": ["server", "client"]},
	{"name": "fails", "configurations": ["server", "there", "bad"]},
	{"name": "unknown", "configurations": ["server", "gone"]},
	{"name": "empty"}]}`

// A compound starts its parts in order, and the answer names their sessions. With stopAll they end together.
func TestLaunchCompound(t *testing.T) {
	s, root := project(t, compounds)
	r := s.Do("debug_launch", mcptest.Args{"configuration": "all",
		"breakpoints": []any{mcptest.Args{"file": source, "line": 10}}})
	require.Contains(t, r.String("warning"), "preLaunchTask")
	require.Equal(t, 3, r.Len("parts"), "%s", r.Raw)
	for i, name := range []string{"server", "there", "client"} {
		part := r.At("parts").At(string(rune('0' + i)))
		require.Equal(t, name, part.String("configuration"))
		require.Equal(t, "s"+string(rune('1'+i)), part.String("session.sessionId"))
		require.Equal(t, 1, part.Len("set"))
		require.False(t, part.Has("warning"), "%s", part.Raw)
	}
	require.Equal(t, "s1", r.String("session.sessionId"))
	require.Equal(t, "breakpoint", r.String("parts.2.stop.reason"), "%s", r.Raw)
	require.Equal(t, "attach", r.String("parts.1.session.launchMode"))
	require.Equal(t, filepath.Join(root, "client"), s.launched(t)["program"])

	done := s.Do("debug_disconnect", mcptest.Args{"session_id": "s3"})
	require.Equal(t, []string{"s1", "s2"}, done.Strings("alsoEnded"))
	require.Equal(t, 0, s.Do("sessions_list", nil).Int("count"))

	r = s.Do("debug_launch", mcptest.Args{"configuration": "loose"})
	require.Equal(t, 2, r.Len("parts"))
	require.False(t, s.Do("debug_disconnect", mcptest.Args{"session_id": r.String("session.sessionId")}).Has("alsoEnded"))
	require.Equal(t, 1, s.Do("sessions_list", nil).Int("count"))
}

// When one part does not start, none is left, nor are the breakpoints of the call.
func TestLaunchCompoundAllOrNone(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".vscode"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".vscode", "launch.json"), []byte(compounds), 0o644))
	var starts atomic.Int32
	_, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), loop(1), func(a *daptest.Adapter) {
		a.OnRequest("launch", func(*dapclient.Message) daptest.Action {
			if starts.Add(1) == 2 {
				return daptest.Fail("no such port")
			}
			return daptest.Action{}
		})
	})
	c := mcptest.Serve(t, adapter.NewManager(adapter.Options{Backends: fakes.Backends("dlv"), ProjectRoot: root}),
		mcpserver.Options{})
	e := c.Refused(fault.LaunchFailed, "debug_launch", mcptest.Args{"configuration": "fails",
		"breakpoints": []any{mcptest.Args{"file": source, "line": 10}}})
	require.Contains(t, e.String("error.message"), `configuration "bad" of "fails"`)
	require.Contains(t, e.String("error.message"), "no such port")
	require.Equal(t, "bad", e.String("error.details.configuration"))
	require.Equal(t, 0, c.Do("sessions_list", nil).Int("count"))
	require.Equal(t, 0, c.Do("breakpoint_list", nil).Int("count"))

	for _, args := range []mcptest.Args{
		{"configuration": "all", "program": "x"}, {"configuration": "all", "args": []string{}},
		{"configuration": "all", "wait": true}, {"configuration": "all", "in_container": "x"},
		{"configuration": "unknown"}, {"configuration": "empty"}, {"configuration": "al"},
	} {
		c.Refused(fault.InvalidParameter, "debug_launch", args)
	}
	c.Refused(fault.InvalidParameter, "debug_attach", mcptest.Args{"configuration": "all"})
}

// A Go and a Python program start together, each with its debugger.
func TestLiveCompound(t *testing.T) {
	t.Setenv("DLV_PATH", fixtures.Delve(t))
	t.Setenv("DEBUGPY_PYTHON", fixtures.Debugpy(t))
	root := writeFiles(t, map[string]string{
		"py/main.py": "n = 1\nprint(n)\n", "go/go.mod": "module x\n\ngo 1.21\n",
		"go/main.go": "package main\n\nfunc main() {\n\tprintln(1)\n}\n",
		".vscode/launch.json": `{"configurations": [
			{"name": "go", "type": "go", "request": "launch", "program": "${workspaceFolder}/go"},
			{"name": "py", "type": "debugpy", "request": "launch", "program": "${workspaceFolder}/py/main.py"},
			{"name": "none", "type": "debugpy", "request": "launch", "program": "${workspaceFolder}/py/none.py"}],
			"compounds": [{"name": "both", "configurations": ["go", "py"], "stopAll": true},
			{"name": "broken", "configurations": ["go", "none"]}]}`,
	})
	c := mcptest.Serve(t, mcptest.Live(t, adapter.Options{ProjectRoot: root}), mcpserver.Options{})
	r := c.Do("debug_launch", mcptest.Args{"configuration": "both",
		"breakpoints": []any{mcptest.Args{"file": "py/main.py", "line": 2}, mcptest.Args{"file": "go/main.go", "line": 4}}})
	for i, file := range []string{"go/main.go", "py/main.py"} {
		session := r.At("parts").At(string(rune('0' + i))).String("session.sessionId")
		stop := c.Do("debug_continue", mcptest.Args{"session_id": session, "wait": true})
		require.Equal(t, filepath.Join(root, file), stop.String("stop.location.file"), "%s", stop.Raw)
		require.Equal(t, "breakpoint", stop.String("stop.reason"))
	}
	require.Equal(t, 1, c.Do("debug_disconnect", mcptest.Args{"session_id": "s1"}).Len("alsoEnded"))
	e := c.Refused(fault.InvalidPath, "debug_launch", mcptest.Args{"configuration": "broken"})
	require.Contains(t, e.String("error.message"), "none.py")
	require.Equal(t, 0, c.Do("sessions_list", nil).Int("count"))
}
