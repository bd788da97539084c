package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// endless makes evaluations of endless() wait for a gate.
func endless(gate <-chan struct{}) func(daptest.EvalCall) (daptest.Var, bool) {
	return func(call daptest.EvalCall) (daptest.Var, bool) {
		return daptest.Var{Value: "1", Type: "int", Gate: gate}, call.Expression == "endless()"
	}
}

// After an evaluation that ran out of time every answer says so until it has ended, and no resume is sent meanwhile.
func TestEvaluationThatDoesNotEnd(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		gate, open := daptest.Gate()
		defer open()
		p := counting()
		p.Eval = endless(gate)
		s := serve(t, name, shape, p)
		s.launchTo(t, 1)
		s.breakAt(3)
		s.Refused(fault.EvalTimeout, "evaluate", mcptest.Args{"expression": "endless()", "timeout_ms": 1})
		require.True(t, s.Do("debug_state", nil).Bool("session.wedged"))
		require.True(t, s.Do("threads_list", nil).Bool("stale"))
		for _, tool := range []string{"variables_get", "stacktrace_get", "snapshot_create", "debug_continue"} {
			r := s.Refused(fault.BackendBusy, tool, nil)
			require.Contains(t, r.String("error.message"), "endless()", "%s", r.Raw)
			require.Equal(t, "endless()", r.String("error.details.expression"))
		}
		for tool, args := range map[string]mcptest.Args{
			"debug_continue": {"wait": true, "timeout_ms": 1},
			"debug_step":     {"timeout_ms": 1},
			"debug_run_to":   {"file": source, "line": 2, "timeout_ms": 1},
		} {
			r := s.Do(tool, args)
			require.True(t, r.Bool("timedOut"), "%s", r.Raw)
			require.True(t, r.Bool("session.wedged"), "%s", r.Raw)
			require.Equal(t, "paused", r.String("session.state"), "%s", r.Raw)
			require.Contains(t, r.String("note"), "not resumed", "%s", r.Raw)
		}
		going := s.BeginCall("debug_continue", mcptest.Args{"wait": true})
		require.Zero(t, s.adapter().Count("continue")+s.adapter().Count("next"))
		open()
		r := s.AwaitCall(going)
		require.Equal(t, 3, r.Int("stop.location.line"), "%s", r.Raw)
		require.False(t, r.Bool("session.wedged"))
		require.Equal(t, 1, s.adapter().Count("continue"))
		require.Equal(t, "0", s.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
	})
}

// What waits behind a value that is being listed does not blame its own expression.
func TestEvaluationBehindAListing(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		gate, open := daptest.Gate()
		defer open()
		s := serve(t, name, shape, counting(), func(a *daptest.Adapter) { a.Once("variables", daptest.Hold(gate)) })
		r := s.launchTo(t, 1)
		require.False(t, r.Has("stop.locals"), "%s", r.Raw)
		r = s.Refused(fault.EvalTimeout, "evaluate", mcptest.Args{"expression": "i", "timeout_ms": 1})
		require.Contains(t, r.String("error.message"), "i was not evaluated: ")
		require.Contains(t, r.String("error.message"), "still lists a value")
		r = s.Refused(fault.BackendBusy, "debug_continue", nil)
		require.Contains(t, r.String("error.message"), "still evaluates a value that was listed")
		open()
		waitUntil(t, func() bool { return !s.Do("debug_state", nil).Bool("session.wedged") })
		require.Equal(t, 2, s.Do("debug_step", nil).Int("stop.location.line"))
	})
}

// A step waits for such an evaluation too.
func TestStepAwaitsEvaluation(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	p := counting()
	p.Eval = endless(gate)
	s := serve(t, "debugpy", daptest.Debugpy(), p)
	s.launchTo(t, 1)
	s.Refused(fault.EvalTimeout, "evaluate", mcptest.Args{"expression": "endless()", "timeout_ms": 1})
	stepping := s.BeginCall("debug_step", nil)
	open()
	r := s.AwaitCall(stepping)
	require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
	require.Equal(t, 2, r.Int("stop.location.line"))
}

// lldb-dap ends a call after half a second and gives the reason of the stop before it, which has nothing to do with it.
func TestEvaluationThatTheDebuggerEnds(t *testing.T) {
	p := counting()
	p.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
		return daptest.Var{Err: "error: Execution was interrupted, reason: breakpoint 1.1.\nThe process has been " +
			"returned to the state before expression evaluation.\n"}, call.Expression == "busy(2)"
	}
	s := serve(t, "lldb-dap", daptest.LLDB(), p)
	s.launchTo(t, 1)
	r := s.Refused(fault.EvalTimeout, "evaluate", mcptest.Args{"expression": "busy(2)"})
	require.Contains(t, r.String("error.message"), "took too long for lldb-dap")
	require.NotContains(t, r.String("error.message"), "breakpoint 1.1")
	require.False(t, s.Do("debug_state", nil).Bool("session.wedged"))
	require.Equal(t, 2, s.Do("debug_step", nil).Int("stop.location.line"))
}

// netcoredbg answers an evaluation that hangs with an error, and leaves its thread in the called function. Nothing is
// then read from the wrong frames, and nothing is resumed; each answer says what runs and how to go on.
func TestEvaluationThatIsLeft(t *testing.T) {
	for name, left := range map[string]bool{"left in the getter": true, "ended": false} {
		t.Run(name, func(t *testing.T) {
			gate, open := daptest.Gate()
			defer open()
			p := counting()
			p.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
				return daptest.Var{Err: "error: no such name", Gate: gate}, call.Expression == "acc.Hang"
			}
			s := netcoredbg(t, p)
			s.launchTo(t, 1)
			first := s.Do("snapshot_create", nil).String("snapshot.id")
			s.Refused(fault.EvalTimeout, "evaluate", mcptest.Args{"expression": "acc.Hang", "timeout_ms": 1})
			looked := make(chan struct{})
			s.adapter().OnRequest("stackTrace", func(m *dapclient.Message) daptest.Action {
				s.adapter().OnRequest("stackTrace", nil)
				defer close(looked)
				if !left {
					return daptest.Action{}
				}
				return daptest.Raw(fmt.Sprintf(`{"seq":"$seq","type":"response","command":"stackTrace","success":true,`+
					`"request_seq":%d,"body":{"stackFrames":[{"id":0,"name":"System.Threading.Thread.Sleep()","line":0,`+
					`"column":0},{"id":1,"name":"Account.get_Hang()","line":8,"column":1,"source":{"path":"/a.cs"}}]}}`, m.Seq))
			})
			open()
			<-looked
			if !left {
				require.Equal(t, 2, s.Do("debug_step", nil).Int("stop.location.line"))
				require.False(t, s.Do("debug_state", nil).Bool("session.wedged"))
				return
			}
			for r := s.Call("variables_get", nil); ; r = s.Call("variables_get", nil) {
				require.True(t, r.IsError, "%s", r.Raw)
				if strings.Contains(r.String("error.message"), "get_Hang") {
					break
				}
			}
			for tool, args := range map[string]mcptest.Args{
				"evaluate": {"expression": "i"}, "snapshot_create": nil, "debug_step": nil, "stacktrace_get": nil,
				"debug_continue": {"wait": true}, "debug_run_to": {"file": source, "line": 3},
			} {
				r := s.Refused(fault.BackendBusy, tool, args)
				require.Contains(t, r.String("error.message"), "acc.Hang still runs in thread", "%s", r.Raw)
				require.Contains(t, r.String("error.message"), "debug_restart")
			}
			require.True(t, s.Do("debug_state", nil).Bool("session.wedged"))
			s.Do("snapshot_list", mcptest.Args{"snapshot_id": first})
			require.Equal(t, "paused", s.Do("debug_restart", mcptest.Args{"stop_at_entry": true}).String("session.state"))
			require.False(t, s.Do("debug_state", nil).Bool("session.wedged"))
		})
	}
}
