package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
)

// TestContract compares what a client sees before its first call with a file, because names must not change. go test
// ./adapter/mcpserver -run TestContract -update rewrites the file.
func TestContract(t *testing.T) {
	p, _ := eras[0].connect(t, loop(3))
	p.tool("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll"})
	for file, method := range map[string]string{
		"tools": "tools/list", "resources": "resources/list", "templates": "resources/templates/list",
		"prompts": "prompts/list",
	} {
		t.Run(file, func(t *testing.T) {
			var got bytes.Buffer
			require.NoError(t, json.Indent(&got, p.Request(method, nil).Result, "", " "))
			got.WriteByte('\n')
			name := filepath.Join("testdata", file+".golden")
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(name, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(name)
			require.NoError(t, err)
			require.Equal(t, string(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))), got.String(),
				"the contract has changed: -update writes it anew")
		})
	}
}

// toolBytes is the limit for what all tools cost each conversation.
const toolBytes = 18 << 10

// TestSizes limits descriptions: clients cut them at 2 KB, and each conversation pays for them.
func TestSizes(t *testing.T) {
	p, _ := eras[0].connect(t, loop(3))
	tools := listedTools(t, p.Request("tools/list", nil).Result)
	for _, tool := range tools {
		require.Less(t, tool.size(), 2<<10, tool.Name)
		require.NotEmpty(t, tool.OutputSchema, tool.Name)
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "title"} {
			require.Contains(t, tool.Annotations, hint, tool.Name)
		}
	}
	t.Logf("%d tools, %d bytes", len(tools), sizeOf(tools))
	require.Less(t, sizeOf(tools), toolBytes)

	c := mcptest.Connect(t, adapter.NewManager(adapter.Options{}), mcpserver.Options{})
	r := c.Request("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "t", "version": "1"},
	})
	init := mcptest.NewResult(t, r.Result)
	require.Less(t, len(init.String("instructions")), 2<<10)
	require.True(t, init.Bool("capabilities.resources.subscribe"))
	require.True(t, init.Bool("capabilities.resources.listChanged"))
	for _, capability := range []string{"tools", "prompts", "completions", "logging"} {
		require.True(t, init.Has("capabilities."+capability), capability)
	}
	c = mcptest.Connect(t, adapter.NewManager(adapter.Options{}), mcpserver.Options{Notify: mcpserver.NotifyNone})
	init = mcptest.NewResult(t, c.Request("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "t", "version": "1"},
	}).Result)
	require.False(t, init.Bool("capabilities.resources.subscribe"), "--notify=none promises nothing")
}
