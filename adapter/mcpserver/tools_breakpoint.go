package mcpserver

import (
	"context"
	"strings"

	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/toolargs"
)

type breakpointSetArgs struct {
	Session      string  `arg:"session_id"`
	File         string  `arg:"file,required"`
	Line         int     `arg:"line,required" min:"1"`
	Column       int     `arg:"column" min:"1"`
	Condition    *string `arg:"condition,loose"`
	HitCondition *string `arg:"hit_condition,loose" alias:"hitCondition"`
}

func (breakpointSetArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"session_id":    "Default all",
		"file":          "Absolute, or relative to the project root",
		"condition":     "Stop only when this expression is true",
		"hit_condition": "Which hits stop: 5, >=5, >5, <5, <=5, %5",
	}
}

type functionSetArgs struct {
	Session      string  `arg:"session_id"`
	Function     string  `arg:"function,required"`
	Condition    *string `arg:"condition,loose"`
	HitCondition *string `arg:"hit_condition,loose" alias:"hitCondition"`
}

func (functionSetArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"function":      "Namespace.Class.Method, package.Function",
		"hit_condition": "5, >=5, %5",
	}
}

type exceptionSetArgs struct {
	Session  string `arg:"session_id"`
	Type     string `arg:"exception_type,required"`
	First    bool   `arg:"break_on_first_chance" default:"true"`
	Second   bool   `arg:"break_on_second_chance" default:"true"`
	Subtypes bool   `arg:"include_subtypes" default:"true"`
}

func (exceptionSetArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"exception_type":         "Full type name, or * for every exception",
		"break_on_first_chance":  "Stop when it is thrown",
		"break_on_second_chance": "Stop when nobody catches it",
	}
}

type tracepointSetArgs struct {
	Session   string  `arg:"session_id"`
	File      string  `arg:"file,required"`
	Line      int     `arg:"line,required" min:"1"`
	Column    int     `arg:"column" min:"1"`
	Message   string  `arg:"log_message" alias:"logMessage,message"`
	Condition *string `arg:"condition,loose"`
	Multiple  int     `arg:"hit_count_multiple" alias:"hitCountMultiple" default:"0" min:"0"`
	Max       int     `arg:"max_notifications" alias:"maxNotifications" default:"0" min:"0"`
	Strategy  string  `arg:"strategy" default:"auto" enum:"auto,native,stop"`
}

func (tracepointSetArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"log_message":        "Text with {expressions}; {{ and }} are braces",
		"hit_count_multiple": "N: only hits N, 2N, 3N, ...",
		"max_notifications":  "Disable it after this many; 0: no limit",
		"strategy":           "native: the debugger's log points; stop: stop, evaluate, resume",
	}
}

type watchpointSetArgs struct {
	Session      string  `arg:"session_id"`
	Expression   string  `arg:"expression,required"`
	Access       string  `arg:"access" default:"write" enum:"write,read,readwrite"`
	Condition    *string `arg:"condition,loose"`
	HitCondition *string `arg:"hit_condition,loose" alias:"hitCondition"`
	Message      string  `arg:"log_message" alias:"logMessage,message"`
	Frame        *int    `arg:"frame_index" min:"0"`
}

func (watchpointSetArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"expression":  "A variable, field or element of a simple type",
		"log_message": "Log this instead of stopping",
	}
}

type breakpointIDArgs struct {
	Session string `arg:"session_id"`
	ID      string `arg:"id" alias:"breakpoint_id,breakpointId"`
	All     bool   `arg:"all" default:"false"`
}

func (breakpointIDArgs) Docs() toolargs.Docs { return toolargs.Docs{"id": "As bp-1"} }

type breakpointEnableArgs struct {
	Session string `arg:"session_id"`
	ID      string `arg:"id,required" alias:"breakpoint_id,breakpointId"`
	Enabled bool   `arg:"enabled" default:"true"`
}

func (breakpointEnableArgs) Docs() toolargs.Docs {
	return toolargs.Docs{"id": "As bp-1"}
}

type breakpointResult struct {
	Breakpoint breakpoint.Info `json:"breakpoint"`
	Duplicate  bool            `json:"duplicate,omitempty"`
	Warning    string          `json:"warning,omitempty"`
	HitsVia    []string        `json:"hitsVia,omitempty"`
}

func (s *Server) addBreakpointTools() {
	addTool(s.mcp, Tool{
		Name: "breakpoint_set", Title: "Set a breakpoint", Idempotent: true,
		Description: "Stops the program at a line; also before the launch or while it runs. Setting the same place " +
			"again changes the breakpoint.",
	}, s.breakpointSet)
	addTool(s.mcp, Tool{
		Name: "breakpoint_set_function", Title: "Set a function breakpoint", Idempotent: true,
		Description: "Stops the program when a function is entered.",
	}, s.functionSet)
	addTool(s.mcp, Tool{
		Name: "breakpoint_set_exception", Title: "Set an exception breakpoint", Idempotent: true,
		Description: "Stops the program when an exception of a type is thrown (first chance) or not caught (second chance).",
	}, s.exceptionSet)
	addTool(s.mcp, Tool{
		Name: "tracepoint_set", Title: "Set a tracepoint", Idempotent: true,
		Description: "Logs each pass over a line without pausing the program, with {expressions} evaluated there. " +
			"Read the hits with events_query (types [\"tracepoint\"]).",
	}, s.tracepointSet)
	addTool(s.mcp, Tool{
		Name: "watchpoint_set", Title: "Set a watchpoint", Idempotent: true,
		Description: "Stops the program when memory changes, with old and new value. The program must be paused where " +
			"the expression is known.",
	}, s.watchpointSet)
	addTool(s.mcp, Tool{
		Name: "breakpoint_remove", Title: "Remove a breakpoint", Destructive: true, Idempotent: true,
		Description: "Removes a breakpoint or tracepoint, or all.",
	}, s.breakpointRemove)
	addTool(s.mcp, Tool{
		Name: "breakpoint_enable", Title: "Enable or disable a breakpoint", Idempotent: true,
		Description: "Enables a breakpoint or tracepoint, or disables it without losing it.",
	}, s.breakpointEnable)
	addTool(s.mcp, Tool{
		Name: "breakpoint_list", Title: "List breakpoints", ReadOnly: true, Idempotent: true,
		Description: "Breakpoints and tracepoints with state, place and hit counts.",
	}, s.breakpointList)
}

func (s *Server) breakpointSet(ctx context.Context, in breakpointSetArgs) (any, error) {
	return s.set(ctx)(s.lineSpec(in))
}

func (s *Server) lineSpec(in breakpointSetArgs) (breakpoint.Spec, error) {
	spec := breakpoint.Spec{
		Kind: breakpoint.Blocking, Session: in.Session, File: s.manager.File(in.File), Line: in.Line, Column: in.Column,
	}
	return spec, conditions(&spec, in.Condition, in.HitCondition)
}

func (s *Server) functionSet(ctx context.Context, in functionSetArgs) (any, error) {
	return s.set(ctx)(s.functionSpec(in))
}

func (s *Server) functionSpec(in functionSetArgs) (breakpoint.Spec, error) {
	if blank(in.Function) {
		return breakpoint.Spec{}, fault.Errorf(fault.InvalidParameter, "function is empty").With("parameter", "function")
	}
	spec := breakpoint.Spec{Kind: breakpoint.Function, Session: in.Session, Function: in.Function}
	return spec, conditions(&spec, in.Condition, in.HitCondition)
}

func (s *Server) exceptionSpec(in exceptionSetArgs) (breakpoint.Spec, error) {
	switch {
	case blank(in.Type):
		return breakpoint.Spec{}, fault.Errorf(fault.InvalidParameter, "exception_type is empty; use * for every exception").
			With("parameter", "exception_type")
	case !in.First && !in.Second:
		return breakpoint.Spec{}, fault.Errorf(fault.InvalidParameter,
			"with neither break_on_first_chance nor break_on_second_chance it would never stop").
			With("parameter", "break_on_first_chance")
	}
	return breakpoint.Spec{
		Kind: breakpoint.Exception, Session: in.Session, ExceptionType: in.Type,
		FirstChance: in.First, SecondChance: in.Second, IncludeSubtypes: in.Subtypes,
	}, nil
}

func (s *Server) exceptionSet(ctx context.Context, in exceptionSetArgs) (any, error) {
	r, err := s.set(ctx)(s.exceptionSpec(in))
	if err != nil {
		return nil, err
	}
	r.Warning = s.manager.ExceptionWarning(in.Type, in.First, in.Subtypes)
	return r, nil
}

// hitsVia lists where a client can read a tracepoint's hits.
var hitsVia = []string{methodHit, "events_query"}

func (s *Server) tracepointSpec(in tracepointSetArgs) (breakpoint.Spec, error) {
	spec := breakpoint.Spec{
		Kind: breakpoint.Tracepoint, Session: in.Session, File: s.manager.File(in.File), Line: in.Line, Column: in.Column,
		LogMessage: in.Message, Multiple: in.Multiple, Max: in.Max, Strategy: in.Strategy,
	}
	return spec, conditions(&spec, in.Condition, nil)
}

func (s *Server) tracepointSet(ctx context.Context, in tracepointSetArgs) (any, error) {
	r, err := s.set(ctx)(s.tracepointSpec(in))
	if err != nil {
		return nil, err
	}
	r.HitsVia = hitsVia
	return r, nil
}

func (s *Server) watchpointSet(ctx context.Context, in watchpointSetArgs) (any, error) {
	if blank(in.Expression) {
		return nil, fault.Errorf(fault.InvalidParameter, "expression is empty").With("parameter", "expression")
	}
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	p := adapter.WatchParams{
		Spec:  breakpoint.Spec{Expression: in.Expression, Access: in.Access, LogMessage: in.Message},
		Frame: frameIndex(in.Frame),
	}
	if err := conditions(&p.Spec, in.Condition, in.HitCondition); err != nil {
		return nil, err
	}
	info, duplicate, err := s.manager.SetWatchpoint(ctx, session, p)
	if err != nil {
		return nil, err
	}
	r := breakpointResult{Breakpoint: info, Duplicate: duplicate}
	if in.Message != "" {
		r.HitsVia = hitsVia
	}
	return r, nil
}

// conditions copies the given conditions into spec. An empty condition is an error, not "none".
func conditions(spec *breakpoint.Spec, condition, hitCondition *string) error {
	for _, c := range []struct {
		name string
		from *string
		to   *string
	}{{"condition", condition, &spec.Condition}, {"hit_condition", hitCondition, &spec.HitCondition}} {
		if c.from == nil {
			continue
		}
		if blank(*c.from) {
			return fault.Errorf(fault.InvalidCondition, "%s is empty; leave it out for a breakpoint without one",
				c.name).With("parameter", c.name)
		}
		*c.to = *c.from
	}
	return nil
}

func blank(text string) bool { return strings.Trim(text, " \t\r\n") == "" }

// set returns a function that sets a breakpoint of any kind, unless its spec has an error.
func (s *Server) set(ctx context.Context) func(breakpoint.Spec, error) (breakpointResult, error) {
	return func(spec breakpoint.Spec, err error) (breakpointResult, error) {
		if err == nil && spec.Session != "" {
			_, err = s.manager.Session(spec.Session)
		}
		if err != nil {
			return breakpointResult{}, err
		}
		info, duplicate, err := s.manager.SetBreakpoint(ctx, spec)
		if err != nil {
			return breakpointResult{}, err
		}
		return breakpointResult{Breakpoint: info, Duplicate: duplicate}, nil
	}
}

type removeResult struct {
	Removed []string `json:"removed"`
	Count   int      `json:"count,omitempty"` // when removed does not have them all
}

// namedRemoved is how many removed breakpoints an answer names.
const namedRemoved = 15

func (s *Server) breakpointRemove(ctx context.Context, in breakpointIDArgs) (any, error) {
	switch {
	case in.ID == "" && !in.All:
		return nil, fault.Errorf(fault.InvalidParameter, "say which breakpoint with id, or all=true").
			With("parameter", "id")
	case in.ID != "" && in.All:
		return nil, fault.Errorf(fault.InvalidParameter, "id and all=true exclude each other").With("parameter", "all")
	}
	removed, err := s.manager.RemoveBreakpoints(ctx, in.ID, in.Session)
	if err != nil {
		return nil, err
	}
	if n := len(removed); n > namedRemoved {
		return removeResult{removed[:namedRemoved], n}, nil
	}
	return removeResult{Removed: removed}, nil
}

func (s *Server) breakpointEnable(ctx context.Context, in breakpointEnableArgs) (any, error) {
	info, err := s.manager.EnableBreakpoint(ctx, in.ID, in.Enabled)
	if err != nil {
		return nil, err
	}
	return breakpointResult{Breakpoint: info}, nil
}

type breakpointListResult struct {
	Breakpoints []breakpoint.Info `json:"breakpoints"`
	Count       int               `json:"count"`
}

func (s *Server) breakpointList(_ context.Context, in sessionArgs) (any, error) {
	if in.Session != "" {
		if _, err := s.manager.Readable(in.Session); err != nil {
			return nil, err
		}
	}
	list := s.manager.Breakpoints(in.Session)
	return breakpointListResult{list, len(list)}, nil
}
