package tracepoints

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// debugpyHelper is the function that is installed in the program's builtins. It must not contain a brace (debugpy
// pairs braces even in literals) or a percent sign.
//
//go:embed debugpy_helper.py
var debugpyHelper string

// Names of the helper's functions there. They change with the helper's text or arguments.
const (
	debugpyName = "_breakwire_hit_3"
	debugpyPass = "_breakwire_pass_3"
)

// debugpyCall returns the call of a helper's function, which installs the helper the first time.
func debugpyCall(function, args string) string {
	builtins := `__import__("builtins")`
	return fmt.Sprintf(`(lambda b,g,l:(getattr(b,"%[1]s",None)or(exec(%[2]s,dict(b=b)),b.%[1]s)[1])(%[3]s,g,l))`+
		`(%[4]s,%[4]s.globals(),%[4]s.locals())`, function, pythonLiteral(debugpyHelper), args, builtins)
}

// Debugpy returns the logMessage that makes debugpy report the hits of the template whose condition holds.
//
// debugpy's own log points do not report the thread, replace the whole message by an exception's text when one
// expression fails, pass on control characters in values, and drop hits without an error when a condition fails. So
// the message is one expression that calls a helper, and installs it the first time. The helper evaluates the
// condition and each expression separately and returns JSON with the thread.
//
// The user's expressions are passed as string literals and compiled one by one in the program. So a syntax error is
// an error of that expression, and text such as `k)+(1` cannot break out. When the condition is false the helper
// returns "", for which debugpy prints nothing. So no native condition is set with it; debugpy would combine it with
// a native hit condition by or.
//
// Hits are not ordered against the program's own output. At exit debugpy drops what it has not sent yet, and its
// adapter what it has not passed on. So the helper lets at most 500 hits wait in the program. It holds back the
// program's end (also os._exit) until the session confirms that it has the hits (ParseDebugpyEnd), as long as something
// moves every four seconds.
func Debugpy(id, condition string, t *Template) (logMessage string, ok bool, why string) {
	if !validID(id) {
		return "", false, whyID
	}
	var exprs strings.Builder
	for _, e := range t.Expressions() {
		exprs.WriteString(pythonLiteral(e) + ",")
	}
	return "{" + debugpyCall(debugpyName, fmt.Sprintf(`"%s",%s,(%s)`, id,
		pythonLiteral(strings.TrimSpace(condition)), exprs.String())) + "}", true, ""
}

// DebugpyCondition returns the condition of a breakpoint that debugpy tests at each pass: the user's condition, then
// the hit condition. base is the number of hits that were counted before.
//
// debugpy's own conditions fail silently, and its hit conditions are or-ed with them. The helper replaces the text,
// which debugpy would compile at each pass, by its code. It catches errors, which halt, counts the passes of each id
// that do not halt, and reports them: with each pass that halts, before the stop, and a few times a second otherwise.
func DebugpyCondition(id, condition string, hits HitCondition, base uint64) (text string, ok bool) {
	if !validID(id) {
		return "", false
	}
	return debugpyCall(debugpyPass, fmt.Sprintf(`"%s",%s,"%s",%d,%d`, id, pythonLiteral(strings.TrimSpace(condition)),
		hits.op, hits.n, base)), true
}

// Pass is what the helper of DebugpyCondition reports of a breakpoint.
type Pass struct {
	ID     string
	Halts  bool   // this pass is a hit that halts its thread
	Thread int    // of this pass, 0 when unknown
	Error  string // why the condition could not be evaluated at this pass
	// Silent and False count, since the program began, the hits that the hit condition let pass and the passes at which
	// the condition was false.
	Silent, False uint64
}

// ParseDebugpyPass parses debugpy's output event for such a report: RS "H" or "C" id US json RS LF. The JSON is
// [thread, silent, false, condition's error or null].
func ParseDebugpyPass(output string) (Pass, bool) {
	rest, halts := strings.CutPrefix(output, recordMark+"H")
	if !halts {
		var ok bool
		if rest, ok = strings.CutPrefix(output, recordMark+"C"); !ok {
			return Pass{}, false
		}
	}
	id, fields, ok := unframe(recordMark+hitKind+rest, hitKind)
	if !ok || len(fields) != 1 {
		return Pass{}, false
	}
	p := Pass{ID: id, Halts: halts}
	var failure *string
	answer := []any{&p.Thread, &p.Silent, &p.False, &failure}
	if err := json.Unmarshal([]byte(fields[0]), &answer); err != nil || len(answer) != 4 {
		return Pass{}, false
	}
	if failure != nil {
		p.Error = ErrorText(*failure)
	}
	return p, true
}

// DebugpyReceived is the request that confirms the report of ParseDebugpyEnd, with its arguments.
var DebugpyReceived = struct {
	Command   string
	Arguments map[string]string
}{"setDebuggerProperty", map[string]string{"breakwire": "received"}}

// ParseDebugpyEnd parses debugpy's output event for the helper's report before the program's end: the numbers of hits
// by tracepoint, all of which have been sent before. RS "E" "hits" US json RS LF.
func ParseDebugpyEnd(output string) (hits map[string]uint64, ok bool) {
	rest, ok := strings.CutPrefix(output, recordMark+"E")
	if !ok {
		return nil, false
	}
	_, fields, ok := unframe(recordMark+hitKind+rest, hitKind)
	if !ok || len(fields) != 1 {
		return nil, false
	}
	err := json.Unmarshal([]byte(fields[0]), &hits)
	return hits, err == nil
}

// ParseDebugpy parses debugpy's output event for such a log point: RS T id US json RS LF. The JSON is [thread id,
// thread name, condition's error or null, [[1, text] or [0, error], ...]]. One event is one hit.
func ParseDebugpy(output string) (Record, bool) {
	id, fields, ok := unframe(output, hitKind)
	if !ok || len(fields) != 1 {
		return Record{}, false
	}
	var (
		r      = Record{ID: id}
		cond   *string
		values [][2]any
	)
	answer := []any{&r.Thread, &r.ThreadName, &cond, &values}
	if err := json.Unmarshal([]byte(fields[0]), &answer); err != nil || len(answer) != 4 {
		return Record{}, false
	}
	if cond != nil {
		r.ConditionError = ErrorText(*cond)
	}
	r.Values = make([]Value, len(values))
	for i, v := range values {
		text, isText := v[1].(string)
		good, isNumber := v[0].(float64)
		if !isText || !isNumber {
			return Record{}, false
		}
		if good == 1 {
			r.Values[i].Text = text
		} else {
			r.Values[i].Err = ErrorText(text)
		}
	}
	return r, true
}

// pythonLiteral returns any text as a Python string literal of printable ASCII without braces.
func pythonLiteral(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f || r == '{' || r == '}':
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x7f:
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
