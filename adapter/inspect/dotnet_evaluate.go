package inspect

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"breakwire/adapter/fault"
	"breakwire/mapping"
	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// netcoredbg's evaluator has no length of strings and arrays, no members of nullables, no conditional expression and no
// short names of runtime types, and it reports a null reference like an unknown name. This file evaluates what has an
// equivalent, and explains the other failures.

// rescue is a failed evaluation that may have an equivalent.
type rescue struct {
	text  string
	cause *fault.Error
	depth int
	notes []string
	*inquiry
}

// inquiry records the questions for one expression, so that nothing is evaluated twice, which would repeat its calls,
// and the number of questions is bounded.
type inquiry struct {
	until time.Time
	times int
	known map[string]learned
}

type learned struct {
	body dap.EvaluateResponseBody
	err  error
}

const (
	maxParts   = 8       // depth of the parts of an expression
	maxRescues = 12      // replacements in one part
	maxAsked   = 200     // questions for one expression
	maxTaken   = 1 << 10 // bytes of an expression that is taken apart; nested brackets are read repeatedly
)

// answer is the value of an expression, or of a part of one.
type answer struct {
	body dap.EvaluateResponseBody
	// text is an expression that netcoredbg evaluates to the value; "" when there is none
	text     string
	number   dap.EvaluateResponseBody // of an enum, once known
	constant bool                     // a number literal in the expression
	rounded  bool                     // its last digits are unknown
	digits   bool                     // all digits of a double or float are known
	object   bool                     // it was cast to object: == compares references
	note     string
}

// failed returns the error of an expression without an equivalent, with netcoredbg's message.
func (r rescue) failed(format string, args ...any) *fault.Error {
	return fault.Errorf(fault.EvalFailed, "%s", About(r.text, fmt.Sprintf(format, args...))).
		With("expression", r.text).With("backendMessage", r.cause.Details["backendMessage"])
}

// inquire begins the questions for an expression.
func inquire(text string, until time.Time) rescue {
	return rescue{text: strings.TrimSpace(text), inquiry: &inquiry{until: until, known: map[string]learned{}}}
}

// notSent marks the cause of an expression that netcoredbg would answer wrong, and was not asked for.
const notSent = "notSent"

// rescue evaluates an expression that netcoredbg refused, or explains why it cannot be evaluated.
func (v *View) rescue(r rescue, cause *fault.Error) (answer, error) {
	if r.cause = cause; cause.Details[notSent] == nil {
		r.known[r.text] = learned{err: cause}
	}
	if reason, _ := cause.Details["backendMessage"].(string); reason != "" {
		if err := unparsed(r.text, reason); err != nil {
			return answer{}, err
		}
	}
	if len(r.text) > maxTaken {
		if err := explainSyntax(r); err != nil {
			return answer{}, err
		}
		return answer{}, r.cause
	}
	if a, ok, err := v.interpret(r); ok {
		return a, err
	}
	return v.solve(r)
}

// solve is rescue for an expression and its parts.
func (v *View) solve(r rescue) (answer, error) {
	if r.depth < maxParts {
		if condition, yes, no, ok := expression.Conditional(r.text); ok {
			return v.conditional(r, condition, yes, no)
		}
		if op, left, right, ok := expression.Logical(r.text); ok {
			return v.logical(r, op, left, right)
		}
		if op, left, right, ok := expression.Binary(r.text); ok {
			return v.binary(r, op, left, right)
		}
		if inner, not, ok := expression.Group(r.text); ok {
			return v.grouped(r, inner, not)
		}
		if typ, operand, ok := expression.Cast(r.text); ok {
			return v.cast(r, typ, operand)
		}
		if op, operand, ok := expression.Unary(r.text); ok {
			return v.unary(r, op, operand)
		}
	}
	text := r.text
	for range maxRescues {
		with, err := v.replaceOne(text, r)
		if err != nil {
			return answer{}, err
		}
		if with == nil {
			break
		}
		r.notes = append(r.notes, with.note)
		if with.whole(text) && with.body.Type != "" {
			with.note = strings.Join(r.notes, "; ")
			return with.answer, nil
		}
		text = text[:with.start] + with.expr() + text[with.end:]
		body, err := v.again(text, r)
		if err == nil {
			return answer{body: body, text: text, note: strings.Join(r.notes, "; ")}, nil
		}
		if !unanswered(err) {
			return answer{}, err
		}
	}
	if err := explainSyntax(r); err != nil {
		return answer{}, err
	}
	return answer{}, v.explain(text, r)
}

// unanswered reports whether an evaluation failed in a way that may have an equivalent.
func unanswered(err error) bool {
	return !hasThrown(err) && (fault.CodeOf(err) == fault.EvalFailed || fault.CodeOf(err) == fault.SyntaxError) &&
		fault.AsError(err).
			Details["questions"] == nil && fault.AsError(err).Details["argument"] == nil
}

// again evaluates what was not asked yet, within the time that is left.
func (v *View) again(text string, r rescue) (dap.EvaluateResponseBody, error) {
	text = strings.TrimSpace(text)
	if a, ok := constant(text); ok {
		return a.body, nil
	}
	if k, ok := r.known[text]; ok {
		return k.body, k.err
	}
	left := time.Until(r.until)
	switch {
	case left <= 0:
		return dap.EvaluateResponseBody{}, fault.Errorf(fault.EvalTimeout, "%s: there was no time left to answer it", text).
			With("expression", text)
	case r.times >= maxAsked:
		return dap.EvaluateResponseBody{}, fault.Errorf(fault.EvalFailed,
			"%s: it takes netcoredbg more than %d questions: evaluate its parts", r.text, maxAsked).
			With("expression", r.text).With("questions", r.times)
	}
	r.times++
	body, err := v.evaluate(v.Here, text, left)
	if err == nil {
		err = v.misread(r, text)
	}
	r.known[text] = learned{body, err}
	return body, err
}

// valueOf returns the value of a part of an expression: evaluated, or read among the frame's variables.
func (v *View) valueOf(text string, r rescue) (dap.EvaluateResponseBody, error) {
	body, err := v.again(text, r)
	if err == nil && ThrownBy(v.Profile.Language, text, body) != "" && !v.holdsExceptions(text) {
		err = v.threw(text, body)
	}
	if err == nil || fault.CodeOf(err) == fault.EvalTimeout || strings.ContainsAny(text, ".[( ") {
		return body, err
	}
	it, werr := v.walk(text)
	if werr != nil {
		return body, err
	}
	return dap.EvaluateResponseBody{Result: it.Value, Type: it.Type, VariablesReference: it.VariablesReference}, nil
}

// operand returns the value of a part of an expression, with an equivalent if needed.
func (v *View) operand(r rescue, text string) (answer, error) {
	text = strings.TrimSpace(text)
	if a, ok := constant(text); ok {
		return a, nil
	}
	body, err := v.valueOf(text, r)
	if unanswered(err) {
		return v.solve(rescue{text: text, cause: fault.AsError(err), depth: r.depth + 1, inquiry: r.inquiry})
	}
	return answer{body: body, text: text}, err
}

// hasThrown reports whether a part of an expression was evaluated and threw.
func hasThrown(err error) bool {
	return err != nil && fault.AsError(err).Details["exceptionType"] != nil
}

// replacement is a part of an expression and the text that replaces it.
type replacement struct {
	answer
	start, end int
}

// whole reports whether the replacement covers the whole expression.
func (p replacement) whole(text string) bool { return p.start == 0 && p.end == len(text) }

// replaceOne finds one part of an expression that has an equivalent; nil when there is none. An error, a null reference
// for example, ends the search.
func (v *View) replaceOne(text string, r rescue) (*replacement, error) {
	written := func(from, to int, with, note string) (*replacement, error) {
		return &replacement{answer{text: with, note: note}, from, to}, nil
	}
	if start, end, name, ok := expression.NameOf(text); ok {
		name = `"` + name + `"`
		return &replacement{answer{body: dap.EvaluateResponseBody{Result: name, Type: "string"}, text: name,
			note: "breakwire answered nameof itself"}, start, end}, nil
	}
	for _, c := range expression.Chains(text) {
		root := c.Parts[0]
		if root.Name == "" { // a group: it may have no equivalent as a whole, but one inside
			a, err := v.operand(r, text[root.Start:root.End])
			// otherwise it is a cast
			if _, isType := expression.TypeName(strings.Trim(text[root.Start:root.End], "()")); err != nil && !isType {
				return nil, err
			}
			if err == nil && a.note != "" {
				return &replacement{answer{text: a.expr(), note: a.note}, root.Start, root.End}, nil
			}
		}
		for i := 1; i < len(c.Parts); i++ {
			a, end, ok, err := v.link(text, c, i, r)
			if err != nil {
				return nil, err
			}
			// otherwise the next part is a member of the enum, not of its number
			if ok && (a.number.Type == "" || a.text != "" || end == len(c.Parts)) {
				if a.note == "" {
					a.note = "breakwire answered " + c.Prefix(text, end) + " itself: netcoredbg cannot"
				}
				return &replacement{a, c.Start, c.Parts[end-1].End}, nil
			}
		}
		if len(c.Parts) > 1 && c.Parts[1].Name == "Empty" && (root.Name == "string" || root.Name == "String") {
			return written(c.Start, c.Parts[1].End, `""`, "breakwire answered "+c.Prefix(text, 2)+" itself: netcoredbg cannot")
		}
		if len(c.Parts) > 1 && c.Parts[1].Kind == expression.Member && !c.Parts[1].Null {
			if full, ok := keywordTypes()[root.Name]; ok {
				return written(root.Start, root.End, full, "evaluated with "+full+" for "+root.Name)
			}
			if space, ok := shortNames()[root.Name]; ok {
				if _, err := v.again(root.Name, r); err != nil { // not a variable
					full := space + "." + root.Name
					return written(root.Start, root.End, full, "evaluated with the full name "+full)
				}
			}
		}
		if len(c.Parts) > 1 && c.Parts[1].Kind == expression.Call && root.Name != "" && !v.NoCalls {
			body, err := v.valueOf(root.Name, r)
			if err == nil && isDelegate(body.Type) {
				return written(root.End, root.End, ".Invoke", "evaluated as "+root.Name+".Invoke(...)")
			}
		}
		for _, p := range c.Parts {
			if with, err := v.argument(text, p, r); with != nil || err != nil {
				return with, err
			}
		}
	}
	return v.reworded(text, r)
}

// argument replaces an argument of a call or index that netcoredbg cannot evaluate alone.
func (v *View) argument(text string, p expression.Part, r rescue) (*replacement, error) {
	at := p.Start
	for _, arg := range expression.Arguments(text, p) {
		at += strings.Index(text[at:p.End], arg)
		from := at
		at += len(arg)
		if !expression.Cuts(arg) {
			continue
		}
		a, err := v.operand(r, arg)
		if err != nil {
			return nil, err
		}
		if a.note != "" && (a.number.Type == "" || a.text != "") {
			return &replacement{answer{text: a.expr(), note: a.note}, from, at}, nil
		}
	}
	return nil, nil
}

// link evaluates a chain up to its part n, when netcoredbg cannot. end is the part after the evaluated ones.
func (v *View) link(text string, c expression.Chain, n int, r rescue) (a answer, end int, ok bool, err error) {
	p := c.Parts[n]
	end = n + 1
	called := end < len(c.Parts) && c.Parts[end].Kind == expression.Call
	switch {
	case p.Kind == expression.Index:
		a, ok, err = v.element(text, c, n, r)
	case p.Kind != expression.Member:
	case called && ofSequence(p.Name) && len(expression.Arguments(text, c.Parts[end])) == 0:
		end++
		a, ok, err = v.sequence(text, c, n, r)
	case called && p.Name == "HasFlag":
		end++
		a, ok, err = v.hasFlag(text, c, n, r)
	case p.Null && !answerable(p.Name), called && ofNullable(p.Name):
		a, end, ok, err = v.beyond(text, c, n, r)
	case called && p.Name != "GetValueOrDefault":
	case answerable(p.Name):
		if called {
			end++
		}
		a, ok, err = v.member(text, c, n, r)
	}
	return a, end, ok, err
}

// answerable reports whether breakwire evaluates a member of a nullable or an array.
func answerable(name string) bool {
	switch name {
	case "Length", "LongLength", "Rank", "Value", "HasValue", "GetValueOrDefault":
		return true
	}
	return false
}

func isDelegate(typ string) bool {
	name, _ := mapping.GenericType(typ)
	switch name {
	case "System.Func", "System.Action", "System.Predicate", "System.Comparison", "System.Converter",
		"System.EventHandler":
		return true
	}
	return false
}

// cutShort reports whether a ?. or ?[ up to part n makes the whole chain null.
func (v *View) cutShort(text string, c expression.Chain, n int, r rescue) bool {
	for i, p := range c.Parts[:n+1] {
		if p.Null {
			if body, err := v.valueOf(c.Prefix(text, i), r); err == nil && body.Result == "null" {
				return true
			}
		}
	}
	return false
}

// before returns the value of a chain before its part n. short is set when that value is null and a ?. makes the whole
// chain null.
func (v *View) before(text string, c expression.Chain, n int, r rescue) (body dap.EvaluateResponseBody, short, ok bool,
	err error) {
	prefix := c.Prefix(text, n)
	body, err = v.valueOf(prefix, r)
	switch {
	case unanswered(err): // another part of it fails; that part is found separately
		return body, false, false, nil
	case err != nil:
		return body, false, false, err
	case body.Result != "null" || strings.HasSuffix(body.Type, "?"):
		return body, false, true, nil
	case v.cutShort(text, c, n, r):
		return body, true, true, nil
	}
	return body, false, false, nullReference(r.text, prefix, c.Prefix(text, n+1), body.Type)
}

// member evaluates part n of a chain, a member that netcoredbg cannot read. An answer without a type is only a text for
// the expression.
func (v *View) member(text string, c expression.Chain, n int, r rescue) (answer, bool, error) {
	p, prefix := c.Parts[n], c.Prefix(text, n)
	none := answer{}
	value := func(text, typ string) (answer, bool, error) {
		return answer{body: dap.EvaluateResponseBody{Result: text, Type: typ}}, true, nil
	}
	body, short, ok, err := v.before(text, c, n, r)
	switch {
	case err != nil || !ok:
		return none, false, err
	case short:
		return value("null", "")
	}
	switch p.Name {
	case "Length", "LongLength", "Rank":
		if _, count, ok := mapping.ArrayText(body.Result); ok {
			if p.Name == "Rank" {
				return value(strconv.Itoa(len(mapping.ArrayLengths(body.Result))), "int")
			}
			return answer{body: counted(p.Name, count)}, true, nil
		}
		if body.Type == "string" && p.Name == "Length" {
			if !v.NoCalls {
				if length, err := v.again(prefix+".get_Length()", r); err == nil && length.Type == "int" {
					return value(length.Result, "int")
				}
			}
			a, ok, err := value(strconv.Itoa(mapping.UTF16Length(body.Result)), "int")
			a.note = "breakwire counted what is shown of " + prefix + ": a NUL would end it"
			return a, ok, err
		}
	default:
		var args []string
		if n+1 < len(c.Parts) && c.Parts[n+1].Kind == expression.Call {
			args = expression.Arguments(text, c.Parts[n+1])
		}
		if strings.HasSuffix(body.Type, "?") {
			return v.valueIn(r, p.Name, prefix, body, args)
		}
		if p.Name == "GetValueOrDefault" && !v.NoCalls { // a method of a type of the program
			call := prefix + ".GetValueOrDefault (" + strings.Join(args, ",") + ")"
			body, err := v.again(call, r)
			return answer{body: body, text: call}, err == nil, nil
		}
	}
	return none, false, nil
}
