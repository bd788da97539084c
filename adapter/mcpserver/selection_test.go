package mcpserver_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
)

func TestSelectTools(t *testing.T) {
	for _, tc := range []struct {
		text  string
		count int // 0 is all
		fails string
	}{
		{"", 0, ""},
		{"all", 0, ""},
		{"core", 18, ""},
		{"evaluate", 1, ""},
		{"debug_launch, evaluate", 2, ""},
		{"core,threads_list", 19, ""},
		{"evalute", 0, `"evalute": want all, core, or names of tools, such as evaluate`},
		{"core,", 0, `"": want all, core, or names of tools`},
	} {
		names, err := mcpserver.SelectTools(tc.text)
		if tc.fails != "" {
			require.EqualError(t, err, tc.fails)
			continue
		}
		require.NoError(t, err)
		require.Len(t, names, tc.count, tc.text)
	}
}

// What a client is told names only tools that it has, and the tools that it has work.
func TestSelectedTools(t *testing.T) {
	all := toolsListed(t, "all")
	named := regexp.MustCompile(`[a-z]+(_[a-z]+)+`)
	for text, want := range map[string]int{"all": len(all), "core": 18, "debug_launch,debug_state": 2} {
		t.Run(text, func(t *testing.T) {
			names, err := mcpserver.SelectTools(text)
			require.NoError(t, err)
			c := mcptest.Connect(t, adapter.NewManager(adapter.Options{}), mcpserver.Options{Tools: names})
			said := []string{mcptest.NewResult(t, c.Request("initialize", map[string]any{
				"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
				"clientInfo": map[string]any{"name": "t", "version": "1"},
			}).Result).String("instructions")}
			c.Notify("notifications/initialized", nil)
			var have []string
			for _, tool := range listedTools(t, c.Request("tools/list", nil).Result) {
				have = append(have, tool.Name)
			}
			require.Len(t, have, want)
			prompts := mcptest.NewResult(t, c.Request("prompts/list", nil).Result)
			for i := range prompts.Len("prompts") {
				args := map[string]string{}
				for j := range prompts.Len("prompts." + itoa(i) + ".arguments") {
					args[prompts.String("prompts."+itoa(i)+".arguments."+itoa(j)+".name")] = "x"
				}
				said = append(said, mcptest.NewResult(t, c.Request("prompts/get", map[string]any{
					"name": prompts.String("prompts." + itoa(i) + ".name"), "arguments": args,
				}).Result).String("messages.0.content.text"))
			}
			for _, text := range said {
				for _, word := range named.FindAllString(text, -1) {
					require.False(t, slices.Contains(all, word) && !slices.Contains(have, word), "%s in %s", word, text)
				}
			}
			require.Contains(t, said[0], "breakwire debugs programs")
			require.True(t, mcptest.NewResult(t, c.Request("tools/call", map[string]any{
				"name": "debug_state", "arguments": map[string]any{},
			}).Result).Bool("structuredContent.success"))
			if !slices.Contains(have, "threads_list") {
				require.NotNil(t, c.Request("tools/call", map[string]any{
					"name": "threads_list", "arguments": map[string]any{},
				}).Error)
			}
		})
	}
}

// toolsListed returns the names of the tools that a server with --tools offers.
func toolsListed(t *testing.T, text string) (names []string) {
	selected, err := mcpserver.SelectTools(text)
	require.NoError(t, err)
	c := mcptest.Serve(t, adapter.NewManager(adapter.Options{}), mcpserver.Options{Tools: selected})
	for _, tool := range listedTools(t, c.Request("tools/list", nil).Result) {
		names = append(names, tool.Name)
	}
	return names
}
