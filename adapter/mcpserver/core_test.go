package mcpserver_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

// A core file is opened by the debugger of its program; what needs a live program is refused before the debugger is
// asked.
func TestCoreFile(t *testing.T) {
	folder := writeFiles(t, map[string]string{"core": "x", "app": "x"})
	open := mcptest.Args{"core": filepath.Join(folder, "core"), "program": filepath.Join(folder, "app")}
	for _, test := range []struct {
		profile, command string
		shape            daptest.Shape
		want             map[string]any
	}{
		{"lldb-dap", "attach", daptest.LLDB(), map[string]any{"coreFile": open["core"], "program": open["program"]}},
		{"dlv", "launch", daptest.Delve(), map[string]any{"mode": "core", "coreFilePath": open["core"],
			"program": open["program"], "stopOnEntry": true}},
	} {
		s := serve(t, test.profile, test.shape, loop(3))
		r := s.Settled(s.Do("debug_attach", open))
		require.Equal(t, "paused", s.state(), "%s", r.Raw)
		sent := sentTo(t, s.adapter(), test.command)
		for name, value := range test.want {
			require.Equal(t, value, sent[name], "%s %s", test.profile, name)
		}
		require.NotContains(t, sent, "pid")
		asked := func() int { return len(s.adapter().Received()) - s.adapter().Count("threads") } // listed after a while
		before := asked()
		for tool, args := range map[string]mcptest.Args{
			"debug_continue": nil, "debug_step": nil, "variable_set": {"name": "i", "value": "1"},
			"debug_run_to":   {"file": source, "line": 10},
			"breakpoint_set": {"file": source, "line": 11, "session_id": r.String("session.sessionId")},
		} {
			s.Refused(fault.NotSupported, tool, args)
		}
		s.Do("breakpoint_set", mcptest.Args{"file": source, "line": 11}) // of a later session
		require.Equal(t, before, asked(), test.profile)
		s.Do("debug_disconnect", nil)
		s.Refused(fault.InvalidPath, "debug_attach", mcptest.Args{"core": open["core"], "program": folder})
	}
	s := netcoredbg(t, loop(3))
	e := s.Refused(fault.NotSupported, "debug_attach", open)
	require.Contains(t, e.String("error.message"), "dotnet-dump")
}

// crash runs a program that leaves a core file, where this system writes one.
func crash(t *testing.T, folder string, program ...string) (core string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh here")
	}
	if said, err := exec.Command("sh", "-c", "ulimit -c unlimited").CombinedOutput(); err != nil {
		t.Skipf("no core files are allowed here: %s", said)
	}
	cmd := exec.Command("sh", append([]string{"-c", `ulimit -c unlimited; exec "$@"`, "sh"}, program...)...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOTRACEBACK=crash")
	require.Error(t, cmd.Run())
	found, err := filepath.Glob(filepath.Join(folder, "core*"))
	require.NoError(t, err)
	if len(found) == 0 {
		pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
		require.False(t, err == nil && bytes.HasPrefix(pattern, []byte("core")), "no core file in the working folder")
		t.Skipf("this system keeps core files elsewhere: %s", pattern)
	}
	return found[0]
}

func TestLiveCoreFile(t *testing.T) {
	for _, test := range []struct {
		name, value string
		line        int
		build       func(t *testing.T, folder string) (program string)
	}{
		{"go", "42", 5, func(t *testing.T, folder string) string {
			t.Setenv("DLV_PATH", fixtures.Delve(t))
			writeGo(t, folder, "package main\n\nfunc fail(n int) {\n\tm := n * 2\n\tpanic(m)\n}\n\nfunc main() { fail(21) }\n")
			build := exec.Command("go", "build", "-gcflags", "all=-N -l", "-o", "app", ".")
			build.Dir = folder
			said, err := build.CombinedOutput()
			require.NoError(t, err, "%s", said)
			return filepath.Join(folder, "app")
		}},
		{"c", "42", 4, func(t *testing.T, folder string) string {
			t.Setenv("LLDB_DAP_PATH", fixtures.LLDB(t))
			cc, err := exec.LookPath("cc")
			if err != nil {
				t.Skip("no C compiler here")
			}
			file := filepath.Join(folder, "app.c")
			require.NoError(t, os.WriteFile(file, []byte("#include <stdlib.h>\nvoid fail(int n) {\n  int m = n * 2;\n"+
				"  if (m) abort();\n}\nint main(void) {\n  fail(21);\n  return 0;\n}\n"), 0o600))
			said, err := exec.Command(cc, "-g", "-O0", "-o", filepath.Join(folder, "app"), file).CombinedOutput()
			require.NoError(t, err, "%s", said)
			return filepath.Join(folder, "app")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			program := test.build(t, folder)
			core := crash(t, folder, program)
			c := mcptest.Serve(t, mcptest.Live(t, adapter.Options{}), mcpserver.Options{})
			r := c.Do("debug_attach", mcptest.Args{"core": core, "program": program})
			require.Equal(t, test.line, r.Int("stop.location.line"), "%s", r.Raw)
			require.Equal(t, test.value, c.Do("evaluate", mcptest.Args{"expression": "m"}).String("value"))
			c.Refused(fault.NotSupported, "debug_continue", nil)
			require.False(t, c.Do("debug_disconnect", nil).Has("processAlive"))
		})
	}
}
