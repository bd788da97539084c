package adapter

import (
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"context"
)

// What a client reads at a stop. Each of these methods returns NotPaused unless the program is paused.

// Evaluate evaluates an expression in a frame of the current stop.
func (s *Session) Evaluate(ctx context.Context, q inspect.EvaluateQuery) (inspect.Evaluation, error) {
	q.Safe = q.Safe || s.manager.opts.Permissions.ReadOnly
	if q.Safe {
		if err := inspect.RefuseEffects(s.profile, s.id, q.Expression, "safe=true"); err != nil {
			return inspect.Evaluation{}, err
		}
	}
	v, end, err := s.view(ctx)
	if err != nil {
		return inspect.Evaluation{}, err
	}
	defer end()
	return v.Evaluation(q)
}

// Variables returns the variables of a frame, or with Expand the children of one variable.
func (s *Session) Variables(ctx context.Context, q inspect.VariablesQuery) (inspect.VariablesPage, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return inspect.VariablesPage{}, err
	}
	defer end()
	return v.ListVariables(q)
}

// StackTrace reads frames of a thread. Thread 0 is the thread of the stop.
func (s *Session) StackTrace(ctx context.Context, q inspect.StackQuery) (inspect.StackTrace, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return inspect.StackTrace{}, err
	}
	defer end()
	return v.Trace(q)
}

// allStacksBytes is about how many bytes of stacks one answer has.
const allStacksBytes = 7 << 10

// AllStacks reads the stacks of all threads, equal ones once. Omitted is the number of threads whose stacks had no
// room.
func (s *Session) AllStacks(ctx context.Context, q inspect.StackQuery) (stacks []inspect.StackGroup, omitted int,
	err error) {
	threads, _, err := s.ListThreads(ctx)
	if err != nil {
		return nil, 0, err
	}
	v, end, err := s.view(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer end()
	ids, current := make([]int, len(threads)), 0
	for i, t := range threads {
		if ids[i] = t.ID; t.IsCurrent {
			current = t.ID
		}
	}
	room := allStacksBytes
	for _, g := range v.AllStacks(ids, current, q) {
		room -= 60
		for _, line := range g.Frames {
			room -= len(line) + 3
		}
		if room < 0 && len(stacks) > 0 {
			omitted += g.Count
			continue
		}
		g.WaitsFor = v.WaitOf(g)
		room -= len(g.WaitsFor)
		stacks = append(stacks, g)
	}
	return stacks, omitted, nil
}

// AnalyzeCollection counts and samples the elements of a collection at the current stop. It returns NotCollection for
// other values.
func (s *Session) AnalyzeCollection(ctx context.Context, q inspect.SummaryQuery) (inspect.CollectionSummary, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return inspect.CollectionSummary{}, err
	}
	defer end()
	return v.AnalyzeCollection(q)
}

// SummarizeObject lists the fields of a value at the current stop and reports suspicious ones.
func (s *Session) SummarizeObject(ctx context.Context, q inspect.SummaryQuery) (inspect.ObjectSummary, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return inspect.ObjectSummary{}, err
	}
	defer end()
	return v.SummarizeObject(q)
}

// SetVariable changes a variable. It returns the variable with its new value, and the previous value.
func (s *Session) SetVariable(ctx context.Context, q inspect.SetQuery) (after inspect.Variable, previous string,
	err error) {
	if err := s.mayChange("setting a variable"); err != nil {
		return inspect.Variable{}, "", err
	}
	v, end, err := s.view(ctx)
	if err != nil {
		return inspect.Variable{}, "", err
	}
	defer end()
	if s.Snapshot().Capabilities["setVariable"] == unavailable {
		return inspect.Variable{}, "", fault.Errorf(fault.NotSupported, "%s cannot change variables", s.profile.Name).
			With("feature", "variable_set").With("missingCapability", "supportsSetVariable").With("backend", s.profile.Name).
			With("hint", "change the program's source, or use an assignment in evaluate if its language has one").
			With("sessionId", s.id)
	}
	return v.SetVariable(q)
}

// ExceptionContext reads the context of the exception at which the program has stopped.
func (s *Session) ExceptionContext(ctx context.Context, q inspect.ExceptionQuery) (inspect.ExceptionContext, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return inspect.ExceptionContext{}, err
	}
	defer end()
	stop := s.Snapshot().Stop
	if stop == nil || stop.Exception == nil {
		reason := ""
		if stop != nil {
			reason = stop.Reason
		}
		return inspect.ExceptionContext{}, fault.Errorf(fault.NoException,
			"the program has not stopped at an exception but at: %s; breakpoint_set_exception stops where one is "+
				"thrown", reason).
			With("reason", reason).With("sessionId", s.id)
	}
	return v.ExceptionContext(stop.ThreadID, stop.Exception.Exception, q), nil
}
