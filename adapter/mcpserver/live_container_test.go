package mcpserver_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// standIn puts stand-ins of docker and kubectl on PATH, since there is no engine here. A "container" is a folder; shop
// exists, and has the given executables. The commands in it are no children that die with the client, as in a real one.
func standIn(t *testing.T, executables map[string]string) (shop string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	shop = filepath.Join(folder, "shop")
	own, there := filepath.Join(folder, "bin"), filepath.Join(folder, "there")
	for _, dir := range []string{shop, own, there} {
		require.NoError(t, os.Mkdir(dir, 0o755))
	}
	for name, file := range executables {
		require.NoError(t, os.Symlink(file, filepath.Join(there, name)))
	}
	apart := ""
	if _, err := exec.LookPath("setsid"); err == nil {
		apart = "setsid --wait "
	}
	run := fmt.Sprintf("cd '%s' || exit 1\nPATH='%s':/usr/bin:/bin HOME=/nonexistent exec %s\"$@\"\n", shop, there, apart)
	for name, head := range map[string]string{
		"docker": `[ "$1 $2" = "exec -i" ] || exit 64
[ "$3" = shop ] || { echo "Error response from daemon: No such container: $3" >&2; exit 1; }
shift 3
`,
		"kubectl": `[ "$1 $2 $3 $4 $6 $8" = "exec -i -n web -c --" ] || exit 64
[ "$5" = shop ] || { echo "Error from server (NotFound): pods \"$5\" not found" >&2; exit 1; }
shift 8
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(own, name), []byte("#!/bin/sh\n"+head+run), 0o755))
	}
	t.Setenv("PATH", own+string(os.PathListSeparator)+os.Getenv("PATH"))
	return shop
}

// copied copies files into the "container" and into a project that has no other files.
func copied(t *testing.T, shop string, files ...string) (root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, dir := range []string{root, shop} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o755))
		}
	}
	return root
}

// Delve, which only listens, builds and debugs a program in a container. Nothing of it is left after the end, which
// kills only a client there.
func TestLiveDelveInContainer(t *testing.T) {
	tool, err := exec.LookPath("go")
	require.NoError(t, err)
	shop := standIn(t, map[string]string{"dlv": fixtures.Delve(t), "go": tool})
	root := copied(t, shop, fixtures.GoSource("loop"))
	require.NoError(t, os.WriteFile(filepath.Join(shop, "go.mod"), []byte("module shop\n\ngo 1.21\n"), 0o644))
	t.Setenv("GOCACHE", goEnv(t, "GOCACHE"))
	file := filepath.Join(root, "main.go")

	c := mcptest.Serve(t, mcptest.Live(t, adapter.Options{ProjectRoot: root}), mcpserver.Options{})
	for _, place := range []mcptest.Args{{"in_container": "shop"}, {"in_pod": "web/shop:app"}} {
		c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 12})
		args := mcptest.Args{"program": ".", "args": []string{"1000000000"}, "backend": "dlv", "wait": true}
		for name, value := range place {
			args[name] = value
		}
		r := c.Do("debug_launch", args)
		require.Contains(t, r.String("session.backendReason"), "where "+root+" is "+shop)
		require.Equal(t, "entry", r.String("stop.reason"), "%s", r.Raw)
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, file, r.String("stop.location.file"), "%s", r.Raw)
		pid := c.Do("debug_state", nil).Int("session.processId")
		c.Do("debug_disconnect", nil)
		require.Error(t, exec.Command("kill", "-0", strconv.Itoa(pid)).Run())
		c.Do("breakpoint_remove", mcptest.Args{"all": true})
	}

	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 12})
	program := filepath.Join(shop, "app")
	build := exec.Command(tool, "build", "-gcflags=all=-N -l", "-o", program, ".")
	build.Dir = shop
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd := exec.Command(program, "1000000000")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	r := c.Settled(c.Do("debug_attach", mcptest.Args{"in_container": "shop", "pid": cmd.Process.Pid, "backend": "dlv",
		"wait": true}))
	require.Equal(t, file, r.String("stop.location.file"), "%s", r.Raw)
	require.False(t, c.Do("debug_disconnect", nil).Bool("wasTerminated"))
	require.NoError(t, exec.Command("kill", "-0", strconv.Itoa(cmd.Process.Pid)).Run())
	c.Refused(fault.ProcessNotFound, "debug_attach",
		mcptest.Args{"in_container": "shop", "pid": 1 << 29, "backend": "dlv"})
}

// goEnv returns a setting of the Go tools.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// debugpy and lldb-dap speak on their standard streams. Breakpoints are those of the project here.
func TestLiveAdaptersInContainer(t *testing.T) {
	for _, test := range []struct {
		backend, source string
		line            int
		executables     func(t *testing.T) map[string]string
		args            mcptest.Args
	}{
		{"debugpy", fixtures.Program("python", "loop.py"), 6,
			func(t *testing.T) map[string]string { return map[string]string{"python3": fixtures.Debugpy(t)} },
			mcptest.Args{"program": "loop.py"}},
		{"debugpy", fixtures.Program("python", "loop.py"), 6,
			func(t *testing.T) map[string]string { return map[string]string{"python3": fixtures.Debugpy(t)} },
			mcptest.Args{"module": "loop"}},
		{"lldb-dap", fixtures.Program("c", "loop.c"), 7,
			func(t *testing.T) map[string]string { return map[string]string{"lldb-dap": fixtures.LLDB(t)} },
			mcptest.Args{"program": "loop", "backend": "lldb-dap"}},
	} {
		t.Run(fmt.Sprint(test.backend, test.args), func(t *testing.T) {
			shop := standIn(t, test.executables(t))
			root := copied(t, shop, test.source)
			if test.backend == "lldb-dap" {
				build := exec.Command("cc", "-g", "-O0", "-o", "loop", "loop.c")
				build.Dir = shop
				out, err := build.CombinedOutput()
				require.NoError(t, err, "%s", out)
			}
			c := mcptest.Serve(t, mcptest.Live(t, adapter.Options{ProjectRoot: root}), mcpserver.Options{})
			file := filepath.Join(root, filepath.Base(test.source))
			args := mcptest.Args{"in_container": "shop", "stop_at_entry": false, "wait": true,
				"breakpoints": []any{mcptest.Args{"file": file, "line": test.line}}}
			for name, value := range test.args {
				args[name] = value
			}
			r := c.Do("debug_launch", args)
			require.Equal(t, file, r.String("stop.location.file"), "%s", r.Raw)
			require.Equal(t, "0", c.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
			pid := r.Int("session.processId")
			c.Do("debug_disconnect", nil)
			require.Error(t, exec.Command("kill", "-0", strconv.Itoa(pid)).Run())
		})
	}
}

// What is missing is said with what to do.
func TestContainerRefused(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	shop := standIn(t, map[string]string{"lldb-dap": sh})
	root := copied(t, shop)
	c, _ := reaching(t, adapter.Options{ProjectRoot: root})
	for _, test := range []struct {
		tool string
		args mcptest.Args
		code fault.Code
		says string
	}{
		{"debug_launch", mcptest.Args{"program": "a.py", "in_container": "shoe"}, fault.BackendStartFailed,
			"No such container: shoe; docker ps"},
		{"debug_launch", mcptest.Args{"program": "a.py", "in_pod": "web/shoe:app"}, fault.BackendStartFailed,
			"kubectl get pods"},
		{"debug_launch", mcptest.Args{"program": "a.dll", "in_container": "shop"}, fault.BackendNotFound,
			"netcoredbg was not found in container shop"},
		{"debug_launch", mcptest.Args{"program": "a", "in_container": "shop"}, fault.InvalidParameter, "backend"},
		{"debug_launch", mcptest.Args{"program": "a", "in_container": "shop", "backend": "lldb-dap"}, fault.InvalidPath,
			"working folder is " + shop},
		{"debug_launch", mcptest.Args{"program": "a.py", "in_container": "--privileged"}, fault.InvalidParameter, "no name"},
		{"debug_launch", mcptest.Args{"program": "a.py", "in_container": "a/b"}, fault.InvalidParameter, "no name"},
		{"debug_launch", mcptest.Args{"program": "a.py", "in_pod": "-n x"}, fault.InvalidParameter, "no name"},
		{"debug_launch", mcptest.Args{"program": "a.py", "in_pod": "p", "in_container": "c"}, fault.InvalidParameter,
			"exclude"},
		{"debug_launch", mcptest.Args{"program": "a.js", "in_container": "shop", "backend": "js-debug"}, fault.NotSupported,
			"connect"},
		{"debug_launch", mcptest.Args{"test": "TestA", "in_container": "shop"}, fault.InvalidParameter, "this machine"},
		{"debug_attach", mcptest.Args{"in_container": "shop", "backend": "dlv"}, fault.InvalidParameter, "pid"},
		{"debug_attach", mcptest.Args{"in_container": "shop", "process_name": "a"}, fault.InvalidParameter, "pid"},
		{"debug_attach", mcptest.Args{"in_container": "shop", "connect": "127.0.0.1:1"}, fault.InvalidParameter, "exclude"},
	} {
		require.Contains(t, c.Refused(test.code, test.tool, test.args).String("error.message"), test.says, "%v", test.args)
	}
	t.Setenv("PATH", t.TempDir())
	for _, place := range []string{"in_container", "in_pod"} {
		e := c.Refused(fault.BackendNotFound, "debug_launch", mcptest.Args{"program": "a.py", place: "shop"})
		require.Contains(t, e.String("error.message"), "was not found on PATH", "%v", place)
	}
}

// Under --allow-program a pattern must name the container and the program in it.
func TestContainerIsGuarded(t *testing.T) {
	python := fixtures.Debugpy(t)
	shop := standIn(t, map[string]string{"python3": python})
	root := copied(t, shop, fixtures.Program("python", "loop.py"))
	launch := mcptest.Args{"program": "loop.py", "in_container": "shop"}
	serve := func(perm adapter.Permissions) *mcptest.Client {
		return mcptest.Serve(t, mcptest.Live(t, adapter.Options{ProjectRoot: root, Permissions: perm}), mcpserver.Options{})
	}
	for _, perm := range []adapter.Permissions{{ReadOnly: true}, {Programs: []string{shop + "/**"}},
		{Programs: []string{"docker:other:" + shop + "/**"}}, {Programs: []string{"docker:shop:" + shop + "/a.py"}}} {
		c := serve(perm)
		c.Refused(fault.PermissionDenied, "debug_launch", launch)
		c.Refused(fault.PermissionDenied, "debug_launch", mcptest.Args{"program": "loop.py", "in_pod": "web/shop:app"})
		c.Refused(fault.PermissionDenied, "debug_attach",
			mcptest.Args{"pid": os.Getpid(), "in_container": "shop", "backend": "debugpy"})
	}
	c := serve(adapter.Permissions{ReadOnly: true, Programs: []string{"docker:shop:" + shop + "/*.py"}})
	for name, value := range map[string]any{"env": mcptest.Args{"A": "1"}, "path_map": []string{"/x=/etc"}} {
		c.Refused(fault.PermissionDenied, "debug_launch",
			mcptest.Args{"program": "loop.py", "in_container": "shop", name: value})
	}
	c.Refused(fault.PermissionDenied, "debug_launch", mcptest.Args{"module": "loop", "in_container": "shop"})
	require.Equal(t, "entry", c.Settled(c.Do("debug_launch", launch)).String("stop.reason"))
}
