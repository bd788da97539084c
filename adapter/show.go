package adapter

import (
	"slices"
	"strings"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/inspect"
	"breakwire/adapter/journal"
	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// seeksSource reports whether a stop is in code without source and its stack has not been asked for yet. Such a stop is
// shown at the innermost frame with source, which is where the program called out.
func (s *Session) seeksSource(v *pendingStop, reason string) bool {
	named := v.named()
	if v.sought || named == nil || len(v.stops) > 0 && reason != StopException {
		return false
	}
	return named.frame == nil || !hasSource(named.frame) || s.waitsInLibrary(v, reason)
}

// waitsInLibrary reports whether a pause, a panic, or a fatal error of Go found the program in a library. The user then
// wants to see the program's own frame that called it.
func (s *Session) waitsInLibrary(v *pendingStop, reason string) bool {
	panics := v.panicked != nil || reason == StopException && s.profile.Language == dapclient.Go
	return (reason == StopPause || panics) && v.named().frame != nil && !inspect.IsUserFrame(*v.named().frame)
}

// findSource asks for the stack of such a stop.
func (s *Session) findSource(t *turn, v *pendingStop, reason string) bool {
	v.sought = true
	library := s.waitsInLibrary(v, reason)
	replies, ok := t.ask(limits{total: lookTimeout}, topFrames(v.named().id, 50))
	if !ok {
		return false
	}
	if replies[0].err == nil {
		body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](replies[0].m)
		if err == nil {
			v.shown, v.shownAt = shownFrame(body.StackFrames, library)
		}
	}
	return true
}

// shownFrame returns the innermost frame with source and its index; with own, one of the program's own if there is any.
// It returns nil when that is the top frame.
func shownFrame(frames []dap.StackFrame, own bool) (*dap.StackFrame, int) {
	if own {
		if i := slices.IndexFunc(frames, inspect.IsUserFrame); i >= 0 {
			return &frames[i], i
		}
	}
	if i := slices.IndexFunc(frames, func(f dap.StackFrame) bool { return hasSource(&f) }); i > 0 {
		return &frames[i], i
	}
	return nil, 0
}

// hasSource reports whether a frame has a source file. A library's frame has none, has a relative path, or is marked
// subtle or label by the adapter (DAP, StackFrame.presentationHint).
func hasSource(f *dap.StackFrame) bool {
	return f.Source != nil && mapping.IsAbs(f.Source.Path) && f.Line > 0 &&
		f.PresentationHint != "subtle" && f.PresentationHint != "label"
}

// show makes a stop visible: the snapshot first, then the journal, then the callers that wait. Where the other threads
// are still to be examined, it does that last; until then the stop stays pending and a resume waits.
func (s *Session) show(t *turn, v *pendingStop, reason string) {
	returned, ok := s.askReturned(t, v, reason)
	if !ok {
		return
	}
	s.stops.epoch++
	stop := &Stop{
		Reason: reason, ThreadID: v.thread(), BreakpointIDs: []string{}, Text: v.textOf(reason), epoch: s.stops.epoch,
		Returned: returned,
	}
	if reason == StopException {
		stop.Exception = v.thrown.exception
	}
	if l := s.origin.launch; l != nil && l.diedOf != "" {
		stop.Reason, stop.Exception = StopException, &ExceptionStop{Exception: inspect.Exception{
			Type: "signal", Message: "signal " + l.diedOf, IsFirstChance: true, BreakMode: "always"}}
	}
	if of := s.callText(v); of != "" {
		stop.Text = strings.TrimPrefix(stop.Text+"; "+of, "; ")
	}
	told := s.nameHits(stop, v.stops)
	named, at := v.named(), v.shown
	if len(v.stops) > 0 && (stop.Exception == nil || v.panicHit() != nil) {
		// The stop is about a blocking hit, but may be named after a tracepoint's thread.
		named = v.stops[0].thread
		stop.ThreadID = named.id
	}
	if further := told; len(further) > 0 {
		if further[0].thread.id == stop.ThreadID {
			further = further[1:]
		}
		stop.AlsoStopped = furtherHits(further)
	}
	if named != nil && named.frame != nil {
		// so that the first read does not ask for it again
		s.inspection.cache.Frames.Put(s.stops.epoch, named.id, 0, []dap.StackFrame{*named.frame})
		if at == nil || named != v.named() {
			at = named.frame
		}
	}
	s.inspection.cache.Frames.PutAhead(s.stops.epoch, v.others.ahead)
	s.inspection.cache.PutEarly(s.stops.epoch, v.others.early)
	if at != nil && at == v.shown {
		stop.outside, stop.FrameIndex = true, v.shownAt
		s.inspection.cache.Frames.Put(s.stops.epoch, stop.ThreadID, v.shownAt, []dap.StackFrame{*at})
	}
	if at != nil {
		stop.Location = s.locationOf(at)
		stop.Source = inspect.Excerpt(sessionDebugger{s}.Source, stop.Location)
	}
	for _, t := range s.public.threads {
		if t.ID == stop.ThreadID {
			stop.ThreadName = s.nameNow(t.Name, at)
		}
	}
	s.dropTemporaries()
	if !v.others.late {
		s.stops.pending = nil
	}
	s.makeVisible(stop, func(first uint64, at time.Time) []journal.Entry {
		stop.Seq = first
		var entries []journal.Entry
		for i, h := range told {
			entries = append(entries, s.hitEntry(h, stop, first+uint64(i), at))
		}
		if len(entries) == 0 {
			entries = append(entries, journal.Entry{
				Session: s.id, Class: journal.Control, Type: journal.TypeStop, Time: at, Data: stop,
			})
		}
		return entries
	})
	s.arrived(v, stop)
	if !v.others.late {
		return
	}
	v.stops = nil
	if s.sweepLate(t, v) {
		s.stops.pending = nil
		if s.public.state == Paused && s.stops.shown != nil && s.stops.shown.Seq == stop.Seq {
			s.addHits(v.stops)
		}
	}
}

// textOf returns the debugger's text about a stop, for the reasons that show one.
func (v *pendingStop) textOf(reason string) string {
	switch {
	case v.refused != "":
		return v.refused
	case reason == StopException || reason == StopResumeFailed:
		return inspect.JoinNotes(v.primary().Text, v.thrown.note)
	}
	return ""
}

// nameHits writes the hits into the stop. It returns those to report: all but those of temporary breakpoints.
func (s *Session) nameHits(stop *Stop, hits []*hit) (told []*hit) {
	for _, h := range hits {
		if h.bp.Temporary {
			stop.ranTo = h.bp
			continue
		}
		told = append(told, h)
		if !slices.Contains(stop.BreakpointIDs, h.bp.ID) { // several threads may be at one breakpoint
			stop.BreakpointIDs = append(stop.BreakpointIDs, h.bp.ID)
		}
		if c, ok := h.thread.changes[h.entry]; ok {
			stop.Changes = append(stop.Changes, c)
		}
		if h.failure != "" && stop.ConditionError == "" {
			stop.ConditionError = h.failure
			s.bind(h.bp.ID, func(b *breakpoint.Binding) { b.Message = undecided + h.failure })
		}
	}
	switch {
	case len(told) > 0:
		stop.HitCount = told[0].count
		if stop.Exception == nil {
			stop.Reason = StopBreakpoint
		}
	case len(hits) > 0:
		stop.Reason = hits[0].bp.StopReason
	}
	return told
}

// makeVisible publishes a stop.
func (s *Session) makeVisible(stop *Stop, entries func(first uint64, at time.Time) []journal.Entry) {
	s.stops.shown = stop
	s.public.threads = slices.Clone(s.public.threads)
	for i := range s.public.threads {
		s.public.threads[i].State = "stopped"
		s.public.threads[i].IsCurrent = s.public.threads[i].ID == stop.ThreadID
		if s.public.threads[i].Location = nil; s.public.threads[i].IsCurrent {
			s.public.threads[i].Location = stop.Location
		}
	}
	s.inspection.reads.admit(s.life.ctx, s.stops.epoch)
	s.changeState(Paused, entries)
}

// arrived answers the calls that waited for this stop, and refreshes the thread list.
func (s *Session) arrived(v *pendingStop, stop *Stop) {
	s.endPausing(stop, nil)
	s.stepStopped(v, stop)
	switch {
	case v.others.late: // the sweep lists the threads
	case v.others.listed: // they are listed already; a second list would delay the user's next request
		s.note(journal.TypeThread, "", &ThreadChange{Reason: "listed"})
	default: // no list was needed so far; one now would delay the user's next request
		s.begin(s.refreshWhenQuiet)
	}
	s.askSources()
}

// hitEntry returns the journal entry of one blocking hit.
func (s *Session) hitEntry(h *hit, stop *Stop, seq uint64, at time.Time) journal.Entry {
	event := &HitEvent{
		Hit: Hit{
			Seq: seq, SessionID: s.id, BreakpointID: h.bp.ID, Type: string(breakpoint.Blocking), Location: s.hitLocation(h),
			ThreadID: h.thread.id, Timestamp: journal.Timestamp(at), HitCount: h.count,
		},
		Stop: stop,
	}
	event.takes(h)
	if stop.Exception != nil && h.bp.Spec.Kind == breakpoint.Exception {
		event.Exception = &HitException{
			Type: stop.Exception.Type, Message: stop.Exception.Message, IsFirstChance: stop.Exception.IsFirstChance,
		}
	}
	return journal.Entry{
		Session: s.id, Class: journal.Control, Type: journal.TypeHit, Time: at, BreakpointID: h.bp.ID, Data: event,
	}
}

// dropTemporaries removes the breakpoints of run_to and entry: any visible stop ends their purpose.
func (s *Session) dropTemporaries() {
	if gone := s.held.Temps; len(gone) > 0 {
		s.held.Temps = nil
		s.beginApply(gone)
	}
}
