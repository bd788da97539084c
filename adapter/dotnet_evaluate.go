package adapter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"breakwire/mapping"
	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// netcoredbg's evaluator has no length of strings and arrays, no members of nullables, no conditional expression, no short names of
// runtime types, and says of a null reference what it says of a name that is not there. What has an equivalent is answered
// here; everything else is explained.

// rescue is a failed evaluation that may have an equivalent.
type rescue struct {
	text  string
	until time.Time
	safe  bool
	cause *Error
	depth int
	notes []string
}

// maxParts bounds how deep an expression is taken apart.
const maxParts = 8

// failed is the answer that there is none, with what netcoredbg has said.
func (r rescue) failed(format string, args ...any) *Error {
	return Errorf(EvalFailed, "%s: %s", r.text, fmt.Sprintf(format, args...)).
		With("expression", r.text).With("backendMessage", r.cause.Details["backendMessage"])
}

// maxRescues bounds the replacements in one expression.
const maxRescues = 12

// rescue answers an expression that netcoredbg refused, or explains why it cannot be answered.
func (v *view) rescue(r rescue) (dap.EvaluateResponseBody, string, error) {
	none := dap.EvaluateResponseBody{}
	if condition, yes, no, ok := expression.Conditional(r.text); ok && r.depth < maxParts {
		return v.conditional(r, condition, yes, no)
	}
	if op, left, right, ok := expression.Logical(r.text); ok && r.depth < maxParts {
		return v.logical(r, op, left, right)
	}
	if inner, not, ok := expression.Group(r.text); ok && r.depth < maxParts {
		return v.grouped(r, inner, not)
	}
	text := r.text
	isNull := slices.ContainsFunc(expression.Comparisons(text), func(c expression.Comparison) bool { return c.Null })
	if err := explainSyntax(r); err != nil && !isNull { // x is null is a comparison
		return none, "", err
	}
	for range maxRescues {
		next, note, answer, err := v.replaceOne(text, r)
		if err == nil && next == "" {
			next, note, err = v.compareOne(text, r)
		}
		if err != nil {
			return none, "", err
		}
		if next == "" {
			break
		}
		text = next
		r.notes = append(r.notes, note)
		if answer != nil {
			return *answer, strings.Join(r.notes, "; "), nil
		}
		body, err := v.again(text, r.until)
		if err == nil {
			return body, strings.Join(r.notes, "; "), nil
		}
		if CodeOf(err) != EvalFailed && CodeOf(err) != SyntaxError {
			return none, "", err
		}
	}
	return none, "", v.explain(text, r)
}

// again evaluates with what is left of the time.
func (v *view) again(text string, until time.Time) (dap.EvaluateResponseBody, error) {
	left := time.Until(until)
	if left <= 0 {
		return dap.EvaluateResponseBody{}, Errorf(EvalTimeout, "%s: there was no time left to answer it", text).With("expression", text)
	}
	return v.evaluate(v.here, strings.TrimSpace(text), left)
}

// valueOf is the value of a part of an expression: evaluated, or read among the frame's variables where only they can be had.
func (v *view) valueOf(text string, until time.Time) (dap.EvaluateResponseBody, error) {
	body, err := v.again(text, until)
	if err == nil && v.s.thrown(text, body) != "" && !v.holdsExceptions(text) {
		err = v.threw(text, body)
	}
	if err == nil || CodeOf(err) == EvalTimeout || strings.ContainsAny(text, ".[( ") {
		return body, err
	}
	it, werr := v.walk(text)
	if werr != nil {
		return body, err
	}
	return dap.EvaluateResponseBody{Result: it.Value, Type: it.Type, VariablesReference: it.VariablesReference}, nil
}

// hasThrown tells whether a part of an expression was evaluated, and threw.
func hasThrown(err error) bool { return err != nil && AsError(err).Details["exceptionType"] != nil }

// conditional answers c ? a : b by its parts.
func (v *view) conditional(r rescue, condition, yes, no string) (dap.EvaluateResponseBody, string, error) {
	body, _, err := v.operand(r, condition)
	if err != nil {
		return body, "", err
	}
	branch := no
	switch body.Result {
	case "true":
		branch = yes
	case "false":
	default:
		return body, "", Errorf(EvalFailed, "%s: the condition %s is not a bool but %s", r.text, strings.TrimSpace(condition), body.Type).With("expression", r.text)
	}
	body, note, err := v.operand(r, branch)
	return body, joinNotes(note, "breakwire chose the branch: netcoredbg has no ?:"), err
}

// syntaxHelp says what to write instead of what netcoredbg has not implemented.
var syntaxHelp = []struct{ kind, help string }{
	{"ObjectCreationExpression", "netcoredbg cannot create objects; evaluate members of existing ones"},
	{"ArrayCreationExpression", "netcoredbg cannot create arrays"},
	{"CastExpression", "netcoredbg has no casts: leave the cast out; members of the object's real type can be read directly, the number of an enum is its .value__"},
	{"IsExpression", "netcoredbg has no `is`: evaluate .GetType().FullName and compare the text"},
	{"IsPatternExpression", "netcoredbg has no patterns: compare with == and evaluate .GetType().FullName"},
	{"AsExpression", "netcoredbg has no `as`: read the members directly, they are those of the object's real type"},
	{"TypeOfExpression", "netcoredbg has no typeof: evaluate .GetType().FullName of an object"},
	{"Parameter", "netcoredbg has no lambdas, so no LINQ with them: read the elements with variables_get and expand"},
	{"LambdaExpression", "netcoredbg has no lambdas: read the elements with variables_get and expand"},
	{"Interpolation", "netcoredbg has no interpolated strings: join texts with +, as in \"i is \" + i"},
	{"InterpolatedString", "netcoredbg has no interpolated strings: join texts with +"},
	{"AssignmentExpression", "expressions do not assign here: use variable_set"},
	{"IncrementExpression", "expressions do not assign here: use variable_set"},
	{"DecrementExpression", "expressions do not assign here: use variable_set"},
	{"CheckedExpression", "leave checked() out"},
	{"SwitchExpression", "evaluate the parts one by one"},
	{"AwaitExpression", "netcoredbg cannot await: evaluate .Result of a completed task"},
	{"DefaultExpression", "write the value itself: 0, false or null"},
}

// explainSyntax explains what netcoredbg's evaluator does not implement; nil when it is not that.
func explainSyntax(r rescue) *Error {
	reason, _ := r.cause.Details["backendMessage"].(string)
	_, kind, ok := strings.Cut(reason, "SyntaxKindNotImplementedException: ")
	if ok {
		for _, h := range syntaxHelp {
			if strings.Contains(kind, h.kind) {
				if h.kind == "CastExpression" {
					if e := castHelp(r.text); e != "" {
						h.help = e
					}
				}
				return r.failed("%s", h.help)
			}
		}
		kind, _, _ = strings.Cut(kind, " not implemented")
		return r.failed("netcoredbg's evaluator has no %s; evaluate its parts", kind)
	}
	switch {
	case strings.Contains(reason, "expressions found"), strings.Contains(reason, "; expected"):
		return Errorf(SyntaxError, "%s: give one expression at a time", r.text).With("expression", r.text).With("backendMessage", reason)
	case r.cause.Code == SyntaxError:
		return r.cause
	}
	return nil
}

// castHelp names the expression without its cast.
func castHelp(text string) string {
	rest := strings.TrimSpace(text)
	if !strings.HasPrefix(rest, "(") {
		return ""
	}
	_, operand, ok := strings.Cut(rest, ")")
	if operand = strings.TrimSpace(operand); !ok || operand == "" {
		return ""
	}
	return "netcoredbg has no casts: evaluate " + operand + ", whose members are those of its real type; the number of an enum is " + operand + ".value__"
}

// shortNames are types of the runtime that programs name without their namespace.
var shortNames = map[string]string{
	"Math": "System", "MathF": "System", "DateTime": "System", "DateTimeOffset": "System", "DateOnly": "System", "TimeOnly": "System", "TimeSpan": "System", "Guid": "System",
	"Console": "System", "Convert": "System", "Environment": "System", "GC": "System", "Array": "System", "Enum": "System", "String": "System", "Char": "System",
	"Int32": "System", "Int64": "System", "Double": "System", "Decimal": "System", "BitConverter": "System", "Uri": "System", "Type": "System", "Activator": "System",
	"AppContext": "System", "AppDomain": "System", "Version": "System", "Random": "System", "Tuple": "System", "Nullable": "System", "Object": "System",
	"Thread": "System.Threading", "Monitor": "System.Threading", "Interlocked": "System.Threading", "ThreadPool": "System.Threading", "Timeout": "System.Threading",
	"Task": "System.Threading.Tasks", "Path": "System.IO", "File": "System.IO", "Directory": "System.IO", "Encoding": "System.Text", "Enumerable": "System.Linq",
	"CultureInfo": "System.Globalization", "Process": "System.Diagnostics", "Stopwatch": "System.Diagnostics", "Debugger": "System.Diagnostics",
	"Regex": "System.Text.RegularExpressions", "BigInteger": "System.Numerics", "RuntimeInformation": "System.Runtime.InteropServices", "Assembly": "System.Reflection",
	"JsonSerializer": "System.Text.Json",
}

// keywordTypes are the keywords of types whose static members netcoredbg finds under the full name only.
var keywordTypes = map[string]string{
	"int": "System.Int32", "long": "System.Int64", "short": "System.Int16", "byte": "System.Byte", "uint": "System.UInt32", "ulong": "System.UInt64", "ushort": "System.UInt16",
	"sbyte": "System.SByte", "double": "System.Double", "float": "System.Single", "decimal": "System.Decimal", "char": "System.Char", "bool": "System.Boolean",
	"string": "System.String", "object": "System.Object",
}

// replaceOne finds one thing in the expression that has an equivalent, and returns the expression with it. next is "" when there
// is none; answer is set when that is all of the expression. An error ends the search: a null reference.
func (v *view) replaceOne(text string, r rescue) (next, note string, answer *dap.EvaluateResponseBody, err error) {
	for _, c := range expression.Chains(text) {
		replace := func(from, to int, with string) string { return text[:from] + with + text[to:] }
		root := c.Parts[0]
		if len(c.Parts) > 1 && root.Name == "nameof" {
			continue
		}
		for i := 1; i < len(c.Parts); i++ {
			p := c.Parts[i]
			if p.Kind != expression.Member {
				continue
			}
			end := i + 1
			if end < len(c.Parts) && c.Parts[end].Kind == expression.Call {
				if p.Name != "GetValueOrDefault" {
					continue
				}
				end++
			}
			if !answerable[p.Name] {
				continue
			}
			value, ok, err := v.member(text, c, i, r)
			if err != nil {
				return "", "", nil, err
			}
			if ok {
				whole := c.Prefix(text, end)
				if value.Type != "" && whole == strings.TrimSpace(text) {
					answer = &value
				}
				return replace(c.Start, c.Parts[end-1].End, literal(value)), "breakwire answered " + whole + " itself: netcoredbg cannot", answer, nil
			}
		}
		if len(c.Parts) > 1 && c.Parts[1].Name == "Empty" && (root.Name == "string" || root.Name == "String") {
			return replace(c.Start, c.Parts[1].End, `""`), "breakwire answered " + c.Prefix(text, 2) + " itself: netcoredbg cannot", nil, nil
		}
		if len(c.Parts) > 1 && c.Parts[1].Kind == expression.Member && !c.Parts[1].Null {
			if full, ok := keywordTypes[root.Name]; ok {
				return replace(root.Start, root.End, full), "evaluated with " + full + " for " + root.Name, nil, nil
			}
			if space, ok := shortNames[root.Name]; ok {
				if _, err := v.again(root.Name, r.until); err != nil { // no variable of that name
					full := space + "." + root.Name
					return replace(root.Start, root.End, full), "evaluated with the full name " + full, nil, nil
				}
			}
		}
		if len(c.Parts) > 1 && c.Parts[1].Kind == expression.Call && root.Name != "" && !r.safe {
			body, err := v.valueOf(root.Name, r.until)
			if err == nil && isDelegate(body.Type) {
				return replace(root.End, root.End, ".Invoke"), "evaluated as " + root.Name + ".Invoke(...)", nil, nil
			}
		}
	}
	if inner, ok := nameOf(text); ok {
		return inner, "breakwire answered nameof itself", &dap.EvaluateResponseBody{Result: inner, Type: "string"}, nil
	}
	return "", "", nil, nil
}

var answerable = map[string]bool{"Length": true, "LongLength": true, "Rank": true, "Value": true, "HasValue": true, "GetValueOrDefault": true}

func isDelegate(typ string) bool {
	name, _ := mapping.GenericType(typ)
	switch name {
	case "System.Func", "System.Action", "System.Predicate", "System.Comparison", "System.Converter", "System.EventHandler":
		return true
	}
	return false
}

func nameOf(text string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "nameof(")
	if !ok || !strings.HasSuffix(rest, ")") {
		return "", false
	}
	name := strings.TrimSuffix(rest, ")")
	return `"` + strings.TrimSpace(name[strings.LastIndexByte(name, '.')+1:]) + `"`, true
}

// cutShort tells whether a chain is null by a ?. or ?[ up to its part n, whatever comes behind it.
func (v *view) cutShort(text string, c expression.Chain, n int, until time.Time) bool {
	for i, p := range c.Parts[:n+1] {
		if p.Null {
			if body, err := v.valueOf(c.Prefix(text, i), until); err == nil && body.Result == "null" {
				return true
			}
		}
	}
	return false
}

// member answers part n of a chain, a member that netcoredbg cannot read, as a value. Without a type it is only text for the expression.
func (v *view) member(text string, c expression.Chain, n int, r rescue) (dap.EvaluateResponseBody, bool, error) {
	p, prefix := c.Parts[n], c.Prefix(text, n)
	none := dap.EvaluateResponseBody{}
	value := func(text, typ string) (dap.EvaluateResponseBody, bool, error) {
		return dap.EvaluateResponseBody{Result: text, Type: typ}, true, nil
	}
	body, err := v.valueOf(prefix, r.until)
	if err != nil {
		if !hasThrown(err) && (CodeOf(err) == EvalFailed || CodeOf(err) == SyntaxError) {
			err = nil // another part of it fails; it is found by itself
		}
		return none, false, err
	}
	nullable := strings.HasSuffix(body.Type, "?")
	if body.Result == "null" && !nullable {
		if v.cutShort(text, c, n, r.until) {
			return value("null", "")
		}
		return none, false, nullReference(r.text, prefix, prefix+"."+p.Name, body.Type)
	}
	switch p.Name {
	case "Length", "LongLength", "Rank":
		if _, count, ok := mapping.ArrayText(body.Result); ok {
			if p.Name == "Rank" {
				dims := body.Result[strings.LastIndexByte(body.Result, '['):]
				return value(strconv.Itoa(strings.Count(dims, ",")+1), "int")
			}
			return value(strconv.Itoa(count), "int")
		}
		if body.Type == "string" && p.Name == "Length" {
			if !v.noCalls {
				if length, err := v.again(prefix+".get_Length()", r.until); err == nil && length.Type == "int" {
					return value(length.Result, "int")
				}
			}
			return value(strconv.Itoa(mapping.UTF16Length(body.Result)), "int")
		}
	case "HasValue":
		if nullable {
			return value(strconv.FormatBool(body.Result != "null"), "bool")
		}
	case "Value", "GetValueOrDefault":
		switch {
		case !nullable:
		case body.Result != "null" && !strings.HasPrefix(body.Result, "{"):
			return value(body.Result, strings.TrimSuffix(body.Type, "?"))
		case body.Result != "null":
			return value(prefix, "")
		case p.Name == "GetValueOrDefault":
			if strings.TrimSuffix(body.Type, "?") == "bool" {
				return value("false", "bool")
			}
			return value("0", strings.TrimSuffix(body.Type, "?"))
		default:
			return none, false, Errorf(EvalFailed, "%s is null, so %s.Value throws System.InvalidOperationException: Nullable object must have a value", prefix, prefix).
				With("expression", r.text).With("exceptionType", "System.InvalidOperationException").With("nullPart", prefix)
		}
	}
	return none, false, nil
}

// literal writes a simple value as an expression of its type.
func literal(body dap.EvaluateResponseBody) string {
	typ, text := strings.TrimSuffix(body.Type, "?"), body.Result
	switch typ {
	case "char":
		return mapping.CharText(text)
	case "float", "double":
		switch mapping.FloatText(text) {
		case "NaN":
			return "(0.0 / 0.0)"
		case "Infinity":
			return "(1.0 / 0.0)"
		case "-Infinity":
			return "(-1.0 / 0.0)"
		}
	}
	text += suffixes[typ]
	if strings.HasPrefix(text, "-") {
		return "(" + text + ")" // behind a minus it would be a decrement
	}
	return text
}

var suffixes = map[string]string{"decimal": "m", "float": "f", "long": "L", "ulong": "UL", "uint": "u"}

func nullReference(text, part, member, typ string) *Error {
	return Errorf(EvalFailed, "%s is null, so %s throws System.NullReferenceException; ?. gives null instead", part, member).
		With("expression", text).With("exceptionType", "System.NullReferenceException").With("nullPart", part).With("type", typ)
}

// explain says why an expression has no value: something in it is null, or a name is not there.
func (v *view) explain(text string, r rescue) error {
	for _, c := range expression.Chains(text) {
		for n := len(c.Parts) - 1; n >= 1; n-- {
			if c.Parts[n].Kind == expression.Call && n > 1 {
				n-- // a method is no value
			}
			prefix := c.Prefix(text, n)
			body, err := v.valueOf(prefix, r.until)
			if err != nil {
				if hasThrown(err) || CodeOf(err) != EvalFailed && CodeOf(err) != SyntaxError {
					return err
				}
				continue
			}
			if body.Result == "null" {
				if v.cutShort(text, c, n, r.until) {
					break
				}
				return nullReference(r.text, prefix, c.Prefix(text, n+1), body.Type)
			}
			if e := v.unknownMember(c, text, n, body, r); e != nil {
				return e
			}
			break
		}
	}
	return v.unknownName(text, r)
}

// unknownMember explains what is wrong with the part behind a prefix that has a value; nil when nothing is known.
func (v *view) unknownMember(c expression.Chain, text string, n int, body dap.EvaluateResponseBody, r rescue) error {
	p, prefix := c.Parts[n], c.Prefix(text, n)
	called := n+1 < len(c.Parts) && c.Parts[n+1].Kind == expression.Call
	switch {
	case p.Kind == expression.Member && called:
		return r.failed("%s.%s cannot be called like that; check its name and the types of its arguments (netcoredbg finds no extension, generic or optional ones)",
			prefix, p.Name).With("type", body.Type)
	case p.Kind == expression.Member:
		e := r.failed("%s (%s) has no member %s that netcoredbg can read", prefix, body.Type, p.Name).With("type", body.Type)
		if strings.HasPrefix(body.Type, "System.ValueTuple<") {
			e.Message += "; the names of tuple elements exist only in the source: write Item1, Item2, ... in their order"
			return e
		}
		if l, err := v.children(item{node: evaluatedNode(prefix, body), path: prefix, child: true}); err == nil && l.total > 0 {
			if items, err := l.at(0, min(l.total, 100)); err == nil {
				names := make([]string, 0, len(items))
				for _, it := range items {
					names = append(names, it.name)
				}
				e.Message += "; there are " + mapping.Clip(strings.Join(names, ", "), 300)
				if slices.Contains(names, p.Name) {
					return nil // it is not this that cannot be read
				}
				if near := mapping.Nearest(p.Name, names); near != "" {
					e.Message += "; did you mean " + near + "?"
				}
			}
		}
		return e
	case p.Kind == expression.Index && body.Type == "string":
		return Errorf(EvalFailed, "%s: netcoredbg cannot index a string: evaluate %s.Substring(i, 1)", r.text, prefix).With("expression", r.text)
	}
	return nil
}

// unknownName says which name is not there, if it is one.
func (v *view) unknownName(text string, r rescue) error {
	l, err := v.scoped("all")
	if err != nil {
		return r.cause
	}
	all, err := l.at(0, l.total)
	if err != nil {
		return r.cause
	}
	for _, c := range expression.Chains(text) {
		root := c.Parts[0]
		if root.Name == "" || strings.HasPrefix(root.Name, `"`) {
			continue
		}
		if len(c.Parts) > 1 && (c.Parts[1].Kind == expression.Member || c.Parts[1].Kind == expression.Call) && root.Name != "this" {
			if hasNamed(all, root.Name) {
				continue
			}
			if _, err := v.valueOf(text[c.Start:c.End], r.until); err == nil {
				continue
			}
			if root.Name == "System" {
				return r.failed("netcoredbg cannot evaluate %s; check its name and arguments (its evaluator has no generic, extension or params methods)", text[c.Start:c.End])
			}
			return r.failed("netcoredbg does not know %s; it is no variable of this frame, and types need their full name with the namespace, as in System.Math.Max(1, 2)",
				c.Prefix(text, 1))
		}
		if _, err := v.valueOf(root.Name, r.until); err == nil {
			continue
		}
		if root.Name == "this" {
			return Errorf(EvalFailed, "%s: there is no `this` in this frame: the method is static", r.text).With("expression", r.text)
		}
		return r.failed("%s", unknownVariable(root.Name, all).Message).With("name", root.Name)
	}
	if strings.Contains(fmt.Sprint(r.cause.Details["backendMessage"]), "0x8") {
		return r.failed("netcoredbg cannot evaluate it and does not say why; evaluate its parts one by one, types with their namespace")
	}
	return r.cause
}
