package inspect

import (
	"strings"
	"time"

	"breakwire/adapter/dotnet/interpreter"
	"breakwire/adapter/fault"
	"breakwire/mapping/csharp"

	"github.com/google/go-dap"
)

// Doubtful reports whether an answer of netcoredbg may not be the value of the expression.
func Doubtful(expression string, body dap.EvaluateResponseBody) bool {
	return body.Type == Miscalled || isBox(body) || unsure(body) || Suspicious(expression)
}

// Suspicious reports whether the value of an expression has to be checked.
func Suspicious(expression string) bool {
	on, passed := interpreter.Suspects(expression)
	return on != nil || passed != nil
}

// Miscalled is what the runtime throws when netcoredbg calls an extension method with wrong arguments. The program's
// code did not throw it.
const Miscalled = "System.Reflection.TargetParameterCountException"

// NotCallable is the error of a call that netcoredbg has made with wrong arguments.
func NotCallable(text string) *fault.Error {
	return fault.Errorf(fault.EvalFailed, "%s: netcoredbg calls it with other arguments than it takes", text).
		With("expression", text).With("backendMessage", Miscalled)
}

// isBox reports whether a value is a simple value in a box.
func isBox(body dap.EvaluateResponseBody) bool {
	return interpreter.IsSimple(body.Type) && strings.HasPrefix(body.Result, "{")
}

// AnswerAgain evaluates what netcoredbg has refused, or answered in doubt, so that it means the same as in evaluate.
// refused is nil when body is the answer. It reports false when the first answer holds.
func (v *View) AnswerAgain(text string, body dap.EvaluateResponseBody, refused *fault.Error,
	until time.Time) (again dap.EvaluateResponseBody, ok bool, err error) {
	if refused == nil && isBox(body) {
		kids, _ := v.variables(body.VariablesReference) // reads the box; a second evaluation would repeat its calls
		inside, ok := childNamed(kids, "m_value", body.VariablesReference)
		if !ok {
			return body, false, nil
		}
		body = dap.EvaluateResponseBody{Result: inside.Value, Type: inside.Type}
		return v.withDigits(text+".m_value", body, until), true, nil
	}
	cause, q := NotCallable(text), v.inquire(text, until)
	if refused != nil {
		cause = refused
	} else if body.Type != Miscalled {
		wrong := q.misread(text)
		switch passed := q.mispassed(text); {
		case passed != nil: // the call has run with it
			return body, true, passed
		case wrong == nil && !unsure(body):
			return body, false, nil
		case wrong == nil:
			return v.withDigits(text, body, until), true, nil
		case !unanswered(wrong):
			return body, true, wrong
		}
		cause = fault.AsError(wrong)
	}
	a, err := answer{}, error(nil)
	if tree, ok := withFormat(text); ok {
		a, err = q.interpret(tree)
	} else {
		a, err = q.rescue(cause)
	}
	switch {
	case err == nil && a.exact():
		return a.body, true, nil
	case err == nil:
		return v.withDigits(a.text, a.body, until), true, nil
	case v.Replayed: // a recording cannot know why
		return body, false, nil
	}
	return body, true, err
}

// withDigits returns the value of an expression with all digits of a double.
func (v *View) withDigits(text string, body dap.EvaluateResponseBody, until time.Time) dap.EvaluateResponseBody {
	if !unsure(body) {
		return body
	}
	n := evaluatedNode(text, body)
	key := v.Here.Name + "\n" + text
	repeats, known := v.Cache.repeats.Load(key)
	if !known { // the answer calls functions of the runtime, so it is kept
		repeats = text != "" && !v.NoCalls && v.repeatable(text, until)
		v.Cache.repeats.Store(key, repeats)
	}
	if repeats == false {
		n.EvaluateName = ""
	}
	v.lookUntil = until
	body.Result, _ = v.floatOf(n)
	return body
}

// withFormat reads a part of a message that has a width or a format, as the holes of C#'s own texts: price:F2.
func withFormat(text string) (csharp.Node, bool) {
	if _, err := csharp.Parse(text); err == nil {
		return nil, false
	}
	tree, err := csharp.Parse(`$"{` + text + `}"`)
	n, ok := tree.(*csharp.Interpolated)
	if err != nil || !ok || len(n.Parts) != 1 {
		return nil, false
	}
	return tree, n.Parts[0].Format != "" || n.Parts[0].Align != nil
}
