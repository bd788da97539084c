package adapter

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// netcoredbg compares numbers, texts, and what has an operator of its own. Not with null, nor enums and nullables, and it evaluates both sides of && and ||,
// so that `a != null && a.B > 3` fails on the right side. An operator that fails is answered by its sides. Measured on 3.1.2.

// conditional answers c ? a : b by its parts.
func (v *view) conditional(r rescue, condition, yes, no string) (answer, error) {
	a, err := v.operand(r, condition)
	if err != nil {
		return a, err
	}
	if err := r.isBool(a.body, "the condition "+strings.TrimSpace(condition)); err != nil {
		return a, err
	}
	branch := no
	if a.body.Result == "true" {
		branch = yes
	}
	a, err = v.operand(r, branch)
	a.note = joinNotes(a.note, "breakwire chose the branch: netcoredbg has no ?:")
	return a, err
}

// logical answers an expression at its outermost &&, || or ??, the right side only when it is needed.
func (v *view) logical(r rescue, op, left, right string) (answer, error) {
	a, err := v.operand(r, left)
	if err != nil {
		return a, err
	}
	note, why := a.note, "breakwire took "+op+" apart"
	decided := map[string]string{"&&": "false", "||": "true"}[op]
	if op == "??" && a.body.Result != "null" || a.body.Result == decided {
		a.note = joinNotes(note, why)
		return a, nil
	}
	if op != "??" {
		if err := r.isBool(a.body, left); err != nil {
			return a, err
		}
	}
	a, err = v.operand(r, right)
	if err == nil && op != "??" {
		err = r.isBool(a.body, right)
	}
	a.note = joinNotes(joinNotes(note, a.note), why)
	return a, err
}

// isBool refuses a part of the expression that has to be true or false.
func (r rescue) isBool(body dap.EvaluateResponseBody, part string) error {
	if body.Result == "true" || body.Result == "false" {
		return nil
	}
	return Errorf(EvalFailed, "%s: %s is not a bool but %s", r.text, strings.TrimSpace(part), body.Type).With("expression", r.text)
}

// grouped answers an expression in brackets, negated or not.
func (v *view) grouped(r rescue, inner string, not bool) (answer, error) {
	a, err := v.operand(r, inner)
	if err == nil && not {
		if err = r.isBool(a.body, inner); err == nil {
			a = truth(a.body.Result == "false", a.note)
		}
	}
	return a, err
}

func truth(yes bool, note string) answer {
	return answer{body: dap.EvaluateResponseBody{Result: strconv.FormatBool(yes), Type: "bool"}, note: note}
}

// joinNotes keeps a note that is there already to one time.
func joinNotes(a, b string) string {
	if b == "" || strings.HasSuffix(a, b) {
		return a
	}
	return strings.TrimPrefix(a+"; "+b, "; ")
}

// unary answers -, +, ~ and ! of what netcoredbg cannot evaluate by itself.
func (v *view) unary(r rescue, op, operand string) (answer, error) {
	a, err := v.operand(r, operand)
	if err != nil || a.body.Result == "null" && strings.HasSuffix(a.body.Type, "?") {
		return a, err
	}
	if op == "!" {
		err := r.isBool(a.body, operand)
		return truth(a.body.Result == "false", a.note), err
	}
	note := a.note
	a = v.bare(r, a)
	if n, ok := v.enumNumber(r, a); ok && op == "~" && integers[n.Type] <= -32 { // smaller ones and those without a sign have other bits
		i, _ := whole(n)
		return enumAnswer(a.body.Type, n.Type, i.Not(i)), nil
	}
	text := op + a.expr()
	body, err := v.again(text, r)
	if a.rounded || unanswered(err) {
		return a, r.failed("netcoredbg has no %s for %s", op, a.body.Type)
	}
	return answer{body: body, text: text, note: joinNotes(note, "evaluated as "+text)}, err
}

// binary answers an expression at its outermost operator that binds least.
func (v *view) binary(r rescue, op, left, right string) (answer, error) {
	l, err := v.operand(r, left)
	if err != nil {
		return l, err
	}
	if op == "is" || op == "as" {
		a, err := v.matched(r, op, l, right)
		a.note = joinNotes(l.note, a.note)
		return a, err
	}
	o, err := v.operand(r, right)
	if err != nil {
		return o, err
	}
	a, err := v.combine(r, op, l, o)
	a.note = joinNotes(joinNotes(l.note, o.note), a.note)
	return a, err
}

func isComparison(op string) bool {
	return slices.Contains([]string{"==", "!=", "<", ">", "<=", ">="}, op)
}

// combine answers an operator whose sides have values.
func (v *view) combine(r rescue, op string, l, o answer) (answer, error) {
	note := "breakwire compared " + r.text + ": netcoredbg cannot"
	if l.body.Result == "null" || o.body.Result == "null" {
		if isComparison(op) { // null is equal to null alone, and not less or greater than anything
			same := l.body.Result == o.body.Result
			return truth((op == "==" || op == "!=") && same == (op == "=="), note), nil
		}
		return r.withNull(op, l, o)
	}
	l, o = v.bare(r, l), v.bare(r, o)
	m, isEnum := v.enumNumber(r, l)
	n, alsoEnum := v.enumNumber(r, o)
	if isEnum || alsoEnum {
		switch { // 0 is a value of each enum
		case !isEnum && l.constant && l.body.Result == "0":
			m = l.body
		case !alsoEnum && o.constant && o.body.Result == "0":
			n = o.body
		case l.body.Type != o.body.Type:
			return answer{}, r.cannot(op, l, o)
		}
		return r.enums(op, l, o, m, n)
	}
	if isComparison(op) {
		yes, ok := compared(op, l.body, o.body)
		switch {
		case ok:
		case sameEnum(l.body, o.body) && (op == "==" || op == "!="):
			yes, ok = (l.body.Result == o.body.Result) == (op == "=="), true
		case (l.rounded || o.rounded) && numeric(l.body.Type) && numeric(o.body.Type):
			yes, ok = apart(op, l.body, o.body)
		}
		if ok {
			return truth(yes, note), nil
		}
	}
	if l.rounded || o.rounded {
		return answer{}, r.failed("not all digits are known without calling GetValueOrDefault()")
	}
	text := operandText(l, o) + " " + op + " " + operandText(o, l)
	body, err := v.again(text, r)
	switch {
	case err != nil && strings.Contains(err.Error()+fmt.Sprint(r.cause.Details["backendMessage"]), "divide by zero"):
		return answer{}, r.failed("it throws System.DivideByZeroException: Attempted to divide by zero").With("exceptionType", "System.DivideByZeroException")
	case unanswered(err):
		return answer{}, r.cannot(op, l, o)
	}
	return answer{body: body, text: text, note: "evaluated as " + text}, err
}

// operandText is a side of an operator: a constant beside an uint or ulong is one too, which netcoredbg does not know.
func operandText(a, other answer) string {
	if typ := other.body.Type; a.constant && (typ == "uint" || typ == "ulong") && !strings.HasPrefix(a.body.Result, "-") {
		return a.body.Result + suffixes[typ]
	}
	return a.expr()
}

// withNull is arithmetic with null: null, but a text that null is added to stays as it is.
func (r rescue) withNull(op string, l, o answer) (answer, error) {
	null, other := l, o
	if other.body.Result == "null" {
		null, other = o, l
	}
	typ := strings.TrimSuffix(other.body.Type, "?")
	switch {
	case op == "+" && typ == "string" && other.body.Result != "null":
		return answer{body: other.body, text: other.text, note: "breakwire added null to " + other.text + ": netcoredbg cannot"}, nil
	case !numeric(typ) || !strings.HasSuffix(null.body.Type, "?") && (op == "+" || !strings.Contains(null.text, "?")): // netcoredbg makes a text of a?.Length that is null
		return answer{}, r.cannot(op, l, o)
	}
	return answer{body: dap.EvaluateResponseBody{Result: "null", Type: typ + "?"}, text: "null", note: "what is done with null is null"}, nil
}

// bare is a value without the nullable around it. rounded is set when its digits cannot be had.
func (v *view) bare(r rescue, a answer) answer {
	typ, ok := strings.CutSuffix(a.body.Type, "?")
	if !ok || a.body.Result == "null" {
		return a
	}
	if !plain(typ) && a.text != "" && !v.noCalls {
		text := a.expr() + ".GetValueOrDefault()"
		if body, err := v.again(text, r); err == nil {
			return answer{body: body, text: text}
		}
	}
	a.body.Type, a.rounded = typ, a.rounded || floats[typ]
	if !strings.HasPrefix(a.body.Result, "{") {
		a.text = ""
	}
	return a
}

// enumNumber is the number of an enum; ok is false when it is none.
func (v *view) enumNumber(r rescue, a answer) (dap.EvaluateResponseBody, bool) {
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
	return body.Type != "" && keywordTypes[body.Type] == "" && body.Result != "null" && !strings.HasPrefix(body.Result, "{") && !strings.HasPrefix(body.Result, `"`)
}

// sameEnum tells whether two values are of one enum and shown by one name each: then the names tell them apart.
func sameEnum(a, b dap.EvaluateResponseBody) bool {
	return a.Type == b.Type && maybeEnum(a) && maybeEnum(b) && !strings.Contains(a.Result+b.Result, ",")
}

func enumAnswer(typ, number string, n *big.Int) answer {
	return answer{
		body:   dap.EvaluateResponseBody{Result: n.String(), Type: typ},
		number: dap.EvaluateResponseBody{Result: n.String(), Type: number},
		note:   "the enum is shown as its number, value__",
	}
}

// enums answers an operator whose sides are enums with these numbers.
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

// hasFlag answers enum.HasFlag(flag).
func (v *view) hasFlag(text string, c expression.Chain, n int, r rescue) (answer, bool, error) {
	args := expression.Arguments(text, c.Parts[n+1])
	body, short, ok, err := v.before(text, c, n, r)
	if err != nil || !ok || short || len(args) != 1 {
		return answer{}, false, err
	}
	l := answer{body: body, text: c.Prefix(text, n)}
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

// cannot explains an operator that there is none of.
func (r rescue) cannot(op string, l, o answer) *Error {
	l, o = l.named(), o.named()
	e := r.failed("operator %s cannot be applied to operands of type %s and %s by netcoredbg", op, l.body.Type, o.body.Type).With("type", l.body.Type)
	boxed := func(a answer) bool { return keywordTypes[a.body.Type] != "" && strings.HasPrefix(a.body.Result, "{") }
	enum := func(a answer) bool { return maybeEnum(a.body) && a.text != "" && a.text != "null" }
	switch {
	case boxed(l), boxed(o):
		e.Message += "; a boxed value is read by a cast, as in (int)x == 1"
	case strings.HasPrefix(l.body.Result, "{") && strings.HasPrefix(o.body.Result, "{") && (op == "==" || op == "!="):
		e.Message += "; without an operator of the type it compares neither references nor structs: compare their members"
	case enum(l) != enum(o) && (numeric(l.body.Type) || numeric(o.body.Type)):
		e.Message += "; the number of an enum is had by a cast, as in (int)color == 1"
	case l.body.Type != o.body.Type && (l.body.Type == "decimal" || o.body.Type == "decimal"):
		e.Message += "; a decimal is written 1.5m"
	}
	return e
}

// named is an answer with a type to speak of.
func (a answer) named() answer {
	if a.body.Type == "" || a.body.Result == "null" && a.text == "null" {
		a.body.Type = "null"
	}
	return a
}
