package adapter

import (
	"strconv"
	"strings"

	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// netcoredbg compares numbers, texts, and what has an operator of its own. Not with null, nor enums and nullables, and it evaluates both sides of && and ||,
// so that `a != null && a.B > 3` fails on the right side. Measured on 3.1.2.

// logical answers an expression at its outermost &&, || or ??, the right side only when it is needed.
func (v *view) logical(r rescue, op, left, right string) (dap.EvaluateResponseBody, string, error) {
	body, note, err := v.operand(r, left)
	if err != nil {
		return body, "", err
	}
	why := "breakwire took " + op + " apart"
	decided := map[string]string{"&&": "false", "||": "true"}[op]
	if op == "??" && body.Result != "null" || body.Result == decided {
		return body, joinNotes(note, why), nil
	}
	if op != "??" {
		if err := r.isBool(body, left); err != nil {
			return body, "", err
		}
	}
	body, second, err := v.operand(r, right)
	if err == nil && op != "??" {
		err = r.isBool(body, right)
	}
	return body, joinNotes(joinNotes(note, second), why), err
}

// isBool refuses a part of the expression that has to be true or false.
func (r rescue) isBool(body dap.EvaluateResponseBody, part string) error {
	if body.Result == "true" || body.Result == "false" {
		return nil
	}
	return Errorf(EvalFailed, "%s: %s is not a bool but %s", r.text, strings.TrimSpace(part), body.Type).With("expression", r.text)
}

// grouped answers an expression in brackets, negated or not.
func (v *view) grouped(r rescue, inner string, not bool) (dap.EvaluateResponseBody, string, error) {
	body, note, err := v.operand(r, inner)
	if err == nil && not {
		err = r.isBool(body, inner)
		body.Result = strconv.FormatBool(body.Result == "false")
	}
	return body, note, err
}

// operand is the value of a part of an expression, by all means.
func (v *view) operand(r rescue, text string) (dap.EvaluateResponseBody, string, error) {
	text = strings.TrimSpace(text)
	body, err := v.valueOf(text, r.until)
	if !hasThrown(err) && (CodeOf(err) == EvalFailed || CodeOf(err) == SyntaxError) {
		return v.rescue(rescue{text: text, until: r.until, safe: r.safe, cause: AsError(err), depth: r.depth + 1})
	}
	return body, "", err
}

// joinNotes keeps a note that is there already to one time.
func joinNotes(a, b string) string {
	if b == "" || strings.HasSuffix(a, b) {
		return a
	}
	return strings.TrimPrefix(a+"; "+b, "; ")
}

// compareOne replaces one comparison that netcoredbg cannot make: by what it gives, or by one that it can make. next is "" when there is none.
func (v *view) compareOne(text string, r rescue) (next, note string, err error) {
	for _, c := range expression.Comparisons(text) {
		with, note, err := v.compare(c, r)
		if err != nil {
			return "", "", err
		}
		if with != "" {
			return text[:c.Start] + with + text[c.End:], note, nil
		}
	}
	return "", "", nil
}

func (v *view) compare(c expression.Comparison, r rescue) (with, note string, err error) {
	passed := func(err error) error { // another part of it fails; it is found by itself
		if !hasThrown(err) && (CodeOf(err) == EvalFailed || CodeOf(err) == SyntaxError) {
			return nil
		}
		return err
	}
	left, err := v.valueOf(c.Left, r.until)
	if err != nil {
		return "", "", passed(err)
	}
	right := dap.EvaluateResponseBody{Result: "null"}
	if c.Right != "null" {
		if right, err = v.valueOf(c.Right, r.until); err != nil {
			return "", "", passed(err)
		}
	}
	if with = comparedValues(c, left, right); with != "" {
		return with, "breakwire compared " + c.Left + " " + c.Op + " " + c.Right + ": netcoredbg cannot", nil
	}
	if left.Type != right.Type || left.VariablesReference == 0 || strings.HasPrefix(left.Result, "{") || strings.HasPrefix(left.Result, `"`) {
		return "", "", nil
	}
	if _, err := v.again(c.Left+".value__", r.until); err != nil {
		return "", "", passed(err)
	}
	return c.Left + ".value__ " + c.Op + " " + c.Right + ".value__", "enums compared by their numbers, value__", nil
}

// comparedValues compares with null and nullables: it gives the result, or the comparison of what is in them. It is "" for everything else.
func comparedValues(c expression.Comparison, left, right dap.EvaluateResponseBody) string {
	equality := c.Op == "==" || c.Op == "!="
	same := left.Result == right.Result
	if left.Result == "null" || right.Result == "null" { // null is equal to null alone, and not less or greater than anything
		return strconv.FormatBool(equality && same == (c.Op == "=="))
	}
	kind, other := strings.TrimSuffix(left.Type, "?"), strings.TrimSuffix(right.Type, "?")
	switch {
	case kind == left.Type && other == right.Type:
	case keywordTypes[kind] != "" && keywordTypes[other] != "":
		return literal(left) + " " + c.Op + " " + literal(right)
	case kind == other && equality && !strings.HasPrefix(left.Result, "{"): // enums, shown by their names
		return strconv.FormatBool(same == (c.Op == "=="))
	}
	return ""
}
