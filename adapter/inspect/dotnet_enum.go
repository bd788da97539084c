package inspect

import (
	"math/big"
	"strconv"
	"strings"

	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// Enums of .NET. netcoredbg evaluates neither operators nor HasFlag of enums, but those of their numbers.

// enumNumber returns the number of an enum. ok is false for other values.
func (v *View) enumNumber(r rescue, a answer) (dap.EvaluateResponseBody, bool) {
	switch {
	case a.number.Type != "":
		return a.number, true
	case !maybeEnum(a.body) || a.text == "" || a.body.VariablesReference == 0:
		return a.number, false
	}
	body, err := v.again(a.expr()+".value__", r)
	_, ok := whole(body)
	return body, err == nil && ok
}

func maybeEnum(body dap.EvaluateResponseBody) bool {
	switch typ := strings.TrimSuffix(body.Type, "?"); {
	case typ == "", typ == "IntPtr", typ == "UIntPtr", keywordTypes()[typ] != "", body.Result == "null":
		return false
	}
	return !strings.HasPrefix(body.Result, "{") && !strings.HasPrefix(body.Result, `"`)
}

// sameEnum reports whether two values are of one enum and were both shown by netcoredbg, which tells them apart.
func sameEnum(a, b answer) bool {
	return strings.TrimSuffix(a.body.Type, "?") == strings.TrimSuffix(b.body.Type, "?") && maybeEnum(a.body) &&
		maybeEnum(b.body) &&
		a.number.Type == "" && b.number.Type == ""
}

func enumAnswer(typ, number string, n *big.Int) answer {
	return answer{
		body:   dap.EvaluateResponseBody{Result: n.String(), Type: typ},
		number: dap.EvaluateResponseBody{Result: n.String(), Type: number},
		note:   "the enum is shown as its number, value__",
	}
}

// enums evaluates an operator on enums with the numbers m and n.
func (r rescue) enums(op string, l, o answer, m, n dap.EvaluateResponseBody) (answer, error) {
	if isComparison(op) {
		yes, _ := compared(op, m, n)
		return truth(yes, "enums compared by their numbers, value__"), nil
	}
	x, _ := whole(m)
	y, _ := whole(n)
	switch op {
	case "&":
		x.And(x, y)
	case "|":
		x.Or(x, y)
	case "^":
		x.Xor(x, y)
	default:
		return answer{}, r.cannot(op, l, o)
	}
	typ, number := l.body.Type, m.Type
	if l.constant {
		typ, number = o.body.Type, n.Type
	}
	return enumAnswer(typ, number, x), nil
}

// namedNumber returns the number of an enum that is shown by its names or as a number.
func (v *View) namedNumber(r rescue, typ, shown string) (number dap.EvaluateResponseBody, ok bool) {
	if _, err := strconv.ParseInt(shown, 10, 32); err == nil {
		return dap.EvaluateResponseBody{Result: shown, Type: "int"}, true
	}
	sum := new(big.Int)
	for name := range strings.FieldsFuncSeq(shown, func(c rune) bool { return c == '|' || c == ',' || c == ' ' }) {
		body, err := v.again(typ+"."+name+".value__", r)
		n, isWhole := whole(body)
		if err != nil || !isWhole {
			return number, false
		}
		number.Type = body.Type
		sum.Or(sum, n)
	}
	number.Result = sum.String()
	return number, number.Type != ""
}

// hasFlag evaluates enum.HasFlag(flag).
func (v *View) hasFlag(text string, c expression.Chain, n int, r rescue) (answer, bool, error) {
	args := expression.Arguments(text, c.Parts[n+1])
	_, short, _, err := v.before(text, c, n, r)
	if err != nil || short || len(args) != 1 {
		return answer{}, false, err
	}
	l, err := v.operand(r, c.Prefix(text, n))
	if err != nil {
		return answer{}, false, err
	}
	o, err := v.operand(r, args[0])
	if err != nil {
		return answer{}, false, err
	}
	a, ok1 := v.enumNumber(r, l)
	b, ok2 := v.enumNumber(r, o)
	if !ok1 || !ok2 || l.body.Type != o.body.Type {
		return answer{}, false, nil
	}
	x, _ := whole(a)
	y, _ := whole(b)
	return truth(x.And(x, y).Cmp(y) == 0, "enums compared by their numbers, value__"), true, nil
}
