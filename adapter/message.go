package adapter

import (
	"errors"
	"strings"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/adapter/journal"
	"breakwire/dapclient"
	"breakwire/tracepoints"

	"github.com/google/go-dap"
)

// earlyValues returns the questions for the values of a message that may be sent together with the one for the frame.
// That is safe only when nothing can be evaluated at the wrong place: the debugger holds a single entry, it is one
// tracepoint, its condition is absent or decided by the debugger, and the next hit will be reported. owner is the
// tracepoint's id.
func (s *Session) earlyValues(e *dapclient.Stopped) (owner string, questions []question) {
	if !s.profile.PipelineHits || e.Reason != "breakpoint" || s.steps.run != nil {
		return "", nil
	}
	only := s.held.Only()
	if only == nil || len(only.Logicals) != 1 {
		return "", nil
	}
	bp := s.current(only.Logicals[0])
	if bp == nil || bp.Spec.Kind != breakpoint.Tracepoint || bp.Template == nil || bp.Spec.Condition != only.Condition {
		return "", nil
	}
	if b := s.held.Bindings[bp.ID]; b == nil || !b.Counts.WouldNotify() {
		return "", nil
	}
	return bp.ID, s.valueQuestions(nil, bp, nil)
}

// valueQuestions appends the questions for the values of a message.
func (s *Session) valueQuestions(questions []question, bp *breakpoint.Breakpoint, frame *dap.StackFrame) []question {
	for _, e := range bp.Template.Expressions() {
		questions = append(questions, s.evaluation(e, frame))
	}
	return questions
}

// fetchMessageValues asks for the values of all messages of a round in one write.
func (s *Session) fetchMessageValues(t *turn, r *round) bool {
	if len(r.early) > 0 && len(r.hits) == 1 && len(r.threads) == 1 {
		if h := r.hits[0]; h.thread == r.threads[0] && h.bp.Template != nil {
			h.values = r.early
			s.noteInterrupted(h.values, func(i int) lateEvaluation {
				return h.late(s.evaluation(h.bp.Template.Expressions()[i], nil))
			})
			return s.fetchRefusedValues(t, r) && s.fetchMembers(t, r)
		}
	}
	r.until = time.Now().Add(s.manager.opts.TraceTimeout)
	var questions []question
	var owners []*hit
	for _, h := range r.hits {
		if h.bp.Template == nil {
			continue
		}
		questions = s.valueQuestions(questions, h.bp, h.thread.frame)
		for len(owners) < len(questions) {
			owners = append(owners, h)
		}
	}
	if len(questions) == 0 {
		return true
	}
	a := s.send(limits{total: s.manager.opts.TraceTimeout, each: valueEach}, questions...)
	replies, ok := t.wait(a)
	if !ok {
		return false
	}
	if a.hasTimedOut() {
		s.noteLate(a, func(i int) lateEvaluation { return owners[i].late(questions[i]) })
	}
	s.noteInterrupted(replies, func(i int) lateEvaluation { return owners[i].late(questions[i]) })
	for i, h := range owners {
		h.values = append(h.values, replies[i])
	}
	return s.fetchRefusedValues(t, r) && s.fetchMembers(t, r)
}

// fetchRefusedValues retries refused values in other forms, within the time that is left for the hit.
func (s *Session) fetchRefusedValues(t *turn, r *round) bool {
	var doubts []doubt
	for _, h := range r.hits {
		if h.bp.Template == nil {
			continue
		}
		for i, e := range h.bp.Template.Expressions() {
			if i < len(h.values) && s.refused(e, &h.values[i], h.thread.frame) {
				doubts = append(doubts, doubt{h.bp.ID, e, h.thread.frame, &h.values[i]})
			}
		}
	}
	return s.retryRefused(t, r.until, doubts)
}

// valueOf returns a reply as it appears in a message.
func (s *Session) valueOf(expression string, r reply) tracepoints.Value {
	if r.err != nil {
		return tracepoints.Value{Err: failureName(r.err)}
	}
	body := r.evaluation()
	if name := inspect.ThrownBy(s.profile.Language, expression, body); name != "" {
		return tracepoints.Value{Err: name}
	}
	if s.profile.Language == dapclient.DotNet && inspect.IsFloating(body) {
		return tracepoints.Value{Text: inspect.CertainText(body.Result, body.Type)}
	}
	return tracepoints.Value{Text: inspect.Displayed(s.profile.Language, body.Result, body.Type)}
}

// failureName returns the text for <error: ...>.
func failureName(err error) string {
	if errors.Is(err, dapclient.ErrDeadline) {
		return "timeout"
	}
	var e *fault.Error
	if !errors.As(err, &e) {
		return tracepoints.ErrorText(inspect.Explained(err))
	}
	if e.Code == fault.EvalTimeout {
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
	if h.bp.Template != nil {
		values = make([]tracepoints.Value, 0, len(h.values))
		for i, e := range h.bp.Template.Expressions() {
			if i < len(h.values) {
				values = append(values, s.valueOf(e, h.values[i]))
			}
		}
	}
	told := &Hit{
		SessionID: s.id, BreakpointID: h.bp.ID, Type: string(breakpoint.Tracepoint), Location: s.hitLocation(h),
		ThreadID: h.thread.id, HitCount: h.count, LogMessage: h.bp.Message(h.failure, values),
	}
	told.takes(h)
	s.appendTrace(told)
	if x, ok := h.bp.Spec.Owner.(*experiment); ok {
		x.take(told, values, h.failure)
	}
}

// appendTrace sets the sequence number and time of a tracepoint hit and appends it to the journal.
func (s *Session) appendTrace(payload *Hit) {
	size := 256
	if payload.LogMessage != nil {
		size += len(*payload.LogMessage)
	}
	s.journal.Append(func(first uint64) []journal.Entry {
		at := time.Now()
		payload.Seq, payload.Timestamp = first, journal.Timestamp(at)
		return []journal.Entry{{
			Session: s.id, Class: journal.Trace, Type: journal.TypeTracepoint, Time: at,
			BreakpointID: payload.BreakpointID, Data: payload, Size: size,
		}}
	})
}
