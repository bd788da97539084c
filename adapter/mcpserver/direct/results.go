package direct

import (
	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/inspect"
)

// The members of the tools' results that the methods show (docs/contract.md).

type sessionResult struct {
	SessionID    string            `json:"sessionId"`
	State        adapter.State     `json:"state"`
	Capabilities map[string]string `json:"capabilities"`
	ExitCode     *int              `json:"exitCode"`
	Signal       string            `json:"signal"`
}

type stopResult struct {
	Seq      uint64            `json:"seq"`
	Reason   string            `json:"reason"`
	ThreadID int               `json:"threadId"`
	Location *inspect.Location `json:"location"`
}

// runResult is the result of debug_continue, debug_pause, debug_step, debug_state, debug_launch and debug_attach.
type runResult struct {
	Session  sessionResult `json:"session"`
	Reason   string        `json:"reason"`
	Stop     *stopResult   `json:"stop"`
	TimedOut bool          `json:"timedOut"`
}

type breakpointResult struct {
	Breakpoint breakpoint.Info `json:"breakpoint"`
}

type breakpointListResult struct {
	Breakpoints []breakpoint.Info `json:"breakpoints"`
}

type disconnectResult struct {
	WasTerminated bool `json:"wasTerminated"`
}

type stackResult struct {
	ThreadID    int           `json:"threadId"`
	TotalFrames int           `json:"totalFrames"`
	NextStart   int           `json:"nextStart"`
	Frames      []frameResult `json:"frames"`
}

type frameResult struct {
	Index    int               `json:"index"`
	Function string            `json:"function"`
	Location *inspect.Location `json:"location"`
}

type variablesResult struct {
	Variables []variableResult `json:"variables"`
	NextStart int              `json:"nextStart"`
}

// variableResult is a variable, or the value of an expression.
type variableResult struct {
	Name        string `json:"name"`
	Value       string `json:"value"`
	Type        string `json:"type"`
	Path        string `json:"path"`
	HasChildren bool   `json:"hasChildren"`
}

type threadsResult struct {
	Threads []threadResult `json:"threads"`
}

type threadResult struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	State string `json:"state"`
}
