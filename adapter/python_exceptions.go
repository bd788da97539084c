package adapter

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/go-dap"
)

// pythonThrown evaluates to what debugpy does not report of an exception, separated by spaces: the id of the object,
// the number of frames from the stopped one to the one that raised it, the code id of the stopped frame, the code id of
// the %d-th frame from the end, and the full names of its type and base types. debugpy stores the exception in the
// stopped frame as __exception__.
const pythonThrown = `(lambda b, e, tb: '%%d %%d %%d %%d %%s' %% (b.id(e[1]), b.len(tb), b.id(tb[0][0].f_code), ` +
	`b.id(tb[-%d:][0][0].f_code), ` +
	`','.join(c.__module__ + '.' + c.__qualname__ for c in e[0].__mro__)))` +
	`(__import__('builtins'), __exception__, [*__import__('traceback').walk_tb(__exception__[2])])`

// raised is the exception that a Python thread stopped for last.
type raised struct {
	object string
	frames int    // number of frames from the stopped one to the one that raised it
	code   string // code id of the stopped frame
}

// askPython completes an exception of Python. debugpy stops at the line that raises, and again in each of the user's
// frames that the exception passes; the session reports only the first. An exception that passes has the same object id
// and contains the frame of the last stop; the id alone may belong to a new object.
func (s *Session) askPython(t *turn, v *pendingStop) bool {
	thread, e := v.thread(), v.thrown.exception
	last := s.exceptions.raised[thread]
	var frame *dap.StackFrame
	if named := v.named(); named != nil {
		frame = named.frame
	}
	a := s.send(limits{total: testTimeout}, s.evaluation(fmt.Sprintf(pythonThrown, last.frames), frame))
	replies, ok := t.wait(a)
	if !ok {
		return false
	}
	s.noteLate(a, func(int) lateEvaluation {
		return lateEvaluation{expression: "the type of the exception", thread: thread, frame: frame}
	})
	body, err := evaluated(replies[0])
	told := strings.SplitN(strings.Trim(body.Result, `'"`), " ", 5)
	if err != nil || len(told) < 5 {
		return true
	}
	frames, _ := strconv.Atoi(told[1])
	object, code, inner := told[0], told[2], told[3]
	v.thrown.bases = strings.Split(told[4], ",")
	e.fullName = v.thrown.bases[0]
	if e.IsFirstChance {
		if s.exceptions.raised == nil {
			s.exceptions.raised = map[int]raised{}
		}
		s.exceptions.raised[thread] = raised{object, frames, code}
		e.passing = last.object == object && frames > last.frames && inner == last.code
	}
	return true
}
