package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
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
