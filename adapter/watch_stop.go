package adapter

import (
	"fmt"
	"slices"

	"breakwire/adapter/breakpoint"
)

// lookAtWatched finds out what a stop at watched memory is about: which memory, and what it holds now. A debugger does
// not name the memory, so it is what has changed, or all of it when nothing has.
func (s *Session) lookAtWatched(t *turn, v *pendingStop) bool {
	w := &s.held.Watched
	if w.Set.Wished == 0 { // there was never a watchpoint
		return true
	}
	for _, th := range v.round.threads {
		switch {
		case th.event == nil:
		case s.returned(th):
			th.watches, v.stale = true, true
		case th.event.Reason == "data breakpoint" || s.profile.WatchText != nil &&
			s.profile.WatchText.MatchString(th.event.Description):
			th.watches = true
			if len(w.Set.Entries) == 0 {
				v.stale = true // it was removed while the program ran
			} else if !s.readWatched(t, th, w.Set.Entries) {
				return false
			}
		}
	}
	return true
}

// readWatched reads all watched memory, and decides what the thread has touched.
func (s *Session) readWatched(t *turn, th *stoppedThread, entries []*breakpoint.Entry) bool {
	questions := make([]question, len(entries))
	for i, e := range entries {
		questions[i] = s.evaluation(e.Watch.Value, th.frame)
	}
	replies, ok := t.ask(limits{total: lookTimeout}, questions...)
	if !ok {
		return false
	}
	th.changes = map[*breakpoint.Entry]Change{}
	var changed, read []*breakpoint.Entry
	for i, e := range entries {
		now := s.valueOf(e.Watch.Value, replies[i])
		text := now.Text
		if now.Err != "" {
			text = "<error: " + now.Err + ">"
		}
		th.changes[e] = Change{e.Logicals[0].ID, e.Logicals[0].Spec.Expression, e.Last, text}
		switch {
		case text != e.Last:
			changed = append(changed, e)
		case e.Watch.Access != "write":
			read = append(read, e)
		}
		e.Last = text
	}
	th.written = entries
	if len(changed) > 0 {
		th.written = changed
	} else if len(read) > 0 {
		th.written = read
	}
	return true
}

// returned reports whether a stop is where the function of a watched local has returned to. It ends that watchpoint.
func (s *Session) returned(th *stoppedThread) bool {
	w, is := &s.held.Watched, false
	for _, bp := range s.watchpoints() {
		id, set := w.Returns[bp.ID]
		f := bp.Spec.Watch.Frame
		if !set || f == nil || !slices.Contains(th.event.HitBreakpointIDs, id) {
			continue
		}
		if is = true; f.Thread != th.id {
			continue // another goroutine
		}
		w.Ended[bp.ID] = fmt.Sprintf("%s has returned, so %s is gone", f.Function, bp.Spec.Expression)
		w.Set.Wished++
	}
	if is {
		s.rebind()
	}
	return is
}

// takes adds what a watchpoint has seen to its hit.
func (told *Hit) takes(h *hit) {
	if c, ok := h.thread.changes[h.entry]; ok {
		seen := c // its own variable, so that a hit without a change allocates nothing
		told.OldValue, told.NewValue = &seen.OldValue, &seen.NewValue
	}
}
