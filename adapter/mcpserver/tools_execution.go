package mcpserver

import (
	"context"
	"errors"
	"slices"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
	"breakwire/adapter/mcpserver/toolargs"
)

type continueArgs struct {
	Session string `arg:"session_id"`
	Thread  int    `arg:"thread_id" min:"0"`
	Wait    bool   `arg:"wait" default:"false"`
	Locals  bool   `arg:"locals" default:"true"`
	After   uint64 `arg:"after_seq" default:"0"`
	Timeout int    `arg:"timeout_ms" default:"30000" min:"0" max:"600000" alias:"timeout"`
}

func (continueArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"thread_id": "Default the stopped one",
		"wait":      "Return at the next stop or end",
	}
}

type pauseArgs struct {
	Session string `arg:"session_id"`
	Locals  bool   `arg:"locals" default:"true"`
}

type stepArgs struct {
	Session string `arg:"session_id"`
	Mode    string `arg:"mode" default:"over" enum:"over,in,out" alias:"type,stepType"`
	Thread  int    `arg:"thread_id" min:"0"`
	Count   int    `arg:"count" default:"1" min:"1" max:"100"`
	Locals  bool   `arg:"locals" default:"true"`
	After   uint64 `arg:"after_seq" default:"0"`
	Timeout int    `arg:"timeout_ms" default:"30000" min:"0" max:"600000" alias:"timeout"`
}

func (stepArgs) Docs() toolargs.Docs {
	return toolargs.Docs{"mode": "over calls, in to them, out of the function"}
}

type runToArgs struct {
	Session string `arg:"session_id"`
	File    string `arg:"file,required"`
	Line    int    `arg:"line,required" min:"1"`
	Locals  bool   `arg:"locals" default:"true"`
	Timeout int    `arg:"timeout_ms" default:"30000" min:"0" max:"600000" alias:"timeout"`
}

// runResult is the result of the tools that let the program run.
type runResult struct {
	Session       adapter.SessionInfo `json:"session"`
	Reason        string              `json:"reason,omitempty"`
	Stop          *adapter.Stop       `json:"stop,omitempty"`
	TimedOut      bool                `json:"timedOut,omitempty"`
	Unseen        bool                `json:"unseen,omitempty"`
	StepsDone     *int                `json:"stepsDone,omitempty"`
	InterruptedBy string              `json:"interruptedBy,omitempty"`
	Reached       *bool               `json:"reached,omitempty"`
	AlreadyPaused bool                `json:"alreadyPaused,omitempty"`
	Note          string              `json:"note,omitempty"`
	Conditions    []condition         `json:"conditions,omitempty"`
	Breakpoints   []unbound           `json:"breakpoints,omitempty"`

	Passed []adapter.FurtherHit `json:"passed,omitempty"` // hits at the stop before that its answer did not name
}

// condition is a breakpoint that the program passed while its condition was false. The answer of a wait that timed out
// has them.
type condition struct {
	BreakpointID string `json:"breakpointId"`
	Condition    string `json:"condition,omitempty"`
	HitCount     uint64 `json:"hitCount"`
	FalsePasses  uint64 `json:"falsePasses"`
}

// passedBy lists the breakpoints whose condition has been false, or whose hit condition lets hits pass, when a wait has
// timed out.
func (s *Server) passedBy(session *adapter.Session, got adapter.WaitResult) []condition {
	var list []condition
	if got.Reason != adapter.WaitTimeout {
		return nil
	}
	for _, b := range s.manager.Breakpoints(session.ID()) {
		if b.Enabled && (b.FalsePasses > 0 || b.HitCondition != "" && b.HitCount > 0) {
			list = append(list, condition{b.ID, b.Condition, b.HitCount, b.FalsePasses})
		}
	}
	return list
}

// silent lists the breakpoints that the end of a wait has to name, because their silence says nothing about the
// program: after a timeout or an end those that are not bound, at a stop those that have failed since the seq after.
func (s *Server) silent(session *adapter.Session, got adapter.WaitResult, after uint64) []unbound {
	list := s.unbound(session)
	if got.Stop == nil {
		return list
	}
	changes := s.manager.Journal().Query(after, journal.Filter{
		Session: session.ID(), Classes: journal.MaskOf(journal.Control), Types: []string{journal.TypeBreakpoint},
	}, 0)
	return slices.DeleteFunc(list, func(b unbound) bool {
		return b.State != breakpoint.Failed || !slices.ContainsFunc(changes.Entries, func(e journal.Entry) bool {
			return e.BreakpointID == b.ID
		})
	})
}

func (s *Server) addExecutionTools() {
	addTool(s.mcp, Tool{
		Name: "debug_continue", Title: "Continue the program",
		Description: "Lets the paused program run. wait=true: returns at the next stop or end.",
	}, s.resume)
	addTool(s.mcp, Tool{
		Name: "debug_pause", Title: "Pause the program", Idempotent: true,
		Description: "Stops the running program, or returns the current stop.",
	}, s.pause)
	addTool(s.mcp, Tool{
		Name: "debug_step", Title: "Step",
		Description: "Steps and returns the stop that ends the step. A breakpoint ends it too (interruptedBy).",
	}, s.step)
	addTool(s.mcp, Tool{
		Name: "debug_run_to", Title: "Run to a line",
		Description: "Lets the paused program run until a line, another stop or its end. Leaves no breakpoint.",
	}, s.runTo)
}

func (s *Server) resume(ctx context.Context, in continueArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	timeout := milliseconds(in.Timeout)
	if in.Wait {
		var late any
		if timeout, late, err = s.awaitEvaluation(ctx, session, timeout); late != nil || err != nil {
			return late, err
		}
	}
	after, stop := s.manager.Journal().LastSeq(), session.Snapshot().Stop
	if err := session.Continue(ctx, in.Thread, max(in.After, callFrom(ctx).Knows(session.ID()))); err != nil {
		return s.unseen(ctx, session, in.Locals, err)
	}
	r := runResult{Passed: session.Passed(stop)}
	if !in.Wait {
		callFrom(ctx).Runs(session.ID()) // also when it has stopped again: this answer does not hold that stop
		r.Session = s.brief(ctx, session)
		return r, nil
	}
	return s.waited(ctx, session, after, timeout, in.Locals, r)
}

// unseen is the result of a resume that was not made because the client does not know the current stop. It returns
// any other error as it is.
func (s *Server) unseen(ctx context.Context, session *adapter.Session, locals bool, err error) (any, error) {
	var unseen *adapter.UnseenStop
	if !errors.As(err, &unseen) {
		return nil, err
	}
	got := adapter.ResultOfStop(unseen.Stop)
	callFrom(ctx).Carries(session.ID(), got.Seq)
	return runResult{
		Session: s.brief(ctx, session), Reason: got.Reason, Stop: s.withLocals(ctx, session, got.Stop, locals), Unseen: true,
		Note: "the program had stopped before this call, which changed nothing",
	}, nil
}

// awaitEvaluation waits until the debugger can resume the program, and returns the time that is left. When the time is
// over first, nothing was resumed; late is the result that says so.
func (s *Server) awaitEvaluation(ctx context.Context, session *adapter.Session, timeout time.Duration) (
	left time.Duration, late any, err error) {
	left, err = session.AwaitEvaluation(ctx, timeout)
	if fault.CodeOf(err) == fault.BackendBusy {
		return 0, runResult{
			Session: s.brief(ctx, session), Reason: adapter.WaitTimeout, TimedOut: true,
			Note: "the program was not resumed: " + fault.AsError(err).Message, Breakpoints: s.unbound(session),
		}, nil
	}
	return left, nil, err
}

// waited waits for the next stop or end and adds it to the result.
func (s *Server) waited(ctx context.Context, session *adapter.Session, after uint64, timeout time.Duration, locals bool,
	r runResult) (any, error) {
	defer stateProgress(ctx, timeout, session)()
	if locals && !s.opts.NoLocals {
		defer session.AwaitLocals()()
	}
	got, err := session.WaitWithChildren(ctx, after, timeout)
	if err != nil {
		return nil, err
	}
	r.Note = got.Note
	if got.Child != "" {
		r.Note = childStopped(got.Child)
	}
	r.Reason, r.TimedOut = got.Reason, got.Reason == adapter.WaitTimeout
	r.Stop = s.withLocals(ctx, session, got.Stop, locals)
	r.Session = s.brief(ctx, session)
	callFrom(ctx).Carries(session.ID(), got.Seq)
	r.Conditions, r.Breakpoints = s.passedBy(session, got), s.silent(session, got, after)
	return r, nil
}

// childStopped says that a program which this one has started stands at a stop.
func childStopped(child string) string {
	return child + ", which this program has started, stands at a stop: give its session_id, or take the stop from " +
		"breakpoint_wait"
}

// withLocals returns a stop with the locals of its frame, when they are wanted.
func (s *Server) withLocals(ctx context.Context, session *adapter.Session, stop *adapter.Stop,
	wanted bool) *adapter.Stop {
	if !wanted || s.opts.NoLocals {
		return stop
	}
	return session.WithLocals(ctx, stop)
}

func (s *Server) pause(ctx context.Context, in pauseArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	stop, already, err := session.Pause(ctx)
	if err != nil {
		return nil, err
	}
	callFrom(ctx).Carries(session.ID(), stop.Seq)
	stop = s.withLocals(ctx, session, stop, in.Locals)
	return runResult{Session: s.brief(ctx, session), Stop: stop, AlreadyPaused: already}, nil
}

func (s *Server) step(ctx context.Context, in stepArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	timeout, late, err := s.awaitEvaluation(ctx, session, milliseconds(in.Timeout))
	if late != nil || err != nil {
		return late, err
	}
	after, stop := s.manager.Journal().LastSeq(), session.Snapshot().Stop
	defer Progress(ctx, timeout, func() string { return "stepping" })()
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	known := max(in.After, callFrom(ctx).Knows(session.ID()))
	done, err := session.Step(bounded, in.Mode, in.Thread, in.Count, known)
	r := runResult{StepsDone: &done.Done, InterruptedBy: done.InterruptedBy, Passed: session.Passed(stop)}
	switch {
	case err == nil && done.Stop == nil:
		r.Reason, r.Note = adapter.WaitThreadExited, done.Note
	case err == nil:
		r.Stop = s.withLocals(ctx, session, done.Stop, in.Locals)
		r.Reason = adapter.ReasonOf(done.Stop)
		callFrom(ctx).Carries(session.ID(), done.Stop.Seq)
	case bounded.Err() != nil && ctx.Err() == nil:
		r.Reason, r.TimedOut, r.Breakpoints = adapter.WaitTimeout, true, s.unbound(session)
	case !session.Snapshot().State.Live():
		return s.waited(ctx, session, after, 0, in.Locals, r) // how it ended
	default:
		return s.unseen(ctx, session, in.Locals, err)
	}
	r.Session = s.brief(ctx, session)
	return r, nil
}

func (s *Server) runTo(ctx context.Context, in runToArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	timeout, late, err := s.awaitEvaluation(ctx, session, milliseconds(in.Timeout))
	if late != nil || err != nil {
		return late, err
	}
	after, stop := s.manager.Journal().LastSeq(), session.Snapshot().Stop
	defer stateProgress(ctx, timeout, session)()
	got, reached, err := session.RunTo(ctx, s.manager.File(in.File), in.Line, timeout)
	if err != nil {
		return nil, err
	}
	callFrom(ctx).Carries(session.ID(), got.Seq)
	at := s.withLocals(ctx, session, got.Stop, in.Locals)
	return runResult{
		Session: s.brief(ctx, session), Reason: got.Reason, Stop: at, TimedOut: got.Reason == adapter.WaitTimeout,
		Reached: &reached, Conditions: s.passedBy(session, got), Breakpoints: s.silent(session, got, after),
		Passed: session.Passed(stop),
	}, nil
}
