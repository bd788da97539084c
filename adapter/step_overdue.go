package adapter

import "github.com/google/go-dap"

// overdueStep is a step that is over for the user because another thread stopped, while the backend may have its end already waiting: netcoredbg takes what several
// threads do at the same moment one after the other, and tells the rest with the next resumes, before the program has run. Such an end is of no step that anyone
// waits for, be it that the program was continued or that another thread steps now.
type overdueStep struct {
	run   stepRun
	frame *dap.StackFrame // where the thread stood then; nil when nobody could say
}

// owes notes that the end of a step may still come.
func (s *Session) owes(run *stepRun) *overdueStep {
	if s.overdue == nil {
		s.overdue = map[int]*overdueStep{}
	}
	o := &overdueStep{run: *run}
	s.overdue[run.thread] = o
	return o
}

// overdueAt returns the overdue step that ends with a stop, nil when it is the end of another one. A thread that has moved since was resumed, and so what had
// waited was told: this is something new.
func (s *Session) overdueAt(sp *spot) *overdueStep {
	o := s.overdue[sp.thread]
	if o == nil || sp.event == nil || stopReason(sp.event.Reason) != StopStep {
		return nil
	}
	stood := o.frame
	if stood == nil && s.step != nil && s.step.thread == sp.thread {
		stood = &s.step.at
	}
	if stood != nil && (sp.frame == nil || stood.Name != sp.frame.Name || stood.Line != sp.frame.Line) {
		return nil
	}
	return o
}

// settleOverdue tells whether a stop is the end of an overdue step. Any stop of a thread is the last that can be: what waited came before.
func (s *Session) settleOverdue(v *service) bool {
	found := len(v.spots) > 0 && s.overdueAt(v.spots[0]) != nil
	for _, sp := range v.spots {
		if sp.event != nil {
			delete(s.overdue, sp.thread)
		}
	}
	return found
}

// hidesHit tells whether a stop is the end of a step at the beginning of a line, where a hit would not be told.
func (s *Session) hidesHit(sp *spot) bool {
	if sp.event == nil || stopReason(sp.event.Reason) != StopStep {
		return false
	}
	if o := s.overdueAt(sp); o != nil {
		return o.run.endsAtStart(sp.frame)
	}
	return s.step != nil && s.step.endsAtStart(sp.frame)
}
