package adapter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// readGrace is how long a resume waits for reads of the stop that it ends.
const readGrace = 500 * time.Millisecond

// resumption is a resume that has been written and whose fate is not yet known. It is visible when a user asked for it.
type resumption struct {
	number  int
	written bool // before that, a stop is still of the stop that it ends
	done    func(error)
}

// Continue resumes the program. It returns when the backend has resumed it; a program that is already running
// is left alone.
func (s *Session) Continue(ctx context.Context, thread int) error {
	_, err := onLoop(ctx, s, func(done func(struct{}, error)) {
		switch {
		case s.state == Running:
			done(struct{}{}, nil)
			return
		case s.state != Paused, s.step != nil:
			done(struct{}{}, s.notPaused())
			return
		case s.going != nil:
			done(struct{}{}, nil) // somebody else has just asked for the same
			return
		}
		if thread == 0 {
			thread = s.stop.ThreadID
		}
		s.leave("continue", dapclient.ContinueArguments{ThreadID: thread}, func(err error) { done(struct{}{}, err) })
	})
	return err
}

// leave ends the current stop with a command of the user: the epoch is closed, reads under way get a moment, then the
// command is written.
func (s *Session) leave(command string, args any, done func(error)) {
	s.resumed++
	going := &resumption{number: s.resumed, done: done}
	s.going = going
	var write func()
	write = func() {
		if going.written || s.going != going {
			return
		}
		if s.service != nil {
			s.afterSweep = append(s.afterSweep, write)
			s.service.hurry()
			return
		}
		going.written = true
		s.ask(limits{total: resumeTimeout}, func(replies []reply) { s.resumeAnswered(going, replies[0]) }, question{command, args})
	}
	timer := s.after(readGrace, func() {
		if !going.written && s.going == going {
			s.reads.abort(Errorf(Cancelled, "the program was resumed before the debugger had answered"))
			write()
		}
	})
	s.reads.close(func() {
		timer.Stop()
		s.post(write)
	})
}

// resumeAnswered takes the answer to a user's resume.
func (s *Session) resumeAnswered(going *resumption, r reply) {
	if s.going != going {
		return // an event has already told that the program went on
	}
	if errors.Is(r.err, dapclient.ErrClosed) {
		return // the end of the session tells the caller, and with what
	}
	if r.err != nil {
		// The program has not moved: the same stop stands, in a new epoch.
		s.going = nil
		if s.state == Paused {
			s.epoch++
			s.reads.admit(s.ctx, s.epoch)
		}
		going.done(s.resumeError(r.err))
		return
	}
	s.settleResume()
}

// resumeError explains a refused resume. netcoredbg steps in its own frames only: not where a thread sleeps, waits or writes.
func (s *Session) resumeError(err error) error {
	e := backendError(err, "the program could not be resumed", s)
	var failed *dapclient.ResponseError
	if s.profile.Language != dapclient.DotNet || s.stop == nil || !s.stop.outside || !errors.As(err, &failed) || failed.Command == "continue" || !strings.Contains(failed.Reason(), "0x80004005") {
		return e
	}
	e.Code = NotSupported
	e.Message = s.profile.Name + " cannot step from here: the thread stands in code of a library or of the runtime, as it does when it sleeps, waits or writes"
	hint := fmt.Sprintf("debug_run_to a line behind %s:%d, or debug_continue to a breakpoint", s.stop.Location.File, s.stop.Location.Line)
	e.Message += "; " + hint
	return e.With("feature", failed.Command).With("missingCapability", "steps from code without source").With("backend", s.profile.Name).With("hint", hint)
}

// settleResume makes a user's resume public, when the backend has confirmed it or an event shows that it has happened.
func (s *Session) settleResume() {
	going := s.going
	if going == nil || !going.written {
		return
	}
	s.going = nil
	if s.state == Paused {
		s.setRunning()
	}
	going.done(nil)
}

// setRunning makes running the public state.
func (s *Session) setRunning() {
	if len(s.threads) > 0 {
		list := slices.Clone(s.threads)
		for i := range list {
			list[i].State, list[i].Location, list[i].IsCurrent = "running", nil, false
		}
		s.threads = list
	}
	s.setState(Running)
}

// onContinued takes a continued event: ours, or a resume that somebody else asked for.
func (s *Session) onContinued() {
	s.goneOn = s.resumed
	if s.going != nil {
		s.settleResume()
		return
	}
	if s.state == Paused && s.service == nil && s.step == nil {
		s.reads.abort(Errorf(Cancelled, "the program was resumed"))
		s.setRunning()
	}
}

// resumeSilently lets the program go on after a stop that nobody was told of.
func (s *Session) resumeSilently(thread int) {
	s.silently(question{"continue", dapclient.ContinueArguments{ThreadID: thread}}, thread)
}

// silently writes a resume that must not show. When it fails the program stands, and that must be seen.
func (s *Session) silently(q question, thread int) {
	s.resumed++
	number := s.resumed
	s.ask(limits{total: resumeTimeout}, func(replies []reply) {
		if replies[0].err == nil || s.resumed != number || s.service != nil || s.state != Running || s.closing {
			return
		}
		v := &service{events: []dapclient.Stopped{{Reason: "pause"}}}
		if thread != 0 {
			v.events[0].ThreadID = &thread
		}
		s.service = v
		s.ask(limits{total: lookTimeout}, func(frames []reply) {
			if s.service != v {
				return
			}
			v.spots = []*spot{{event: v.primary(), thread: thread, frame: frameOf(frames[0])}}
			s.stopWith(v, StopResumeFailed, nil, explained(replies[0].err))
		}, s.topFrame(thread))
	}, q)
}

// Pause stops the program and returns the stop. A program that is paused already answers from what is known.
func (s *Session) Pause(ctx context.Context) (stop *Stop, already bool, err error) {
	type result struct {
		stop    *Stop
		already bool
	}
	ctx, cancel := context.WithTimeoutCause(ctx, pauseTimeout,
		Errorf(Timeout, "the debugger did not stop the program within %v; it may be blocked in native code. debug_state tells when it does", pauseTimeout))
	defer cancel()
	r, err := onLoop(ctx, s, func(done func(result, error)) {
		switch {
		case s.state == Paused && s.going == nil:
			done(result{s.stop, true}, nil)
			return
		case s.state != Running && s.state != Paused:
			done(result{}, s.notPaused())
			return
		}
		first := len(s.pausing) == 0
		s.pausing = append(s.pausing, func(stop *Stop, err error) { done(result{stop, false}, err) })
		if first {
			s.requestPause()
		}
	})
	var failed *Error
	if errors.As(err, &failed) && failed.Code == Timeout {
		if gone := s.goneError("the program did not stop"); gone != nil {
			err = gone
		}
	}
	return r.stop, r.already, err
}

const pauseTimeout = 10 * time.Second

// requestPause asks the backend to stop. A stop being served becomes the pause by itself.
func (s *Session) requestPause() {
	if s.service != nil {
		return
	}
	if s.going != nil {
		// The resume has to be through first.
		done := s.going.done
		s.going.done = func(err error) {
			done(err)
			if err == nil && len(s.pausing) > 0 && s.service == nil {
				s.requestPause()
			}
		}
		return
	}
	s.ask(limits{total: lookTimeout}, func(replies []reply) {
		if len(s.pausing) == 0 || s.state != Running {
			return
		}
		thread := 0
		if replies[0].err == nil {
			threads := s.threadsOf(replies[0])
			thread, _ = s.currentThread(threads)
		}
		if thread == 0 && len(s.threads) > 0 {
			thread = s.threads[0].ID
		}
		if thread == 0 && s.profile.PauseNeedsThread {
			// The runtime is only starting: its first thread has not been told yet.
			s.after(retryPause, func() {
				if len(s.pausing) > 0 && s.state == Running {
					s.requestPause()
				}
			})
			return
		}
		s.ask(limits{total: pauseTimeout}, func(replies []reply) {
			if replies[0].err == nil || errors.Is(replies[0].err, dapclient.ErrClosed) || len(s.pausing) == 0 || s.state != Running || s.service != nil {
				return
			}
			// Refused, most likely, since the program has just stopped or ended by itself, and the news of it is on its way.
			s.after(lastWords, func() {
				if s.state != Running || s.service != nil {
					return
				}
				pausing := s.pausing
				s.pausing = nil
				for _, f := range pausing {
					f(nil, backendError(replies[0].err, "the program could not be paused", s))
				}
			})
		}, question{"pause", dap.PauseArguments{ThreadId: thread}})
	}, question{command: "threads"})
}

// notPaused says why something that needs a paused program cannot be done now.
func (s *Session) notPaused() *Error { return s.notPausedIn(s.state) }

func (s *Session) notPausedIn(state State) *Error {
	switch state {
	case Starting:
		return Errorf(SessionStarting, "session %s is still starting; wait for debug_launch or debug_attach to return", s.id).With("sessionId", s.id)
	case Running:
		return Errorf(NotPaused, "the program is running; use debug_pause, or breakpoint_wait for the next stop").With("sessionId", s.id)
	case Paused:
		return Errorf(NotPaused, "the program is being resumed; use breakpoint_wait for the next stop").With("sessionId", s.id)
	}
	return s.over()
}
