package inspect

import (
	"fmt"
	"math/big"
	"strings"
	"sync"

	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// Casts, `is` and `as` of .NET, which netcoredbg does not implement. It shows the members of a value's real type
// already.

// cast evaluates (typ)operand.
func (v *View) cast(r rescue, typ, operand string) (answer, error) {
	a, err := v.operand(r, operand)
	if err != nil {
		return a, err
	}
	wanted, nullable := strings.CutSuffix(typ, "?")
	note := func(a answer, why string) answer {
		a.note = JoinNotes(a.note, why)
		return a
	}
	left := "the cast is left out: netcoredbg has none"
	switch {
	case a.body.Result == "null" && !nullable && keywordTypes()[wanted] != "" && wanted != "string" && wanted != "object":
		return a, r.failed("%s is null, and %s is never null", strings.TrimSpace(operand), typ)
	case wanted == "object":
		a.object = true
		return note(a, left), nil
	case a.body.Result == "null", typ == a.body.Type && !strings.HasPrefix(a.body.Result, "{"):
		return note(a, left), nil
	case numeric(wanted) || wanted == "bool":
		if a, err = v.unboxed(r, a, wanted); err != nil {
			return a, err
		}
		return v.converted(r, a, wanted)
	}
	before := a.note
	if keywordTypes()[wanted] == "" && numeric(strings.TrimSuffix(a.body.Type, "?")) {
		return a, r.failed("netcoredbg has no casts, and breakwire makes no %s of a number: cast the other side, as "+
			"in (int)color == 1", typ)
	}
	yes, why, err := v.isType(r, a, wanted)
	if err != nil {
		return a, err
	}
	if !yes {
		return a, r.failed("%s is a %s, which is no %s: the cast throws, unless a conversion is declared, which "+
			"breakwire does not know", strings.TrimSpace(operand), a.body.Type, typ)
	}
	a.note = before
	return note(a, JoinNotes(left, why)), nil
}

// isBox reports whether a value is a simple value in a box.
func isBox(body dap.EvaluateResponseBody) bool {
	return keywordTypes()[body.Type] != "" && body.Type != "object" && strings.HasPrefix(body.Result, "{")
}

// unboxed returns the value in a box, which must have the wanted type.
func (v *View) unboxed(r rescue, a answer, wanted string) (answer, error) {
	if !isBox(a.body) || a.text == "" {
		return a, nil
	}
	if wanted != "" && wanted != a.body.Type {
		return a, r.failed("it throws System.InvalidCastException: the box has a %s in it", a.body.Type).
			With("exceptionType", "System.InvalidCastException")
	}
	text := a.expr() + ".m_value"
	body, err := v.again(text, r)
	if unanswered(err) {
		return a, r.failed("netcoredbg cannot read the %s in the box", a.body.Type)
	}
	return answer{body: body, text: text, note: JoinNotes(a.note, "evaluated as "+text)}, err
}

// conversions are the methods of the runtime that do a cast between numbers that may have fractions.
var conversions = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"decimal double": "System.Decimal.ToDouble", "decimal float": "System.Decimal.ToSingle",
		"double decimal": "System.Convert.ToDecimal",
		"float decimal":  "System.Convert.ToDecimal", "double float": "System.Convert.ToSingle",
	}
})

// converted converts a number to another type as C# does. A value that does not fit is refused.
func (v *View) converted(r rescue, a answer, typ string) (answer, error) {
	note := JoinNotes(a.note, "breakwire converted it to "+typ+": netcoredbg has no casts")
	a, err := v.inner(r, a)
	if err != nil {
		return a, err
	}
	if a.body.Type == typ {
		a.note = note
		return a, nil
	}
	refuse := func() (answer, error) {
		return a, r.failed("netcoredbg has no casts, and breakwire cannot convert %s (%s) to %s", a.body.Result,
			a.body.Type, typ)
	}
	body := a.body
	if n, ok := v.enumNumber(r, a); ok {
		body, note = n, "the number of an enum is its value__"
	}
	if typ == "bool" || !numeric(body.Type) || a.rounded {
		return refuse()
	}
	n, isWhole := whole(body)
	if integers()[typ] == 0 { // netcoredbg converts the operand of a multiplication
		text, call := literal(body)+" * 1"+suffixes()[typ], conversions()[body.Type+" "+typ]
		switch {
		case isWhole:
		case body.Type == "float" && typ == "double":
			text = a.expr() + " * 1d"
		case call != "" && !v.NoCalls:
			text = call + "(" + a.expr() + ")"
		default:
			return refuse()
		}
		body, err := v.again(text, r)
		return answer{body: body, text: text, note: note}, err
	}
	if !isWhole {
		var err error
		if n, err = v.truncated(r, a); err != nil {
			return a, err
		}
		if n == nil {
			return refuse()
		}
	}
	// the lowest bits, as C# does
	if bits := uint(max(integers()[typ], -integers()[typ])); isWhole && !a.constant && !fits(n, typ) {
		n = new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(1)))
		if !fits(n, typ) {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), bits))
		}
	}
	if !fits(n, typ) {
		return a, r.failed("%s does not fit into %s", n, typ)
	}
	out := answer{body: dap.EvaluateResponseBody{Result: n.String(), Type: typ}, note: note}
	switch {
	case typ == "char" && isLowSurrogate(n):
		out.body = charOf(n)
	case typ == "char":
		var err error
		out.body, err = v.again(fmt.Sprintf(`'\u%04x'`, n), r)
		return out, err
	}
	return out, nil
}

// truncated returns the integer part of a number; nil when it is not known.
func (v *View) truncated(r rescue, a answer) (*big.Int, error) {
	x, ok := new(big.Rat).SetString(a.body.Result)
	if !ok || len(a.body.Result) > 40 {
		return nil, nil
	}
	n := new(big.Int).Quo(x.Num(), x.Denom())
	if a.body.Type == "decimal" {
		return n, nil
	}
	most := map[string]int64{"double": 1e15, "float": 1e7}[a.body.Type]
	if n.CmpAbs(big.NewInt(most)) >= 0 {
		return nil, nil
	}
	if x.IsInt() && n.Sign() != 0 { // 2.9999999999999996 is shown as 3
		op := map[int]string{1: " >= ", -1: " <= "}[n.Sign()]
		body, err := v.again(a.expr()+op+literal(dap.EvaluateResponseBody{Result: n.String(), Type: "double"}), r)
		if err != nil {
			return nil, err
		}
		if body.Result == "false" {
			n.Sub(n, big.NewInt(int64(n.Sign())))
		}
	}
	return n, nil
}

// matched evaluates `is` and `as`.
func (v *View) matched(r rescue, op string, l answer, pattern string) (answer, error) {
	if op == "as" {
		name, ok := expression.TypeName(pattern)
		if !ok {
			return answer{}, r.failed("%s is no type", strings.TrimSpace(pattern))
		}
		if l.body.Result == "null" {
			return l, nil
		}
		yes, why, err := v.isType(r, l, strings.TrimSuffix(name, "?"))
		if err != nil || yes {
			l.note = why
			return l, err
		}
		return answer{body: dap.EvaluateResponseBody{Result: "null", Type: name}, text: "null", note: why}, nil
	}
	yes, why, err := v.matches(r, l, pattern, 0)
	return truth(yes, JoinNotes(why, "breakwire answered `is` itself: netcoredbg has none")), err
}

// matches reports whether a value matches a pattern.
func (v *View) matches(r rescue, l answer, pattern string, depth int) (yes bool, why string, err error) {
	op, left, right := expression.Pattern(pattern)
	if depth > maxParts {
		return false, "", r.failed("the pattern is too deep")
	}
	switch op {
	case "or", "and":
		yes, why, err = v.matches(r, l, left, depth+1)
		if err != nil || yes == (op == "or") {
			return yes, why, err
		}
		yes, second, err := v.matches(r, l, right, depth+1)
		return yes, JoinNotes(why, second), err
	case "not":
		yes, why, err = v.matches(r, l, right, depth+1)
		return !yes, why, err
	case "(":
		return v.matches(r, l, right, depth+1)
	case "<", ">", "<=", ">=":
		return v.matchesValue(r, op, l, right)
	}
	text := strings.TrimSpace(pattern)
	if text == "null" {
		return l.body.Result == "null", "", nil
	}
	name, ok := expression.TypeName(text)
	if !ok {
		if _, isConstant := constant(text); !isConstant && !expression.Literal(text) {
			return false, "", r.failed("breakwire answers `is` with a type, a constant, a comparison, and, or and "+
				"not; not %s", text)
		}
		return v.matchesValue(r, "==", l, text)
	}
	if l.body.Result != "null" && isNamed(strings.TrimSuffix(l.body.Type, "?"), name) || keywordTypes()[name] != "" {
		return v.isType(r, l, name)
	}
	// a constant, not a type with the name of a member
	if body, err := v.again(text, r); err == nil && !isNamed(body.Type, name) {
		return v.matchesValue(r, "==", l, text)
	}
	return v.isType(r, l, name)
}

// matchesValue compares a value with a constant of a pattern. A boxed value must have the constant's type.
func (v *View) matchesValue(r rescue, op string, l answer, text string) (bool, string, error) {
	o, err := v.operand(r, text)
	if err != nil || l.body.Result == "null" {
		return false, "", err
	}
	if isBox(l.body) {
		if l.body.Type != o.body.Type {
			return false, "the box has a " + l.body.Type + " in it", nil
		}
		if l, err = v.unboxed(r, l, ""); err != nil {
			return false, "", err
		}
	}
	a, err := v.combine(r, op, l, o)
	return a.body.Result == "true", "", err
}
