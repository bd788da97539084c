package inspect

import (
	"cmp"
	"strings"
	"time"

	"breakwire/adapter/dotnet/interpreter"
	"breakwire/adapter/fault"
	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
	"breakwire/mapping/csharp"
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

// evaluated evaluates an expression and completes the answer: .NET rescue, exceptions, misread values.
func (v *View) evaluated(q EvaluateQuery) (Evaluation, error) {
	if v.Profile.Language == dapclient.DotNet && !q.Safe {
		if e, ok, err := v.assignment(q); ok {
			return e, err
		}
		q.Expression = strings.TrimRight(q.Expression, "; ") // of a statement that is a call
	}
	if v.Profile.Language == dapclient.JavaScript && !q.Safe {
		q.Expression = v.compiledChange(q.Expression)
	}
	until := time.Now().Add(q.Timeout)
	var body dap.EvaluateResponseBody
	var err error
	awaited := "" // path of the result of a promise
	asked := v.inquire(q.Expression, until)
	if v.Profile.Language == dapclient.DotNet {
		err = asked.wouldMislead(q.Safe)
	}
	if err == nil {
		body, err = v.evaluate(v.Here, q.Expression, q.Timeout)
	}
	if err != nil && !q.Safe {
		body, awaited, err = v.settled(q, err)
	}
	if err != nil && !q.Safe && !v.NoCalls && v.needsCall(err) {
		q.Expression = v.Profile.CallPrefix + q.Expression
		body, err = v.evaluate(v.Here, q.Expression, time.Until(until))
	}
	if err == nil && v.Profile.CallPrefix != "" && strings.HasPrefix(q.Expression, v.Profile.CallPrefix) {
		body, err = v.returned(q.Expression, body)
	}
	if err == nil && v.Profile.Language == dapclient.DotNet {
		err = asked.misread(q.Expression)
	}
	if err == nil && v.Profile.Language == dapclient.DotNet && body.Type == noEntryPoint {
		e := v.threw(q.Expression, body)
		delete(e.Details, "exceptionType") // it is not the program's
		err = e
	}
	note, path := "", cmp.Or(awaited, q.Expression)
	var a answer
	if err != nil && v.Profile.Language == dapclient.DotNet && unanswered(err) {
		refused := err
		if a, err = asked.rescue(fault.AsError(err)); err != nil && v.Replayed &&
			strings.Contains(refused.Error(), transcript.NotRecorded) {
			err = refused // a recording cannot know why
		}
		body, note = a.body, a.note
		if a.text != "" {
			path = a.text
		}
	}
	if err == nil && note == "" && v.Profile.Language == dapclient.DotNet {
		if again, ok := asked.retyped(body); ok {
			a, body, note = again, again.body, again.note
		}
	}
	if v.Profile.Statements && !q.Safe && fault.CodeOf(err) == fault.SyntaxError {
		if err = v.statement(q.Expression, until, err); err == nil {
			v.Cache.forget() // it may have changed the values of paths
			return Evaluation{Note: "a statement was run; it has no value"}, nil
		}
	}
	if err != nil {
		return Evaluation{}, err
	}
	if ThrownBy(v.Profile.Language, q.Expression, body) != "" && !v.holdsExceptions(q.Expression) {
		return Evaluation{}, v.threw(q.Expression, body)
	}
	if body.Type == "void" {
		body.Result = ""
		note = strings.TrimPrefix(note+"; the call returned nothing", "; ")
	}
	if !q.Safe && expression.Safe(expression.Language(v.Profile.Language), q.Expression) != nil {
		v.Cache.forget() // the expression may have changed the values of paths
	}
	value := v.values().counted(evaluatedNode(path, body))
	if a.exact() {
		value.Type = "" // no digits are missing
	} else if v.Profile.Language == dapclient.DotNet && unsure(body) && !q.Safe && !v.repeatable(path, until) {
		value.EvaluateName = ""
		note = JoinNotes(note, "not all digits are known: breakwire runs code of the program only once; "+
			"x.ToString(\"R\") of a variable has them")
	}
	if v.Profile.Language == dapclient.DotNet && strings.HasPrefix(body.Result, "{") && runsOnce(path) {
		value.EvaluateName = "" // its members are listed: a path through the call would run it again
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
func (v *View) needsCall(err error) bool {
	reason, _ := fault.AsError(err).Details["backendMessage"].(string)
	return v.Profile.CallPrefix != "" && v.Profile.CallRefused.MatchString(reason)
}

// panicked is the name of a returned value that is the value of a panic.
const panicked = "~panic"

// returned returns the value of a call whose answer holds the values that were returned, as its children.
func (v *View) returned(text string, body dap.EvaluateResponseBody) (dap.EvaluateResponseBody, error) {
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
func (v *View) threw(text string, body dap.EvaluateResponseBody) *fault.Error {
	message := ""
	if kids, ok := v.fields(evaluatedNode(text, body)); ok {
		if inner, ok := childNamed(kids, "_innerException", body.VariablesReference); ok && inner.Value != "null" &&
			body.Type == "System.Reflection.TargetInvocationException" {
			return v.threw(text, dap.EvaluateResponseBody{Result: inner.Value, Type: inner.Type,
				VariablesReference: inner.VariablesReference})
		}
		for _, name := range []string{"Message", "_message"} {
			if m, ok := childNamed(kids, name, 0); ok && m.Value != "null" && m.Value != "" {
				message = Displayed(v.Profile.Language, m.Value, "string")
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
	if enum, ok := interpreter.Misheard(v.inquire(text, time.Now().Add(evaluateTimeout)), text); ok {
		e.Message += "; " + v.Profile.Name + " passes " + enum + ", an enum that is in no variable, with a wrong value"
	}
	return e
}

// calledOnNull returns an error when netcoredbg has called an instance method on null, which it recognises by what the
// method threw.
func (v *View) calledOnNull(text, message string, body dap.EvaluateResponseBody) *fault.Error {
	if body.Type != "System.NullReferenceException" && message != "Value cannot be null." {
		return nil
	}
	of, member, ok := interpreter.NullReceiver(text)
	if !ok {
		return nil
	}
	if is, err := v.evaluate(v.Here, of, evaluateTimeout); err == nil && is.Result == "null" {
		thrown := interpreter.Thrown{Type: "System.NullReferenceException", Null: of, Member: member}
		return fault.Errorf(fault.EvalFailed, "%v", &thrown).With("expression", text).With("exceptionType", thrown.Type).
			With("nullPart", of).With("type", is.Type)
	}
	return nil
}

// holdsExceptions reports whether an expression reads an exception that was not thrown: a variable, or an element of
// something whose type names exceptions.
func (v *View) holdsExceptions(text string) bool {
	tree, err := csharp.Parse(text)
	if err != nil {
		return false
	}
	switch n := tree.(type) {
	case *csharp.Name:
		return v.NoCalls || v.isStored(text) // a variable, and not a getter
	case *csharp.Index:
		body, err := v.evaluate(v.Here, csharp.Bare(n.Of), evaluateTimeout)
		return err == nil && strings.Contains(body.Type, "xception")
	}
	return false
}

// evaluate asks for a value with our own deadline.
func (v *View) evaluate(frame dap.StackFrame, expression string, timeout time.Duration) (dap.EvaluateResponseBody,
	error) {
	return v.evaluateAs("watch", frame, expression, timeout)
}

// evaluateAs is evaluate with a context (DAP, Evaluate request, context).
func (v *View) evaluateAs(context string, frame dap.StackFrame, expression string,
	timeout time.Duration) (dap.EvaluateResponseBody, error) {
	return v.Debugger.Evaluate(v.Reader, Question{context, frame, expression, timeout})
}

// Evaluation evaluates an expression in a frame.
func (v *View) Evaluation(q EvaluateQuery) (Evaluation, error) {
	if err := v.choose(q.Thread, q.Frame); err != nil {
		return Evaluation{}, err
	}
	v.NoCalls = q.Safe
	e, err := v.evaluated(q)
	e.FrameIndex = v.index
	return e, err
}

// JoinNotes joins two notes and does not repeat one.
func JoinNotes(a, b string) string {
	if b == "" || strings.HasSuffix(a, b) {
		return a
	}
	return strings.TrimPrefix(a+"; "+b, "; ")
}
