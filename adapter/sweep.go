package adapter

import (
	"context"
	"slices"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/journal"
	"breakwire/dapclient"
)

// The late sweep: a debugger that names one thread of a stop although others may be at breakpoints (Delve) has to be
// asked about them before any resume. When the named thread makes the stop visible for certain, the session shows the
// stop first and asks afterwards, because listing all threads takes longer than the rest of the stop. A resume waits
// for the end of the sweep, and so does an answer with a new stop, for sweepPatience.

// sweepPatience is how long an answer with a new stop waits for the hits of the other threads.
const sweepPatience = 250 * time.Millisecond

// withFurtherHits returns the result of a wait when the other threads of its stop have been examined.
func (s *Session) withFurtherHits(ctx context.Context, r WaitResult) WaitResult {
	if r.Stop == nil || !s.profile.SweepStops {
		return r
	}
	stop, err := inTurn(ctx, s, func(t *turn) (*Stop, error) {
		shown := func() bool { return s.stops.shown != nil && s.stops.shown.Seq == r.Stop.Seq }
		s.stops.awaited++
		t.untilOr(sweepPatience, func() bool { return s.stops.pending == nil || !shown() })
		if s.stops.awaited--; !shown() || s.stops.pending != nil {
			return r.Stop, nil
		}
		told := *s.stops.shown
		told.late = nil
		s.stops.shown = &told
		s.publish()
		return &told, nil
	})
	if err == nil {
		return ResultOfStop(stop)
	}
	return r
}

// stopsForSure reports whether a stop will be visible whatever else is found: all breakpoints that it names are
// blocking, their conditions are decided by the debugger, and one of them is due.
func (s *Session) stopsForSure(e *dapclient.Stopped) bool {
	if stopReason(e.Reason) != StopBreakpoint || e.ThreadID == nil || len(e.HitBreakpointIDs) == 0 {
		return false
	}
	if len(s.held.Temps) > 0 || s.steps.run != nil {
		return false
	}
	sure := false
	for _, id := range e.HitBreakpointIDs {
		i := slices.IndexFunc(s.held.Entries(), func(have *breakpoint.Entry) bool { return have.HasID && have.ID == id })
		if i < 0 {
			return false
		}
		held := s.held.Entries()[i]
		for _, l := range held.Logicals {
			bp := s.current(l)
			if bp == nil || bp.Spec.Traces() || bp.Spec.Condition != held.Condition {
				return false
			}
			if bp.Spec.Condition != "" && s.profile.RecheckConditions {
				return false
			}
			b := s.held.Bindings[bp.ID]
			if b == nil {
				return false
			}
			sure = sure || bp.HitCondition == nil || bp.HitCondition.Match(b.Counts.Hits()+1)
		}
	}
	return sure
}

// sweepLate looks for hits of the other threads after a stop has been shown. Reads of the user go first; a resume
// waits.
func (s *Session) sweepLate(t *turn, v *pendingStop) bool {
	alone, ok := s.awaitAlone(t, v)
	if !ok {
		return false
	}
	if alone {
		s.begin(s.refreshWhenQuiet)
		return s.serveLater(t, v)
	}
	quiet, ok := s.awaitQuiet(t, func() bool {
		return s.stops.awaited > 0 || s.resumes.going != nil && s.resumes.going.waits
	})
	if !ok || !s.sweep(t, v, true) {
		return false
	}
	if quiet {
		s.learnScheduler(true)
	} else {
		s.begin(s.learnWhenQuiet) // an answer waited for the sweep
	}
	return s.serveLater(t, v)
}

// learnWhenQuiet learns the scheduler at the current stop when the user's reads pause, unless a resume comes first.
func (s *Session) learnWhenQuiet(t *turn) {
	if s.quietAtStop(t) {
		s.learnScheduler(true)
	}
}

// sweepNow looks for hits of the other threads of a stop that was expected to be visible and is not.
func (s *Session) sweepNow(t *turn, v *pendingStop) bool {
	v.others.late = false
	alone, ok := s.awaitAlone(t, v)
	return ok && (alone || s.sweep(t, v, false))
}

// awaitAlone waits for the answer whether the stopped thread is the only one that runs. alone is false when nobody
// asked.
func (s *Session) awaitAlone(t *turn, v *pendingStop) (alone, ok bool) {
	if v.others.verdict == nil {
		return false, true
	}
	replies, ok := t.wait(v.others.verdict)
	if ok {
		v.others.alone = s.isAlone(replies[0])
	}
	return v.others.alone, ok
}

// sweep looks for hits of threads that have not been served. told says that the stop has been shown.
func (s *Session) sweep(t *turn, v *pendingStop, told bool) bool {
	v.round = &round{phase: gathered}
	a := s.send(limits{total: lookTimeout}, question{command: "threads"})
	s.learnScheduler(false)
	replies, ok := t.wait(a)
	if !ok {
		return false
	}
	v.others.listed = replies[0].err == nil
	threads := s.threadsOf(replies[0])
	if told {
		s.publish()
		s.note(journal.TypeThread, "", &ThreadChange{Reason: "listed"})
	}
	return s.lookAround(t, v, threads, true) && s.takeHits(t, v)
}

// Reads are quiet when the user has made none for quietTime. A sweep waits for that at most quietLimit.
const (
	quietTime  = 5 * time.Millisecond
	quietLimit = 100 * time.Millisecond
)

// awaitQuiet waits until the user's reads of the current stop pause. quiet is false when cutShort ended the wait.
func (s *Session) awaitQuiet(t *turn, cutShort func() bool) (quiet, ok bool) {
	wait := quietTime
	for end := time.Now().Add(quietLimit); ; {
		if !t.untilOr(wait, cutShort) {
			return false, false
		}
		if cutShort() {
			return false, true
		}
		rest := quietTime - s.inspection.reads.quiet()
		if rest <= 0 || !time.Now().Before(end) {
			return true, true
		}
		wait = rest
	}
}

// refreshWhenQuiet asks for the threads of the current stop when the user's reads pause.
func (s *Session) refreshWhenQuiet(t *turn) {
	if s.quietAtStop(t) {
		s.refreshThreads()
		s.learnScheduler(true)
	}
}

// quietAtStop waits until the user's reads of the current stop pause. It reports whether the program is still there.
func (s *Session) quietAtStop(t *turn) bool {
	epoch := s.stops.epoch
	left := func() bool {
		return s.stops.epoch != epoch || s.public.state != Paused || s.resumes.going != nil || s.closing()
	}
	quiet, ok := s.awaitQuiet(t, left)
	return ok && quiet && !left()
}

// addHits adds blocking hits to the current stop and journals them.
func (s *Session) addHits(hits []*hit) {
	hits = slices.DeleteFunc(hits, func(h *hit) bool { return h.bp.Temporary || s.current(h.bp) == nil })
	if len(hits) == 0 {
		return
	}
	stop := *s.stops.shown
	stop.BreakpointIDs = slices.Clone(stop.BreakpointIDs)
	for _, h := range hits {
		if !slices.Contains(stop.BreakpointIDs, h.bp.ID) {
			stop.BreakpointIDs = append(stop.BreakpointIDs, h.bp.ID)
		}
	}
	stop.late = append(slices.Clip(stop.late), furtherHits(hits)...)
	stop.AlsoStopped = append(slices.Clip(stop.AlsoStopped), furtherHits(hits)...)
	s.stops.shown = &stop
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
