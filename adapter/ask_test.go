package adapter

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"breakwire/dapclient"
)

// An answer that comes at the moment its time is over leaves the next question all of its own.
func TestAnswerAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Session{inbox: dapclient.NewQueue[input]()}
		work := func() {
			for _, in := range s.inbox.Take(nil) {
				in.do()
			}
		}
		var got []reply
		a := &asked{
			s: s, replies: make([]reply, 2), done: make([]bool, 2), open: 2,
			limits: limits{total: time.Minute, each: time.Second}, end: time.Now().Add(time.Minute),
			next: func(replies []reply) { got = replies },
		}
		a.arm()
		answer := func(i int) { a.answer(i, reply{m: &dapclient.Message{}}) }
		time.Sleep(time.Second)
		synctest.Wait()
		answer(0) // the reader was faster than the timer's message
		work()
		time.Sleep(time.Second / 2)
		answer(1)
		work()
		if assert.Len(t, got, 2) {
			assert.NoError(t, got[0].err)
			assert.NoError(t, got[1].err)
		}

		// And a question that has had its time is given up.
		got = nil
		a = &asked{
			s: s, replies: make([]reply, 1), done: make([]bool, 1), open: 1,
			limits: limits{total: time.Minute, each: time.Second}, end: time.Now().Add(time.Minute),
			next: func(replies []reply) { got = replies },
		}
		a.arm()
		time.Sleep(time.Second)
		synctest.Wait()
		work()
		if assert.Len(t, got, 1) {
			assert.True(t, errors.Is(got[0].err, dapclient.ErrDeadline))
		}
	})
}
