package adapter

import (
	"context"
	"errors"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// maxStepRepeats bounds how often a step is repeated because hits inside it dropped it.
const maxStepRepeats = 1000

// stepRun is a user's step. It survives tracepoints: debuggers drop a step at any hit, so the session
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

	over   bool
	result StepResult
	err    error
}

// steps is what a session knows of steps.
type steps struct {
	run      *stepRun             // the one that is under way
	leftover bool                 // the debugger still has a step to end that is over for the user
	overdue  map[int]*overdueStep // by thread
	held     heldStep
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
	r, err := inTurn(ctx, s, func(t *turn) (StepResult, error) {
		// a step that still asks where it begins is a resume too
		if s.public.state != Paused || s.resumes.going != nil || s.steps.run != nil {
			return StepResult{}, s.notPaused()
		}
		if thread == 0 {
			thread = s.stops.shown.ThreadID
		}
		if !s.knowsThread(thread) {
			return StepResult{}, s.invalidThread(thread)
		}
		if s.steps.held.now && !s.steps.held.of(thread) {
			return StepResult{}, s.heldStepError(thread)
		}
		run = &stepRun{mode: mode, thread: thread, left: count}
		s.steps.run = run
		if !s.askOrigin(t, run) {
			return StepResult{}, errDropped
		}
		if s.steps.run == run && s.public.state == Paused {
			run.sent = s.stepCommand(run, run.command())
			err := s.leave(t, run.sent, run.arguments())
			if err != nil && !errors.Is(err, errDropped) && s.steps.run == run {
				s.steps.run = nil
				return StepResult{}, err
			}
		}
		if !t.until(func() bool { return run.over }) {
			return StepResult{}, errDropped
		}
		return run.result, run.err
	})
	if err != nil {
		// The caller is gone or out of time: the program steps on, and where it lands is an ordinary stop.
		s.post(func() {
			if run != nil && s.steps.run == run && s.public.state == Running {
				delete(s.steps.overdue, run.thread)
				s.steps.held = heldStep{}
				s.steps.run = nil
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

// askOrigin asks where a step begins, when hits may interrupt it or hide behind its end.
func (s *Session) askOrigin(t *turn, run *stepRun) bool {
	whole := s.mayServeSilently() || s.steps.held.now
	owed := s.steps.overdue[run.thread]
	if !whole && !(s.profile.StepHidesHits && s.canHit()) && owed == nil {
		return true
	}
	q := s.wholeStack(run.thread)
	if !whole {
		q = topFrames(run.thread, 2)
	}
	replies, ok := t.ask(limits{total: lookTimeout}, q)
	if !ok {
		return false
	}
	if frames, depth := stackOf(replies[0]); len(frames) > 0 {
		run.at = frames[0]
		if owed != nil && owed.frame != nil && !samePlace(owed.frame, &run.at) {
			delete(s.steps.overdue, run.thread) // it has moved since
		}
		if whole {
			run.depth = depth
		}
		if len(frames) > 1 {
			run.caller = &frames[1]
		}
	}
	return true
}

// endsAtStart tells whether the end of a step is the beginning of a line, where a breakpoint of that line is, and not
// the middle of one that a call has returned into.
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

// stepLook is what a stop has found out of the step that is under way.
type stepLook struct {
	state stepState
	run   *stepRun        // whose it is; nil: nothing has been asked
	top   *dap.StackFrame // where its thread stands
	depth int
}

// stepOf is the step that a stop belongs to, nil when there is none. One that was asked about stays it, also when its
// caller is gone meanwhile.
func (s *Session) stepOf(v *pendingStop) *stepRun {
	if v.step.run != nil {
		return v.step.run
	}
	return s.steps.run
}

// known is what decide has to know of a step.
func (r *stepRun) known(v *pendingStop, dropsStep bool) stepping {
	k := stepping{
		state: v.step.state, next: r.sent,
		mustLook: r.repeats > 0 && r.depth > 0 && dropsStep, elsewhere: v.thread() != r.thread,
	}
	switch k.state {
	case nextBegins:
		k.next = r.command()
	case afterHit, atEnd:
		k.next, k.ended = r.after(v.step.top, v.step.depth)
		k.lost = r.lost(v.step)
	}
	return k
}

// lost reports whether a step cannot be gone on with.
func (r *stepRun) lost(l stepLook) bool {
	return l.top == nil || r.repeats > maxStepRepeats || l.state == afterHit && r.depth == 0
}

// askStepping asks where the thread of a step stands, after a hit inside the step or at an end that the debugger told:
// the last command may have been a step out of a callee, which lands in the middle of a line.
func (s *Session) askStepping(t *turn, v *pendingStop, ended bool) bool {
	run := s.steps.run
	v.step = stepLook{run: run, state: afterHit}
	if ended {
		v.step.state = atEnd
	} else if hits := v.opening.hits; len(hits) > 0 {
		run.lastHit = hits[0].bp.ID
	}
	replies, ok := t.ask(limits{total: lookTimeout}, s.wholeStack(run.thread))
	if ok {
		v.step.top, v.step.depth = topOf(replies[0])
		run.repeats++
	}
	return ok
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

// endStep counts a step, and looks where the next one begins, if there is one.
func (s *Session) endStep(t *turn, v *pendingStop) bool {
	run, look := s.stepOf(v), v.step
	v.step = stepLook{run: run, state: stepIsOver}
	if look.state == afterHit {
		if run.lost(look) {
			run.left = 0
			v.nameAfterStep(run, look.top)
			return true
		}
		s.steps.leftover = !s.profile.HitDropsStep
		if s.queuesStepEnds() && v.thread() != run.thread {
			s.expectLateStepEnd(run).frame = look.top
		}
	}
	run.lastHit = ""
	run.done++
	run.left--
	if run.left <= 0 || len(s.stops.pausing) > 0 {
		v.nameAfterStep(run, look.top)
		return true
	}
	run.repeats, run.depth, run.at, run.caller = 0, 0, dap.StackFrame{}, nil
	v.step.state = nextBegins
	return s.askOrigin(t, run)
}

// nameAfterStep names a stop after the thread of a step, where that was asked for.
func (v *pendingStop) nameAfterStep(run *stepRun, top *dap.StackFrame) {
	if top != nil {
		v.threads = append([]*stoppedThread{{event: v.primary(), id: run.thread, frame: top}}, v.threads...)
	}
}

// stepStopped ends the step, if there is one, with a visible stop.
func (s *Session) stepStopped(v *pendingStop, stop *Stop) {
	run := s.steps.run
	if run == nil {
		return
	}
	result := StepResult{Stop: stop, Done: run.done, InterruptedBy: run.lastHit}
	if stop.Reason == StopBreakpoint && len(stop.BreakpointIDs) > 0 {
		result.InterruptedBy = stop.BreakpointIDs[0]
	}
	s.stepInterrupted(run, v, stop)
	s.endOfStep(result, nil)
}

// endOfStep answers the call of the step that is under way.
func (s *Session) endOfStep(result StepResult, err error) {
	run := s.steps.run
	s.steps.run = nil
	run.over, run.result, run.err = true, result, err
}
