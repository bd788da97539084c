// Package fault has the failures that a client is told: a code to branch on, a message that says what to do, and
// details.
package fault

import (
	"context"
	"errors"
	"fmt"
)

// Code names a kind of failure. Codes are part of the MCP surface (docs/contract.md): clients branch on them, so a code
// is never renamed.
type Code string

// The codes a tool can answer with.
const (
	NoSession          Code = "NO_SESSION"
	SessionAmbiguous   Code = "SESSION_AMBIGUOUS"
	SessionStarting    Code = "SESSION_STARTING"
	SessionLimit       Code = "SESSION_LIMIT"
	NotPaused          Code = "NOT_PAUSED"
	NotRunning         Code = "NOT_RUNNING"
	InvalidParameter   Code = "INVALID_PARAMETER"
	InvalidPath        Code = "INVALID_PATH"
	InvalidFile        Code = "INVALID_FILE"
	InvalidLine        Code = "INVALID_LINE"
	InvalidCondition   Code = "INVALID_CONDITION"
	InvalidThread      Code = "INVALID_THREAD"
	InvalidFrame       Code = "INVALID_FRAME"
	BreakpointNotFound Code = "BREAKPOINT_NOT_FOUND"
	BackendNotFound    Code = "BACKEND_NOT_FOUND"
	BackendStartFailed Code = "BACKEND_START_FAILED"
	BackendExited      Code = "BACKEND_EXITED"
	BackendBusy        Code = "BACKEND_BUSY"
	LaunchFailed       Code = "LAUNCH_FAILED"
	AttachFailed       Code = "ATTACH_FAILED"
	ProcessNotFound    Code = "PROCESS_NOT_FOUND"
	PermissionDenied   Code = "PERMISSION_DENIED"
	NotSupported       Code = "NOT_SUPPORTED"
	Timeout            Code = "TIMEOUT"
	Cancelled          Code = "CANCELLED"
	SyntaxError        Code = "SYNTAX_ERROR"
	EvalFailed         Code = "EVAL_FAILED"
	EvalTimeout        Code = "EVAL_TIMEOUT"
	EvalRejected       Code = "EVAL_REJECTED"
	VariableNotFound   Code = "VARIABLE_NOT_FOUND"
	NoException        Code = "NO_EXCEPTION"
	NoSymbols          Code = "NO_SYMBOLS"
	NotCollection      Code = "NOT_COLLECTION"
	SnapshotNotFound   Code = "SNAPSHOT_NOT_FOUND"
	SnapshotLimit      Code = "SNAPSHOT_LIMIT"
	BatchRunning       Code = "BATCH_ALREADY_RUNNING"
	StdinClosed        Code = "STDIN_CLOSED"
	SourceNotAllowed   Code = "SOURCE_NOT_ALLOWED"
	SourceNotFound     Code = "SOURCE_NOT_FOUND"
	AnswerTooLarge     Code = "ANSWER_TOO_LARGE"
	Internal           Code = "INTERNAL"
)

// Error is a failure for the client: a code to branch on, a message that says what happened and what to do next, and
// details.
type Error struct {
	Code    Code
	Message string
	Details map[string]any // may be nil

	cause error
}

// Errorf returns an Error with a formatted message. An error formatted with %w stays reachable
// through errors.Is and errors.As.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: errors.Unwrap(err)}
}

// With sets one of the details and returns the same error, for chaining at the place it is made.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = make(map[string]any)
	}
	e.Details[key] = value
	return e
}

// Error returns the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap returns what was formatted with %w, if anything.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is an Error with this code and no message, so errors.Is(err, &Error{Code: c}) tests the
// code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Message == "" && t.Code == e.Code
}

// AsError turns any error into one for the client. An Error in its chain stays as it is, an ended context becomes
// CANCELLED or TIMEOUT, everything else INTERNAL. nil stays nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return &Error{Code: Cancelled, Message: "the call was cancelled before it ended", cause: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: Timeout, Message: err.Error(), cause: err}
	}
	return &Error{Code: Internal, Message: err.Error(), cause: err}
}

// CodeOf returns the code that AsError gives, "" for nil.
func CodeOf(err error) Code {
	if e := AsError(err); e != nil {
		return e.Code
	}
	return ""
}

// OfContext returns the failure of a call whose context has ended.
func OfContext(ctx context.Context) error {
	cause := context.Cause(ctx)
	var e *Error
	if errors.As(cause, &e) {
		return e
	}
	if errors.Is(cause, context.DeadlineExceeded) {
		return Errorf(Timeout, "no answer within the time given")
	}
	return Errorf(Cancelled, "the call was cancelled")
}
