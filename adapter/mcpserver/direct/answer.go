package direct

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/jsonrpc"
)

// The codes of the older protocol, which stand in error.data.mcpCode.
const (
	methodNotFound      = "METHOD_NOT_FOUND"
	invalidRequest      = "INVALID_REQUEST"
	invalidParams       = "INVALID_PARAMS"
	jsonParseError      = "JSON_PARSE_ERROR"
	bridgeFailed        = "DEBUG_BRIDGE_CONNECTION_FAILED"
	attachmentFailed    = "DEBUG_ATTACHMENT_FAILED"
	launchFailed        = "DEBUG_LAUNCH_FAILED"
	debugTimeout        = "DEBUG_TIMEOUT"
	sessionNotFound     = "DEBUG_SESSION_NOT_FOUND"
	sessionConflict     = "DEBUG_SESSION_CONFLICT"
	executionFailed     = "DEBUG_EXECUTION_FAILED"
	breakpointSetFailed = "BREAKPOINT_SET_FAILED"
	breakpointNotFound  = "BREAKPOINT_NOT_FOUND"
	evaluationFailed    = "EVALUATION_FAILED"
	threadNotFound      = "THREAD_NOT_FOUND"
	accessDenied        = "ACCESS_DENIED"
	notImplemented      = "NOT_IMPLEMENTED"
	internalError       = "INTERNAL_ERROR"
	codeDebugger        = -32000 // for all failures without a JSON-RPC code
	envelopeLength      = 96
)

// numericCodes maps the codes that have a JSON-RPC number.
var numericCodes = sync.OnceValue(func() map[string]int {
	return map[string]int{
		methodNotFound: mcp.METHOD_NOT_FOUND, invalidRequest: mcp.INVALID_REQUEST, invalidParams: mcp.INVALID_PARAMS,
		jsonParseError: mcp.PARSE_ERROR,
	}
})

// codes maps our codes to the older names, where the name is the same for every method. See mcpCodeOf.
var codes = sync.OnceValue(func() map[fault.Code]string {
	return map[fault.Code]string{
		fault.NoSession:          sessionNotFound,
		fault.SessionAmbiguous:   sessionConflict,
		fault.SessionLimit:       sessionConflict,
		fault.InvalidParameter:   invalidParams,
		fault.InvalidFrame:       invalidParams,
		fault.InvalidThread:      threadNotFound,
		fault.InvalidFile:        breakpointSetFailed,
		fault.InvalidLine:        breakpointSetFailed,
		fault.InvalidCondition:   breakpointSetFailed,
		fault.BreakpointNotFound: breakpointNotFound,
		fault.BackendNotFound:    bridgeFailed,
		fault.BackendStartFailed: bridgeFailed,
		fault.BackendExited:      bridgeFailed,
		fault.LaunchFailed:       launchFailed,
		fault.InvalidPath:        launchFailed,
		fault.AttachFailed:       attachmentFailed,
		fault.ProcessNotFound:    attachmentFailed,
		fault.PermissionDenied:   accessDenied,
		fault.NotSupported:       notImplemented,
		fault.Timeout:            debugTimeout,
		fault.EvalTimeout:        debugTimeout,
		fault.SyntaxError:        evaluationFailed,
		fault.EvalFailed:         evaluationFailed,
		fault.EvalRejected:       evaluationFailed,
		fault.VariableNotFound:   evaluationFailed,
		fault.Internal:           internalError,
	}
})

// mcpCodeOf returns the older protocol's code for a failure of a method.
func mcpCodeOf(method string, code fault.Code) string {
	if name, ok := codes()[code]; ok {
		return name
	}
	if method == "debug.setBreakpoint" {
		return breakpointSetFailed
	}
	return executionFailed // NOT_PAUSED, SESSION_STARTING, BACKEND_BUSY, CANCELLED, ...
}

// failure is a failure as the older protocol reports it.
type failure struct {
	mcpCode, message string
	details          map[string]any
}

func (e *failure) Error() string { return e.mcpCode + ": " + e.message }

// words replaces the names of tools in messages with the older protocol's method names.
var words = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		"debug_launch", "debug.launch", "debug_attach", "debug.attach", "debug_continue", "debug.continue",
		"debug_pause", "debug.pause",
		"debug_step", "debug.step", "debug_disconnect", "debug.disconnect", "debug_state", "debug.getStatus",
		"breakpoint_set", "debug.setBreakpoint", "breakpoint_remove", "debug.removeBreakpoint",
		"breakpoint_list", "debug.listBreakpoints", "threads_list", "debug.getThreads", "stacktrace_get",
		"debug.getStackTrace",
		"variables_get", "debug.getVariables", "session_id", "sessionId", "thread_id", "threadId", "hit_condition",
		"hitCondition",
		"stop_at_entry", "stopOnEntry", "stop_on_attach", "stopOnEntry", "just_my_code", "justMyCode",
	)
})

// explain converts a handler's error into one of the older protocol. The details keep our own code and name the
// program being debugged.
func (d *Methods) explain(ctx context.Context, method string, err error) *failure {
	var already *failure
	if errors.As(err, &already) {
		return already
	}
	if cause, ok := context.Cause(ctx).(*fault.Error); ok && errors.Is(err, context.Canceled) {
		err = cause
	}
	e := fault.AsError(err)
	details := map[string]any{"code": e.Code}
	if live := d.server.Live(); len(live) == 1 && e.Code != fault.NoSession {
		snap := live[0].Snapshot()
		details["sessionId"] = snap.ID
		nameProcess(details, snap)
	}
	maps.Copy(details, e.Details)
	return &failure{mcpCode: mcpCodeOf(method, e.Code), message: words().Replace(e.Message), details: details}
}

// nameProcess adds what is known about the program being debugged.
func nameProcess(details map[string]any, snap *adapter.Snapshot) {
	if snap.Process.Pid != 0 {
		details["processId"] = snap.Process.Pid
	}
	if snap.Process.Name != "" {
		details["processName"] = snap.Process.Name
	}
}

// answerLine encodes an answer in the form of the request; nil for a notification.
func (d *Methods) answerLine(m *jsonrpc.Message, data any, err error) []byte {
	if m.Versioned && m.ID == nil {
		return nil
	}
	var raw []byte
	if err == nil {
		if raw, err = jsonrpc.Marshal(data); err != nil {
			err = &failure{mcpCode: internalError, message: "encode the answer: " + err.Error()}
		} else if e := d.server.TooLarge(m.Method, len(raw)); e != nil {
			details := map[string]any{"code": e.Code}
			maps.Copy(details, e.Details)
			err = &failure{mcpCode: executionFailed, message: e.Message, details: details}
		}
	}
	dst := make([]byte, 0, envelopeLength+len(raw))
	var failed *failure
	switch {
	case errors.As(err, &failed) && m.Versioned:
		return failed.line(m.ID)
	case failed != nil:
		return failed.rawLine(m.ID)
	case m.Versioned:
		dst = jsonrpc.AppendID(append(dst, `{"jsonrpc":"2.0","id":`...), m.ID)
		dst = append(append(dst, `,"result":{"success":true,"data":`...), raw...)
		return append(dst, `,"message":null}}`...)
	}
	dst = appendRawID(append(dst, '{'), m.ID)
	dst = append(append(dst, `"success":true,"result":`...), raw...)
	return append(dst, `,"message":null}`...)
}

func appendRawID(dst []byte, id json.RawMessage) []byte {
	if id == nil {
		return dst
	}
	return append(jsonrpc.AppendID(append(dst, `"id":`...), id), ',')
}

// line encodes the error in JSON-RPC's envelope.
func (e *failure) line(id json.RawMessage) []byte {
	code, ok := numericCodes()[e.mcpCode]
	if !ok {
		code = codeDebugger
	}
	return (&jsonrpc.Error{ID: id, Code: code, Message: e.message, Data: e.data("mcpCode", false)}).Line()
}

// rawLine encodes the error in the raw form, which has no numeric codes.
func (e *failure) rawLine(id json.RawMessage) []byte {
	dst := appendRawID([]byte{'{'}, id)
	dst = append(append(dst, `"success":false,"error":`...), e.data("code", true)...)
	dst = jsonrpc.AppendString(append(dst, `,"message":`...), e.message)
	return append(dst, '}')
}

// data encodes the members that both forms have in addition to the message.
func (e *failure) data(codeName string, message bool) []byte {
	dst := jsonrpc.AppendString([]byte{'{'}, codeName)
	dst = jsonrpc.AppendString(append(dst, ':'), e.mcpCode)
	if message {
		dst = jsonrpc.AppendString(append(dst, `,"message":`...), e.message)
	}
	details, err := jsonrpc.Marshal(e.details)
	if err != nil || len(e.details) == 0 {
		details = []byte("null")
	}
	dst = append(append(dst, `,"details":`...), details...)
	return append(dst, '}')
}

// Refusal adds the older protocol's code to an error of the transport. It is used for clients that have not spoken
// MCP yet and may not speak JSON-RPC.
func Refusal(e *jsonrpc.Error) []byte {
	for mcpCode, code := range numericCodes() {
		if code != e.Code {
			continue
		}
		d := &failure{mcpCode: mcpCode, message: e.Message}
		if e.Unversioned {
			return append(d.rawLine(e.ID), '\n')
		}
		return d.line(e.ID)
	}
	return e.Line()
}
