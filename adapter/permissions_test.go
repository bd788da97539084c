package adapter

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/python"
	"breakwire/dapclient"
)

// TestHarmlessMembers: only members of a launch configuration that are known to run and load nothing are accepted, for
// each adapter its own.
func TestHarmlessMembers(t *testing.T) {
	dangerous := map[string][]string{
		"lldb-dap": {
			"initCommands", "preRunCommands", "postRunCommands", "stopCommands", "exitCommands", "terminateCommands",
			"launchCommands", "attachCommands",
			"sourcePath", "sourceMap", "debuggerRoot", "customFrameFormat", "customThreadFormat",
			"commandEscapePrefix", "runInTerminal",
			"shellExpandArguments", "gdb-remote-port", "coreFile", "setupCommands", "miDebuggerPath", "pipeTransport",
			"debugServer",
		},
		"dlv": {
			"buildFlags", "dlvToolPath", "dlvFlags", "dlvCwd", "output", "backend", "substitutePath", "stdinFrom",
			"stdoutTo", "coreFilePath",
			"traceDirPath", "debugAdapter", "logDest", "port", "host", "followExec", "goroutineFilters",
			"Program", "PROGRAM", "Mode", "buildflags", // Go's decoder ignores case
		},
		"debugpy": {
			"pythonArgs", "python", "pythonPath", "debugAdapterPython", "debugLauncherPython", "debugAdapterPath",
			"module", "code", "sudo",
			"debugOptions", "guiEventLoop", "autoReload", "logToFile", "pathMappings", "connect", "listen",
			"subProcessId", "gevent",
		},
		"netcoredbg": {"pipeTransport", "sourceFileMap", "symbolOptions", "checkForDevCert", "debuggerPath",
			"targetArchitecture"},
		"js-debug": {"runtimeExecutable", "runtimeArgs", "attachSimplePort", "sourceMapPathOverrides", "subProcess",
			"showRegisters"},
	}
	everywhere := []string{"envFile", "preLaunchTask", "postDebugTask", "serverReadyAction", "launchBrowser",
		"launchSettingsProfile", "", "made up"}
	harmless := map[string][]string{
		"lldb-dap": {"disableASLR"}, "dlv": {"showGlobalVariables", "hideSystemGoroutines"}, "debugpy": {"subProcess",
			"django"},
		"netcoredbg": {"enableStepFiltering"}, "js-debug": {"skipFiles", "smartStep"},
	}
	for name, members := range dangerous {
		profile := dapclient.ProfileByName(name)
		if profile == nil {
			profile = dapclient.Generic(name)
		}
		b := &Backend{Profile: profile}
		for _, member := range append(members, everywhere...) {
			for _, p := range []*LaunchParams{ // sent to the debugger, or only in the file
				{LaunchRequest: LaunchRequest{Extra: map[string]any{member: []any{"x"}}}},
				{Members: []string{"name", member}},
			} {
				err := mayConfigure(b, p)
				require.Equal(t, fault.PermissionDenied, fault.CodeOf(err), "%s %s", name, member)
				require.Equal(t, member, fault.AsError(err).Details["key"])
			}
		}
		for _, member := range append(harmless[name], "name", "type", "program", "args", "cwd", "console", "$schema") {
			require.NoError(t, mayConfigure(b,
				&LaunchParams{LaunchRequest: LaunchRequest{Extra: map[string]any{member: true}},
					Members: []string{member}}), "%s %s", name, member)
		}
	}
}

// TestHarmlessGoModes: a mode must not start another program than the named one.
func TestHarmlessGoModes(t *testing.T) {
	folder := t.TempDir()
	source, test, binary := touch(t, folder, "main.go"), touch(t, folder, "main_test.go"), touch(t, folder, "app")
	for program, allowed := range map[string][]any{
		folder: {"debug", "test"}, source: {"debug"}, test: {"test"}, binary: {"exec"},
	} {
		for _, mode := range []any{"debug", "test", "exec", "core", "replay", "remote", "local", "", 7.0, nil} {
			p := &LaunchParams{LaunchRequest: LaunchRequest{Program: program, Extra: map[string]any{"mode": mode}},
				Members: []string{"mode"}}
			err := mayConfigure(&Backend{Profile: dapclient.ProfileByName("dlv")}, p)
			if want := slices.Contains(allowed, mode); want {
				require.NoError(t, err, "%s %v", program, mode)
			} else {
				require.Equal(t, fault.PermissionDenied, fault.CodeOf(err), "%s %v", program, mode)
			}
		}
	}
	auto := &LaunchParams{LaunchRequest: LaunchRequest{Program: binary},
		Members: []string{"mode"}} // auto is not sent to the debugger
	require.NoError(t, mayConfigure(&Backend{Profile: dapclient.ProfileByName("dlv")}, auto))
}

// TestAllowedInterpreter: the environment beside a program may run it only when a pattern names its interpreter.
func TestAllowedInterpreter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of Unix")
	}
	root := realFolder(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("VIRTUAL_ENV", "")
	program := write(t, "", root, "apps", "a.py")
	write(t, "", root, ".venv", "pyvenv.cfg")
	above := touch(t, root, ".venv", "bin", "python")
	system := touch(t, root, "system", "python3")
	write(t, "", root, "apps", "venv", "pyvenv.cfg")
	inside := filepath.Join(root, "apps", "venv", "bin", "python")
	require.NoError(t, os.MkdirAll(filepath.Dir(inside), 0o755))
	require.NoError(t, os.Symlink(system, inside))
	for _, tc := range []struct {
		name string
		perm Permissions
		want string
	}{
		{"no limits", Permissions{}, inside},
		{"the program alone", Permissions{Programs: []string{program}}, ""},
		{"its folder", Permissions{Programs: []string{filepath.Join(root, "apps") + "/**"}}, inside},
		{"its folder, only looking", Permissions{ReadOnly: true, Programs: []string{filepath.Join(root,
			"apps") + "/**"}}, inside},
		{"the one above", Permissions{Programs: []string{program, above}}, above},
	} {
		m := NewManager(Options{Permissions: tc.perm})
		require.Equal(t, tc.want, python.For(program, nil, m.mayInterpret), tc.name)
		m.Close()
	}
}

// TestAllowedAssembly: the assembly of a project must be in its folder or match a pattern.
func TestAllowedAssembly(t *testing.T) {
	root := realFolder(t)
	project := touch(t, root, "App", "App.csproj")
	own, elsewhere := touch(t, root, "App", "bin", "App.dll"), touch(t, root, "artifacts", "App.dll")
	link := filepath.Join(root, "App", "bin", "Link.dll")
	if os.Symlink(elsewhere, link) != nil {
		t.Skip("no symbolic links here")
	}
	for _, tc := range []struct {
		patterns []string
		program  string
		built    string
		ok       bool
	}{
		{[]string{project}, project, own, true},
		{[]string{filepath.Dir(project)}, filepath.Dir(project), own, true},
		{[]string{project}, project, elsewhere, false},
		{[]string{project}, project, link, false},
		{[]string{project, elsewhere}, project, elsewhere, true},
		{nil, project, elsewhere, true},
	} {
		m := NewManager(Options{Permissions: Permissions{Programs: tc.patterns}})
		p := &LaunchParams{LaunchRequest: LaunchRequest{Program: tc.built}}
		err := m.mayRunBuilt(tc.program, p)
		require.Equal(t, tc.ok, err == nil, "%v %s: %v", tc.patterns, tc.built, err)
		if err != nil {
			require.Equal(t, fault.PermissionDenied, fault.CodeOf(err))
		}
		m.Close()
	}
}

func realFolder(t *testing.T) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return folder
}
