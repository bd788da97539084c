package mcpserver

import (
	"context"

	"breakwire/adapter"
)

type stackArgs struct {
	Session string `arg:"session_id" doc:"Session; default the only live one"`
	Thread  int    `arg:"thread_id" min:"0" doc:"Thread; default the stopped one"`
	Start   int    `arg:"start_frame" default:"0" min:"0" doc:"First frame, from 0"`
	Max     int    `arg:"max_frames" default:"20" min:"1" max:"1000" doc:"How many frames"`
}

type variablesArgs struct {
	Session string   `arg:"session_id" doc:"Session; default the only live one"`
	Thread  int      `arg:"thread_id" min:"0" doc:"Thread; default the stopped one"`
	Frame   int      `arg:"frame_index" default:"0" min:"0" doc:"Frame, 0 is the top"`
	Scope   string   `arg:"scope" default:"all" enum:"all,locals,arguments,this,globals" doc:"Which variables"`
	Expand  string   `arg:"expand" doc:"Instead: the children of this variable; take its path"`
	Start   int      `arg:"start" default:"0" min:"0" doc:"First one, from 0"`
	Count   int      `arg:"count" default:"100" min:"1" max:"1000" doc:"How many"`
	Names   []string `arg:"names" doc:"Only these"`
}

type evaluateArgs struct {
	Session    string `arg:"session_id" doc:"Session; default the only live one"`
	Expression string `arg:"expression,required" doc:"Expression in the program's language"`
	Thread     int    `arg:"thread_id" min:"0" doc:"Thread; default the stopped one"`
	Frame      int    `arg:"frame_index" default:"0" min:"0" doc:"Frame, 0 is the top"`
	Timeout    int    `arg:"timeout_ms" default:"5000" min:"1" max:"600000" alias:"timeout" doc:"How long it may take"`
}

func (s *Server) addInspectionTools() {
	addTool(s.mcp, Tool{
		Name: "threads_list", Title: "List threads", ReadOnly: true, Idempotent: true,
		Description: "The program's threads; while it runs, the last known ones (stale).",
	}, s.threads)
	addTool(s.mcp, Tool{
		Name: "stacktrace_get", Title: "Read a call stack", ReadOnly: true, Idempotent: true,
		Description: "The call stack of a thread of the paused program, innermost frame first.",
	}, s.stack)
	addTool(s.mcp, Tool{
		Name: "variables_get", Title: "Read variables", ReadOnly: true,
		Description: "The variables of a frame of the paused program, or the children of one (expand).",
	}, s.variables)
	addTool(s.mcp, Tool{
		Name: "evaluate", Title: "Evaluate an expression",
		Description: "Evaluates an expression in a frame of the paused program. Calls run in the program and may change it.",
	}, s.evaluate)
}

type threadsResult struct {
	Threads []adapter.Thread `json:"threads"`
	Stale   bool             `json:"stale"`
}

func (s *Server) threads(ctx context.Context, in sessionArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	threads, stale, err := session.ListThreads(ctx)
	if err != nil {
		return nil, err
	}
	return threadsResult{append([]adapter.Thread{}, threads...), stale}, nil
}

type stackResult struct {
	ThreadID    int             `json:"threadId"`
	Frames      []adapter.Frame `json:"frames"`
	TotalFrames int             `json:"totalFrames,omitempty"`
}

func (s *Server) stack(ctx context.Context, in stackArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	st, err := session.StackTrace(ctx, in.Thread, in.Start, in.Max)
	if err != nil {
		return nil, err
	}
	return stackResult{st.ThreadID, st.Frames, st.Total}, nil
}

type variablesResult struct {
	Variables []adapter.Variable `json:"variables"`
	Total     int                `json:"total"`
	NextStart int                `json:"nextStart,omitempty"`
}

func (s *Server) variables(ctx context.Context, in variablesArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	page, err := session.Variables(ctx, adapter.VariablesQuery{
		Thread: in.Thread, Frame: in.Frame, Scope: in.Scope, Expand: in.Expand, Start: in.Start, Count: in.Count, Names: in.Names,
	})
	if err != nil {
		return nil, err
	}
	return variablesResult{page.Variables, page.Total, page.Next}, nil
}

type evaluateResult struct {
	Value       string `json:"value"`
	Type        string `json:"type"`
	HasChildren bool   `json:"hasChildren"`
	Path        string `json:"path,omitempty"`
	Truncated   bool   `json:"truncated,omitempty"`
}

func (s *Server) evaluate(ctx context.Context, in evaluateArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	if blank(in.Expression) {
		return nil, adapter.Errorf(adapter.InvalidParameter, "expression is empty").With("parameter", "expression")
	}
	v, err := session.Evaluate(ctx, in.Expression, in.Thread, in.Frame, milliseconds(in.Timeout))
	if err != nil {
		return nil, err
	}
	return evaluateResult{v.Value, v.Type, v.HasChildren, v.Path, v.Truncated}, nil
}
