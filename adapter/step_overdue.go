package adapter

import (
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// overdueStep is a step that is over for the user because another thread stopped, while the backend may have its end already waiting: netcoredbg takes what several
// threads do at the same moment one after the other, and tells the rest with the next resumes, before the program has run. Such an end is of no step that anyone
// waits for, be it that the program was continued or that another thread steps now. lldb-dap keeps the step itself, and ends it whenever its thread gets there.
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
	if !s.profile.HitDropsStep {
		if s.step != nil && s.step.thread == sp.thread {
			return nil
		}
		return o
	}
	stood := o.frame
	if stood == nil && s.step != nil && s.step.thread == sp.thread {
		stood = &s.step.at
	}
	if stood != nil && (sp.frame == nil || !samePlace(stood, sp.frame)) {
		return nil
	}
	return o
}

func samePlace(a, b *dap.StackFrame) bool { return a.Name == b.Name && a.Line == b.Line }

// settleOverdue tells whether a stop is the end of an overdue step. Any stop of a thread is the last that can be: what waited came before. lldb-dap tells of a
// thread in the middle of a step with the stops of others.
func (s *Session) settleOverdue(v *service) bool {
	found := len(v.spots) > 0 && s.overdueAt(v.spots[0]) != nil
	for i, sp := range v.spots {
		if sp.event != nil && (s.profile.HitDropsStep || i == 0 && stopReason(sp.event.Reason) == StopStep) {
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

// queuesStepEnds tells whether the end of a step may come behind the hit that has interrupted it.
func (s *Session) queuesStepEnds() bool {
	return s.profile.HitDropsStep && s.profile.HeldStepText == nil
}

// interrupted notes what is left of a step that a visible stop has ended.
func (s *Session) interrupted(run *stepRun, v *service, stop *Stop) {
	for i := range v.events {
		if e := &v.events[i]; stopReason(e.Reason) == StopStep && e.ThreadID != nil && *e.ThreadID == run.thread {
			return // told together with the other stop
		}
	}
	switch {
	case stop.Reason == StopStep, s.profile.HeldStepText != nil:
	case !s.profile.HitDropsStep:
		s.owes(run)
	case stop.ThreadID != run.thread:
		owed := s.owes(run)
		s.ask(limits{total: lookTimeout}, func(replies []reply) { owed.frame = frameOf(replies[0]) }, s.topFrame(run.thread))
	}
}

// heldStep is the step that Delve goes on with at the next continue, since a hit of another goroutine has interrupted it.
type heldStep struct {
	thread int  // of the last step that was sent
	now    bool // the debugger says so at the present stop
}

func (h heldStep) of(thread int) bool { return thread != 0 && h.thread == thread }

// stepCommand is the command for a step: what the debugger holds of the same thread goes on with a continue, and where that ends is looked at.
func (s *Session) stepCommand(run *stepRun, command string) string {
	if s.stepHeld.now && s.stepHeld.of(run.thread) {
		run.repeats++
		return "continue"
	}
	s.stepHeld = heldStep{thread: run.thread}
	return command
}

// heldStepError refuses a step of a thread, where the debugger would.
func (s *Session) heldStepError(thread int) *Error {
	const hint = "debug_continue goes on with the program"
	return Errorf(NotSupported, "%s cannot step thread %d now: it holds a step of thread %d, which the hit of another thread interrupted, and takes one at a time. "+
		"Step thread %d to its end (thread_id), or %s; breakpoint_enable with enabled=false, or a condition, keeps other threads out of a step",
		s.profile.Name, thread, s.stepHeld.thread, s.stepHeld.thread, hint).
		With("feature", "step").With("missingCapability", "steps of several threads").With("backend", s.profile.Name).With("hint", hint).With("sessionId", s.id).
		With("steppingThreadId", s.stepHeld.thread)
}

// stepRefused tells a stop that is a step refused because of a held one.
func (s *Session) stepRefused(e *dapclient.Stopped) bool {
	return s.profile.HeldStepRefusal != nil && s.profile.HeldStepRefusal.MatchString(e.Text)
}
