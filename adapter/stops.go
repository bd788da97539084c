package adapter

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// The path of a hit, from the stopped event to the journal, top to bottom:
//
//	onStopped   collects the stopped events of one stop
//	look        asks for the top frames, and for more when a profile says so
//	recognise   finds the logical breakpoints at each of them
//	test        asks what their conditions say
//	judge       counts, filters, and parts tracepoints from what stops
//	speak       asks for the values in messages
//	report      tells the tracepoint hits
//	conclude    makes the stop visible, or lets the program go on
//
// All of them run on the session's loop; between two of them the backend is asked (ask), about what .NET refuses a second time (settle). A service that is no longer s.service was
// overtaken by a disconnect or the end, and its answers are dropped.

// Deadlines of the questions about a stop. What decides whether it is seen has more time than what is only told of it: the first evaluation of a
// process may take a debugger more than a second on a busy machine.
const (
	lookTimeout    = 5 * time.Second
	testTimeout    = 10 * time.Second
	testEach       = 5 * time.Second
	resumeTimeout  = 15 * time.Second
	speakEach      = time.Second
	retryPause     = 20 * time.Millisecond
	retriesOfLook  = 5
	notStoppedCode = "0x80131302"
)

// spot is one thread that a stop is about, with its top frame.
type spot struct {
	event  *dapclient.Stopped // nil for a thread found by the sweep
	thread int
	frame  *dap.StackFrame // nil when it could not be had
	// crowded: several entries are here, and the stop does not name those that were hit. That it was reached says
	// nothing of a condition that the backend was given with one of them.
	crowded bool
}

// hit is one logical breakpoint met at one spot.
type hit struct {
	spot      *spot
	entry     *entry
	bp        *Breakpoint
	binding   *Binding
	answer    *reply // of the condition, when it was asked
	failure   string // why the condition could not be decided
	count     uint64
	values    []reply // of the message's expressions
	exhausted bool    // its tracepoint has reached its limit with this hit
}

// service is one stop being served.
type service struct {
	events  []dapclient.Stopped
	phase   phase
	listed  bool                // the threads were asked for at this stop
	threads []dap.Thread        // as they were waited for; nil: they were not
	later   []dapclient.Stopped // told once this stop was gathered: not of it
	before  *service            // the service that these later events belong to
	lazy    bool                // other threads are looked for once the stop has been told
	eager   bool                // never lazy
	alone   bool                // no other goroutine runs
	verdict *verdict            // of a lazy stop: whether that is so; nil: not asked
	ahead   stackAhead          // of a lazy stop: what its client will want to see
	shown   *dap.StackFrame     // where a stop in code without source is shown; nil: at its own frame
	found   *Stop               // of a late sweep: the stop that it is of
	abandon context.CancelFunc  // what is asked outside of the loop; nil: nothing was
	start   func()              // of a late sweep that has not begun: begins it
	tries   int
	spots   []*spot
	early   []reply   // values asked together with the frame
	until   time.Time // when the values of its messages have had their time
	hits    []*hit
	stops   []*hit // blocking hits
	matched bool   // some breakpoint explains the stop
	stale   bool   // only breakpoints that are gone explain it
	onward  func() // how a step goes on; nil: that has not been asked
	decided func() // what follows once all is served that was told while it was decided; nil: that is not decided
}

// phase says which further stopped events are of the stop that is served.
type phase int

const (
	asking   phase = iota // for its frame: all of them
	awaiting              // and what is told of each of its threads: those of threads that it has not been told of
	gathered              // none
)

// takes whether an event is of the stop that is served.
func (v *service) takes(e *dapclient.Stopped) bool {
	return v.phase == asking || v.phase == awaiting && (e.ThreadID == nil || !v.tells(*e.ThreadID))
}

// onStopped takes a stopped event.
func (s *Session) onStopped(m *dapclient.Message) {
	event := dapclient.DecodeStopped(m)
	if s.tooLate(&event) {
		s.log.Debug("stopped event of a stop that is over", "reason", event.Reason)
		return
	}
	s.stepHeld.now = false // it is said at each stop
	s.focuses = s.focuses || event.CausedFocus
	s.settleResume()
	switch {
	case s.service != nil && s.service.takes(&event):
		s.service.events = append(s.service.events, event)
	case s.service != nil:
		s.service.later = append(s.service.later, event)
	case s.state == Paused:
		s.log.Debug("stopped event while paused", "reason", event.Reason)
	case event.Reason == "exception" && (event.ThreadID == nil || *event.ThreadID == 0) && s.debuggeeGone():
		// Delve tells of a resume of a process that was killed at a stop as of an exception of no thread.
		s.onTerminated()
	default:
		s.service = &service{events: []dapclient.Stopped{event}}
		s.look(s.service)
	}
}

// look asks where the program stands: the thread that the first event names.
func (s *Session) look(v *service) {
	first := &v.events[0]
	sweep := s.profile.SweepStops && s.canHit() && sweeps(first.Reason)
	if sweep && !v.eager && v.before == nil && s.stopsForSure(first) {
		sweep, v.lazy = false, true
	}
	var questions []question
	if first.ThreadID != nil {
		top := s.topFrame(*first.ThreadID)
		if v.lazy {
			top = question{"stackTrace", dapclient.StackTraceArguments{ThreadID: *first.ThreadID, Levels: levelsAhead}}
		}
		questions = append(questions, top)
	}
	ask, spared := s.aloneQuestion(first, sweep)
	late := s.profile.RepeatsStops && s.canHit() && v.before == nil && v.phase == asking
	if late {
		v.phase = awaiting
	}
	switch {
	case spared:
		questions = append(questions, ask)
	case sweep || first.ThreadID == nil || late:
		questions = append(questions, question{command: "threads"})
	}
	fixed := len(questions)
	var early []question
	if v.before == nil {
		early = s.earlyValues(first)
	}
	questions = append(questions, early...)
	limit := limits{total: lookTimeout}
	if len(early) > 0 {
		limit.each, v.until = speakEach, time.Now().Add(s.manager.opts.TraceTimeout)
	}
	a := s.ask(limit, func(replies []reply) {
		switch {
		case s.service != v:
		case late:
			s.awaitOthers(v, replies[fixed-1], func() { s.seen(v, replies, fixed, sweep, spared) })
		default:
			s.seen(v, replies, fixed, sweep, spared)
		}
	}, questions...)
	if v.lazy {
		v.verdict = s.askAlone(first)
	} else if sweep && !spared {
		s.learnScheduler(false)
	}
	if len(early) > 0 {
		id := s.onlyEntry().logicals[0].ID
		s.watchLate(a, func(int) (string, *dap.StackFrame) { return id, nil })
	}
}

// seen takes the answers to look: of the first fixed, the frame and what tells of the other threads, then the early values.
func (s *Session) seen(v *service, replies []reply, fixed int, sweep, spared bool) {
	v.phase = gathered
	if s.lookAgain(v, replies[0]) {
		return
	}
	v.early = replies[fixed:]
	first := &v.events[0] // the list may have grown
	threads := v.threads
	if !spared && (fixed > 1 || first.ThreadID == nil) {
		if threads == nil {
			threads = s.threadsOf(replies[fixed-1])
		}
		v.listed = replies[fixed-1].err == nil
	}
	if first.ThreadID != nil {
		v.spots = append(v.spots, &spot{event: first, thread: *first.ThreadID, frame: frameOf(replies[0])})
		if v.lazy {
			v.ahead = aheadOf(*first.ThreadID, replies[0])
		}
	}
	if spared {
		if v.alone = s.isAlone(replies[1]); !v.alone {
			s.listThenLookAround(v)
			return
		}
	}
	s.lookAround(v, threads, sweep && !v.alone)
}

// listThenLookAround is lookAround for a sweep that could not be spared.
func (s *Session) listThenLookAround(v *service) {
	s.ask(limits{total: lookTimeout}, func(replies []reply) {
		if s.service != v {
			return
		}
		v.listed = replies[0].err == nil
		s.lookAround(v, s.threadsOf(replies[0]), true)
	}, question{command: "threads"})
}

// sweeps tells the stops after which other threads may stand at breakpoints unsaid.
func sweeps(reason string) bool {
	return reason != "exception" && reason != "entry"
}

// lookAgain repeats the question when the backend is not yet ready to answer it: netcoredbg, right
// after a stop.
func (s *Session) lookAgain(v *service, r reply) bool {
	if r.err == nil {
		return false
	}
	var failed *dapclient.ResponseError
	if !errors.As(r.err, &failed) || !strings.Contains(strings.ToLower(failed.Reason()), notStoppedCode) || v.tries >= retriesOfLook {
		return false
	}
	v.tries++
	s.after(retryPause, func() {
		if s.service == v {
			s.look(v)
		}
	})
	return true
}

// lookAround asks for the frames of the other threads of this stop: those named by further stopped
// events, those a sweep finds on a processor, and the current one when the event named none.
func (s *Session) lookAround(v *service, threads []dap.Thread, sweep bool) {
	var more []*spot
	known := map[int]bool{}
	for _, sp := range v.spots {
		known[sp.thread] = true
	}
	add := func(sp *spot) {
		if !known[sp.thread] {
			known[sp.thread] = true
			more = append(more, sp)
		}
	}
	for i := range v.events {
		switch e := &v.events[i]; {
		case e.ThreadID != nil:
			add(&spot{event: e, thread: *e.ThreadID})
		case i == 0:
			if id, ok := s.currentThread(threads); ok {
				add(&spot{event: e, thread: id})
			} else {
				add(&spot{event: e}) // Delve, of a stripped program, has no thread but a stack
			}
		}
	}
	if sweep {
		for _, t := range threads {
			if s.profile.ThreadOnCPU == nil || s.profile.ThreadOnCPU.MatchString(t.Name) {
				add(&spot{thread: t.Id})
			}
		}
	}
	questions := make([]question, len(more))
	for i, sp := range more {
		questions[i] = s.topFrame(sp.thread)
	}
	s.ask(limits{total: lookTimeout}, func(replies []reply) {
		if s.service != v {
			return
		}
		for i, sp := range more {
			sp.frame = frameOf(replies[i])
			if sp.frame != nil || sp.event != nil {
				v.spots = append(v.spots, sp)
			}
		}
		v.primaryFirst()
		s.recognise(v)
	}, questions...)
}

// primary is the event that the stop is named after.
func (v *service) primary() *dapclient.Stopped {
	for i := range v.events {
		if v.events[i].CausedFocus {
			return &v.events[i]
		}
	}
	return &v.events[0]
}

// primaryFirst puts the spot that the stop is named after in front.
func (v *service) primaryFirst() {
	primary := v.primary()
	for i, sp := range v.spots {
		if sp.event == primary {
			copy(v.spots[1:i+1], v.spots[:i])
			v.spots[0] = sp
			return
		}
	}
}

func (s *Session) topFrame(thread int) question {
	return question{"stackTrace", dapclient.StackTraceArguments{ThreadID: thread, Levels: 1}}
}

// recognise finds the breakpoints that explain the stop.
func (s *Session) recognise(v *service) {
	s.dropRepeated(v)
	for _, sp := range v.spots {
		entries := s.entriesAt(sp)
		if len(entries) > 0 {
			v.matched = true
		} else if sp.event != nil && s.goneAt(sp) {
			v.stale = true
		}
		sp.crowded = len(entries) > 1 && (sp.event == nil || len(sp.event.HitBreakpointIDs) == 0)
		for _, e := range entries {
			for _, held := range e.logicals {
				// The registry knows better than the backend what is still wanted.
				bp := s.current(held)
				if bp == nil {
					v.stale = true
					continue
				}
				v.hits = append(v.hits, &hit{spot: sp, entry: e, bp: bp, binding: s.bindings[bp.ID]})
			}
		}
	}
	s.test(v)
}

// test asks the conditions that the backend has not decided.
func (s *Session) test(v *service) {
	var asking []*hit
	var questions []question
	for _, h := range v.hits {
		condition := h.bp.Spec.Condition
		decided := h.entry.condition == condition && h.entry.problem == "" && !s.profile.RecheckConditions && !h.spot.crowded
		if condition == "" || decided {
			continue
		}
		asking = append(asking, h)
		questions = append(questions, s.evaluation(condition, h.spot.frame))
	}
	until := time.Now().Add(testTimeout)
	a := s.ask(limits{total: testTimeout, each: testEach}, func(replies []reply) {
		if s.service != v {
			return
		}
		var doubts []doubt
		for i, h := range asking {
			if s.unrecorded(replies[i].err) {
				continue // what the backend said itself is all there is
			}
			if h.answer = &replies[i]; s.refused(h.bp.Spec.Condition, h.answer, h.spot.frame) {
				doubts = append(doubts, doubt{h.bp.ID, h.bp.Spec.Condition, h.spot.frame, h.answer})
			}
		}
		s.settle(v, until, doubts, func() { s.judge(v) })
	}, questions...)
	s.watchLate(a, func(i int) (string, *dap.StackFrame) { return asking[i].bp.ID, asking[i].spot.frame })
}

// evaluation is the question for one expression; in the top frame of the stopped thread when frame is nil.
func (s *Session) evaluation(expression string, frame *dap.StackFrame) question {
	args := dapclient.EvaluateArguments{Expression: s.spoken(expression), Context: "watch"}
	if frame != nil {
		args.FrameID = &frame.Id
	}
	return question{"evaluate", args}
}

// judge decides every hit: condition, then count, then hit condition or filter.
func (s *Session) judge(v *service) {
	kept := v.hits[:0]
	for _, h := range v.hits {
		met := true
		switch {
		case h.answer != nil:
			if met, h.failure = s.truth(*h.answer); h.failure == "" {
				s.decided(h)
			}
		case s.conditionFailed(h.spot.event):
			h.failure = h.spot.event.Text
		case h.bp.Spec.Condition != "" && h.entry.problem != "":
			h.failure = h.entry.problem
		}
		if !met && h.failure == "" {
			continue
		}
		if h.bp.temporary {
			v.stops = append(v.stops, h)
			continue
		}
		if !h.counted() {
			continue
		}
		if h.bp.Spec.Kind == Tracepoint {
			kept = append(kept, h)
			continue
		}
		if h.failure == "" && h.bp.hitCondition != nil && !h.bp.hitCondition.Match(h.count) {
			continue
		}
		v.stops = append(v.stops, h)
	}
	v.hits = kept
	s.speak(v)
}

// decided forgets that the condition of a hit could not be evaluated at one before.
func (s *Session) decided(h *hit) {
	h.entry.problem = ""
	if h.binding != nil && strings.HasPrefix(h.binding.Message, undecided) {
		s.bind(h.bp.ID, func(b *Binding) { b.Message = "" })
	}
}

// counted counts a hit and tells whether it passes the filter and limit of its breakpoint.
func (h *hit) counted() bool {
	if h.binding == nil {
		return false // set, and hit, before the session knew of it
	}
	var notify bool
	h.count, notify, h.exhausted = h.binding.counts.Hit()
	return notify
}

// report tells the tracepoint hits, and takes back what has reached its limit.
func (s *Session) report(v *service) {
	for _, h := range v.hits {
		s.tellHit(h)
	}
	for _, h := range v.hits {
		if h.exhausted {
			s.manager.exhaust(s, h.bp)
		}
	}
	s.conclude(v)
}

// conclude ends the service: with a visible stop, or with the program going on. Further stops that were told meanwhile are served before.
func (s *Session) conclude(v *service) {
	if len(v.later) > 0 {
		w := &service{events: v.later, before: v}
		v.later = nil
		s.service = w
		s.look(w)
		return
	}
	if first := v.before; first != nil {
		first.stops = append(first.stops, v.stops...)
		first.spots = append(first.spots, v.spots...)
		first.matched, first.stale = first.matched || v.matched, first.stale || v.stale
		s.conclude(first)
		return
	}
	// What was taken away while its condition, or the message of another, was being asked stops nothing any more.
	v.stops = slices.DeleteFunc(v.stops, func(h *hit) bool { return s.current(h.bp) == nil })
	if v.found != nil {
		s.foundLate(v)
		return
	}
	s.service = nil
	primary := v.primary()
	reason := stopReason(primary.Reason)
	overdue := s.settleOverdue(v)
	if then := v.decided; then != nil {
		v.decided = nil
		then()
		return
	}
	if v.matched && (reason == StopException && s.conditionFailed(primary) || s.trapped(primary)) {
		reason = StopBreakpoint
	}
	if reason == StopException && len(s.pausing) > 0 && s.profile.PauseText != nil &&
		(s.profile.PauseText.MatchString(primary.Description) || s.profile.PauseText.MatchString(primary.Text)) {
		reason = StopPause
	}
	switch {
	case len(v.stops) > 0:
		s.stopAt(v, StopBreakpoint)
	case s.stepRefused(primary):
		s.stopWith(v, StopResumeFailed, nil, primary.Text)
	case reason == StopException:
		s.examineException(v)
	case len(s.pausing) > 0:
		s.stopAt(v, StopPause)
	case v.onward != nil:
		v.onward()
	case overdue && s.step != nil && s.profile.HitDropsStep:
		s.stepSilently(s.step, s.step.sent) // which that stop may have ended
	case overdue:
		s.resumeSilently(v.thread())
	case reason == StopStep && s.step != nil:
		s.leftover = false
		s.stepLanded(v)
	case reason == StopStep && s.stepHeld.of(v.thread()):
		s.stepHeld = heldStep{}
		s.resumeSilently(v.thread())
	case reason == StopStep && s.leftover:
		s.leftover = false
		s.goOn(v)
	case reason == StopPause && v.matched && s.profile.SweepStops:
		s.goOn(v) // nobody asked: breakpoints were set while the program ran into one (Delve)
	case reason != StopBreakpoint:
		s.stopAt(v, reason)
	case v.matched || v.stale:
		s.goOn(v)
	default:
		s.stopAt(v, StopBreakpoint) // nobody's: the program's own, or the user's in another tool
	}
}

// overtaken serves what was told of a stop while it was decided, and tells whether there was anything: then follows when it has been served.
func (s *Session) overtaken(v *service, then func()) bool {
	if len(v.later) == 0 {
		return false
	}
	v.decided = then
	s.conclude(v)
	return true
}

// goOn lets the program run as if nothing had been.
func (s *Session) goOn(v *service) {
	if v.lazy { // against all expectation: the others must be looked for first
		w := &service{events: v.events, eager: true}
		s.service = w
		s.look(w)
		return
	}
	if s.step != nil {
		s.stepAfterHit(v)
		return
	}
	s.resumeSilently(v.thread())
}

// thread of the stop, 0 when nobody knows.
func (v *service) thread() int {
	if len(v.spots) > 0 {
		return v.spots[0].thread
	}
	if id := v.primary().ThreadID; id != nil {
		return *id
	}
	return 0
}
