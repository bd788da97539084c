package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/journal"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"

	"github.com/stretchr/testify/require"
)

// refusing is a loop whose backend evaluates what netcoredbg can, and refuses the rest with netcoredbg's texts. node
// is null in the first pass.
func refusing(n int) daptest.Program {
	program := loop(n)
	program.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
		first := call.Step.Vars[0].Value == "0"
		switch call.Expression {
		case "name":
			return daptest.Var{Value: `"five5"`, Type: "string"}, true
		case "name.get_Length()":
			return daptest.Var{Value: "5", Type: "int"}, true
		case "5 == 5", "5 == 5 ":
			return daptest.Var{Value: "true", Type: "bool"}, true
		case "node":
			if first {
				return daptest.Var{Value: "null", Type: "App.Node"}, true
			}
			return daptest.Var{Value: "{App.Node}", Type: "App.Node"}, true
		case "node.Depth > 3":
			if !first {
				return daptest.Var{Value: "true", Type: "bool"}, true
			}
		case "node.Depth":
			if !first {
				return daptest.Var{Value: "5", Type: "int"}, true
			}
		case "paints.Has(Color.Red)":
			return daptest.Var{Value: "true", Type: "bool"}, true
		case "Color.Red":
			return daptest.Var{Value: "Red", Type: "App.Color", Children: fields}, true
		case "true", "false":
			return daptest.Var{Value: call.Expression, Type: "bool"}, true
		}
		switch {
		case strings.Contains(call.Expression, "null"):
			return daptest.Var{Err: "error CS0019: Operator '==' cannot be applied to operands of type 'object' and " +
				"'object'"}, true
		case strings.Contains(call.Expression, "=>"):
			return daptest.Var{Err: "NetCoreDbg.Evaluation+SyntaxKindNotImplementedException: Parameter not implemented!"}, true
		case !strings.Contains(call.Expression, "name") && !strings.Contains(call.Expression, "node") &&
			!strings.Contains(call.Expression, "unheard"):
			return daptest.Var{}, false
		}
		return daptest.Var{Err: "error: The name '" + call.Expression + "' does not exist in the current context"}, true
	}
	return program
}

func TestDotnetConditionsMeanWhatEvaluateSays(t *testing.T) {
	for _, tc := range []struct {
		condition string
		stops     string // the value of i at the first stop; "" for none
		failure   string
	}{
		{"name.Length == 5", "0", ""},
		{"node == null", "0", ""},
		{"node != null", "1", ""},
		{"node != null && node.Depth > 3", "1", ""},
		{"node == null && i == 1", "", ""},
		{"node is null", "0", ""},
		{"i == 1 ? node != null : node.Depth > 3", "0", "node is null"},
		{"node.Depth > 3", "0", "node is null"},
		{"list.Any(x => x == 1)", "0", "netcoredbg does not know list"},
		{"paints.Has(Color.Red)", "0", "an enum that is in no variable"},
		{"unheard == 1", "0", "no variable unheard"},
		{"node ==", "0", "column 8: expected an expression, found the end"},
	} {
		for _, crowded := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/crowded=%v", tc.condition, crowded), func(t *testing.T) {
				m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), refusing(3))
				c := mcptest.Serve(t, m, mcpserver.Options{})
				id := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10, "condition": tc.condition}).
					String("breakpoint.id")
				if crowded { // then the session evaluates, not the backend
					c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "here"})
				}
				r := c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
				if tc.stops == "" {
					require.Equal(t, "terminated", r.String("session.state"), "%s", r.Raw)
					return
				}
				require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
				require.Equal(t, tc.stops, c.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
				message := c.Do("breakpoint_list", nil).String("breakpoints.0.message")
				if tc.failure == "" {
					require.Empty(t, r.String("stop.conditionError"))
					require.Empty(t, message, "netcoredbg's refusal is not shown for what is decided here")
					return
				}
				require.Contains(t, r.String("stop.conditionError"), tc.failure)
				require.Contains(t, message, tc.failure)
			})
		}
	}
}

// A condition that failed at one hit is evaluated again at the next, and nothing of the failure stays.
func TestConditionErrorIsClearedAtNextHit(t *testing.T) {
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), refusing(3))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10, "condition": "node.Depth > 3"})
	r := c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
	require.Contains(t, r.String("stop.conditionError"), "node is null", "%s", r.Raw)
	r = c.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, 2, r.Int("stop.hitCount"), "%s", r.Raw)
	require.Empty(t, r.String("stop.conditionError"), "%s", r.Raw)
	require.Empty(t, c.Do("breakpoint_list", nil).String("breakpoints.0.message"))
}

func TestDotnetMessagesMeanWhatEvaluateSays(t *testing.T) {
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), refusing(2))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("tracepoint_set", mcptest.Args{
		"file": loopFile, "line": 10, "log_message": "{i}: {name.Length} {node == null} " +
			"{node.Name} {list.Any(x => true)} {node b}",
	}).String("breakpoint.id")
	runToEnd(t, c)
	got := messages(c, id)
	require.Len(t, got, 2)
	require.True(t,
		strings.HasPrefix(got[0], "0: 5 true <error: NullReferenceException> <error: netcoredbg does not know list"), got[0])
	require.True(t, strings.HasPrefix(got[1], "1: 5 false <error: "), got[1])
	require.Contains(t, got[1], "column 6: expected an operator or the end")
}

// Neither a disconnect nor the session waits for a condition's evaluation that is never answered.
func TestEndDuringACondition(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, refusing(3), func(a *daptest.Adapter) {
		a.OnRequest("evaluate", func(m *dapclient.Message) daptest.Action {
			if strings.Contains(string(m.Arguments), `"node"`) {
				return daptest.Hold(gate)
			}
			return daptest.Action{}
		})
	})
	s.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10, "condition": "node != null"})
	s.launch(t)
	s.adapter().WaitFor("evaluate")
	r := s.Do("debug_disconnect", nil)
	require.Equal(t, "disconnected", r.String("state"))
	require.Equal(t, 1, s.adapter().Count("disconnect"))
}

// A breakpoint that is removed while its condition is evaluated no longer stops the program, whatever the result.
func TestRemovedDuringItsCondition(t *testing.T) {
	for _, answer := range []daptest.Var{{Value: "true", Type: "bool"}, {Err: "error: no"}} {
		for tool, args := range map[string]mcptest.Args{"breakpoint_remove": {}, "breakpoint_enable": {"enabled": false}} {
			gate, open := daptest.Gate()
			defer open()
			program := loop(2)
			program.Eval = func(call daptest.EvalCall) (daptest.Var, bool) { return answer, call.Expression == "asked" }
			s := netcoredbg(t, program, func(a *daptest.Adapter) {
				a.Once("evaluate", daptest.Action{Until: gate, Aside: true})
			})
			args["id"] = s.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10, "condition": "asked"}).
				String("breakpoint.id")
			// so the session evaluates it
			trace := s.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "here"}).
				String("breakpoint.id")
			require.Equal(t, "running", s.launch(t).String("session.state"))
			s.adapter().WaitFor("evaluate")
			s.Do(tool, args)
			open()
			require.Equal(t, "exited", s.Do("breakpoint_wait", nil).String("reason"), "%s: %v", tool, answer)
			require.Equal(t, []string{"here", "here"}, messages(s.Client, trace))
		}
	}
}

// A rewritten evaluation has the rest of its hit's time, not a time limit of its own, whatever is not answered.
func TestRetriesShareTheTimeOfAHit(t *testing.T) {
	for _, message := range []string{"{i} {name.Length}", "{i} {unheard == 1}"} {
		synctest.Test(t, func(t *testing.T) {
			var asked time.Time
			m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), refusing(1), func(a *daptest.Adapter) {
				a.OnRequest("evaluate", func(m *dapclient.Message) daptest.Action {
					gate, open := daptest.Gate()
					switch expression := string(m.Arguments); {
					case strings.Contains(expression, "get_Length"):
						return daptest.Swallow()
					case strings.Contains(expression, `"i"`):
						asked = time.Now()
						time.AfterFunc(900*time.Millisecond, open)
						return daptest.Hold(gate)
					}
					return daptest.Action{}
				})
				a.OnRequest("scopes", func(*dapclient.Message) daptest.Action { return daptest.Swallow() })
			})
			defer m.Close()
			_, _, err := m.SetBreakpoint(t.Context(), breakpoint.Spec{Kind: breakpoint.Tracepoint, File: loopFile, Line: 10,
				LogMessage: message})
			require.NoError(t, err)
			_, err = m.Launch(t.Context(), "", adapter.LaunchParams{LaunchRequest: adapter.LaunchRequest{Program: "/x"},
				Timeout: time.Minute})
			require.NoError(t, err)
			time.Sleep(time.Minute)
			told := m.Journal().Query(0, journal.Filter{Types: []string{journal.TypeTracepoint}}, 10).Entries
			require.Len(t, told, 1)
			require.LessOrEqual(t, told[0].Time.Sub(asked), 2500*time.Millisecond, message)
		})
	}
}
