package adapter

// situation is everything that the decision about a stop depends on.
type situation struct {
	reason   string // the debugger's reason as one of ours (stopReason)
	matched  bool   // a breakpoint explains the stop
	stale    bool   // only removed or disabled breakpoints explain it
	blocking bool   // a breakpoint that stops the program was hit
	refused  bool   // a resume failed, so the program is still stopped
	pausing  bool   // a call waits for a pause
	unswept  bool   // the other threads have not been examined
	hit      bool   // the debugger reports a hit, or a failed condition, as an exception
	halt     bool   // the debugger reports a pause as an exception
	thrown   exceptionState
	panics   bool // a breakpoint that asks for each panic was hit
	// callEnded says that a call of evaluate, which another stop had interrupted, has ended here.
	callEnded bool
	ofMessage bool     // that call was one of a tracepoint's message
	stepping  bool     // a step of the user is under way
	step      stepping // what is known of that step
	overdue   bool     // the stop is the late end of a step that was already reported as over
	held      bool     // the stop is the end of a step that the debugger had held back
	leftover  bool     // the debugger still has to end a step that was already reported as over
	noStep    bool     // the debugger refused a step because it holds another one

	// Habits of the debugger.
	sweeps    bool // it names one thread of a stop although others may be at breakpoints
	dropsStep bool // a hit of any thread ends a step
	holdsStep bool // it holds back a step that another thread's hit interrupted, and finishes it at the next continue
}

// stepping is what is known of a step when a stop comes during it.
type stepping struct {
	state     stepState
	mustLook  bool   // the reported end may be that of a command that the session sent inside the step
	lost      bool   // the position of its thread is unknown, or the step was repeated too often
	ended     bool   // its thread is where the step would have ended
	next      string // the command that continues the step
	elsewhere bool   // the stop is of another thread
}

type stepState int

const (
	notAsked   stepState = iota
	afterHit             // after a hit inside the step, the position of its thread is known
	atEnd                // at an end that the debugger reported, the position of its thread is known
	nextBegins           // one of several steps has ended; the start of the next one is known
	stepIsOver           // all steps are done, or the step was given up
)

type exceptionState int

const (
	notExamined exceptionState = iota
	examined                   // the exception is known
	wanted                     // a breakpoint asks for it, or it ends the program
	nobodys                    // no breakpoint asks for it
	endsThread                 // no breakpoint asks for it, and nothing handles it: it ends the thread of the step
)

// action is what the session does next about a stop.
type action struct {
	verb      verb
	reason    string // of show
	command   string // of stepOn
	stepEnded bool   // the debugger has reported the end of its step
}

type verb int

const (
	show           verb = iota // make the stop visible
	resume                     // resume; the stop stays invisible
	stepOn                     // send a command of the current step
	endStep                    // count one step, then begin the next one or show the stop
	askException               // ask which exception was thrown
	judgeException             // find out whether a breakpoint asks for the exception
	sweepFirst                 // look for hits of the other threads
	askStepping                // ask for the position of the stepping thread
)

// decide returns the next action for a stop. After an action that asks something, decide is called again with more
// known.
func decide(k situation) action {
	switch {
	case k.refused:
		return action{verb: show, reason: StopResumeFailed}
	case k.thrown == examined:
		return action{verb: judgeException}
	case k.thrown == wanted:
		return action{verb: show, reason: StopException}
	case k.panics && k.thrown == notExamined:
		return action{verb: askException}
	case k.blocking:
		return action{verb: show, reason: StopBreakpoint}
	case k.callEnded && k.ofMessage && !k.pausing:
		return k.goOn()
	case k.callEnded:
		return action{verb: show, reason: StopCallEnded}
	case k.noStep:
		return action{verb: show, reason: StopResumeFailed}
	case k.step.state == stepIsOver:
		return action{verb: show, reason: StopStep}
	case k.isException() && k.thrown == notExamined:
		return action{verb: askException}
	case k.pausing:
		return action{verb: show, reason: StopPause}
	case k.thrown == nobodys:
		return k.goOn()
	case k.thrown == endsThread && k.unswept:
		return action{verb: sweepFirst}
	case k.thrown == endsThread:
		return action{verb: resume}
	case k.step.state != notAsked:
		return k.stepOn()
	case k.overdue && k.stepping && k.dropsStep: // this stop may have ended the current step
		return action{verb: stepOn, command: k.step.next}
	case k.overdue:
		return action{verb: resume}
	case k.reason == StopStep && k.stepping && k.step.mustLook:
		return action{verb: askStepping, stepEnded: true}
	case k.reason == StopStep && k.stepping:
		return action{verb: endStep, stepEnded: true}
	case k.reason == StopStep && (k.held || k.leftover):
		return action{verb: resume, stepEnded: true}
	case k.reason == StopPause && k.matched && k.sweeps:
		// no pause was requested: breakpoints were set while the program ran into one (Delve)
		return k.goOn()
	case k.reason != StopBreakpoint && !k.isHit():
		return action{verb: show, reason: k.reason}
	case k.matched || k.stale:
		return k.goOn()
	}
	return action{verb: show, reason: StopBreakpoint} // of the program itself, or of another tool
}

// isHit reports whether the stop is a hit that the debugger reports as an exception.
func (k situation) isHit() bool { return k.matched && k.hit }

func (k situation) isException() bool { return k.reason == StopException && !k.isHit() && !k.halt }

// goOn resumes the program and continues a step that is under way.
func (k situation) goOn() action {
	switch {
	case k.unswept:
		return action{verb: sweepFirst}
	case !k.stepping:
		return action{verb: resume}
	case k.step.state == notAsked:
		return action{verb: askStepping}
	}
	return k.stepOn()
}

// stepOn continues a step whose thread's position is known.
func (k situation) stepOn() action {
	switch {
	case k.step.state != nextBegins && (k.step.lost || k.step.ended):
		return action{verb: endStep}
	case k.step.state == afterHit && (!k.dropsStep || k.holdsStep && k.step.elsewhere):
		return action{verb: resume} // the debugger finishes the step itself
	}
	return action{verb: stepOn, command: k.step.next}
}
