package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// A start sets breakpoints of every kind before the program runs, and answers with their ids and states.
func TestPresetBreakpoints(t *testing.T) {
	s := netcoredbg(t, loop(5))
	r := s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "wait": true, "breakpoints": []any{
		mcptest.Args{"file": source, "line": 10, "condition": "i == 2"},
		mcptest.Args{"file": source, "line": 11, "logMessage": "i is {i}"},
		mcptest.Args{"exception_type": "*", "break_on_first_chance": false},
		source + ":40",
	}})
	require.JSONEq(t, `[{"id":"bp-1","state":"bound"},{"id":"tp-2","state":"bound"},{"id":"ebp-3","state":"bound"},
		{"id":"bp-4","state":"bound"}]`, string(r.At("set").Raw), "%s", r.Raw)
	require.Equal(t, "bp-1", r.String("stop.breakpointIds.0"), "%s", r.Raw)
	require.Equal(t, 10, r.Int("stop.location.line"))
	require.Equal(t, 2, len(s.Notifications("debugger/breakpointHit"))-1, "hits of the tracepoint before it")
	require.Equal(t, 4, s.Do("breakpoint_list", nil).Int("count"))
}

// A breakpoint that does not bind says why in the answer of the start.
func TestPresetThatDoesNotBind(t *testing.T) {
	p := loop(5)
	p.Sources = map[string][]int{source: {9, 10, 11, 21, 22}}
	s := netcoredbg(t, p)
	r := s.Do("debug_launch", mcptest.Args{"program": program, "breakpoints": []any{source + ":10", source + ":500"}})
	require.JSONEq(t, `[{"id":"bp-1","state":"bound"},{"id":"bp-2","state":"pending"}]`, string(r.At("set").Raw))
	require.Equal(t, "bp-2", r.String("breakpoints.0.id"), "%s", r.Raw)
}

// One wrong entry, or a start that fails, leaves nothing set, and what was changed as it was.
func TestWrongPresets(t *testing.T) {
	good := mcptest.Args{"file": source, "line": 11}
	at3 := func(name, value string) mcptest.Args { return mcptest.Args{"file": source, "line": 3, name: value} }
	for name, c := range map[string]struct {
		entry         any
		message, code string
	}{
		"unknown name":    {mcptest.Args{"file": source, "lien": 3}, `breakpoints[2]: `, "INVALID_PARAMETER"},
		"no line":         {source, `breakpoints[2]: "` + source + `" is not FILE:LINE`, "INVALID_PARAMETER"},
		"hit condition":   {at3("hit_condition", "often"), "breakpoints[2]: hit_condition", "INVALID_CONDITION"},
		"empty condition": {at3("condition", " "), "breakpoints[2]: condition is empty", "INVALID_CONDITION"},
		"message":         {at3("log_message", "{"), "breakpoints[2]: log_message", "INVALID_PARAMETER"},
		"session":         {at3("session_id", "s1"), "breakpoints[2]: session_id", "INVALID_PARAMETER"},
		"empty exception": {
			mcptest.Args{"exception_type": " "}, "breakpoints[2]: exception_type is empty", "INVALID_PARAMETER",
		},
		"neither a text nor an object": {7, "item 2 is not", "INVALID_PARAMETER"},
		"a program that fails":         {source + ":12", "", "LAUNCH_FAILED"},
	} {
		t.Run(name, func(t *testing.T) {
			s := netcoredbg(t, loop(5), func(a *daptest.Adapter) { a.Once("launch", daptest.Fail("no such program")) })
			s.Do("breakpoint_set", mcptest.Args{"file": source, "line": 10, "condition": "i == 1"})
			changed := mcptest.Args{"file": source, "line": 10, "condition": "i == 4"}
			r := s.Call("debug_launch", mcptest.Args{"program": program, "breakpoints": []any{good, changed, c.entry}})
			require.Equal(t, c.code, r.String("error.code"), "%s", r.Raw)
			require.Contains(t, r.String("error.message"), c.message)
			if c.message != "" {
				require.Equal(t, "breakpoints", r.String("error.details.parameter"), "%s", r.Raw)
				require.Empty(t, s.Do("sessions_list", nil).Get("sessions.0"))
			}
			list := s.Do("breakpoint_list", nil)
			require.Equal(t, 1, list.Int("count"), "%s", list.Raw)
			require.Equal(t, "i == 1", list.String("breakpoints.0.condition"))
		})
	}
}

// An attach takes them too.
func TestPresetsOfAnAttach(t *testing.T) {
	s := netcoredbg(t, loop(daptest.Forever))
	r := s.Do("debug_attach", mcptest.Args{"pid": 1, "wait": true, "breakpoints": []string{source + ":10"}})
	require.JSONEq(t, `[{"id":"bp-1","state":"bound"}]`, string(r.At("set").Raw), "%s", r.Raw)
	require.Equal(t, "bp-1", r.String("stop.breakpointIds.0"), "%s", r.Raw)
}
