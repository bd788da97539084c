package adapter

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// call is an evaluation for which the debugger lets the program run (Delve), so that a stop can interrupt it: a
// breakpoint in the called function, or one of another thread. The interrupted call stays pending. Each resume lets it
// go on, and at its end the program stops where the call was made.
type call struct {
	expression  string
	thread      int
	at          dap.StackFrame // where it was made
	interrupted bool
	ofMessage   bool // of a tracepoint: nobody waits for its end
}

// beginCall makes a call the one of the session. It waits while another one runs. c is nil when the evaluation calls
// nothing, or when stops interrupt no call of this debugger.
func (s *Session) beginCall(by inspect.Reader, expression string, frame dap.StackFrame, timeout time.Duration) (c *call,
	err error) {
	if s.profile.CallInterrupted == nil || by.Epoch == 0 || !strings.HasPrefix(expression, s.profile.CallPrefix) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(by.Ctx, timeout)
	defer cancel()
	var begun *call // owned by the loop
	c, err = inTurn(ctx, s, func(t *turn) (*call, error) {
		free := func() bool {
			return ctx.Err() != nil || s.stops.pending == nil && (s.stops.call == nil || s.stops.call.interrupted)
		}
		switch {
		case !t.until(free) || ctx.Err() != nil:
			return nil, errDropped
		case s.public.state != Paused || s.stops.epoch != by.Epoch || s.resumes.going != nil:
			return nil, s.notPaused()
		case s.stops.call != nil:
			return nil, fault.Errorf(fault.EvalFailed, "%s was not called: %s; debug_continue finishes it", expression,
				s.stops.call.pending()).With("expression", expression).With("pendingCall", s.stops.call.expression)
		}
		begun = &call{expression: expression, thread: by.HereThread, at: frame}
		s.stops.call = begun
		return begun, nil
	})
	if err != nil {
		s.post(func() { s.endCall(begun) })
	}
	return c, err
}

// endCall takes the end of a call that no stop has interrupted.
func (s *Session) endCall(c *call) {
	if c != nil && s.stops.call == c && !c.interrupted {
		s.stops.call = nil
	}
}

// callAnswered takes the answer to a call. The error of a condition in the called function also interrupts the call,
// and the debugger reports no stop for it.
func (s *Session) callAnswered(c *call, err error) {
	text, interrupted := s.interruptionOf(err)
	if interrupted && s.stops.call == c && !c.interrupted && s.public.state == Paused {
		s.interruptCall(&dapclient.Stopped{Reason: StopException, Text: text})
	}
	s.endCall(c)
}

// interruptionOf reports whether a call failed because a stop has interrupted it. text is what the debugger says of the
// stop.
func (s *Session) interruptionOf(err error) (text string, ok bool) {
	var failed *dapclient.ResponseError
	if s.profile.CallInterrupted == nil || !errors.As(err, &failed) {
		return "", false
	}
	at := s.profile.CallInterrupted.Regexp().FindStringIndex(failed.Reason())
	if at == nil {
		return "", false
	}
	return failed.Reason()[at[0]:], true
}

// noteInterrupted finds the call of a message that a stop has interrupted. It ends in silence, at a later stop. The
// answers after it are those of another frame, so they count as failed too.
func (s *Session) noteInterrupted(replies []reply, about func(i int) lateEvaluation) {
	for i, r := range replies {
		if _, interrupted := s.interruptionOf(r.err); !interrupted {
			continue
		}
		if e := about(i); e.frame != nil {
			s.stops.call = &call{
				expression: e.expression, thread: e.thread, at: *e.frame, interrupted: true, ofMessage: true,
			}
		}
		for j := range replies[i:] {
			replies[i+j] = r
		}
		return
	}
}

// interruptCall serves a stop that has interrupted the current call. It is a new stop, because the program has run.
func (s *Session) interruptCall(event *dapclient.Stopped) {
	s.stops.call.interrupted = true
	if s.public.state == Paused {
		s.inspection.reads.abort(fault.Errorf(fault.Cancelled, "%s let the program run, and another stop has interrupted "+
			"it; debug_state shows where the program is", s.stops.call.expression))
		s.setRunning()
	}
	s.stopped(&pendingStop{opening: round{events: []dapclient.Stopped{*event}}})
}

// lookAtCall finds out whether the interrupted call has ended: its thread is then where the call was made.
func (s *Session) lookAtCall(t *turn, v *pendingStop) bool {
	c := s.stops.call
	if c == nil || !c.interrupted {
		return true
	}
	replies, ok := t.ask(limits{total: lookTimeout}, topFrames(c.thread, 1))
	if !ok {
		return false
	}
	if f := frameOf(replies[0]); f != nil && samePlace(f, &c.at) {
		v.ended, s.stops.call = c, nil
	}
	return true
}

// isCallEnd reports whether a thread stands where it does because its call has ended, and not because of a breakpoint.
func (v *pendingStop) isCallEnd(th *stoppedThread) bool {
	return v.ended != nil && th.id == v.ended.thread
}

// pending says that a call has not ended.
func (c *call) pending() string {
	return fmt.Sprintf("%s is pending in thread %d", c.expression, c.thread)
}

// callText says of a stop what has become of an interrupted call.
func (s *Session) callText(v *pendingStop) string {
	switch c := s.stops.call; {
	case v.ended != nil && v.primary().Text != "" && v.named() != nil && v.isCallEnd(v.named()):
		return v.ended.expression + " has failed: " + v.primary().Text
	case v.ended != nil:
		return v.ended.expression + " has ended; " + s.profile.Name + " does not say what an interrupted call returned"
	case c != nil && c.ofMessage:
		return c.pending() + ", for the message of a tracepoint"
	case c != nil && c.interrupted:
		return c.pending() + "; debug_continue finishes it, and the program then stops where it was called"
	}
	return ""
}

// interrupted returns the error of a call that a stop has interrupted, when a stop is visible. It returns nil when err
// says something else.
func (s *Session) interrupted(by inspect.Reader, c *call, until time.Time, err error) error {
	reason, interrupted := s.interruptionOf(err)
	if !interrupted {
		return nil
	}
	refused := fault.Errorf(fault.EvalFailed, "%s: %s", c.expression, reason).
		With("expression", c.expression).With("threadId", c.thread).With("backendMessage", reason)
	ctx, cancel := context.WithDeadline(by.Request, until)
	defer cancel()
	stop, err := inTurn(ctx, s, func(t *turn) (*Stop, error) {
		visible := func() bool {
			return ctx.Err() != nil || s.public.state == Paused && s.stops.shown.epoch > by.Epoch
		}
		if !t.until(visible) || ctx.Err() != nil {
			return nil, errDropped
		}
		return s.stops.shown, nil
	})
	switch {
	case err != nil && by.Request.Err() == nil && s.Snapshot().State.Live():
		refused.Message = c.expression + " was interrupted by a hit that does not stop the program, and has not ended in " +
			"time; breakpoint_wait waits for its end"
		return refused
	case err != nil:
		return err
	}
	refused.With("stop", stop)
	if stop.Reason == StopCallEnded {
		refused.Message = stop.Text + ". Hits of tracepoints interrupted it; disable them and call again"
		return refused
	}
	who := fmt.Sprintf("thread %d stopped (%s)", stop.ThreadID, stop.Reason)
	if len(stop.BreakpointIDs) > 0 {
		refused.With("interruptedBy", stop.BreakpointIDs[0])
		who = fmt.Sprintf("thread %d hit %s", stop.ThreadID, strings.Join(stop.BreakpointIDs, " and "))
	}
	if l := stop.Location; l != nil && l.File != "" {
		who += fmt.Sprintf(" at %s:%d", l.File, l.Line)
	}
	refused.Message = fmt.Sprintf("%s was interrupted: %s, where the program stands now. The call is pending in "+
		"thread %d: debug_continue finishes it, and the program then stops where it was called (reason %s)",
		c.expression, who, c.thread, StopCallEnded)
	return refused
}

// setVariable sets a child of a container. Delve calls a function of the runtime for a text, and a stop may interrupt
// that. path is the child's.
func (s *Session) setVariable(by inspect.Reader, frame dap.StackFrame, path string,
	args dap.SetVariableArguments) (*dapclient.Message, error) {
	until := time.Now().Add(inspect.CallTimeout)
	c, err := s.beginCall(by, s.profile.CallPrefix+path+" = "+args.Value, frame, inspect.CallTimeout)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return s.debugger.conn.Call(by.Ctx, inspect.CallTimeout, "setVariable", args)
	}
	m, err := s.debugger.conn.CallThen(by.Request, inspect.CallTimeout, "setVariable", args, func(err error) {
		s.post(func() { s.callAnswered(c, err) })
	})
	if refused := s.interrupted(by, c, until, err); refused != nil {
		return nil, refused
	}
	return m, err
}
