package adapter

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/program"
	"breakwire/adapter/python"
	"breakwire/adapter/scratch"
	"breakwire/dapclient"
)

// Effects of our sitecustomize: the user's own one has run, the debugger's processes pass the folder on, the program
// does not see it, and only the debugger's sockets are changed.
func TestSitecustomize(t *testing.T) {
	exe, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	if exec.Command(exe, "-c", "import sys; sys.exit(sys.version_info < (3, 10) and sys.platform != 'linux')").
		Run() != nil {
		t.Skip("this python3 cannot be asked for its command line, or does not run")
	}
	theirs, work, folder := t.TempDir(), t.TempDir(), t.TempDir()
	archive, err := python.SiteArchive()
	require.NoError(t, err)
	var private scratch.Files
	ours, err := private.Add("sitecustomize.zip", archive, func() (string, error) { return folder, nil })
	require.NoError(t, err)
	t.Cleanup(private.Remove)
	write(t, "import builtins\nbuiltins.theirs = True\n", theirs, "sitecustomize.py")
	const script = `
import builtins, json, os, socket, sys
def pair():
    listener = socket.socket(); listener.bind(("127.0.0.1", 0)); listener.listen()
    client = socket.socket(); client.connect(listener.getsockname())
    server, _ = listener.accept()
    delay = [s.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0 for s in (client, server)]
    for s in (listener, client, server): s.close()
    return delay
mine = pair()
__name__ = "_pydevd_bundle.pydevd_comm"
print(json.dumps({"theirs": hasattr(builtins, "theirs"), "path": os.environ.get("PYTHONPATH"),
    "file": getattr(sys.modules.get("sitecustomize"), "__file__", ""), "sysPath": sys.path,
    "mine": mine, "debugger": pair()}))
`
	type told struct {
		Theirs         bool
		Path, File     string
		SysPath        []string
		Mine, Debugger []bool // whether the client's and the server's end wait
	}
	sep := string(os.PathListSeparator)
	ask := func(t *testing.T, path string, name ...string) told {
		t.Helper()
		file := write(t, script, append([]string{work}, name...)...)
		cmd := exec.Command(exe, file, "--connect", "1")
		cmd.Env = program.SetEnv(os.Environ(), "PYTHONPATH", path)
		var out told
		text, err := cmd.Output()
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &out), "%s", text)
		require.NotContains(t, out.SysPath, ours)
		return out
	}
	t.Run("program", func(t *testing.T) {
		got := ask(t, ours+sep+theirs, "debugpy", "program.py")
		require.True(t, got.Theirs)
		require.Equal(t, filepath.Join(theirs, "sitecustomize.py"), got.File)
		require.Equal(t, theirs, got.Path)
		require.Equal(t, []bool{true, true}, got.Mine)
		require.Equal(t, []bool{false, true}, got.Debugger)
	})
	t.Run("launcher", func(t *testing.T) {
		got := ask(t, ours+sep+theirs, "debugpy", "launcher")
		require.True(t, got.Theirs)
		require.Equal(t, ours+sep+theirs, got.Path, "handed on to the program")
		require.Equal(t, []bool{false, false}, got.Mine, "all it does is debugging")
	})
	t.Run("nothing of the user's", func(t *testing.T) {
		got := ask(t, ours, "debugpy", "alone.py")
		require.Empty(t, got.Path)
	})
	t.Run("another program", func(t *testing.T) {
		got := ask(t, ours, "other.py")
		require.Equal(t, []bool{true, true}, got.Debugger)
	})
}

// The adapter's interpreter is the first on PATH that has debugpy. A shim answers with the interpreter behind it.
func TestFindDebugpy(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("scripts of Unix")
	}
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("DEBUGPY_PYTHON", "")
	p := *dapclient.ProfileByName("debugpy")
	p.WellKnown = []string{"~/versions/*/bin/python3"}
	venv := write(t, "#!/bin/sh\nexit 1\n", dir, "venv", "python3")
	require.NoError(t, os.Symlink("python3", filepath.Join(dir, "venv", "python")))
	require.NoError(t, os.Symlink("venv", filepath.Join(dir, "link")))
	t.Setenv("PATH",
		strings.Join([]string{filepath.Join(dir, "none"), filepath.Join(dir, "venv"), filepath.Join(dir, "link")},
			string(os.PathListSeparator)))
	_, err := FindBackend(t.Context(), &p, "")
	require.Equal(t, fault.BackendNotFound, fault.CodeOf(err))
	require.Equal(t, []string{venv}, fault.AsError(err).Details["looked"], "each once")
	require.ErrorContains(t, err, venv)

	older := write(t, "#!/bin/sh\necho $0\n", dir, "versions", "3.1", "bin", "python3")
	real := write(t, "#!/bin/sh\necho $0\n", dir, "versions", "3.2", "bin", "python3")
	found, err := FindBackend(t.Context(), &p, "")
	require.NoError(t, err)
	require.Equal(t, real, found)

	write(t, "#!/bin/sh\nexec "+older+" \"$@\"\n", dir, "shims", "python")
	t.Setenv("PATH", filepath.Join(dir, "venv")+string(os.PathListSeparator)+filepath.Join(dir, "shims"))
	found, err = FindBackend(t.Context(), &p, "")
	require.NoError(t, err)
	require.Equal(t, older, found)

	t.Setenv("PATH", "")
	p.WellKnown = nil
	_, err = FindBackend(t.Context(), &p, "")
	require.ErrorContains(t, err, "there is no Python on PATH")
	require.Equal(t, []string{"python3", "python"}, fault.AsError(err).Details["looked"])
}

func TestPythonAsProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("executables of Unix")
	}
	dir := t.TempDir()
	exe := write(t, "#!/bin/sh\n", dir, "bin", "python3.11")
	write(t, "", dir, "app.py")
	name, _ := byProgram(exe)
	require.Equal(t, "debugpy", name)
	name, _ = byProgram(write(t, "#!/bin/sh\n", dir, "bin", "pythonic"))
	require.NotEqual(t, "debugpy", name)
	type want struct {
		options, args []string
		program       string
		extra         map[string]any
	}
	script := filepath.Join(dir, "app.py")
	for _, tt := range []struct {
		args []string
		want want
	}{
		{[]string{"-m", "svc", "-m", "x"}, want{nil, []string{"-m", "x"}, "", map[string]any{"module": "svc"}}},
		{[]string{"-X", "dev", "-um", "svc"}, want{[]string{"-X", "dev", "-u"}, nil, "", map[string]any{"module": "svc"}}},
		{[]string{"-msvc.sub", "a"}, want{nil, []string{"a"}, "", map[string]any{"module": "svc.sub"}}},
		{[]string{"-c", "print(1)", "a"}, want{nil, []string{"a"}, "", map[string]any{"code": "print(1)"}}},
		{[]string{"app.py", "-c", "a"}, want{nil, []string{"-c", "a"}, script, nil}},
		{[]string{"-Wignore", "-O", "--check-hash-based-pycs", "never", script}, want{[]string{"-Wignore", "-O",
			"--check-hash-based-pycs", "never"}, nil, script, nil}},
	} {
		p := LaunchParams{LaunchRequest: LaunchRequest{Program: exe, Args: tt.args, Cwd: dir}}
		require.NoError(t, p.pythonProgram(), "%q", tt.args)
		require.Equal(t, append([]string{exe}, tt.want.options...), p.Interpreter, "%q", tt.args)
		require.Equal(t, tt.want.program, p.Program, "%q", tt.args)
		require.ElementsMatch(t, tt.want.args, p.Args, "%q", tt.args)
		require.Equal(t, tt.want.extra, p.Extra, "%q", tt.args)
	}
	for code, lists := range map[fault.Code][][]string{
		fault.LaunchFailed: {nil, {"-"}, {"-i"}, {"-m"}, {"-X", "dev"}}, fault.InvalidPath: {{"nosuch.py"}},
	} {
		for _, args := range lists {
			p := LaunchParams{LaunchRequest: LaunchRequest{Program: exe, Args: args, Cwd: dir}}
			require.Equal(t, code, fault.CodeOf(p.pythonProgram()), "%q", args)
		}
	}
}

func TestFindInterpreter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("executables of Unix")
	}
	dir := t.TempDir()
	exe := write(t, "#!/bin/sh\n", dir, "env", "bin", "python")
	write(t, "", dir, "env", "pyvenv.cfg")
	t.Setenv("PATH", filepath.Dir(exe))
	for _, named := range []string{exe, "python", filepath.Join(dir, "env")} {
		p := LaunchParams{Interpreter: []string{named, "-X", "dev"},
			LaunchRequest: LaunchRequest{Extra: map[string]any{"pythonArgs": []any{"-O"}}}}
		require.NoError(t, p.findInterpreter())
		require.Equal(t, []string{exe}, p.Interpreter)
		require.Equal(t, []any{"-X", "dev", "-O"}, p.Extra["pythonArgs"])
	}
	p := LaunchParams{Interpreter: []string{filepath.Join(dir, "nosuch")}}
	require.Equal(t, fault.InvalidPath, fault.CodeOf(p.findInterpreter()))
}
