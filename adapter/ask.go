package adapter

import (
	"errors"
	"slices"
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// reply is the answer to one question. m is nil when no answer came; err is also set when the debugger answered with
// success:false.
type reply struct {
	m     *dapclient.Message
	err   error
	value *dap.EvaluateResponseBody // set when the value came from other questions than the evaluation itself
}

func (r reply) evaluation() dap.EvaluateResponseBody {
	if r.value != nil {
		return *r.value
	}
	return dapclient.DecodeEvaluation(r.m)
}

// timedOut reports whether the time limit passed before an answer came.
func (r reply) timedOut() bool { return r.err != nil && errors.Is(r.err, dapclient.ErrDeadline) }

// question is one request to the debugger.
type question struct {
	command string
	args    any
}

// expression returns what a question evaluates, "" for other questions.
func (q question) expression() string {
	args, _ := q.args.(dapclient.EvaluateArguments)
	return args.Expression
}

// limits bound how long questions may take. each restarts with every answer: adapters answer in order, so the first
// open question is the one that takes the time.
type limits struct {
	total time.Duration
	each  time.Duration // 0: only total applies
	stay  bool          // the questions stay open when their time is over
}

// asked is a group of questions that were sent in one write. The loop owns it.
type asked struct {
	s       *Session
	replies []reply
	open    int // number of questions without a reply
	done    []bool
	timer   *time.Timer
	end     time.Time
	due     time.Time // when the time of the first open question is over
	limits  limits
	overdue bool                    // the time is over, and the questions stay open
	late    map[int]*lateEvaluation // evaluations whose time is over, by question index
	outrun  map[int]bool            // questions that were answered after their time, while others were open
}

// send sends questions in one write and does not wait. The replies are complete when open is 0: each question has an
// answer or its time is over. When the session ends, they may stay incomplete.
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
		s.post(func() { a.fail(err) }) // posted, because the message that the connection has ended is on its way
		return a
	}
	a.start()
	return a
}

// fail sets err as the reply to all questions, when they could not be sent.
func (a *asked) fail(err error) {
	for i := range a.replies {
		a.replies[i].err = err
	}
	a.open = 0
}

// start starts the time of all questions.
func (a *asked) start() {
	now := time.Now()
	a.end = now.Add(a.limits.total)
	a.restart(now)
	a.timer = a.s.after(a.due.Sub(now), a.expire)
}

// restart starts the time of the first open question.
func (a *asked) restart(now time.Time) {
	a.due = a.end
	if next := now.Add(a.limits.each); a.limits.each > 0 && next.Before(a.end) {
		a.due = next
	}
}

// answer takes one reply. It runs on the loop.
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
		a.s.lateAnswer(late, r.m)
	} else if a.open > 0 {
		if a.outrun == nil {
			a.outrun = map[int]bool{}
		}
		a.outrun[i] = true
	}
}

// advance starts the time of the next question. The timer stays: an answer costs no change of it.
func (a *asked) advance() {
	switch {
	case a.open == 0:
		a.timer.Stop()
	case a.limits.each > 0:
		a.restart(time.Now())
	}
}

// expire runs when the timer fires. The time of the first open question is over, or the total time, or an answer has
// started the time of the next question meanwhile.
func (a *asked) expire() {
	now := time.Now()
	switch {
	case a.open == 0:
		return
	case now.Before(a.due):
		a.timer.Reset(a.due.Sub(now))
		return
	case a.limits.stay:
		if a.overdue = true; a.s.resumes.silent.asked == a {
			a.s.silentOverdue()
		}
		return
	}
	all := !now.Before(a.end)
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
	if a.advance(); a.open > 0 {
		a.timer.Reset(a.due.Sub(now))
	}
}

// hasTimedOut reports whether any question had no answer in time.
func (a *asked) hasTimedOut() bool {
	return slices.ContainsFunc(a.replies, reply.timedOut)
}
