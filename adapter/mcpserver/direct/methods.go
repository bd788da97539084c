package direct

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"sync"

	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/adapter/mcpserver/jsonrpc"
	"breakwire/adapter/mcpserver/toolargs"
)

// methods are the methods of the older protocol (docs/contract.md).
var methods = sync.OnceValue(func() map[string]method {
	return map[string]method{
		"health":                 {anytime, bound((*Methods).health)},
		"debug.attach":           {starts, bound((*Methods).attach)},
		"debug.launch":           {starts, bound((*Methods).launch)},
		"debug.continue":         {inTurn, bound((*Methods).resume)},
		"debug.pause":            {urgent, bound((*Methods).pause)},
		"debug.step":             {inTurn, bound((*Methods).step)},
		"debug.setBreakpoint":    {inTurn, bound((*Methods).setBreakpoint)},
		"debug.removeBreakpoint": {inTurn, bound((*Methods).removeBreakpoint)},
		"debug.listBreakpoints":  {inTurn, bound((*Methods).listBreakpoints)},
		"debug.getStackTrace":    {inTurn, bound((*Methods).stackTrace)},
		"debug.getVariables":     {inTurn, bound((*Methods).variables)},
		"debug.evaluate":         {inTurn, bound((*Methods).evaluate)},
		"debug.getThreads":       {inTurn, bound((*Methods).threads)},
		"debug.selectThread":     {inTurn, bound((*Methods).selectThread)},
		"debug.getStatus":        {urgent, bound((*Methods).status)},
		"debug.disconnect":       {urgent, bound((*Methods).disconnect)},
		"debug.terminate":        {urgent, bound((*Methods).terminate)},
	}
})

// bound binds the parameters of a method in the same way as a tool's arguments.
func bound[In any](serve func(d *Methods, ctx context.Context, in In) (any, error)) func(*Methods, context.Context,
	json.RawMessage) (any, error) {
	return func(d *Methods, ctx context.Context, params json.RawMessage) (any, error) {
		var in In
		if nested, ok := any(&in).(configured); ok {
			var err error
			if params, err = nested.configuration(params); err != nil {
				return nil, err
			}
		}
		if err := toolargs.Bind(params, &in); err != nil {
			return nil, err
		}
		return serve(d, ctx, in)
	}
}

// configured is implemented by parameters that have a configuration object.
type configured interface {
	// configuration reads that object and returns the parameters without it.
	configuration(params json.RawMessage) (json.RawMessage, error)
}

func takeConfiguration(params json.RawMessage, into any) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if json.Unmarshal(params, &all) != nil {
		return params, nil // bind reports the error
	}
	nested := all["configuration"]
	delete(all, "configuration")
	rest, err := jsonrpc.Marshal(all)
	if err != nil {
		return nil, err
	}
	if err := toolargs.Bind(nested, into); err != nil {
		err.Message = "configuration: " + err.Message
		return nil, err
	}
	return rest, nil
}

type sessionParams struct {
	Session string `arg:"sessionId"`
}

type threadParams struct {
	Session string `arg:"sessionId"`
	Thread  int    `arg:"threadId" min:"0"`
}

type launchConfiguration struct {
	StopOnEntry *bool              `arg:"stopOnEntry"`
	JustMyCode  *bool              `arg:"justMyCode"`
	Cwd         *string            `arg:"workingDirectory" alias:"cwd"`
	Env         map[string]*string `arg:"env"`
}

type attachConfiguration struct {
	StopOnEntry *bool `arg:"stopOnEntry"`
	JustMyCode  *bool `arg:"justMyCode"`
}

type attachParams struct {
	Pid    int `arg:"processId,required" alias:"pid" min:"1"`
	Config attachConfiguration
}

func (in *attachParams) configuration(params json.RawMessage) (json.RawMessage, error) {
	return takeConfiguration(params, &in.Config)
}

type launchParams struct {
	Program string   `arg:"program,required"`
	Args    []string `arg:"args"`
	Config  launchConfiguration
}

func (in *launchParams) configuration(params json.RawMessage) (json.RawMessage, error) {
	return takeConfiguration(params, &in.Config)
}

// anyStop is the after_seq of callers that may leave a stop that they were not told of: the older protocol tells none.
const anyStop int64 = math.MaxInt64

// arguments collects a tool's arguments. What is not given is omitted, so that the tool's default applies.
type arguments map[string]any

func given[T comparable](args arguments, name string, value T) arguments {
	var none T
	if value != none {
		args[name] = value
	}
	return args
}

func givenPointer[T any](args arguments, name string, value *T) arguments {
	if value != nil {
		args[name] = *value
	}
	return args
}

func (d *Methods) health(context.Context, struct{}) (any, error) {
	return "breakwire " + d.server.Version() + " is running", nil
}

// startData is the result of debug.attach and debug.launch.
type startData struct {
	SessionID    string          `json:"sessionId"`
	Capabilities map[string]bool `json:"capabilities"`
	Status       string          `json:"status"`
}

func (d *Methods) attach(ctx context.Context, in attachParams) (any, error) {
	args := arguments{"pid": in.Pid}
	givenPointer(args, "stop_on_attach", in.Config.StopOnEntry)
	givenPointer(args, "just_my_code", in.Config.JustMyCode)
	return begun(ctx, d, "debug_attach", args, "attached")
}

func (d *Methods) launch(ctx context.Context, in launchParams) (any, error) {
	args := arguments{"program": in.Program}
	givenPointer(args, "stop_at_entry", in.Config.StopOnEntry)
	givenPointer(args, "just_my_code", in.Config.JustMyCode)
	givenPointer(args, "cwd", in.Config.Cwd)
	if in.Args != nil {
		args["args"] = in.Args
	}
	if in.Config.Env != nil {
		args["env"] = in.Config.Env
	}
	return begun(ctx, d, "debug_launch", args, "launched")
}

// begun starts a session. The older protocol allows one at a time.
func begun(ctx context.Context, d *Methods, tool string, args arguments, status string) (any, error) {
	for _, s := range d.server.Live() {
		snap := s.Snapshot()
		e := &failure{mcpCode: sessionConflict, message: "session " + snap.ID +
			" is live; end it with debug.disconnect or debug.terminate first",
			details: map[string]any{"sessionId": snap.ID}}
		nameProcess(e.details, snap)
		return nil, e
	}
	args["locals"], args["wait"] = false, false
	r, err := call[runResult](ctx, d, tool, args)
	if err != nil {
		return nil, err
	}
	if !r.Session.State.Live() {
		status = string(r.Session.State)
	}
	known, err := call[runResult](ctx, d, "debug_state", given(arguments{}, "session_id", r.Session.SessionID))
	if err != nil {
		return nil, err
	}
	return startData{r.Session.SessionID, capabilities(known.Session.Capabilities), status}, nil
}

// capabilities returns DAP's capability names with whether each works, through the debugger or through us.
func capabilities(have map[string]string) map[string]bool {
	can := func(name string) bool { return have[name] != "" && have[name] != "unavailable" }
	return map[string]bool{
		"supportsBreakpoints":               true,
		"supportsConditionalBreakpoints":    can("conditionalBreakpoints"),
		"supportsHitConditionalBreakpoints": can("hitConditions"),
		"supportsFunctionBreakpoints":       can("functionBreakpoints"),
		"supportsExceptionBreakpoints":      can("exceptionBreakpoints"),
		"supportsLogPoints":                 can("tracepoints"),
		"supportsEvaluateForHovers":         true,
		"supportsSetVariable":               can("setVariable"),
		"supportsModulesRequest":            can("modules"),
		"supportsRestartRequest":            can("restart"),
		"supportsTerminateRequest":          true,
	}
}

func (d *Methods) resume(ctx context.Context, in threadParams) (any, error) {
	args := given(given(arguments{"after_seq": anyStop}, "session_id", in.Session), "thread_id", in.Thread)
	if _, err := call[runResult](ctx, d, "debug_continue", args); err != nil {
		return nil, err
	}
	return map[string]bool{"allThreadsContinued": true}, nil
}

func (d *Methods) pause(ctx context.Context, in threadParams) (any, error) {
	r, err := call[runResult](ctx, d, "debug_pause", given(arguments{"locals": false}, "session_id", in.Session))
	if err != nil {
		return nil, err
	}
	if in.Thread != 0 { // all threads stop; the named one becomes the selected one
		if _, err := d.selectThread(ctx, threadParams{in.Session, in.Thread}); err != nil {
			return nil, err
		}
	}
	return map[string]any{"status": r.Session.State}, nil
}

type stepParams struct {
	Session string `arg:"sessionId"`
	Thread  int    `arg:"threadId" min:"0"`
	Type    string `arg:"stepType" default:"over" enum:"over,into|in,out"`
}

// stepData is the result of debug.step. It has no location when the program has ended.
type stepData struct {
	Location *inspect.Location `json:"location"`
	Reason   string            `json:"reason"`
	ThreadID int               `json:"threadId,omitempty"`
	ExitCode *int              `json:"exitCode,omitempty"`
	Signal   string            `json:"signal,omitempty"`
}

func (d *Methods) step(ctx context.Context, in stepParams) (any, error) {
	session, err := d.server.Session(in.Session)
	if err != nil {
		return nil, err
	}
	if in.Thread == 0 {
		in.Thread = d.handles.chosen(session)
	}
	args := arguments{"session_id": session.ID(), "mode": strings.TrimSuffix(in.Type, "to"), "locals": false,
		"after_seq": anyStop}
	r, err := call[runResult](ctx, d, "debug_step", given(args, "thread_id", in.Thread))
	switch {
	case err != nil:
		return nil, err
	case r.TimedOut:
		return nil, fault.Errorf(fault.Timeout, "the step has not ended; the program goes on, and debug.pause "+
			"stops it").With("state", r.Session.State)
	case r.Stop == nil:
		return stepData{Reason: r.Reason, ExitCode: r.Session.ExitCode, Signal: r.Session.Signal}, nil
	}
	return stepData{Location: r.Stop.Location, Reason: r.Stop.Reason, ThreadID: r.Stop.ThreadID}, nil
}

type breakpointParams struct {
	Session      string  `arg:"sessionId"`
	File         string  `arg:"file,required"`
	Line         int     `arg:"line,required" min:"1"`
	Condition    *string `arg:"condition,loose"`
	HitCondition *string `arg:"hitCondition,loose"`
}

// breakpointData is a breakpoint in the older protocol. Kinds that the protocol did not have are listed with the
// members that apply.
type breakpointData struct {
	ID            string `json:"id"`
	File          string `json:"file,omitempty"`
	Line          int    `json:"line,omitempty"`
	Function      string `json:"function,omitempty"`
	ExceptionType string `json:"exceptionType,omitempty"`
	Verified      bool   `json:"verified"`
	Condition     string `json:"condition,omitempty"`
	HitCondition  string `json:"hitCondition,omitempty"`
	LogMessage    string `json:"logMessage,omitempty"`
	Message       string `json:"message,omitempty"`
}

func breakpointDataOf(b breakpoint.Info) breakpointData {
	return breakpointData{
		ID: b.ID, File: b.File, Line: b.Line, Function: b.Function, ExceptionType: b.ExceptionType, Verified: b.Verified,
		Condition: b.Condition, HitCondition: b.HitCondition, LogMessage: b.LogMessage, Message: b.Message,
	}
}

func (d *Methods) setBreakpoint(ctx context.Context, in breakpointParams) (any, error) {
	args := given(arguments{"file": in.File, "line": in.Line}, "session_id", in.Session)
	givenPointer(givenPointer(args, "condition", in.Condition), "hit_condition", in.HitCondition)
	r, err := call[breakpointResult](ctx, d, "breakpoint_set", args)
	if err != nil {
		return nil, err
	}
	return breakpointDataOf(r.Breakpoint), nil
}

type removeParams struct {
	ID string `arg:"breakpointId,required" alias:"id"`
}

func (d *Methods) removeBreakpoint(ctx context.Context, in removeParams) (any, error) {
	return nil, d.server.Call(ctx, "breakpoint_remove", arguments{"id": in.ID}, &struct{}{})
}

func (d *Methods) listBreakpoints(ctx context.Context, in sessionParams) (any, error) {
	r, err := call[breakpointListResult](ctx, d, "breakpoint_list", given(arguments{}, "session_id", in.Session))
	if err != nil {
		return nil, err
	}
	list := make([]breakpointData, len(r.Breakpoints))
	for i, b := range r.Breakpoints {
		list[i] = breakpointDataOf(b)
	}
	return list, nil
}

func (d *Methods) disconnect(ctx context.Context, in sessionParams) (any, error) {
	return d.end(ctx, given(arguments{}, "session_id", in.Session))
}

func (d *Methods) terminate(ctx context.Context, in sessionParams) (any, error) {
	return d.end(ctx, given(arguments{"terminate": true}, "session_id", in.Session))
}

func (d *Methods) end(ctx context.Context, args arguments) (any, error) {
	r, err := call[disconnectResult](ctx, d, "debug_disconnect", args)
	if err != nil {
		return nil, err
	}
	status := "disconnected"
	if r.WasTerminated {
		status = "terminated"
	}
	return map[string]any{"status": status}, nil
}

// statusData is the result of debug.getStatus.
type statusData struct {
	IsDebugging    bool    `json:"isDebugging"`
	IsPaused       bool    `json:"isPaused"`
	ActiveThreadID *int    `json:"activeThreadId"`
	SessionID      *string `json:"sessionId"`
}

func (d *Methods) status(ctx context.Context, in sessionParams) (any, error) {
	r, err := call[runResult](ctx, d, "debug_state", given(arguments{}, "session_id", in.Session))
	if err != nil {
		return nil, err
	}
	if !r.Session.State.Live() {
		return statusData{}, nil
	}
	s := statusData{IsDebugging: true, IsPaused: r.Session.State == adapter.Paused, SessionID: &r.Session.SessionID}
	if r.Stop != nil {
		thread := r.Stop.ThreadID
		if session, err := d.server.Session(r.Session.SessionID); err == nil &&
			current(session, frameRef{session: session.ID(), stop: r.Stop.Seq}) {
			thread = d.handles.chosen(session)
		}
		s.ActiveThreadID = &thread
	}
	return s, nil
}
