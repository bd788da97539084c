package adapter

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"breakwire/mapping"
	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// Casts, `is` and `as` of .NET: netcoredbg has none of them. The members of a value are those of its real type already.

// cast answers (typ)operand.
func (v *view) cast(r rescue, typ, operand string) (answer, error) {
	a, err := v.operand(r, operand)
	if err != nil {
		return a, err
	}
	wanted, nullable := strings.CutSuffix(typ, "?")
	note := func(a answer, why string) answer {
		a.note = joinNotes(a.note, why)
		return a
	}
	left := "the cast is left out: netcoredbg has none"
	switch {
	case a.body.Result == "null" && !nullable && keywordTypes[wanted] != "" && wanted != "string" && wanted != "object":
		return a, r.failed("%s is null, and %s is never null", strings.TrimSpace(operand), typ)
	case a.body.Result == "null", wanted == "object", typ == a.body.Type && !strings.HasPrefix(a.body.Result, "{"):
		return note(a, left), nil
	case numeric(wanted) || wanted == "bool":
		if a, err = v.unboxed(r, a, wanted); err != nil {
			return a, err
		}
		return v.converted(r, a, wanted)
	}
	before := a.note
	if numeric(strings.TrimSuffix(a.body.Type, "?")) {
		return a, r.failed("netcoredbg has no casts, and breakwire makes no %s of a number: cast the other side, as in (int)color == 1", typ)
	}
	yes, why, err := v.isType(r, a, wanted)
	if err != nil {
		return a, err
	}
	if !yes {
		return a, r.failed("%s is a %s, which is no %s: the cast throws, unless a conversion is declared, which breakwire does not know", strings.TrimSpace(operand), a.body.Type, typ)
	}
	a.note = before
	return note(a, joinNotes(left, why)), nil
}

// unboxed is the value in a box, which has to be of the wanted type.
func (v *view) unboxed(r rescue, a answer, wanted string) (answer, error) {
	if keywordTypes[a.body.Type] == "" || !strings.HasPrefix(a.body.Result, "{") || a.text == "" {
		return a, nil
	}
	if wanted != "" && wanted != a.body.Type {
		return a, r.failed("it throws System.InvalidCastException: the box has a %s in it", a.body.Type).With("exceptionType", "System.InvalidCastException")
	}
	text := a.expr() + ".m_value"
	body, err := v.again(text, r)
	if unanswered(err) {
		return a, r.failed("netcoredbg cannot read the %s in the box", a.body.Type)
	}
	return answer{body: body, text: text, note: joinNotes(a.note, "evaluated as "+text)}, err
}

// converted is a number as one of another type, as C# converts it. What does not fit is refused.
func (v *view) converted(r rescue, a answer, typ string) (answer, error) {
	note := joinNotes(a.note, "breakwire converted it to "+typ+": netcoredbg has no casts")
	a = v.bare(r, a)
	if a.body.Type == typ {
		a.note = note
		return a, nil
	}
	refuse := func() (answer, error) {
		return a, r.failed("netcoredbg has no casts, and breakwire cannot convert %s (%s) to %s", a.body.Result, a.body.Type, typ)
	}
	body := a.body
	if n, ok := v.enumNumber(r, a); ok {
		body, note = n, "the number of an enum is its value__"
	}
	if typ == "bool" || !numeric(body.Type) || a.rounded {
		return refuse()
	}
	n, isWhole := whole(body)
	if integers[typ] == 0 { // netcoredbg converts what it multiplies
		text := literal(body) + " * 1" + suffixes[typ]
		if body.Type == "float" && typ == "double" {
			text = a.expr() + " * 1d"
		} else if !isWhole {
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
	if !fits(n, typ) {
		return a, r.failed("%s does not fit into %s", n, typ)
	}
	out := answer{body: dap.EvaluateResponseBody{Result: n.String(), Type: typ}, note: note}
	if typ == "char" {
		var err error
		out.body, err = v.again(fmt.Sprintf(`'\u%04x'`, n), r)
		return out, err
	}
	return out, nil
}

// truncated is a number without what is behind its point; nil when it is not known.
func (v *view) truncated(r rescue, a answer) (*big.Int, error) {
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

// matched answers `is` and `as`.
func (v *view) matched(r rescue, op string, l answer, pattern string) (answer, error) {
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
	return truth(yes, joinNotes(why, "breakwire answered `is` itself: netcoredbg has none")), err
}

// matches tells whether a value is what a pattern says.
func (v *view) matches(r rescue, l answer, pattern string, depth int) (yes bool, why string, err error) {
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
		return yes, joinNotes(why, second), err
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
			return false, "", r.failed("breakwire answers `is` with a type, a constant, a comparison, and, or and not; not %s", text)
		}
		return v.matchesValue(r, "==", l, text)
	}
	if l.body.Result != "null" && isNamed(strings.TrimSuffix(l.body.Type, "?"), name) || keywordTypes[name] != "" {
		return v.isType(r, l, name)
	}
	if body, err := v.again(text, r); err == nil && !isNamed(body.Type, name) { // a constant, not a type that a member has its name of
		return v.matchesValue(r, "==", l, text)
	}
	return v.isType(r, l, name)
}

// matchesValue compares with a constant of a pattern, whose type an object in a box has to have.
func (v *view) matchesValue(r rescue, op string, l answer, text string) (bool, string, error) {
	o, err := v.operand(r, text)
	if err != nil || l.body.Result == "null" {
		return false, "", err
	}
	if keywordTypes[l.body.Type] != "" && strings.HasPrefix(l.body.Result, "{") {
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

// isNamed tells whether a type is the one that an expression calls so, with all or the last of its namespaces.
func isNamed(typ, name string) bool {
	name = strings.TrimPrefix(name, "global::")
	if full := keywordTypes[typ]; full != "" && (name == full || "System."+name == full) {
		return true
	}
	typ, name = strings.ReplaceAll(typ, "+", "."), strings.ReplaceAll(name, "+", ".")
	if typ == name {
		return true
	}
	head, args := mapping.GenericType(typ)
	wanted, wantedArgs := mapping.GenericType(name)
	return args == wantedArgs && keywordTypes[wanted] == "" && (head == wanted || strings.HasSuffix(head, "."+wanted))
}

// maxBases bounds how many base types are asked for.
const maxBases = 12

// isType tells whether a value is of a type. An error says that it cannot be told.
func (v *view) isType(r rescue, a answer, name string) (yes bool, why string, err error) {
	typ := strings.TrimSuffix(a.body.Type, "?")
	name = strings.TrimSuffix(name, "?")
	part := strings.TrimSpace(a.text)
	switch {
	case a.body.Result == "null":
		return false, "", nil
	case name == "object" || name == "System.Object" || name == "Object":
		return true, "", nil
	case isNamed(typ, name):
		return true, part + " is a " + typ, nil
	case keywordTypes[name] != "", keywordTypes[typ] != "" && typ != "object" && strings.HasSuffix(name, "]"): // nothing derives from these
		return false, part + " is a " + typ, nil
	}
	unknown := func(reason string) (bool, string, error) {
		return false, "", r.failed("whether %s (%s) is a %s cannot be told: %s", part, typ, name, reason)
	}
	head, args := mapping.GenericType(name)
	switch {
	case v.noCalls:
		return unknown("asking for its base types is a call, which is not allowed here")
	case part == "" || strings.HasSuffix(name, "]") || strings.HasPrefix(a.body.Result, "{") && strings.Contains(a.body.Result, "["):
		return unknown("netcoredbg does not say")
	}
	of := a.expr() + ".GetType()"
	at := of
	for range maxBases {
		body, err := v.again(at+".FullName", r)
		full := strings.Trim(body.Result, `"`)
		if err != nil || body.Type != "string" || full == "" {
			return unknown("netcoredbg does not say")
		}
		base, _, generic := strings.Cut(full, "`")
		if isNamed(base, head) {
			if generic || args != "" {
				return unknown("it has type arguments")
			}
			return true, part + " is a " + typ + ", which is a " + full, nil
		}
		if full == "System.Object" {
			return v.implements(r, of, part, typ, name)
		}
		at += ".BaseType"
	}
	return unknown("it has too many base types")
}

// implements tells whether a type, which is not a class of that name, has an interface of that name. A name that nothing bears is an error.
func (v *view) implements(r rescue, of, part, typ, name string) (bool, string, error) {
	head, args := mapping.GenericType(name)
	clr := head
	if args != "" {
		clr = fmt.Sprintf("%s`%d", head, strings.Count(args, ",")+1)
	}
	body, err := v.valueOf(of+`.GetInterface("`+clr+`")`, r)
	switch {
	case err != nil:
		return false, "", err
	case body.Result != "null" && args != "":
		return false, "", r.failed("whether %s (%s) is a %s cannot be told: it is a %s of some arguments", part, typ, name, head)
	case body.Result != "null":
		return true, part + " is a " + typ + ", which has the interface " + name, nil
	}
	var spaces []string
	for _, full := range []string{v.here.Name[:max(strings.IndexByte(v.here.Name+"(", '('), 0)], typ} {
		for at := strings.LastIndexByte(full, '.'); at > 0; at = strings.LastIndexByte(full, '.') {
			full = full[:at]
			spaces = append(spaces, full+".", full+"+")
		}
	}
	slices.SortStableFunc(spaces, func(a, b string) int { return strings.Count(a, "+") - strings.Count(b, "+") })
	for _, space := range append([]string{"", "System.", "System.Collections.", "System.Collections.Generic.", "System.IO."}, spaces[:min(len(spaces), 6)]...) {
		body, err := v.again(`System.Type.GetType("`+space+clr+`")`, r)
		if err == nil && body.Result != "null" {
			return false, part + " is a " + typ + ", which is no " + space + name, nil
		}
	}
	return false, "", r.failed("whether %s (%s) is a %s cannot be told: netcoredbg finds no type of that name; write it with its namespace", part, typ, name)
}
