package adapter

import (
	"context"
	"slices"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
)

// RunTo resumes the program until it reaches a line or stops for another reason. It always removes its temporary
// breakpoint.
func (s *Session) RunTo(ctx context.Context, file string, line int, timeout time.Duration) (r WaitResult, reached bool,
	err error) {
	if err := s.manager.checkLine(breakpoint.Spec{File: file, Line: line}); err != nil {
		return WaitResult{}, false, err
	}
	target := &breakpoint.Breakpoint{
		ID: "run_to", Enabled: true,
		Spec:      breakpoint.Spec{Kind: breakpoint.Blocking, File: file, Line: line, Real: breakpoint.RealPath(file)},
		Temporary: true, StopReason: StopRunTo,
	}
	after := s.journal.LastSeq()
	_, err = inTurn(ctx, s, func(t *turn) (struct{}, error) {
		if s.public.state != Paused || s.resumes.going != nil {
			return struct{}{}, s.notPaused()
		}
		if err := s.mayResume(t, 0); err != nil {
			return struct{}{}, err
		}
		s.held.Temps = append(s.held.Temps, target)
		if !s.sync(t, s.fileOf(target.Spec)) {
			return struct{}{}, errDropped
		}
		if refused := s.targetRefused(target); refused != nil {
			s.dropTemporary(target)
			return struct{}{}, refused
		}
		return struct{}{}, nil
	})
	if err != nil {
		s.post(func() { s.dropTemporary(target) })
		if refused := fault.AsError(err); refused.Code == fault.InvalidLine {
			message, _ := refused.Details["backendMessage"].(string)
			l := refusedLine{file: s.backendPath(file), line: line, message: message}
			if s.explain(&l); l.next > 0 {
				refused.With("nearestLine", l.next)
			}
			refused.Message += l.why
			err = refused
		}
		return WaitResult{}, false, err
	}
	defer s.post(func() { s.dropTemporary(target) })
	if err := s.Continue(ctx, 0, AnyStop); err != nil {
		return WaitResult{}, false, err
	}
	r, err = s.Wait(ctx, after, timeout)
	return r, err == nil && r.Stop != nil && r.Stop.ranTo == target, err
}

// targetRefused returns an error when the debugger will never stop at the line.
func (s *Session) targetRefused(target *breakpoint.Breakpoint) *fault.Error {
	for _, e := range s.held.Entries() {
		if slices.Contains(e.Logicals, target) && !e.Verified && s.profile.FinalRefusal {
			return fault.Errorf(fault.InvalidLine, "the program cannot be run to %s:%d: %s", target.Spec.File,
				target.Spec.Line, e.Message).
				With("file", target.Spec.File).With("line", target.Spec.Line).With("backendMessage", e.Message)
		}
	}
	return nil
}

// dropTemporary removes one temporary breakpoint.
func (s *Session) dropTemporary(target *breakpoint.Breakpoint) {
	i := slices.Index(s.held.Temps, target)
	if i < 0 {
		return
	}
	s.held.Temps = slices.Delete(slices.Clone(s.held.Temps), i, i+1)
	s.beginApply([]*breakpoint.Breakpoint{target})
}
