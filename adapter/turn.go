package adapter

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"
)

// A turn is work on the session's goroutine that waits: for answers of the debugger, for a state, or for time to pass.
// It is a coroutine. The loop resumes it when what it waits for has come, and it runs until it waits again or returns.
// Only one turn of a session runs at any moment, so the session has one owner and needs no lock.
//
// After each wait a turn must read the state again, because other turns and events have run meanwhile. A wait that
// returns false says that the turn is dropped and must return at once.
type turn struct {
	s       *Session
	resume  func() (struct{}, bool)
	yield   func(struct{}) bool
	dropped bool

	// What the turn waits for. The first of these resumes it.
	answers   *asked      // all of them are answered
	condition func() bool // evaluated after each message to the loop
	timeUp    bool
	waits     int // counts the waits, so that the timer of an earlier wait has no effect
}

// errDropped is the result of a turn that was dropped. Nobody receives it: the end of the session answers the callers.
var errDropped = errors.New("the session ended")

// turns are the turns of a session that have not returned, oldest first.
type turns struct {
	list    []*turn
	running *turn
}

// begin starts work as a turn. The loop runs it after the current message.
func (s *Session) begin(work func(t *turn)) *turn {
	t := &turn{s: s}
	t.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		if t.yield = yield; !t.dropped {
			work(t)
		}
	})
	t.timeUp = true // due at once
	s.turns.list = append(s.turns.list, t)
	return t
}

// runTurns resumes turns until none is due. Only the loop calls it, after each message.
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

// dropTurns ends all turns when the session is over.
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

// park returns control to the loop until t is due. It reports false when the turn is dropped.
func (t *turn) park() bool {
	if !t.dropped {
		t.timeUp = false
		t.waits++
		t.yield(struct{}{})
	}
	t.answers, t.condition = nil, nil
	return !t.dropped
}

// ask sends questions in one write and waits for the replies, which are in the order of the questions. A question whose
// time is over has ErrDeadline as its reply.
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

// until waits until holds returns true.
func (t *turn) until(holds func() bool) bool {
	for !t.dropped && !holds() {
		t.condition = holds
		t.park()
	}
	return !t.dropped
}

// untilOr waits until holds returns true, but at most for d.
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

// sleep waits for d.
func (t *turn) sleep(d time.Duration) bool {
	return t.untilOr(d, func() bool { return false })
}

// outside runs f on its own goroutine and waits for it. f must not touch the loop's state.
func (t *turn) outside(f func()) bool {
	over := false
	go func() {
		f()
		t.s.post(func() { over = true })
	}()
	return t.until(func() bool { return over })
}

// together runs each of works as a turn and waits until all have returned.
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

// inTurn runs f as a turn and returns its result. When ctx ends first, inTurn returns; the turn goes on and its result
// is lost.
func inTurn[T any](ctx context.Context, s *Session, f func(t *turn) (T, error)) (T, error) {
	return onLoop(ctx, s, func(done func(T, error)) {
		s.begin(func(t *turn) {
			if v, err := f(t); !errors.Is(err, errDropped) {
				done(v, err)
			}
		})
	})
}
