package tracepoints

import "sync/atomic"

// Filter says which hits of a tracepoint are told.
type Filter struct {
	Multiple int // tell hits Multiple, 2*Multiple, ...; 0 and 1 tell every hit
	Max      int // after this many notifications the tracepoint is exhausted; 0 is no limit
}

// State counts the hits of one breakpoint or tracepoint. A hit passes through it after its condition held and before
// its message is rendered. One goroutine counts; the numbers may be read by any, without waiting.
type State struct {
	Filter Filter

	hits atomic.Uint64
	sent atomic.Uint64
	told atomic.Uint64
}

// Hits is how many hits had a condition that held.
func (s *State) Hits() uint64 { return s.hits.Load() }

// Told is how many of them were told.
func (s *State) Told() uint64 { return s.told.Load() }

// Exhausted reports whether the limit was reached.
func (s *State) Exhausted() bool {
	return s.Filter.Max > 0 && s.sent.Load() >= uint64(s.Filter.Max)
}

// WouldNotify reports what Hit is going to answer, without counting.
func (s *State) WouldNotify() bool {
	return !s.Exhausted() && (s.Filter.Multiple <= 1 || (s.hits.Load()+1)%uint64(s.Filter.Multiple) == 0)
}

// Hit counts a hit and returns its number. notify: it is to be told. exhausted: the limit is reached, with this very
// hit when notify is true too, and the tracepoint is to be disabled now. A hit that was still under way when the limit
// was reached is neither told nor counted.
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

// Rearm starts a new Max, as enabling an exhausted tracepoint does. Hits go on counting.
func (s *State) Rearm() { s.sent.Store(0) }
