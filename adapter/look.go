package adapter

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/inspect"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

const (
	retryPause     = 20 * time.Millisecond
	retriesOfLook  = 5
	notStoppedCode = "0x80131302"
)

// otherThreads is what is known of the threads that a stop does not name.
type otherThreads struct {
	late    bool               // they are examined after the stop has been shown
	listed  bool               // the threads were listed at this stop
	alone   bool               // no other goroutine runs
	verdict *asked             // the open question for alone in a late sweep; nil: not asked
	ahead   inspect.StackAhead // in a late sweep: the frames that the client will probably ask for
	early   []*inspect.Early   // in a late sweep: the questions for the locals, when an answer will have them
}

// look asks for the top frames of a round's threads: that of the first event, and the others where they may matter.
func (s *Session) look(t *turn, v *pendingStop) bool {
	r := v.round
	opening := r == &v.opening
	for tries := 0; ; tries++ {
		first := r.events[0]
		sweep := s.profile.SweepStops && s.held.CanHit() && sweeps(first.Reason)
		if sweep && opening && s.stopsForSure(&first) {
			sweep, v.others.late = false, true
		}
		gathers := s.profile.RepeatsStops && s.held.CanHit() && opening
		var early []*inspect.Early
		if v.others.late {
			early = s.earlyLocals()
		}
		var questions []question
		if first.ThreadID != nil {
			levels := 1
			if v.others.late && early == nil {
				levels = inspect.LevelsAhead
			}
			questions = append(questions, topFrames(*first.ThreadID, levels))
		}
		alone, asksAlone := s.aloneQuestion(&first, sweep)
		lists := !asksAlone && (sweep || first.ThreadID == nil || gathers)
		switch {
		case asksAlone:
			questions = append(questions, alone)
		case lists:
			questions = append(questions, question{command: "threads"})
		}
		fixed, limit, owner := len(questions), limits{total: lookTimeout}, ""
		if opening {
			var values []question
			if owner, values = s.earlyValues(&first); len(values) > 0 {
				questions = append(questions, values...)
				limit.each, r.until = valueEach, time.Now().Add(s.manager.opts.TraceTimeout)
			}
		}
		a := s.send(limit, questions...)
		if v.others.late {
			v.others.verdict, v.others.early = s.askAlone(&first), s.askEarly(early)
		} else if sweep && !asksAlone {
			s.learnScheduler(false)
		}
		if gathers {
			r.phase = awaiting
		}
		replies, ok := t.wait(a)
		if !ok {
			return false
		}
		if len(questions) > fixed && a.hasTimedOut() {
			s.noteLate(a, func(i int) lateEvaluation {
				return lateEvaluation{expression: questions[i].expression(), breakpoint: owner, thread: v.thread()}
			})
		}
		var threads []dap.Thread
		if lists {
			threads = s.threadsOf(replies[fixed-1])
			v.others.listed = replies[fixed-1].err == nil
		}
		if gathers && !s.awaitOthers(t, r, v, threads) {
			return false
		}
		r.phase = gathered
		if tries < retriesOfLook && notYetStopped(replies[0]) {
			if !t.sleep(retryPause) {
				return false
			}
			continue
		}
		r.early = replies[fixed:]
		if first.ThreadID != nil {
			r.threads = append(r.threads, &stoppedThread{event: &r.events[0], id: *first.ThreadID, frame: frameOf(replies[0])})
			if v.others.late && early == nil {
				v.others.ahead = aheadOf(*first.ThreadID, replies[0])
			}
		}
		if asksAlone {
			if v.others.alone = s.isAlone(replies[1]); !v.others.alone {
				if threads, ok = s.listThreads(t, v); !ok {
					return false
				}
			}
		}
		return s.lookAround(t, v, threads, sweep && !v.others.alone)
	}
}

// sweeps reports whether, after a stop of this kind, other threads may be at breakpoints without being reported.
func sweeps(reason string) bool {
	return reason != "exception" && reason != "entry"
}

// notYetStopped reports whether the debugger was not ready to answer. netcoredbg is not, right after a stop.
func notYetStopped(r reply) bool {
	var failed *dapclient.ResponseError
	return errors.As(r.err, &failed) && strings.Contains(strings.ToLower(failed.Reason()), notStoppedCode)
}

// listThreads asks for all threads.
func (s *Session) listThreads(t *turn, v *pendingStop) ([]dap.Thread, bool) {
	replies, ok := t.ask(limits{total: lookTimeout}, question{command: "threads"})
	if !ok {
		return nil, false
	}
	v.others.listed = replies[0].err == nil
	return s.threadsOf(replies[0]), true
}

// lookAround asks for the top frames of a round's other threads: those of further stopped events, those that a sweep
// finds on a processor, and the current thread when the event names none.
func (s *Session) lookAround(t *turn, v *pendingStop, threads []dap.Thread, sweep bool) bool {
	r := v.round
	var more []*stoppedThread
	add := func(th *stoppedThread) {
		same := func(have *stoppedThread) bool { return have.id == th.id }
		if !slices.ContainsFunc(r.threads, same) && !slices.ContainsFunc(more, same) {
			more = append(more, th)
		}
	}
	for i := range r.events {
		switch e := &r.events[i]; {
		case e.ThreadID != nil:
			add(&stoppedThread{event: e, id: *e.ThreadID})
		case i == 0:
			id, _ := s.currentThread(threads) // no threads: Delve lists none for a stripped program, but has a stack
			add(&stoppedThread{event: e, id: id})
		}
	}
	if sweep {
		for _, th := range threads {
			served := slices.ContainsFunc(v.threads, func(have *stoppedThread) bool { return have.id == th.Id })
			if !served && (s.profile.ThreadOnCPU == nil || s.profile.ThreadOnCPU.MatchString(th.Name)) {
				add(&stoppedThread{id: th.Id})
			}
		}
	}
	if len(more) > 0 {
		questions := make([]question, len(more))
		for i, th := range more {
			questions[i] = topFrames(th.id, 1)
		}
		replies, ok := t.ask(limits{total: lookTimeout}, questions...)
		if !ok {
			return false
		}
		for i, th := range more {
			th.frame = frameOf(replies[i])
			if th.frame != nil || th.event != nil {
				r.threads = append(r.threads, th)
			}
		}
	}
	if r == &v.opening {
		v.primaryFirst()
	}
	return true
}

// primaryFirst moves the thread that the stop is named after to the front.
func (v *pendingStop) primaryFirst() {
	for _, th := range v.opening.threads {
		if th.event == v.primary() {
			toFront(v.opening.threads, th)
			return
		}
	}
}

// toFront moves an element of a list to its front.
func toFront[T comparable](list []T, e T) {
	if i := slices.Index(list, e); i > 0 {
		copy(list[1:i+1], list[:i])
		list[0] = e
	}
}

// topFrames returns the question for the innermost frames of a thread.
func topFrames(thread, levels int) question {
	return question{"stackTrace", dapclient.StackTraceArguments{ThreadID: thread, Levels: levels}}
}

// lldb-dap sends a stopped event for each thread that has a stop reason. A step runs only its own thread, so another
// thread that is still at a breakpoint keeps its reason: its hit is reported again at the end of the step. Events of
// the other threads may also arrive when the stop has been served, or after the next resume.

// tellingTime is how long a stop waits for the events of other threads; tellingPause is the interval of the checks.
const (
	tellingTime  = 100 * time.Millisecond
	tellingPause = 2 * time.Millisecond
)

// awaitOthers waits for the stopped events of the thread that the stop is named after and of each thread that is at a
// breakpoint. lldb-dap never sends an event that it has not sent before the program is resumed (measured 2026-11-28: up
// to 20 of 100 hits of four threads on a busy machine). It does not wait for threads that did not move because another
// one stepped.
func (s *Session) awaitOthers(t *turn, r *round, v *pendingStop, threads []dap.Thread) bool {
	if s.steps.run == nil {
		clear(s.stops.unreportedAt)
	}
	var others []int
	for _, th := range threads {
		if !r.tells(th.Id) {
			others = append(others, th.Id)
		}
	}
	if len(others) == 0 {
		return true
	}
	questions := make([]question, len(others))
	for i, id := range others {
		questions[i] = topFrames(id, 1)
	}
	replies, ok := t.ask(limits{total: lookTimeout}, questions...)
	if !ok {
		return false
	}
	silent := map[int]string{}
	for i, id := range others {
		f := frameOf(replies[i])
		if f == nil {
			continue
		}
		at := f.InstructionPointerReference
		if !slices.ContainsFunc(s.held.Entries(), func(e *breakpoint.Entry) bool { return e.IsAt(at) }) {
			continue
		}
		if stayed := s.steps.run != nil && (at == s.stops.reportedAt[id] || at == s.stops.unreportedAt[id]); !stayed {
			silent[id] = at
		}
	}
	for until := time.Now().Add(tellingTime); ; {
		maps.DeleteFunc(silent, func(id int, _ string) bool { return r.tells(id) })
		if len(silent) == 0 && (!s.stops.focuses || v.primary().CausedFocus) || !time.Now().Before(until) {
			break
		}
		if !t.sleep(tellingPause) {
			return false
		}
	}
	if s.stops.unreportedAt == nil {
		s.stops.unreportedAt = map[int]string{}
	}
	maps.Copy(s.stops.unreportedAt, silent)
	return true
}

// lostResume is how long after a late event a resume may stay without a continued event.
const lostResume = 300 * time.Millisecond

// tooLate reports whether a stopped event of another thread belongs to a stop that has been left, and must be ignored.
// An event of the next stop comes after a continued event. A tracepoint hit that was not reported yet is served like
// any other; a hit that would stop the program is over, since its thread has moved on.
func (s *Session) tooLate(e *dapclient.Stopped) bool {
	if !s.profile.RepeatsStops || e.CausedFocus || e.ThreadID == nil {
		return false
	}
	left := s.stops.pending == nil && (s.public.state == Running || s.resumes.going != nil)
	if !left || s.resumes.told == s.resumes.sent {
		return false
	}
	if *e.ThreadID == s.stops.thread || s.stops.reportedAt[*e.ThreadID] == "" && !s.stopsFor(e) {
		return false
	}
	number, thread := s.resumes.sent, *e.ThreadID
	s.begin(func(t *turn) { s.repeatLostResume(t, number, thread) })
	return true
}

// repeatLostResume sends a resume again when the debugger has lost it. lldb-dap 19 may lose a resume that comes while
// it still reports the stop: it answers with success, but the program stays stopped (measured 2026-11-28: 1 of 100 on a
// busy machine).
func (s *Session) repeatLostResume(t *turn, number, thread int) {
	if !t.sleep(lostResume) || s.stops.pending != nil || s.public.state != Running || s.closing() {
		return
	}
	if s.resumes.sent != number || s.resumes.told == number {
		return
	}
	s.log.Info("the debugger has lost a resume, which is sent again")
	if s.steps.run != nil {
		s.stepSilently(s.steps.run, s.steps.run.sent)
		return
	}
	s.resumeSilently(thread)
}

// stopsFor reports whether the event may be a hit of a breakpoint that stops the program.
func (s *Session) stopsFor(e *dapclient.Stopped) bool {
	for _, entry := range s.held.Entries() {
		if !entry.HasID || !slices.Contains(e.HitBreakpointIDs, entry.ID) {
			continue
		}
		for _, bp := range entry.Logicals {
			if !bp.Spec.Traces() {
				return true
			}
		}
	}
	return false
}

// dropRepeated removes hits that were reported before from a stop that belongs to a step.
func (s *Session) dropRepeated(v *pendingStop) {
	r := v.round
	if !s.profile.RepeatsStops || len(r.events) == 0 {
		return
	}
	primary, reported := v.primary(), map[int]string{}
	if primary.ThreadID != nil {
		s.stops.thread = *primary.ThreadID
	}
	ofStep := s.steps.run != nil || stopReason(primary.Reason) == StopStep
	if ofStep || r != &v.opening {
		if reported = maps.Clone(s.stops.reportedAt); reported == nil {
			reported = map[int]string{}
		}
	}
	kept := r.threads[:0]
	for _, th := range r.threads {
		delete(reported, th.id)
		if th.frame != nil && th.event != nil && stopReason(th.event.Reason) == StopBreakpoint {
			at := th.frame.InstructionPointerReference
			reported[th.id] = at
			if ofStep && th.event != primary && at != "" && s.stops.reportedAt[th.id] == at {
				continue
			}
		}
		kept = append(kept, th)
	}
	r.threads, s.stops.reportedAt = kept, reported
}
