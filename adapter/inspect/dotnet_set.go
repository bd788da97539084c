package inspect

import (
	"errors"
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
