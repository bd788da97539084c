package adapter

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
)

// loopOf returns a session without a debugger, and a function that handles the messages to its loop.
func loopOf() (s *Session, work func()) {
	s = &Session{inbox: dapclient.NewQueue[input](), life: life{ended: make(chan struct{})}}
	return s, func() {
		for _, in := range s.inbox.Take(nil) {
			s.take(&in)
		}
		s.runTurns()
	}
}

func TestTurnWaitsForAState(t *testing.T) {
	s, work := loopOf()
	open, order := false, []string{}
	s.begin(func(t *turn) {
		order = append(order, "begins")
		if t.until(func() bool { return open }) {
			order = append(order, "goes on")
		}
	})
	assert.Empty(t, order, "a turn begins behind what the loop does now")
	work()
	order = append(order, "loop")
	work()
	open = true
	work()
	assert.Equal(t, []string{"begins", "loop", "goes on"}, order)
	assert.Empty(t, s.turns.list)
}

func TestTurnsSeeEachOther(t *testing.T) {
	s, work := loopOf()
	var a, b bool
	s.begin(func(t *turn) {
		t.until(func() bool { return b })
		a = true
	})
	s.begin(func(t *turn) {
		b = true
		t.until(func() bool { return a })
	})
	work()
	assert.True(t, a)
	assert.Empty(t, s.turns.list, "what one does is what the other waits for")
}

func TestTurnsTogether(t *testing.T) {
	s, work := loopOf()
	gates, over := [2]bool{}, false
	s.begin(func(t *turn) {
		over = t.together(
			func(t *turn) { t.until(func() bool { return gates[0] }) },
			func(t *turn) { t.until(func() bool { return gates[1] }) },
		)
	})
	work()
	gates[1] = true
	work()
	assert.False(t, over)
	gates[0] = true
	work()
	assert.True(t, over)
}

// A dropped turn returns, and its further waits do not wait. A turn that has not begun never runs.
func TestDroppedTurn(t *testing.T) {
	s, work := loopOf()
	deferred, waits := false, 0
	s.begin(func(t *turn) {
		defer func() { deferred = true }()
		for range 3 {
			if !t.until(func() bool { return false }) && !t.sleep(time.Hour) {
				waits++
			}
		}
	})
	work()
	s.begin(func(*turn) { t.Error("it has not begun") })
	s.dropTurns()
	assert.True(t, deferred)
	assert.Equal(t, 3, waits)
	assert.Empty(t, s.turns.list)
}

func TestTurnMayNotResumeAnother(t *testing.T) {
	s, work := loopOf()
	s.begin(func(*turn) {
		s.begin(func(*turn) {})
		s.runTurns()
	})
	require.PanicsWithValue(t, "a turn of the session resumes another one", work)
}

func TestTurnAndTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, work := loopOf()
		var slept, waited, state time.Duration
		began, open := time.Now(), false
		s.begin(func(t *turn) {
			t.sleep(time.Second)
			slept = time.Since(began)
			t.untilOr(time.Minute, func() bool { return open })
			state = time.Since(began)
			t.untilOr(time.Minute, func() bool { return false }) // the timer of the previous wait must not end it
			waited = time.Since(began)
		})
		work()
		for i := range 200 {
			time.Sleep(time.Second / 2)
			synctest.Wait()
			open = open || i == 9
			work()
		}
		assert.Equal(t, time.Second, slept)
		assert.Equal(t, 5*time.Second, state)
		assert.Equal(t, 65*time.Second, waited)
	})
}

func TestTurnOutside(t *testing.T) {
	s, work := loopOf()
	gate, got := make(chan int, 1), 0
	s.begin(func(t *turn) {
		value := 0
		if t.outside(func() { value = <-gate }) {
			got = value
		}
	})
	work()
	gate <- 7
	<-s.inbox.Ready()
	work()
	assert.Equal(t, 7, got)
}

// A turn allocates nothing for a wait.
func TestTurnAllocations(t *testing.T) {
	s, work := loopOf()
	n, seen := 0, 0
	s.begin(func(t *turn) {
		more := func() bool { return n > seen }
		for t.until(more) {
			seen = n
		}
	})
	work()
	allocs := testing.AllocsPerRun(100, func() {
		n++
		s.runTurns()
	})
	assert.Zero(t, allocs)
	s.dropTurns()
}
