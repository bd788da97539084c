package tracepoints

import (
	"strings"
	"sync"
)

// Native log points. Some adapters print a message at a line without a stop, which is up to a thousand times faster
// than stop, evaluate and continue. Their messages are text in the program's output, so a recipe does not send the
// user's message. It sends a frame of control characters around the bare expressions,
//
//	RS "T" id US expression US expression ... RS
//
// (with "W" for "T" and the condition as the first expression where the debugger may log a pass at which it is false;
// RS is U+001E, US is U+001F), and the message is rendered here from the parsed answer. So literal text needs none
// of an adapter's escapes for braces, percent signs and backslashes, a rendered message is the same with both
// strategies, and the program's output is never taken for a hit.
//
// A recipe returns ok=false and the reason when it cannot handle a template; the tracepoint then stops. A parser
// returns ok=false for text that is not a hit in its form: this is the program's own output. The parser does not know
// the number of values: the caller compares it with Expressions, and treats a difference as a failed parse.
const (
	recordMark    = "\x1e"
	fieldMark     = "\x1f"
	hitKind       = "T"
	conditionKind = "W" // the first expression is the condition
)

// Record is one hit that a native log point reported.
type Record struct {
	ID             string
	Goroutine      int     // Delve
	Thread         int     // debugpy: the DAP thread id, 0 when unknown
	ThreadName     string  // debugpy
	ThreadKey      string  // lldb-dap: distinct for each thread, but not its id; "" when unknown
	ConditionError string  // debugpy: the condition could not be evaluated; this counts as a hit
	Passed         bool    // Delve: the condition is false, so this is no hit
	Values         []Value // ready for Render
}

// validID reports whether an id can be in a frame without making it ambiguous.
func validID(id string) bool {
	return id != "" && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

const whyID = "the id has characters that a log point's frame cannot hold"

// frame builds the message for adapters that evaluate each expression in braces.
func frame(kind, id string, exprs []string) string {
	var b strings.Builder
	b.WriteString(recordMark + kind + id)
	for _, e := range exprs {
		b.WriteString(fieldMark + "{" + e + "}")
	}
	b.WriteString(recordMark)
	return b.String()
}

// unframe parses such a message. Some adapters end it with a line feed, some with CR and LF.
func unframe(text, kind string) (id string, fields []string, ok bool) {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	text, found := strings.CutPrefix(text, recordMark+kind)
	if !found {
		return "", nil, false
	}
	if text, found = strings.CutSuffix(text, recordMark); !found || strings.Contains(text, recordMark) {
		return "", nil, false
	}
	id, rest, more := strings.Cut(text, fieldMark)
	if !validID(id) {
		return "", nil, false
	}
	if more {
		fields = strings.Split(rest, fieldMark)
	}
	return id, fields, true
}

// bracesEscaper escapes braces, so that no adapter counts them: Go, Python and C read \x7b in a literal as {.
var bracesEscaper = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("{", `\x7b`, "}", `\x7d`)
})
