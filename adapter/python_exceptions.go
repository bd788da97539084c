package adapter

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/go-dap"
)

// pythonThrown asks for all that debugpy does not tell of an exception: which object it is, how many frames lie between
// the stopped one and the one that raised it, the code of the stopped one and of the one that was the %d-th from the
// end, and the full names of its type and base types. debugpy leaves it in the stopped frame under this name.
const pythonThrown = `(lambda b, e, tb: '%%d %%d %%d %%d %%s' %% (b.id(e[1]), b.len(tb), b.id(tb[0][0].f_code), ` +
	`b.id(tb[-%d:][0][0].f_code), ` +
	`','.join(c.__module__ + '.' + c.__qualname__ for c in e[0].__mro__)))` +
	`(__import__('builtins'), __exception__, [*__import__('traceback').walk_tb(__exception__[2])])`

// raised is an exception of Python on its way.
type raised struct {
	object string
	frames int    // from the stopped one to the one that raised it
	code   string // of the stopped one
}

// askPython completes an exception of Python. debugpy stops at the line that raises and again in each frame of the
// user's that it comes through; those are no exceptions of their own. One that comes through has the frame of the last
// stop in its way: another object may lie in its place by now.
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
	s.noteLate(a, func(int) (string, *dap.StackFrame) { return "", frame })
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
