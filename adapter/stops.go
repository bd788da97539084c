package adapter

import (
	"slices"
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// The path of a stop, from the stopped event to its end, is serveStop. It runs in one turn (turn.go), top to bottom:
//
//	look                asks for the frames of the threads that the stop is about (look.go)
//	recognise           finds the breakpoints at each of them (match.go)
//	test                asks what their conditions say (judge.go)
//	judge               counts, filters, and parts tracepoints from what stops
//	fetchMessageValues  asks for the values in messages (message.go)
//	tell                tells the tracepoint hits
//	decide              says what follows: more questions, a visible stop, or a resume (decide.go)

// Deadlines of the questions about a stop. What decides whether it is seen has more time than what is only told of it:
// the first evaluation of a process may take a debugger more than a second on a busy machine.
const (
	lookTimeout   = 5 * time.Second
	testTimeout   = 10 * time.Second
	testEach      = 5 * time.Second
	resumeTimeout = 15 * time.Second
	valueEach     = time.Second
)

// stops is what a session knows of its stops.
type stops struct {
	turn    *turn        // who serves them; nil: there was none yet
	pending *pendingStop // the one that is being served
	shown   *Stop        // the one that is visible
	epoch   uint64       // its number
	pausing []*pauseWish // calls of debug_pause that wait for one

	focuses bool // the debugger says which thread a stop is named after
	thread  int  // the one that the last stop was named after

	// The instructions of threads that may still stand there: those that were told to have hit something, and those at
	// breakpoints of which nothing was told in time.
	reportedAt, unreportedAt map[int]string
}

// stoppedThread is one thread that a stop is about, with its top frame.
type stoppedThread struct {
	event *dapclient.Stopped // nil for a thread found by the sweep
	id    int
	frame *dap.StackFrame // nil when it could not be had
	// ambiguous: several entries are here, and the stop does not name those that were hit. That it was reached says
	// nothing of a condition that the debugger was given with one of them.
	ambiguous bool
}

// hit is one logical breakpoint met by one thread.
type hit struct {
	thread    *stoppedThread
	entry     *entry
	bp        *Breakpoint
	binding   *Binding
	answer    *reply // of the condition, when it was asked
	failure   string // why the condition could not be decided
	count     uint64
	values    []reply // of the message's expressions
	exhausted bool    // its tracepoint has reached its limit with this hit
}

// pendingStop is a stop from its first event until it is decided and its threads are known.
type pendingStop struct {
	opening round               // the events that the stop began with
	round   *round              // what is looked at now: opening, a later round, or a sweep
	later   []dapclient.Stopped // events that came since: of the next round
	threads []*stoppedThread    // of all rounds; the stop is named after the first
	stops   []*hit              // of breakpoints that stop
	matched bool                // some breakpoint explains the stop
	stale   bool                // only breakpoints that are gone explain it
	others  otherThreads
	thrown  thrown
	step    stepLook
	overdue bool            // it is the end of a step that is over for the user
	refused string          // why the resume failed, when the program stands since
	shown   *dap.StackFrame // where a stop in code without source is shown; nil: at its own frame
	sought  bool            // shown has been asked for
}

// round is what was told together and is looked at together.
type round struct {
	events  []dapclient.Stopped
	phase   phase
	threads []*stoppedThread
	hits    []*hit    // after judge: of tracepoints
	early   []reply   // values that were asked for together with the frame
	until   time.Time // when the values of its messages have had their time
}

// phase says which further stopped events belong to a round.
type phase int

const (
	asking   phase = iota // for its frame: all of them
	awaiting              // what is told of each of its threads: those of threads that it has not been told of
	gathered              // none
)

// takes reports whether e belongs to this round.
func (r *round) takes(e *dapclient.Stopped) bool {
	return r.phase == asking || r.phase == awaiting && (e.ThreadID == nil || !r.tells(*e.ThreadID))
}

// tells reports whether an event of the round is about a thread.
func (r *round) tells(thread int) bool {
	about := func(e dapclient.Stopped) bool { return e.ThreadID != nil && *e.ThreadID == thread }
	return slices.ContainsFunc(r.events, about)
}

// primary is the event that the stop is named after.
func (v *pendingStop) primary() *dapclient.Stopped {
	for i := range v.opening.events {
		if v.opening.events[i].CausedFocus {
			return &v.opening.events[i]
		}
	}
	return &v.opening.events[0]
}

// named is the thread that the stop is named after; nil when none is known.
func (v *pendingStop) named() *stoppedThread {
	if len(v.threads) == 0 {
		return nil
	}
	return v.threads[0]
}

// thread is the id of that thread, 0 when nobody knows.
func (v *pendingStop) thread() int {
	if named := v.named(); named != nil {
		return named.id
	}
	if id := v.primary().ThreadID; id != nil {
		return *id
	}
	return 0
}

// onStopped takes a stopped event (DAP, Stopped).
func (s *Session) onStopped(m *dapclient.Message) {
	event := dapclient.DecodeStopped(m)
	if s.tooLate(&event) {
		s.log.Debug("stopped event of a stop that is over", "reason", event.Reason)
		return
	}
	s.steps.held.now = false // it is said at each stop
	s.stops.focuses = s.stops.focuses || event.CausedFocus
	s.resumeConfirmed()
	switch v := s.stops.pending; {
	case v != nil && v.round.takes(&event):
		v.round.events = append(v.round.events, event)
	case v != nil:
		v.later = append(v.later, event)
	case s.public.state == Paused:
		s.log.Debug("stopped event while paused", "reason", event.Reason)
	case event.Reason == "exception" && (event.ThreadID == nil || *event.ThreadID == 0) && s.debuggeeGone():
		// Delve tells of a resume of a process that was killed at a stop as of an exception of no thread.
		s.onTerminated()
	default:
		s.stopped(&pendingStop{opening: round{events: []dapclient.Stopped{event}}})
	}
}

// stopped gives a new stop to the turn of stops.
func (s *Session) stopped(v *pendingStop) {
	v.round = &v.opening
	s.stops.pending = v
	s.startStops()
}

// startStops begins the turn of stops, once: one turn serves them all. A new one costs more than the rest of a hit.
func (s *Session) startStops() {
	if s.stops.turn == nil {
		s.stops.turn = s.begin(s.serveStops)
	}
}

func (s *Session) serveStops(t *turn) {
	due := func() bool { return s.stops.pending != nil || s.resumes.silent.answered() }
	for t.until(due) {
		if s.stops.pending == nil {
			s.takeRefusal()
			continue
		}
		s.serveStop(t, s.stops.pending)
	}
}

// serveStop takes one stop from its first event to its end. It returns early when the session ends.
func (s *Session) serveStop(t *turn, v *pendingStop) {
	switch {
	case v.refused != "":
		if !s.lookWhereRefused(t, v) {
			return
		}
	case !s.look(t, v) || !s.takeHits(t, v):
		return
	}
	for {
		if !s.serveLater(t, v) {
			return
		}
		// What was taken away while it was asked about stops nothing any more.
		v.stops = slices.DeleteFunc(v.stops, func(h *hit) bool { return s.current(h.bp) == nil })
		if v.step.state != stepIsOver {
			v.overdue = s.settleLateStepEnd(v) || v.overdue
		}
		act, ok := decide(s.situation(v)), true
		if act.stepEnded {
			s.steps.leftover, s.steps.held = false, heldStep{}
		}
		switch act.verb {
		case askException:
			ok = s.examineException(t, v)
		case judgeException:
			s.judgeException(v)
		case sweepFirst:
			ok = s.sweepNow(t, v)
		case askStepping:
			ok = s.askStepping(t, v, act.stepEnded)
		case endStep:
			ok = s.endStep(t, v)
		case show:
			if s.seeksSource(v, act.reason) {
				ok = s.findSource(t, v, act.reason)
				break
			}
			s.show(t, v, act.reason)
			return
		case resume:
			s.stops.pending = nil
			s.resumeSilently(v.thread())
			return
		case stepOn:
			s.stops.pending = nil
			s.stepSilently(s.stepOf(v), act.command)
			return
		}
		if !ok {
			return
		}
	}
}

// serveLater serves all that was told since the last round.
func (s *Session) serveLater(t *turn, v *pendingStop) bool {
	for len(v.later) > 0 {
		v.round = &round{events: v.later}
		v.later = nil
		if !s.look(t, v) || !s.takeHits(t, v) {
			return false
		}
	}
	return true
}

// takeHits decides and tells what was hit by the threads of a round.
func (s *Session) takeHits(t *turn, v *pendingStop) bool {
	s.recognise(v)
	if !s.test(t, v.round) {
		return false
	}
	s.judge(v)
	if !s.fetchMessageValues(t, v.round) {
		return false
	}
	if !s.tell(t, v.round) {
		return false
	}
	v.threads = append(v.threads, v.round.threads...)
	return true
}

// tell tells the tracepoint hits of a round, and takes back what has reached its limit while the program stands.
func (s *Session) tell(t *turn, r *round) bool {
	for _, h := range r.hits {
		s.tellHit(h)
	}
	var exhausted []*Breakpoint
	for _, h := range r.hits {
		if !h.exhausted {
			continue
		}
		if off := s.manager.exhaust(s, h.bp); off != nil {
			exhausted = append(exhausted, off)
		}
	}
	return len(exhausted) == 0 || s.applyChanged(t, exhausted)
}

// dropPending leaves the stop that is being served: the session ends.
func (s *Session) dropPending() {
	s.stops.pending = nil
	if s.stops.turn != nil {
		s.stops.turn.dropped = true
	}
}

// situation is what is known of a stop, for decide.
func (s *Session) situation(v *pendingStop) situation {
	primary := v.primary()
	k := situation{
		reason: stopReason(primary.Reason), matched: v.matched, stale: v.stale, blocking: len(v.stops) > 0,
		refused: v.refused != "", pausing: len(s.stops.pausing) > 0, unswept: v.others.late, thrown: v.thrown.state,
		overdue: v.overdue, held: s.steps.held.of(v.thread()), leftover: s.steps.leftover, noStep: s.stepRefused(primary),
		sweeps: s.profile.SweepStops, dropsStep: s.profile.HitDropsStep, holdsStep: s.profile.HeldStepText != nil,
	}
	if k.reason == StopException {
		k.hit = s.conditionFailed(primary) || s.trapped(primary)
		k.halt = k.pausing && s.profile.PauseText != nil &&
			(s.profile.PauseText.MatchString(primary.Description) || s.profile.PauseText.MatchString(primary.Text))
	}
	if run := s.stepOf(v); run != nil {
		k.stepping, k.step = true, run.known(v, s.profile.HitDropsStep)
	}
	return k
}
