package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// listening is a fake adapter that listens for one client.
func listening(t *testing.T, shape daptest.Shape, p daptest.Program) (fake *daptest.Adapter, address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	fake = daptest.New(t, shape, p)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		stream := fake.Stream()
		go func() {
			io.Copy(stream, conn)
			stream.Close()
		}()
		io.Copy(conn, stream)
		conn.Close()
	}()
	return fake, l.Addr().String()
}

// sentTo returns the arguments of the last request of a kind.
func sentTo(t *testing.T, fake *daptest.Adapter, command string) map[string]any {
	t.Helper()
	requests := fake.Requests(command)
	require.NotEmpty(t, requests, command)
	var sent map[string]any
	require.NoError(t, json.Unmarshal(requests[len(requests)-1].Arguments, &sent))
	return sent
}

// reaching is a server without debuggers of its own. Every profile may know the source of the fakes' program, which is
// in the project root.
func reaching(t *testing.T, o adapter.Options) (c *mcptest.Client, file string) {
	t.Helper()
	if o.ProjectRoot == "" {
		o.ProjectRoot = t.TempDir()
	}
	file = filepath.Join(o.ProjectRoot, filepath.Base(source))
	require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("x\n"), 30), 0o600))
	if o.Backends.Custom == nil {
		o.Backends.Custom = map[string]adapter.Backend{}
		for _, p := range dapclient.Profiles() {
			all := *p
			all.Sources = nil
			o.Backends.Custom[p.Name] = adapter.Backend{Profile: &all}
		}
	}
	return mcptest.Serve(t, adapter.NewManager(o), mcpserver.Options{}), file
}

// A debugger that listens is attached to without a process; its paths are mapped for this session only.
func TestAttachConnect(t *testing.T) {
	for _, test := range []struct {
		backend string
		shape   daptest.Shape
		args    mcptest.Args
		want    map[string]any
	}{
		{"dlv", daptest.Delve(), nil, map[string]any{"mode": "remote", "processId": nil}},
		{"dlv", daptest.Delve(), mcptest.Args{"pid": 77}, map[string]any{"mode": "local", "processId": 77.0}},
		{"debugpy", daptest.Debugpy(), nil, map[string]any{"processId": nil}},
		{"debugpy", daptest.Debugpy(), mcptest.Args{"pid": 77}, map[string]any{"processId": nil}},
		{"netcoredbg", daptest.Netcoredbg(), mcptest.Args{"pid": 77}, map[string]any{"processId": 77.0}},
		{"lldb-dap", daptest.LLDB(), mcptest.Args{"pid": 77}, map[string]any{"pid": 77.0, "gdb-remote-port": nil}},
	} {
		t.Run(fmt.Sprint(test.backend, test.args), func(t *testing.T) {
			fake, address := listening(t, test.shape, loop(3))
			c, file := reaching(t, adapter.Options{})
			c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 10})
			args := mcptest.Args{"connect": address, "backend": test.backend, "path_map": []string{"/src/LoopApp=."}}
			for name, value := range test.args {
				args[name] = value
			}
			r := c.Do("debug_attach", args)
			require.Contains(t, r.String("session.backendReason"), address)
			require.Equal(t, file, c.Settled(r).String("stop.location.file"))
			sent := sentTo(t, fake, "attach")
			for name, value := range test.want {
				require.Equal(t, value, sent[name], name)
			}
			require.Contains(t, c.Refused(fault.AttachFailed, "debug_attach", args).String("error.message"), "s1 already")
			c.Do("debug_disconnect", nil)
			require.NotEqual(t, true, sentTo(t, fake, "disconnect")["terminateDebuggee"])
		})
	}
}

// Delve with several clients keeps a paused program halted, so it is resumed without breakpoints before the goodbye.
func TestDisconnectLetsRun(t *testing.T) {
	fake, address := listening(t, daptest.Delve(), loop(3))
	c, file := reaching(t, adapter.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 10})
	r := c.Settled(c.Do("debug_attach",
		mcptest.Args{"connect": address, "backend": "dlv", "path_map": []string{"/src/LoopApp=."}}))
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	resumed := fake.Count("continue")
	c.Do("debug_disconnect", nil)
	require.Equal(t, resumed+1, fake.Count("continue"))
	require.Empty(t, sentTo(t, fake, "setBreakpoints")["breakpoints"])
}

func TestAttachConnectRefused(t *testing.T) {
	c, _ := reaching(t, adapter.Options{})
	for _, test := range []struct {
		args mcptest.Args
		code fault.Code
		says string
	}{
		{mcptest.Args{"connect": "here"}, fault.InvalidParameter, "HOST:PORT"},
		{mcptest.Args{"connect": ":1"}, fault.InvalidParameter, "HOST:PORT"},
		{mcptest.Args{"connect": "127.0.0.1:1"}, fault.InvalidParameter, "say with backend"},
		{mcptest.Args{"connect": "127.0.0.1:1", "backend": "nosuch"}, fault.InvalidParameter, "nosuch"},
		{mcptest.Args{"connect": "127.0.0.1:1", "backend": "netcoredbg"}, fault.InvalidParameter, "pid"},
		{mcptest.Args{"connect": "127.0.0.1:1", "process_name": "x"}, fault.InvalidParameter, "process_name"},
		{mcptest.Args{"connect": "127.0.0.1:1", "backend": "dlv"}, fault.BackendNotFound, "127.0.0.1:1"},
		{mcptest.Args{"connect": "127.0.0.1:1", "backend": "dlv", "path_map": []string{"x"}}, fault.InvalidParameter,
			"FROM=TO"},
		{mcptest.Args{}, fault.InvalidParameter, "pid or process_name"},
	} {
		if test.args["backend"] == nil && test.args["connect"] == "127.0.0.1:1" && test.says == "say with backend" {
			test.args["pid"] = os.Getpid()
		}
		e := c.Refused(test.code, "debug_attach", test.args)
		require.Contains(t, e.String("error.message"), test.says, "%v", test.args)
	}
}

// A server that was started with --connect attaches to what is there, without a process where the debugger has one.
func TestAttachByTheServersConnection(t *testing.T) {
	fake, address := listening(t, daptest.Debugpy(), loop(3))
	b := adapter.At(dapclient.ProfileByName("debugpy"), address)
	c, _ := reaching(t, adapter.Options{Backends: adapter.BackendOptions{Default: "debugpy",
		Custom: map[string]adapter.Backend{"debugpy": b}}})
	c.Do("debug_attach", mcptest.Args{})
	require.NotContains(t, sentTo(t, fake, "attach"), "processId")
}

// An attach configuration of launch.json names the process or the address.
func TestAttachByConfiguration(t *testing.T) {
	fake, address := listening(t, daptest.Delve(), loop(3))
	host, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".vscode"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".vscode", "launch.json"), fmt.Appendf(nil, `{"configurations": [
		{"name": "remote", "type": "go", "request": "attach", "mode": "remote", "host": "%s", "port": %s,
		 "stackTraceDepth": 7, "remotePath": "/src/LoopApp"},
		{"name": "app", "type": "go", "request": "launch", "program": "app"}]}`, host, port), 0o644))
	c, file := reaching(t, adapter.Options{ProjectRoot: root})
	e := c.Refused(fault.InvalidParameter, "debug_launch", mcptest.Args{"configuration": "remote"})
	require.Contains(t, e.String("error.message"), "use debug_attach")
	e = c.Refused(fault.InvalidParameter, "debug_attach", mcptest.Args{"configuration": "app"})
	require.Contains(t, e.String("error.message"), "use debug_launch")
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 10})
	r := c.Settled(c.Do("debug_attach", mcptest.Args{"configuration": "remote"}))
	require.Equal(t, file, r.String("stop.location.file"), "%s", r.Raw)
	sent := sentTo(t, fake, "attach")
	require.Equal(t, "remote", sent["mode"])
	require.Equal(t, 7.0, sent["stackTraceDepth"])
	require.NotContains(t, sent, "port")
}

// TestReachIsGuarded: what is at an address cannot be told, and a path map could read other files.
func TestReachIsGuarded(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".vscode"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".vscode", "launch.json"), []byte(`{"configurations": [
		{"name": "remote", "type": "go", "request": "attach", "mode": "remote", "port": 1},
		{"name": "pid", "type": "go", "request": "attach", "mode": "local", "processId": 1},
		{"name": "commands", "type": "lldb-dap", "request": "attach", "attachCommands": ["x"]}]}`), 0o644))
	own, err := filepath.EvalSymlinks(os.Args[0])
	require.NoError(t, err)
	for _, perm := range []adapter.Permissions{{ReadOnly: true}, {Programs: []string{own}}} {
		c, _ := reaching(t, adapter.Options{Permissions: perm, ProjectRoot: root,
			Backends: adapter.BackendOptions{Default: "fake", Custom: map[string]adapter.Backend{
				"fake": {Profile: dapclient.ProfileByName("lldb-dap"), Local: true}}}})
		for _, args := range []mcptest.Args{
			{"connect": "127.0.0.1:1", "backend": "dlv"},
			{"connect": "127.0.0.1:1", "backend": "lldb-dap"},
			{"configuration": "remote"},
			{"configuration": "pid"},
			{"configuration": "commands", "pid": os.Getpid()},
			{"core": filepath.Join(root, ".vscode", "launch.json"), "program": own},
			{"core": own, "program": "/bin/sh"},
			{"pid": os.Getpid(), "path_map": []string{"/src=/etc"}},
		} {
			c.Refused(fault.PermissionDenied, "debug_attach", args)
		}
	}
}

// TestReachThatIsNamed: a pattern may name an address, a core file with its program, and the program of a process that
// an attach configuration names.
func TestReachThatIsNamed(t *testing.T) {
	fake, address := listening(t, daptest.Delve(), loop(3))
	other, otherAddress := listening(t, daptest.Delve(), loop(3))
	host, port, err := net.SplitHostPort(otherAddress)
	require.NoError(t, err)
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("there is no sleep")
	}
	sleep, err = filepath.EvalSymlinks(sleep)
	require.NoError(t, err)
	process := exec.Command(sleep, "600")
	require.NoError(t, process.Start())
	t.Cleanup(func() {
		process.Process.Kill()
		process.Wait()
	})
	root := writeFiles(t, map[string]string{"app": "x", "core.1": "MDMP", ".vscode/launch.json": fmt.Sprintf(`{
		"configurations": [
		{"name": "remote", "type": "go", "request": "attach", "mode": "remote", "host": "%s", "port": %s},
		{"name": "mapped", "type": "go", "request": "attach", "mode": "remote", "host": "%[1]s", "port": %[2]s,
		 "remotePath": "/etc"},
		{"name": "pid", "type": "lldb-dap", "request": "attach", "pid": %d},
		{"name": "app", "type": "lldb-dap", "request": "launch", "program": "app"}],
		"compounds": [{"name": "both", "configurations": ["pid", "app"]}]}`, host, port, process.Process.Pid)})
	serve := func(profile string, shape daptest.Shape, programs ...string) (*mcptest.Client, *mcptest.Fakes) {
		_, fakes := mcptest.Fake(t, profile, shape, loop(1))
		o := fakes.Backends(profile)
		b := o.Custom["fake"]
		b.Local = true
		o.Custom["fake"] = b
		c, _ := reaching(t, adapter.Options{ProjectRoot: root, Backends: o,
			Permissions: adapter.Permissions{ReadOnly: true, Programs: programs}})
		return c, fakes
	}
	c, _ := serve("dlv", daptest.Delve(), "connect:"+address, "connect:"+otherAddress)
	c.Do("debug_attach", mcptest.Args{"connect": address, "backend": "dlv"})
	require.Equal(t, "remote", sentTo(t, fake, "attach")["mode"])
	c.Refused(fault.PermissionDenied, "debug_attach", mcptest.Args{"configuration": "mapped", "backend": "dlv"})
	c.Do("debug_attach", mcptest.Args{"configuration": "remote", "backend": "dlv"})
	require.Equal(t, "remote", sentTo(t, other, "attach")["mode"])
	c.Refused(fault.PermissionDenied, "debug_attach", mcptest.Args{"connect": "127.0.0.1:1", "backend": "dlv"})

	for profile, shape := range map[string]daptest.Shape{"lldb-dap": daptest.LLDB(), "dlv": daptest.Delve()} {
		open := mcptest.Args{"core": "core.1", "program": "app"}
		c, _ := serve(profile, shape, filepath.Join(root, "app"))
		c.Refused(fault.PermissionDenied, "debug_attach", open)
		c, _ = serve(profile, shape, filepath.Join(root, "core.*"))
		c.Refused(fault.PermissionDenied, "debug_attach", open)
		c, fakes := serve(profile, shape, filepath.Join(root, "app"), filepath.Join(root, "core.*"))
		c.Do("debug_attach", open)
		command := map[string]string{"dlv": "launch", "lldb-dap": "attach"}[profile]
		require.Contains(t, string(fakes.Last().Requests(command)[0].
			Arguments), "core.1")
	}

	c, fakes := serve("lldb-dap", daptest.LLDB(), sleep)
	c.Refused(fault.PermissionDenied, "debug_launch", mcptest.Args{"configuration": "both"})
	require.Equal(t, 0, c.Do("sessions_list", nil).Int("count"))
	c.Do("debug_attach", mcptest.Args{"configuration": "pid"})
	require.EqualValues(t, process.Process.Pid, sentTo(t, fakes.Last(), "attach")["pid"])
}
