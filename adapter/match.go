package adapter

import (
	"slices"

	"breakwire/dapclient"

	"github.com/google/go-dap"
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
		} else if th.event != nil && s.goneAt(th) {
			v.stale = true
		}
		th.unnamed = !s.names(th.event, entries)
		for _, e := range entries {
			for _, held := range e.logicals {
				// The registry is newer than the debugger's list.
				bp := s.current(held)
				if bp == nil {
					v.stale = true
					continue
				}
				again := slices.ContainsFunc(r.hits, func(h *hit) bool { return h.thread == th && h.bp == bp })
				if !again { // several entries of one function's name can be at one place
					r.hits = append(r.hits, &hit{thread: th, entry: e, bp: bp, binding: s.held.bindings[bp.ID]})
				}
			}
		}
	}
}

// entriesAt returns the entries that a thread is at: by the ids that the debugger names, else by file and line, else by
// function. A file name without its folders never decides.
func (s *Session) entriesAt(th *stoppedThread) []*entry {
	all := s.entries()
	reached := th.event != nil && stopReason(th.event.Reason) == StopBreakpoint && !th.watches
	if reached && len(th.event.HitBreakpointIDs) > 0 {
		var out []*entry
		for _, e := range all {
			if e.hasID && slices.Contains(th.event.HitBreakpointIDs, e.id) {
				out = appendNew(out, e)
				if th.frame != nil && th.frame.InstructionPointerReference != "" {
					e.learn(th.frame.InstructionPointerReference)
				}
			}
		}
		if len(out) > 0 && s.profile.NamesOneHit && th.frame != nil {
			for _, e := range all {
				if e.isAt(th.frame.InstructionPointerReference) {
					out = appendNew(out, e)
				}
			}
		}
		if len(out) > 0 {
			return stopping(out)
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
	var out, functions []*entry
	for _, e := range all {
		switch {
		case !e.at(th.frame) || !told && !s.standsAt(e, th.frame):
		case e.function != "":
			functions = append(functions, e)
		default:
			out = appendNew(out, e)
		}
	}
	// A frame is in a function at each of its lines, but the breakpoint of a function is where the function begins: at
	// a stop that nothing else explains.
	begins := reached && (len(out) == 0 || th.event.Reason == "function breakpoint")
	for _, e := range functions {
		switch {
		case begins:
			e.begin(th.frame)
		case reached && len(e.begun) == 0:
			e.suppose(th.frame)
		case (reached || hidden) && !e.begun[placeOf(th.frame)]:
			continue
		}
		out = appendNew(out, e)
	}
	return append(stopping(out), th.written...)
}

// names reports whether a stop says that these entries were hit: by their ids, or because it is the hit of a breakpoint
// and there is only one.
func (s *Session) names(e *dapclient.Stopped, entries []*entry) bool {
	switch {
	case e == nil:
		return false
	case s.conditionFailed(e):
		return len(entries) <= 1
	case stopReason(e.Reason) != StopBreakpoint:
		return false
	case len(e.HitBreakpointIDs) == 0:
		return len(entries) <= 1
	}
	return !slices.ContainsFunc(entries, func(have *entry) bool {
		return !have.hasID || !slices.Contains(e.HitBreakpointIDs, have.id)
	})
}

// stopping removes the debugger's log points when other entries are at the same place: the debugger reports their hits
// itself.
func stopping(list []*entry) []*entry {
	isLogPoint := func(e *entry) bool { return e.native != "" }
	if i := slices.IndexFunc(list, func(e *entry) bool { return !isLogPoint(e) }); i >= 0 {
		return slices.DeleteFunc(list, isLogPoint)
	}
	return list
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

// standsAt reports whether a thread that no event names is at the exact instruction of a breakpoint, not only in its
// line.
func (s *Session) standsAt(e *entry, f *dap.StackFrame) bool {
	if e.native != "" || f.InstructionPointerReference == "" {
		return false
	}
	if len(e.address) == 0 {
		// No hit of it was reported yet, so its instruction is unknown. A thread in this line cannot have passed the
		// breakpoint without a stop, so it is at it. It can where a condition is not true: judge learns the instruction.
		if e.condition != "" {
			return true
		}
		e.learn(f.InstructionPointerReference)
	}
	return e.isAt(f.InstructionPointerReference)
}

func appendNew(list []*entry, e *entry) []*entry {
	if slices.ContainsFunc(list, e.same) {
		return list
	}
	return append(list, e)
}

// goneAt reports whether an entry that was removed explains a stop.
func (s *Session) goneAt(th *stoppedThread) bool {
	for _, e := range s.held.removed {
		if e.hasID && slices.Contains(th.event.HitBreakpointIDs, e.id) {
			return true
		}
		if th.frame != nil && e.at(th.frame) && (len(e.begun) == 0 || e.begun[placeOf(th.frame)]) {
			return true
		}
	}
	return false
}
