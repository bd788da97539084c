package adapter

import (
	"bytes"
	"context"
	"errors"
	"time"

	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
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

// retryRefused evaluates the conditions and messages that netcoredbg refused with the interpreter of C#, so that
// they mean the same as in evaluate. It returns when each has its answer or their time is over.
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
			return inspect.Suspicious(expression)
		}
		body := r.evaluation()
		return inspect.Doubtful(expression, body)
	}
	var failed *dapclient.ResponseError
	return errors.As(r.err, &failed) && s.inspection.stuck.first() == nil
}

// rescued returns the second answer to a question. It runs outside the loop.
func (s *Session) rescued(ctx context.Context, d doubt, until time.Time) reply {
	v := s.viewOf(inspect.Reader{Ctx: ctx, Request: ctx, Owner: d.owner})
	v.Here, v.NoCalls = *d.frame, v.ReadOnly
	var refused *fault.Error
	if d.answer.err != nil {
		refused = evalError(d.expression, d.answer.err, s)
	}
	body, ok, err := v.AnswerAgain(d.expression, d.answer.evaluation(), refused, until)
	switch {
	case err != nil:
		return reply{err: err}
	case !ok:
		return *d.answer
	}
	return reply{value: &body}
}
