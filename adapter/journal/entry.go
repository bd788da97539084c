package journal

import (
	"slices"
	"time"
)

// Class says which ring of a session an entry is kept in. Classes exist so that a flood evicts only
// itself: a million tracepoint hits never cost a single stop.
type Class uint8

// The three classes.
const (
	Control Class = iota // stops, states, breakpoints, threads, modules, errors
	Trace                // tracepoint hits
	Output               // what the program writes
)

// String names the class in logs and test failures.
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

// Mask is a set of classes. The zero Mask in a Filter means All.
type Mask uint8

// All is every class.
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

// Types of entries, as docs/contract.md names them. Lost tells of output that was dropped before it came here; what a
// reader has missed of the journal itself it is told by count.
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

// Entry is one fact. Once appended it is shared by all readers, so Data must never change again.
type Entry struct {
	Seq          uint64    // set by the journal
	Session      string    // "" for what belongs to the process rather than to a session
	Class        Class     // which ring
	Type         string    // TypeHit, ...
	Time         time.Time // set by the journal when zero
	BreakpointID string    // of hits and breakpoint changes
	Data         any       // immutable payload
	Size         int       // bytes that the entry counts for in rings limited by bytes
	Stream       string    // of output: Stdout or Stderr, which are limited apart
}

// Filter selects entries. The zero Filter selects everything.
//
// Session and Classes choose rings, so they cost nothing and counts of dropped or missed entries
// obey them exactly. Types and BreakpointID are looked at entry by entry. What has been evicted cannot be
// looked at any more, so counts ignore BreakpointID, and Types take a ring out of the count only
// when no entry of these types was ever evicted from it. With these two, read a count as "at most".
type Filter struct {
	Session      string   // "" is all sessions and the process's own entries
	WithProcess  bool     // with Session: the process's own entries (session "") too
	Classes      Mask     // 0 is All
	Types        []string // nil is all
	BreakpointID string   // "" is all
}

// matchesRing reports whether entries of this session and class can pass.
func (f *Filter) matchesRing(session string, class Class) bool {
	if f.Classes != 0 && !f.Classes.Has(class) {
		return false
	}
	return f.Session == "" || f.Session == session || (f.WithProcess && session == "")
}

// matchesEntry looks at what matchesRing does not.
func (f *Filter) matchesEntry(e *Entry) bool {
	if f.BreakpointID != "" && f.BreakpointID != e.BreakpointID {
		return false
	}
	return f.Types == nil || slices.Contains(f.Types, e.Type)
}
