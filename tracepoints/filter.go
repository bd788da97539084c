package tracepoints

// Filter says which hits of a tracepoint are told.
type Filter struct {
	Multiple int // tell hits Multiple, 2*Multiple, ...; 0 and 1 tell every hit
	Max      int // after this many notifications the tracepoint is exhausted; 0 is no limit
}

// State counts the hits of one tracepoint. A hit passes through it after its condition held and
// before its message is rendered. It does no locking.
type State struct {
	Filter Filter
	Hits   uint64 // hits whose condition held
	Sent   uint64 // notifications since the last Rearm
}

// Exhausted reports whether the limit was reached.
func (s *State) Exhausted() bool {
	return s.Filter.Max > 0 && s.Sent >= uint64(s.Filter.Max)
}

// WouldNotify reports what Hit is going to answer, without counting.
func (s *State) WouldNotify() bool {
	return !s.Exhausted() && (s.Filter.Multiple <= 1 || (s.Hits+1)%uint64(s.Filter.Multiple) == 0)
}

// Hit counts a hit. notify: it is to be told. exhausted: the limit is reached, with this very hit when
// notify is true too, and the tracepoint is to be disabled now. A hit that was still under way when the limit
// was reached is neither told nor counted.
func (s *State) Hit() (notify, exhausted bool) {
	if s.Exhausted() {
		return false, true
	}
	notify = s.WouldNotify()
	s.Hits++
	if notify {
		s.Sent++
	}
	return notify, s.Exhausted()
}

// Rearm starts a new Max, as enabling an exhausted tracepoint does. Hits go on counting.
func (s *State) Rearm() { s.Sent = 0 }
