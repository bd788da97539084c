package adapter

import (
	"breakwire/adapter/fault"
	"context"
)

// What a client reads at a stop. Each of these methods returns NotPaused unless the program is paused.

// Evaluate evaluates an expression in a frame of the current stop.
func (s *Session) Evaluate(ctx context.Context, q EvaluateQuery) (Evaluation, error) {
	q.Safe = q.Safe || s.manager.opts.Permissions.ReadOnly
	if q.Safe {
		if err := refuseEffects(s.profile, s.id, q.Expression, "safe=true"); err != nil {
			return Evaluation{}, err
		}
	}
	v, end, err := s.view(ctx)
	if err != nil {
		return Evaluation{}, err
	}
	defer end()
	return v.evaluation(q)
}

// Variables returns the variables of a frame, or with Expand the children of one variable.
func (s *Session) Variables(ctx context.Context, q VariablesQuery) (VariablesPage, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return VariablesPage{}, err
	}
	defer end()
	return v.listVariables(q)
}

// StackTrace reads frames of a thread. Thread 0 is the thread of the stop.
func (s *Session) StackTrace(ctx context.Context, q StackQuery) (StackTrace, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return StackTrace{}, err
	}
	defer end()
	return v.trace(q)
}

// AnalyzeCollection counts and samples the elements of a collection at the current stop. It returns NotCollection for
// other values.
func (s *Session) AnalyzeCollection(ctx context.Context, q SummaryQuery) (CollectionSummary, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return CollectionSummary{}, err
	}
	defer end()
	return v.analyzeCollection(q)
}

// SummarizeObject lists the fields of a value at the current stop and reports suspicious ones.
func (s *Session) SummarizeObject(ctx context.Context, q SummaryQuery) (ObjectSummary, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return ObjectSummary{}, err
	}
	defer end()
	return v.summarizeObject(q)
}

// SetVariable changes a variable. It returns the variable with its new value, and the previous value.
func (s *Session) SetVariable(ctx context.Context, q SetQuery) (after Variable, previous string, err error) {
	if err := s.mayChange("setting a variable"); err != nil {
		return Variable{}, "", err
	}
	v, end, err := s.view(ctx)
	if err != nil {
		return Variable{}, "", err
	}
	defer end()
	if s.Snapshot().Capabilities["setVariable"] == unavailable {
		return Variable{}, "", fault.Errorf(fault.NotSupported, "%s cannot change variables", s.profile.Name).
			With("feature", "variable_set").With("missingCapability", "supportsSetVariable").With("backend", s.profile.Name).
			With("hint", "change the program's source, or use an assignment in evaluate if its language has one").
			With("sessionId", s.id)
	}
	return v.setVariable(q)
}

// ExceptionContext reads the context of the exception at which the program has stopped.
func (s *Session) ExceptionContext(ctx context.Context, q ExceptionQuery) (ExceptionContext, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return ExceptionContext{}, err
	}
	defer end()
	stop := s.Snapshot().Stop
	if stop == nil || stop.Exception == nil {
		reason := ""
		if stop != nil {
			reason = stop.Reason
		}
		return ExceptionContext{}, fault.Errorf(fault.NoException,
			"the program has not stopped at an exception but at: %s; breakpoint_set_exception stops where one is "+
				"thrown", reason).
			With("reason", reason).With("sessionId", s.id)
	}
	return v.exceptionContext(stop.ThreadID, stop.Exception.ExceptionShown, q), nil
}
