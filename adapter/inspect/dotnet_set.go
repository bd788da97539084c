package inspect

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/dotnet/interpreter"
	"breakwire/adapter/fault"
	"breakwire/dapclient"
	"breakwire/mapping/csharp"
	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// pureDateCall matches a call of the runtime's dates and times on a variable. It returns a new value and changes
// nothing, so that it may run twice.
var pureDateCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\w.\[\]]+\.(?:Add\w*|Subtract|To(?:Universal|Local)Time|Negate|` +
		`Duration|Multiply|Divide)\([^()]*\)$`)
})

// pureMaker matches a call of the runtime that makes a date, a time, an id, or a copy of a stored collection.
var pureMaker = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:System\.)?` +
		`(?:DateTime|DateTimeOffset|DateOnly|TimeOnly|TimeSpan|Guid)\.\w+\([^()]*\)$|` +
		`^[\w.]+\.To(?:List|Array)\(\)$`)
})

// runsOnce reports whether an expression has calls that may have effects, so that it must not be part of another
// question.
func runsOnce(text string) bool {
	return expression.Safe(expression.CSharp, text) != nil && !isStoredPath(text) && !pureDateCall().MatchString(text) &&
		!pureMaker().MatchString(text)
}

// setProperty sets a property whose type is an enum, a nullable or a struct through the runtime: netcoredbg calls the
// setter with wrong bytes. ok is false for other values.
func (v *View) setProperty(it item, value string) (set dap.SetVariableResponseBody, ok bool, err error) {
	if v.NoCalls || interpreter.IsSimple(it.Type) {
		return set, false, nil
	}
	path, err1 := csharp.Parse(it.path)
	tree, err2 := csharp.Parse(value)
	if err1 != nil || err2 != nil {
		return set, false, nil
	}
	ok, err = interpreter.SetProperty(v.inquire(value, time.Now().Add(CallTimeout)), path, tree)
	return dap.SetVariableResponseBody{}, ok, err
}

// assignComputed sets a variable to what evaluate gives for a value that netcoredbg has refused: it converts nothing,
// creates nothing, and knows an enum's names only. ok is false when there is no way.
func (v *View) assignComputed(it item, value string) (set dap.SetVariableResponseBody, ok bool, err error) {
	if isEnumValue(it) && plainNumber().MatchString(value) {
		_, err = v.Call(CallTimeout, "setVariable", dap.SetVariableArguments{VariablesReference: it.VariablesReference,
			Name: "value__", Value: value})
		return set, err == nil, nil
	}
	if interpreter.IsNumeric(it.Type) && it.Type != "char" && expression.Safe(expression.CSharp, value) == nil {
		value = "checked((" + it.Type + ")(" + value + "))" // too large is an error, as in a checked assignment
	}
	tree, err := csharp.Parse(value)
	if err != nil || v.NoCalls || runsOnce(value) && !creates(tree) { // the program's code would run twice
		return set, false, nil
	}
	var m *dapclient.Message
	err = interpreter.Assigned(v.inquire(value, time.Now().Add(CallTimeout)), tree, it.Type, func(text string) error {
		m, err = v.setContained(it, Spoken(dapclient.DotNet, text))
		return err
	})
	var thrown *interpreter.Thrown
	switch {
	case errors.As(err, &thrown):
		return set, false, fault.Errorf(fault.EvalFailed, "%s = %s: %v", it.name, value, thrown).
			With("exceptionType", thrown.Type).With("exceptionMessage", thrown.Message)
	case err != nil:
		return set, false, nil
	}
	set, err = dapclient.DecodeBody[dap.SetVariableResponseBody](m)
	return set, err == nil, err
}

// written returns a path as netcoredbg knows it: pair.Item1 for pair.Id.
func (v *View) written(path string) string {
	tree, err := csharp.Parse(path)
	if err != nil || runsOnce(path) {
		return path
	}
	a, err := v.inquire(path, time.Now().Add(evaluateTimeout)).interpret(tree)
	if err != nil || a.text == "" {
		return path
	}
	return a.text
}

// assignment makes the assignment of a C# statement: i = 5; or i += 2; or i++;. ok is false for other texts. An
// expression, without the semicolon, changes nothing.
func (v *View) assignment(q EvaluateQuery) (e Evaluation, ok bool, err error) {
	text, statement := strings.CutSuffix(strings.TrimSpace(q.Expression), ";")
	tree, err := csharp.Parse(text)
	if err != nil {
		return Evaluation{}, false, nil
	}
	a, ok := interpreter.Assignment(tree)
	if !ok {
		return Evaluation{}, false, nil
	}
	refused := func(format string, args ...any) (Evaluation, bool, error) {
		return Evaluation{}, true, fault.Errorf(fault.EvalFailed, "%s", About(text, fmt.Sprintf(format, args...))).
			With("expression", q.Expression)
	}
	target := csharp.Bare(a.L)
	switch {
	case !statement:
		return refused("%s changes the program: write it as a statement, with a semicolon, or use variable_set", text)
	case runsOnce(target):
		return refused("%s has a call, which would run twice", target)
	}
	if _, tuple := a.L.(*csharp.Tuple); tuple {
		return refused("assign one variable at a time")
	}
	it, err := v.settable(target)
	if err != nil {
		return Evaluation{}, true, err
	}
	set := func(value string) error {
		after, _, err := v.setTo(it, value)
		e.Note = target + " is now " + after.Value
		return err
	}
	switch {
	case a.Op == "??=" && it.Value != "null":
		return Evaluation{Note: target + " is not null, and was not changed"}, true, nil
	case a.Op == "=" || a.Op == "??=":
		err = set(csharp.Bare(a.R))
	default:
		err = interpreter.Assigned(v.inquire(text, time.Now().Add(q.Timeout)), a, it.Type, set)
	}
	var why *interpreter.Refusal
	var thrown *interpreter.Thrown
	switch {
	case errors.As(err, &why):
		return refused("%s was not changed: %s", target, why.Why)
	case errors.As(err, &thrown):
		return refused("%s was not changed: %v", target, thrown)
	}
	return e, true, err
}

// creates reports whether an expression makes a new object, so that netcoredbg has not run it.
func creates(tree csharp.Node) (found bool) {
	csharp.Walk(tree, func(n csharp.Node) bool {
		switch n.(type) {
		case *csharp.New, *csharp.With, *csharp.NewArray:
			found = true
		}
		return !found
	})
	return found
}

// isEnumValue reports whether a .NET value is an enum's: it has members, and is shown as names.
func isEnumValue(it item) bool {
	return it.VariablesReference > 0 && !strings.HasPrefix(it.Value, "{") && it.Value != "null"
}
