package tracepoints

import (
	"regexp"
	"strings"
	"sync"
)

// lldbPath matches what lldb-dap reads as a variable path, without compiling.
var lldbPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*|\[\d+\])*$`)
})

// lldbThread is an expression whose value differs between threads; lldb-dap's log points do not name the thread.
const lldbThread = "$fs_base"

// LLDB returns the logMessage that makes lldb-dap report the hits of the template.
//
// Only plain variable paths are accepted. Anything else is compiled (297 instead of 700 hits a second), and an
// expression that calls a function while threads run loses most hits (82 of 200 arrived). Paths have no braces and no
// backslashes, so nothing needs an escape; a backslash at the end of literal text would make a breakpoint that stops.
// The event has neither source nor line, so the id must identify the place. The breakpoint must not have a hit
// condition (lldb-dap reads only a plain number, as "from then on") nor a condition (one that fails logs every hit).
// Of two log points on a line the last wins, without an error.
func LLDB(id string, t *Template) (logMessage string, ok bool, why string) {
	if !validID(id) {
		return "", false, whyID
	}
	exprs := append(make([]string, 0, len(t.Expressions())+1), lldbThread)
	for _, e := range t.Expressions() {
		if !lldbPath().MatchString(e) {
			return "", false, "lldb-dap's log points are only dependable for variables, members and elements, not for " + e
		}
		exprs = append(exprs, e)
	}
	return frame(hitKind, id, exprs), true, ""
}

// ParseLLDB parses lldb-dap's output event (category console) for such a log point:
//
//	RS Ttp-2 US 139637976727360 US 6 US <error: error: use of undeclared identifier 'x' LF > RS LF
func ParseLLDB(output string) (Record, bool) {
	id, fields, ok := unframe(output, hitKind)
	if !ok || len(fields) == 0 {
		return Record{}, false
	}
	r := Record{ID: id, Values: make([]Value, len(fields)-1)}
	if v := lldbValue(fields[0]); v.Err == "" {
		r.ThreadKey = v.Text
	}
	for i, f := range fields[1:] {
		r.Values[i] = lldbValue(f)
	}
	return r, true
}

func lldbValue(field string) Value {
	if text, ok := strings.CutPrefix(field, "<error: "); ok {
		return Value{Err: ErrorText(strings.TrimSuffix(strings.TrimSpace(text), ">"))}
	}
	return Value{Text: Display(field, "", C)}
}
