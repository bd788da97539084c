package adapter

import (
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
)

// Hit is the payload of debugger/breakpointHit, and the data of hit and tracepoint events.
type Hit struct {
	Seq          uint64           `json:"seq"`
	SessionID    string           `json:"sessionId"`
	BreakpointID string           `json:"breakpointId"`
	Type         string           `json:"type"` // blocking, tracepoint
	Location     inspect.Location `json:"location"`
	ThreadID     int              `json:"threadId"`
	Timestamp    string           `json:"timestamp"`
	HitCount     uint64           `json:"hitCount"`
	LogMessage   *string          `json:"logMessage,omitempty"`
	Exception    *HitException    `json:"exceptionInfo,omitempty"`
	OldValue     *string          `json:"oldValue,omitempty"` // of watched memory
	NewValue     *string          `json:"newValue,omitempty"`
	Missed       uint64           `json:"missed,omitempty"`
}

// HitException is the exceptionInfo of a hit.
type HitException struct {
	Type          string `json:"type"`
	Message       string `json:"message"`
	IsFirstChance bool   `json:"isFirstChance"`
}

// HitEvent is the data of a hit event: the notification's payload and the stop.
type HitEvent struct {
	Hit
	Stop *Stop `json:"stop"`
}

// StateChange is the payload of debugger/sessionStateChanged, and the data of state events.
type StateChange struct {
	Seq            uint64            `json:"seq"`
	SessionID      string            `json:"sessionId"`
	OldState       State             `json:"oldState"`
	NewState       State             `json:"newState"`
	PauseReason    string            `json:"pauseReason,omitempty"`
	Location       *inspect.Location `json:"location,omitempty"`
	ActiveThreadID int               `json:"activeThreadId,omitempty"`
	ExitCode       *int              `json:"exitCode,omitempty"`
	Signal         string            `json:"signal,omitempty"`
	EndReason      EndReason         `json:"endReason,omitempty"`
	Timestamp      string            `json:"timestamp"`
	Missed         uint64            `json:"missed,omitempty"`
}

// Output is the data of an output event.
type Output struct {
	Stream string `json:"stream"` // stdout, stderr
	Text   string `json:"text"`
}

// OwnText is the data of an output event with what the debugger says itself. It is not part of the program's output.
type OwnText struct {
	Stream string `json:"stream"` // debugger
	Text   string `json:"text"`
}

// Problem is the data of an error event.
type Problem struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}
