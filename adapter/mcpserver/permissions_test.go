package mcpserver_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// guarded is a session with permissions on a fake of netcoredbg. With local it checks files of this machine.
func guarded(t *testing.T, perm adapter.Permissions, local bool, p daptest.Program) *session {
	t.Helper()
	_, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), p)
	backends := fakes.Backends("netcoredbg")
	fake := backends.Custom["fake"]
	fake.Local = local
	backends.Custom["fake"] = fake
	m := adapter.NewManager(adapter.Options{Backends: backends, Permissions: perm})
	return &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
}

// TestReadOnly checks that calls with an effect are refused before the debugger gets a request.
func TestReadOnly(t *testing.T) {
	s := guarded(t, adapter.Permissions{ReadOnly: true, Programs: []string{program}}, false, loop(3))
	s.breakAt(10)
	s.launch(t)
	require.Equal(t, "paused", s.state())
	asked := s.adapter().Count("evaluate")
	for _, tc := range []struct {
		code fault.Code
		tool string
		args mcptest.Args
	}{
		{fault.EvalRejected, "evaluate", mcptest.Args{"expression": "System.IO.File.Delete(i)"}},
		{fault.EvalRejected, "evaluate", mcptest.Args{"expression": "i = 5", "safe": false}},
		{fault.EvalRejected, "evaluate", mcptest.Args{"expression": "i = 5;", "safe": false}},
		{fault.EvalRejected, "variables_get", mcptest.Args{"expand": "Kill()"}},
		{fault.EvalRejected, "breakpoint_set", mcptest.Args{"file": source, "line": 11, "condition": "Kill()"}},
		{fault.EvalRejected, "breakpoint_set_function", mcptest.Args{"function": "Main", "condition": "i = 1"}},
		{fault.EvalRejected, "tracepoint_set",
			mcptest.Args{"file": source, "line": 11, "log_message": "i is {i} {Kill()}"}},
		{fault.EvalRejected, "tracepoint_set", mcptest.Args{"file": source, "line": 11, "condition": "Kill()"}},
		{fault.EvalRejected, "batch_evaluate",
			mcptest.Args{"eval_mode": "full", "experiments": []any{at(11, "capture", []string{"Kill()"})}}},
		{fault.EvalRejected, "collection_analyze", mcptest.Args{"expression": "Kill()"}},
		{fault.PermissionDenied, "variable_set", mcptest.Args{"name": "i", "value": "5"}},
		{fault.PermissionDenied, "process_write_input", mcptest.Args{"data": "x"}},
		{fault.PermissionDenied, "debug_launch", mcptest.Args{"program": "/bin/sh"}},
		{fault.PermissionDenied, "debug_launch",
			mcptest.Args{"program": program, "env": map[string]any{"DOTNET_STARTUP_HOOKS": "/tmp/x.dll"}}},
		{fault.PermissionDenied, "debug_launch", mcptest.Args{"program": program, "pre_build": []string{"true"}}},
		{fault.PermissionDenied, "debug_restart", mcptest.Args{"env": map[string]any{"LD_PRELOAD": "/tmp/x.so"}}},
		{fault.PermissionDenied, "debug_attach", mcptest.Args{"pid": os.Getpid()}},
	} {
		s.Refused(tc.code, tc.tool, tc.args)
	}
	require.Equal(t, asked, s.adapter().Count("evaluate"))
}

func TestReadOnlyStillLooks(t *testing.T) {
	s := guarded(t, adapter.Permissions{ReadOnly: true, Programs: []string{"/src/**"}}, false, loop(3))
	s.Do("breakpoint_set", mcptest.Args{"file": source, "line": 10, "condition": "i >= 1"})
	s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 10, "log_message": "i is {i}"})
	s.launch(t)
	require.Equal(t, "paused", s.state())
	s.Do("evaluate", mcptest.Args{"expression": "i + 1"})
	s.Do("variables_get", nil)
	s.Do("debug_continue", nil)
}

// TestPathsAreNoExpressions: variables_get declares that it is read-only, so what it expands must be a path, also
// without --read-only.
func TestPathsAreNotEvaluatedAsExpressions(t *testing.T) {
	s := netcoredbg(t, loop(3))
	s.breakAt(10)
	s.launch(t)
	asked := s.adapter().Count("evaluate")
	for _, path := range []string{"Kill()", "i = 5", "new Thing()", "i++"} {
		s.Refused(fault.EvalRejected, "variables_get", mcptest.Args{"expand": path})
	}
	require.Equal(t, asked, s.adapter().Count("evaluate"))
}

// TestAllowedPrograms checks that links are resolved in patterns and programs, and that the checked file is the one
// started.
func TestAllowedPrograms(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range []string{"apps/good.dll", "apps/sub/deep.dll", "other/bad.dll"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	}
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	for link, to := range map[string]string{at("apps", "link.dll"): at("other", "bad.dll"),
		at("there.dll"): at("apps", "good.dll"), at("linked"): at("apps")} {
		if os.Symlink(to, link) != nil {
			t.Skip("no symbolic links here")
		}
	}
	for _, tc := range []struct {
		name, pattern, program string
		ok                     bool
	}{
		{"exact", at("apps", "good.dll"), at("apps", "good.dll"), true},
		{"star", at("apps", "*.dll"), at("apps", "good.dll"), true},
		{"star is no slash", at("apps", "*.dll"), at("apps", "sub", "deep.dll"), false},
		{"below", at("apps", "**"), at("apps", "sub", "deep.dll"), true},
		{"beside", at("apps", "**"), at("other", "bad.dll"), false},
		{"dots", at("apps", "**"), at("apps") + "/../other/bad.dll", false},
		{"link out", at("apps", "**"), at("apps", "link.dll"), false},
		{"link in", at("apps", "**"), at("there.dll"), true},
		{"pattern with a link", at("linked", "*.dll"), at("apps", "good.dll"), true},
		{"begins alike", at("app") + "/**", at("apps", "good.dll"), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := guarded(t, adapter.Permissions{Programs: []string{tc.pattern}}, true, loop(3))
			args := mcptest.Args{"program": tc.program, "stop_at_entry": false}
			if !tc.ok {
				s.Refused(fault.PermissionDenied, "debug_launch", args)
				return
			}
			r := s.Call("debug_launch", args) // it is not a program; this is checked after the permission
			require.NotEqual(t, "PERMISSION_DENIED", r.String("error.code"), "%s", r.Raw)
		})
	}
}

// TestAllowedConfigurations checks that a launch configuration can run only the program that it names. For any other
// the debugger is not started.
func TestAllowedConfigurations(t *testing.T) {
	for profile, kind := range map[string]string{"lldb-dap": "lldb", "dlv": "go", "debugpy": "debugpy",
		"netcoredbg": "coreclr", "unknown": "lldb"} {
		t.Run(profile, func(t *testing.T) {
			root := realTemp(t)
			good := write(t, filepath.Join(root, "app"), "x")
			own := map[string]string{"windows": "windows", "darwin": "osx", "linux": "linux"}[runtime.GOOS]
			write(t, filepath.Join(root, "vars"), "A=1\n")
			var configurations []any
			refused := map[string]string{}
			add := func(name, key string, members map[string]any) {
				members["name"], members["type"], members["request"], members["stopOnEntry"] = name, kind, "launch",
					false
				if members["program"] == nil {
					members["program"] = good
				}
				configurations = append(configurations, members)
				refused[name] = key
			}
			add("plain", "", map[string]any{"args": []string{"a"}, "console": "integratedTerminal",
				"env": map[string]any{}, "cwd": root})
			for _, key := range []string{
				"initCommands", "launchCommands", "pythonArgs", "python", "debugAdapterPython", "buildFlags",
				"dlvToolPath", "runtimeExecutable",
				"pipeTransport", "setupCommands", "preLaunchTask", "Program",
			} {
				add(key, key, map[string]any{key: []string{"touch ran"}})
			}
			add("envFile", "envFile", map[string]any{"envFile": "${workspaceFolder}/vars"})
			add("of this system", "exitCommands",
				map[string]any{own: map[string]any{"exitCommands": []string{"touch ran"}}})
			text, err := json.Marshal(map[string]any{"configurations": configurations})
			require.NoError(t, err)
			write(t, filepath.Join(root, ".vscode", "launch.json"), string(text))
			for _, perm := range []adapter.Permissions{{Programs: []string{root + "/**"}}, {ReadOnly: true,
				Programs: []string{root + "/**"}}, {ReadOnly: true}} {
				opened := 0
				_, fakes := mcptest.Fake(t, profile, daptest.Delve(), loop(1), func(*daptest.Adapter) { opened++ })
				m := adapter.NewManager(adapter.Options{Backends: fakes.Backends(profile), Permissions: perm,
					ProjectRoot: root})
				s := &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
				for name, key := range refused {
					if key == "" {
						continue
					}
					r := s.Refused(fault.PermissionDenied, "debug_launch", mcptest.Args{"configuration": name})
					require.Equal(t, key, r.String("error.details.key"), "%s", r.Raw)
					require.Contains(t, r.String("error.message"), key)
				}
				s.Refused(fault.PermissionDenied, "debug_launch", mcptest.Args{"configuration": "plain",
					"env": map[string]any{"PATH": nil}})
				require.Zero(t, opened)
				if len(perm.Programs) > 0 {
					s.Do("debug_launch", mcptest.Args{"configuration": "plain"})
					require.Equal(t, 1, opened)
				}
			}
		})
	}
}

// TestAdapterMayStartNothingElse checks that the same patterns limit what an adapter asks us to start.
func TestAdapterMayStartNothingElse(t *testing.T) {
	_, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), loop(daptest.Forever))
	backends := fakes.Backends("dlv")
	b := backends.Custom["fake"]
	b.Local = true
	backends.Custom["fake"] = b
	self, err := filepath.EvalSymlinks(os.Args[0])
	require.NoError(t, err)
	m := adapter.NewManager(adapter.Options{Backends: backends,
		Permissions: adapter.Permissions{Programs: []string{self}}})
	s := &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
	s.Do("debug_launch", mcptest.Args{"program": self, "stop_at_entry": false})
	init := mcptest.NewResult(t, s.adapter().WaitFor("initialize").Raw)
	require.False(t, init.Bool("arguments.supportsRunInTerminalRequest"))
	for _, ask := range []struct {
		command   string
		arguments map[string]any
	}{
		{"runInTerminal", map[string]any{"args": []string{self}, "cwd": t.TempDir()}},
		{"startDebugging", map[string]any{"request": "launch", "configuration": map[string]any{"program": write(t,
			filepath.Join(t.TempDir(), "other"), "x")}}},
		{"startDebugging", map[string]any{"request": "launch", "configuration": map[string]any{"program": self,
			"buildFlags": "-toolexec=x"}}},
		{"startDebugging", map[string]any{"request": "launch", "configuration": map[string]any{"program": self,
			"env": map[string]any{"A": "1"}}}},
	} {
		answer := s.ask(t, ask.command, ask.arguments)
		require.False(t, answer.Bool("success"), "%s", answer.Raw)
	}
	require.Equal(t, 1, s.Do("sessions_list", nil).Int("count"))
}

// TestAttachToNoProcess checks that a missing process is reported first, whatever the permissions and the installed
// debuggers.
func TestAttachToNoProcess(t *testing.T) {
	for _, p := range dapclient.Profiles() {
		t.Setenv(p.PathEnv, "")
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for name, perm := range map[string]adapter.Permissions{"all": {}, "some": {Programs: []string{"/nothing"}},
		"read-only": {ReadOnly: true}} {
		s := mcptest.Serve(t, adapter.NewManager(adapter.Options{Permissions: perm}), mcpserver.Options{})
		for _, backend := range []string{"auto", "netcoredbg", "dlv", "debugpy", "lldb-dap"} {
			s.Refused(fault.ProcessNotFound, "debug_attach", mcptest.Args{"pid": 1<<31 - 2, "backend": backend})
			if name != "all" {
				s.Refused(fault.PermissionDenied, "debug_attach", mcptest.Args{"pid": os.Getpid(),
					"backend": backend})
			}
		}
	}
}

// TestAllowedProgramsElsewhere checks that paths of another machine are not resolved on this one.
func TestAllowedProgramsOfARemoteBackend(t *testing.T) {
	folder := t.TempDir()
	linked := filepath.Join(folder, "linked")
	if os.Symlink(t.TempDir(), linked) != nil {
		t.Skip("no symbolic links here")
	}
	for _, tc := range []struct {
		pattern, program string
		ok               bool
	}{
		{"/src/**", "/src/LoopApp/LoopApp.dll", true},
		{"/src/**", "/src/../bin/sh", false},
		{filepath.Join(linked, "*.dll"), filepath.Join(linked, "a.dll"), true},
		{`C:\apps\**`, "c:/apps/sub/a.dll", true},
		{"C:/apps/*.dll", `C:\apps\a.dll`, true},
		{"C:/apps/*.dll", `C:\apps\sub\a.dll`, false},
		{`C:\apps\**`, `C:\apps2\a.dll`, false},
	} {
		s := guarded(t, adapter.Permissions{Programs: []string{tc.pattern}}, false, loop(3))
		r := s.Call("debug_launch", mcptest.Args{"program": tc.program, "stop_at_entry": false})
		require.Equal(t, !tc.ok, r.String("error.code") == "PERMISSION_DENIED", "%s %s: %s", tc.pattern, tc.program, r.Raw)
	}
}

func TestMaxSessions(t *testing.T) {
	_, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(3))
	m := adapter.NewManager(adapter.Options{Backends: fakes.Backends("netcoredbg"), MaxSessions: 1})
	s := &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
	s.breakAt(10)
	s.launch(t)
	s.Refused(fault.SessionLimit, "debug_launch", mcptest.Args{"program": program})
}
