package inspect

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/dotnet/interpreter"
	"breakwire/adapter/fault"
	"breakwire/dapclient"
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

// assignComputed sets a variable to what evaluate gives for a value that netcoredbg has refused: it converts nothing,
// and knows an enum's names only. ok is false when there is no way, or when the program's code would run twice.
func (v *View) assignComputed(it item, value string) (m *dapclient.Message, ok bool, err error) {
	dates := it.Type == "System.DateTime" || it.Type == "System.TimeSpan" || it.Type == "System.DateTimeOffset"
	until := time.Now().Add(CallTimeout)
	switch {
	case isEnumValue(it) && plainNumber().MatchString(value):
		m, err = v.Call(CallTimeout, "setVariable", dap.SetVariableArguments{VariablesReference: it.VariablesReference,
			Name: "value__", Value: value})
		return m, err == nil, nil
	case dates && pureDateCall().MatchString(value):
	case interpreter.IsNumeric(it.Type) && it.Type != "char" && expression.Safe(expression.CSharp, value) == nil:
		value = "checked((" + it.Type + ")(" + value + "))" // too large is an error, as in a checked assignment
	default:
		return nil, false, nil
	}
	a, err := v.inquire(value, until).rescue(fault.Errorf(fault.EvalFailed, "%s is no %s", value, it.Type))
	if err != nil {
		if fault.AsError(err).Details["exceptionType"] == nil {
			err = nil
		}
		return nil, false, err
	}
	literal := a.text
	if !dates {
		literal = Suffixed(it.Type, a.body.Result, dapclient.DotNet)
		if it.Type == "double" {
			literal += "d"
		}
	}
	if literal == "" || a.body.Type != it.Type {
		return nil, false, nil
	}
	m, err = v.setContained(it, literal)
	return m, err == nil, nil
}

// isEnumValue reports whether a .NET value is an enum's: it has members, and is shown as names.
func isEnumValue(it item) bool {
	return it.VariablesReference > 0 && !strings.HasPrefix(it.Value, "{") && it.Value != "null"
}
