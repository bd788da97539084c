package adapter

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"breakwire/dapclient"
)

// A goroutine needs a P of the Go runtime to run, and keeps it while it is at a breakpoint. When the goroutine that a
// stop names has a P and no other P has a goroutine, no other goroutine can be at a breakpoint. The session finds that
// out with one short evaluation, where a sweep lists all goroutines.
//
// A P has no goroutine in two cases. It is idle, which runtime.sched.npidle counts from after it was given up until
// before it is taken; a P that collects garbage, waits for a system call or looks for work counts as busy. Or its
// thread (p.m) has no goroutine (m.curg), because it looks for work. A P with a goroutine is in neither case.
//
// Some code needs no P: C, the runtime and system calls. With breakpoints there, the session sweeps.

// scheduler is what is known of a Go program's runtime.
type scheduler struct {
	test   string // expression that is true when the stopped goroutine is the only one that runs; "" while unknown
	asking bool
	tries  int // number of attempts to learn test
	stops  int // number of sweeps before test was known
	noes   int // consecutive answers that other goroutines may run
	rest   int // number of stops to sweep without the question
}

const (
	learnAfter   = 3  // sweeps, when the user's reads never pause before
	learnTries   = 3  // then the runtime is not one that we know
	searchedPs   = 16 // with more Ps, only idle ones are counted
	noesInVain   = 3  // after so many answers in vain, the question is left out
	restAfterNos = 16 // for so many stops
)

// aloneQuestion returns the question whether the stopped goroutine is the only one that runs. It returns false when the
// question is of no use.
func (s *Session) aloneQuestion(e *dapclient.Stopped, sweep bool) (question, bool) {
	c := &s.scheduler
	if !sweep || c.test == "" || e.ThreadID == nil || !s.needsP() {
		return question{}, false
	}
	if c.rest > 0 {
		c.rest--
		return question{}, false
	}
	return s.evaluation(c.test, nil), true
}

// isAlone reads the answer and counts answers in vain.
func (s *Session) isAlone(r reply) bool {
	c := &s.scheduler
	if r.err == nil && dapclient.DecodeEvaluation(r.m).Result == "true" {
		c.noes = 0
		return true
	}
	if c.noes++; c.noes >= noesInVain {
		c.rest = restAfterNos
	}
	return false
}

// askAlone sends the question; nil when it is of no use.
func (s *Session) askAlone(e *dapclient.Stopped) *asked {
	q, ok := s.aloneQuestion(e, true)
	if !ok {
		return nil
	}
	return s.send(limits{total: valueEach}, q)
}

// needsP reports whether all breakpoints are in code that only runs with a P.
func (s *Session) needsP() bool {
	if s.held.Busy() || s.origin.launch != nil && s.origin.launch.Extra["followExec"] == true {
		return false
	}
	for _, e := range s.held.Entries() {
		if e.Function != "" || !inGoProgram(e.File) || e.Source != "" && !inGoProgram(e.Source) {
			return false
		}
	}
	return true
}

var withoutP = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[/\\](runtime|syscall)[/\\]`)
})

func inGoProgram(file string) bool {
	return strings.HasSuffix(file, ".go") && !withoutP().MatchString(file)
}

// The expressions that aloneTest is made of. Delve takes as long to find a runtime variable by name as to list the
// threads, so the session asks once for the addresses.
var schedulerFacts = []string{
	"runtime.gomaxprocs",
	"uintptr(&runtime.gomaxprocs)",
	"uintptr(&runtime.sched.npidle.value)",
	"uintptr(&runtime.allp)",
	"uintptr(&runtime.m0.curg) - uintptr(&runtime.m0)",
}

// learnScheduler asks for what aloneTest needs: when the user's reads pause (quiet), or after learnAfter sweeps. The
// program is stopped. Delve answers in order, so all answers come before the next resume.
func (s *Session) learnScheduler(quiet bool) {
	c := &s.scheduler
	if !s.profile.GoScheduler || !s.profile.SweepStops || c.test != "" || c.asking || c.tries >= learnTries ||
		!s.held.CanHit() || !s.needsP() {
		return
	}
	if c.stops++; c.stops < learnAfter && !quiet {
		return
	}
	c.tries++
	c.asking = true
	questions := make([]question, len(schedulerFacts))
	for i, x := range schedulerFacts {
		questions[i] = s.evaluation(x, nil)
	}
	a := s.send(limits{total: lookTimeout}, questions...)
	s.begin(func(t *turn) {
		replies, ok := t.wait(a)
		if !ok {
			return
		}
		c.asking = false
		facts := make([]uint64, len(replies))
		for i, r := range replies {
			var ok bool
			if facts[i], ok = factOf(r); !ok {
				s.log.Debug("the scheduler is not known", "expression", schedulerFacts[i], "error", r.err)
				return
			}
		}
		c.test = aloneTest(facts[0], facts[1], facts[2], facts[3], facts[4])
	})
}

// factOf reads a number as Delve writes it: 2, or 5984192 = 0x5b4fc0 for an address.
func factOf(r reply) (uint64, bool) {
	if r.err != nil {
		return 0, false
	}
	text, _, _ := strings.Cut(dapclient.DecodeEvaluation(r.m).Result, " ")
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil && n > 0
}

// aloneTest returns the expression that is true when the current goroutine has a P and no other P has a goroutine.
func aloneTest(count, maxProcs, idle, all, curg uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "runtime.curg.m.p != 0 && (*(*int32)(%d) - *(*int32)(%d) == 1", maxProcs, idle)
	if count <= searchedPs {
		fmt.Fprintf(&b, " || (*(*int32)(%d) <= %d", maxProcs, count)
		for i := range count {
			p := fmt.Sprintf(`(*(*"[]*runtime.p")(%d))[%d]`, all, i)
			fmt.Fprintf(&b, " && (%s.m == 0 || *(*uintptr)(uintptr(%s.m) + %d) == 0 || uintptr(%s) == "+
				"uintptr(runtime.curg.m.p))", p, p, curg, p)
		}
		b.WriteString(")")
	}
	b.WriteString(")")
	return b.String()
}
