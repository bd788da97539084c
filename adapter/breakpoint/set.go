package breakpoint

import "slices"

// Set holds the entries of one file, or all function breakpoints.
type Set struct {
	Entries []*Entry
	Sent    []*Entry // sent and not answered yet; nil when all is answered
	Busy    bool
	byID    bool // answers come in no fixed order

	Wished, Answered int // number of the last wish, and of the last wish that a complete answered list contained
}

// OneMore returns how many of the entries may be sent. Where answers are matched by id, that is the known entries and
// one new one. It sorts the known ones first, then those that were asked for in vain.
func (set *Set) OneMore(next []*Entry) int {
	if !set.byID {
		return len(next)
	}
	rank := func(e *Entry) int {
		switch {
		case e.HasID:
			return 0
		case e.Asked:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(next, func(a, b *Entry) int { return rank(a) - rank(b) })
	known := slices.IndexFunc(next, func(e *Entry) bool { return rank(e) == 2 })
	if known < 0 {
		return len(next)
	}
	return known + 1
}

// KeepKnown copies what is known of unchanged entries, so that a stop that comes before the answer is recognised.
func (set *Set) KeepKnown(next []*Entry) {
	for _, n := range next {
		for _, o := range set.Entries {
			if o.Same(n) {
				n.ID, n.HasID, n.Verified, n.Bound, n.Source, n.Address = o.ID, o.HasID, o.Verified, o.Bound, o.Source, o.Address
				n.begun, n.supposed, n.Asked = o.begun, o.supposed, o.Asked
				n.Why, n.Next, n.Last = o.Why, o.Next, o.Last
			}
		}
	}
}

// AddTo adds a breakpoint to the entry of its place, and the entry to the list if there is none yet.
func AddTo(entries []*Entry, e *Entry, bp *Breakpoint) []*Entry {
	for _, have := range entries {
		if have.Same(e) {
			have.Logicals = append(have.Logicals, bp)
			return entries
		}
	}
	e.Logicals = []*Breakpoint{bp}
	return append(entries, e)
}

// inOrder sorts answers in the order of their entries: first by known id; an answer without an id belongs to an entry
// that was asked for in vain. What is left belongs to the new entry, which is the last.
func inOrder(entries []*Entry, answers []Answer) []Answer {
	var out []Answer
	for _, e := range entries {
		at := slices.IndexFunc(answers, func(b Answer) bool {
			if b.ID == nil {
				return !e.HasID && e.Asked
			}
			return e.HasID && *b.ID == e.ID
		})
		if at < 0 {
			break
		}
		out = append(out, answers[at])
		answers = slices.Delete(answers, at, at+1)
	}
	return append(out, answers...)
}
