package adapter

import (
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// reply is the answer to one question: m is nil when none came; err is also set for success:false.
type reply struct {
	m     *dapclient.Message
	err   error
	value *dap.EvaluateResponseBody // of an evaluation that was answered in another way
}

func (r reply) evaluation() dap.EvaluateResponseBody {
	if r.value != nil {
		return *r.value
	}
	return dapclient.DecodeEvaluation(r.m)
}

// question is one request for ask.
type question struct {
	command string
	args    any
}

// limits of an ask. Each restarts with every answer: adapters answer in order, so the first
// open question is the one that takes the time.
type limits struct {
	total time.Duration
	each  time.Duration // 0: no limit but total
}

// asked is one ask under way. It is owned by the loop.
type asked struct {
	s       *Session
	replies []reply
	open    int
	done    []bool
	timer   *time.Timer
	end     time.Time
	due     time.Time // when the first open question has had its time
	limits  limits
	next    func([]reply)
	late    func(index int, r reply) // answers after their deadline
}

// nothingAsked is an ask without questions.
var nothingAsked = &asked{}

// ask sends questions in one write and calls next on the loop with the replies, in the order of the
// questions, when all have come or their time is over. It does not wait. next is called exactly once, but for a
// session that ends, where it may never be called: whoever waits outside is released by the end.
func (s *Session) ask(l limits, next func([]reply), questions ...question) *asked {
	if len(questions) == 0 {
		next(nil)
		return nothingAsked
	}
	a := &asked{
		s: s, replies: make([]reply, len(questions)), done: make([]bool, len(questions)),
		open: len(questions), limits: l, next: next,
	}
	reqs := make([]dapclient.Request, len(questions))
	for i, q := range questions {
		reqs[i] = dapclient.Request{Command: q.command, Args: q.args, Done: func(m *dapclient.Message, err error) {
			if err == nil {
				err = m.Err()
			}
			s.post(func() { a.answer(i, reply{m: m, err: err}) })
		}}
	}
	if _, err := s.conn.Send(reqs...); err != nil {
		for i := range a.replies {
			a.replies[i].err = err
		}
		a.open = 0
		// Not from here: the caller does not expect next before ask returns.
		s.post(func() { next(a.replies) })
		return a
	}
	a.end = time.Now().Add(l.total)
	a.arm()
	return a
}

func (a *asked) arm() {
	a.due = a.end
	if next := time.Now().Add(a.limits.each); a.limits.each > 0 && next.Before(a.end) {
		a.due = next
	}
	if a.timer == nil {
		a.timer = a.s.after(time.Until(a.due), a.expire)
		return
	}
	a.timer.Reset(time.Until(a.due))
}

func (a *asked) answer(i int, r reply) {
	if a.done[i] {
		if a.late != nil {
			a.late(i, r)
		}
		return
	}
	a.done[i] = true
	a.replies[i] = r
	a.open--
	a.advance()
}

// advance ends the ask or gives the next question its time.
func (a *asked) advance() {
	if a.open > 0 {
		if a.limits.each > 0 {
			a.arm()
		}
		return
	}
	a.timer.Stop()
	if next := a.next; next != nil {
		a.next = nil
		next(a.replies)
	}
}

// expire is the timer's: the first open question has had its time, or all have.
func (a *asked) expire() {
	if a.open == 0 || time.Now().Before(a.due) { // an answer came while this was on its way
		return
	}
	all := !time.Now().Before(a.end)
	for i := range a.done {
		if a.done[i] {
			continue
		}
		a.done[i] = true
		a.open--
		a.replies[i].err = dapclient.ErrDeadline
		if !all {
			break
		}
	}
	a.advance()
}
