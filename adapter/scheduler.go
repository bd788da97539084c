package adapter

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"breakwire/dapclient"
)

// A goroutine needs a P of the Go runtime to run, and has it while it stands at a breakpoint. So when the goroutine
// that a stop names has one, and no other P has a goroutine, no other one can stand at a breakpoint, and nobody has to
// be asked for it. That is one short evaluation, where a sweep asks for all goroutines.
//
// Two things tell that a P has no goroutine. A P counts as idle (runtime.sched.npidle) from after it was given up until
// before it is taken; one that collects garbage, waits for a system call or looks for work counts as busy. And of
// those, one has no goroutine whose thread (p.m) has none (m.curg): it looks for work. Neither is ever said of a P with
// a goroutine.
//
// Not all code needs a P: C, the runtime, and the calls to the system. With breakpoints there, the session sweeps.

// scheduler is what is known of the runtime of a program.
type scheduler struct {
	test   string // the expression that is true when the goroutine of a stop is alone; "" while it is not known
	asking bool
	tries  int // to learn it
	stops  int // that were swept before it was known
	noes   int // answers in a row that somebody else may run
	rest   int // stops that are swept without the question
}

const (
	learnAfter   = 3  // sweeps, when the user leaves no time for it before
	learnTries   = 3  // then the runtime is not one that we know
	searchedPs   = 16 // up to so many, each is looked at
	noesInVain   = 3  // after which the question is left out
	restAfterNos = 16 // for so many stops
)

// aloneQuestion is the question whether the thread of a stop is alone; false when it is of no use.
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

// isAlone takes the answer.
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

// askAlone asks whether the thread of a stop is alone; nil when it does not.
func (s *Session) askAlone(e *dapclient.Stopped) *asked {
	q, ok := s.aloneQuestion(e, true)
	if !ok {
		return nil
	}
	return s.send(limits{total: valueEach}, q)
}

// needsP tells whether all breakpoints are in code that only runs with a P.
func (s *Session) needsP() bool {
	if s.anyBusy() || s.origin.launch != nil && s.origin.launch.Extra["followExec"] == true {
		return false
	}
	for _, e := range s.entries() {
		if e.function != "" || !inGoProgram(e.file) || e.source != "" && !inGoProgram(e.source) {
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

// What is asked to make the test. Looking up a variable of the runtime by its name takes Delve as long as a list of
// threads, hence once, for its address.
var schedulerFacts = []string{
	"runtime.gomaxprocs",
	"uintptr(&runtime.gomaxprocs)",
	"uintptr(&runtime.sched.npidle.value)",
	"uintptr(&runtime.allp)",
	"uintptr(&runtime.m0.curg) - uintptr(&runtime.m0)",
}

// learnScheduler asks for what the test needs, when it is time for that: when the user leaves some (quiet), or when it
// begins to pay. The program is stopped. Delve answers in order, so nobody waits for the answers before a resume.
func (s *Session) learnScheduler(quiet bool) {
	c := &s.scheduler
	if !s.profile.GoScheduler || !s.profile.SweepStops || c.test != "" || c.asking || c.tries >= learnTries ||
		!s.canHit() || !s.needsP() {
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

// factOf reads a number as Delve writes it: 2, and 5984192 = 0x5b4fc0 for an address.
func factOf(r reply) (uint64, bool) {
	if r.err != nil {
		return 0, false
	}
	text, _, _ := strings.Cut(dapclient.DecodeEvaluation(r.m).Result, " ")
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil && n > 0
}

// aloneTest is the expression that is true when the current goroutine has a P, and no other P has a goroutine.
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
