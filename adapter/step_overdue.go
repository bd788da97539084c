package adapter

import (
	"breakwire/adapter/fault"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// overdueStep is a step that was reported as over because another thread stopped, although the debugger may still
// report its end. netcoredbg queues what several threads do at the same moment and reports the rest at the next
// resumes, before the program runs. Nobody waits for such an end any more. lldb-dap keeps the step itself and ends it
// when its thread gets there.
type overdueStep struct {
	run   stepRun
	frame *dap.StackFrame // where the thread was at that stop; nil when unknown
}

// expectLateStepEnd records that the end of a step may still come.
func (s *Session) expectLateStepEnd(run *stepRun) *overdueStep {
	if s.steps.overdue == nil {
		s.steps.overdue = map[int]*overdueStep{}
	}
	o := &overdueStep{run: *run}
	s.steps.overdue[run.thread] = o
	return o
}

// overdueAt returns the overdue step that a thread's stop ends, nil when there is none. A thread that has moved since
// was resumed, so its queued end was reported before: the stop is a new one.
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

// settleLateStepEnd reports whether a stop is the end of an overdue step. It forgets the overdue steps of the threads
// that were reported: a pending step end is always reported before a newer stop of its thread. lldb-dap also reports a
// thread in the middle of a step with the stops of others, so there only a step end counts.
func (s *Session) settleLateStepEnd(v *pendingStop) bool {
	found := len(v.threads) > 0 && s.overdueAt(v.threads[0]) != nil
	for i, th := range v.threads {
		if th.event != nil && (s.profile.HitDropsStep || i == 0 && stopReason(th.event.Reason) == StopStep) {
			delete(s.steps.overdue, th.id)
		}
	}
	return found
}

// hidesHit reports whether a stop is the end of a step at the beginning of a line, where the debugger would not report
// a hit.
func (s *Session) hidesHit(th *stoppedThread) bool {
	run := s.endedStep(th)
	return run != nil && run.endsAtStart(th.frame)
}

// endsInside reports whether a stop is the end of a step in the middle of a line. It is false when nobody asked where
// the step began.
func (s *Session) endsInside(th *stoppedThread) bool {
	run := s.endedStep(th)
	return run != nil && run.at.Name != "" && !run.endsAtStart(th.frame)
}

// endedStep returns the step whose end a stop is, or nil.
func (s *Session) endedStep(th *stoppedThread) *stepRun {
	if th.event == nil || stopReason(th.event.Reason) != StopStep {
		return nil
	}
	if o := s.overdueAt(th); o != nil {
		return &o.run
	}
	return s.steps.run
}

// queuesStepEnds reports whether the end of a step may come after the hit that interrupted it.
func (s *Session) queuesStepEnds() bool {
	return s.profile.HitDropsStep && s.profile.HeldStepText == nil
}

// stepInterrupted records that a late end may follow a step that a visible stop has ended.
func (s *Session) stepInterrupted(run *stepRun, v *pendingStop, stop *Stop) {
	for i := range v.opening.events {
		if e := &v.opening.events[i]; stopReason(e.Reason) == StopStep && e.ThreadID != nil && *e.ThreadID == run.thread {
			return // its end was reported together with the other stop
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

// heldStep is a step that Delve holds because a hit of another goroutine interrupted it. Delve finishes it at the next
// continue.
type heldStep struct {
	thread int  // thread of the last step that was sent
	now    bool // the debugger says so at the current stop
}

func (h heldStep) of(thread int) bool { return thread != 0 && h.thread == thread }

// stepCommand returns the command for a step: continue when the debugger holds a step of the same thread. Its end is
// then checked with the stack.
func (s *Session) stepCommand(run *stepRun, command string) string {
	if s.steps.held.now && s.steps.held.of(run.thread) {
		run.repeats++
		return "continue"
	}
	s.steps.held = heldStep{thread: run.thread}
	return command
}

// heldStepError refuses a step of a thread that the debugger would refuse.
func (s *Session) heldStepError(thread int) *fault.Error {
	const hint = "debug_continue goes on with the program"
	name, holds := s.profile.Name, s.steps.held.thread
	return fault.Errorf(fault.NotSupported, "%s cannot step thread %d now: it holds a step of thread %d, "+
		"which the hit of another thread interrupted, and takes one at a time. "+
		"Step thread %d to its end (thread_id), or %s; "+
		"breakpoint_enable with enabled=false, or a condition, keeps other threads out of a step",
		name, thread, holds, holds, hint).
		With("feature", "step").With("missingCapability", "steps of several threads").With("steppingThreadId", holds).
		With("backend", name).With("hint", hint).With("sessionId", s.id)
}

// stepRefused reports whether a stop only says that a step was refused because of a held one.
func (s *Session) stepRefused(e *dapclient.Stopped) bool {
	return s.profile.HeldStepRefusal != nil && s.profile.HeldStepRefusal.MatchString(e.Text)
}
