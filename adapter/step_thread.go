package adapter

import (
	"context"
	"fmt"
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// A step whose thread ends has no end of its own: the debugger does not stop, and the program runs on. Debuggers that
// report the end of threads do so at once (debugpy, netcoredbg). Where thread ids are those of the operating system
// (lldb-dap), the session looks whether the thread still exists. Delve steps to the function in which goroutines end;
// the step from there is a continue.

const (
	// threadCheck is how often a step looks whether its thread still exists.
	threadCheck = 250 * time.Millisecond
	// endGrace is how long a step waits, after the end of its thread, for the end of the program or another stop.
	endGrace = 250 * time.Millisecond
)

// awaitStep waits until a step is over, or its caller has gone.
func (s *Session) awaitStep(ctx context.Context, t *turn, run *stepRun) bool {
	over := func() bool { return run.over || ctx.Err() != nil }
	p := s.public.info.Process
	if !s.profile.SystemThreads || p.Start == "" {
		return t.until(over)
	}
	for !over() {
		if !t.untilOr(threadCheck, over) {
			return false
		}
		if !run.over && s.steps.run == run && !dapclient.ThreadAlive(p.Pid, run.thread) && dapclient.Alive(p.Pid, p.Start) {
			s.stepThreadEnded(run.thread)
		}
	}
	return !t.dropped
}

// threadEnded ends the step of a thread whose end was reported, unless the program ends with it.
func (s *Session) threadEnded(thread int) {
	run := s.steps.run
	if run == nil || run.thread != thread || len(s.public.threads) == 0 {
		return
	}
	run.gone = true
	s.begin(func(t *turn) {
		if t.untilOr(endGrace, func() bool { return run.over || s.closing() }) && s.steps.run == run && !s.closing() {
			s.stepThreadEnded(thread)
		}
	})
}

// stepThreadEnded ends the step of a thread that has ended. A stop that is being served ends the step itself when it is
// of that thread, or when it has asked for the thread's place.
func (s *Session) stepThreadEnded(thread int) {
	run, v := s.steps.run, s.stops.pending
	if run == nil || run.thread != thread || v != nil && (v.step.run != nil || v.thread() == thread) {
		return
	}
	delete(s.steps.overdue, thread)
	s.steps.held = heldStep{}
	s.endOfStep(StepResult{Done: run.done, Note: threadEndedNote(thread)}, nil)
}

func threadEndedNote(thread int) string {
	return fmt.Sprintf("thread %d has ended, so its step has no end, and the program runs: breakpoint_wait waits for "+
		"its next stop, debug_pause stops it", thread)
}

// atThreadEnd reports whether a step has ended where its thread only ends.
func (s *Session) atThreadEnd(v *pendingStop, top *dap.StackFrame) bool {
	if named := v.named(); top == nil && named != nil {
		top = named.frame
	}
	return top != nil && s.profile.EndFunction != "" && top.Name == s.profile.EndFunction
}

// endsThread reports whether a step begins where a thread only ends (Delve's runtime.goexit).
func (s *Session) endsThread(run *stepRun) bool {
	stop := s.stops.shown
	return s.profile.EndFunction != "" && stop != nil && stop.ThreadID == run.thread && stop.Location != nil &&
		stop.Location.FunctionName == s.profile.EndFunction
}
