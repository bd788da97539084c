package adapter

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"
)

// A turn is work on the session's goroutine that has to wait: for answers of the debugger, for a state, for time to
// pass. Its text is straight, from top to bottom. It is a coroutine: the loop resumes it when what it waits for is
// here, and it runs until it waits again or returns. Only one of a session's turns runs at any moment, so the session
// has one owner and no lock.
//
// After each wait the turn must look at the state again: other turns and events have run meanwhile. A wait that reports
// false says that the turn is dropped: it has to return at once.
type turn struct {
	s       *Session
	resume  func() (struct{}, bool)
	yield   func(struct{}) bool
	dropped bool

	// What it waits for. The first that is there resumes it.
	answers   *asked      // all of them
	condition func() bool // looked at after each message to the loop
	timeUp    bool
	waits     int // counts the waits, so that a timer of an earlier one is told apart
}

// errDropped is what a turn returns that ends because the session does. Nobody is told of it: who waits is released by
// the end.
var errDropped = errors.New("the session ended")

// turns are those of a session that have not returned, oldest first.
type turns struct {
	list    []*turn
	running *turn
}

// begin makes a turn of work. The loop runs it after what it does now.
func (s *Session) begin(work func(t *turn)) *turn {
	t := &turn{s: s}
	t.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		if t.yield = yield; !t.dropped {
			work(t)
		}
	})
	t.timeUp = true // it waits for nothing
	s.turns.list = append(s.turns.list, t)
	return t
}

// runTurns resumes all turns that have what they wait for, until none has. Only the loop calls it, after each of its
// messages.
func (s *Session) runTurns() {
	for again := len(s.turns.list) > 0; again; {
		again = false
		for i := 0; i < len(s.turns.list); i++ {
			t := s.turns.list[i]
			if !t.due() {
				continue
			}
			again = true
			if s.turns.running != nil {
				panic("a turn of the session resumes another one")
			}
			s.turns.running = t
			_, more := t.resume()
			s.turns.running = nil
			if !more {
				s.turns.list = slices.Delete(s.turns.list, i, i+1)
				i--
			}
		}
	}
}

// dropTurns ends all turns: the session is over.
func (s *Session) dropTurns() {
	for _, t := range s.turns.list {
		t.dropped = true
	}
	s.runTurns()
}

func (t *turn) due() bool {
	switch {
	case t.dropped || t.timeUp:
		return true
	case t.answers != nil && t.answers.open == 0:
		return true
	}
	return t.condition != nil && t.condition()
}

// park gives the loop back until one of the things that t waits for is here. It reports false when the turn is dropped.
func (t *turn) park() bool {
	if !t.dropped {
		t.timeUp = false
		t.waits++
		t.yield(struct{}{})
	}
	t.answers, t.condition = nil, nil
	return !t.dropped
}

// ask sends questions in one write and waits for the replies, in the order of the questions, or until their time is
// over.
func (t *turn) ask(l limits, questions ...question) (replies []reply, ok bool) {
	return t.wait(t.s.send(l, questions...))
}

// wait waits for the replies to what was sent.
func (t *turn) wait(a *asked) (replies []reply, ok bool) {
	for a.open > 0 {
		t.answers = a
		if !t.park() {
			return nil, false
		}
	}
	return a.replies, !t.dropped
}

// until waits for a state.
func (t *turn) until(holds func() bool) bool {
	for !t.dropped && !holds() {
		t.condition = holds
		t.park()
	}
	return !t.dropped
}

// untilOr waits for a state, but not longer than d.
func (t *turn) untilOr(d time.Duration, holds func() bool) bool {
	if t.dropped || holds() {
		return !t.dropped
	}
	number := t.waits + 1
	timer := t.s.after(d, func() { t.timeUp = t.timeUp || t.waits == number })
	defer timer.Stop()
	t.condition = holds
	return t.park()
}

// sleep lets time pass.
func (t *turn) sleep(d time.Duration) bool {
	return t.untilOr(d, func() bool { return false })
}

// outside runs f on a goroutine of its own and waits for its end. f must not touch what the loop owns.
func (t *turn) outside(f func()) bool {
	over := false
	go func() {
		f()
		t.s.post(func() { over = true })
	}()
	return t.until(func() bool { return over })
}

// together runs works as turns of their own and waits until all have returned.
func (t *turn) together(works ...func(*turn)) bool {
	open := len(works)
	for _, work := range works {
		t.s.begin(func(t *turn) {
			work(t)
			open--
		})
	}
	return t.until(func() bool { return open == 0 })
}

// inTurn runs f as a turn and returns its result. It gives up with ctx; the turn then goes on and its result is
// dropped.
func inTurn[T any](ctx context.Context, s *Session, f func(t *turn) (T, error)) (T, error) {
	return onLoop(ctx, s, func(done func(T, error)) {
		s.begin(func(t *turn) {
			if v, err := f(t); !errors.Is(err, errDropped) {
				done(v, err)
			}
		})
	})
}
