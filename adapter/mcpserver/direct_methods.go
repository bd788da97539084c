package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/jsonrpc"
	"breakwire/adapter/mcpserver/toolargs"
)

// directMethods are the methods of the older protocol (docs/contract.md).
var directMethods = sync.OnceValue(func() map[string]directMethod {
	return map[string]directMethod{
		"health":                 {anytime, method((*direct).health)},
		"debug.attach":           {starts, method((*direct).attach)},
		"debug.launch":           {starts, method((*direct).launch)},
		"debug.continue":         {inTurn, method((*direct).resume)},
		"debug.pause":            {urgent, method((*direct).pause)},
		"debug.step":             {inTurn, method((*direct).step)},
		"debug.setBreakpoint":    {inTurn, method((*direct).setBreakpoint)},
		"debug.removeBreakpoint": {inTurn, method((*direct).removeBreakpoint)},
		"debug.listBreakpoints":  {inTurn, method((*direct).listBreakpoints)},
		"debug.getStackTrace":    {inTurn, method((*direct).stackTrace)},
		"debug.getVariables":     {inTurn, method((*direct).variables)},
		"debug.evaluate":         {inTurn, method((*direct).evaluate)},
		"debug.getThreads":       {inTurn, method((*direct).threads)},
		"debug.selectThread":     {inTurn, method((*direct).selectThread)},
		"debug.getStatus":        {urgent, method((*direct).status)},
		"debug.disconnect":       {urgent, method((*direct).disconnect)},
		"debug.terminate":        {urgent, method((*direct).terminate)},
	}
})

// method binds the parameters of a method in the same way as a tool's arguments.
func method[In any](serve func(d *direct, ctx context.Context, in In) (any, error)) func(*direct, context.Context,
	json.RawMessage) (any, error) {
	return func(d *direct, ctx context.Context, params json.RawMessage) (any, error) {
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

type directSession struct {
	Session string `arg:"sessionId"`
}

type directThread struct {
	Session string `arg:"sessionId"`
	Thread  int    `arg:"threadId" min:"0"`
}

type directConfiguration struct {
	StopOnEntry *bool              `arg:"stopOnEntry"`
	JustMyCode  *bool              `arg:"justMyCode"`
	Cwd         *string            `arg:"workingDirectory" alias:"cwd"`
	Env         map[string]*string `arg:"env"`
}

type directAttachConfiguration struct {
	StopOnEntry *bool `arg:"stopOnEntry"`
	JustMyCode  *bool `arg:"justMyCode"`
}

type directAttach struct {
	Pid    int `arg:"processId,required" alias:"pid" min:"1"`
	Config directAttachConfiguration
}

func (in *directAttach) configuration(params json.RawMessage) (json.RawMessage, error) {
	return takeConfiguration(params, &in.Config)
}

type directLaunch struct {
	Program string   `arg:"program,required"`
	Args    []string `arg:"args"`
	Config  directConfiguration
}

func (in *directLaunch) configuration(params json.RawMessage) (json.RawMessage, error) {
	return takeConfiguration(params, &in.Config)
}

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

func (d *direct) health(context.Context, struct{}) (any, error) {
	return "breakwire " + d.server.opts.Version + " is running", nil
}

// startData is the result of debug.attach and debug.launch.
type startData struct {
	SessionID    string          `json:"sessionId"`
	Capabilities map[string]bool `json:"capabilities"`
	Status       string          `json:"status"`
}

func (d *direct) attach(ctx context.Context, in directAttach) (any, error) {
	args := arguments{"pid": in.Pid}
	givenPointer(args, "stop_on_attach", in.Config.StopOnEntry)
	givenPointer(args, "just_my_code", in.Config.JustMyCode)
	return begun(ctx, d, d.server.attach, args, "attached")
}

func (d *direct) launch(ctx context.Context, in directLaunch) (any, error) {
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
	return begun(ctx, d, d.server.launch, args, "launched")
}

// begun starts a session. The older protocol allows one at a time.
func begun[In any](ctx context.Context, d *direct, handler func(context.Context, In) (any, error), args arguments,
	status string) (any, error) {
	for _, s := range d.server.manager.Live() {
		snap := s.Snapshot()
		e := &directError{mcpCode: sessionConflict, message: "session " + snap.ID +
			" is live; end it with debug.disconnect or debug.terminate first",
			details: map[string]any{"sessionId": snap.ID}}
		nameProcess(e.details, snap)
		return nil, e
	}
	r, err := invoke[startResult](ctx, handler, args)
	if err != nil {
		return nil, err
	}
	if !r.Session.State.Live() {
		status = string(r.Session.State)
	}
	return startData{r.Session.SessionID, directCapabilities(r.Session.Capabilities), status}, nil
}

// directCapabilities returns DAP's capability names with whether each works, through the debugger or through us.
func directCapabilities(have map[string]string) map[string]bool {
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

func (d *direct) resume(ctx context.Context, in directThread) (any, error) {
	args := given(given(arguments{}, "session_id", in.Session), "thread_id", in.Thread)
	if _, err := invoke[runResult](ctx, d.server.resume, args); err != nil {
		return nil, err
	}
	return map[string]bool{"allThreadsContinued": true}, nil
}

func (d *direct) pause(ctx context.Context, in directThread) (any, error) {
	r, err := invoke[runResult](ctx, d.server.pause, given(arguments{}, "session_id", in.Session))
	if err != nil {
		return nil, err
	}
	if in.Thread != 0 { // all threads stop; the named one becomes the selected one
		if _, err := d.selectThread(ctx, directThread{in.Session, in.Thread}); err != nil {
			return nil, err
		}
	}
	return map[string]any{"status": r.Session.State}, nil
}

type directStep struct {
	Session string `arg:"sessionId"`
	Thread  int    `arg:"threadId" min:"0"`
	Type    string `arg:"stepType" default:"over" enum:"over,into|in,out"`
}

// stepData is the result of debug.step. It has no location when the program has ended.
type stepData struct {
	Location *adapter.Location `json:"location"`
	Reason   string            `json:"reason"`
	ThreadID int               `json:"threadId,omitempty"`
	ExitCode *int              `json:"exitCode,omitempty"`
	Signal   string            `json:"signal,omitempty"`
}

func (d *direct) step(ctx context.Context, in directStep) (any, error) {
	session, err := d.server.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	if in.Thread == 0 {
		in.Thread = d.handles.chosen(session)
	}
	args := arguments{"session_id": session.ID(), "mode": strings.TrimSuffix(in.Type, "to")}
	r, err := invoke[runResult](ctx, d.server.step, given(args, "thread_id", in.Thread))
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

type directBreakpoint struct {
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

func breakpointDataOf(b adapter.BreakpointInfo) breakpointData {
	return breakpointData{
		ID: b.ID, File: b.File, Line: b.Line, Function: b.Function, ExceptionType: b.ExceptionType, Verified: b.Verified,
		Condition: b.Condition, HitCondition: b.HitCondition, LogMessage: b.LogMessage, Message: b.Message,
	}
}

func (d *direct) setBreakpoint(ctx context.Context, in directBreakpoint) (any, error) {
	args := given(arguments{"file": in.File, "line": in.Line}, "session_id", in.Session)
	givenPointer(givenPointer(args, "condition", in.Condition), "hit_condition", in.HitCondition)
	r, err := invoke[breakpointResult](ctx, d.server.breakpointSet, args)
	if err != nil {
		return nil, err
	}
	return breakpointDataOf(r.Breakpoint), nil
}

type directRemove struct {
	ID string `arg:"breakpointId,required" alias:"id"`
}

func (d *direct) removeBreakpoint(ctx context.Context, in directRemove) (any, error) {
	_, err := invoke[removeResult](ctx, d.server.breakpointRemove, arguments{"id": in.ID})
	return nil, err
}

func (d *direct) listBreakpoints(ctx context.Context, in directSession) (any, error) {
	r, err := invoke[breakpointListResult](ctx, d.server.breakpointList, given(arguments{}, "session_id", in.Session))
	if err != nil {
		return nil, err
	}
	list := make([]breakpointData, len(r.Breakpoints))
	for i, b := range r.Breakpoints {
		list[i] = breakpointDataOf(b)
	}
	return list, nil
}

func (d *direct) disconnect(ctx context.Context, in directSession) (any, error) {
	return d.end(ctx, given(arguments{}, "session_id", in.Session))
}

func (d *direct) terminate(ctx context.Context, in directSession) (any, error) {
	return d.end(ctx, given(arguments{"terminate": true}, "session_id", in.Session))
}

func (d *direct) end(ctx context.Context, args arguments) (any, error) {
	r, err := invoke[disconnectResult](ctx, d.server.disconnect, args)
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

func (d *direct) status(ctx context.Context, in directSession) (any, error) {
	r, err := invoke[stateResult](ctx, d.server.state, given(arguments{}, "session_id", in.Session))
	if err != nil {
		return nil, err
	}
	if !r.Session.State.Live() {
		return statusData{}, nil
	}
	s := statusData{IsDebugging: true, IsPaused: r.Session.State == adapter.Paused, SessionID: &r.Session.SessionID}
	if r.Stop != nil {
		thread := r.Stop.ThreadID
		if session, err := d.server.manager.Session(r.Session.SessionID); err == nil &&
			current(session, frameRef{session: session.ID(), stop: r.Stop.Seq}) {
			thread = d.handles.chosen(session)
		}
		s.ActiveThreadID = &thread
	}
	return s, nil
}
