package dapclient

// Arguments of requests whose go-dap structs lose something on the way out: an empty
// list, a false or a zero that omitempty drops although it means something. All other
// requests use go-dap's own types.

import "github.com/google/go-dap"

// SetBreakpointsArguments (DAP, SetBreakpoints) keeps an empty list: it is how the last breakpoint of a file
// is cleared, and netcoredbg refuses a request without the key.
type SetBreakpointsArguments struct {
	Source         dap.Source             `json:"source"`
	Breakpoints    []dap.SourceBreakpoint `json:"breakpoints"`
	SourceModified bool                   `json:"sourceModified,omitempty"`
}

// SetFunctionBreakpointsArguments (DAP, SetFunctionBreakpoints) keeps an empty list. Make it with a
// non-nil slice.
type SetFunctionBreakpointsArguments struct {
	Breakpoints []dap.FunctionBreakpoint `json:"breakpoints"`
}

// SetExceptionBreakpointsArguments (DAP, SetExceptionBreakpoints) keeps an empty filter list. Make it with a non-nil
// slice.
type SetExceptionBreakpointsArguments struct {
	Filters       []string                     `json:"filters"`
	FilterOptions []dap.ExceptionFilterOptions `json:"filterOptions,omitempty"`
}

// DisconnectArguments (DAP, Disconnect) tells an explicit false, which detaches, from a missing terminateDebuggee,
// which means the adapter's default.
type DisconnectArguments struct {
	Restart           bool  `json:"restart,omitempty"`
	TerminateDebuggee *bool `json:"terminateDebuggee,omitempty"`
	SuspendDebuggee   *bool `json:"suspendDebuggee,omitempty"`
}

// EvaluateArguments (DAP, Evaluate) tells frame 0, which netcoredbg uses, from no frame, which is
// the top frame of the stopped thread or global scope.
type EvaluateArguments struct {
	Expression string           `json:"expression"`
	FrameID    *int             `json:"frameId,omitempty"`
	Context    string           `json:"context,omitempty"`
	Format     *dap.ValueFormat `json:"format,omitempty"`
}

// SetExpressionArguments (DAP, SetExpression) keeps frame 0.
type SetExpressionArguments struct {
	Expression string `json:"expression"`
	Value      string `json:"value"`
	FrameID    *int   `json:"frameId,omitempty"`
}

// StackTraceArguments (DAP, StackTrace) keeps startFrame and levels as given: levels 0 asks for all.
type StackTraceArguments struct {
	ThreadID   int `json:"threadId"`
	StartFrame int `json:"startFrame"`
	Levels     int `json:"levels"`
}
