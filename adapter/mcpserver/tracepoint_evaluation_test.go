package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// An evaluation without an end: the hit is reported with its timeout, the program continues, and the session reports
// the problem until the backend is free.
func TestEndlessEvaluation(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	program := loop(2)
	program.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
		if call.Expression == "Endless" {
			return daptest.Var{Value: "1", Type: "int", Gate: gate}, true
		}
		return daptest.Var{}, false
	}
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{i} {Endless} {square}",
		"max_notifications": 1}).String("breakpoint.id")
	bp := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 22}).String("breakpoint.id")
	c.Do("debug_launch", mcptest.Args{"program": "/x.dll", "stop_at_entry": false})
	c.AwaitNotifications("debugger/breakpointHit", 1)
	require.Contains(t, messages(c, id)[0], "0 <error: timeout>")
	problem := c.Call("events_query", mcptest.Args{"types": []string{"error"}})
	for problem.Len("events") == 0 {
		problem = c.Call("events_query", mcptest.Args{"types": []string{"error"}})
	}
	require.Equal(t, "EVAL_TIMEOUT", problem.String("events.0.code"))
	require.True(t, c.Do("debug_state", nil).Bool("session.wedged"))
	fakes.Last().WaitFor("continue")
	open()
	// The backend is free: it accepts the waiting resume, and everything works again.
	r := c.Do("breakpoint_wait", nil)
	require.Equal(t, bp, r.String("breakpointId"), "%s", r.Raw)
	require.False(t, c.Do("debug_state", nil).Bool("session.wedged"))
	require.Equal(t, "0", c.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
}

// netcoredbg gives up an evaluation after 15 s with an error, but handles no other request until the evaluation has
// ended. So the error is not the end.
func TestDebuggerStopsWaitingForEvaluation(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(1))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 22})
	c.Do("debug_launch", mcptest.Args{"program": "/x.dll", "stop_at_entry": false})
	c.Do("breakpoint_wait", nil)
	fake := fakes.Last()
	fake.OnRequest("threads", func(*dapclient.Message) daptest.Action { return daptest.Hold(gate) })
	fake.Once("evaluate", daptest.Fail("Command execution timed out."))
	c.Refused(fault.EvalTimeout, "evaluate", mcptest.Args{"expression": "i"})
	c.Refused(fault.BackendBusy, "evaluate", mcptest.Args{"expression": "i"})
	state := c.Do("debug_state", nil)
	for !state.Bool("session.wedged") {
		state = c.Do("debug_state", nil)
	}
	open()
	for state.Bool("session.wedged") {
		state = c.Do("debug_state", nil)
	}
	require.Equal(t, "0", c.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
}

// Directly after a stop netcoredbg may answer that the process is not stopped. The request is repeated, and no hit is
// lost or shown.
func TestBackendIsNotReadyAfterAStop(t *testing.T) {
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(3), func(a *daptest.Adapter) {
		refused := map[int]bool{}
		a.OnRequest("stackTrace", func(*dapclient.Message) daptest.Action {
			stop := a.Count("continue")
			if refused[stop] {
				return daptest.Action{}
			}
			refused[stop] = true
			return daptest.Fail("Failed command 'stackTrace' : 0x80131302")
		})
	})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{i}"}).String("breakpoint.id")
	bp := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 22}).String("breakpoint.id")
	c.Do("debug_launch", mcptest.Args{"program": "/x.dll", "stop_at_entry": false})
	for range 3 {
		require.Equal(t, bp, c.Do("breakpoint_wait", nil).String("breakpointId"))
		c.Do("debug_continue", nil)
	}
	require.Equal(t, "exited", c.Do("breakpoint_wait", nil).String("reason"))
	require.Equal(t, []string{"0", "1", "2"}, messages(c, id))
	require.GreaterOrEqual(t, fakes.Last().Count("stackTrace"), 12, "each of six stops twice")
}

// While an evaluation hangs, a disconnect still ends everything.
func TestDisconnectDuringAnEndlessEvaluation(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	program := loop(1)
	program.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
		return daptest.Var{Value: "1", Gate: gate}, call.Expression == "Endless"
	}
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{Endless}"})
	c.Do("debug_launch", mcptest.Args{"program": "/x.dll", "stop_at_entry": false})
	wait := c.BeginCall("breakpoint_wait", nil)
	require.Equal(t, "disconnected", c.Do("debug_disconnect", nil).String("state"))
	require.Equal(t, "disconnected", c.AwaitCall(wait).String("reason"))
}

// A pause requested while a tracepoint is served has precedence over the resume.
func TestPauseDuringATracepoint(t *testing.T) { attempts(t, pauseDuringATracepoint) }

func pauseDuringATracepoint(t *testing.T) bool {
	gate, open := daptest.Gate()
	program := loop(daptest.Forever)
	program.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
		return daptest.Var{Value: "1", Gate: gate}, call.Expression == "Slow"
	}
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{Slow}"}).
		String("breakpoint.id")
	launch := c.BeginCall("debug_launch", mcptest.Args{"program": "/x.dll", "stop_at_entry": false})
	require.Equal(t, "running", c.AwaitCall(launch).String("session.state"))
	fakes.Last().WaitFor("evaluate")
	pause := c.BeginCall("debug_pause", nil)
	for range 100 {
		c.Do("debug_state", nil) // the earlier call is under way by then
	}
	early := c.Answered(pause)
	open()
	r := c.AwaitCall(pause)
	require.Equal(t, "pause", r.String("stop.reason"), "%s", r.Raw)
	require.Equal(t, "paused", c.Do("debug_state", nil).String("session.state"))
	if early || fakes.Last().Count("pause") > 0 {
		return false // it came after the hit; otherwise the backend was stopped already
	}
	require.Equal(t, 10, r.Int("stop.location.line"))
	require.Equal(t, []string{"1"}, messages(c, id), "the hit itself is told")
	return true
}

// The program ends during the evaluation of a message.
func TestEndDuringAnEvaluation(t *testing.T) {
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(1), func(a *daptest.Adapter) {
		a.OnRequest("evaluate", func(*dapclient.Message) daptest.Action { return daptest.Swallow() })
	})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{i}"}).String("breakpoint.id")
	launch := c.BeginCall("debug_launch", mcptest.Args{"program": "/x.dll", "stop_at_entry": false})
	c.AwaitNotification("debugger/sessionStateChanged", func(r mcptest.Result) bool {
		return r.String("newState") == "running"
	})
	fakes.Last().WaitFor("evaluate")
	fakes.Last().Send(`{"seq":"900","type":"event","event":"exited","body":{"exitCode":7}}`,
		`{"seq":"901","type":"event","event":"terminated","body":{}}`)
	c.AwaitNotification("debugger/sessionStateChanged", func(r mcptest.Result) bool {
		return r.String("newState") == "terminated"
	})
	c.AwaitCall(launch)
	require.Equal(t, 7, c.Do("debug_state", nil).Int("session.exitCode"))
	require.Empty(t, messages(c, id))
}
