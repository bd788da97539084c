package tracepoints

import "sync/atomic"

// Filter selects the hits of a tracepoint that are reported.
type Filter struct {
	Multiple int // report hits Multiple, 2*Multiple, ...; 0 and 1 report every hit
	Max      int // after this many notifications the tracepoint is exhausted; 0: no limit
}

// State counts the hits of one breakpoint or tracepoint, after its condition held and before its message is rendered.
// One goroutine counts; any goroutine may read the numbers without waiting.
type State struct {
	Filter Filter

	hits atomic.Uint64
	sent atomic.Uint64
	told atomic.Uint64

	unsure atomic.Bool

	missed atomic.Uint64
	passed struct{ silent, missed uint64 } // reported by Passed so far
}

// Missed returns how often the condition was false, as far as that is known here.
func (s *State) Missed() uint64 { return s.missed.Load() }

// Miss counts a pass at which the condition was false.
func (s *State) Miss() { s.missed.Add(1) }

// Passed takes over what the debugger has counted so far: hits that its hit condition let pass, and passes at which the
// condition was false.
func (s *State) Passed(silent, missed uint64) {
	if silent > s.passed.silent {
		s.hits.Add(silent - s.passed.silent)
		s.passed.silent = silent
	}
	if missed > s.passed.missed {
		s.missed.Add(missed - s.passed.missed)
		s.passed.missed = missed
	}
}

// Hits returns the number of hits whose condition held.
func (s *State) Hits() uint64 { return s.hits.Load() }

// Doubt says that hits may have been passed without a report.
func (s *State) Doubt() { s.unsure.Store(true) }

// AtLeast reports whether there may have been more hits than were counted.
func (s *State) AtLeast() bool { return s.unsure.Load() }

// Told returns how many of them were reported.
func (s *State) Told() uint64 { return s.told.Load() }

// Exhausted reports whether the limit was reached.
func (s *State) Exhausted() bool {
	return s.Filter.Max > 0 && s.sent.Load() >= uint64(s.Filter.Max)
}

// WouldNotify returns the notify that the next Hit will return, without counting.
func (s *State) WouldNotify() bool {
	return !s.Exhausted() && (s.Filter.Multiple <= 1 || (s.hits.Load()+1)%uint64(s.Filter.Multiple) == 0)
}

// Hit counts a hit and returns its number. notify: report the hit. exhausted: the limit is reached, with this hit
// when notify is true, and the tracepoint must be disabled now. A hit that was under way when the limit was reached
// is neither reported nor counted.
func (s *State) Hit() (count uint64, notify, exhausted bool) {
	if s.Exhausted() {
		return s.hits.Load(), false, true
	}
	notify = s.WouldNotify()
	count = s.hits.Add(1)
	if notify {
		s.sent.Add(1)
		s.told.Add(1)
	}
	return count, notify, s.Exhausted()
}

// Rearm starts a new Max, when an exhausted tracepoint is enabled again. Hits continue to count.
func (s *State) Rearm() { s.sent.Store(0) }
