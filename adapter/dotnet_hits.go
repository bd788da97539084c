package adapter

import (
	"bytes"
	"context"
	"errors"
	"time"

	"breakwire/adapter/fault"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// doubt is a failed answer to a question about a hit, which may have an equivalent.
type doubt struct {
	owner      string // breakpoint id
	expression string
	frame      *dap.StackFrame
	answer     *reply
}

// retrySlack is added to the time limit, so that an evaluation reaches its own limit before its other questions are
// given up: only the evaluation shows that the debugger is busy.
const retrySlack = 250 * time.Millisecond

// retryRefused evaluates the conditions and messages that netcoredbg refused with the rescue of dotnet_evaluate.go, so
// that they mean the same as in evaluate. It returns when each has its answer or their time is over.
func (s *Session) retryRefused(t *turn, until time.Time, doubts []doubt) bool {
	if len(doubts) == 0 {
		return true
	}
	ctx, cancel := context.WithDeadline(s.life.ctx, until.Add(retrySlack))
	defer cancel()
	answers := make([]reply, len(doubts))
	ok := t.outside(func() {
		for i, d := range doubts {
			answers[i] = s.rescued(ctx, d, until)
		}
	})
	if !ok {
		return false
	}
	for i, d := range doubts {
		*d.answer = answers[i]
	}
	return true
}

// refused reports whether an answer is a failure that may have an equivalent, or does not contain the value. It reports
// false while the debugger is busy with another question.
func (s *Session) refused(expression string, r *reply, frame *dap.StackFrame) bool {
	if frame == nil || s.profile.Language != dapclient.DotNet {
		return false
	}
	if r.err == nil { // mostly without decoding, because it runs for each value of each hit
		if r.m == nil || s.inspection.stuck.first() != nil {
			return false
		}
		object, floating := bytes.Contains(r.m.Body, []byte(`"{`)), bytes.Contains(r.m.Body, []byte(`"double`)) ||
			bytes.Contains(r.m.Body, []byte(`"float`))
		if !object && !floating {
			return suspicious(expression)
		}
		body := r.evaluation()
		return body.Type == miscalled || isBox(body) || unsure(body) || suspicious(expression)
	}
	var failed *dapclient.ResponseError
	return errors.As(r.err, &failed) && s.inspection.stuck.first() == nil
}

// rescued returns the second answer to a question. It runs outside the loop.
func (s *Session) rescued(ctx context.Context, d doubt, until time.Time) reply {
	readOnly := s.manager.opts.Permissions.ReadOnly
	v := s.viewOf(reader{ctx: ctx, request: ctx, owner: d.owner})
	v.here, v.noCalls = *d.frame, readOnly
	if body := d.answer.evaluation(); d.answer.err == nil && isBox(body) {
		kids, _ := v.variables(body.VariablesReference) // reads the box; a second evaluation would repeat its calls
		if inside, ok := childNamed(kids, "m_value", body.VariablesReference); ok {
			body = dap.EvaluateResponseBody{Result: inside.Value, Type: inside.Type}
			return withDigits(v, d.expression+".m_value", body, until)
		}
		return *d.answer
	}
	cause, r := notCallable(d.expression), inquire(d.expression, until)
	if d.answer.err != nil {
		cause = evalError(d.expression, d.answer.err, s)
	} else if d.answer.evaluation().Type != miscalled {
		wrong := v.misread(r, d.expression)
		if wrong == nil && !unsure(d.answer.evaluation()) {
			return *d.answer
		}
		if wrong == nil {
			return withDigits(v, d.expression, d.answer.evaluation(), until)
		}
		if !unanswered(wrong) {
			return reply{err: wrong}
		}
		cause = fault.AsError(wrong)
	}
	a, err := v.rescue(r, cause)
	switch {
	case err == nil && a.exact():
		return reply{value: &a.body}
	case err == nil:
		return withDigits(v, a.text, a.body, until)
	case s.backend.Replayed: // a recording cannot know why
		return *d.answer
	}
	return reply{err: err}
}

// withDigits returns the value of an expression with all digits of a double, for a message.
func withDigits(v *view, text string, body dap.EvaluateResponseBody, until time.Time) reply {
	if unsure(body) {
		n := evaluatedNode(text, body)
		key := v.here.Name + "\n" + text
		repeats, known := v.cache.repeats.Load(key)
		if !known { // the answer calls functions of the runtime, so it is kept
			repeats = text != "" && !v.noCalls && v.repeatable(text, until)
			v.cache.repeats.Store(key, repeats)
		}
		if repeats == false {
			n.EvaluateName = ""
		}
		v.lookUntil = until
		body.Result, _ = v.floatOf(n)
	}
	return reply{value: &body}
}
