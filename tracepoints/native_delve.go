package tracepoints

import (
	"strconv"
	"strings"
)

// Delve returns the logMessage that makes Delve report hits of the template.
//
//   - Delve counts braces without looking at string literals, and refuses the breakpoint when they do
//     not pair up: in literals they are written as \x7b and \x7d. Raw strings become interpreted ones for it.
//   - Its literal text goes through a format, so % would have to be doubled; expressions do not, and only they are
//     sent.
//   - Function calls are an evaluation error in a log point, and `call f()` is too.
//
// One entry of Delve's stands for a line: two log points on one line are refused, the first wins. A native condition
// that cannot be evaluated stops the program at every hit (reason exception, no log). Launch with showRawStrings off:
// quoted strings are what keeps the fields apart.
func Delve(id string, t *Template) (logMessage string, ok bool, why string) {
	if !validID(id) {
		return "", false, whyID
	}
	exprs := make([]string, len(t.Expressions()))
	for i, e := range t.Expressions() {
		if rest, isCall := strings.CutPrefix(e, "call"); isCall && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return "", false, "Delve does not call functions in log points"
		}
		exprs[i] = mapLiterals(e, delveLiteral)
	}
	return frame(id, exprs), true, ""
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

// ParseDelve reads Delve's output event for such a log point:
//
//	> [Go 17]: RS Ttp-2 US 6 US "text" US {eval err: &{%!e(string=could not find symbol value for x)}} RS LF
//
// One event is one hit. Strings come quoted, so control characters of theirs cannot look like the frame.
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
	id, fields, ok := unframe(rest)
	if !ok {
		return Record{}, false
	}
	r := Record{ID: id, Goroutine: int(n), Values: make([]Value, len(fields))}
	for i, f := range fields {
		r.Values[i] = delveValue(f)
	}
	return r, true
}

// delveValue: an error stands in place of the value; formatting errors with %e it prints &{%!e(string=text)}.
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
