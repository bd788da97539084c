package adapter

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// test evaluates the conditions that the debugger has not decided.
func (s *Session) test(t *turn, r *round) bool {
	var asking []*hit
	var questions []question
	for _, h := range r.hits {
		if h.pass = s.held.Passes.Take(h.bp.ID, h.thread.id); h.pass != nil {
			continue
		}
		condition := h.bp.Spec.Condition
		held := h.entry.Condition == condition && h.entry.Problem == ""
		decided := held && !s.profile.RecheckConditions && !h.thread.unnamed
		if condition == "" || decided {
			continue
		}
		asking = append(asking, h)
		questions = append(questions, s.evaluation(condition, h.thread.frame))
	}
	if len(asking) == 0 {
		return true
	}
	until := time.Now().Add(testTimeout)
	a := s.send(limits{total: testTimeout, each: testEach}, questions...)
	replies, ok := t.wait(a)
	if !ok {
		return false
	}
	s.noteLate(a, func(i int) lateEvaluation { return asking[i].late(questions[i]) })
	var doubts []doubt
	for i, h := range asking {
		if s.unrecorded(replies[i].err) {
			continue // the debugger's own answer is all there is
		}
		if h.answer = &replies[i]; s.refused(h.bp.Spec.Condition, h.answer, h.thread.frame) {
			doubts = append(doubts, doubt{h.bp.ID, h.bp.Spec.Condition, h.thread.frame, h.answer})
		}
	}
	return s.retryRefused(t, until, doubts)
}

// evaluation returns the question for one expression. A nil frame means the top frame of the stopped thread.
func (s *Session) evaluation(expression string, frame *dap.StackFrame) question {
	args := dapclient.EvaluateArguments{Expression: inspect.Spoken(s.profile.Language, expression), Context: "watch"}
	if frame != nil {
		args.FrameID = &frame.Id
	}
	return question{"evaluate", args}
}

// judge decides every hit of a round: condition, then count, then hit condition or filter.
func (s *Session) judge(v *pendingStop) {
	r := v.round
	kept := r.hits[:0]
	for _, h := range r.hits {
		met := true
		switch {
		case h.pass != nil:
			if h.failure = h.pass.Error; h.failure == "" {
				s.conditionDecided(h, true)
			}
		case h.answer != nil:
			if met, h.failure = s.truth(*h.answer); h.failure == "" {
				s.conditionDecided(h, met)
			}
		case s.conditionFailed(h.thread.event):
			h.failure = h.thread.event.Text
		case h.bp.Spec.Condition != "" && h.entry.Problem != "":
			h.failure = h.entry.Problem
		}
		if !met && h.failure == "" {
			if h.binding != nil {
				h.binding.Counts.Miss()
			}
			continue
		}
		if h.bp == s.held.Panics {
			v.panicked = h.thread
			continue
		}
		if h.bp.Temporary {
			v.stops = append(v.stops, h)
			continue
		}
		if !h.counted() {
			continue
		}
		if h.bp.Spec.Kind == breakpoint.Function && h.binding.State == breakpoint.Pending {
			s.bind(h.bp.ID, func(b *breakpoint.Binding) { b.State, b.Message = breakpoint.Bound, "" }) // no source defines it
		}
		if h.bp.Spec.Traces() {
			kept = append(kept, h)
			continue
		}
		if h.failure == "" && h.pass == nil && h.bp.HitCondition != nil && !h.bp.HitCondition.Match(h.count) {
			continue
		}
		v.stops = append(v.stops, h)
	}
	r.hits = kept
}

// conditionDecided clears the message that an earlier evaluation of the condition failed. Where the condition is true,
// it learns at which instruction the breakpoint is.
func (s *Session) conditionDecided(h *hit, met bool) {
	if e := h.entry; e.Problem != "" && !e.Decided {
		e.Decided, e.Message = true, ""
		s.rebind()
	}
	h.entry.Problem = ""
	if f := h.thread.frame; met && f != nil && f.InstructionPointerReference != "" && len(h.entry.Address) == 0 {
		h.entry.Learn(f.InstructionPointerReference)
	}
	if h.binding != nil && strings.HasPrefix(h.binding.Message, undecided) {
		s.bind(h.bp.ID, func(b *breakpoint.Binding) { b.Message = "" })
	}
}

// counted counts a hit and reports whether it passes the filter and limit of its breakpoint.
func (h *hit) counted() bool {
	if h.binding == nil {
		return false // hit before the session had a binding for it
	}
	var notify bool
	h.count, notify, h.exhausted = h.binding.Counts.Hit()
	return notify
}

// undecided is the prefix of a breakpoint's message when its condition could not be evaluated at the last hit.
const undecided = "the condition could not be evaluated: "

// truth returns the result of a condition from the answer to its evaluation. failure says why it could not be decided.
func (s *Session) truth(r reply) (met bool, failure string) {
	var e *fault.Error
	switch {
	case errors.As(r.err, &e):
		return false, e.Message
	case r.err != nil:
		return false, failureName(r.err)
	}
	body := r.evaluation()
	return truthOf(s.profile.Language, body.Result, body.Type)
}

var numberText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-+]?(0x[0-9a-fA-F]+|\d+(\.\d*)?([eE][-+]?\d+)?)`)
})

// truthOf reads a value as the result of a condition: the booleans of the language; in C and C++ also numbers and
// pointers, where zero is false; in Python and JavaScript any value, as they read it.
func truthOf(l dapclient.Language, value, typ string) (met bool, failure string) {
	switch strings.TrimSpace(value) {
	case "true", "True":
		return true, ""
	case "false", "False":
		return false, ""
	}
	switch l {
	case dapclient.C:
		if n := numberText().FindString(value); n != "" {
			f, err := strconv.ParseFloat(n, 64)
			if err != nil {
				i, err := strconv.ParseUint(n, 0, 64)
				return i != 0 || err != nil, ""
			}
			return f != 0, ""
		}
	case dapclient.JavaScript:
		switch value {
		case "null", "undefined", "NaN", "0", "-0", "0n", "''", `""`:
			return false, ""
		}
		return true, ""
	case dapclient.Python:
		switch value {
		case "None", "0", "0.0", "''", `""`, "[]", "{}", "()", "set()":
			return false, ""
		}
		return true, ""
	}
	what := value
	if typ != "" {
		what = typ + " " + value
	}
	return false, "the condition is not a bool but " + what
}
