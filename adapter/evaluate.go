package adapter

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// Evaluation is the value of an expression. Note is a remark about how the value was computed.
type Evaluation struct {
	Value       string
	Type        string
	HasChildren bool
	ChildCount  int
	Path        string
	Truncated   bool
	Note        string
	FrameIndex  int // of the frame in which it was evaluated
}

// EvaluateQuery selects what to evaluate, and where.
type EvaluateQuery struct {
	Expression    string
	Thread, Frame int
	Timeout       time.Duration
	Safe          bool // refuse expressions with side effects
}

// MaxExpression is the limit of an expression's length in bytes.
const MaxExpression = expression.MaxLength

// evaluateTimeout bounds an evaluation that answers a question about a value.
const evaluateTimeout = 5 * time.Second

// Evaluate evaluates an expression in a frame of the current stop.
func (s *Session) Evaluate(ctx context.Context, q EvaluateQuery) (Evaluation, error) {
	q.Safe = q.Safe || s.manager.opts.Permissions.ReadOnly
	if q.Safe {
		if err := s.refuseEffects(q.Expression, "safe=true"); err != nil {
			return Evaluation{}, err
		}
	}
	v, end, err := s.view(ctx)
	if err != nil {
		return Evaluation{}, err
	}
	defer end()
	if err = v.choose(q.Thread, q.Frame); err != nil {
		return Evaluation{}, err
	}
	v.noCalls = q.Safe
	e, err := v.evaluated(q)
	e.FrameIndex = v.index
	return e, err
}

// refuseEffects refuses an expression that may have side effects, before anything is sent. mode is the client's word
// for the restriction.
func (s *Session) refuseEffects(text, mode string) error {
	lang := expression.Language(s.profile.Language)
	if !expression.Known(lang) {
		return fault.Errorf(fault.NotSupported, "%s needs to know the language of the program, and %s does not say "+
			"it; evaluate "+
			"without it", mode, s.profile.Name).
			With("feature", "safe evaluation").With("missingCapability", "language of the backend").
			With("backend", s.profile.Name).
			With("hint", "leave "+mode+" out").With("sessionId", s.id)
	}
	r := expression.Safe(lang, text)
	if r == nil {
		return nil
	}
	return fault.Errorf(fault.EvalRejected, "%s: %s is not allowed with %s (%s), nothing was sent to the debugger; "+
		"allowed are %s",
		text, r.Offending, mode, r.Reason(), expression.Allowed).
		With("category", string(r.Category)).With("offending", r.Offending).With("expression", text).With("sessionId", s.id)
}

// evaluated evaluates an expression and completes the answer: .NET rescue, exceptions, misread values.
func (v *view) evaluated(q EvaluateQuery) (Evaluation, error) {
	s := v.s
	until := time.Now().Add(q.Timeout)
	body, err := v.evaluate(v.here, q.Expression, q.Timeout)
	if err != nil && !q.Safe && !v.noCalls && s.needsCall(err) {
		q.Expression = s.profile.CallPrefix + q.Expression
		body, err = v.evaluate(v.here, q.Expression, time.Until(until))
	}
	if err == nil && s.profile.CallPrefix != "" && strings.HasPrefix(q.Expression, s.profile.CallPrefix) {
		body, err = v.returned(q.Expression, body)
	}
	r := inquire(q.Expression, until)
	if err == nil && s.profile.Language == dapclient.DotNet {
		err = v.misread(r, q.Expression)
	}
	note, path := "", q.Expression
	var a answer
	if err != nil && s.profile.Language == dapclient.DotNet && unanswered(err) {
		refused := err
		if a, err = v.rescue(r, fault.AsError(err)); err != nil && s.backend.Replayed &&
			strings.Contains(refused.Error(), transcript.NotRecorded) {
			err = refused // a recording cannot know why
		}
		body, note = a.body, a.note
		if a.text != "" {
			path = a.text
		}
	}
	if err == nil && note == "" && s.profile.Language == dapclient.DotNet {
		if again, ok := v.retyped(r, body); ok {
			a, body, note = again, again.body, again.note
		}
	}
	if s.profile.Statements && !q.Safe && fault.CodeOf(err) == fault.SyntaxError {
		if err = v.statement(q.Expression, until, err); err == nil {
			s.inspection.forget() // it may have changed the values of paths
			return Evaluation{Note: "a statement was run; it has no value"}, nil
		}
	}
	if err != nil {
		return Evaluation{}, err
	}
	if s.thrown(q.Expression, body) != "" && !v.holdsExceptions(q.Expression) {
		return Evaluation{}, v.threw(q.Expression, body)
	}
	if body.Type == "void" {
		body.Result = ""
		note = strings.TrimPrefix(note+"; the call returned nothing", "; ")
	}
	if !q.Safe && expression.Safe(expression.Language(s.profile.Language), q.Expression) != nil {
		s.inspection.forget() // the expression may have changed the values of paths
	}
	value := v.counted(evaluatedNode(path, body))
	if a.exact() {
		value.Type = "" // no digits are missing
	} else if s.profile.Language == dapclient.DotNet && unsure(body) && !q.Safe && !v.repeatable(path, until) {
		value.EvaluateName = ""
		note = joinNotes(note, "not all digits are known: breakwire runs code of the program only once; "+
			"x.ToString(\"R\") of a variable has them")
	}
	shown := v.show(item{node: value, name: q.Expression, path: path})
	e := Evaluation{
		Value: shown.Value, Type: shown.Type, HasChildren: shown.HasChildren, ChildCount: shown.ChildCount,
		Truncated: shown.Truncated, Note: note,
	}
	if e.HasChildren {
		e.Path = path
	}
	if a.exact() {
		e.Type = body.Type
	}
	return e, nil
}

// needsCall reports whether an evaluation was refused, before anything ran, because a call needs the adapter's prefix.
func (s *Session) needsCall(err error) bool {
	reason, _ := fault.AsError(err).Details["backendMessage"].(string)
	return s.profile.CallPrefix != "" && s.profile.CallRefused.MatchString(reason)
}

// panicked is the name of a returned value that is the value of a panic.
const panicked = "~panic"

// returned returns the value of a call whose answer holds the values that were returned, as its children.
func (v *view) returned(text string, body dap.EvaluateResponseBody) (dap.EvaluateResponseBody, error) {
	switch {
	case body.Type != "":
		return body, nil
	case body.VariablesReference == 0:
		if body.Result == "" {
			body.Type = "void"
		}
		return body, nil
	}
	values, err := v.variables(body.VariablesReference)
	if err != nil {
		return body, err
	}
	types := make([]string, len(values))
	for i, value := range values {
		if types[i] = value.Type; value.Name == panicked {
			return body, fault.Errorf(fault.EvalFailed, "evaluating %s panicked: %s", text, value.Value).
				With("expression", text).With("backendMessage", value.Value)
		}
	}
	if len(values) != 1 {
		body.Type = "(" + strings.Join(types, ", ") + ")"
		return body, nil
	}
	one := values[0]
	body.Result, body.Type, body.VariablesReference = one.Value, one.Type, one.VariablesReference
	body.IndexedVariables, body.NamedVariables = one.IndexedVariables, one.NamedVariables
	return body, nil
}

// threw is the error for an evaluation whose result is the exception that it threw.
func (v *view) threw(text string, body dap.EvaluateResponseBody) *fault.Error {
	message := ""
	if kids, ok := v.fields(evaluatedNode(text, body)); ok {
		for _, name := range []string{"Message", "_message"} {
			if m, ok := childNamed(kids, name, 0); ok && m.Value != "null" && m.Value != "" {
				message = v.s.displayed(m.Value, "string")
				break
			}
		}
	}
	if e := v.calledOnNull(text, message, body); e != nil {
		return e
	}
	e := fault.Errorf(fault.EvalFailed, "evaluating %s threw %s: %s", text, body.Type, message).
		With("expression", text).With("exceptionType", body.Type).With("exceptionMessage", message).
		With("backendMessage", body.Result)
	if message == "" {
		e.Message = "evaluating " + text + " threw " + body.Type
	}
	if enum, ok := v.misheard(text); ok {
		e.Message += "; " + v.s.profile.Name + " passes " + enum + ", an enum that is in no variable, with a wrong value"
	}
	return e
}

// holdsExceptions reports whether an expression reads an exception that was not thrown: a variable, or an element of
// something whose type names exceptions.
func (v *view) holdsExceptions(text string) bool {
	c, ok := expression.OneChain(text)
	if !ok {
		return false
	}
	if len(c.Parts) == 1 {
		return v.noCalls || v.isStored(text) // a variable, and not a getter
	}
	if c.Parts[len(c.Parts)-1].Kind != expression.Index {
		return false
	}
	body, err := v.evaluate(v.here, c.Prefix(text, len(c.Parts)-1), evaluateTimeout)
	return err == nil && strings.Contains(body.Type, "xception")
}

// cancelledGrace is how long an evaluation may go on after its caller has gone. After that the debugger counts as busy.
const cancelledGrace = time.Second

// evalTimeout is the error of an evaluation that has not ended in this time.
func evalTimeout(expression string, took time.Duration) *fault.Error {
	return fault.Errorf(fault.EvalTimeout,
		"%s did not end within %v; it may still be running in the program. Evaluate something that calls less, or "+
			"end the session with debug_disconnect", expression, took).
		With("expression", expression).With("timeoutMs", took.Milliseconds())
}

// leftAfter is how long an evaluation must have taken when the debugger may have given it up without ending it.
const leftAfter = 5 * time.Second

// evaluate asks for a value with our own deadline. An evaluation that outlives it keeps the debugger busy until it
// ends.
func (v *view) evaluate(frame dap.StackFrame, expression string, timeout time.Duration) (dap.EvaluateResponseBody,
	error) {
	return v.evaluateAs("watch", frame, expression, timeout)
}

// evaluateAs is evaluate with a context (DAP, Evaluate request, context).
func (v *view) evaluateAs(context string, frame dap.StackFrame, expression string,
	timeout time.Duration) (dap.EvaluateResponseBody, error) {
	s := v.s
	sent := time.Now()
	until := sent.Add(timeout)
	c, err := v.beginCall(expression, frame, timeout)
	if err != nil {
		return dap.EvaluateResponseBody{}, err
	}
	gone := v.ctx.Done()
	if c != nil {
		gone = v.request.Done() // a stop that interrupts the call ends the epoch
	}
	got := make(chan reply, 1)
	var first atomic.Bool // set by the first of the answer and the deadline
	late := &lateEvaluation{expression: expression, breakpoint: v.owner, thread: v.hereThread, frame: &frame}
	args := dapclient.EvaluateArguments{Expression: s.spoken(expression), FrameID: &frame.Id, Context: context}
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
		s.overdue(late)
		if first.CompareAndSwap(false, true) {
			if gone := s.goneError(expression); gone != nil {
				return dap.EvaluateResponseBody{}, gone
			}
			return dap.EvaluateResponseBody{}, v.wedged(evalTimeout(expression, timeout))
		}
		s.post(func() { s.unstick(late) }) // the answer came at the same moment
		a = <-got
	case <-gone:
		s.after(cancelledGrace, func() {
			if (v.epoch == 0 || v.epoch == s.stops.epoch) && first.CompareAndSwap(false, true) {
				s.overdue(late)
			}
		})
		return dap.EvaluateResponseBody{}, fault.OfContext(v.ctx)
	}
	left := s.profile.LeavesEvaluations && a.err == nil && !a.m.Success && time.Since(sent) > leftAfter
	if a.err == nil && (left || s.givenUp(a.m)) {
		late.frame = nil // no probe: the answer to threads shows the end
		s.overdue(late)
		s.post(func() { s.lateAnswer(late, a.m) })
		took := min(timeout, time.Since(sent).Round(time.Millisecond))
		return dap.EvaluateResponseBody{}, v.wedged(evalTimeout(expression, took))
	}
	if a.err == nil {
		a.err = a.m.Err()
	}
	if a.err != nil {
		if c != nil {
			if refused := v.interrupted(c, until, a.err); refused != nil {
				return dap.EvaluateResponseBody{}, refused
			}
		}
		return dap.EvaluateResponseBody{}, evalError(expression, a.err, s)
	}
	if c != nil {
		s.inspection.frames.keepOnly(c.thread) // the other threads have run
	}
	body, err := dapclient.DecodeBody[dap.EvaluateResponseBody](a.m)
	if err == nil && body.Type == miscalled {
		return body, notCallable(expression)
	}
	return body, err
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
	e := fault.Errorf(code, "%s: %s", expression, strings.TrimSpace(strings.TrimPrefix(explained(err), "error: "))).
		With("expression", expression).With("backendMessage", reason)
	if hint := evalHint(s.profile.Language, expression, reason); hint != "" {
		e.Message += "; " + hint
	}
	return e
}

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
