package adapter

import (
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"breakwire/adapter/journal"
	"breakwire/dapclient"
	"breakwire/tracepoints"

	"github.com/google/go-dap"
)

// earlyValues are the message's questions when they may be sent together with the one for the frame: only when nothing
// can be evaluated at the wrong place. The backend holds a single entry, it is one tracepoint, its condition is decided by the
// backend or absent, and the next hit will be told.
func (s *Session) earlyValues(e *dapclient.Stopped) []question {
	if !s.profile.PipelineHits || e.Reason != "breakpoint" || s.step != nil {
		return nil
	}
	only := s.onlyEntry()
	if only == nil || len(only.logicals) != 1 {
		return nil
	}
	bp := s.current(only.logicals[0])
	if bp == nil || bp.Spec.Kind != Tracepoint || bp.template == nil || bp.Spec.Condition != only.condition {
		return nil
	}
	if b := s.bindings[bp.ID]; b == nil || !b.counts.WouldNotify() {
		return nil
	}
	return s.valueQuestions(bp, nil)
}

func (s *Session) valueQuestions(bp *Breakpoint, frame *dap.StackFrame) []question {
	expressions := bp.template.Expressions()
	questions := make([]question, len(expressions))
	for i, e := range expressions {
		questions[i] = s.evaluation(e, frame)
	}
	return questions
}

// speak asks for the values of all messages in one write.
func (s *Session) speak(v *service) {
	if len(v.early) > 0 && len(v.hits) == 1 && len(v.spots) == 1 && v.spots[0] == v.hits[0].spot && v.hits[0].bp.template != nil {
		v.hits[0].values = v.early
		s.again(v)
		return
	}
	v.until = time.Now().Add(s.manager.opts.TraceTimeout)
	var questions []question
	var owners []*hit
	for _, h := range v.hits {
		if h.bp.template == nil {
			continue
		}
		for _, q := range s.valueQuestions(h.bp, h.spot.frame) {
			questions = append(questions, q)
			owners = append(owners, h)
		}
	}
	a := s.ask(limits{total: s.manager.opts.TraceTimeout, each: speakEach}, func(replies []reply) {
		if s.service != v {
			return
		}
		for i, h := range owners {
			h.values = append(h.values, replies[i])
		}
		s.again(v)
	}, questions...)
	s.watchLate(a, func(i int) (string, *dap.StackFrame) { return owners[i].bp.ID, owners[i].spot.frame })
}

// watchLate looks after evaluations that outlived their time. A backend that cannot abort one is blocked until it ends: the
// tracepoint has failed, reads are refused as busy, and the session says that it is wedged.
func (s *Session) watchLate(a *asked, owner func(int) (breakpointID string, frame *dap.StackFrame)) {
	if a.open == 0 {
		return
	}
	next, late := a.next, make([]lateEvaluation, len(a.replies))
	a.next = func(replies []reply) {
		for i, r := range replies {
			if errors.Is(r.err, dapclient.ErrDeadline) {
				id, frame := owner(i)
				late[i].overdue(s, id, frame)
			}
		}
		next(replies)
	}
	a.late = func(i int, r reply) { late[i].answered(s, r.m) }
}

// lateEvaluation is one whose time may be over before it is answered.
type lateEvaluation struct {
	counted atomic.Bool // as one whose time is over
	over    atomic.Bool // answered after all, or known to stay without an answer
}

// overdue counts it as one whose time is over; answered takes it back. After a moment more it is told.
func (e *lateEvaluation) overdue(s *Session, breakpointID string, frame *dap.StackFrame) {
	if e.over.Load() { // answered before the other questions of its message were
		return
	}
	e.counted.Store(true)
	s.stuck.Add(1)
	s.after(time.Second, func() { s.wedge(breakpointID) })
	if s.profile.Probe == "" || frame == nil {
		return
	}
	_, err := s.conn.Send(dapclient.Request{
		Command: "evaluate", Args: dapclient.EvaluateArguments{Expression: s.profile.Probe, FrameID: &frame.Id, Context: "watch"},
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

// answered is told of its answer, on the loop.
func (e *lateEvaluation) answered(s *Session, m *dapclient.Message) {
	if e.over.CompareAndSwap(false, true) && e.counted.Load() {
		s.lateAnswer(m)
	}
}

// wedge tells that the backend is still busy with an evaluation that should have ended.
func (s *Session) wedge(breakpointID string) {
	if s.stuck.Load() <= 0 || s.closing || !s.state.Live() {
		return
	}
	if b := s.bindings[breakpointID]; b != nil && b.State != BreakpointFailed {
		s.bind(breakpointID, func(b *Binding) {
			b.State = BreakpointFailed
			b.Message = "an evaluation did not end in time and the debugger cannot abort it; use expressions that call nothing"
		})
		s.problem(breakpointID, Errorf(EvalTimeout, "%s: an evaluation did not end in time and the debugger cannot abort it", breakpointID))
	}
	if !s.info.Wedged {
		s.info.Wedged = true
		s.publish()
	}
}

// lateAnswer is told of the answer to an evaluation whose time was over. When the backend has only stopped waiting for it itself,
// everything else queues up behind it still: a question that costs nothing is answered when that is over.
func (s *Session) lateAnswer(m *dapclient.Message) {
	if !s.givenUp(m) || s.closing || !s.state.Live() {
		s.unstick()
		return
	}
	_, err := s.conn.Send(dapclient.Request{Command: "threads", Done: func(m *dapclient.Message, _ error) {
		s.post(func() { s.lateAnswer(m) })
	}})
	if err != nil {
		s.unstick()
	}
}

// givenUp tells whether the backend has stopped waiting for what it was asked, without ending it.
func (s *Session) givenUp(m *dapclient.Message) bool {
	return m != nil && !m.Success && s.profile.GaveUp != nil && s.profile.GaveUp.MatchString(m.Text)
}

// unstick counts the end of an evaluation that was late.
func (s *Session) unstick() {
	if s.stuck.Add(-1) <= 0 && s.info.Wedged {
		s.info.Wedged = false
		s.publish()
	}
}

// again asks in other words for the values that could not be had, in what is left of the time of the hit.
func (s *Session) again(v *service) {
	var doubts []doubt
	for _, h := range v.hits {
		if h.bp.template == nil {
			continue
		}
		for i, e := range h.bp.template.Expressions() {
			if i < len(h.values) && s.refused(e, &h.values[i], h.spot.frame) {
				doubts = append(doubts, doubt{h.bp.ID, e, h.spot.frame, &h.values[i]})
			}
		}
	}
	s.settle(v, v.until, doubts, func() { s.report(v) })
}

// valueOf is how a reply stands in a message.
func (s *Session) valueOf(expression string, r reply) tracepoints.Value {
	if r.err != nil {
		return tracepoints.Value{Err: failureName(r.err)}
	}
	body := r.evaluation()
	if name := s.thrown(expression, body); name != "" {
		return tracepoints.Value{Err: name}
	}
	return tracepoints.Value{Text: s.displayed(body.Result, body.Type)}
}

// thrown names the exception that an evaluation ended with, where the backend returns the exception object as a
// successful result (netcoredbg). An expression that asks for an exception is answered with one.
func (s *Session) thrown(expression string, body dap.EvaluateResponseBody) string {
	if s.profile.Language != dapclient.DotNet || !strings.HasSuffix(body.Type, "Exception") ||
		!strings.HasPrefix(body.Result, "{") || strings.Contains(expression, "xception") {
		return ""
	}
	return body.Type[strings.LastIndexByte(body.Type, '.')+1:]
}

// failureName is what stands in <error: ...>.
func failureName(err error) string {
	if errors.Is(err, dapclient.ErrDeadline) {
		return "timeout"
	}
	var e *Error
	if !errors.As(err, &e) {
		return tracepoints.ErrorText(explained(err))
	}
	if e.Code == EvalTimeout {
		return "timeout"
	}
	if thrown, ok := e.Details["exceptionType"].(string); ok {
		return thrown[strings.LastIndexByte(thrown, '.')+1:]
	}
	text, _ := e.Details["expression"].(string)
	return tracepoints.ErrorText(strings.TrimPrefix(e.Message, text+": "))
}

// tellHit appends a tracepoint hit to the journal.
func (s *Session) tellHit(h *hit) {
	var values []tracepoints.Value
	if h.bp.template != nil {
		values = make([]tracepoints.Value, 0, len(h.values))
		for i, e := range h.bp.template.Expressions() {
			if i < len(h.values) {
				values = append(values, s.valueOf(e, h.values[i]))
			}
		}
	}
	told := &Hit{
		SessionID: s.id, BreakpointID: h.bp.ID, Type: string(Tracepoint), Location: s.hitLocation(h),
		ThreadID: h.spot.thread, HitCount: h.count, LogMessage: logMessage(h.bp, h.failure, values),
	}
	s.appendTrace(told)
	if x := h.bp.Spec.experiment; x != nil {
		x.take(told, values, h.failure)
	}
}

// appendTrace gives a tracepoint hit its seq and time and appends it.
func (s *Session) appendTrace(payload *Hit) {
	size := 256
	if payload.LogMessage != nil {
		size += len(*payload.LogMessage)
	}
	s.journal.Append(func(first uint64) []journal.Entry {
		at := time.Now()
		payload.Seq, payload.Timestamp = first, Timestamp(at)
		return []journal.Entry{{
			Session: s.id, Class: journal.Trace, Type: journal.TypeTracepoint, Time: at,
			BreakpointID: payload.BreakpointID, Data: payload, Size: size,
		}}
	})
}
