package dapclient

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDebugpyInterpreter(t *testing.T) {
	a := debugpy.Launch(LaunchRequest{Program: "a.py", Adapter: "/usr/bin/python3"})
	require.NotContains(t, a, "python", "the adapter's own")

	a = debugpy.Launch(LaunchRequest{Program: "a.py", Adapter: "/usr/bin/python3", Python: "/venv/bin/python"})
	require.Equal(t, []string{"/venv/bin/python"}, a["python"])
	require.Equal(t, "/usr/bin/python3", a["debugLauncherPython"], "the launcher needs debugpy's own files only")

	if runtime.GOOS != "windows" {
		a = debugpy.Launch(LaunchRequest{Program: "a.py", Adapter: "/usr/bin/python3", Python: "/venv/bin/python",
			Stdin: "/p/in"})
		require.Equal(t, []string{"/usr/bin/python3", "-I", "-S", "-c", withInput, "/p/in", "/venv/bin/python"}, a["python"])
	}
}

func TestDebugpyPythonPath(t *testing.T) {
	own, other := "/own", "1"
	sep := string(os.PathListSeparator)
	for _, test := range []struct {
		name string
		env  map[string]*string
		want string
	}{
		{"of the user's", map[string]*string{"PYTHONPATH": &own, "A": &other}, "/ours" + sep + "/own"},
		{"unset by the user", map[string]*string{"PYTHONPATH": nil}, "/ours"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := debugpy.Launch(LaunchRequest{Env: test.env, PythonPath: "/ours"})
			env := a["env"].(map[string]*string)
			require.Len(t, env, len(test.env))
			require.Equal(t, test.want, *env["PYTHONPATH"])
		})
	}
	env := map[string]*string{"A": &other}
	require.Equal(t, env, debugpy.Launch(LaunchRequest{Env: env, PythonPath: "/ours"})["env"], "handed on by the adapter")
	require.Equal(t, "/own", own)
}
