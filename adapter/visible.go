package adapter

import (
	"slices"
	"time"

	"breakwire/adapter/journal"
	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// stopAt makes a stop visible: the snapshot first, then the journal, then those who asked for it.
func (s *Session) stopAt(v *service, reason string) { s.stopWith(v, reason, nil, "") }

// stopWith is stopAt with what is known of an exception. A stop in code without source is shown at the innermost frame that has some: it is where
// the program called out.
func (s *Session) stopWith(v *service, reason string, exception *ExceptionStop, text string) {
	sp := v.spot()
	// A program is paused wherever it is, and mostly it waits in a library that may well have sources: who asked wants to know for what of its own.
	library := reason == StopPause && sp != nil && sp.frame != nil && !isUserFrame(*sp.frame)
	if sp == nil || (sp.frame != nil && hasSource(sp.frame) && !library) || len(v.stops) > 0 && exception == nil {
		s.stopNow(v, reason, exception, text)
		return
	}
	s.service = v
	s.ask(limits{total: lookTimeout}, func(replies []reply) {
		if s.service != v {
			return
		}
		if replies[0].err == nil {
			body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](replies[0].m)
			if err == nil {
				v.shown = shownFrame(body.StackFrames, library)
			}
		}
		s.stopNow(v, reason, exception, text)
	}, question{"stackTrace", dapclient.StackTraceArguments{ThreadID: sp.thread, Levels: 50}})
}

// shownFrame is the innermost frame with source, preferably, of a pause, one of the program's own; nil when that is the very first.
func shownFrame(frames []dap.StackFrame, own bool) *dap.StackFrame {
	if own {
		if i := slices.IndexFunc(frames, isUserFrame); i >= 0 {
			return &frames[i]
		}
	}
	if i := slices.IndexFunc(frames, func(f dap.StackFrame) bool { return hasSource(&f) }); i > 0 {
		return &frames[i]
	}
	return nil
}

// hasSource tells a frame of the program's own from one of a library: without sources, with names relative to where it was built, or
// which the adapter itself plays down.
func hasSource(f *dap.StackFrame) bool {
	return f.Source != nil && mapping.IsAbs(f.Source.Path) && f.Line > 0 && f.PresentationHint != "subtle" && f.PresentationHint != "label"
}

func (s *Session) stopNow(v *service, reason string, exception *ExceptionStop, text string) {
	if s.overtaken(v, func() { s.stopNow(v, reason, exception, text) }) {
		return
	}
	s.service = nil
	s.epoch++
	stop := &Stop{
		Reason: reason, ThreadID: v.thread(), BreakpointIDs: []string{}, Exception: exception, Text: text, epoch: s.epoch,
	}
	told := s.nameHits(stop, v.stops)
	spot, at := v.spot(), v.shown
	if len(v.stops) > 0 && exception == nil {
		// The stop is about a blocking hit; a tracepoint of another thread may have named it.
		spot = v.stops[0].spot
		stop.ThreadID = spot.thread
	}
	if spot != nil && spot.frame != nil {
		s.frames.put(s.epoch, spot.thread, 0, []dap.StackFrame{*spot.frame}) // so that the first look does not ask for it again
		if at == nil || spot != v.spot() {
			at = spot.frame
		}
	}
	s.frames.putAhead(s.epoch, v.ahead)
	if at != nil {
		stop.outside = at == v.shown
		stop.Location = s.locationOf(at)
		stop.Source = s.excerpt(stop.Location)
	}
	for _, t := range s.threads {
		if t.ID == stop.ThreadID {
			stop.ThreadName = s.nameNow(t.Name, at)
		}
	}
	s.dropTemporaries()
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
}

// nameHits says in a stop which hits it is of, and returns those that are told of: all but those of temporary breakpoints.
func (s *Session) nameHits(stop *Stop, hits []*hit) (told []*hit) {
	for _, h := range hits {
		if h.bp.temporary {
			stop.ranTo = h.bp
			continue
		}
		told = append(told, h)
		if !slices.Contains(stop.BreakpointIDs, h.bp.ID) { // several threads may stand at one
			stop.BreakpointIDs = append(stop.BreakpointIDs, h.bp.ID)
		}
		if h.failure != "" && stop.ConditionError == "" {
			stop.ConditionError = h.failure
			s.bind(h.bp.ID, func(b *Binding) { b.Message = undecided + h.failure })
		}
	}
	switch {
	case len(told) > 0:
		stop.HitCount = told[0].count
		if stop.Exception == nil {
			stop.Reason = StopBreakpoint
		}
	case len(hits) > 0:
		stop.Reason = hits[0].bp.stopReason
	}
	return told
}

// makeVisible publishes a stop.
func (s *Session) makeVisible(stop *Stop, entries func(first uint64, at time.Time) []journal.Entry) {
	s.stop = stop
	s.threads = slices.Clone(s.threads)
	for i := range s.threads {
		s.threads[i].State = "stopped"
		s.threads[i].IsCurrent = s.threads[i].ID == stop.ThreadID
		if s.threads[i].Location = nil; s.threads[i].IsCurrent {
			s.threads[i].Location = stop.Location
		}
	}
	s.reads.admit(s.ctx, s.epoch)
	s.changeState(Paused, entries)
}

// arrived tells the calls that waited for this stop, and refreshes the thread list.
func (s *Session) arrived(v *service, stop *Stop) {
	pausing := s.pausing
	s.pausing = nil
	for _, f := range pausing {
		f(stop, nil)
	}
	s.stepStopped(v, stop)
	if v.lazy {
		s.sweepLate(v, stop)
	} else if v.listed { // asking again would only hold up what the user does next
		s.note(journal.TypeThread, "", &ThreadChange{Reason: "listed"})
	} else if v.alone { // which is known without the list
		s.whenQuiet(s.refreshThreads)
	} else {
		s.refreshThreads()
	}
	s.askSources()
}

// spot is the one that the stop is named after.
func (v *service) spot() *spot {
	if len(v.spots) == 0 {
		return nil
	}
	return v.spots[0]
}

// hitEntry is the journal entry of one blocking hit.
func (s *Session) hitEntry(h *hit, stop *Stop, seq uint64, at time.Time) journal.Entry {
	event := &HitEvent{
		Hit: Hit{
			Seq: seq, SessionID: s.id, BreakpointID: h.bp.ID, Type: string(Blocking), Location: s.hitLocation(h),
			ThreadID: h.spot.thread, Timestamp: Timestamp(at), HitCount: h.count,
		},
		Stop: stop,
	}
	if stop.Exception != nil && h.bp.Spec.Kind == Exception {
		event.Exception = &HitException{
			Type: stop.Exception.Type, Message: stop.Exception.Message, IsFirstChance: stop.Exception.IsFirstChance,
		}
	}
	return journal.Entry{
		Session: s.id, Class: journal.Control, Type: journal.TypeHit, Time: at, BreakpointID: h.bp.ID, Data: event,
	}
}

// dropTemporaries takes the breakpoints of run_to and entry away: any visible stop ends what they were for.
func (s *Session) dropTemporaries() {
	if gone := s.temps; len(gone) > 0 {
		s.temps = nil
		s.applyChanged(gone, func() {})
	}
}
