package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// Expressions that no language has are refused without a request: each of these has frozen or ended the server.
func TestStrangeExpressions(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		m, _ := mcptest.Fake(t, profile, shape, loop(3))
		c := mcptest.Serve(t, m, mcpserver.Options{})
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
		r := c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
		require.Equal(t, "paused", r.String("session.state"), "%s", r.Raw)
		for _, text := range []string{"٣", "i + ۴", "１", "a[٣]", "x٣ == ٣", strings.Repeat("(", 60_000),
			strings.Repeat("a==null&&", 7_000)} {
			require.True(t, c.Call("evaluate", mcptest.Args{"expression": text, "safe": true}).IsError, "%.20s", text)
			require.True(t, c.Call("evaluate", mcptest.Args{"expression": text}).IsError, "%.20s", text)
			require.True(t, c.Call("variables_get", mcptest.Args{"expand": text}).IsError, "%.20s", text)
		}
		long := strings.Repeat("(", 100<<10)
		for tool, args := range map[string]mcptest.Args{
			"evaluate":       {"expression": long},
			"variables_get":  {"expand": long},
			"variable_set":   {"path": "i", "value": long},
			"breakpoint_set": {"file": loopFile, "line": 11, "condition": long},
			"tracepoint_set": {"file": loopFile, "line": 11, "log_message": "{" + long + "}"},
		} {
			r := c.Refused(fault.InvalidParameter, tool, args)
			require.Contains(t, r.String("error.message"), "and may have 65536")
			require.Less(t, len(r.Raw), 2000)
		}
		require.Equal(t, "0", c.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
	})
}

// netcoredbg terminates at a character beyond U+FFFF outside of a string, so none is sent to it.
func TestCharactersThatEndNetcoredbg(t *testing.T) {
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(3))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 11, "condition": "😀"})
	c.Do("breakpoint_set_function", mcptest.Args{"function": "Main", "condition": "😀 == 1"})
	c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 9, "log_message": "{x😀}"})
	c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
	c.Call("evaluate", mcptest.Args{"expression": "😀"})
	c.Call("evaluate", mcptest.Args{"expression": `name == "😁"`})
	c.Call("variables_get", mcptest.Args{"expand": "😀"})
	c.Call("variable_set", mcptest.Args{"path": "i", "value": "😀"})
	c.Do("debug_continue", mcptest.Args{"wait": true})
	sent := map[string]int{}
	for _, command := range []string{"evaluate", "setBreakpoints", "setFunctionBreakpoints", "setVariable",
		"setExpression"} {
		for _, m := range fakes.Last().Requests(command) {
			require.NotContains(t, string(m.Arguments), "😀")
			if strings.Contains(string(m.Arguments), "\ufffd") || strings.Contains(string(m.Arguments), "😁") {
				sent[command]++
			}
		}
	}
	require.Len(t, sent, 4, "%v", sent)
}
