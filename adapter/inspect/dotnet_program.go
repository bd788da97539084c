package inspect

import (
	"fmt"
	"strings"
	"time"

	"breakwire/adapter/dotnet/interpreter"
	"breakwire/adapter/fault"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// inquiry is the stopped program, as the interpreter of C# asks for it. It records the questions for one expression, so
// that nothing is evaluated twice, which would repeat its calls, and the number of questions is bounded.
type inquiry struct {
	v     *View
	text  string
	cause *fault.Error // why netcoredbg did not answer the expression
	until time.Time
	times int
	known map[string]learned
	wrong *fault.Error // an argument that netcoredbg would pass with a wrong value
}

type learned struct {
	body dap.EvaluateResponseBody
	err  error
}

// maxAsked limits the questions for one expression.
const maxAsked = 200

// inquire begins the questions for an expression.
func (v *View) inquire(text string, until time.Time) *inquiry {
	return &inquiry{v: v, text: strings.TrimSpace(text), until: until, known: map[string]learned{}}
}

// failed returns the error of an expression that has no value, with netcoredbg's message.
func (q *inquiry) failed(format string, args ...any) *fault.Error {
	e := fault.Errorf(fault.EvalFailed, "%s", About(q.text, fmt.Sprintf(format, args...))).With("expression", q.text)
	if q.cause != nil {
		e = e.With("backendMessage", q.cause.Details["backendMessage"])
	}
	return e
}

// again evaluates what was not asked yet, within the time that is left.
func (q *inquiry) again(text string) (dap.EvaluateResponseBody, error) {
	text = strings.TrimSpace(text)
	if k, ok := q.known[text]; ok {
		return k.body, k.err
	}
	left := time.Until(q.until)
	switch {
	case left <= 0:
		return dap.EvaluateResponseBody{}, fault.Errorf(fault.EvalTimeout, "%s: there was no time left to answer it", text).
			With("expression", text)
	case q.times >= maxAsked:
		return dap.EvaluateResponseBody{}, fault.Errorf(fault.EvalFailed,
			"%s: it takes netcoredbg more than %d questions: evaluate its parts", q.text, maxAsked).
			With("expression", q.text).With("questions", q.times)
	}
	body, err := dap.EvaluateResponseBody{}, q.mispassed(text)
	if err == nil {
		q.times++
		if body, err = q.v.evaluate(q.v.Here, text, left); err == nil {
			err = q.misread(text)
		}
	}
	q.known[text] = learned{body, err}
	return body, err
}

// misread returns an error when netcoredbg has evaluated an expression with wrong bytes.
func (q *inquiry) misread(text string) error {
	part, ok := interpreter.Misread(q, text)
	if !ok {
		return nil
	}
	return fault.Errorf(fault.EvalFailed, "%s: netcoredbg reads the wrong bytes of %s, a nullable that a getter returns",
		text, part).With("expression", text)
}

// mispassed returns an error when netcoredbg would pass a wrong value to a call, so that it must not be sent.
func (q *inquiry) mispassed(text string) error {
	argument, ok := interpreter.Mispassed(q, text)
	if !ok {
		return nil
	}
	q.wrong = fault.Errorf(fault.EvalFailed, "%s: %s passes %s, an enum that is in no variable, with a wrong value", text,
		q.v.Profile.Name, argument).With("expression", text).With(notSent, true)
	return q.wrong
}

// wouldMislead returns an error for an expression that netcoredbg would answer wrong, so that it must not be sent.
func (q *inquiry) wouldMislead(safe bool) error {
	if q.v.hides(q.text) {
		return fault.Errorf(fault.EvalFailed, "%s uses a member that hides another one", q.text).With(notSent, true)
	}
	if safe { // it has no calls
		return nil
	}
	return q.mispassed(q.text)
}

// ranTooLong is in netcoredbg's answer to an evaluation that ran and did not end, so that it must not be tried again.
const ranTooLong = "Evaluation timed out"

// unanswered reports whether an evaluation failed in a way that may have an equivalent.
func unanswered(err error) bool {
	if err == nil || fault.CodeOf(err) != fault.EvalFailed && fault.CodeOf(err) != fault.SyntaxError {
		return false
	}
	details := fault.AsError(err).Details
	if strings.Contains(err.Error(), ranTooLong) {
		return false
	}
	return details["exceptionType"] == nil && details["questions"] == nil
}

// noEntryPoint is the type of the exception that netcoredbg gets when it calls an extension method of an interface.
const noEntryPoint = "System.EntryPointNotFoundException"

// Ask evaluates a text that netcoredbg can evaluate. An exception is an error.
func (q *inquiry) Ask(text string) (interpreter.Answer, error) {
	body, err := q.again(text)
	if err == nil && body.Type == noEntryPoint {
		err = fault.Errorf(fault.EvalFailed, "netcoredbg cannot call %s", text)
	}
	if err == nil && ThrownBy(q.v.Profile.Language, text, body) != "" && !q.v.holdsExceptions(text) &&
		!interpreter.Kept(text) {
		err = q.v.threw(text, body)
	}
	if unanswered(err) {
		err = &interpreter.NotAnswered{Err: err}
	}
	return interpreter.Answer{Value: body.Result, Type: body.Type, Reference: body.VariablesReference}, err
}

// Members lists children of a value.
func (q *inquiry) Members(reference, start, count int) ([]interpreter.Answer, error) {
	vars, err := q.v.someVariables(dap.VariablesArguments{VariablesReference: reference, Start: start, Count: count})
	if err != nil {
		return nil, err
	}
	out := make([]interpreter.Answer, len(vars))
	for i, x := range vars {
		out[i] = interpreter.Answer{Name: x.Name, Value: x.Value, Type: x.Type, Text: x.EvaluateName,
			Reference: x.VariablesReference}
	}
	return out, nil
}

// Variable reports whether the frame has a variable of that name.
func (q *inquiry) Variable(name string) bool { return hasNamed(q.v.inScope(), name) }

// Unknown says that the frame has no such variable, and which it has.
func (q *inquiry) Unknown(name string) string {
	all := q.v.inScope()
	if all == nil { // they cannot be read
		return ""
	}
	return unknownVariable(name, all).Message
}

// inScope returns the variables of the frame.
func (v *View) inScope() []item {
	l, err := v.scoped("all")
	if err != nil {
		return nil
	}
	all, err := l.at(0, l.total)
	if err != nil {
		return nil
	}
	return append([]item{}, all...)
}

// MemberNames returns the names of some members of a value.
func (q *inquiry) MemberNames(text string, a interpreter.Answer) []string {
	body := dap.EvaluateResponseBody{Result: a.Value, Type: a.Type, VariablesReference: a.Reference}
	l, err := q.v.children(item{node: evaluatedNode(text, body), path: text, child: true})
	if err != nil || l.total == 0 {
		return nil
	}
	items, err := l.at(0, min(l.total, 100))
	if err != nil {
		return nil
	}
	names := make([]string, len(items))
	for i, it := range items {
		names[i] = it.name
	}
	return names
}

// isStored reports whether a value of a listing is a variable, a field or an element.
func (v *View) isStored(text string) bool {
	return interpreter.Stored(v.inquire(text, time.Now().Add(evaluateTimeout)), text)
}

// Names returns the full names that a name of a type may stand for in the frame's method: in its class, in the classes
// around it, in their namespaces, and in those that the source file uses.
func (q *inquiry) Names(name string) []string {
	method, _, _ := strings.Cut(mapping.LogicalFunction(q.v.Here.Name), "(")
	var out []string
	if strings.Contains(name, ".") {
		out = append(out, name)
	}
	for at := strings.LastIndexByte(method, '.'); at > 0; at = strings.LastIndexByte(method, '.') {
		method = method[:at]
		out = append(out, method+"."+name)
	}
	if !strings.Contains(name, ".") {
		out = append(out, name)
	}
	if l := q.v.Debugger.Location(&q.v.Here); l != nil && mapping.IsAbs(l.File) {
		if text, err := q.v.Debugger.Source(l.File); err == nil {
			out = append(out, mapping.UsedNames(text, name)...)
		}
	}
	return out
}

// Calls reports whether functions of the program may run.
func (q *inquiry) Calls() bool { return !q.v.NoCalls }

// Extensions returns the types of the modules with symbols that have a function of that name.
func (q *inquiry) Extensions(function string) []string {
	return q.v.Debugger.Extensions(function)
}

// Hiding returns the types in which a member hides one of a base class.
func (q *inquiry) Hiding(member string) []string { return q.v.Debugger.Hiding(member) }

// VariableTuple returns the names of the elements of the tuples in a variable's type.
func (q *inquiry) VariableTuple(variable string) []string {
	if l := q.v.Debugger.Location(&q.v.Here); l != nil {
		if names := q.v.Debugger.TupleNames(*l, variable); names != nil {
			return names
		}
	}
	method, _, _ := strings.Cut(mapping.LogicalFunction(q.v.Here.Name), "(")
	return q.v.Debugger.TupleOf(method + "(" + variable)
}

// MemberTuple returns those of a type's member; a method's name ends with ().
func (q *inquiry) MemberTuple(typ, member string) []string {
	typ = strings.ReplaceAll(typ, "+", ".")
	head, _, _ := strings.Cut(typ, "<")
	return q.v.Debugger.TupleOf(head + "." + member)
}

// Declared returns the type with which the source file declares a variable, "" when it is not certain.
func (q *inquiry) Declared(variable string) string {
	if l := q.v.Debugger.Location(&q.v.Here); l != nil && mapping.IsAbs(l.File) {
		if text, err := q.v.Debugger.Source(l.File); err == nil {
			return mapping.DeclaredType(text, variable)
		}
	}
	return ""
}
