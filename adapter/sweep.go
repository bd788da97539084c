package adapter

import (
	"slices"
	"time"

	"breakwire/adapter/journal"
	"breakwire/dapclient"
)

// The late sweep. A backend that names one thread of a stop although others stand at breakpoints too (Delve) has to be asked for
// them before any resume. When the thread it names makes the stop visible for certain, the stop is told first and the others are
// looked for after: asking for all threads takes longer than the rest of the stop. A resume waits for the end of it.

// stopsForSure tells whether a stop will be visible whatever else is found: each breakpoint that it names is a blocking one that
// nothing is left to decide of, and one of them is due.
func (s *Session) stopsForSure(e *dapclient.Stopped) bool {
	if stopReason(e.Reason) != StopBreakpoint || e.ThreadID == nil || len(e.HitBreakpointIDs) == 0 || len(s.temps) > 0 || s.step != nil {
		return false
	}
	sure := false
	for _, id := range e.HitBreakpointIDs {
		i := slices.IndexFunc(s.entries(), func(have *entry) bool { return have.hasID && have.id == id })
		if i < 0 {
			return false
		}
		held := s.entries()[i]
		for _, l := range held.logicals {
			bp := s.current(l)
			if bp == nil || bp.Spec.Kind == Tracepoint || bp.Spec.Condition != held.condition || bp.Spec.Condition != "" && s.profile.RecheckConditions {
				return false
			}
			b := s.bindings[bp.ID]
			if b == nil {
				return false
			}
			sure = sure || bp.hitCondition == nil || bp.hitCondition.Match(b.counts.Hits()+1)
		}
	}
	return sure
}

// sweepLate looks for the other threads of a stop that has been told, unless its thread is known to be alone. What the user
// reads meanwhile goes first; a resume does not.
func (s *Session) sweepLate(v *service, stop *Stop) {
	w := &service{
		events: []dapclient.Stopped{{Reason: "pause"}}, phase: gathered, found: stop,
		spots: []*spot{{thread: stop.ThreadID}}, // which has been served
	}
	s.service = w
	v.verdict.then(func(alone bool) {
		if s.service != w {
			return
		}
		if alone {
			s.foundLate(w)
			s.whenQuiet(s.refreshThreads)
			return
		}
		w.start = func() { s.beginSweep(w) }
		if len(s.afterSweep) > 0 {
			w.hurry()
			return
		}
		s.whenQuiet(w.hurry)
	})
}

func (s *Session) beginSweep(w *service) {
	s.ask(limits{total: lookTimeout}, func(replies []reply) {
		if s.service != w {
			return
		}
		threads := s.threadsOf(replies[0])
		s.publish()
		s.note(journal.TypeThread, "", &ThreadChange{Reason: "listed"})
		s.lookAround(w, threads, true)
	}, question{command: "threads"})
	s.learnScheduler(false)
}

// hurry begins a late sweep that waits for quiet.
func (v *service) hurry() {
	if start := v.start; start != nil {
		v.start = nil
		start()
	}
}

// Quiet is when the user has not read for quietTime; it is not waited for longer than quietLimit.
const (
	quietTime  = 5 * time.Millisecond
	quietLimit = 100 * time.Millisecond
)

// whenQuiet does something about the current stop once the user's reads leave room for it, and not at all when the stop ends before.
func (s *Session) whenQuiet(do func()) {
	epoch, end := s.epoch, time.Now().Add(quietLimit)
	var wait func(time.Duration)
	wait = func(d time.Duration) {
		s.after(d, func() {
			if s.epoch != epoch || s.state != Paused || s.going != nil || s.closing {
				return
			}
			if quiet := s.reads.quiet(); quiet < quietTime && time.Now().Before(end) {
				wait(quietTime - quiet)
				return
			}
			do()
			s.learnScheduler(true)
		})
	}
	wait(quietTime)
}

// foundLate adds what the sweep has found to the stop, and lets a resume go that has waited. Tracepoint hits have been told by then.
func (s *Session) foundLate(v *service) {
	s.service = nil
	if s.state == Paused && s.stop != nil && s.stop.Seq == v.found.Seq {
		s.addHits(v.stops)
	}
	waiting := s.afterSweep
	s.afterSweep = nil
	for _, f := range waiting {
		f()
	}
}

// addHits tells further blocking hits of the current stop.
func (s *Session) addHits(hits []*hit) {
	hits = slices.DeleteFunc(hits, func(h *hit) bool { return h.bp.temporary })
	if len(hits) == 0 {
		return
	}
	stop := *s.stop
	stop.BreakpointIDs = slices.Clone(stop.BreakpointIDs)
	for _, h := range hits {
		if !slices.Contains(stop.BreakpointIDs, h.bp.ID) {
			stop.BreakpointIDs = append(stop.BreakpointIDs, h.bp.ID)
		}
	}
	s.stop = &stop
	s.journal.Append(func(first uint64) []journal.Entry {
		s.publish()
		at := time.Now()
		entries := make([]journal.Entry, len(hits))
		for i, h := range hits {
			entries[i] = s.hitEntry(h, &stop, first+uint64(i), at)
		}
		return entries
	})
}
