package adapter

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"breakwire/dapclient"
)

// An answer at the deadline of one question leaves the next question its full time.
func TestAnswerAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Session{inbox: dapclient.NewQueue[input]()}
		work := func() {
			for _, in := range s.inbox.Take(nil) {
				s.take(&in)
			}
		}
		sent := func(questions int) *asked {
			a := &asked{
				s: s, replies: make([]reply, questions), done: make([]bool, questions), open: questions,
				limits: limits{total: time.Minute, each: time.Second},
			}
			a.start()
			return a
		}
		a := sent(2)
		answer := func(i int) { a.answer(i, reply{m: &dapclient.Message{Success: true}}) }
		time.Sleep(time.Second)
		synctest.Wait()
		answer(0) // the answer arrived before the timer's message
		work()
		time.Sleep(time.Second / 2)
		answer(1)
		work()
		assert.Zero(t, a.open)
		assert.False(t, a.hasTimedOut())

		// A question whose time is over is given up.
		a = sent(1)
		time.Sleep(time.Second)
		synctest.Wait()
		work()
		assert.Zero(t, a.open)
		assert.True(t, a.hasTimedOut())
	})
}
