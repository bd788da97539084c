package dapclient

// Arguments of requests whose go-dap structs lose a value when encoded: omitempty drops an empty list, a false or a
// zero that has a meaning. All other requests use go-dap's types.

import "github.com/google/go-dap"

// SetBreakpointsArguments (DAP, SetBreakpoints) keeps an empty list. An empty list clears the last breakpoint of a
// file, and netcoredbg refuses a request without the key.
type SetBreakpointsArguments struct {
	Source         dap.Source             `json:"source"`
	Breakpoints    []dap.SourceBreakpoint `json:"breakpoints"`
	SourceModified bool                   `json:"sourceModified,omitempty"`
}

// SetFunctionBreakpointsArguments (DAP, SetFunctionBreakpoints) keeps an empty list. The slice must not be nil.
type SetFunctionBreakpointsArguments struct {
	Breakpoints []dap.FunctionBreakpoint `json:"breakpoints"`
}

// SetExceptionBreakpointsArguments (DAP, SetExceptionBreakpoints) keeps an empty filter list. The slice must not be
// nil.
type SetExceptionBreakpointsArguments struct {
	Filters       []string                     `json:"filters"`
	FilterOptions []dap.ExceptionFilterOptions `json:"filterOptions,omitempty"`
}

// DisconnectArguments (DAP, Disconnect) distinguishes terminateDebuggee false, which detaches, from a missing one,
// which means the adapter's default.
type DisconnectArguments struct {
	Restart           bool  `json:"restart,omitempty"`
	TerminateDebuggee *bool `json:"terminateDebuggee,omitempty"`
	SuspendDebuggee   *bool `json:"suspendDebuggee,omitempty"`
}

// EvaluateArguments (DAP, Evaluate) distinguishes frame 0, an id that netcoredbg uses, from no frame, which means the
// top frame of the stopped thread or the global scope.
type EvaluateArguments struct {
	Expression string           `json:"expression"`
	FrameID    *int             `json:"frameId,omitempty"`
	Context    string           `json:"context,omitempty"`
	Format     *dap.ValueFormat `json:"format,omitempty"`
}

// SetExpressionArguments (DAP, SetExpression) keeps frame id 0.
type SetExpressionArguments struct {
	Expression string `json:"expression"`
	Value      string `json:"value"`
	FrameID    *int   `json:"frameId,omitempty"`
}

// StackTraceArguments (DAP, StackTrace) keeps startFrame 0 and levels 0, which asks for all frames.
type StackTraceArguments struct {
	ThreadID   int `json:"threadId"`
	StartFrame int `json:"startFrame"`
	Levels     int `json:"levels"`
}

// DataBreakpointInfoArguments (DAP, DataBreakpointInfo) keeps frame id 0.
type DataBreakpointInfoArguments struct {
	Name    string `json:"name"`
	FrameID int    `json:"frameId"`
}

// SetDataBreakpointsArguments (DAP, SetDataBreakpoints) keeps an empty list. The slice must not be nil.
type SetDataBreakpointsArguments struct {
	Breakpoints []dap.DataBreakpoint `json:"breakpoints"`
}

// SetInstructionBreakpointsArguments (DAP, SetInstructionBreakpoints) keeps an empty list. The slice must not be nil.
type SetInstructionBreakpointsArguments struct {
	Breakpoints []dap.InstructionBreakpoint `json:"breakpoints"`
}
