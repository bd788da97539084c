package adapter

import (
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/dapclient"
	"errors"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/go-dap"
)

// evaluate asks for a value with our own deadline. An evaluation that outlives it keeps the debugger busy until it
// ends.
func (s *Session) evaluate(by inspect.Reader, q inspect.Question) (dap.EvaluateResponseBody, error) {
	sent := time.Now()
	until := sent.Add(q.Timeout)
	expression, frame := q.Expression, q.Frame
	c, err := s.beginCall(by, expression, frame, q.Timeout)
	if err != nil {
		return dap.EvaluateResponseBody{}, err
	}
	gone := by.Ctx.Done()
	if c != nil {
		gone = by.Request.Done() // a stop that interrupts the call ends the epoch
	}
	got := make(chan reply, 1)
	var first atomic.Bool // set by the first of the answer and the deadline
	late := &lateEvaluation{expression: expression, breakpoint: by.Owner, thread: by.HereThread, frame: &frame}
	args := dapclient.EvaluateArguments{Expression: inspect.Spoken(s.profile.Language, expression), FrameID: &frame.Id,
		Context: q.Context}
	_, err = s.debugger.conn.Send(dapclient.Request{Command: "evaluate", Args: args,
		Done: func(m *dapclient.Message, err error) {
			if c != nil {
				answer := err
				if answer == nil {
					answer = m.Err()
				}
				s.post(func() { s.callAnswered(c, answer) })
			}
			if first.CompareAndSwap(false, true) {
				got <- reply{m: m, err: err}
			} else {
				s.post(func() { s.lateAnswer(late, m) })
			}
		}})
	if err != nil {
		s.post(func() { s.endCall(c) })
		return dap.EvaluateResponseBody{}, backendError(err, "the expression could not be evaluated", s)
	}
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	var a reply
	select {
	case a = <-got:
	case <-timer.C:
		failed := evalTimeout(expression, q.Timeout)
		if s.debugger.conn.Running() == "variables" {
			late.expression, failed = "a value that was listed", s.stillListing(expression, q.Timeout)
		}
		s.overdue(late)
		if first.CompareAndSwap(false, true) {
			if gone := s.goneError(expression); gone != nil {
				return dap.EvaluateResponseBody{}, gone
			}
			return dap.EvaluateResponseBody{}, s.wedged(by.Ctx, failed)
		}
		s.post(func() { s.unstick(late) }) // the answer came at the same moment
		a = <-got
	case <-gone:
		s.after(cancelledGrace, func() {
			if (by.Epoch == 0 || by.Epoch == s.stops.epoch) && first.CompareAndSwap(false, true) {
				s.overdue(late)
			}
		})
		return dap.EvaluateResponseBody{}, fault.OfContext(by.Ctx)
	}
	left := s.profile.LeavesEvaluations && a.err == nil && !a.m.Success && time.Since(sent) > leftAfter
	if a.err == nil && (left || s.givenUp(a.m)) {
		late.frame = nil // no probe: the answer to threads shows the end
		s.overdue(late)
		s.post(func() { s.lateAnswer(late, a.m) })
		took := min(q.Timeout, time.Since(sent).Round(time.Millisecond))
		return dap.EvaluateResponseBody{}, s.wedged(by.Ctx, evalTimeout(expression, took))
	}
	if a.err == nil {
		a.err = a.m.Err()
	}
	if a.err != nil {
		if c != nil {
			if refused := s.interrupted(by, c, until, a.err); refused != nil {
				return dap.EvaluateResponseBody{}, refused
			}
		}
		return dap.EvaluateResponseBody{}, evalError(expression, a.err, s)
	}
	if c != nil {
		s.inspection.cache.Frames.KeepOnly(c.thread) // the other threads have run
	}
	body, err := dapclient.DecodeBody[dap.EvaluateResponseBody](a.m)
	if err == nil && body.Type == inspect.Miscalled {
		return body, inspect.NotCallable(expression)
	}
	return body, err
}

// cancelledGrace is how long an evaluation may go on after its caller has gone. After that the debugger counts as busy.
const cancelledGrace = time.Second

// leftAfter is how long an evaluation must have taken when the debugger may have given it up without ending it.
const leftAfter = 5 * time.Second

// evalTimeout is the error of an evaluation that has not ended in this time.
func evalTimeout(expression string, took time.Duration) *fault.Error {
	return fault.Errorf(fault.EvalTimeout,
		"%s did not end within %v; it may still be running in the program. Evaluate something that calls less, or "+
			"end the session with debug_disconnect", expression, took).
		With("expression", expression).With("timeoutMs", took.Milliseconds())
}

// stillListing is the error of an evaluation that waits behind a value that is being listed.
func (s *Session) stillListing(expression string, took time.Duration) *fault.Error {
	return fault.Errorf(fault.EvalTimeout, "%s was not evaluated: %s still lists a value, by a getter or a toString of "+
		"the program that has not ended, and does nothing else until then; end the session with debug_disconnect",
		expression, s.profile.Name).With("expression", expression).With("timeoutMs", took.Milliseconds())
}

// notParsed matches the syntax errors of the debuggers' parsers. Of Delve's errors, only those of Go's parser have a
// position.
var notParsed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)syntax ?error|invalid syntax|error CS1|` +
		`(?:^|expression: |error: )1:\d+: |expected operand|` +
		`\d+:\d+: (?:expected (?:expression|unqualified-id|identifier|'|\()|missing terminating )`)
})

// evalError classifies a failed evaluation.
func evalError(expression string, err error, s *Session) *fault.Error {
	var failed *dapclient.ResponseError
	if !errors.As(err, &failed) {
		return backendError(err, "the expression could not be evaluated", s)
	}
	reason := failed.Reason()
	lower := strings.ToLower(reason)
	code := fault.EvalFailed
	switch {
	case strings.Contains(lower, "operation was cancel"):
		code = fault.Cancelled
	case notParsed().MatchString(reason):
		code = fault.SyntaxError
	}
	if cut := s.profile.EvalCutOff; cut != nil && cut.MatchString(reason) {
		return fault.Errorf(fault.EvalTimeout, "%s took too long for %s, which has ended the call; the thread is where it "+
			"was, but what the call has changed stays. Evaluate something that calls less, or set a breakpoint in what it calls",
			expression, s.profile.Name).With("expression", expression)
	}
	why := strings.TrimSpace(strings.TrimPrefix(inspect.Explained(err), "error: "))
	e := fault.Errorf(code, "%s", inspect.About(expression, why)).
		With("expression", expression).With("backendMessage", reason)
	hint := evalHint(s.profile.Language, expression, reason)
	if code == fault.SyntaxError && !s.profile.Statements && assignment().MatchString(expression) {
		hint = "evaluate does not assign: variable_set changes a variable"
	}
	if hint != "" {
		e.Message += "; " + hint
	}
	return e
}

// assignment matches what sets a variable in a language of the debuggers.
var assignment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[*(\s]*[\pL_][^=<>!"'` + "`" + `]*(?:\+\+|--|(?:<<|>>|[^=<>!])?=(?:[^=]|$))`)
})

// missingName matches Delve's refusals of a name that the program does not have. Its group is the name.
var missingName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:has no (?:member|function)|could not find symbol(?: value for)?) (?:\S+\.)?([^\s.]+)$`)
})

// evalHint returns what to do about an error, where the debugger only says what is wrong.
func evalHint(l dapclient.Language, expression, reason string) string {
	lower := strings.ToLower(reason)
	switch l {
	case dapclient.Go:
		if m := missingName().FindStringSubmatch(reason); m != nil && strings.Contains(expression, m[1]+"(") {
			return "if the source has " + m[1] + ", the program never calls it, so the linker has left it out; add a call " +
				"of it to the program, or evaluate what it computes"
		}
		switch {
		case strings.Contains(lower, "function calls not allowed"):
			return "write call f(x) to run a function of the program, or read its variables instead"
		case strings.Contains(lower, "could not find symbol value"):
			return "variables_get shows the names of this frame; globals are written package.Name"
		case strings.HasSuffix(lower, " is nil"):
			return "reading through it would panic: nil pointer dereference"
		}
	case dapclient.Python:
		if strings.Contains(lower, "nameerror") {
			return "variables_get shows the names of this frame"
		}
	}
	return ""
}
