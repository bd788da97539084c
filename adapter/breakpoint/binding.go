package breakpoint

import "breakwire/tracepoints"

// Breakpoint states.
const (
	Pending  = "pending"
	Bound    = "bound"
	Disabled = "disabled"
	Failed   = "failed"
)

// Binding is the state of a logical breakpoint in one session. It is immutable except for the counts, which the
// session's loop writes and any goroutine reads without waiting.
type Binding struct {
	State     string
	Message   string
	BoundLine int
	WasBound  bool   // it was bound when the session ended
	Strategy  string // the one in use: native or stop
	// Elsewhere says that a process may have the breakpoint's code which this session does not debug; "" when none may.
	Elsewhere string

	Refused bool   // the symbols say that it can never be bound
	Why     string // the part of Message that is not the debugger's
	Nearest int    // the nearest line with code, 0 when it is not known
	Counts  *tracepoints.State
}
