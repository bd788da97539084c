package adapter

import "slices"

// fileSet holds the entries of one file, or all function breakpoints.
type fileSet struct {
	entries []*entry
	sent    []*entry // sent and not answered yet; nil when all is answered
	busy    bool
	byID    bool // answers come in no fixed order

	wished, answered int // number of the last wish, and of the last wish that a complete answered list contained
}

// oneMore returns how many of the entries may be sent. Where answers are matched by id, that is the known entries and
// one new one. It sorts the known ones first, then those that were asked for in vain.
func (set *fileSet) oneMore(next []*entry) int {
	if !set.byID {
		return len(next)
	}
	rank := func(e *entry) int {
		switch {
		case e.hasID:
			return 0
		case e.asked:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(next, func(a, b *entry) int { return rank(a) - rank(b) })
	known := slices.IndexFunc(next, func(e *entry) bool { return rank(e) == 2 })
	if known < 0 {
		return len(next)
	}
	return known + 1
}

// keepKnown copies what is known of unchanged entries, so that a stop that comes before the answer is recognised.
func (set *fileSet) keepKnown(next []*entry) {
	for _, n := range next {
		for _, o := range set.entries {
			if o.same(n) {
				n.id, n.hasID, n.verified, n.bound, n.source, n.address = o.id, o.hasID, o.verified, o.bound, o.source, o.address
				n.begun, n.supposed, n.asked = o.begun, o.supposed, o.asked
				n.why, n.next, n.last = o.why, o.next, o.last
			}
		}
	}
}

func addTo(entries []*entry, e *entry, bp *Breakpoint) []*entry {
	for _, have := range entries {
		if have.same(e) {
			have.logicals = append(have.logicals, bp)
			return entries
		}
	}
	e.logicals = []*Breakpoint{bp}
	return append(entries, e)
}

// inOrder sorts answers in the order of their entries: first by known id; an answer without an id belongs to an entry
// that was asked for in vain. What is left belongs to the new entry, which is the last.
func inOrder(entries []*entry, answers []heldBreakpoint) []heldBreakpoint {
	var out []heldBreakpoint
	for _, e := range entries {
		at := slices.IndexFunc(answers, func(b heldBreakpoint) bool {
			if b.ID == nil {
				return !e.hasID && e.asked
			}
			return e.hasID && *b.ID == e.id
		})
		if at < 0 {
			break
		}
		out = append(out, answers[at])
		answers = slices.Delete(answers, at, at+1)
	}
	return append(out, answers...)
}
