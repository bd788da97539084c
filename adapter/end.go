package adapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// Deadlines of an end. Their sum is below five seconds.
const (
	disconnectTimeout = 2 * time.Second
	exitGrace         = time.Second
	lastWords         = 500 * time.Millisecond
	sweepTimeout      = 3 * time.Second        // for what is left in a container
	outcomeGrace      = 500 * time.Millisecond // in which the system tells how the program has ended
)

// ending is the state of a session's end.
type ending struct {
	state     State
	reason    EndReason
	text      string
	died      bool // the debugger ended by itself
	told      bool
	terminate *bool
	result    DisconnectResult     // valid once told is set
	started   []dapclient.ProcInfo // processes of the debugger and the program, which have to be gone at the end
	stops     int                  // stopped events since the end began
	gone      bool                 // the debugger says that the program has ended
}

// closing reports whether the session is ending: disconnect has begun, or the debugger is gone.
func (s *Session) closing() bool { return s.life.ending != nil }

// DisconnectResult says what became of the program.
type DisconnectResult struct {
	WasTerminated bool
	ProcessAlive  *bool // nil when it cannot be known from here
}

// onExited keeps the exit code (DAP, Exited event). When no terminated event follows within lastWords, the session ends
// all the same.
func (s *Session) onExited(m *dapclient.Message) {
	body, err := dapclient.DecodeBody[dap.ExitedEventBody](m)
	if err != nil {
		return
	}
	// The exit code after a disconnect is not the program's own.
	unknown := s.public.info.Attached && s.profile.NoAttachedExit || s.public.info.Signal != ""
	if s.public.exitCode == nil && !unknown {
		s.public.exitCode = &body.ExitCode
	}
	if s.life.ending != nil {
		s.publish()
	} else if !s.closing() {
		s.after(lastWords, s.onTerminated)
	}
}

// onTerminated handles the end of the program (DAP, Terminated event): it disconnects the debugger at once.
func (s *Session) onTerminated() {
	if s.life.ending != nil {
		return
	}
	s.resumeConfirmed()
	s.finish(&ending{state: Terminated, reason: EndExited})
}

// debuggeeGone reports whether the program has ended without an event: it was killed at a stop, for example.
func (s *Session) debuggeeGone() bool {
	p := s.Snapshot().Process
	return p.Start != "" && !dapclient.Alive(p.Pid, p.Start)
}

// goneError ends a session whose program has ended without an event, and returns the error for the caller. It returns
// nil while the program lives.
func (s *Session) goneError(what string) *fault.Error {
	if !s.debuggeeGone() {
		return nil
	}
	s.post(s.onTerminated)
	return fault.Errorf(fault.NoSession, "%s: the program has ended, its process is gone; "+
		"start another with debug_launch or debug_attach", what).With("sessionId", s.id)
}

// Disconnect ends the session. A nil terminate ends a launched program and detaches from an attached one. It returns
// NotSupported when the debugger cannot end the session that way.
func (s *Session) Disconnect(ctx context.Context, terminate *bool) (DisconnectResult, error) {
	if err := s.mayTerminate(terminate); err != nil {
		return DisconnectResult{}, err
	}
	r, err := inTurn(ctx, s, func(t *turn) (DisconnectResult, error) {
		kill := !s.public.info.Attached
		if terminate != nil {
			kill = *terminate
		}
		if err := s.cannotEnd(kill); err != nil {
			return DisconnectResult{}, err
		}
		if s.life.ending == nil {
			e := &ending{state: Disconnected, reason: EndDisconnected, terminate: &kill}
			if kill {
				e.reason = EndKilled
			}
			s.finish(e)
		} else if !s.public.state.Live() {
			return DisconnectResult{}, nil
		}
		e := s.life.ending
		if !t.until(func() bool { return e.told }) {
			return DisconnectResult{}, errDropped
		}
		return e.result, nil
	})
	if err == nil {
		<-s.life.ended
	}
	return r, err
}

// cannotEnd returns an error when the session cannot end as asked: with the program (kill), or without.
func (s *Session) cannotEnd(kill bool) error {
	refuse := func(feature, capability, hint, message string) error {
		return fault.Errorf(fault.NotSupported, message, s.profile.Name).
			With("feature", feature).With("missingCapability", capability).
			With("backend", s.profile.Name).With("hint", hint).With("sessionId", s.id)
	}
	const attach = "start the program yourself and use debug_attach"
	attached, chooses := s.public.info.Attached, s.debugger.capabilities.SupportTerminateDebuggee
	switch {
	case !kill && !attached && (s.profile.DetachKillsLaunched || !chooses):
		return refuse("detachLaunched", "detach of launched programs", attach,
			"%s cannot let a program go that it has launched: it would end with the debugger; "+
				"leave terminate out to end it, or "+attach)
	case !kill && s.made.ran.any():
		return refuse("detachLaunched", "detach of programs run by breakwire", attach,
			"the program was run by breakwire for %s, and cannot outlive the session; "+
				"leave terminate out to end it, or "+attach)
	case kill && attached && !chooses && s.public.info.Process.Start == "":
		return refuse("terminate of attached programs", "supportTerminateDebuggee",
			"leave terminate out, and end the program where it runs",
			"%s cannot end a program that it was attached to, and the process is not of this machine; "+
				"leave terminate out to let it go")
	}
	return nil
}

// finish disconnects the debugger and ends the session. The end releases everything that waits.
func (s *Session) finish(e *ending) {
	standing := s.public.state == Paused && (s.resumes.going == nil || !s.resumes.going.written) || s.stops.pending != nil
	s.life.ending = e
	s.dropPending()
	s.resumes.going = nil
	s.inspection.reads.abort(s.endError(e))
	e.started = s.descendants(e)
	if s.debugger.conn == nil {
		s.reap(e)
		return
	}
	args := dapclient.DisconnectArguments{TerminateDebuggee: e.terminate}
	if e.terminate != nil && !s.debugger.capabilities.SupportTerminateDebuggee {
		// Without the capability, an adapter need not honour the argument and does its default
		// (DAP, DisconnectArguments).
		args.TerminateDebuggee = nil
	}
	s.begin(func(t *turn) {
		if !s.letStepEnd(t, e, standing) || !s.letRun(t, e) {
			return
		}
		if _, ok := t.ask(limits{total: disconnectTimeout}, question{"disconnect", args}); !ok {
			return
		}
		if e.reason == EndExited && (!t.untilOr(outcomeGrace, s.outcomeKnown) || !s.drainStderr(t)) {
			return
		}
		s.reap(e)
	})
}

// onClosed handles the end of the connection. Unless the session is already ending, the debugger has died.
func (s *Session) onClosed(err error) {
	if s.life.ending != nil {
		return // the end of the connection answers the disconnect request
	}
	text := fmt.Sprintf("%s closed the connection", s.profile.Name)
	if err != nil && !errors.Is(err, io.EOF) {
		text = fmt.Sprintf("the connection to %s broke: %v", s.profile.Name, err)
	}
	e := &ending{state: Terminated, reason: EndBackendExited, text: text, died: true}
	if s.start.run != nil {
		e.reason = EndStartFailed
	}
	s.life.ending = e
	e.started = s.descendants(e)
	s.dropPending()
	s.reap(e)
}

// descendants lists the processes that the debugger and a launched program have started. It has to run before they end:
// a child that has left their process group cannot be found after its parent has gone. The children of an attached
// program are not ours.
func (s *Session) descendants(e *ending) []dapclient.ProcInfo {
	if s.debugger.proc == nil || s.public.info.Attached || e.terminate != nil && !*e.terminate {
		return nil
	}
	list := dapclient.Descendants(s.debugger.proc.Pid())
	if p := s.public.info.Process; p.Start != "" && dapclient.Alive(p.Pid, p.Start) {
		list = append(list, dapclient.Descendants(p.Pid)...)
	}
	for _, pid := range s.made.ran.pids() {
		list = append(list, dapclient.Descendants(pid)...)
	}
	return list
}

// reap closes the adapter, reaps processes and checks the debuggee, on its own goroutine. The end of a program that
// ended by itself is published first; so is the end of a start without time left (failStart). Every other end is
// published with what became of the program.
func (s *Session) reap(e *ending) {
	s.inspection.reads.abort(s.endError(e))
	if e.reason == EndExited {
		s.tellEnd(e, DisconnectResult{})
	}
	grace := exitGrace
	if e.died {
		grace = exitGrace / 4 // it has gone already, or will not
	}
	go func() {
		if s.debugger.conn != nil {
			s.debugger.conn.Close()
		}
		if s.debugger.proc != nil {
			if e.died && s.origin.launch != nil && s.Snapshot().Process.Start == "" {
				s.debugger.proc.CloseStdin()
				select {
				case <-s.debugger.proc.Exited(): // it ended by itself: its exit status says why
				case <-time.After(grace):
				}
				s.debugger.proc.Kill() // also what it may have launched without a process event
			}
			s.debugger.proc.Stop(grace)
			if e.died {
				e.text += "; it ended with " + s.debugger.proc.ExitStatus()
				if tail := s.debugger.proc.StderrTail(); tail != "" {
					e.text += "; its last words: " + tail
				}
			}
		}
		s.made.ran.end()
		if let := e.terminate != nil && !*e.terminate; s.backend.Sweep != nil && (s.origin.launch == nil || !let) {
			ctx, cancel := context.WithTimeout(context.Background(), sweepTimeout)
			s.backend.Sweep(ctx)
			cancel()
		}
		result := s.checkDebuggee(e)
		if err := dapclient.KillLeft(e.started); err != nil {
			s.log.Warn("could not end what the program has started", "error", err)
		}
		s.removeFolder()
		s.post(func() {
			if !e.told {
				s.tellEnd(e, result)
			}
			s.post(s.close) // after the turns that waited for the end have answered
		})
	}()
}

// close ends the loop.
func (s *Session) close() {
	s.inbox.Close()
	s.life.cancel()
	close(s.life.ended)
	s.manager.reaped(s)
}

// checkDebuggee ends the program where it should end, and returns whether it lives.
func (s *Session) checkDebuggee(e *ending) DisconnectResult {
	var result DisconnectResult
	snap := s.Snapshot()
	p := snap.Process
	kill := !snap.Attached
	if e.terminate != nil {
		kill = *e.terminate
	}
	result.WasTerminated = kill
	if p.Start == "" {
		return result
	}
	alive := waitGone(p.Pid, p.Start, kill)
	if alive && kill {
		if err := dapclient.KillPid(p.Pid, p.Start); err != nil {
			s.log.Warn("could not end the debuggee", "pid", p.Pid, "error", err)
		}
		alive = waitGone(p.Pid, p.Start, true)
	}
	result.ProcessAlive = &alive
	return result
}

// waitGone reports whether a process lives. It gives a process that is expected to end up to 200 ms.
func waitGone(pid int, start string, expected bool) (alive bool) {
	for range 20 {
		if alive = dapclient.Alive(pid, start); !alive || !expected {
			return alive
		}
		time.Sleep(10 * time.Millisecond)
	}
	return alive
}

// tellEnd publishes the end and answers all calls that wait.
func (s *Session) tellEnd(e *ending, result DisconnectResult) {
	e.told, e.result = true, result
	if e.reason == EndExited {
		system := s.public.info.Process.ended
		s.public.exitCode, s.public.info.Signal = outcome(s.public.exitCode, system, s.profile)
		if s.public.info.Signal != "" {
			e.reason = EndSignal
		}
		if s.exceptions.ending {
			e.reason = EndUnhandled
			if told := s.public.exitCode; told != nil && *told == 1 && (system == nil || !system.Known) {
				s.public.exitCode = nil // invented
			}
		}
	}
	s.public.info.Fatal = ""
	s.public.info.EndReason, s.public.info.EndText = e.reason, e.text
	if e.died {
		s.problem("", fault.Errorf(fault.BackendExited, "%s", e.text))
	}
	if e.reason == EndExited || e.reason == EndSignal || e.died {
		s.tellLostHits()
	}
	s.bindingsEnded()
	s.manager.told(s) // before anyone is woken, because the next session may be started at once
	s.changeState(e.state, nil)
	s.manager.changed()
	if s.steps.run != nil {
		s.endOfStep(StepResult{Done: s.steps.run.done}, s.died())
	}
	s.endPausing(nil, s.died())
}

// bindingsEnded marks all bound breakpoints as pending, and says of functions that nobody had them. The counts stay
// readable.
func (s *Session) bindingsEnded() {
	next := make(map[string]*breakpoint.Binding, len(s.held.Bindings))
	for id, b := range s.held.Bindings {
		c := *b
		bp := s.manager.registry.Lookup(id)
		if bp != nil && bp.Spec.Kind == breakpoint.Watchpoint { // the address means nothing any more
			c.State, c.Message = breakpoint.Failed, cmp.Or(s.held.Watched.Ended[id], "its program has ended")
		} else if c.State == breakpoint.Bound {
			c.State, c.WasBound = breakpoint.Pending, true
			if s.held.CallsFork { // it may have ended before anyone could see a child
				c.Elsewhere = cmp.Or(c.Elsewhere, forkedText(s.profile.Name, nil))
			}
		} else if c.State == breakpoint.Pending && bp != nil && bp.Spec.Kind == breakpoint.Function {
			s.judgeFunction(bp.Spec, &c)
			c.Message = cmp.Or(c.Message, "no function of this name was found before the end")
		}
		next[id] = &c
	}
	s.held.Bindings = next
}

// endError returns the error for calls that are still open.
func (s *Session) endError(e *ending) error {
	if e.reason == EndBackendExited {
		return fault.Errorf(fault.BackendExited, "%s", e.text).With("sessionId", s.id)
	}
	return fault.Errorf(fault.NoSession, "the session ended (%s)", e.reason).With("sessionId", s.id)
}

// over returns how the session ended, for a call that needs a live one.
func (s *Session) over() *fault.Error {
	snap := s.Snapshot()
	how := string(snap.EndReason)
	if snap.ExitCode != nil {
		how = fmt.Sprintf("%s with code %d", how, *snap.ExitCode)
	}
	if snap.Signal != "" {
		how = "ended by " + snap.Signal
	}
	if snap.EndReason == EndUnhandled {
		how = "ended by an unhandled exception"
	}
	if how == "" {
		how = "ended"
	}
	if (snap.EndReason == EndExited || snap.EndReason == EndSignal) && snap.EndText != "" {
		how += ": " + snap.EndText
	}
	e := fault.Errorf(fault.NoSession, "session %s is over (%s); start another with debug_launch or debug_attach", s.id,
		how)
	e.With("sessionId", s.id).With("endReason", snap.EndReason)
	if snap.ExitCode != nil {
		e.With("exitCode", *snap.ExitCode)
	}
	if snap.Signal != "" {
		e.With("signal", snap.Signal)
	}
	return e
}

// died returns the error for a call that was open when the session ended.
func (s *Session) died() *fault.Error {
	snap := s.Snapshot()
	if snap.EndReason == EndBackendExited {
		return fault.Errorf(fault.BackendExited, "%s; start again with debug_launch or debug_attach", snap.EndText).
			With("sessionId", s.id).With("endReason", snap.EndReason)
	}
	return s.over()
}
