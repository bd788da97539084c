package adapter

import "breakwire/tracepoints"

// Breakpoint states.
const (
	BreakpointPending  = "pending"
	BreakpointBound    = "bound"
	BreakpointDisabled = "disabled"
	BreakpointFailed   = "failed"
)

// Binding is a logical breakpoint as one session has it. It is immutable but for the
// counts, which the session's loop writes and anybody reads without waiting.
type Binding struct {
	State     string
	Message   string
	BoundLine int
	WasBound  bool   // it was, when the session ended
	Strategy  string // the one really used: native or stop

	refused bool // the symbols say that it can never be bound
	nearest int  // then: the line that can, 0 when there is none
	counts  *tracepoints.State
}
