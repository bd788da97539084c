package adapter

import (
	"context"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// maxStepRepeats bounds how often a step is repeated because hits inside it dropped it.
const maxStepRepeats = 1000

// stepRun is a user's step. It survives tracepoints: backends drop a step at any hit, so the session
// repeats it until the program is where the step would have ended.
type stepRun struct {
	mode    string // over, in, out
	thread  int
	left    int // steps still to do, this one included
	done    int
	repeats int
	lastHit string // the breakpoint that interrupted last
	sent    string // the command that was sent last

	// Where this step began; depth 0 when no hit could have interrupted it, so that nobody asked.
	depth  int
	at     dap.StackFrame
	caller *dap.StackFrame // nil when nobody asked

	finish func(StepResult, error)
}

// StepResult is how a step ended.
type StepResult struct {
	Stop          *Stop
	Done          int
	InterruptedBy string
}

// Step steps count times and returns at the stop that ends it. The deadline of ctx gives the step up, not the program.
func (s *Session) Step(ctx context.Context, mode string, thread, count int) (StepResult, error) {
	var run *stepRun // owned by the loop; nil when it was refused
	r, err := onLoop(ctx, s, func(done func(StepResult, error)) {
		if s.state != Paused || s.going != nil || s.step != nil { // a step that still asks where it begins is a resume too
			done(StepResult{}, s.notPaused())
			return
		}
		if thread == 0 {
			thread = s.stop.ThreadID
		}
		if !s.knowsThread(thread) {
			done(StepResult{}, s.invalidThread(thread))
			return
		}
		if s.stepHeld.now && !s.stepHeld.of(thread) {
			done(StepResult{}, s.heldStepError(thread))
			return
		}
		run = &stepRun{mode: mode, thread: thread, left: count, finish: done}
		s.step = run
		s.originOf(run, func() {
			if s.step != run || s.state != Paused {
				return
			}
			run.sent = s.stepCommand(run, run.command())
			s.leave(run.sent, run.arguments(), func(err error) {
				if err != nil && s.step == run {
					s.step = nil
					done(StepResult{}, err)
				}
			})
		})
	})
	if err != nil {
		// The caller is gone or out of time: the program steps on, and where it lands is an ordinary stop.
		s.post(func() {
			if run != nil && s.step == run && s.state == Running {
				run.finish = func(StepResult, error) {}
				delete(s.overdue, run.thread)
				s.stepHeld = heldStep{}
				s.step = nil
			}
		})
	}
	return r, err
}

// command is the one that begins the step.
func (r *stepRun) command() string {
	switch r.mode {
	case "in":
		return "stepIn"
	case "out":
		return "stepOut"
	}
	return "next"
}

// stepSilently sends a command of a step that is under way.
func (s *Session) stepSilently(run *stepRun, command string) {
	run.sent = s.stepCommand(run, command)
	s.silently(question{run.sent, run.arguments()}, run.thread)
}

func (r *stepRun) arguments() any {
	return struct {
		ThreadID int `json:"threadId"`
	}{r.thread}
}

// originOf notes where a step begins, when hits may interrupt it or hide behind its end, then goes on.
func (s *Session) originOf(run *stepRun, then func()) {
	whole := s.mayServeSilently() || s.stepHeld.now
	owed := s.overdue[run.thread]
	if !whole && !(s.profile.StepHidesHits && s.canHit()) && owed == nil {
		then()
		return
	}
	q := s.wholeStack(run.thread)
	if !whole {
		q = question{"stackTrace", dapclient.StackTraceArguments{ThreadID: run.thread, Levels: 2}}
	}
	s.ask(limits{total: lookTimeout}, func(replies []reply) {
		if frames, depth := stackOf(replies[0]); len(frames) > 0 {
			run.at = frames[0]
			if owed != nil && owed.frame != nil && !samePlace(owed.frame, &run.at) {
				delete(s.overdue, run.thread) // it has moved since
			}
			if whole {
				run.depth = depth
			}
			if len(frames) > 1 {
				run.caller = &frames[1]
			}
		}
		then()
	}, q)
}

// endsAtStart tells whether the end of a step is the beginning of a line, where a breakpoint of that line is, and not the middle of one
// that a call has returned into.
func (r *stepRun) endsAtStart(f *dap.StackFrame) bool {
	switch {
	case r.at.Name == "" || r.sent == "stepOut":
		return false
	case r.caller != nil && r.caller.Name == f.Name && r.caller.Line == f.Line && r.at.Name != f.Name:
		return false
	}
	return r.at.Name != f.Name || r.at.Line != f.Line
}

func (s *Session) wholeStack(thread int) question {
	return question{"stackTrace", dapclient.StackTraceArguments{ThreadID: thread}}
}

// mayServeSilently tells whether the backend holds anything that stops it without stopping the program for the user.
func (s *Session) mayServeSilently() bool {
	for _, e := range s.entries() {
		for _, bp := range e.logicals {
			if (bp.Spec.Kind == Tracepoint && e.native == "") || bp.hitCondition != nil || bp.Spec.Condition != e.condition {
				return true
			}
		}
	}
	return false
}

// stepAfterHit decides, after a silent hit inside a step, whether the step has reached its end or must be repeated.
func (s *Session) stepAfterHit(v *service) {
	run := s.step
	if len(v.hits) > 0 {
		run.lastHit = v.hits[0].bp.ID
	}
	s.standing(v, run, func(top *dap.StackFrame, depth int) {
		next, ended := run.after(top, depth)
		run.repeats++
		switch {
		case top == nil || run.repeats > maxStepRepeats || run.depth == 0:
			run.left = 0
			s.stopStep(v, run, top, run.lastHit)
		case ended:
			run.lastHit = ""
			s.leftover = !s.profile.HitDropsStep
			if s.queuesStepEnds() && v.thread() != run.thread {
				s.owes(run).frame = top
			}
			s.stepEnded(v, run, top)
		case !s.profile.HitDropsStep || s.profile.HeldStepText != nil && v.thread() != run.thread:
			s.resumeSilently(v.thread()) // and the backend takes the step up again
		default:
			s.stepSilently(run, next)
		}
	})
}

// standing asks where the thread of a step stands, and goes on with that; it is still the same stop.
func (s *Session) standing(v *service, run *stepRun, then func(top *dap.StackFrame, depth int)) {
	s.service = v
	s.ask(limits{total: lookTimeout}, func(replies []reply) {
		if s.service == v {
			top, depth := topOf(replies[0])
			v.onward = func() { then(top, depth) }
			s.conclude(v)
		}
	}, s.wholeStack(run.thread))
}

// after tells from where the stepping thread stands whether its step has ended, else the command that brings it nearer.
func (r *stepRun) after(top *dap.StackFrame, depth int) (command string, ended bool) {
	if top == nil {
		return "", false
	}
	sameLine := depth == r.depth && top.Line == r.at.Line && top.Name == r.at.Name
	switch r.mode {
	case "out":
		if depth < r.depth {
			return "", true
		}
		return "stepOut", false
	case "in":
		if !sameLine {
			return "", true
		}
		return "stepIn", false
	}
	switch {
	case depth > r.depth:
		return "stepOut", false
	case sameLine:
		return "next", false
	}
	return "", true
}

// stepLanded takes the backend's own end of a step.
func (s *Session) stepLanded(v *service) {
	run := s.step
	s.stepHeld = heldStep{}
	if run.repeats > 0 && run.depth > 0 && s.profile.HitDropsStep {
		// The last command may have been a step out of a callee, which lands in the middle of a line.
		s.standing(v, run, func(top *dap.StackFrame, depth int) {
			if next, ended := run.after(top, depth); !ended && top != nil && run.repeats <= maxStepRepeats {
				run.repeats++
				s.stepSilently(run, next)
				return
			}
			s.stepEnded(v, run, top)
		})
		return
	}
	s.stepEnded(v, run, nil)
}

// stepEnded counts a step and begins the next one, or makes the stop visible.
func (s *Session) stepEnded(v *service, run *stepRun, top *dap.StackFrame) {
	run.done++
	run.left--
	if run.left <= 0 || len(s.pausing) > 0 {
		s.stopStep(v, run, top, "")
		return
	}
	run.repeats, run.depth, run.lastHit, run.at, run.caller = 0, 0, "", dap.StackFrame{}, nil
	s.service = v
	s.originOf(run, func() {
		if s.service == v {
			v.onward = func() { s.stepSilently(run, run.command()) }
			s.conclude(v)
		}
	})
}

// stopStep makes the end of a step visible, at the stepping thread.
func (s *Session) stopStep(v *service, run *stepRun, top *dap.StackFrame, interruptedBy string) {
	run.lastHit = interruptedBy
	if top != nil {
		sp := &spot{event: v.primary(), thread: run.thread, frame: top}
		v.spots = append([]*spot{sp}, v.spots...)
	}
	s.stopAt(v, StopStep)
}

// stepStopped ends the step, if there is one, with a visible stop.
func (s *Session) stepStopped(v *service, stop *Stop) {
	run := s.step
	if run == nil {
		return
	}
	s.step = nil
	result := StepResult{Stop: stop, Done: run.done, InterruptedBy: run.lastHit}
	if stop.Reason == StopBreakpoint && len(stop.BreakpointIDs) > 0 {
		result.InterruptedBy = stop.BreakpointIDs[0]
	}
	s.interrupted(run, v, stop)
	run.finish(result, nil)
}
