package adapter

import (
	"maps"
	"slices"
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

const (
	// stepEndTimeout is how long a step may take to end before an attached program is released.
	stepEndTimeout = time.Second
	// heldWord is how long after a stop the debugger may take to report that it holds a step.
	heldWord = 20 * time.Millisecond
)

// sees notes events that come while the session ends.
func (e *ending) sees(m *dapclient.Message) {
	switch m.Name {
	case "stopped":
		e.stops++
	case "exited", "terminated":
		e.gone = true
	}
}

// letStepEnd waits, before the debugger detaches, until no step is under way or held. When Delve detaches or pauses in
// the middle of a step, it leaves a trap of that step in the program, which kills the program later. A step that ends
// by itself leaves no trap. standing says that the program is stopped. letStepEnd reports false when the turn is
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

// letRun removes the breakpoints and resumes the program, where a debugger that listens on would leave it halted. It
// reports false when the turn is dropped.
func (s *Session) letRun(t *turn, e *ending) bool {
	if !s.profile.StaysHalted || s.backend.Address == "" || e.terminate == nil || *e.terminate {
		return true
	}
	questions := []question{
		{"setFunctionBreakpoints", dapclient.SetFunctionBreakpointsArguments{Breakpoints: []dap.FunctionBreakpoint{}}},
	}
	for _, file := range slices.Sorted(maps.Keys(s.held.Files)) {
		questions = append(questions, question{"setBreakpoints", dapclient.SetBreakpointsArguments{
			Source: dap.Source{Path: file}, Breakpoints: []dap.SourceBreakpoint{}}})
	}
	// A program that runs refuses this.
	questions = append(questions, question{"continue", dapclient.ContinueArguments{}})
	_, ok := t.ask(limits{total: disconnectTimeout}, questions...)
	return ok
}
