package journal

import (
	"slices"
	"time"
)

// Class selects the ring of a session that keeps an entry. With classes a flood evicts only entries of its own class:
// a million tracepoint hits never evict a stop.
type Class uint8

// The three classes.
const (
	Control Class = iota // stops, states, breakpoints, threads, modules, errors
	Trace                // tracepoint hits
	Output               // the program's output
)

// String returns the class's name for logs and test failures.
func (c Class) String() string {
	switch c {
	case Control:
		return "control"
	case Trace:
		return "trace"
	case Output:
		return "output"
	}
	return "unknown"
}

// Mask is a set of classes. In a Filter the zero Mask means All.
type Mask uint8

// All contains every class.
const All Mask = 1<<Control | 1<<Trace | 1<<Output

// MaskOf returns the set of the given classes.
func MaskOf(classes ...Class) Mask {
	var m Mask
	for _, c := range classes {
		m |= 1 << c
	}
	return m
}

// Has reports whether the class is in the set.
func (m Mask) Has(c Class) bool { return m&(1<<c) != 0 }

// Types of entries, as in docs/contract.md. A lost entry reports output that was dropped before it reached the
// journal. Entries of the journal that a reader missed are reported by their number.
const (
	TypeHit        = "hit"
	TypeTracepoint = "tracepoint"
	TypeStop       = "stop"
	TypeState      = "state"
	TypeOutput     = "output"
	TypeBreakpoint = "breakpoint"
	TypeThread     = "thread"
	TypeModule     = "module"
	TypeProcess    = "process"
	TypeError      = "error"
	TypeLost       = "lost"
)

// Streams of output entries.
const (
	Stdout = "stdout"
	Stderr = "stderr"
)

// Entry is one event. All readers share it, so Data must not change after it is appended.
type Entry struct {
	Seq          uint64    // set by the journal
	Session      string    // "" for the process instead of a session
	Class        Class     // which ring
	Type         string    // TypeHit, ...
	Time         time.Time // set by the journal when zero
	BreakpointID string    // of hits and breakpoint changes
	Data         any       // immutable payload
	Size         int       // bytes, for rings with a limit in bytes
	Stream       string    // of output: Stdout or Stderr, each with its own limits
}

// Filter selects entries. The zero Filter selects all.
//
// Session and Classes select rings. They cost nothing, and numbers of dropped or missed entries are exact for them.
// Types and BreakpointID are checked for each entry. Evicted entries cannot be checked, so the numbers ignore
// BreakpointID, and Types exclude a ring only when no entry of these types was evicted from it. With these two a
// number means "at most".
type Filter struct {
	Session      string   // "" is all sessions and the process's own entries
	WithProcess  bool     // with Session: also the entries of the process (session "")
	Classes      Mask     // 0 is All
	Types        []string // nil is all
	BreakpointID string   // "" is all
}

// matchesRing reports whether entries of this session and class can match.
func (f *Filter) matchesRing(session string, class Class) bool {
	if f.Classes != 0 && !f.Classes.Has(class) {
		return false
	}
	return f.Session == "" || f.Session == session || (f.WithProcess && session == "")
}

// matchesEntry checks what matchesRing does not.
func (f *Filter) matchesEntry(e *Entry) bool {
	if f.BreakpointID != "" && f.BreakpointID != e.BreakpointID {
		return false
	}
	return f.Types == nil || slices.Contains(f.Types, e.Type)
}

// Timestamp formats a time as RFC 3339 in UTC with milliseconds.
func Timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
