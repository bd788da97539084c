package tracepoints

import (
	"strings"
	"sync"
)

// Native log points. Some adapters print a message at a line without stopping, which is up to a
// thousand times faster than stop, evaluate and continue. Their messages are text among the program's
// output, so a recipe does not send the user's message at all: it sends a frame of control characters around the
// bare expressions,
//
//	RS "T" id US expression US expression ... RS
//
// (RS is U+001E, US is U+001F), and the message is rendered here from the parsed answer. So literal text needs no
// adapter's escapes for braces, percent signs and backslashes, a rendered message is the same by
// either strategy, and what the program prints is never taken for a hit.
//
// A recipe returns ok=false and why when a template cannot go this way; it then goes by stopping. A parser returns
// ok=false for text that is not a hit of its form: it is the program's own output. The number of values is
// not known to the parser: compare it with Expressions, and treat a difference as a failed parse.
const (
	recordMark = "\x1e"
	fieldMark  = "\x1f"
)

// Record is one hit as a native log point told it.
type Record struct {
	ID             string
	Goroutine      int     // Delve
	Thread         int     // debugpy: the DAP thread id, 0 when it could not tell
	ThreadName     string  // debugpy
	ThreadKey      string  // lldb-dap: distinct for each thread, not its id; "" when it could not tell
	ConditionError string  // debugpy: the condition could not be evaluated, which is a hit
	Values         []Value // ready for Render
}

// validID keeps the frame parsable whatever ids look like.
func validID(id string) bool {
	return id != "" && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

const whyID = "the id has characters that a log point's frame cannot hold"

// frame builds the message of recipes whose adapter evaluates each expression in braces.
func frame(id string, exprs []string) string {
	var b strings.Builder
	b.WriteString(recordMark + "T" + id)
	for _, e := range exprs {
		b.WriteString(fieldMark + "{" + e + "}")
	}
	b.WriteString(recordMark)
	return b.String()
}

// unframe takes such a message apart. Some adapters end it with a line feed, some with both.
func unframe(text string) (id string, fields []string, ok bool) {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	text, found := strings.CutPrefix(text, recordMark+"T")
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

// bracesEscaper writes braces so that no adapter counts them: Go, Python and C read \x7b in a literal as {.
var bracesEscaper = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("{", `\x7b`, "}", `\x7d`)
})
