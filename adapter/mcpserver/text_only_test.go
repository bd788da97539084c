package mcpserver_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// form is what a client gets of one tool in the list and of three results: a success, an error and a stop.
type form struct {
	schema  bool
	results []answer
}

type answer struct {
	Content           []struct{ Text string }
	StructuredContent json.RawMessage
	IsError           bool
}

func formFor(t *testing.T, client string) (f form) {
	t.Helper()
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(5))
	c := mcptest.Connect(t, m, mcpserver.Options{})
	c.Request("initialize", mcptest.Args{"protocolVersion": "2025-11-25", "capabilities": mcptest.Args{},
		"clientInfo": mcptest.Args{"name": client, "version": "1"}})
	c.Notify("notifications/initialized", nil)
	var list struct{ Tools []map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(c.Request("tools/list", nil).Result, &list))
	for _, tool := range list.Tools {
		f.schema = f.schema || tool["outputSchema"] != nil
	}
	for _, call := range []mcptest.Args{
		{"name": "breakpoint_list", "arguments": mcptest.Args{}},
		{"name": "evaluate", "arguments": mcptest.Args{"expression": "a < b && \"é\" > c"}},
		{"name": "debug_launch", "arguments": mcptest.Args{"program": program}},
	} {
		var r answer
		require.NoError(t, json.Unmarshal(c.Request("tools/call", call).Result, &r))
		f.results = append(f.results, r)
	}
	return f
}

// A client that is known to read the text alone gets the whole answer there and no structured content, and is listed no
// output schemas. All others get both, with the same content.
func TestFormsOfAnswers(t *testing.T) {
	for client, both := range map[string]bool{"Zed": false, "claude-code": true, "nobody": true} {
		t.Run(client, func(t *testing.T) {
			f := formFor(t, client)
			require.Equal(t, both, f.schema)
			for i, r := range f.results {
				require.Len(t, r.Content, 1)
				require.Equal(t, both, r.StructuredContent != nil)
				require.Equal(t, i == 1, r.IsError, "%s", r.Content[0].Text)
				require.True(t, json.Valid([]byte(r.Content[0].Text)))
				if both {
					require.JSONEq(t, string(r.StructuredContent), r.Content[0].Text)
				} else {
					require.Contains(t, r.Content[0].Text, `"success":`)
				}
			}
		})
	}
}
