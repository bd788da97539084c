package adapter

import (
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/inspect"
	"breakwire/mapping"
)

// Delve reports a panic when nobody has recovered it. So an exception breakpoint that asks for the first chance is also
// a breakpoint on the function that each panic calls.

// maxPanic is the number of characters that a stop shows of a panic's value.
const maxPanic = 300

// wantsGoPanics reports whether an exception breakpoint asks for panics that may be recovered, and the debugger reports
// only the others.
func (s *Session) wantsGoPanics(bp *breakpoint.Breakpoint) bool {
	spec := bp.Spec
	return s.profile.PanicFunction != "" && spec.Kind == breakpoint.Exception && bp.Enabled && spec.FirstChance &&
		(spec.ExceptionType == "*" || spec.ExceptionType == inspect.PanicType)
}

// panicEntry returns the entry by which an exception breakpoint stops at each panic, nil when it has none.
func (s *Session) panicEntry(bp *breakpoint.Breakpoint) *breakpoint.Entry {
	for _, e := range s.held.Functions.Entries {
		if e.Function == s.profile.PanicFunction && s.wantsGoPanics(bp) {
			return e
		}
	}
	return nil
}

// panicHit returns the hit of the function that panics call, for an exception breakpoint; nil when there is none.
func (v *pendingStop) panicHit() *hit {
	for _, h := range v.stops {
		if h.bp.Spec.Kind == breakpoint.Exception && h.entry.Function != "" {
			return h
		}
	}
	return nil
}

// examineGoPanic asks for the value of a panic that has just begun. The stop is named after its thread.
func (s *Session) examineGoPanic(t *turn, v *pendingStop, h *hit) bool {
	toFront(v.stops, h)
	toFront(v.threads, h.thread)
	e := inspect.Exception{Type: inspect.PanicType, IsFirstChance: true}
	v.thrown = thrown{state: wanted, told: true, exception: &ExceptionStop{Exception: e}}
	questions := []question{s.evaluation(inspect.InterfaceInMemory, h.thread.frame),
		s.evaluation(inspect.PanicValue, h.thread.frame)}
	a := s.send(limits{total: testTimeout}, questions...)
	replies, ok := t.wait(a)
	if !ok {
		return false
	}
	s.noteLate(a, func(i int) lateEvaluation { return h.late(questions[i]) })
	if body, err := evaluated(replies[1]); err == nil {
		v.thrown.exception.Message = mapping.Clip(mapping.GoErrorText(body.Result), maxPanic)
	}
	return true
}
