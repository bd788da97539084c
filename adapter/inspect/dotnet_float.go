package inspect

import (
	"strings"
	"time"

	"breakwire/adapter/dotnet/interpreter"
	"breakwire/mapping"
	"breakwire/mapping/csharp"

	"github.com/google/go-dap"
)

// netcoredbg shows a double with 16 digits and a float with 8, so that different numbers look equal. breakwire asks for
// the rest with an operator, which runs no code of the program.

// roundedMark ends a number whose last digits could not be read.
const roundedMark = "…"

// floatOf returns a double or float as C# prints it. rounded is set when its last digits are not known.
func (v *View) floatOf(n node) (text string, rounded bool) {
	f, ok := mapping.ReadFloat(n.Value, n.Type)
	switch {
	case !ok, f.Certain():
		return CertainText(n.Value, n.Type), false
	case n.EvaluateName == "" || !v.mayLook():
		return n.Value + roundedMark, true
	}
	from := inBrackets(n.EvaluateName)
	if strings.HasSuffix(n.Type, "?") {
		if v.NoCalls {
			return n.Value + roundedMark, true
		}
		from += ".get_Value()"
	}
	body, err := v.evaluate(v.Here, f.Question(from), evaluateTimeout)
	if err == nil {
		if exact, ok := f.Answer(body.Result); ok {
			return exact.Text(), false
		}
	} else if v.Replayed { // the recording was made without this question
		return n.Value, false
	}
	return n.Value + roundedMark, true
}

// CertainText returns a number as C# prints it, when all its digits are shown.
func CertainText(value, typ string) string {
	f, ok := mapping.ReadFloat(value, typ)
	switch {
	case !ok:
		return mapping.FloatText(value)
	case f.Certain():
		return f.Text()
	}
	return value
}

// IsFloating reports whether a value is a double or float, or a nullable of them.
func IsFloating(body dap.EvaluateResponseBody) bool {
	return isFloat(strings.TrimSuffix(body.Type, "?"))
}

func isFloat(typ string) bool { return typ == "double" || typ == "float" }

// unsure reports whether a value is a number whose last digits netcoredbg does not show.
func unsure(body dap.EvaluateResponseBody) bool {
	f, ok := mapping.ReadFloat(body.Result, body.Type)
	return ok && IsFloating(body) && !f.Certain()
}

// exact reports whether an answer is a double or float with all its digits.
func (a answer) exact() bool { return IsFloating(a.body) && (a.digits || a.text == "") }

// repeatable reports whether an expression that netcoredbg has evaluated can be evaluated twice.
func (v *View) repeatable(text string, until time.Time) bool {
	return interpreter.Repeatable(v.inquire(text, until), text)
}

// inBrackets returns an expression with brackets where a call on it needs them.
func inBrackets(text string) string {
	switch tree, _ := csharp.Parse(text); tree.(type) {
	case *csharp.Name, *csharp.Member, *csharp.Index, *csharp.Call, *csharp.Paren:
		return text
	}
	return "(" + text + ")"
}
