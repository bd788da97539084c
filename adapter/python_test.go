package adapter

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPythonOfTheProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of Unix")
	}
	root := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("VIRTUAL_ENV", "")
	program := write(t, "", root, "repo", "src", "a.py")
	any := func(string) bool { return true }
	require.Empty(t, pythonFor(program, nil, any))

	active := filepath.Join(root, "active")
	python := touch(t, active, "bin", "python")
	t.Setenv("VIRTUAL_ENV", active)
	require.Empty(t, pythonFor(program, nil, any), "without pyvenv.cfg it is no environment")
	write(t, "", active, "pyvenv.cfg")
	require.Equal(t, python, pythonFor(program, nil, any))
	require.Empty(t, pythonFor(program, map[string]*string{"VIRTUAL_ENV": nil}, any))
	t.Setenv("VIRTUAL_ENV", "")
	require.Equal(t, python, pythonFor(program, map[string]*string{"VIRTUAL_ENV": &active}, any))

	above := touch(t, root, "repo", ".venv", "bin", "python")
	write(t, "", root, "repo", ".venv", "pyvenv.cfg")
	require.Equal(t, above, pythonFor(program, map[string]*string{"VIRTUAL_ENV": &active}, any),
		"the project's own comes first")
	beside := touch(t, root, "repo", "src", "venv", "bin", "python")
	write(t, "", root, "repo", "src", "venv", "pyvenv.cfg")
	require.Equal(t, beside, pythonFor(program, nil, any))
	require.Equal(t, above, pythonFor(program, nil, func(exe string) bool { return exe != beside }),
		"one that may be run")
}

// Effects of our sitecustomize: the user's own one has run, the debugger's processes pass the folder on, the program
// does not see it, and only the debugger's sockets are changed.
func TestSitecustomize(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	if exec.Command(python, "-c", "import sys; sys.exit(sys.version_info < (3, 10) and sys.platform != 'linux')").
		Run() != nil {
		t.Skip("this python3 cannot be asked for its command line, or does not run")
	}
	theirs, work, folder := t.TempDir(), t.TempDir(), t.TempDir()
	archive, err := sitecustomizeZip()
	require.NoError(t, err)
	var private privateFiles
	ours, err := private.add("sitecustomize.zip", archive, func() (string, error) { return folder, nil })
	require.NoError(t, err)
	t.Cleanup(private.remove)
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
		cmd := exec.Command(python, file, "--connect", "1")
		cmd.Env = setEnv(os.Environ(), "PYTHONPATH", path)
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

// An interpreter that cannot load the adapter's debugpy is not used.
func TestPythonsFit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("scripts of Unix")
	}
	dir := t.TempDir()
	adapter := write(t, "#!/bin/sh\necho "+dir+"/debugpy/__init__.py\n", dir, "adapter")
	able := write(t, "#!/bin/sh\ntest \"$*\" = '"+dir+"/debugpy --version'\n", dir, "able")
	unable := write(t, "#!/bin/sh\nexit 1\n", dir, "unable")
	var p pythons
	require.True(t, p.fit(t.Context(), adapter, able))
	require.False(t, p.fit(t.Context(), adapter, unable))
	require.False(t, p.fit(t.Context(), unable, able))
	require.NoError(t, os.Remove(able))
	require.True(t, p.fit(t.Context(), adapter, able), "asked once")
}
