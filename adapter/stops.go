package adapter

import (
	"slices"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/dapclient"
	"breakwire/tracepoints"

	"github.com/google/go-dap"
)

// serveStop handles a stop from the stopped event to its end. It runs in one turn (turn.go), top to bottom:
//
//	look                asks for the frames of the threads that the stop is about (look.go)
//	recognise           finds the breakpoints at each of them (match.go)
//	test                asks what their conditions say (judge.go)
//	judge               counts, filters, and separates tracepoints from breakpoints that stop
//	fetchMessageValues  asks for the values in messages (message.go)
//	tell                journals the tracepoint hits
//	decide              returns the next action: more questions, a visible stop, or a resume (decide.go)

// Deadlines of the questions about a stop. The questions that decide whether the user sees the stop have more time than
// those for a message: the first evaluation in a process may take a debugger more than a second on a busy machine.
const (
	lookTimeout   = 5 * time.Second
	testTimeout   = 10 * time.Second
	testEach      = 5 * time.Second
	resumeTimeout = 15 * time.Second
	valueEach     = time.Second
)

// stops is the state of the session's stops.
type stops struct {
	turn    *turn        // the turn that serves stops; nil before the first one
	pending *pendingStop // the stop that is being served
	shown   *Stop        // the visible stop
	call    *call        // the call of evaluate that runs or is pending; nil: none
	epoch   uint64       // number of the visible stop
	pausing []*pauseWish // calls of debug_pause that wait for a stop
	fatal   *time.Timer  // set when the runtime has given up, until the debugger tells of the program
	awaited int          // answers that wait for the late sweep of the visible stop

	focuses bool // the debugger says which thread a stop is named after
	thread  int  // the thread that the last stop was named after
	// reportedAt holds, by thread, the instruction at which a hit was reported, as long as the thread may still be
	// there.
	reportedAt map[int]string
	// unreportedAt holds, by thread, the instruction of a breakpoint whose hit was not reported in time, as long as the
	// thread may still be there.
	unreportedAt map[int]string
}

// stoppedThread is a thread that a stop is about, with its top frame.
type stoppedThread struct {
	event *dapclient.Stopped // nil for a thread that the sweep found
	id    int
	frame *dap.StackFrame // nil when the debugger did not give it
	// unnamed says that the stop does not name the entries that were hit: a step that ended here, a thread that the sweep
	// found, or several entries at one place. The stop then says nothing about a condition that the debugger evaluates.
	unnamed bool
	// watches says that the stop is about watched memory, or the end of a watched local; written are the entries of that
	// memory, and changes what it held.
	watches bool
	written []*breakpoint.Entry
	changes map[*breakpoint.Entry]Change
}

// hit is one logical breakpoint hit by one thread.
type hit struct {
	thread    *stoppedThread
	entry     *breakpoint.Entry
	bp        *breakpoint.Breakpoint
	binding   *breakpoint.Binding
	answer    *reply            // of the condition, when the session asked for it
	pass      *tracepoints.Pass // the program's report, when it tested the condition
	failure   string            // why the condition could not be decided
	count     uint64
	values    []reply // of the message's expressions
	exhausted bool    // the tracepoint has reached its limit with this hit
}

// pendingStop is a stop that is being served: from its first event until it is decided and its threads are known.
type pendingStop struct {
	opening round               // the events that the stop began with
	round   *round              // the current round: opening, a later one, or a sweep
	later   []dapclient.Stopped // events that came since, for the next round
	threads []*stoppedThread    // of all rounds; the stop is named after the first
	stops   []*hit              // hits of breakpoints that stop the program
	matched bool                // a breakpoint explains the stop
	stale   bool                // only removed or disabled breakpoints explain it
	others  otherThreads
	thrown  thrown
	step    stepLook
	ended   *call           // the interrupted call that has ended with this stop; nil: none
	overdue bool            // the stop is the late end of a step that was already reported as over
	refused string          // why the resume failed; "" when none did
	shown   *dap.StackFrame // the frame with source to show for a stop in code without source; nil: the top frame
	shownAt int             // the index of shown
	sought  bool            // shown has been asked for

	panicked *stoppedThread // the thread that panics (Rust); nil: none does
}

// round is a set of stopped events that are handled together.
type round struct {
	events  []dapclient.Stopped
	phase   phase
	threads []*stoppedThread
	hits    []*hit    // after judge: only those of tracepoints
	early   []reply   // values that were asked for together with the frame
	until   time.Time // deadline of the values of its messages
}

// phase says which further stopped events belong to a round.
type phase int

const (
	asking   phase = iota // the first questions are open: all events belong to it
	awaiting              // waits for the events of other threads: events of threads that it has none of
	gathered              // complete: no further events
)

// takes reports whether e belongs to this round.
func (r *round) takes(e *dapclient.Stopped) bool {
	return r.phase == asking || r.phase == awaiting && (e.ThreadID == nil || !r.tells(*e.ThreadID))
}

// tells reports whether the round has an event of the thread.
func (r *round) tells(thread int) bool {
	about := func(e dapclient.Stopped) bool { return e.ThreadID != nil && *e.ThreadID == thread }
	return slices.ContainsFunc(r.events, about)
}

// primary returns the event that the stop is named after.
func (v *pendingStop) primary() *dapclient.Stopped {
	for i := range v.opening.events {
		if v.opening.events[i].CausedFocus {
			return &v.opening.events[i]
		}
	}
	return &v.opening.events[0]
}

// named returns the thread that the stop is named after, nil when it is not known.
func (v *pendingStop) named() *stoppedThread {
	if len(v.threads) == 0 {
		return nil
	}
	return v.threads[0]
}

// thread returns the id of that thread, 0 when it is not known.
func (v *pendingStop) thread() int {
	if named := v.named(); named != nil {
		return named.id
	}
	if id := v.primary().ThreadID; id != nil {
		return *id
	}
	return 0
}

// onStopped handles a stopped event (DAP, Stopped event).
func (s *Session) onStopped(m *dapclient.Message) {
	event := dapclient.DecodeStopped(m)
	if s.tooLate(&event) {
		s.log.Debug("stopped event of a stop that is over", "reason", event.Reason)
		return
	}
	s.notFatal()
	s.unhandled(event.Text)
	s.steps.held.now = false // the debugger says so again at each stop
	s.stops.focuses = s.stops.focuses || event.CausedFocus
	s.resumeConfirmed()
	switch v := s.stops.pending; {
	case s.stops.call != nil && !s.stops.call.interrupted && v == nil:
		s.interruptCall(&event)
	case v != nil && v.round.takes(&event):
		v.round.events = append(v.round.events, event)
	case v != nil:
		v.later = append(v.later, event)
	case s.public.state == Paused:
		s.log.Debug("stopped event while paused", "reason", event.Reason)
	case event.Reason == "exception" && (event.ThreadID == nil || *event.ThreadID == 0) && s.debuggeeGone():
		// When the program was killed at a stop, Delve reports a resume of it as an exception without a thread.
		s.onTerminated()
	default:
		s.stopped(&pendingStop{opening: round{events: []dapclient.Stopped{event}}})
	}
}

// stopped passes a new stop to the turn of stops.
func (s *Session) stopped(v *pendingStop) {
	v.round = &v.opening
	s.stops.pending = v
	s.startStops()
}

// startStops begins the turn of stops once. One turn serves all stops, because starting a turn costs more than the rest
// of a hit.
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

// serveStop handles one stop from its first event to its end. It returns early when the session ends.
func (s *Session) serveStop(t *turn, v *pendingStop) {
	switch {
	case v.refused != "":
		if !s.lookWhereRefused(t, v) {
			return
		}
	case !s.lookAtCall(t, v) || !s.look(t, v) || !s.takeHits(t, v):
		return
	}
	for {
		if !s.serveLater(t, v) {
			return
		}
		// A breakpoint that was removed during the questions stops nothing.
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
			if h := v.panicHit(); h != nil {
				ok = s.examineGoPanic(t, v, h)
				break
			}
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

// serveLater handles the events that came since the last round.
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

// takeHits decides which hits of the current round count, and reports those of tracepoints.
func (s *Session) takeHits(t *turn, v *pendingStop) bool {
	if !s.lookAtWatched(t, v) {
		return false
	}
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
	v.panickedFirst()
	return true
}

// tell journals the tracepoint hits of a round. While the program is stopped, it also removes tracepoints that have
// reached their limit, in this round or before.
func (s *Session) tell(t *turn, r *round) bool {
	for _, h := range r.hits {
		s.tellHit(h)
	}
	exhausted := s.held.Spent
	s.held.Spent = nil
	for _, h := range r.hits {
		if !h.exhausted {
			continue
		}
		if off := s.manager.exhaust(s, h.bp); off != nil {
			exhausted = append(exhausted, off)
		}
	}
	if s.held.Watched.Due() && !s.syncWatches(t) {
		return false
	}
	return len(exhausted) == 0 || s.applyChanged(t, exhausted)
}

// dropPending drops the stop that is being served, because the session ends.
func (s *Session) dropPending() {
	s.stops.pending = nil
	if s.stops.turn != nil {
		s.stops.turn.dropped = true
	}
}

// situation returns what is known of a stop, as decide needs it.
func (s *Session) situation(v *pendingStop) situation {
	primary := v.primary()
	k := situation{
		reason: stopReason(primary.Reason), matched: v.matched, stale: v.stale, blocking: len(v.stops) > 0,
		refused: v.refused != "", pausing: len(s.stops.pausing) > 0, unswept: v.others.late, thrown: v.thrown.state,
		panics: v.panicHit() != nil, overdue: v.overdue,
		held: s.steps.held.of(v.thread()), leftover: s.steps.leftover, noStep: s.stepRefused(primary),
		sweeps: s.profile.SweepStops, dropsStep: s.profile.HitDropsStep, holdsStep: s.profile.HeldStepText != nil,
	}
	if c := v.ended; c != nil && (k.reason != StopException || v.thread() == c.thread) {
		k.callEnded, k.ofMessage = true, c.ofMessage
	}
	if k.reason == StopException {
		k.hit = s.conditionFailed(primary) || s.trapped(primary)
		k.halt = k.pausing && s.profile.PauseText != nil &&
			(s.profile.PauseText.MatchString(primary.Description) || s.profile.PauseText.MatchString(primary.Text))
	}
	if v.panicked != nil {
		k.reason = StopException
	}
	if run := s.stepOf(v); run != nil {
		k.stepping, k.step = true, run.known(v, s.profile.HitDropsStep)
	}
	return k
}
