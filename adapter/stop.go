package adapter

import (
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/inspect"
)

// Stop reasons.
const (
	StopBreakpoint   = "breakpoint"
	StopStep         = "step"
	StopException    = "exception"
	StopPause        = "pause"
	StopEntry        = "entry"
	StopRunTo        = "run_to"
	StopCallEnded    = "call_ended" // of a call of evaluate that another stop had interrupted
	StopResumeFailed = "resume_failed"
)

// Stop is one visible stop of the program: the stop object of docs/contract.md. It is immutable.
type Stop struct {
	Seq            uint64            `json:"seq"`
	Reason         string            `json:"reason"`
	ThreadID       int               `json:"threadId"`
	ThreadName     string            `json:"threadName,omitempty"`
	BreakpointIDs  []string          `json:"breakpointIds"`
	HitCount       uint64            `json:"hitCount,omitempty"`
	FrameIndex     int               `json:"frameIndex,omitempty"` // of the frame that Location is about
	Location       *inspect.Location `json:"location,omitempty"`
	Source         []string          `json:"source,omitempty"`
	Locals         inspect.Locals    `json:"locals,omitzero"` // only in answers, see WithLocals
	LocalsOmitted  int               `json:"localsOmitted,omitempty"`
	Exception      *ExceptionStop    `json:"exception,omitempty"`
	Returned       *Returned         `json:"returned,omitempty"`
	Changes        []Change          `json:"changes,omitempty"`
	ConditionError string            `json:"conditionError,omitempty"`
	Text           string            `json:"text,omitempty"`
	AlsoStopped    []FurtherHit      `json:"alsoStopped,omitempty"`

	late    []FurtherHit // those of AlsoStopped that no answer with the stop had
	epoch   uint64
	ranTo   *breakpoint.Breakpoint // the temporary breakpoint of debug_run_to that was reached
	outside bool                   // the thread is in code without source, and Location is where the program called it
}

// Change is what a watchpoint has seen.
type Change struct {
	BreakpointID string `json:"breakpointId"`
	Expression   string `json:"expression"`
	OldValue     string `json:"oldValue"`
	NewValue     string `json:"newValue"`
}

// FurtherHit is a hit at a stop that is named after another one.
type FurtherHit struct {
	BreakpointID string `json:"breakpointId"`
	ThreadID     int    `json:"threadId"`
	HitCount     uint64 `json:"hitCount"`
}

func furtherHits(hits []*hit) []FurtherHit {
	var list []FurtherHit
	for _, h := range hits {
		list = append(list, FurtherHit{h.bp.ID, h.thread.id, h.count})
	}
	return list
}

// ExceptionStop is the exception of a stop.
type ExceptionStop struct {
	inspect.Exception

	fullName string // full name of the type, where Type is not the full one
	filter   string // the debugger's filter, where it names that instead of the type
	object   string // address of a C++ exception, or "panic" of one of Rust; "" when it is not known
	passing  bool   // already reported, in an inner frame
}

// stopReason maps the reasons of DAP and of adapters to ours (DAP, Stopped event, reason).
func stopReason(reason string) string {
	switch reason {
	case "step", "goto":
		return StopStep
	case "exception":
		return StopException
	case "pause":
		return StopPause
	case "entry":
		return StopEntry
	case "breakpoint", "hardcoded breakpoint", "function breakpoint", "data breakpoint", "instruction breakpoint":
		return StopBreakpoint
	}
	return StopPause
}
