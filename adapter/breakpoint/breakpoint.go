package breakpoint

import (
	"breakwire/adapter/inspect"
	"breakwire/tracepoints"
)

// Kind is the type of a logical breakpoint.
type Kind string

// Kinds of breakpoints.
const (
	Blocking   Kind = "blocking"
	Tracepoint Kind = "tracepoint"
	Function   Kind = "function"
	Exception  Kind = "exception"
	Watchpoint Kind = "watchpoint"
)

// Spec is what a client asked a breakpoint to be. A Spec is immutable; a change replaces it.
type Spec struct {
	Kind    Kind
	Session string // "" is for all present and future sessions
	File    string // client-side path
	Line    int
	Column  int

	Function string

	ExceptionType   string // full name or "*"
	FirstChance     bool
	SecondChance    bool
	IncludeSubtypes bool

	Condition    string
	HitCondition string
	LogMessage   string // of a tracepoint; "" means no message
	Multiple     int    // hit_count_multiple
	Max          int    // max_notifications
	Strategy     string // auto, native, stop

	Expression string // of a watchpoint, as the client wrote it
	Access     string // write, read, readwrite

	Real  string // File without symbolic links; "" when it is not on this disk
	Owner any    // what set it besides the user, for example an experiment of batch_evaluate
	Watch *inspect.Watched
}

// Identity returns the settings that make two breakpoints the same: the place of a blocking one, all settings of a
// tracepoint.
func (s Spec) Identity() Spec {
	switch s.Kind {
	case Tracepoint:
		s.Real = "" // follows from File
		return s
	case Function:
		return Spec{Kind: s.Kind, Session: s.Session, Function: s.Function}
	case Exception:
		return Spec{Kind: s.Kind, Session: s.Session, ExceptionType: s.ExceptionType}
	}
	if s.Kind == Watchpoint {
		return Spec{Kind: s.Kind, Session: s.Session, Expression: s.Watch.Key}
	}
	return Spec{Kind: s.Kind, Session: s.Session, File: s.File, Line: s.Line, Column: s.Column}
}

// Traces reports whether hits are logged and do not stop the program.
func (s Spec) Traces() bool {
	return s.Kind == Tracepoint || s.Kind == Watchpoint && s.LogMessage != ""
}

// IsFile reports whether a breakpoint is set by line.
func (s Spec) IsFile() bool { return s.Kind == Blocking || s.Kind == Tracepoint }

// Expressions returns what is evaluated at the hits of a breakpoint.
func (spec *Spec) Expressions() []string {
	texts := []string{}
	if spec.Condition != "" {
		texts = append(texts, spec.Condition)
	}
	if t, err := tracepoints.Parse(spec.LogMessage); err == nil {
		texts = append(texts, t.Expressions()...)
	}
	return texts
}

// Breakpoint is one logical breakpoint. It has an id and is independent of what a debugger holds. It is immutable; the
// registry holds the current version.
type Breakpoint struct {
	ID      string
	Spec    Spec
	Enabled bool

	HitCondition *tracepoints.HitCondition
	Template     *tracepoints.Template
	Temporary    bool   // of run_to and entry: never listed, never notified
	StopReason   string // of a temporary one
}
