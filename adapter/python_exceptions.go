package adapter

import (
	"strconv"
	"strings"

	"github.com/google/go-dap"
)

// pythonThrown asks for all that debugpy does not tell of an exception: which object it is, how many frames lie between the stopped one and the one that
// raised it, and the full names of its type and base types. debugpy leaves it in the stopped frame under this name.
const pythonThrown = `(lambda e: '%d %d %s' % (id(e[1]), len(list(__import__('traceback').walk_tb(e[2]))), ` +
	`','.join(c.__module__ + '.' + c.__qualname__ for c in e[0].__mro__)))(__exception__)`

// raised is an exception of Python on its way.
type raised struct {
	object string
	frames int // from the stopped one to the one that raised it
}

// askPython completes an exception of Python. debugpy stops at the line that raises and again in each frame that it comes through; those are no
// exceptions of their own.
func (s *Session) askPython(v *service, e *ExceptionStop) {
	a := s.ask(limits{total: testTimeout}, func(replies []reply) {
		if s.service != v {
			return
		}
		body, err := evaluated(replies[0])
		object, rest, _ := strings.Cut(strings.Trim(body.Result, `'"`), " ")
		count, names, _ := strings.Cut(rest, " ")
		frames, bad := strconv.Atoi(count)
		if err != nil || bad != nil || names == "" {
			s.sift(v, e, nil)
			return
		}
		bases := strings.Split(names, ",")
		e.fullName = bases[0]
		last, thread := s.raised[v.thread()], v.thread()
		if e.IsFirstChance {
			if s.raised == nil {
				s.raised = map[int]raised{}
			}
			s.raised[thread] = raised{object, frames}
			e.passing = last.object == object && frames > last.frames
		}
		s.sift(v, e, bases)
	}, s.evaluation(pythonThrown, s.frameOfService(v)))
	s.watchLate(a, func(int) (string, *dap.StackFrame) { return "", s.frameOfService(v) })
}
