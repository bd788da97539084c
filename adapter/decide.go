package adapter

// situation is everything that the decision about a stop depends on.
type situation struct {
	reason   string // of the debugger, as one of ours (stopReason)
	matched  bool   // a breakpoint explains the stop
	stale    bool   // only breakpoints that are gone explain it
	blocking bool   // a breakpoint that stops was hit
	refused  bool   // the program stands since a resume failed
	pausing  bool   // somebody waits for a pause
	unswept  bool   // the other threads have not been looked at
	hit      bool   // the debugger tells a hit, or a condition that failed, as an exception
	halt     bool   // the debugger tells a pause as an exception
	thrown   exceptionState
	stepping bool     // a step of the user is under way
	step     stepping // what is known of it
	overdue  bool     // the stop is the end of a step that is over for the user
	held     bool     // it is the end of a step that the debugger had held back
	leftover bool     // the debugger still has a step to end that is over for the user
	noStep   bool     // the debugger refuses a step, since it holds another one

	// What the debugger does.
	sweeps    bool // it names one thread of a stop although others may stand at breakpoints
	dropsStep bool // a hit of any thread ends a step
	holdsStep bool // it holds back a step that another thread's hit interrupted, and goes on with it at a continue
}

// stepping is what is known of a step when a stop comes during it.
type stepping struct {
	state     stepState
	mustLook  bool   // the end that the debugger tells may be that of a command of ours inside the step
	lost      bool   // nobody knows where its thread stands, or it was repeated too often
	ended     bool   // its thread stands where the step would have ended
	next      string // the command that goes on with it
	elsewhere bool   // another thread's stop interrupted it
}

type stepState int

const (
	notAsked   stepState = iota
	afterHit             // where its thread stands has been asked, after a hit inside the step
	atEnd                // the same, at an end that the debugger told
	nextBegins           // one step of several has ended, and where the next one begins is known
	stepIsOver           // all its steps are done, or it has been given up
)

type exceptionState int

const (
	notExamined exceptionState = iota
	examined                   // what was thrown is known
	wanted                     // somebody waits for it, or it ends the program
	nobodys                    // nobody does
)

// action is what follows.
type action struct {
	verb      verb
	reason    string // show
	command   string // stepOn
	stepEnded bool   // the debugger has told the end of its step
}

type verb int

const (
	show           verb = iota // make the stop visible
	resume                     // let the program run as if nothing had been
	stepOn                     // send a command of the step that is under way
	endStep                    // count one step; then its next one, or show
	askException               // what was thrown
	judgeException             // whether somebody waits for it
	sweepFirst                 // look for hits of the other threads
	askStepping                // where the thread of the step stands
)

// decide says what follows from what is known of a stop. Actions that ask lead to another decision, with more known.
func decide(k situation) action {
	switch {
	case k.refused:
		return action{verb: show, reason: StopResumeFailed}
	case k.thrown == examined:
		return action{verb: judgeException}
	case k.thrown == wanted:
		return action{verb: show, reason: StopException}
	case k.blocking:
		return action{verb: show, reason: StopBreakpoint}
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
	case k.step.state != notAsked:
		return k.stepOn()
	case k.overdue && k.stepping && k.dropsStep: // which this stop may have ended
		return action{verb: stepOn, command: k.step.next}
	case k.overdue:
		return action{verb: resume}
	case k.reason == StopStep && k.stepping && k.step.mustLook:
		return action{verb: askStepping, stepEnded: true}
	case k.reason == StopStep && k.stepping:
		return action{verb: endStep, stepEnded: true}
	case k.reason == StopStep && (k.held || k.leftover):
		return action{verb: resume, stepEnded: true}
	case k.reason == StopPause && k.matched && k.sweeps: // Delve: breakpoints were set while one was hit
		return k.goOn()
	case k.reason != StopBreakpoint && !k.isHit():
		return action{verb: show, reason: k.reason}
	case k.matched || k.stale:
		return k.goOn()
	}
	return action{verb: show, reason: StopBreakpoint} // nobody's: the program's own, or the user's in another tool
}

// isHit reports whether the stop is a hit that the debugger tells as an exception.
func (k situation) isHit() bool { return k.matched && k.hit }

func (k situation) isException() bool { return k.reason == StopException && !k.isHit() && !k.halt }

// goOn lets the program run, with the step that is under way.
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

// stepOn goes on with a step of which it is known where its thread stands.
func (k situation) stepOn() action {
	switch {
	case k.step.state != nextBegins && (k.step.lost || k.step.ended):
		return action{verb: endStep}
	case k.step.state == afterHit && (!k.dropsStep || k.holdsStep && k.step.elsewhere):
		return action{verb: resume} // the debugger goes on with the step
	}
	return action{verb: stepOn, command: k.step.next}
}
