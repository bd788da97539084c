package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"breakwire/adapter/fault"
	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// netcoredbg compares numbers, texts, and types with their own operators, but not null, enums and nullables. It
// evaluates both sides of && and ||, so that `a != null && a.B > 3` fails on the right side. breakwire evaluates an
// operator that fails from its sides. Measured on 3.1.2.

// conditional evaluates c ? a : b from its parts.
func (v *View) conditional(r rescue, condition, yes, no string) (answer, error) {
	a, err := v.operand(r, condition)
	if err != nil {
		return a, err
	}
	if err := r.isBool(a.body, "the condition "+strings.TrimSpace(condition)); err != nil {
		return a, err
	}
	branch, other := no, yes
	if a.body.Result == "true" {
		branch, other = yes, no
	}
	if a, err = v.operand(r, branch); err == nil {
		a = v.alike(r, a, v.typeOf(r, other, a))
	}
	a.note = JoinNotes(a.note, "breakwire chose the branch: netcoredbg has no ?:")
	return a, err
}

// typeOf returns the type of the side that is not chosen, where it is known without evaluating the side: for literals
// and variables. Otherwise it returns "".
func (v *View) typeOf(r rescue, side string, chosen answer) string {
	c, ok := expression.OneChain(strings.TrimSpace(side))
	if typ := strings.TrimSuffix(chosen.body.Type, "?"); !plain(typ) && !isFloat(typ) || !expression.Literal(side) &&
		(!ok || len(c.Parts) > 1) {
		return ""
	}
	a, err := v.operand(r, side)
	if err != nil || a.body.Result == "null" && !strings.HasSuffix(a.body.Type, "?") {
		return ""
	}
	return a.body.Type
}

// alike converts a number to the common type of both sides of ?: or ?? in C#, the wider one.
func (v *View) alike(r rescue, a answer, typ string) answer {
	if wide := strings.TrimSuffix(typ, "?"); numeric(wide) && a.body.Result != "null" &&
		widens(strings.TrimSuffix(a.body.Type, "?"), wide) {
		if b, err := v.converted(r, a, wide); err == nil {
			b.note = a.note
			return b
		}
	}
	return a
}

// logical evaluates an expression with an outermost &&, || or ??. It evaluates the right side only when needed.
func (v *View) logical(r rescue, op, left, right string) (answer, error) {
	a, err := v.operand(r, left)
	if err != nil {
		return a, err
	}
	note, why := a.note, "breakwire took "+op+" apart"
	decided := map[string]string{"&&": "false", "||": "true"}[op]
	if op == "??" && a.body.Result != "null" {
		typ := v.typeOf(r, right, a)
		if a = v.alike(r, a, typ); typ != "" && !strings.HasSuffix(typ, "?") && plain(strings.TrimSuffix(a.body.Type, "?")) {
			a.body.Type = strings.TrimSuffix(a.body.Type, "?")
		}
	}
	if op == "??" && a.body.Result != "null" || a.body.Result == decided {
		a.note = JoinNotes(note, why)
		return a, nil
	}
	typ := a.body.Type
	if op != "??" {
		if err := r.isBool(a.body, left); err != nil {
			return a, err
		}
	}
	a, err = v.operand(r, right)
	switch {
	case err != nil:
	case op == "??":
		a = v.alike(r, a, typ)
	default:
		err = r.isBool(a.body, right)
	}
	a.note = JoinNotes(JoinNotes(note, a.note), why)
	return a, err
}

// isBool refuses a part of the expression that is not true or false.
func (r rescue) isBool(body dap.EvaluateResponseBody, part string) error {
	if body.Result == "true" || body.Result == "false" {
		return nil
	}
	return fault.Errorf(fault.EvalFailed, "%s: %s is not a bool but %s", r.text, strings.TrimSpace(part), body.Type).
		With("expression", r.text)
}

// grouped evaluates an expression in brackets, negated or not.
func (v *View) grouped(r rescue, inner string, not bool) (answer, error) {
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

// JoinNotes joins two notes and does not repeat one.
func JoinNotes(a, b string) string {
	if b == "" || strings.HasSuffix(a, b) {
		return a
	}
	return strings.TrimPrefix(a+"; "+b, "; ")
}

// unary evaluates -, +, ~ and ! of an operand that netcoredbg cannot evaluate alone.
func (v *View) unary(r rescue, op, operand string) (answer, error) {
	a, err := v.operand(r, operand)
	if err != nil || a.body.Result == "null" && strings.HasSuffix(a.body.Type, "?") {
		return a, err
	}
	if op == "!" {
		err := r.isBool(a.body, operand)
		return truth(a.body.Result == "false", a.note), err
	}
	note := a.note
	if a, err = v.inner(r, a); err != nil {
		return a, err
	}
	// smaller and unsigned types have other bits
	if n, ok := v.enumNumber(r, a); ok && op == "~" && integers()[n.Type] <= -32 {
		i, _ := whole(n)
		return enumAnswer(a.body.Type, n.Type, i.Not(i)), nil
	}
	text := op + a.expr()
	body, err := dap.EvaluateResponseBody{}, error(nil)
	if !a.rounded {
		body, err = v.again(text, r)
	}
	if a.rounded || unanswered(err) {
		return a, r.failed("netcoredbg has no %s for %s", op, a.body.Type)
	}
	return answer{body: body, text: text, note: JoinNotes(note, "evaluated as "+text)}, err
}

// binary evaluates an expression by its outermost operator.
func (v *View) binary(r rescue, op, left, right string) (answer, error) {
	l, err := v.operand(r, left)
	if err != nil {
		return l, err
	}
	if op == "is" || op == "as" {
		a, err := v.matched(r, op, l, right)
		a.note = JoinNotes(l.note, a.note)
		return a, err
	}
	o, err := v.operand(r, right)
	if err != nil {
		return o, err
	}
	a, err := v.combine(r, op, l, o)
	a.note = JoinNotes(JoinNotes(l.note, o.note), a.note)
	return a, err
}

func isComparison(op string) bool {
	return slices.Contains([]string{"==", "!=", "<", ">", "<=", ">="}, op)
}

// combine evaluates an operator on two values.
func (v *View) combine(r rescue, op string, l, o answer) (answer, error) {
	note := "breakwire compared " + r.text + ": netcoredbg cannot"
	if l.body.Result == "null" || o.body.Result == "null" {
		if isComparison(op) { // null is equal to null alone, and not less or greater than anything
			same := l.body.Result == o.body.Result
			return truth((op == "==" || op == "!=") && same == (op == "=="), note), nil
		}
		return r.withNull(op, l, o)
	}
	if (op == "==" || op == "!=") && (l.object || o.object) {
		e := r.cannot(op, l, o)
		e.Message += "; of an object it compares references: leave the cast out to compare the values"
		return answer{}, e
	}
	if (op == "==" || op == "!=") && sameEnum(l, o) {
		return truth((l.body.Result == o.body.Result) == (op == "=="), note), nil
	}
	l, err := v.inner(r, l)
	if err != nil {
		return l, err
	}
	if isBox(l.body) != isBox(o.body) && l.body.Type != "string" && o.body.Type != "string" { // of a dynamic object
		if l, err = v.unboxed(r, l, ""); err != nil {
			return l, err
		}
		if o, err = v.unboxed(r, o, ""); err != nil {
			return o, err
		}
	}
	if o, err = v.inner(r, o); err != nil {
		return o, err
	}
	if op == "+" && !l.rounded && !o.rounded && (l.body.Type == "string" || o.body.Type == "string") {
		return v.joined(r, l, o)
	}
	m, isEnum := v.enumNumber(r, l)
	n, alsoEnum := v.enumNumber(r, o)
	if isEnum || alsoEnum {
		switch { // 0 is a value of every enum
		case !isEnum && l.constant && l.body.Result == "0":
			m = l.body
		case !alsoEnum && o.constant && o.body.Result == "0":
			n = o.body
		case !isEnum || !alsoEnum || l.body.Type != o.body.Type:
			return answer{}, r.cannot(op, l, o)
		}
		return r.enums(op, l, o, m, n)
	}
	if isComparison(op) {
		yes, ok := compared(op, l.body, o.body)
		switch {
		case ok:
		case (l.rounded || o.rounded) && numeric(l.body.Type) && numeric(o.body.Type):
			yes, ok = apart(op, l.body, o.body)
		}
		if ok {
			return truth(yes, note), nil
		}
	}
	if l.rounded || o.rounded {
		return answer{}, r.notAllDigits()
	}
	text := operandText(l, o) + " " + op + " " + operandText(o, l)
	body, err := v.again(text, r)
	switch {
	case err != nil && strings.Contains(err.Error()+fmt.Sprint(r.cause.Details["backendMessage"]), "divide by zero"):
		return answer{}, r.failed("it throws System.DivideByZeroException: Attempted to divide by zero").
			With("exceptionType", "System.DivideByZeroException")
	case unanswered(err):
		return answer{}, r.cannot(op, l, o)
	}
	return answer{body: body, text: text, note: "evaluated as " + text}, err
}

func (r rescue) notAllDigits() *fault.Error {
	return r.failed("not all digits are known: netcoredbg shows 16 of a double and 8 of a float, and of a nullable " +
		"that a getter returns, or without calls, no more can be had")
}

// joined concatenates a text and another value. netcoredbg concatenates only simple types.
func (v *View) joined(r rescue, l, o answer) (answer, error) {
	side := func(a answer) string {
		if a.number.Type != "" && a.text == "" {
			return a.names()
		}
		if a.text == "" || v.NoCalls || a.body.Type == "string" || keywordTypes()[a.body.Type] != "" &&
			a.body.Type != "decimal" && !strings.HasPrefix(a.body.Result, "{") {
			return a.expr()
		}
		return inBrackets(a.text) + ".ToString()"
	}
	if l.unnamed() || o.unnamed() || l.lone() || o.lone() {
		return answer{}, r.cannot("+", l, o)
	}
	text := side(l) + " + " + side(o)
	body, err := v.again(text, r)
	if unanswered(err) {
		return answer{}, r.cannot("+", l, o)
	}
	return answer{body: body, text: text, note: "evaluated as " + text}, err
}

// unnamed reports whether only the number of an enum is known. Its text would be its names.
func (a answer) unnamed() bool {
	return a.number.Type != "" && a.text == "" && a.body.Result == a.number.Result
}

// names returns the text of flags.
func (a answer) names() string { return strconv.Quote(strings.ReplaceAll(a.body.Result, " | ", ", ")) }

// inBrackets returns an expression with brackets where a call on it needs them.
func inBrackets(text string) string {
	if _, ok := expression.OneChain(text); ok {
		return text
	}
	return "(" + text + ")"
}

// operandText returns a side of an operator. A constant beside a uint or ulong gets its suffix, since netcoredbg does
// not convert it.
func operandText(a, other answer) string {
	if typ := other.body.Type; a.constant && (typ == "uint" || typ == "ulong") && !strings.HasPrefix(a.body.Result, "-") {
		return a.body.Result + suffixes()[typ]
	}
	return a.expr()
}

// withNull evaluates arithmetic with null: the result is null, but a text plus null is the text.
func (r rescue) withNull(op string, l, o answer) (answer, error) {
	null, other := l, o
	if other.body.Result == "null" {
		null, other = o, l
	}
	typ := strings.TrimSuffix(other.body.Type, "?")
	switch {
	case op == "+" && typ == "string" && other.body.Result != "null":
		return answer{body: other.body, text: other.text, note: "breakwire added null to " + other.text +
			": netcoredbg cannot"}, nil
	case !numeric(typ) || !strings.HasSuffix(null.body.Type, "?") && (op == "+" || !strings.Contains(null.text, "?")):
		// netcoredbg makes a text of a?.Length that is null
		return answer{}, r.cannot(op, l, o)
	}
	return answer{body: dap.EvaluateResponseBody{Result: "null", Type: typ + "?"}, text: "null",
		note: "what is done with null is null"}, nil
}

// cannot returns the error for an operator that does not exist.
func (r rescue) cannot(op string, l, o answer) *fault.Error {
	l, o = l.named(), o.named()
	e := r.failed("operator %s cannot be applied to operands of type %s and %s by netcoredbg", op, l.body.Type,
		o.body.Type).With("type", l.body.Type)
	enum := func(a answer) bool { return maybeEnum(a.body) && a.text != "" && a.text != "null" }
	switch {
	case isBox(l.body), isBox(o.body):
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

// named returns an answer with a type for messages.
func (a answer) named() answer {
	if a.body.Type == "" || a.body.Result == "null" && a.text == "null" {
		a.body.Type = "null"
	}
	return a
}
