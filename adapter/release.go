package adapter

import (
	"time"

	"breakwire/dapclient"
)

const (
	// stepEndTimeout is how long a step may take to end before an attached program is let go.
	stepEndTimeout = time.Second
	// heldWord is how long after a stop the debugger may take to say that it holds a step.
	heldWord = 20 * time.Millisecond
)

// sees notes what the debugger tells while the session ends.
func (e *ending) sees(m *dapclient.Message) {
	switch m.Name {
	case "stopped":
		e.stops++
	case "exited", "terminated":
		e.gone = true
	}
}

// letStepEnd waits, before an attached program is let go, until no step is under way or held. Delve that is told to let
// go of a program, or to pause it, in the middle of a step leaves it with a trap of that step, of which it dies. A step
// that ends by itself leaves none. standing says that the program stands at a stop. It reports false when the turn is
// dropped.
func (s *Session) letStepEnd(t *turn, e *ending, standing bool) bool {
	kept := s.profile.DetachKeepsStep && s.public.info.Attached && e.terminate != nil && !*e.terminate
	held := standing && s.steps.held.now
	if !kept || standing && !held || !standing && s.steps.run == nil {
		return true
	}
	for end := time.Now().Add(stepEndTimeout); ; {
		refused := func() bool { return false }
		if held {
			s.steps.held.now = false
			resume := s.send(limits{total: stepEndTimeout},
				question{"continue", dapclient.ContinueArguments{ThreadID: s.steps.held.thread}})
			refused = func() bool { return resume.open == 0 && resume.replies[0].err != nil }
		}
		seen := e.stops
		if !t.untilOr(time.Until(end), func() bool { return e.stops > seen || e.gone || refused() }) {
			return false
		}
		if e.stops == seen {
			return true
		}
		if !t.sleep(heldWord) {
			return false
		}
		if held = s.steps.held.now; !held || !time.Now().Before(end) {
			return true
		}
	}
}
