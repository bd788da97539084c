package inspect

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"breakwire/mapping"
	"breakwire/mapping/expression"

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

// unsure reports whether a value is a number whose last digits netcoredbg does not show.
func unsure(body dap.EvaluateResponseBody) bool {
	f, ok := mapping.ReadFloat(body.Result, body.Type)
	return ok && IsFloating(body) && !f.Certain()
}

// pureCalls matches calls that have no effect: of a nullable's value, and of the runtime's arithmetic.
var pureCalls = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\.get_Value\(\)|System\.(?:Math|MathF|Decimal|Convert)\.\w+(\()`)
})

// exact reports whether an answer is a double or float with all its digits.
func (a answer) exact() bool { return IsFloating(a.body) && (a.digits || a.text == "" && !a.rounded) }

// calls matches a call. Of what netcoredbg evaluates, nothing else has an effect: it has no assignments and no `new`.
var calls = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w>\])]\s*\(`) })

// repeatable reports whether an expression that netcoredbg has evaluated can be evaluated twice: it calls nothing, and
// reads only variables, fields, automatic properties, elements of arrays, and what the runtime's own types have.
func (v *View) repeatable(text string, until time.Time) bool {
	text = pureCalls().ReplaceAllString(text, "$1")
	if calls().MatchString(text) {
		return false
	}
	r := inquire(text, until)
	for _, c := range expression.Chains(text) {
		if c.Parts[0].Name == "System" { // a static member of the runtime
			continue
		}
		for n, p := range c.Parts {
			if n == 0 && (p.Name == "" || p.Name == "this" || p.Name[0] == '"') {
				continue
			}
			if !v.stored(r, c.Prefix(text, n+1)) && (n == 0 || !v.pure(r, c.Prefix(text, n), p)) {
				return false
			}
		}
	}
	return true
}

// pure reports whether a member or element is one of a type of the runtime, or a property without code of its own.
func (v *View) pure(r rescue, of string, p expression.Part) bool {
	body, err := v.again(of, r)
	if err == nil && strings.HasPrefix(body.Type, "System.") {
		return true
	}
	if p.Kind != expression.Member {
		return false
	}
	body, err = v.again(of+`.GetType().GetDeclaredField("<`+p.Name+`>k__BackingField")`, r)
	return err == nil && body.Result != "null"
}
