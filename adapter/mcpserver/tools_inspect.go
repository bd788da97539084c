package mcpserver

import (
	"cmp"
	"context"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/adapter/mcpserver/toolargs"
)

type stackArgs struct {
	Session string `arg:"session_id"`
	Thread  int    `arg:"thread_id" min:"0"`
	Start   int    `arg:"start_frame" default:"0" min:"0"`
	Max     int    `arg:"max_frames" default:"20" min:"1" max:"1000"`
	Fold    bool   `arg:"fold" default:"true"`
	Full    bool   `arg:"full" default:"false"`
	All     bool   `arg:"all" default:"false"`
}

func (stackArgs) Docs() toolargs.Docs {
	return toolargs.Docs{"fold": "Show only the first of framework frames", "full": "Whole names of functions",
		"all": "Stacks of all threads, equal ones once"}
}

type variablesArgs struct {
	Session string   `arg:"session_id"`
	Thread  int      `arg:"thread_id" min:"0"`
	Frame   *int     `arg:"frame_index" min:"0"`
	Scope   string   `arg:"scope" default:"all" enum:"all,locals,arguments,this,globals"`
	Expand  string   `arg:"expand"`
	Start   int      `arg:"start" default:"0" min:"0"`
	Count   *int     `arg:"count" min:"1" max:"1000"`
	Names   []string `arg:"names"`
}

func (variablesArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"expand": "Children of this path; of a long text its pieces; PATH.static: static members (.NET)",
		"start":  "nextStart of the answer before",
		"count":  "Default up to 100, as fit in 4 KB",
	}
}

type evaluateArgs struct {
	Session    string `arg:"session_id"`
	Expression string `arg:"expression,required"`
	Thread     int    `arg:"thread_id" min:"0"`
	Frame      *int   `arg:"frame_index" min:"0"`
	Timeout    int    `arg:"timeout_ms" default:"5000" min:"1" max:"600000" alias:"timeout"`
	Safe       bool   `arg:"safe" default:"false"`
}

func (evaluateArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"expression": "In the program's language",
		"safe":       "Refuse calls, assignments, creation",
	}
}

type setArgs struct {
	Session string `arg:"session_id"`
	Name    string `arg:"name"`
	Path    string `arg:"path"`
	Value   string `arg:"value,required,loose"`
	Thread  int    `arg:"thread_id" min:"0"`
	Frame   *int   `arg:"frame_index" min:"0"`
}

func (setArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"name":  "Variable of the frame",
		"path":  "Instead: path of a member or element, shown by this stop",
		"value": "Expression: texts in quotes",
	}
}

type exceptionArgs struct {
	Session  string `arg:"session_id"`
	Frames   int    `arg:"max_frames" default:"10" min:"1" max:"100"`
	WithVars int    `arg:"include_variables_for_frames" default:"1" min:"0" max:"10"`
	Inner    int    `arg:"max_inner_exceptions" default:"5" min:"0" max:"50"`
}

type summaryArgs struct {
	Session    string `arg:"session_id"`
	Expression string `arg:"expression,required"`
	Preview    int    `arg:"max_preview_items" default:"5" min:"1" max:"50"`
	Thread     int    `arg:"thread_id" min:"0"`
	Frame      *int   `arg:"frame_index" min:"0"`
	Timeout    int    `arg:"timeout_ms" default:"5000" min:"1" max:"600000" alias:"timeout"`
}

func (summaryArgs) Docs() toolargs.Docs { return toolargs.Docs{"expression": "A variable or path"} }

func (s *Server) addInspectionTools() {
	addTool(s.mcp, Tool{
		Name: "threads_list", Title: "List threads", ReadOnly: true, Idempotent: true,
		Description: "Threads and where each is in its own code; over 40 in groups. While running: the last known.",
	}, s.threads)
	addTool(s.mcp, Tool{
		Name: "stacktrace_get", Title: "Read a call stack", ReadOnly: true, Idempotent: true,
		Description: "The call stack of a thread, innermost frame first. folded: how many framework frames are left out.",
	}, s.stack)
	addTool(s.mcp, Tool{
		Name: "variables_get", Title: "Read variables", ReadOnly: true,
		Description: "The variables of a frame, or the children of one (expand). Collections show their elements.",
	}, s.variables)
	addTool(s.mcp, Tool{
		Name: "variable_set", Title: "Change a variable", Destructive: true,
		Description: "Changes a variable of the paused program.",
	}, s.setVariable)
	addTool(s.mcp, Tool{
		Name: "evaluate", Title: "Evaluate an expression",
		Description: "Evaluates an expression in a frame of the paused program. Calls run in it and may change it.",
	}, s.evaluate)
	addTool(s.mcp, Tool{
		Name: "exception_get_context", Title: "Look at the exception", ReadOnly: true, Idempotent: true,
		Description: "The exception that the program has stopped at: type, message, inner exceptions, frames with " +
			"source, variables.",
	}, s.exceptionContext)
	addTool(s.mcp, Tool{
		Name: "collection_analyze", Title: "Sum up a collection", ReadOnly: true, Idempotent: true,
		Description: "Count, types, nulls, numeric range, first and last elements of a collection.",
	}, s.analyze)
	addTool(s.mcp, Tool{
		Name: "object_summarize", Title: "Sum up an object", ReadOnly: true, Idempotent: true,
		Description: "Fields of an object; which are null, empty, NaN or never set.",
	}, s.summarize)
}

type threadsArgs struct {
	Session string `arg:"session_id"`
	Filter  string `arg:"thread_filter"`
	Start   *int   `arg:"start" min:"0"`
	Count   *int   `arg:"count" min:"1"`
}

type threadsResult struct {
	Threads []adapter.Thread      `json:"threads"`
	Groups  []adapter.ThreadGroup `json:"groups,omitempty"`
	Total   int                   `json:"total,omitempty"` // when more than are shown
	Next    int                   `json:"nextStart,omitempty"`
	Stale   bool                  `json:"stale"`

	Deadlocked   []int          `json:"deadlocked,omitempty"`
	Tasks        []inspect.Task `json:"tasks,omitempty"`
	OmittedTasks int            `json:"omittedTasks,omitempty"`
}

func (s *Server) threads(ctx context.Context, in threadsArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	q := adapter.ThreadQuery{Filter: in.Filter}
	if in.Start != nil {
		q.Start = *in.Start
	}
	if in.Count != nil {
		q.Count = *in.Count
	}
	p, err := session.ThreadsPage(ctx, q)
	if err != nil {
		return nil, err
	}
	if p.Total == len(p.Threads) {
		p.Total = 0
	}
	return threadsResult{append([]adapter.Thread{}, p.Threads...), p.Groups, p.Total, p.Next, p.Stale, p.Deadlocked,
		p.Tasks, p.OmittedTasks}, nil
}

type stackResult struct {
	ThreadID    int             `json:"threadId"`
	Frames      []inspect.Frame `json:"frames"`
	TotalFrames int             `json:"totalFrames,omitempty"`
	NextStart   int             `json:"nextStart,omitempty"`
}

type allStacksResult struct {
	Stacks  []inspect.StackGroup `json:"stacks"`
	Omitted int                  `json:"omittedThreads,omitempty"`
}

func (s *Server) stack(ctx context.Context, in stackArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	if in.All {
		stacks, omitted, err := session.AllStacks(ctx, inspect.StackQuery{Max: in.Max, Fold: in.Fold, Full: in.Full})
		if err != nil {
			return nil, err
		}
		return allStacksResult{stacks, omitted}, nil
	}
	st, err := session.StackTrace(ctx, inspect.StackQuery{Thread: in.Thread, Start: in.Start, Max: in.Max, Fold: in.Fold,
		Full: in.Full})
	if err != nil {
		return nil, err
	}
	return stackResult{st.ThreadID, st.Frames, st.Total, st.Next}, nil
}

// frameIndex returns the index of a parameter that may be absent.
func frameIndex(given *int) int {
	if given == nil {
		return inspect.NamedFrame
	}
	return *given
}

type variablesResult struct {
	Variables []inspect.Variable `json:"variables"`
	Total     int                `json:"total"`
	NextStart int                `json:"nextStart,omitempty"`
	Note      string             `json:"note,omitempty"`
	Frame     int                `json:"frameIndex,omitempty"`
}

func (s *Server) variables(ctx context.Context, in variablesArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	q := inspect.VariablesQuery{Thread: in.Thread, Frame: frameIndex(in.Frame), Scope: in.Scope, Expand: in.Expand,
		Start: in.Start, Names: in.Names}
	if in.Count != nil {
		q.Count = *in.Count
	}
	page, err := session.Variables(ctx, q)
	if err != nil {
		return nil, err
	}
	return variablesResult{page.Variables, page.Total, page.Next, page.Note, page.FrameIndex}, nil
}

type setResult struct {
	Variable inspect.Variable `json:"variable"`
	Previous string           `json:"previousValue"`
}

func (s *Server) setVariable(ctx context.Context, in setArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	if blank(cmp.Or(in.Path, in.Name)) {
		return nil, fault.Errorf(fault.InvalidParameter, "give name, a variable of the frame, or path").
			With("parameter", "name")
	}
	after, previous, err := session.SetVariable(ctx, inspect.SetQuery{Name: in.Name, Path: in.Path, Value: in.Value,
		Thread: in.Thread, Frame: frameIndex(in.Frame)})
	if err != nil {
		return nil, err
	}
	return setResult{after, previous}, nil
}

type evaluateResult struct {
	Value       string `json:"value"`
	Type        string `json:"type"`
	HasChildren bool   `json:"hasChildren"`
	ChildCount  int    `json:"childCount,omitempty"`
	Path        string `json:"path,omitempty"`
	Truncated   bool   `json:"truncated,omitempty"`
	Note        string `json:"note,omitempty"`
	Frame       int    `json:"frameIndex,omitempty"`
}

func (s *Server) evaluate(ctx context.Context, in evaluateArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	if blank(in.Expression) {
		return nil, fault.Errorf(fault.InvalidParameter, "expression is empty").With("parameter", "expression")
	}
	v, err := session.Evaluate(ctx, inspect.EvaluateQuery{
		Expression: in.Expression, Thread: in.Thread, Frame: frameIndex(in.Frame),
		Timeout: milliseconds(in.Timeout), Safe: in.Safe,
	})
	if err != nil {
		if stop, ok := fault.AsError(err).Details["stop"].(*adapter.Stop); ok {
			callFrom(ctx).Names(session.ID(), stop.Seq)
		}
		return nil, err
	}
	return evaluateResult{v.Value, v.Type, v.HasChildren, v.ChildCount, v.Path, v.Truncated, v.Note, v.FrameIndex}, nil
}

// wholeException is the exception of a stop with what its class adds.
type wholeException struct {
	inspect.Exception
	Path    string             `json:"path,omitempty"`
	Members []inspect.Variable `json:"members,omitempty"`
}

type exceptionResult struct {
	ThreadID   int                      `json:"threadId"`
	Exception  wholeException           `json:"exception"`
	Inner      []inspect.ExceptionInner `json:"innerExceptions"`
	Frames     []inspect.Frame          `json:"frames"`
	StackTrace string                   `json:"stackTrace,omitempty"`
	Partial    []string                 `json:"partial,omitempty"`
}

func (s *Server) exceptionContext(ctx context.Context, in exceptionArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	c, err := session.ExceptionContext(ctx, inspect.ExceptionQuery{Frames: in.Frames, WithVars: in.WithVars,
		Inner: in.Inner})
	if err != nil {
		return nil, err
	}
	whole := wholeException{c.Exception, c.Path, c.Members}
	return exceptionResult{c.ThreadID, whole, c.Inner, c.Frames, c.StackTrace, c.Partial}, nil
}

// summary converts the arguments of both summaries.
func (s *Server) summary(in summaryArgs) (*adapter.Session, inspect.SummaryQuery, error) {
	session, err := s.manager.Session(in.Session)
	if err == nil && blank(in.Expression) {
		err = fault.Errorf(fault.InvalidParameter, "expression is empty").With("parameter", "expression")
	}
	return session, inspect.SummaryQuery{
		Expression: in.Expression, Thread: in.Thread, Frame: frameIndex(in.Frame),
		Preview: in.Preview, Timeout: milliseconds(in.Timeout),
	}, err
}

type collectionResult struct {
	Summary inspect.CollectionSummary `json:"summary"`
}

func (s *Server) analyze(ctx context.Context, in summaryArgs) (any, error) {
	session, q, err := s.summary(in)
	if err != nil {
		return nil, err
	}
	c, err := session.AnalyzeCollection(ctx, q)
	if err != nil {
		return nil, err
	}
	return collectionResult{c}, nil
}

type objectResult struct {
	Summary inspect.ObjectSummary `json:"summary"`
}

func (s *Server) summarize(ctx context.Context, in summaryArgs) (any, error) {
	session, q, err := s.summary(in)
	if err != nil {
		return nil, err
	}
	o, err := session.SummarizeObject(ctx, q)
	if err != nil {
		return nil, err
	}
	return objectResult{o}, nil
}
