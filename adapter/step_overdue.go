package adapter

import (
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// overdueStep is a step that is over for the user because another thread stopped, while the backend may have its end
// already waiting: netcoredbg takes what several threads do at the same moment one after the other, and tells the rest
// with the next resumes, before the program has run. Such an end is of no step that anyone waits for, be it that the
// program was continued or that another thread steps now. lldb-dap keeps the step itself, and ends it whenever its
// thread gets there.
type overdueStep struct {
	run   stepRun
	frame *dap.StackFrame // where the thread stood then; nil when nobody could say
}

// expectLateStepEnd notes that the end of a step may still come.
func (s *Session) expectLateStepEnd(run *stepRun) *overdueStep {
	if s.steps.overdue == nil {
		s.steps.overdue = map[int]*overdueStep{}
	}
	o := &overdueStep{run: *run}
	s.steps.overdue[run.thread] = o
	return o
}

// overdueAt returns the overdue step that ends with a stop, nil when it is the end of another one. A thread that has
// moved since was resumed, and so what had waited was told: this is something new.
func (s *Session) overdueAt(th *stoppedThread) *overdueStep {
	o := s.steps.overdue[th.id]
	if o == nil || th.event == nil || stopReason(th.event.Reason) != StopStep {
		return nil
	}
	if !s.profile.HitDropsStep {
		if s.steps.run != nil && s.steps.run.thread == th.id {
			return nil
		}
		return o
	}
	stood := o.frame
	if stood == nil && s.steps.run != nil && s.steps.run.thread == th.id {
		stood = &s.steps.run.at
	}
	if stood != nil && (th.frame == nil || !samePlace(stood, th.frame)) {
		return nil
	}
	return o
}

func samePlace(a, b *dap.StackFrame) bool { return a.Name == b.Name && a.Line == b.Line }

// settleLateStepEnd reports whether a stop is the end of an overdue step, and forgets what cannot come any more: a
// pending step end is always reported before a newer stop of its thread. lldb-dap tells of a thread in the middle of a
// step with the stops of others.
func (s *Session) settleLateStepEnd(v *pendingStop) bool {
	found := len(v.threads) > 0 && s.overdueAt(v.threads[0]) != nil
	for i, th := range v.threads {
		if th.event != nil && (s.profile.HitDropsStep || i == 0 && stopReason(th.event.Reason) == StopStep) {
			delete(s.steps.overdue, th.id)
		}
	}
	return found
}

// hidesHit tells whether a stop is the end of a step at the beginning of a line, where a hit would not be told.
func (s *Session) hidesHit(th *stoppedThread) bool {
	if th.event == nil || stopReason(th.event.Reason) != StopStep {
		return false
	}
	if o := s.overdueAt(th); o != nil {
		return o.run.endsAtStart(th.frame)
	}
	return s.steps.run != nil && s.steps.run.endsAtStart(th.frame)
}

// queuesStepEnds tells whether the end of a step may come behind the hit that has interrupted it.
func (s *Session) queuesStepEnds() bool {
	return s.profile.HitDropsStep && s.profile.HeldStepText == nil
}

// stepInterrupted notes what is left of a step that a visible stop has ended.
func (s *Session) stepInterrupted(run *stepRun, v *pendingStop, stop *Stop) {
	for i := range v.opening.events {
		if e := &v.opening.events[i]; stopReason(e.Reason) == StopStep && e.ThreadID != nil && *e.ThreadID == run.thread {
			return // told together with the other stop
		}
	}
	switch {
	case stop.Reason == StopStep, s.profile.HeldStepText != nil:
	case !s.profile.HitDropsStep:
		s.expectLateStepEnd(run)
	case stop.ThreadID != run.thread:
		owed := s.expectLateStepEnd(run)
		s.begin(func(t *turn) {
			if replies, ok := t.ask(limits{total: lookTimeout}, topFrames(run.thread, 1)); ok {
				owed.frame = frameOf(replies[0])
			}
		})
	}
}

// heldStep is the step that Delve goes on with at the next continue: a hit of another goroutine has interrupted it.
type heldStep struct {
	thread int  // of the last step that was sent
	now    bool // the debugger says so at the present stop
}

func (h heldStep) of(thread int) bool { return thread != 0 && h.thread == thread }

// stepCommand is the command for a step: what the debugger holds of the same thread goes on with a continue, and where
// that ends is looked at.
func (s *Session) stepCommand(run *stepRun, command string) string {
	if s.steps.held.now && s.steps.held.of(run.thread) {
		run.repeats++
		return "continue"
	}
	s.steps.held = heldStep{thread: run.thread}
	return command
}

// heldStepError refuses a step of a thread, where the debugger would.
func (s *Session) heldStepError(thread int) *Error {
	const hint = "debug_continue goes on with the program"
	name, holds := s.profile.Name, s.steps.held.thread
	return Errorf(NotSupported, "%s cannot step thread %d now: it holds a step of thread %d, "+
		"which the hit of another thread interrupted, and takes one at a time. "+
		"Step thread %d to its end (thread_id), or %s; "+
		"breakpoint_enable with enabled=false, or a condition, keeps other threads out of a step",
		name, thread, holds, holds, hint).
		With("feature", "step").With("missingCapability", "steps of several threads").With("steppingThreadId", holds).
		With("backend", name).With("hint", hint).With("sessionId", s.id)
}

// stepRefused tells a stop that is a step refused because of a held one.
func (s *Session) stepRefused(e *dapclient.Stopped) bool {
	return s.profile.HeldStepRefusal != nil && s.profile.HeldStepRefusal.MatchString(e.Text)
}
