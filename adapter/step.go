package adapter

import (
	"context"
	"errors"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// maxStepRepeats bounds how often a step is repeated because hits inside it dropped it.
const maxStepRepeats = 1000

// stepRun is a step of the user. Some debuggers drop a step at any hit; the session then sends step commands until the
// program is where the step would have ended.
type stepRun struct {
	mode    string // over, in, out
	thread  int
	left    int // steps still to do, including this one
	done    int
	repeats int
	from    *Stop  // where it starts, when what its function returns may be told
	lastHit string // id of the breakpoint whose hit interrupted the step last
	sent    string // the last command sent

	// Where the current step began. depth is 0 when that was not asked for, because no hit can interrupt the step.
	depth  int
	at     dap.StackFrame
	caller *dap.StackFrame // nil when not asked for

	gone   bool // the debugger has reported the end of its thread
	over   bool
	result StepResult
	err    error
}

// steps is the state of the session's steps.
type steps struct {
	run      *stepRun             // the step that is under way
	leftover bool                 // the debugger still has to end a step that was already reported as over
	overdue  map[int]*overdueStep // by thread id
	held     heldStep
}

// StepResult is how a step ended: the stop, the number of completed steps, and the id of the breakpoint that
// interrupted it ("" when none did). Stop is nil when the thread has ended; Note then says so.
type StepResult struct {
	Stop          *Stop
	Done          int
	InterruptedBy string
	Note          string
}

// Step makes count steps in mode over, in or out, and returns at the stop that ends them. Thread 0 is the thread of the
// current stop. When ctx ends first, Step returns but the program goes on with the step. Errors: UnseenStop at a stop
// after known; NotPaused; NotSupported when the debugger holds a step of another thread; an invalid thread.
func (s *Session) Step(ctx context.Context, mode string, thread, count int, known uint64) (StepResult, error) {
	var run *stepRun // owned by the loop; nil when the step was refused
	r, err := inTurn(ctx, s, func(t *turn) (StepResult, error) {
		if err := s.mayResume(t, thread); err != nil {
			return StepResult{}, err
		}
		if err := s.seen(known); err != nil {
			return StepResult{}, err
		}
		// a step that still asks where it begins counts as a resume
		if s.public.state != Paused || s.resumes.going != nil || s.steps.run != nil {
			return StepResult{}, s.notPaused()
		}
		if thread == 0 {
			thread = s.stops.shown.ThreadID
		}
		if s.steps.held.now && !s.steps.held.of(thread) {
			return StepResult{}, s.heldStepError(thread)
		}
		run = &stepRun{mode: mode, thread: thread, left: count, from: s.leaves(mode, thread, count)}
		s.steps.run = run
		if !s.askOrigin(t, run) {
			return StepResult{}, errDropped
		}
		if s.steps.run == run && s.public.state == Paused {
			run.sent = s.stepCommand(run, run.command())
			ends := s.endsThread(run)
			if ends {
				run.sent, s.steps.held = "continue", heldStep{}
			}
			err := s.leave(t, run.sent, run.arguments())
			if err != nil && !errors.Is(err, errDropped) && s.steps.run == run {
				s.steps.run = nil
				return StepResult{}, err
			}
			if ends {
				s.stepThreadEnded(thread)
			}
		}
		if !s.awaitStep(ctx, t, run) || !run.over {
			return StepResult{}, errDropped // a caller that has gone receives nothing
		}
		return run.result, run.err
	})
	if err != nil {
		// The caller has gone: the program continues the step, and its end is an ordinary stop.
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

// command returns the DAP command that begins the step.
func (r *stepRun) command() string {
	switch r.mode {
	case "in":
		return "stepIn"
	case "out":
		return "stepOut"
	}
	return "next"
}

// stepSilently sends a command of the current step.
func (s *Session) stepSilently(run *stepRun, command string) {
	run.sent = s.stepCommand(run, command)
	s.silently(question{run.sent, run.arguments()}, run.thread)
}

func (r *stepRun) arguments() any {
	return struct {
		ThreadID int `json:"threadId"`
	}{r.thread}
}

// askOrigin asks where a step begins, when hits may interrupt it or be hidden by its end.
func (s *Session) askOrigin(t *turn, run *stepRun) bool {
	whole := s.mayServeSilently() || s.steps.held.now
	owed := s.steps.overdue[run.thread]
	hidden := s.profile.StepHidesHits && s.held.CanHit() || s.profile.SweepStops && s.held.Unplaced()
	if !whole && !hidden && owed == nil {
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
			delete(s.steps.overdue, run.thread) // the thread has moved since
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

// endsAtStart reports whether a step ended at the beginning of a line, where a breakpoint of the line is. It reports
// false when a call has returned into the middle of a line.
func (r *stepRun) endsAtStart(f *dap.StackFrame) bool {
	switch {
	case r.at.Name == "":
		return false
	case r.sent == "stepOut": // where the call was the end of its line, the next line begins there
		return r.caller != nil && r.caller.Name == f.Name && r.caller.Line != f.Line
	case r.caller != nil && r.caller.Name == f.Name && r.caller.Line == f.Line && r.at.Name != f.Name:
		return false
	}
	return r.at.Name != f.Name || r.at.Line != f.Line
}

func (s *Session) wholeStack(thread int) question {
	return question{"stackTrace", dapclient.StackTraceArguments{ThreadID: thread}}
}

// mayServeSilently reports whether a stop may stay invisible to the user: the hit of a breakpoint, or an exception that
// no breakpoint asks for.
func (s *Session) mayServeSilently() bool {
	if len(s.held.Watched.Returns) > 0 || s.wantsExceptions() {
		return true
	}
	for _, e := range s.held.Entries() {
		for _, bp := range e.Logicals {
			if (bp.Spec.Traces() && e.Native == "") || bp.HitCondition != nil || bp.Spec.Condition != e.Condition {
				return true
			}
		}
	}
	return false
}

// stepLook is what a stop has found out about the current step.
type stepLook struct {
	state stepState
	run   *stepRun        // the step that was asked about; nil: none
	top   *dap.StackFrame // top frame of the step's thread
	depth int
}

// stepOf returns the step that a stop belongs to, nil when there is none. A step that was asked about stays the answer
// even when its caller has gone since.
func (s *Session) stepOf(v *pendingStop) *stepRun {
	if v.step.run != nil {
		return v.step.run
	}
	return s.steps.run
}

// known returns what decide needs to know of a step.
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

// lost reports whether a step cannot be continued.
func (r *stepRun) lost(l stepLook) bool {
	return l.top == nil || r.repeats > maxStepRepeats || l.state == afterHit && r.depth == 0
}

// askStepping asks for the stack of the step's thread: after a hit inside the step, or (ended) at an end that the
// debugger reported. The last command may have been a step out of a callee, which ends in the middle of a line.
func (s *Session) askStepping(t *turn, v *pendingStop, ended bool) bool {
	run := s.steps.run
	if run.gone && v.thread() != run.thread {
		s.stepThreadEnded(run.thread)
		return true
	}
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

// after returns, from the position of the step's thread, whether the step has ended, else the next command for it.
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

// endStep counts a completed step and begins the next one, if any.
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
	if run.left <= 0 || len(s.stops.pausing) > 0 || s.atThreadEnd(v, look.top) {
		v.nameAfterStep(run, look.top)
		return true
	}
	run.repeats, run.depth, run.at, run.caller = 0, 0, dap.StackFrame{}, nil
	v.step.state = nextBegins
	return s.askOrigin(t, run)
}

// nameAfterStep makes a stop the one of the step's thread, when its frame is known.
func (v *pendingStop) nameAfterStep(run *stepRun, top *dap.StackFrame) {
	if top != nil {
		v.threads = append([]*stoppedThread{{event: v.primary(), id: run.thread, frame: top}}, v.threads...)
	}
}

// stepStopped ends the current step, if any, with a visible stop.
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

// endOfStep answers the call of the current step.
func (s *Session) endOfStep(result StepResult, err error) {
	run := s.steps.run
	s.steps.run = nil
	run.over, run.result, run.err = true, result, err
}
