package adapter

import "sync/atomic"

// Breakpoint states.
const (
	BreakpointPending  = "pending"
	BreakpointBound    = "bound"
	BreakpointDisabled = "disabled"
	BreakpointFailed   = "failed"
)

// Binding is a logical breakpoint as one session has it. It is immutable but for the
// counts, which are read and written without waiting.
type Binding struct {
	State     string
	Message   string
	BoundLine int
	Strategy  string // the one really used: native or stop

	max    uint64
	counts *counts
}

// counts of one breakpoint in one session.
type counts struct {
	hits atomic.Uint64
	sent atomic.Uint64 // notifications since it was last enabled, for the limit
	told atomic.Uint64 // notifications in all
}

// exhausted tells that the limit is reached: hits still under way are not counted.
func (b *Binding) exhausted() bool {
	return b.max > 0 && b.counts.sent.Load() >= b.max
}

// nextPasses tells whether the next hit of a tracepoint will be told.
func (b *Binding) nextPasses(bp *Breakpoint) bool {
	return !b.exhausted() && passes(b.counts.hits.Load()+1, bp.Spec.Multiple)
}

// passes takes the hit just counted through filter and limit.
func (b *Binding) passes(h *hit) bool {
	if !passes(h.count, h.bp.Spec.Multiple) {
		return false
	}
	h.exhausted = b.sent()
	return true
}

// sent counts a notification and tells whether it was the last one allowed.
func (b *Binding) sent() bool {
	b.counts.told.Add(1)
	n := b.counts.sent.Add(1)
	return b.max > 0 && n >= b.max
}

func passes(count uint64, multiple int) bool {
	return multiple <= 1 || count%uint64(multiple) == 0
}
