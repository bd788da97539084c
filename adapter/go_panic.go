package adapter

import (
	"slices"
	"strconv"
	"strings"

	"breakwire/mapping"

	"github.com/google/go-dap"
)

// Delve reports a panic when nobody has recovered it. So an exception breakpoint that asks for the first chance is also
// a breakpoint on the function that each panic calls.

// panicValue is the value of a panic, in the frame of the function that panics call.
// When that function begins, the value is in registers, and Delve can read it only after it has read an interface from
// memory at the same stop: interfaceInMemory (measured 2026-11-29).
const (
	panicValue        = "e.(data)"
	interfaceInMemory = "runtime.memoryError"
)

// maxPanic is the number of characters that a stop shows of a panic's value.
const maxPanic = 300

// wantsGoPanics reports whether an exception breakpoint asks for panics that may be recovered, and the debugger reports
// only the others.
func (s *Session) wantsGoPanics(bp *Breakpoint) bool {
	spec := bp.Spec
	return s.profile.PanicFunction != "" && spec.Kind == Exception && bp.Enabled && spec.FirstChance &&
		(spec.ExceptionType == "*" || spec.ExceptionType == panicType)
}

// panicEntry returns the entry by which an exception breakpoint stops at each panic, nil when it has none.
func (s *Session) panicEntry(bp *Breakpoint) *entry {
	for _, e := range s.held.functions.entries {
		if e.function == s.profile.PanicFunction && s.wantsGoPanics(bp) {
			return e
		}
	}
	return nil
}

// panicHit returns the hit of the function that panics call, for an exception breakpoint; nil when there is none.
func (v *pendingStop) panicHit() *hit {
	for _, h := range v.stops {
		if h.bp.Spec.Kind == Exception && h.entry.function != "" {
			return h
		}
	}
	return nil
}

// examineGoPanic asks for the value of a panic that has just begun. The stop is named after its thread.
func (s *Session) examineGoPanic(t *turn, v *pendingStop, h *hit) bool {
	toFront(v.stops, h)
	toFront(v.threads, h.thread)
	v.thrown = thrown{state: wanted, told: true, exception: &ExceptionStop{Type: panicType, IsFirstChance: true}}
	questions := []question{s.evaluation(interfaceInMemory, h.thread.frame), s.evaluation(panicValue, h.thread.frame)}
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

// goChain adds the errors that the value of a panic wraps. They are stored in fields of type error and []error.
func (v *view) goChain(c *ExceptionContext, q ExceptionQuery) {
	frames, _, err := v.stack(c.ThreadID, 0, locateDepth)
	at := slices.IndexFunc(frames, func(f dap.StackFrame) bool { return f.Name == v.profile.PanicFunction })
	if err != nil || at < 0 {
		c.missing("innerExceptions: the value of the panic is not known", err)
		return
	}
	_, _ = v.evaluate(frames[at], interfaceInMemory, evaluateTimeout)
	body, err := v.evaluate(frames[at], panicValue, evaluateTimeout)
	if err != nil { // panic(nil), or a runtime that was built with optimisation
		return
	}
	v.wrappedErrors(evaluatedNode(panicValue, body), c, q.Inner)
}

// wrappedErrors adds the errors that a value wraps, each followed by those that it wraps itself.
func (v *view) wrappedErrors(n node, c *ExceptionContext, most int) {
	fields, ok := v.fields(n)
	if !ok && n.VariablesReference > 0 {
		c.missing("innerExceptions: no time left", nil)
	}
	for _, f := range fields {
		if f.Type == "[]error" || f.Name == "" { // a pointer has one field without a name
			v.wrappedErrors(node{f, n.VariablesReference}, c, most)
			continue
		}
		if !strings.HasPrefix(f.Type, "error(") {
			continue
		}
		inside, _ := v.fields(node{f, n.VariablesReference})
		value, ok := childNamed(inside, "data", f.VariablesReference)
		if !ok {
			continue
		}
		if len(c.Inner) >= most {
			c.missing("innerExceptions: only the first "+strconv.Itoa(most), nil)
			return
		}
		text := strings.TrimPrefix(mapping.GoErrorText(value.Value), value.Type+" ")
		message := displayed(v.profile.Language, text, "string")
		c.Inner = append(c.Inner, ExceptionInner{Type: value.Type, Message: mapping.Clip(message, maxValue)})
		v.wrappedErrors(value, c, most)
	}
}
