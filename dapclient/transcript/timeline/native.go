package timeline

import (
	"fmt"
	"strconv"
	"strings"

	"breakwire/tracepoints"
)

// naming is the request of a native log point: its id and the names of its values.
type naming struct {
	id    string
	exprs []string
	mark  int // the breakpoint, an index into Timeline.Marks
}

const (
	record = "\x1e"
	field  = "\x1f"
)

// readNaming parses a log message of breakwire (package tracepoints has its forms). It reports false for log messages
// of other clients.
func readNaming(message string) (naming, bool) {
	if helper, ok := strings.CutPrefix(message, "{"); ok {
		return readHelper(helper)
	}
	text, ok := strings.CutPrefix(message, record+"T")
	conditional := false
	if !ok {
		if text, conditional = strings.CutPrefix(message, record+"W"); !conditional {
			return naming{}, false
		}
	}
	id, rest, more := strings.Cut(strings.TrimSuffix(text, record), field)
	n := naming{id: id}
	if more {
		for _, f := range strings.Split(rest, field) {
			n.exprs = append(n.exprs, strings.TrimSuffix(strings.TrimPrefix(f, "{"), "}"))
		}
	}
	if conditional && len(n.exprs) > 0 {
		n.exprs = n.exprs[1:]
	}
	return n, id != ""
}

func (n naming) text() string { return strings.Join(n.exprs, ", ") }

// logPoint adds a hit and reports true if an output is the hit of a native log point.
func (b *builder) logPoint(output, file string, line int) bool {
	if !strings.Contains(output, record) {
		return false
	}
	if _, ok := tracepoints.ParseDebugpyPass(output); ok {
		return true // counts of a condition; the stop is an event of its own
	}
	for _, parse := range []func(string) (tracepoints.Record, bool){
		tracepoints.ParseDelve, tracepoints.ParseDebugpy, tracepoints.ParseLLDB,
	} {
		r, ok := parse(output)
		if !ok {
			continue
		}
		if r.Passed {
			return true
		}
		n, named := b.names[r.ID]
		if len(n.exprs) > len(r.Values) { // lldb-dap's first field is the thread
			n.exprs = n.exprs[len(n.exprs)-len(r.Values):]
		}
		e := b.add(Event{Kind: Trace, Name: "log point", Native: true})
		e.Thread = b.thread(r.Goroutine + r.Thread) // at most one of them is set
		if e.Thread >= 0 && r.ThreadName != "" {
			b.t.Threads[e.Thread].Name = b.word(r.ThreadName, mostValue)
		}
		if named && file == "" {
			file = b.t.Marks[n.mark].File
		}
		if named && line == 0 {
			line = b.t.Marks[n.mark].Line
		}
		e.Place = b.place(file, line, "")
		if r.ConditionError != "" {
			e.Text = "condition: " + clip(r.ConditionError, mostValue)
		}
		for i, v := range r.Values {
			name := fmt.Sprintf("value %d", i+1)
			if i < len(n.exprs) {
				name = n.exprs[i]
			}
			text, failed := v.Text, v.Err != ""
			if failed {
				text = v.Err
			}
			b.value(len(b.t.Events)-1, Value{Expr: b.word(name, mostValue), Text: b.word(text, mostValue), Failed: failed})
		}
		return true
	}
	return false
}

// readHelper parses the call in debugpy's log point: its last arguments are the id, the condition and a tuple of
// expressions, as literals that Go can parse too.
func readHelper(message string) (naming, bool) {
	i := strings.LastIndex(message, `)[1])("`)
	if i < 0 || !strings.Contains(message, "_breakwire_hit_") {
		return naming{}, false
	}
	var literals []string
	rest := message[i+len(`)[1])(`):]
	for {
		rest = strings.TrimLeft(rest, ",(")
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			break
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			text = quoted
		}
		literals = append(literals, text)
		rest = rest[len(quoted):]
	}
	if len(literals) < 2 {
		return naming{}, false
	}
	return naming{id: literals[0], exprs: literals[2:]}, true
}
