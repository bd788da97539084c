package adapter

import (
	"maps"
	"slices"
	"time"

	"breakwire/dapclient"
)

// lldb-dap tells a stop once for each thread that has a reason to be stopped. A thread that hit a breakpoint and did not move since, because the next resume was
// a step, which lets only its own thread run, still has that reason: the hit is told again with the next stop of the step. And what is told of the other threads of a
// stop may come when the stop has been served, or has been left.

// tellingTime is how long is waited for what a stop has to tell of further threads, and tellingPause how often that is looked at.
const (
	tellingTime  = 100 * time.Millisecond
	tellingPause = 2 * time.Millisecond
)

// awaitOthers waits until a stop is told of the thread that it is named after, and of each that stands at a breakpoint: what the backend has not told when the
// program runs on, it never tells (measured 2026-11-28, up to 20 of 100 hits of four threads on a busy machine). What is told again of a thread that did not move,
// since another one stepped, is not waited for.
func (s *Session) awaitOthers(v *service, threads reply, then func()) {
	if s.step == nil {
		clear(s.mute)
	}
	var others []int
	v.threads = s.threadsOf(threads)
	for _, t := range v.threads {
		if !v.tells(t.Id) {
			others = append(others, t.Id)
		}
	}
	if len(others) == 0 {
		then()
		return
	}
	questions := make([]question, len(others))
	for i, id := range others {
		questions[i] = s.topFrame(id)
	}
	s.ask(limits{total: lookTimeout}, func(replies []reply) {
		if s.service != v {
			return
		}
		silent := map[int]string{}
		for i, id := range others {
			f := frameOf(replies[i])
			if f == nil || !slices.ContainsFunc(s.entries(), func(e *entry) bool { return e.isAt(f.InstructionPointerReference) }) {
				continue
			}
			at := f.InstructionPointerReference
			if stayed := s.step != nil && (at == s.stood[id] || at == s.mute[id]); !stayed {
				silent[id] = at
			}
		}
		s.awaitTold(v, silent, time.Now().Add(tellingTime), then)
	}, questions...)
}

// awaitTold goes on when no thread of a stop is silent any more, that with the focus included, or when there was time enough to tell of them.
func (s *Session) awaitTold(v *service, silent map[int]string, until time.Time, then func()) {
	maps.DeleteFunc(silent, func(id int, _ string) bool { return v.tells(id) })
	if (len(silent) > 0 || s.focuses && !v.primary().CausedFocus) && time.Now().Before(until) {
		s.after(tellingPause, func() {
			if s.service == v {
				s.awaitTold(v, silent, until, then)
			}
		})
		return
	}
	if s.mute == nil {
		s.mute = map[int]string{}
	}
	maps.Copy(s.mute, silent)
	then()
}

// tells whether an event of a stop is about a thread.
func (v *service) tells(thread int) bool {
	return slices.ContainsFunc(v.events, func(e dapclient.Stopped) bool { return e.ThreadID != nil && *e.ThreadID == thread })
}

// lostResume is how long after a late event a resume may stay without a continued event.
const lostResume = 300 * time.Millisecond

// tooLate takes the stopped event of another thread of a stop that has been left: what belongs to the next stop comes behind a continued event. A hit of
// tracepoints that was not told yet is served like any other. One that would stop the program is over, its thread has passed it.
func (s *Session) tooLate(e *dapclient.Stopped) bool {
	if !s.profile.RepeatsStops || e.CausedFocus || e.ThreadID == nil || s.service != nil || s.state != Running && s.going == nil || s.goneOn == s.resumed {
		return false
	}
	if *e.ThreadID == s.stopThread || s.stood[*e.ThreadID] == "" && !s.stopsFor(e) {
		return false
	}
	// lldb-dap 19 may lose a resume that comes while it still tells of the stop: it says yes, and the program stands (measured 2026-11-28, 1 of 100 on a busy machine).
	number := s.resumed
	s.after(lostResume, func() {
		if s.resumed != number || s.goneOn == number || s.service != nil || s.state != Running || s.closing {
			return
		}
		s.log.Info("the debugger has lost a resume, which is sent again")
		if s.step != nil {
			s.stepSilently(s.step, s.step.sent)
			return
		}
		s.resumeSilently(*e.ThreadID)
	})
	return true
}

// stopsFor tells whether a hit may be of a breakpoint that stops the program.
func (s *Session) stopsFor(e *dapclient.Stopped) bool {
	for _, entry := range s.entries() {
		if !entry.hasID || !slices.Contains(e.HitBreakpointIDs, entry.id) {
			continue
		}
		for _, bp := range entry.logicals {
			if bp.Spec.Kind != Tracepoint {
				return true
			}
		}
	}
	return false
}

// dropRepeated takes the hits that have been told before out of a stop on the way of a step.
func (s *Session) dropRepeated(v *service) {
	if !s.profile.RepeatsStops {
		return
	}
	first := v
	for first.before != nil {
		first = first.before
	}
	primary, stood := first.primary(), map[int]string{}
	if primary.ThreadID != nil {
		s.stopThread = *primary.ThreadID
	}
	ofStep := s.step != nil || stopReason(primary.Reason) == StopStep
	if ofStep || first != v {
		stood = maps.Clone(s.stood)
		if stood == nil {
			stood = map[int]string{}
		}
	}
	kept := v.spots[:0]
	for _, sp := range v.spots {
		delete(stood, sp.thread)
		if sp.frame != nil && sp.event != nil && stopReason(sp.event.Reason) == StopBreakpoint {
			at := sp.frame.InstructionPointerReference
			stood[sp.thread] = at
			if ofStep && sp.event != primary && at != "" && s.stood[sp.thread] == at {
				continue
			}
		}
		kept = append(kept, sp)
	}
	v.spots, s.stood = kept, stood
}
