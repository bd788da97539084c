package adapter

import (
	"sync/atomic"
	"time"

	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// noteLate records evaluations whose time is over. A debugger that cannot abort an evaluation is blocked until it ends:
// the tracepoint fails, reads are refused as busy, and the session is wedged.
func (s *Session) noteLate(a *asked, owner func(i int) (breakpointID string, frame *dap.StackFrame)) {
	for i, r := range a.replies {
		if !r.timedOut() || a.outrun[i] {
			continue
		}
		if a.late == nil {
			a.late = map[int]*lateEvaluation{}
		}
		id, frame := owner(i)
		a.late[i] = &lateEvaluation{}
		a.late[i].overdue(s, id, frame)
	}
}

// lateEvaluation is an evaluation whose time may be over before it is answered.
type lateEvaluation struct {
	counted atomic.Bool // counted in stuck
	over    atomic.Bool // answered, or known to stay without an answer
}

// overdue counts the evaluation as stuck; answered takes it back. The session reports it one second later. Where the
// profile has a probe, the answer to the probe takes it back too.
func (e *lateEvaluation) overdue(s *Session, breakpointID string, frame *dap.StackFrame) {
	if e.over.Load() { // answered before the other questions of its message
		return
	}
	e.counted.Store(true)
	s.inspection.stuck.Add(1)
	s.after(time.Second, func() { s.wedge(breakpointID) })
	if s.profile.Probe == "" || frame == nil {
		return
	}
	_, err := s.debugger.conn.Send(dapclient.Request{
		Command: "evaluate", Args: dapclient.EvaluateArguments{Expression: s.profile.Probe, FrameID: &frame.Id,
			Context: "watch"},
		Done: func(*dapclient.Message, error) {
			s.post(func() {
				if e.over.CompareAndSwap(false, true) {
					s.unstick()
				}
			})
		},
	})
	if err != nil {
		s.log.Debug("an evaluation is overdue, and the debugger is gone", "error", err)
	}
}

// answered takes the late answer, on the loop.
func (e *lateEvaluation) answered(s *Session, m *dapclient.Message) {
	if e.over.CompareAndSwap(false, true) && e.counted.Load() {
		s.lateAnswer(m)
	}
}

// wedge reports that the debugger is still busy with an evaluation that should have ended.
func (s *Session) wedge(breakpointID string) {
	if s.inspection.stuck.Load() <= 0 || s.closing() || !s.public.state.Live() {
		return
	}
	if b := s.held.bindings[breakpointID]; b != nil && b.State != BreakpointFailed {
		s.bind(breakpointID, func(b *Binding) {
			b.State = BreakpointFailed
			b.Message = "an evaluation did not end in time and the debugger cannot abort it; use expressions that call nothing"
		})
		if bp := s.manager.registry.lookup(breakpointID); bp != nil {
			s.note(journal.TypeBreakpoint, breakpointID,
				&BreakpointChange{Change: "changed", Breakpoint: bp.info(s.held.bindings[breakpointID])})
		}
		s.problem(breakpointID,
			fault.Errorf(fault.EvalTimeout, "%s: an evaluation did not end in time and the debugger cannot abort it",
				breakpointID))
	}
	if !s.public.info.Wedged {
		s.public.info.Wedged = true
		s.publish()
	}
}

// lateAnswer handles the answer to an evaluation whose time was over. When the debugger has only stopped waiting for
// the evaluation, all other requests still queue behind it; the answer to a cheap request then shows that it is over.
func (s *Session) lateAnswer(m *dapclient.Message) {
	if !s.givenUp(m) || s.closing() || !s.public.state.Live() {
		s.unstick()
		return
	}
	_, err := s.debugger.conn.Send(dapclient.Request{Command: "threads", Done: func(m *dapclient.Message, _ error) {
		s.post(func() { s.lateAnswer(m) })
	}})
	if err != nil {
		s.unstick()
	}
}

// givenUp reports whether the debugger has stopped waiting for an evaluation without ending it.
func (s *Session) givenUp(m *dapclient.Message) bool {
	return m != nil && !m.Success && s.profile.GaveUp != nil && s.profile.GaveUp.MatchString(m.Text)
}

// unstick counts the end of a late evaluation.
func (s *Session) unstick() {
	if s.inspection.stuck.Add(-1) <= 0 && s.public.info.Wedged {
		s.public.info.Wedged = false
		s.publish()
	}
}
