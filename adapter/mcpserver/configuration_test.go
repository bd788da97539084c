package mcpserver_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// project is a server with fakes of Delve, whose project root has a launch.json.
func project(t *testing.T, launchJSON string) (s *session, root string) {
	t.Helper()
	root = t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".vscode"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".vscode", "launch.json"), []byte(launchJSON), 0o644))
	_, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), loop(1))
	m := adapter.NewManager(adapter.Options{Backends: fakes.Backends("dlv"), ProjectRoot: root})
	return &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}, root
}

func (s *session) launched(t *testing.T) map[string]any {
	t.Helper()
	var sent map[string]any
	require.NoError(t, json.Unmarshal(s.adapter().Requests("launch")[0].Arguments, &sent))
	return sent
}

func TestLaunchByConfiguration(t *testing.T) {
	s, root := project(t, `{"configurations": [ // a comment
		{"name": "app", "type": "go", "request": "launch", "program": "${workspaceFolder}/app",
		 "args": ["a"], "env": {"A": "1"}, "stopOnEntry": false, "mode": "exec",
		 "buildFlags": "-tags=x", "preLaunchTask": "build"},
	]}`)
	r := s.Do("debug_launch", mcptest.Args{"configuration": "app"})
	require.Contains(t, r.String("warning"), "preLaunchTask")
	sent := s.launched(t)
	require.Equal(t, filepath.Join(root, "app"), sent["program"])
	require.Equal(t, []any{"a"}, sent["args"])
	require.Equal(t, map[string]any{"A": "1"}, sent["env"])
	require.Equal(t, "-tags=x", sent["buildFlags"], "what only Delve knows is sent on")
	require.Equal(t, "exec", sent["mode"])
	require.NotContains(t, sent, "preLaunchTask")
	require.False(t, r.Has("stop"), "stopOnEntry")

	s.Do("debug_launch", mcptest.Args{"configuration": "app", "program": "/other", "args": []string{},
		"env": map[string]any{"B": "2"}})
	require.Equal(t, "/other", s.Do("debug_state", nil).String("session.processName"))
	sent = s.launched(t)
	require.Empty(t, sent["args"])
	require.Equal(t, map[string]any{"A": "1", "B": "2"}, sent["env"])

	e := s.Refused(fault.InvalidParameter, "debug_launch", mcptest.Args{"configuration": "ap"})
	require.Contains(t, e.String("error.message"), "did you mean app?")
}

func TestPreBuild(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	s, root := project(t, `{}`)
	r := s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false,
		"pre_build": []string{"sh", "-c", "echo one >built; echo done"}})
	require.FileExists(t, filepath.Join(root, "built"))
	require.Equal(t, 0, r.Int("build.exitCode"))
	require.Equal(t, "done", r.String("build.tail"))

	// As one text too. After a failed build nothing is launched, and the build is not run again.
	e := s.Refused(fault.LaunchFailed, "debug_launch",
		mcptest.Args{"program": program, "pre_build": `sh -c 'echo again >>built; echo "a.go:1:2: undefined: x"; exit 2'`})
	require.Equal(t, []string{"a.go:1:2: undefined: x"}, e.Strings("error.details.build.errors"))
	require.Equal(t, 2, e.Int("error.details.build.exitCode"))
	text, err := os.ReadFile(filepath.Join(root, "built"))
	require.NoError(t, err)
	require.Equal(t, "one\nagain\n", string(text))
	require.Equal(t, "s1", s.Do("debug_state", nil).String("session.sessionId"))
	s.Refused(fault.InvalidParameter, "debug_launch", mcptest.Args{"program": program, "pre_build": `sh -c 'open`})
}

// debug_attach waits for a process that has not started yet.
func TestAttachWaits(t *testing.T) {
	s := serve(t, "dlv", daptest.Delve(), loop(3))
	s.Refused(fault.ProcessNotFound, "debug_attach", mcptest.Args{"process_name": "no-such-process-here", "wait_ms": 1})
	s.Refused(fault.InvalidParameter, "debug_attach", mcptest.Args{"pid": 4242, "wait_ms": 1})

	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	exe := filepath.Join(t.TempDir(), "latecomer")
	require.NoError(t, os.Symlink(os.Args[0], exe))
	id := s.BeginCall("debug_attach", mcptest.Args{"process_name": filepath.Base(exe), "wait_ms": 20_000})
	require.False(t, s.Answered(id))
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), mcpserver.RoleVariable+"=sleeper")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	r := s.AwaitCall(id)
	require.False(t, r.IsError, "%s", r.Raw)
	require.Contains(t, string(s.adapter().Requests("attach")[0].Arguments), itoa(cmd.Process.Pid))
}

// The process of a core dump has ended. A new process with its pid is neither inspected nor ended.
func TestCore(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".vscode"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".vscode", "launch.json"), []byte(`{"configurations": [
		{"name": "core", "type": "go", "request": "launch", "mode": "core", "program": "app",
		 "coreFilePath": "core", "stopOnEntry": false},
		{"name": "exec", "type": "go", "request": "launch", "mode": "exec", "program": "app", "stopOnEntry": false}]}`),
		0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "app"), nil, 0o755))
	for name, known := range map[string]bool{"core": false, "exec": true} {
		s := played(t, "talk", func(o *adapter.Options) { o.ProjectRoot = root })
		s.Do("debug_launch", mcptest.Args{"configuration": name})
		r := s.Do("debug_state", nil)
		require.Equal(t, known, r.Has("session.executablePath"), "%s: %s", name, r.Raw)
		r = s.Do("debug_disconnect", nil)
		require.Equal(t, known, r.Has("processAlive"), "%s: %s", name, r.Raw)
	}
}
