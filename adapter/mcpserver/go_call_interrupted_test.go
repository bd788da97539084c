package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// calling is a program whose expression call work(4) runs the lines 21 and 22. Each of its lines also lets another
// goroutine run a line of 31, 32, and so on.
func calling() daptest.Program {
	at := func(line int, fn string) daptest.Step {
		return daptest.Step{File: source, Line: line, Func: fn, Vars: []daptest.Var{{Name: "i", Value: "0", Type: "int"}}}
	}
	return daptest.Program{
		Threads: []daptest.Thread{
			{ID: 1, Code: daptest.Lines(at(1, "main.main"), at(2, "main.main"), at(3, "main.main"))},
			{ID: 2, Background: true, Code: daptest.Loop(daptest.Forever, func(i int) daptest.Step {
				return at(31+i, "main.busy")
			})},
			{ID: 7, Waits: true, Background: true, Code: daptest.Lines(at(21, "main.work"), at(22, "main.work"))},
		},
		Eval: func(c daptest.EvalCall) (daptest.Var, bool) {
			return daptest.Var{Value: "8", Calls: 7, Children: []daptest.Var{{Name: "~r0", Value: "8", Type: "int"}}},
				c.Expression == "call work(4)"
		},
	}
}

var workCall = mcptest.Args{"expression": "call work(4)"}

// A stop that interrupts a call is told by the error, by the state and by a wait; it counts once. The end of the call
// is a stop of its own, and no hit.
func TestCallInterrupted(t *testing.T) {
	for name, at := range map[string]struct {
		line, thread int
		conditional  bool
	}{
		"in the called function":   {line: 22, thread: 7},
		"by another goroutine":     {line: 34, thread: 2},
		"by a condition's failure": {line: 22, thread: 7, conditional: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, "dlv", daptest.Delve(), calling())
			first := s.launchTo(t, 1)
			args := mcptest.Args{"file": source, "line": at.line}
			if at.conditional {
				args["condition"] = "nosuch > 1"
			}
			id := s.Do("breakpoint_set", args).String("breakpoint.id")
			r := s.Refused(fault.EvalFailed, "evaluate", workCall)
			require.Contains(t, r.String("error.message"), "pending in thread 1", "%s", r.Raw)
			require.Contains(t, r.String("error.message"), "debug_continue")
			require.Equal(t, id, r.String("error.details.interruptedBy"), "%s", r.Raw)
			require.Equal(t, at.line, r.Int("error.details.stop.location.line"))
			state := s.Do("debug_state", nil)
			require.Equal(t, at.line, state.Int("stop.location.line"), "%s", state.Raw)
			require.Equal(t, at.thread, state.Int("stop.threadId"))
			require.Equal(t, 1, state.Int("stop.hitCount"))
			require.Contains(t, state.String("stop.text"), "call work(4) is pending in thread 1")
			require.Equal(t, at.conditional, state.Has("stop.conditionError"))
			waited := s.Do("breakpoint_wait", mcptest.Args{"after_seq": first.Int("stop.seq")})
			require.Equal(t, id, waited.String("breakpointId"), "%s", waited.Raw)

			s.Refused(fault.EvalFailed, "evaluate", workCall)
			s.Do("breakpoint_remove", mcptest.Args{"id": id})
			end := s.Do("debug_continue", mcptest.Args{"wait": true})
			require.Equal(t, "call_ended", end.String("reason"), "%s", end.Raw)
			require.Equal(t, 1, end.Int("stop.location.line"))
			require.Empty(t, end.Strings("stop.breakpointIds"))
			require.Contains(t, end.String("stop.text"), "has ended")
			require.Equal(t, 1, s.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"))
			require.Equal(t, "8", s.Do("evaluate", workCall).String("value"))
		})
	}
}

// Delve sets a text by a call, which a stop may interrupt too.
func TestSetInterrupted(t *testing.T) {
	p := standing(daptest.Var{Name: "name", Type: "string", Value: `"a"`})
	s := serve(t, "dlv", daptest.Delve(), p)
	stand(t, s)
	stop := daptest.Fail("Unable to set variable: call stopped")
	stop.Before = []string{
		`{"seq":"$seq","type":"event","event":"stopped","body":{"reason":"call returned","allThreadsStopped":true}}`,
	}
	s.adapter().Once("setVariable", stop)
	r := s.Refused(fault.EvalFailed, "variable_set", mcptest.Args{"name": "name", "value": `"b"`})
	require.Contains(t, r.String("error.message"), `call name = "b" has ended`, "%s", r.Raw)
	require.Equal(t, "call_ended", s.Do("debug_state", nil).String("stop.reason"))
	r = s.Do("variable_set", mcptest.Args{"name": "name", "value": `"b"`})
	require.Equal(t, `"b"`, r.String("variable.value"), "%s", r.Raw)
}

// Hits of tracepoints that interrupt a call are told as ever. The call goes on, and its error says how it ended.
func TestCallInterruptedByTracepoint(t *testing.T) {
	for _, strategy := range []string{"stop", "native"} {
		t.Run(strategy, func(t *testing.T) {
			s := serve(t, "dlv", daptest.Delve(), calling())
			s.launchTo(t, 1)
			id := s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 22, "log_message": "i={i}",
				"strategy": strategy}).String("breakpoint.id")
			r := s.Refused(fault.EvalFailed, "evaluate", workCall)
			require.Contains(t, r.String("error.message"), "has ended", "%s", r.Raw)
			require.Contains(t, r.String("error.message"), "tracepoints")
			require.Equal(t, []string{"i=0"}, messages(s.Client, id))
			state := s.Do("debug_state", nil)
			require.Equal(t, "call_ended", state.String("stop.reason"), "%s", state.Raw)
			require.Equal(t, 1, state.Int("stop.location.line"))
			list := s.Do("breakpoint_list", nil)
			require.Equal(t, 1, list.Int("breakpoints.0.hitCount"), "%s", list.Raw)
			require.Equal(t, 1, list.Int("breakpoints.1.hitCount"))
		})
	}
}

// A call in the message of a tracepoint that a stop interrupts: each hit is told once, also the one that interrupts,
// and the end of the call is silent.
func TestCallOfMessageInterrupted(t *testing.T) {
	for name, line := range map[string]int{"in the called function": 22, "by another goroutine": 34} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, "dlv", daptest.Delve(), calling())
			caller := s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 2, "log_message": "{call work(4)} {i}",
				"strategy": "stop"}).String("breakpoint.id")
			other := s.Do("tracepoint_set", mcptest.Args{"file": source, "line": line, "log_message": "i={i}",
				"strategy": "stop"}).String("breakpoint.id")
			s.breakAt(3)
			r := s.Settled(s.launch(t))
			require.Equal(t, 3, r.Int("stop.location.line"), "%s", r.Raw)
			require.Equal(t, []string{"<error: call stopped> <error: call stopped>"}, messages(s.Client, caller))
			require.Equal(t, []string{"i=0"}, messages(s.Client, other))
			list := s.Do("breakpoint_list", nil)
			require.Equal(t, 1, list.Int("breakpoints.0.hitCount"), "%s", list.Raw)
			require.Equal(t, 1, list.Int("breakpoints.1.hitCount"))
		})
	}
}
