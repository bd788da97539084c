package mcpserver_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
)

// listedTool is a tool in the result of tools/list.
type listedTool struct {
	Name         string
	Description  json.RawMessage
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Annotations  map[string]any
}

// size is the length in bytes of what clients show to a model: the three keys as they stand in tools/list.
func (t listedTool) size() int {
	return len(`{"name":"","description":,"inputSchema":}`) + len(t.Name) + len(t.Description) + len(t.InputSchema)
}

func sizeOf(tools []listedTool) (total int) {
	for _, t := range tools {
		total += t.size()
	}
	return total
}

func listedTools(tb testing.TB, result json.RawMessage) []listedTool {
	tb.Helper()
	var list struct{ Tools []listedTool }
	require.NoError(tb, json.Unmarshal(result, &list))
	return list.Tools
}

// BenchmarkSizes measures the bytes of a conversation: once for the list of the tools, and for each stop and each
// look at it (stack, variables, one evaluation), as text, over recordings of real debuggers. It does not include
// source lines; BenchmarkLiveSizes does.
func BenchmarkSizes(b *testing.B) {
	b.Run("tools", func(b *testing.B) {
		result := mcptest.Serve(b, adapter.NewManager(adapter.Options{}), mcpserver.Options{}).
			Request("tools/list", nil).Result
		tools := listedTools(b, result)
		mcptest.NothingToTime(b)
		b.ReportMetric(float64(len(tools)), "tools")
		b.ReportMetric(float64(sizeOf(tools)), "B/tools")
		b.ReportMetric(float64(len(result)), "B/tools-with-outputs")
	})
	for _, at := range []struct {
		backend, file string
		line          int
	}{{"netcoredbg", source, 21}, {"dlv", "/src/go/main.go", 12}} {
		b.Run(at.backend, func(b *testing.B) {
			c := playedBack(b, at.backend, "tour-loop")
			c.Do("breakpoint_set", mcptest.Args{"file": at.file, "line": at.line})
			c.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false})
			mcptest.ReportSizes(b, c)
		})
	}
}
