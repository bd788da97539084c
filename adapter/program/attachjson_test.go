package program

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
)

// An attach configuration names a process or an address; what names it is not sent to the debugger.
func TestAttachConfiguration(t *testing.T) {
	root := t.TempDir()
	for _, test := range []struct {
		text string
		want Configuration
		left map[string]any
	}{
		{`"type": "go", "mode": "remote", "host": "box", "port": 2345, "substitutePath": []`,
			Configuration{Backend: "dlv", Connect: "box:2345"}, map[string]any{"substitutePath": []any{}}},
		{`"type": "go", "mode": "remote", "port": 2345, "remotePath": "/app"`,
			Configuration{Backend: "dlv", Connect: "127.0.0.1:2345", PathMap: []string{"/app=" + root}}, nil},
		{`"type": "go", "mode": "local", "processId": 12, "port": 9`, Configuration{Backend: "dlv", Pid: 12}, nil},
		{`"type": "go", "mode": "local", "processId": "shop"`, Configuration{Backend: "dlv", ProcessName: "shop"}, nil},
		{`"type": "coreclr", "processId": "${command:pickProcess}", "sourceFileMap": {"/src": "sub"}`,
			Configuration{Backend: "netcoredbg", PathMap: []string{"/src=" + filepath.Join(root, "sub")}}, nil},
		{`"type": "coreclr", "processName": "Shop"`, Configuration{Backend: "netcoredbg", ProcessName: "Shop"}, nil},
		{`"type": "debugpy", "connect": {"host": "::1", "port": 5678}, "justMyCode": false, "django": true`,
			Configuration{Backend: "debugpy", Connect: "[::1]:5678"}, map[string]any{"django": true}},
		{`"type": "python", "processId": "77"`, Configuration{Backend: "debugpy", Pid: 77}, nil},
		{`"type": "lldb-dap", "pid": 5`, Configuration{Backend: "lldb-dap", Pid: 5}, nil},
		{`"type": "lldb-dap", "gdb-remote-port": 1234`, Configuration{Backend: "lldb-dap", Connect: "127.0.0.1:1234"}, nil},
		{`"type": "cppdbg", "miDebuggerServerAddress": "box:1"`, Configuration{Backend: "lldb-dap", Connect: "box:1"}, nil},
	} {
		writeAttach(t, root, test.text)
		c, err := FindConfiguration(root, "x", "")
		require.NoError(t, err, test.text)
		require.True(t, c.Attach)
		if test.left == nil {
			test.left = map[string]any{}
		}
		require.Equal(t, test.left, c.Extra, test.text)
		require.NotContains(t, c.Members, "processId")
		require.Equal(t, test.want, Configuration{Backend: c.Backend, Connect: c.Connect, Pid: c.Pid,
			ProcessName: c.ProcessName, PathMap: c.PathMap}, test.text)
	}
	writeAttach(t, root, `"type": "debugpy", "listen": {"port": 1}`)
	_, err := FindConfiguration(root, "x", "")
	require.Equal(t, fault.InvalidParameter, fault.CodeOf(err))
	require.ErrorContains(t, err, "debugpy --listen")
}

func writeAttach(t *testing.T, root, members string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".vscode"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".vscode", "launch.json"),
		[]byte(`{"configurations": [{"name": "x", "request": "attach", `+members+`}]}`), 0o644))
}
