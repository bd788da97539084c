package tracepoints

import (
	"slices"
	"strconv"
	"strings"
)

// Delve returns the logMessage that makes Delve report the hits of the template.
//
//   - Delve tests the condition, but logs also where it is false when a step ends on the line (measured). So the
//     message has the condition's value first.
//   - Delve counts braces even in string literals, and refuses the breakpoint when they are not paired. So
//     in literals they are written as \x7b and \x7d, and raw strings become interpreted ones.
//   - Delve formats literal text, so % would have to be doubled. Expressions are not formatted, and only
//     they are sent.
//   - Function calls in a log point are an evaluation error, and so is `call f()`.
//
// Delve has one entry for a line: of two log points on one line the second is refused. A native condition that cannot
// be evaluated stops the program at every hit (reason exception, no log). Launch with showRawStrings off: the quotes
// of strings keep the fields apart.
func Delve(id, condition string, t *Template) (logMessage string, ok bool, why string) {
	if !validID(id) {
		return "", false, whyID
	}
	kind, wanted := hitKind, t.Expressions()
	if condition != "" {
		kind, wanted = conditionKind, slices.Concat([]string{condition}, wanted)
	}
	exprs := make([]string, len(wanted))
	for i, e := range wanted {
		if rest, isCall := strings.CutPrefix(e, "call"); isCall && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return "", false, "Delve does not call functions in log points"
		}
		exprs[i] = mapLiterals(e, delveLiteral)
	}
	return frame(kind, id, exprs), true, ""
}

func delveLiteral(literal string) string {
	if !strings.ContainsAny(literal, "{}") {
		return literal
	}
	if raw, ok := strings.CutPrefix(literal, "`"); ok {
		literal = strconv.Quote(strings.ReplaceAll(strings.TrimSuffix(raw, "`"), "\r", ""))
	}
	return bracesEscaper().Replace(literal)
}

// ParseDelve parses Delve's output event for such a log point:
//
//	> [Go 17]: RS Ttp-2 US 6 US "text" US {eval err: &{%!e(string=could not find symbol value for x)}} RS LF
//
// One event is one hit. Strings are quoted, so their control characters cannot be taken for the frame.
func ParseDelve(output string) (Record, bool) {
	rest, ok := strings.CutPrefix(output, "> [Go ")
	if !ok {
		return Record{}, false
	}
	goid, rest, ok := strings.Cut(rest, "]: ")
	if !ok {
		return Record{}, false
	}
	n, err := strconv.ParseUint(goid, 10, 63)
	if err != nil {
		return Record{}, false
	}
	passed := false
	id, fields, ok := unframe(rest, hitKind)
	if !ok {
		if id, fields, ok = unframe(rest, conditionKind); !ok || len(fields) == 0 {
			return Record{}, false
		}
		passed, fields = fields[0] == "false", fields[1:]
	}
	r := Record{Passed: passed, ID: id, Goroutine: int(n), Values: make([]Value, len(fields))}
	for i, f := range fields {
		r.Values[i] = delveValue(f)
	}
	return r, true
}

// delveValue parses a value. An error is in its place; formatted with %e it is &{%!e(string=text)}.
func delveValue(field string) Value {
	text, ok := strings.CutPrefix(field, "{eval err: ")
	if !ok {
		return Value{Text: Display(field, "", Go)}
	}
	text = strings.TrimSuffix(text, "}")
	if m := delveEvalError().FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	return Value{Err: ErrorText(text)}
}
