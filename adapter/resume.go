package adapter

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/dapclient"
)

// readGrace is how long a resume waits for open reads of the current stop.
const readGrace = 500 * time.Millisecond

// resumes is the state of the session's resumes.
type resumes struct {
	sent   int         // number of resumes sent
	told   int         // number of the last one that the debugger has confirmed with an event
	going  *resumption // a resume of the user that is not answered yet
	silent silentResume

	refused int // resumes of the user that failed since the last one that worked
}

// resumption is a resume of the user whose result is not known yet.
type resumption struct {
	waits     bool // the reads are over; it waits only for the late sweep
	written   bool // sent; stops that come before this belong to the stop that it ends
	confirmed bool
}

// silentResume is a resume after a stop that was not shown, whose answer is not known yet.
type silentResume struct {
	asked  *asked // nil: none is open
	number int
	thread int
}

func (r *silentResume) answered() bool { return r.asked != nil && r.asked.open == 0 }

// AnyStop is the seq for callers that may leave any stop.
const AnyStop = math.MaxUint64

// UnseenStop is the error of a resume whose caller does not know the current stop yet. Nothing was resumed.
type UnseenStop struct{ Stop *Stop }

func (e *UnseenStop) Error() string {
	return "the program has stopped, which the caller has not been told"
}

// seen returns an error when the program is at a stop after seq.
func (s *Session) seen(seq uint64) error {
	if s.public.state == Paused && s.stops.shown.Seq > seq {
		return &UnseenStop{s.stops.shown}
	}
	return nil
}

// Continue resumes the program and returns when the debugger has resumed it. It does nothing when the program already
// runs. thread 0 is the thread of the current stop. Errors: UnseenStop at a stop after known, NotPaused while a step
// begins, SessionStarting, NoSession.
func (s *Session) Continue(ctx context.Context, thread int, known uint64) error {
	_, err := inTurn(ctx, s, func(t *turn) (struct{}, error) {
		if err := s.mayResume(t, thread); err != nil {
			return struct{}{}, err
		}
		if err := s.seen(known); err != nil {
			return struct{}{}, err
		}
		switch {
		case s.public.state == Running:
			return struct{}{}, nil
		case s.public.state != Paused, s.steps.run != nil:
			return struct{}{}, s.notPaused()
		case s.resumes.going != nil:
			return struct{}{}, nil // another call has just asked for the same
		}
		if thread == 0 {
			thread = s.stops.shown.ThreadID
		}
		return struct{}{}, s.leave(t, "continue", dapclient.ContinueArguments{ThreadID: thread})
	})
	return err
}

// AwaitEvaluation waits, at most for the given time, until the debugger no longer evaluates what has run out of time.
// Before that it would not resume the program. It returns the time that is left, and BackendBusy when there is none.
func (s *Session) AwaitEvaluation(ctx context.Context, timeout time.Duration) (left time.Duration, err error) {
	if s.busy() == nil || s.inspection.stuck.forever() || s.Snapshot().State != Paused {
		return timeout, nil // when it will never end, the resume is refused at once
	}
	until := time.Now().Add(timeout)
	return inTurn(ctx, s, func(t *turn) (time.Duration, error) {
		stuck := &s.inspection.stuck
		over := func() bool { return stuck.first() == nil || stuck.forever() || s.public.state != Paused }
		if !t.untilOr(timeout, over) {
			return 0, errDropped
		}
		if busy := s.busy(); busy != nil && !over() {
			return 0, busy
		}
		return max(time.Until(until), 0), nil
	})
}

// mayResume returns an error when a resume of this thread cannot be carried out now: there is no such thread, or the
// debugger still evaluates and would resume the program much later. It waits for a call that has not run out of time.
func (s *Session) mayResume(t *turn, thread int) error {
	if err := s.needsLife("running it"); err != nil {
		return err
	}
	calls := func() bool { return s.stops.call != nil && !s.stops.call.interrupted && s.busy() == nil }
	if !t.until(func() bool { return !calls() }) {
		return errDropped
	}
	if busy := s.busy(); busy != nil && s.public.state == Paused {
		busy.Message = "the program was not resumed: " + busy.Message
		return busy
	}
	return s.checkThread(t, thread)
}

// leave ends the current stop with a command of the user. It closes the epoch, gives open reads up to readGrace, and
// sends the command. It returns when the program runs: by the answer, or by an event that shows it. A command
// without an answer in time is an error, but it stays under way, because the debugger may carry it out later.
func (s *Session) leave(t *turn, command string, args any) error {
	going := &resumption{}
	s.resumes.sent++
	s.resumes.going = going
	s.inspection.reads.close(func() { s.post(func() { going.waits = true }) })
	if !t.untilOr(readGrace, func() bool { return going.waits || s.resumes.going != going }) {
		return errDropped
	}
	if !going.waits && s.resumes.going == going {
		s.inspection.reads.abort(fault.Errorf(fault.Cancelled, "the program was resumed before the debugger had answered"))
		going.waits = true
	}
	if !t.until(func() bool { return s.stops.pending == nil || s.resumes.going != going }) || s.resumes.going != going {
		return errDropped
	}
	going.written = true
	a := s.send(limits{total: resumeTimeout, stay: true}, question{command, args})
	if !t.until(func() bool { return a.open == 0 || a.overdue || s.resumes.going != going }) {
		return errDropped
	}
	if a.open > 0 && s.resumes.going == going {
		s.begin(func(t *turn) { _ = s.left(t, a, going) })
		return s.withAdvice(backendError(dapclient.ErrDeadline, "the program is not resumed yet", s))
	}
	return s.left(t, a, going)
}

// left waits for the answer to a command that leaves the current stop.
func (s *Session) left(t *turn, a *asked, going *resumption) error {
	if !t.until(func() bool { return a.open == 0 || s.resumes.going != going }) {
		return errDropped
	}
	if s.resumes.going != going {
		if going.confirmed {
			return nil
		}
		return errDropped
	}
	switch err := a.replies[0].err; {
	case errors.Is(err, dapclient.ErrClosed):
		t.until(func() bool { return false }) // the end of the session answers the caller
		return errDropped
	case err != nil:
		// The program has not moved: the same stop remains, in a new epoch.
		s.resumes.going = nil
		s.resumes.refused++
		if s.public.state == Paused {
			s.stops.epoch++
			s.inspection.reads.admit(s.life.ctx, s.stops.epoch)
		}
		return s.resumeError(err)
	}
	s.resumeConfirmed()
	return nil
}

// resumeError explains a refused resume. netcoredbg can only step in managed frames, not where a thread sleeps, waits
// or writes.
func (s *Session) resumeError(err error) error {
	e := s.withAdvice(backendError(err, "the program could not be resumed", s))
	if s.profile.Language != dapclient.DotNet || s.stops.shown == nil || !s.stops.shown.outside {
		return e
	}
	var failed *dapclient.ResponseError
	if !errors.As(err, &failed) || failed.Command == "continue" || !strings.Contains(failed.Reason(), "0x80004005") {
		return e
	}
	at := s.stops.shown.Location
	hint := fmt.Sprintf("debug_run_to a line behind %s:%d, or debug_continue to a breakpoint", at.File, at.Line)
	e.Code = fault.NotSupported
	e.Message = s.profile.Name + " cannot step from here: the thread stands in code of a library or of the runtime, " +
		"as it does when it sleeps, waits or writes; " + hint
	return e.With("feature", failed.Command).With("missingCapability", "steps from code without source").
		With("backend", s.profile.Name).With("hint", hint)
}

// withAdvice says what to do about a resume that the debugger refused or did not answer, and how often that has
// happened.
func (s *Session) withAdvice(e *fault.Error) *fault.Error {
	if e.Code != fault.Internal && e.Code != fault.Timeout {
		return e
	}
	if e.Code == fault.Timeout {
		e.Message += "; breakpoint_wait waits for what follows, debug_disconnect ends the session"
	} else {
		e.Message += "; the program is at the same stop: debug_restart begins again, debug_disconnect ends the session"
	}
	if s.resumes.refused > 1 {
		e.Message += fmt.Sprintf(" (failed %d times in a row)", s.resumes.refused)
	}
	return e.With("failures", s.resumes.refused)
}

// resumeConfirmed publishes a user's resume when the debugger has confirmed it or an event shows that it has happened.
func (s *Session) resumeConfirmed() {
	if s.resumes.going == nil || !s.resumes.going.written {
		return
	}
	s.resumes.going.confirmed = true
	s.resumes.going, s.resumes.refused = nil, 0
	if s.public.state == Paused {
		s.setRunning()
	}
}

// Passed returns the hits at a stop that no answer has named, once the stop has been left.
func (s *Session) Passed(stop *Stop) []FurtherHit {
	if left := s.Snapshot().left; left != nil && stop != nil && left.Seq == stop.Seq {
		return left.late
	}
	return nil
}

// setRunning publishes the state running.
func (s *Session) setRunning() {
	if len(s.public.threads) > 0 {
		list := slices.Clone(s.public.threads)
		for i := range list {
			list[i].State, list[i].Location, list[i].IsCurrent = "running", nil, false
		}
		s.public.threads = list
	}
	s.setState(Running)
}

// onContinued handles a continued event (DAP, Continued event): of our resume, or of one that somebody else requested.
func (s *Session) onContinued() {
	s.resumes.told = s.resumes.sent
	if s.resumes.going != nil {
		s.resumeConfirmed()
		return
	}
	if s.public.state == Paused && s.stops.pending == nil && s.steps.run == nil {
		s.inspection.reads.abort(fault.Errorf(fault.Cancelled, "the program was resumed"))
		s.setRunning()
	}
}

// resumeSilently resumes the program after a stop that was not shown.
func (s *Session) resumeSilently(thread int) {
	s.silently(question{"continue", dapclient.ContinueArguments{ThreadID: thread}}, thread)
}

// silently sends a resume that changes no public state. The turn of stops takes its answer, at the latest with the next
// stop.
func (s *Session) silently(q question, thread int) {
	s.resumes.sent++
	s.resumes.silent = silentResume{s.send(limits{total: resumeTimeout, stay: true}, q), s.resumes.sent, thread}
	s.startStops()
}

// silentOverdue tells that a silent resume has no answer in time, and so ends the waits. Only the debugger knows
// whether the program runs. netcoredbg can stay like that for ever when it evaluates while threads start and end.
func (s *Session) silentOverdue() {
	if s.closing() {
		return
	}
	why := ""
	if e := s.inspection.stuck.first(); e != nil {
		why = ": it still evaluates " + e.expression
	}
	s.problem("", fault.Errorf(fault.BackendBusy, "%s has not answered a resume for %v%s. The program stands still until "+
		"it does; if it never does, debug_restart begins again, debug_disconnect ends the session", s.profile.Name,
		resumeTimeout, why))
}

// takeRefusal turns a failed silent resume into a visible stop, because the program is still stopped.
func (s *Session) takeRefusal() {
	silent := s.resumes.silent
	s.resumes.silent.asked = nil
	err := silent.asked.replies[0].err
	if err == nil || errors.Is(err, dapclient.ErrClosed) {
		return
	}
	if s.resumes.sent != silent.number || s.public.state != Running || s.closing() {
		return
	}
	event := dapclient.Stopped{Reason: "pause"}
	if silent.thread != 0 {
		event.ThreadID = &silent.thread
	}
	s.stopped(&pendingStop{opening: round{events: []dapclient.Stopped{event}, phase: gathered},
		refused: inspect.Explained(err)})
}

// lookWhereRefused asks where the program is after a failed resume.
func (s *Session) lookWhereRefused(t *turn, v *pendingStop) bool {
	thread := v.thread()
	replies, ok := t.ask(limits{total: lookTimeout}, topFrames(thread, 1))
	if ok {
		v.threads = []*stoppedThread{{event: v.primary(), id: thread, frame: frameOf(replies[0])}}
	}
	return ok
}

// notPaused returns the error for a call that needs a paused program.
func (s *Session) notPaused() *fault.Error { return s.notPausedIn(s.public.state) }

func (s *Session) notPausedIn(state State) *fault.Error {
	switch state {
	case Starting:
		return fault.Errorf(fault.SessionStarting, "session %s is still starting; "+
			"wait for debug_launch or debug_attach to return", s.id).With("sessionId", s.id)
	case Running:
		return fault.Errorf(fault.NotPaused, "the program is running; use debug_pause, or breakpoint_wait for the next stop").
			With("sessionId", s.id)
	case Paused:
		return fault.Errorf(fault.NotPaused, "the program is being resumed; use breakpoint_wait for the next stop").
			With("sessionId", s.id)
	}
	return s.over()
}
