package inspect

import (
	"strconv"
	"strings"
	"time"

	"breakwire/adapter/fault"
	"breakwire/mapping"
	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// Nullables of .NET. netcoredbg 3.1.2 shows the value of a nullable but reads none of its members. A call on a nullable
// is right when the nullable is stored in a variable, a field or an element. On one that a getter or method has
// returned, the call reads the wrong bytes: 2024-05-06 becomes 0001-01-01.

// inner returns the value of a nullable that is not null. rounded is set when some of its digits are unknown.
func (v *View) inner(r rescue, a answer) (answer, error) {
	typ, ok := strings.CutSuffix(a.body.Type, "?")
	if !ok || a.body.Result == "null" {
		return a, nil
	}
	call := a.expr() + ".get_Value()"
	shown := a
	shown.body.Type, shown.text = typ, ""
	switch {
	case plain(typ):
	case isFloat(typ): // not all of its digits are shown
		shown.rounded = true
		if a.text == "" || v.NoCalls {
			break
		}
		if body, err := v.again(call, r); err == nil && body.Result == a.body.Result {
			return answer{body: body, text: call}, nil
		}
	case !strings.HasPrefix(a.body.Result, "{"):
		if shown.number, ok = v.namedNumber(r, typ, a.body.Result); ok &&
			!strings.ContainsAny(a.body.Result, "|, -0123456789") {
			shown.text = typ + "." + a.body.Result
		}
	case v.NoCalls:
		return a, r.failed("netcoredbg reads nothing of the %s in %s without a call, which is not allowed here", typ, a.text)
	case a.text == "" || !v.stored(r, a.text):
		return a, r.failed("netcoredbg cannot read the %s in %s: of a nullable struct that a getter or a method "+
			"returns it reads the wrong bytes; read the field behind it, "+
			"or step to where it is in a variable", typ, a.text)
	default:
		body, err := v.again(call, r)
		return answer{body: body, text: call}, err
	}
	return shown, nil
}

// stored reports whether an expression is a variable, a field or an element of an array, not the result of a getter or
// method.
func (v *View) stored(r rescue, text string) bool {
	c, ok := expression.OneChain(text)
	if !ok {
		return false
	}
	found := func(question string) bool {
		body, err := v.again(question, r)
		return err == nil && body.Result != "null"
	}
	last, before := len(c.Parts)-1, ""
	p := c.Parts[last]
	if last > 0 {
		before = c.Prefix(text, last)
	}
	switch p.Kind {
	case expression.Root:
		if l, err := v.scoped("all"); err == nil {
			if all, err := l.at(0, l.total); err == nil && hasNamed(all, p.Name) {
				return true
			}
		}
		method, _, _ := strings.Cut(v.Here.Name, "(")
		own := method[:max(strings.LastIndexByte(method, '.'), 0)]
		return found(`this.GetType().GetDeclaredField("`+p.Name+`")`) || found(`this.GetType().GetField("`+p.Name+`")`) ||
			found(`System.Type.GetType("`+own+`").GetDeclaredField("`+p.Name+`")`)
	case expression.Member:
		return found(before+`.GetType().GetDeclaredField("`+p.Name+`")`) || found(before+`.GetType().GetField("`+p.Name+`")`)
	case expression.Index:
		body, err := v.again(before, r)
		return err == nil && mapping.ArrayLengths(body.Result) != nil
	}
	return false
}

// isStored is stored for a value of a listing.
func (v *View) isStored(text string) bool {
	return v.stored(inquire(text, time.Now().Add(evaluateTimeout)), text)
}

// valueIn evaluates .HasValue, .Value and .GetValueOrDefault(x) of a nullable.
func (v *View) valueIn(r rescue, name, prefix string, body dap.EvaluateResponseBody, args []string) (answer, bool,
	error) {
	typ := strings.TrimSuffix(body.Type, "?")
	is := func(text, typ string) (answer, bool, error) {
		return answer{body: dap.EvaluateResponseBody{Result: text, Type: typ}}, true, nil
	}
	switch {
	case name == "HasValue":
		return is(strconv.FormatBool(body.Result != "null"), "bool")
	case body.Result != "null":
		a, err := v.inner(r, answer{body: body, text: prefix})
		return a, err == nil, err
	case name == "Value":
		return answer{}, false, fault.Errorf(fault.EvalFailed,
			"%s is null, so %s.Value throws System.InvalidOperationException: "+
				"Nullable object must have a value", prefix, prefix).
			With("expression", r.text).With("exceptionType", "System.InvalidOperationException").With("nullPart", prefix)
	case len(args) == 1:
		a, err := v.operand(r, args[0])
		if err == nil {
			a = v.alike(r, a, typ)
		}
		return a, err == nil, err
	case typ == "bool":
		return is("false", typ)
	case numeric(typ) && typ != "char":
		return is("0", typ)
	}
	return answer{}, false, r.failed("%s is null, so %s.%s() is the default of %s", prefix, prefix, name, typ)
}

// beyond evaluates part n of a chain, a member of a nullable's value: after ?., or one that the nullable has too. end
// is the part after the evaluated ones: the end of the chain when a ?. makes it null.
func (v *View) beyond(text string, c expression.Chain, n int, r rescue) (a answer, end int, ok bool, err error) {
	p, prefix := c.Parts[n], c.Prefix(text, n)
	shown := n+1 < len(c.Parts) && p.Name == "ToString" && len(expression.Arguments(text, c.Parts[n+1])) == 0
	body, err := v.valueOf(prefix, r)
	switch {
	case !strings.HasSuffix(body.Type, "?"), unanswered(err): // it is found separately
		return a, 0, false, nil
	case err != nil:
		return a, 0, false, err
	case body.Result == "null" && p.Null:
		return answer{body: dap.EvaluateResponseBody{Result: "null"}}, len(c.Parts), true, nil
	case body.Result == "null" && shown:
		return answer{body: dap.EvaluateResponseBody{Result: `""`, Type: "string"}, text: `""`}, n + 2, true, nil
	case body.Result == "null":
		return a, 0, false, r.failed("%s is null", prefix)
	}
	a, err = v.inner(r, answer{body: body, text: prefix})
	switch {
	case err != nil:
		return a, 0, false, err
	case a.rounded:
		return a, 0, false, r.notAllDigits()
	case a.number.Type != "" && a.text == "" && !shown, a.unnamed():
		return a, 0, false, r.failed("netcoredbg has no value %s of %s to call it on", a.body.Result, a.body.Type)
	case a.number.Type != "" && a.text == "":
		text := a.names()
		return answer{body: dap.EvaluateResponseBody{Result: text, Type: "string"}, text: text}, n + 2, true, nil
	}
	member := inBrackets(a.expr()) + "." + p.Name
	return answer{text: member, note: "evaluated as " + member}, n + 1, true, nil
}
