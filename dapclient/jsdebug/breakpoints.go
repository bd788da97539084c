package jsdebug

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"breakwire/dapclient"
)

// js-debug counts the ids of breakpoints from 1 before the program is there and from 0 afterwards, one up for each
// entry of each request, and answers a list without a change with an empty one. A book repairs both: it keeps the last
// answer for each entry, and repeats all lists when the program is there, until no id can come twice.

// repeats is how often the lists are sent again: the first time takes the ids 0 to N-1, the second one those above N.
const repeats = 2

// book keeps the breakpoints of one connection.
type book struct {
	mu     sync.Mutex
	files  map[string]*page // by path
	gone   bool             // the ids are unique from now on
	orders []string         // paths in the order in which they came first
}

// page is the list of one file.
type page struct {
	raw     json.RawMessage // arguments of the last request
	entries []wantedBreakpoint
	held    []heldBreakpoint
}

// wantedBreakpoint is one entry of a request. It is compared as a whole.
type wantedBreakpoint struct {
	Line         int    `json:"line"`
	Column       int    `json:"column"`
	Condition    string `json:"condition"`
	HitCondition string `json:"hitCondition"`
	LogMessage   string `json:"logMessage"`
}

// heldBreakpoint is one entry of an answer.
type heldBreakpoint struct {
	ID       *int            `json:"id,omitempty"`
	Verified bool            `json:"verified"`
	Message  string          `json:"message,omitempty"`
	Source   json.RawMessage `json:"source,omitempty"`
	Line     int             `json:"line,omitempty"`
	Column   int             `json:"column,omitempty"`
}

// request is the part of the arguments of setBreakpoints that the book needs.
type request struct {
	Source struct {
		Path string `json:"path"`
	} `json:"source"`
	Breakpoints []wantedBreakpoint `json:"breakpoints"`
}

// ask notes a request, with the arguments that js-debug gets, and returns what turns js-debug's answer into the full
// one.
func (b *book) ask(m *dapclient.Message, sent json.RawMessage) (full func(*dapclient.Message) []heldBreakpoint) {
	args, _ := dapclient.DecodeArguments[request](m)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.files == nil {
		b.files = map[string]*page{}
	}
	p := b.files[args.Source.Path]
	if p == nil {
		p = &page{}
		b.files[args.Source.Path] = p
		b.orders = append(b.orders, args.Source.Path)
	}
	p.raw = sent
	return func(answer *dapclient.Message) []heldBreakpoint { return b.take(p, args.Breakpoints, answer) }
}

// guarded returns the arguments of setBreakpoints as js-debug gets them. A condition is true where it fails, also by a
// syntax error: js-debug would pass over it. A log message is an expression that logs; it becomes a condition that is
// never true. One more entry, at the first place of a script, never holds: V8 decides that itself, which costs a tenth
// of a millisecond where that place is in a function. (A hit condition would be js-debug's to decide, by a stop each
// time.)
func guarded(raw json.RawMessage) json.RawMessage {
	var args map[string]json.RawMessage
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &args) != nil || json.Unmarshal(args["breakpoints"], &list) != nil {
		return raw
	}
	for _, entry := range list {
		var condition, message string
		if json.Unmarshal(entry["condition"], &condition) == nil && condition != "" {
			literal, _ := json.Marshal(condition)
			condition = "(()=>{try{return eval(" + string(literal) + ")}catch(e){return true}})()"
		}
		if json.Unmarshal(entry["logMessage"], &message) == nil && message != "" {
			delete(entry, "logMessage")
			condition = "(" + message + ",false)"
		}
		if condition != "" {
			entry["condition"], _ = json.Marshal(condition)
		}
	}
	if plainScript(args["source"]) && len(list) > 0 {
		list = append(list, map[string]json.RawMessage{"line": json.RawMessage("1"), "column": json.RawMessage("1"),
			"condition": json.RawMessage(`"false"`)})
	}
	return with(args, "breakpoints", list)
}

// plainScript reports whether a source is a script that Node runs as it is. js-debug sets a breakpoint of its own at
// the first place of a file with breakpoints, unless one is wanted there. While that one stands, and it stands for ever
// where the program has passed it or does not come by, each exception in the script is told as a breakpoint and no type
// is looked at. Scripts that are compiled while they load need it for their source maps.
func plainScript(source json.RawMessage) bool {
	var at struct {
		Path string `json:"path"`
	}
	_ = json.Unmarshal(source, &at)
	switch strings.ToLower(filepath.Ext(at.Path)) {
	case ".js", ".mjs", ".cjs":
		return true
	}
	return false
}

// take returns the answer for these entries, with what was answered before for those that js-debug leaves out.
func (b *book) take(p *page, entries []wantedBreakpoint, answer *dapclient.Message) []heldBreakpoint {
	body, _ := dapclient.DecodeBody[struct {
		Breakpoints []heldBreakpoint `json:"breakpoints"`
	}](answer)
	b.mu.Lock()
	defer b.mu.Unlock()
	held := make([]heldBreakpoint, len(entries))
	for i, e := range entries {
		before := slices.Index(p.entries, e)
		switch {
		case i < len(body.Breakpoints):
			held[i] = body.Breakpoints[i]
		case before >= 0 && before < len(p.held):
			held[i] = p.held[before]
		}
		held[i].Message = reason(held[i])
	}
	p.entries, p.held = entries, held
	return held
}

// reason is why a breakpoint is not bound, in words.
func reason(h heldBreakpoint) string {
	switch {
	case h.Verified:
		return ""
	case h.Message == "" || h.Message == "breakpoint.provisionalBreakpoint" || h.Message == "Unbound breakpoint":
		return "no loaded script has this line yet"
	}
	return h.Message
}

// heldAt is a breakpoint that stands at a line, with the condition that js-debug has.
type heldAt struct {
	id        int
	condition string
}

// at returns the breakpoints at a line.
func (b *book) at(path string, line int) []heldAt {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.files[path]
	if p == nil {
		return nil
	}
	var sent request
	_ = json.Unmarshal(p.raw, &sent)
	var list []heldAt
	for i, h := range p.held {
		if h.Verified && h.Line == line && h.ID != nil && i < len(sent.Breakpoints) {
			list = append(list, heldAt{*h.ID, sent.Breakpoints[i].Condition})
		}
	}
	return list
}

// changed notes what a breakpoint event says. Of several breakpoints with its id it is about the one that can stand
// there: the last at or before the line that is not bound.
func (b *book) changed(h heldBreakpoint) {
	if h.ID == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.files {
		best := -1
		for i, have := range p.held {
			if have.ID == nil || *have.ID != *h.ID {
				continue
			}
			if best < 0 || p.entries[i].Line <= h.Line && p.entries[i].Line > p.entries[best].Line {
				best = i
			}
		}
		if best >= 0 {
			h.Message = reason(h)
			p.held[best] = h
		}
	}
}

// again returns the requests that have to be repeated before any other, once.
func (b *book) again() []json.RawMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone {
		return nil
	}
	b.gone = true
	var list []json.RawMessage
	for range repeats {
		for _, path := range b.orders {
			list = append(list, b.files[path].raw)
		}
	}
	return list
}
