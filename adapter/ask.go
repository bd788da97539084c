package adapter

import (
	"errors"
	"slices"
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

// timedOut reports whether its time was over before an answer came.
func (r reply) timedOut() bool { return r.err != nil && errors.Is(r.err, dapclient.ErrDeadline) }

// question is one request to the debugger.
type question struct {
	command string
	args    any
}

// limits of what is asked. Each restarts with every answer: adapters answer in order, so the first
// open question is the one that takes the time.
type limits struct {
	total time.Duration
	each  time.Duration // 0: no limit but total
}

// asked are questions that were sent in one write. It is owned by the loop.
type asked struct {
	s       *Session
	replies []reply
	open    int // questions without a reply
	done    []bool
	timer   *time.Timer
	end     time.Time
	due     time.Time // when the first open question has had its time
	limits  limits
	late    map[int]*lateEvaluation // evaluations that have outlived their time, by question
	outrun  map[int]bool            // questions that were answered after their time, while others were open
}

// send sends questions in one write. It does not wait: the replies are complete when none is open, because all have
// come or their time is over. Of a session that ends they may never be.
func (s *Session) send(l limits, questions ...question) *asked {
	a := &asked{
		s: s, replies: make([]reply, len(questions)), done: make([]bool, len(questions)), open: len(questions), limits: l,
	}
	if len(questions) == 0 {
		return a
	}
	reqs := make([]dapclient.Request, len(questions))
	for i, q := range questions {
		reqs[i] = dapclient.Request{Command: q.command, Args: q.args, Done: func(m *dapclient.Message, err error) {
			s.inbox.Push(input{asked: a, index: i, reply: reply{m: m, err: err}})
		}}
	}
	if _, err := s.debugger.conn.Send(reqs...); err != nil {
		s.post(func() { a.fail(err) }) // not at once: the message that the connection has ended is on its way
		return a
	}
	a.end = time.Now().Add(l.total)
	a.arm()
	return a
}

// fail ends what could not be sent.
func (a *asked) fail(err error) {
	for i := range a.replies {
		a.replies[i].err = err
	}
	a.open = 0
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

// answer takes one reply, on the loop.
func (a *asked) answer(i int, r reply) {
	if a.done[i] {
		a.answerLate(i, r)
		return
	}
	if r.err == nil {
		r.err = r.m.Err()
	}
	a.done[i] = true
	a.replies[i] = r
	a.open--
	a.advance()
}

// answerLate takes the reply to a question whose time is over.
func (a *asked) answerLate(i int, r reply) {
	if late := a.late[i]; late != nil {
		late.answered(a.s, r.m)
	} else if a.open > 0 {
		if a.outrun == nil {
			a.outrun = map[int]bool{}
		}
		a.outrun[i] = true
	}
}

// advance gives the next question its time.
func (a *asked) advance() {
	switch {
	case a.open == 0:
		a.timer.Stop()
	case a.limits.each > 0:
		a.arm()
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

// hasTimedOut reports whether the time of a question was over before its answer came.
func (a *asked) hasTimedOut() bool {
	return slices.ContainsFunc(a.replies, reply.timedOut)
}
