package adapter

import (
	"slices"

	"breakwire/adapter/breakpoint"
	"breakwire/dapclient"
)

// recognise finds the breakpoints that explain the current round of a stop.
func (s *Session) recognise(v *pendingStop) {
	r := v.round
	s.dropRepeated(v)
	for _, th := range r.threads {
		if v.isCallEnd(th) {
			continue
		}
		entries := s.entriesAt(th)
		if len(entries) > 0 {
			v.matched = true
		} else if th.event != nil && s.held.Gone(th.event.HitBreakpointIDs, th.frame) {
			v.stale = true
		}
		th.unnamed = !s.names(th.event, entries)
		for _, e := range entries {
			for _, held := range e.Logicals {
				// The registry is newer than the debugger's list.
				bp := s.current(held)
				if bp == nil {
					v.stale = true
					continue
				}
				again := slices.ContainsFunc(r.hits, func(h *hit) bool { return h.thread == th && h.bp == bp })
				if !again { // several entries of one function's name can be at one place
					r.hits = append(r.hits, &hit{thread: th, entry: e, bp: bp, binding: s.held.Bindings[bp.ID]})
				}
			}
		}
	}
}

// entriesAt returns the entries that a thread is at: by the ids that the debugger names, else by file and line, else by
// function. A file name without its folders never decides.
func (s *Session) entriesAt(th *stoppedThread) []*breakpoint.Entry {
	reached := th.event != nil && stopReason(th.event.Reason) == StopBreakpoint && !th.watches
	if reached {
		if out := s.held.Named(th.event.HitBreakpointIDs, th.frame); len(out) > 0 {
			return out
		}
	}
	if th.frame == nil || th.event != nil && s.stepRefused(th.event) {
		return nil
	}
	hidden := s.profile.StepHidesHits && s.hidesHit(th)
	told := reached || hidden || s.conditionFailed(th.event) || s.trapped(th.event)
	if !told && !s.profile.SweepStops {
		return th.written
	}
	at := s.held.At(th.frame, breakpoint.Arrival{Reached: reached, Hidden: hidden, Told: told,
		Function: reached && th.event.Reason == "function breakpoint", Inside: s.endsInside(th)})
	return append(at, th.written...)
}

// names reports whether a stop says that these entries were hit: by their ids, or because it is the hit of a breakpoint
// and there is only one.
func (s *Session) names(e *dapclient.Stopped, entries []*breakpoint.Entry) bool {
	switch {
	case e == nil:
		return false
	case s.conditionFailed(e):
		return len(entries) <= 1
	case stopReason(e.Reason) != StopBreakpoint:
		return false
	}
	return breakpoint.NamesAll(e.HitBreakpointIDs, entries)
}

// conditionFailed reports whether a stop is about a condition that could not be evaluated. Some debuggers report it as
// an exception.
func (s *Session) conditionFailed(e *dapclient.Stopped) bool {
	return e != nil && s.profile.ConditionErrorText != nil && s.profile.ConditionErrorText.MatchString(e.Text)
}

// trapped reports whether a stop may be a hit that the debugger reports as an exception.
func (s *Session) trapped(e *dapclient.Stopped) bool {
	return e != nil && s.profile.HitText != nil && stopReason(e.Reason) == StopException &&
		(s.profile.HitText.MatchString(e.Description) || s.profile.HitText.MatchString(e.Text))
}
