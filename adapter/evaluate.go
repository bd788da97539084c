package adapter

import (
	"context"
	"errors"
	"strings"
	"time"

	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// Evaluation is the value of an expression.
type Evaluation struct {
	Value       string
	Type        string
	HasChildren bool
	Path        string
	Truncated   bool
}

// Evaluate evaluates an expression in a frame of the current stop.
func (s *Session) Evaluate(ctx context.Context, expression string, thread, index int, timeout time.Duration) (Evaluation, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return Evaluation{}, err
	}
	defer end()
	frame, err := v.frame(thread, index)
	if err != nil {
		return Evaluation{}, err
	}
	body, err := v.evaluate(frame, expression, timeout)
	if err != nil {
		return Evaluation{}, err
	}
	if name := s.thrown(expression, body); name != "" {
		return Evaluation{}, Errorf(EvalFailed, "evaluating %s threw %s", expression, body.Type).
			With("expression", expression).With("exceptionType", body.Type).With("backendMessage", body.Result)
	}
	e := Evaluation{Type: body.Type, HasChildren: body.VariablesReference > 0}
	e.Value, e.Truncated = mapping.Truncate(body.Result)
	if e.HasChildren {
		e.Path = expression
	}
	return e, nil
}

// evaluate asks for a value with a deadline of our own. An evaluation that outlives it keeps the backend busy until it ends.
func (v *view) evaluate(frame dap.StackFrame, expression string, timeout time.Duration) (dap.EvaluateResponseBody, error) {
	s := v.s
	type answer struct {
		m   *dapclient.Message
		err error
	}
	got := make(chan answer, 1)
	late := make(chan struct{})
	args := dapclient.EvaluateArguments{Expression: expression, FrameID: &frame.Id, Context: "watch"}
	_, err := s.conn.Send(dapclient.Request{Command: "evaluate", Args: args, Done: func(m *dapclient.Message, err error) {
		got <- answer{m, err}
		select {
		case <-late:
			s.post(s.unstick)
		default:
		}
	}})
	if err != nil {
		return dap.EvaluateResponseBody{}, backendError(err, "the expression could not be evaluated", s)
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case a := <-got:
		if a.err == nil {
			a.err = a.m.Err()
		}
		if a.err != nil {
			return dap.EvaluateResponseBody{}, evalError(expression, a.err, s)
		}
		return dapclient.DecodeBody[dap.EvaluateResponseBody](a.m)
	case <-timer.C:
		s.stuck.Add(1)
		close(late)
		select {
		case <-got: // it came at the same moment
			s.post(s.unstick)
		default:
		}
		return dap.EvaluateResponseBody{}, Errorf(EvalTimeout,
			"%s did not end within %v; it may still be running in the program. Evaluate something that calls less, or end the session with debug_disconnect", expression, timeout).
			With("expression", expression).With("timeoutMs", timeout.Milliseconds())
	case <-v.ctx.Done():
		return dap.EvaluateResponseBody{}, contextError(v.ctx)
	}
}

// evalError classifies a failed evaluation.
func evalError(expression string, err error, s *Session) *Error {
	var failed *dapclient.ResponseError
	if !errors.As(err, &failed) {
		return backendError(err, "the expression could not be evaluated", s)
	}
	reason := failed.Reason()
	lower := strings.ToLower(reason)
	code := EvalFailed
	switch {
	case strings.Contains(lower, "operation was cancel"):
		code = Cancelled
	case strings.Contains(lower, "expected operand"), strings.Contains(lower, "syntax error"), strings.Contains(lower, "invalid syntax"),
		strings.Contains(lower, "expected expression"), strings.Contains(lower, "error cs1"), strings.Contains(lower, "syntaxerror"),
		strings.Contains(lower, "expected ')'"), strings.Contains(lower, "expected eof"), strings.Contains(lower, "expected 'eof'"):
		code = SyntaxError
	}
	return Errorf(code, "%s: %s", expression, explained(err)).With("expression", expression).With("backendMessage", reason)
}
