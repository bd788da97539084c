package dapclient

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What an attach sends for a process, for an adapter that listens, and for a debug server behind the adapter.
func TestAttachArguments(t *testing.T) {
	unprefixed := []any{strings.TrimPrefix(fmt.Sprint(formatterCommands("")[0]), quietly)}
	for _, test := range []struct {
		name string
		p    *Profile
		r    AttachRequest
		want map[string]any
	}{
		{"dlv, a process", delve, AttachRequest{Pid: 7},
			map[string]any{"mode": "local", "processId": 7, "stopOnEntry": false, "stackTraceDepth": 200}},
		{"dlv --headless", delve, AttachRequest{Reached: true, StopOnEntry: true},
			map[string]any{"mode": "remote", "stopOnEntry": true, "stackTraceDepth": 200}},
		{"debugpy, a process", debugpy, AttachRequest{Pid: 7},
			map[string]any{"type": "python", "request": "attach", "processId": 7, "justMyCode": false,
				"showReturnValue": true}},
		{"debugpy --listen", debugpy, AttachRequest{Pid: 7, Reached: true, JustMyCode: true},
			map[string]any{"type": "python", "request": "attach", "justMyCode": true, "showReturnValue": true}},
		{"lldb-dap, a process", lldb, AttachRequest{Pid: 7}, map[string]any{"pid": 7, "stopOnEntry": false,
			"initCommands": formatterCommands("")}},
		{"CodeLLDB, a process", codelldb, AttachRequest{Pid: 7, RustFormatters: "/rust"},
			map[string]any{"pid": 7, "stopOnEntry": false, "type": "lldb", "name": "breakwire", "expressions": "native",
				"terminal": "console", "initCommands": unprefixed, "sourceLanguages": []any{"rust"},
				"preRunCommands": []any{rustCorrection()}}},
		{"CodeLLDB, no Rust", codelldb, AttachRequest{Pid: 7},
			map[string]any{"pid": 7, "stopOnEntry": false, "type": "lldb", "name": "breakwire", "expressions": "native",
				"terminal": "console", "initCommands": unprefixed}},
		{"node --inspect", jsDebug, AttachRequest{Address: "[::1]:1234"}, map[string]any{"type": "pwa-node",
			"request": "attach", "skipFiles": []any{"<node_internals>/**"}, "address": "::1", "port": 1234}},
		{"gdbserver", lldb, AttachRequest{Address: "[::1]:1234"},
			map[string]any{"gdb-remote-hostname": "::1", "gdb-remote-port": 1234, "stopOnEntry": false,
				"initCommands": formatterCommands("")}},
	} {
		require.Equal(t, test.want, test.p.Attach(test.r), test.name)
	}
}
