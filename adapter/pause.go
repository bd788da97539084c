package adapter

import (
	"context"
	"errors"
	"time"

	"breakwire/adapter/fault"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

const pauseTimeout = 10 * time.Second

// pauseWish is a call of debug_pause that waits for a stop.
type pauseWish struct {
	over bool
	stop *Stop
	err  error
}

// Pause stops the program and returns the stop; already is true when it was paused before. Errors: Timeout after
// pauseTimeout, SessionStarting, NoSession.
func (s *Session) Pause(ctx context.Context) (stop *Stop, already bool, err error) {
	type result struct {
		stop    *Stop
		already bool
	}
	ctx, cancel := context.WithTimeoutCause(ctx, pauseTimeout,
		fault.Errorf(fault.Timeout, "the debugger did not stop the program within %v; it may be blocked in native code "+
			"(debug_state tells when it stops), or the debugger hangs: debug_restart begins again", pauseTimeout))
	defer cancel()
	r, err := inTurn(ctx, s, func(t *turn) (result, error) {
		if !t.until(func() bool { return s.resumes.going == nil }) { // an open resume has to be answered first
			return result{}, errDropped
		}
		switch s.public.state {
		case Paused:
			return result{s.stops.shown, true}, nil
		case Running:
		default:
			return result{}, s.notPaused()
		}
		wish := &pauseWish{}
		s.stops.pausing = append(s.stops.pausing, wish)
		if len(s.stops.pausing) == 1 {
			s.begin(s.requestPause)
		}
		if !t.until(func() bool { return wish.over || ctx.Err() != nil }) || !wish.over {
			return result{}, errDropped // a caller that has gone receives nothing
		}
		return result{wish.stop, false}, wish.err
	})
	var failed *fault.Error
	if errors.As(err, &failed) && failed.Code == fault.Timeout {
		if gone := s.goneError("the program did not stop"); gone != nil {
			err = gone
		}
	}
	return r.stop, r.already, err
}

// requestPause asks the debugger to stop the program. A stop that is already pending becomes the pause.
func (s *Session) requestPause(t *turn) {
	unwanted := func() bool { return len(s.stops.pausing) == 0 || s.public.state != Running }
	thread := 0
	for {
		if unwanted() || s.stops.pending != nil {
			return
		}
		replies, ok := t.ask(limits{total: lookTimeout}, question{command: "threads"})
		if !ok || unwanted() {
			return
		}
		if replies[0].err == nil {
			thread, _ = s.currentThread(s.threadsOf(replies[0]))
		}
		if thread == 0 && len(s.public.threads) > 0 {
			thread = s.public.threads[0].ID
		}
		if thread != 0 || !s.profile.PauseNeedsThread {
			break
		}
		// The runtime is just starting: its first thread has not been reported yet.
		if !t.sleep(retryPause) {
			return
		}
	}
	replies, ok := t.ask(limits{total: pauseTimeout}, question{"pause", dap.PauseArguments{ThreadId: thread}})
	if !ok {
		return
	}
	err := replies[0].err
	if err == nil || errors.Is(err, dapclient.ErrClosed) || unwanted() || s.stops.pending != nil {
		return
	}
	// Most likely the program has just stopped or ended by itself, and the event is on its way.
	if t.sleep(lastWords) && !unwanted() && s.stops.pending == nil {
		s.endPausing(nil, backendError(err, "the program could not be paused", s))
	}
}

// endPausing answers all calls that wait for a pause.
func (s *Session) endPausing(stop *Stop, err error) {
	for _, wish := range s.stops.pausing {
		wish.over, wish.stop, wish.err = true, stop, err
	}
	s.stops.pausing = nil
}
