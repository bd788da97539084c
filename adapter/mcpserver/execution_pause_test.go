package mcpserver_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// netcoredbg cannot pause an unknown thread, and knows none while the runtime starts. So the pause waits for the
// first thread.
func TestPauseBeforeTheFirstThread(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	program := daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
		daptest.Step{File: loopFile, Line: 1, Func: "Main"},
		daptest.Step{File: loopFile, Line: 2, Func: "Main", Gate: gate})}}}
	asked := 0
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program, func(a *daptest.Adapter) {
		a.OnRequest("threads", func(m *dapclient.Message) daptest.Action {
			if asked++; asked < 4 {
				return daptest.Raw(`{"seq":"$seq","type":"response","command":"threads","success":true,"request_seq":` +
					itoa(m.Seq) + `,"body":{"threads":[]}}`)
			}
			return daptest.Action{}
		})
	})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	require.Equal(t, "running", start(c).String("session.state"))
	r := c.Do("debug_pause", nil)
	require.Equal(t, "pause", r.String("stop.reason"), "%s", r.Raw)
	require.Len(t, fakes.Last().Requests("pause"), 1)
	require.Contains(t, string(fakes.Last().Requests("pause")[0].Arguments), itoa(fakes.Last().ThreadID(0)))
}

// A pause during a resume waits for it. When the debugger refuses the resume, the current stop answers the pause, and
// the next pause is sent to the debugger.
func TestPauseDuringARefusedResume(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	line := func(n int) daptest.Step { return daptest.Step{File: source, Line: n, Func: "main.main"} }
	held := line(3)
	held.Gate = gate
	s := netcoredbg(t, daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(line(1), line(2), held, line(4))}}})
	s.launchTo(t, 2)
	answer, release := daptest.Gate()
	s.adapter().Once("continue", daptest.Action{Until: answer, Fail: "not now"})
	going := s.BeginCall("debug_continue", nil)
	s.adapter().WaitFor("continue")
	pausing := s.BeginCall("debug_pause", nil)
	for range 20 {
		s.state() // handled after the pause
	}
	release()
	require.True(t, s.AwaitCall(going).IsError)
	r := s.AwaitCall(pausing)
	require.False(t, r.IsError, "%s", r.Raw)
	require.Equal(t, 2, r.Int("stop.location.line"))
	require.Equal(t, 0, s.adapter().Count("pause"))

	s.Do("debug_continue", nil)
	require.Equal(t, "pause", s.Do("debug_pause", nil).String("stop.reason"))
	require.Equal(t, 1, s.adapter().Count("pause"))
}

// A cancelled evaluation continues in the debugger. Until it ends, other requests are refused with that reason.
func TestCancelledEvaluationThatHangs(t *testing.T) {
	s := netcoredbg(t, daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
		daptest.Step{File: source, Line: 1, Func: "A.Main()", Vars: []daptest.Var{{Name: "x", Value: "1", Type: "int"}}},
		daptest.Step{File: source, Line: 2, Func: "A.Main()"})}}})
	s.launchTo(t, 1)
	gate, open := daptest.Gate()
	defer open()
	s.adapter().Once("evaluate", daptest.Hold(gate))
	id := s.BeginCall("evaluate", mcptest.Args{"expression": "Hang()", "timeout_ms": 60000})
	s.adapter().WaitFor("evaluate")
	s.Notify("notifications/cancelled", map[string]any{"requestId": id})
	for !s.Do("debug_state", nil).Bool("session.wedged") {
		runtime.Gosched()
	}
	s.Refused(fault.BackendBusy, "variables_get", nil)
	open()
	for s.Do("debug_state", nil).Bool("session.wedged") {
		runtime.Gosched()
	}
	require.Equal(t, "x", s.Do("variables_get", nil).String("variables.0.name"))
}
