package adapter

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/adapter/journal"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// stuckEvaluations are the evaluations whose time is over and which may still run, oldest first. Any goroutine may use
// them.
type stuckEvaluations struct {
	mu   sync.Mutex
	list []*lateEvaluation
}

// lateEvaluation is an evaluation whose time may be over before it is answered.
type lateEvaluation struct {
	expression string
	breakpoint string // id of the breakpoint whose question it is
	thread     int    // 0: not known
	frame      *dap.StackFrame
	remains    string // where its thread still stands although the debugger has answered; guarded like over
	over       bool   // answered, or known to stay without an answer; stuckEvaluations.mu guards it
}

// add reports false when the evaluation is already over.
func (l *stuckEvaluations) add(e *lateEvaluation) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !e.over {
		l.list = append(l.list, e)
	}
	return !e.over
}

// end takes the end of an evaluation. It reports whether the evaluation had been added and was not over yet.
func (l *stuckEvaluations) end(e *lateEvaluation) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.over = true
	i := slices.Index(l.list, e)
	if i >= 0 {
		l.list = slices.Delete(l.list, i, i+1)
	}
	return i >= 0
}

// has reports whether the evaluation was added and is not over.
func (l *stuckEvaluations) has(e *lateEvaluation) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.list, e)
}

// leave says where the thread of an evaluation still stands that the debugger has answered.
func (l *stuckEvaluations) leave(e *lateEvaluation, where string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.remains = where
}

// remains returns where the thread of an evaluation still stands that the debugger has answered, "" for none.
func (l *stuckEvaluations) remains(e *lateEvaluation) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return e.remains
}

// forever reports whether an evaluation will not end before the session.
func (l *stuckEvaluations) forever() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.list, func(e *lateEvaluation) bool { return e.remains != "" })
}

// first returns the oldest one, nil when there is none.
func (l *stuckEvaluations) first() *lateEvaluation {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) == 0 {
		return nil
	}
	return l.list[0]
}

// busy returns an error while an evaluation whose time is over may still run. Until it ends, the debugger answers late
// or from another frame, so nothing is asked, and nothing is resumed.
func (s *Session) busy() *fault.Error {
	e := s.inspection.stuck.first()
	if e == nil {
		return nil
	}
	if gone := s.goneError("the debugger does not answer"); gone != nil {
		return gone
	}
	where := ""
	if e.thread != 0 {
		where = " in thread " + strconv.Itoa(e.thread)
	}
	if at := s.inspection.stuck.remains(e); at != "" {
		return fault.Errorf(fault.BackendBusy,
			"%s still runs%s, which stands in %s: %s cannot abort it, and neither reads nor resumes work. debug_restart begins "+
				"again, debug_disconnect ends the session", e.expression, where, at, s.profile.Name).
			With("expression", e.expression).With("threadId", e.thread).With("sessionId", s.id)
	}
	return fault.Errorf(fault.BackendBusy,
		"%s still evaluates %s%s, which did not end in time; try again in a moment, or end the session with "+
			"debug_disconnect", s.profile.Name, e.expression, where).
		With("expression", e.expression).With("sessionId", s.id)
}

// late returns the evaluation of a hit's question.
func (h *hit) late(q question) lateEvaluation {
	return lateEvaluation{
		expression: q.expression(), breakpoint: h.bp.ID, thread: h.thread.id, frame: h.thread.frame,
	}
}

// noteLate records evaluations whose time is over. A debugger that cannot abort an evaluation is blocked until it ends:
// the tracepoint fails, reads and resumes are refused as busy, and the session is wedged.
func (s *Session) noteLate(a *asked, about func(i int) lateEvaluation) {
	for i, r := range a.replies {
		if !r.timedOut() || a.outrun[i] {
			continue
		}
		if a.late == nil {
			a.late = map[int]*lateEvaluation{}
		}
		late := about(i)
		a.late[i] = &late
		s.overdue(&late)
	}
}

// overdue counts an evaluation as stuck; its answer takes that back. Where the profile has a probe, the answer to the
// probe takes it back too. The breakpoint fails when the evaluation is still stuck one second later.
func (s *Session) overdue(e *lateEvaluation) {
	if !s.inspection.stuck.add(e) {
		return // answered before the other questions of its message
	}
	s.post(s.tellWedged)
	s.after(time.Second, func() { s.failLate(e) })
	if s.profile.Probe == "" || e.frame == nil {
		return
	}
	_, err := s.debugger.conn.Send(dapclient.Request{
		Command: "evaluate", Args: dapclient.EvaluateArguments{Expression: s.profile.Probe, FrameID: &e.frame.Id,
			Context: "watch"},
		Done: func(*dapclient.Message, error) { s.post(func() { s.unstick(e) }) },
	})
	if err != nil {
		s.log.Debug("an evaluation is overdue, and the debugger is gone", "error", err)
	}
}

// tellWedged publishes whether an evaluation is stuck.
func (s *Session) tellWedged() {
	wedged := s.inspection.stuck.first() != nil
	if s.closing() || !s.public.state.Live() || s.public.info.Wedged == wedged {
		return
	}
	s.public.info.Wedged = wedged
	s.publish()
}

// wedged returns err when everybody can see that an evaluation is stuck.
func (s *Session) wedged(ctx context.Context, err error) error {
	_, _ = onLoop(ctx, s, func(done func(struct{}, error)) {
		s.tellWedged()
		done(struct{}{}, nil)
	})
	return err
}

// failLate makes a breakpoint fail whose evaluation has not ended although it should have.
func (s *Session) failLate(e *lateEvaluation) {
	if s.inspection.stuck.first() == nil || s.closing() || !s.public.state.Live() {
		return
	}
	if b := s.held.Bindings[e.breakpoint]; b != nil && b.State != breakpoint.Failed {
		s.bind(e.breakpoint, func(b *breakpoint.Binding) {
			b.State = breakpoint.Failed
			b.Message = "an evaluation did not end in time and the debugger cannot abort it; use expressions that call nothing"
		})
		if bp := s.manager.registry.Lookup(e.breakpoint); bp != nil {
			s.note(journal.TypeBreakpoint, e.breakpoint,
				&breakpoint.Change{Change: "changed", Breakpoint: bp.Info(s.held.Bindings[e.breakpoint])})
		}
		s.problem(e.breakpoint,
			fault.Errorf(fault.EvalTimeout, "%s: an evaluation did not end in time and the debugger cannot abort it",
				e.breakpoint))
	}
}

// lateAnswer takes the answer to an evaluation whose time was over. When the debugger has only stopped waiting for the
// evaluation, all other requests still queue behind it; the answer to a cheap request then shows that it is over.
func (s *Session) lateAnswer(e *lateEvaluation, m *dapclient.Message) {
	if !s.givenUp(m) || s.closing() || !s.public.state.Live() {
		s.unstick(e)
		return
	}
	_, err := s.debugger.conn.Send(dapclient.Request{Command: "threads", Done: func(m *dapclient.Message, _ error) {
		s.post(func() { s.lateAnswer(e, m) })
	}})
	if err != nil {
		s.unstick(e)
	}
}

// givenUp reports whether the debugger has stopped waiting for an evaluation without ending it.
func (s *Session) givenUp(m *dapclient.Message) bool {
	return m != nil && !m.Success && s.profile.GaveUp != nil && s.profile.GaveUp.MatchString(m.Text)
}

// unstick takes the end of a late evaluation. A debugger that cannot abort evaluations may have left its thread in the
// called function.
func (s *Session) unstick(e *lateEvaluation) {
	if s.profile.LeavesEvaluations && e.thread != 0 && s.public.state == Paused && s.inspection.stuck.has(e) {
		s.begin(func(t *turn) { s.lookAtLeft(t, e) })
		return
	}
	if s.inspection.stuck.end(e) {
		s.tellWedged()
	}
}

// lookAtLeft looks where the thread of a late evaluation stands. It has ended when the innermost frame is that of the
// stop. Else the evaluation stays stuck: the frames below are numbered anew, and no resume of the thread works.
func (s *Session) lookAtLeft(t *turn, e *lateEvaluation) {
	before, known := s.inspection.cache.Frames.Get(s.stops.epoch, e.thread, 0)
	replies, ok := t.ask(limits{total: lookTimeout}, topFrames(e.thread, inspect.LocateDepth))
	if !ok {
		return
	}
	frames, _ := stackOf(replies[0])
	if !known || len(frames) == 0 || samePlace(&frames[0], &before) {
		if s.inspection.stuck.end(e) {
			s.tellWedged()
		}
		return
	}
	where := frames[0].Name
	if i := slices.IndexFunc(frames, func(f dap.StackFrame) bool { return hasSource(&f) }); i > 0 {
		where += ", called by " + frames[i].Name
	}
	s.inspection.stuck.leave(e, where)
}
