package adapter_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"

	"github.com/stretchr/testify/require"
)

// launchTo starts a program on a fake adapter and waits for its stop at a line.
func launchTo(t *testing.T, m *adapter.Manager, file string, line int) *adapter.Session {
	t.Helper()
	_, _, err := m.SetBreakpoint(t.Context(), breakpoint.Spec{Kind: breakpoint.Blocking, File: file, Line: line})
	require.NoError(t, err)
	s, err := m.Launch(t.Context(), "", adapter.LaunchParams{
		LaunchRequest: dapclient.LaunchRequest{Program: "/x"}, Timeout: time.Minute,
	})
	require.NoError(t, err)
	r, err := s.Wait(t.Context(), 0, time.Minute)
	require.NoError(t, err)
	require.Equal(t, line, r.Stop.Location.Line)
	return s
}

// A resume that the debugger does not answer in time is carried out or refused later. Both are told, and until then the
// session neither reads nor resumes twice.
func TestResumeAnsweredLate(t *testing.T) {
	const file = "/src/LoopApp/Program.cs"
	line := func(n int) daptest.Step { return daptest.Step{File: file, Line: n, Func: "Main"} }
	for name, refused := range map[string]bool{"carried out": false, "refused": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate, open := daptest.Gate()
				program := daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(line(1), line(2), line(3))}}}
				m, fakes := mcptest.Fake(t, "debugpy", daptest.Debugpy(), program)
				defer m.Close()
				s := launchTo(t, m, file, 1)
				_, _, err := m.SetBreakpoint(t.Context(), breakpoint.Spec{Kind: breakpoint.Blocking, File: file, Line: 3})
				require.NoError(t, err)
				late := daptest.Hold(gate)
				if refused {
					late.Fail = "not today"
				}
				fakes.Last().Once("continue", late)
				seq := s.Snapshot().Stop.Seq
				require.Equal(t, fault.Timeout, fault.CodeOf(s.Continue(t.Context(), 0, adapter.AnyStop)))
				_, err = s.Evaluate(t.Context(), inspect.EvaluateQuery{Expression: "1", Timeout: time.Second})
				require.Equal(t, fault.NotPaused, fault.CodeOf(err))
				require.NoError(t, s.Continue(t.Context(), 0, adapter.AnyStop), "it is under way")
				require.Equal(t, 1, fakes.Last().Count("continue"))
				open()
				synctest.Wait()
				if refused {
					require.Equal(t, adapter.Paused, s.Snapshot().State)
					require.NoError(t, s.Continue(t.Context(), 0, adapter.AnyStop))
				}
				r, err := s.Wait(t.Context(), seq, time.Minute)
				require.NoError(t, err)
				require.Equal(t, 3, r.Stop.Location.Line)
			})
		})
	}
}

// A debugger that answers neither an evaluation nor the resume after it lets the program stand still for ever. A wait
// says so, once; when the debugger answers after all, the session goes on.
func TestSilentResumeWithoutAnswer(t *testing.T) {
	const file = "/src/LoopApp/Program.cs"
	line := func(n int) daptest.Step { return daptest.Step{File: file, Line: n, Func: "Main"} }
	for name, stuck := range map[string]bool{"stuck evaluation": true, "resume alone": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				evaluated, endEvaluation := daptest.Gate()
				resumed, resume := daptest.Gate()
				program := daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(line(1), line(2), line(3))}}}
				m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program, func(a *daptest.Adapter) {
					if stuck {
						a.Once("evaluate", daptest.Hold(evaluated))
					}
					a.Once("continue", daptest.Hold(resumed))
				})
				defer m.Close()
				_, _, err := m.SetBreakpoint(t.Context(), breakpoint.Spec{Kind: breakpoint.Tracepoint, File: file, Line: 2,
					LogMessage: "{item.Label}"})
				require.NoError(t, err)
				_, _, err = m.SetBreakpoint(t.Context(), breakpoint.Spec{Kind: breakpoint.Blocking, File: file, Line: 3})
				require.NoError(t, err)
				s, err := m.Launch(t.Context(), "", adapter.LaunchParams{
					LaunchRequest: dapclient.LaunchRequest{Program: "/x"}, Timeout: time.Minute,
				})
				require.NoError(t, err)
				r, err := s.Wait(t.Context(), 0, time.Hour)
				require.NoError(t, err)
				require.Equal(t, adapter.WaitBackendBusy, r.Reason)
				require.Contains(t, r.Note, "netcoredbg has not answered a resume for 15s")
				require.Contains(t, r.Note, "debug_restart")
				require.Equal(t, stuck, strings.Contains(r.Note, "it still evaluates item.Label"), r.Note)
				again, err := s.Wait(t.Context(), r.Seq, time.Hour)
				require.NoError(t, err)
				require.Equal(t, adapter.WaitTimeout, again.Reason, "it is told once")
				endEvaluation()
				resume()
				again, err = s.Wait(t.Context(), r.Seq, time.Hour)
				require.NoError(t, err)
				require.Equal(t, 3, again.Stop.Location.Line)
			})
		})
	}
}
