package adapter

import (
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

const (
	// stepEndTimeout is how long a step may take to end before an attached program is let go.
	stepEndTimeout = time.Second
	// heldWord is how long after a stop the debugger may take to say that it holds a step.
	heldWord = 20 * time.Millisecond
)

// afterStep calls letGo when no step is under way or held any more, or at its time's end. Delve that is told to let go of a program, or to pause it,
// in the middle of a step leaves it with a trap of that step, of which it dies. A step that ends by itself leaves none. standing tells that the program
// stands at a stop.
func (s *Session) afterStep(e *ending, standing bool, letGo func()) {
	kept := s.profile.DetachKeepsStep && s.info.Attached && e.terminate != nil && !*e.terminate
	held := standing && s.stepHeld.now
	if !kept || standing && !held || !standing && s.step == nil {
		letGo()
		return
	}
	over := false
	var timer *time.Timer
	finish := func() {
		if !over {
			over, e.watch = true, nil
			timer.Stop()
			letGo()
		}
	}
	timer = s.after(stepEndTimeout, finish)
	goOn := func() {
		held = false
		s.ask(limits{total: stepEndTimeout}, func(replies []reply) {
			if replies[0].err != nil {
				finish()
			}
		}, question{"continue", dapclient.ContinueArguments{ThreadID: s.stepHeld.thread}})
	}
	e.watch = func(m *dapclient.Message) {
		switch m.Name {
		case "stopped":
			s.after(heldWord, func() {
				switch {
				case over:
				case held:
					goOn()
				default:
					finish()
				}
			})
		case "output":
			body, err := dapclient.DecodeBody[dap.OutputEventBody](m)
			held = held || err == nil && s.profile.HeldStepText != nil && s.profile.HeldStepText.MatchString(body.Output)
		case "exited", "terminated":
			finish()
		}
	}
	if held {
		goOn()
	}
}
