package adapter

import (
	"maps"
	"slices"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/inspect"
	"breakwire/adapter/journal"
	"breakwire/dapclient"
	"breakwire/tracepoints"

	"github.com/google/go-dap"
)

// Native log points: the debugger evaluates the values and resumes itself, and each hit comes as an output event. The
// message formats are in package tracepoints, facts and limits in docs/backends.md.

// pushNative makes a tracepoint that is alone on its line a log point of the debugger, where its hits then carry thread
// and values.
func (s *Session) pushNative(e *breakpoint.Entry, bp *breakpoint.Breakpoint) {
	if bp.Spec.Kind != breakpoint.Tracepoint || bp.Spec.Strategy == "stop" {
		return
	}
	message, condition, why := e.LogPoint(s.profile, s.debugger.capabilities.SupportsLogPoints, bp)
	if why != "" {
		if bp.Spec.Strategy == "native" {
			e.NotNative = why
		}
		return
	}
	e.Native, e.Condition = message, condition
	s.held.Natives[bp.ID] = bp
}

// nativeHit journals the hit of a log point's output event. It reports false for any other output.
func (s *Session) nativeHit(body dap.OutputEventBody) bool {
	if len(s.held.Natives) == 0 {
		return false
	}
	record, ok := breakpoint.ParseLogPoint(s.profile, body.Output)
	if !ok || record.Passed {
		return ok
	}
	s.held.Logged[record.ID]++
	held := s.held.Natives[record.ID]
	if held == nil {
		return false
	}
	bp := s.current(held)
	if bp == nil {
		return true // it came after the tracepoint was removed or disabled
	}
	h := &hit{bp: bp, binding: s.held.Bindings[record.ID]}
	if !h.counted() {
		return true
	}
	location := inspect.Location{File: bp.Spec.File, Line: bp.Spec.Line}
	if h.binding.BoundLine > 0 {
		location.Line = h.binding.BoundLine
	}
	if body.Source != nil && body.Source.Path != "" {
		location.File = s.clientPath(body.Source.Path)
	}
	if body.Line > 0 {
		location.Line = body.Line
	}
	s.appendTrace(&Hit{
		SessionID: s.id, BreakpointID: bp.ID, Type: string(breakpoint.Tracepoint), Location: location,
		ThreadID: s.threadOf(record), HitCount: h.count, LogMessage: bp.Message(record.ConditionError, record.Values),
	})
	if h.exhausted {
		if off := s.manager.exhaust(s, bp); off != nil {
			s.drop(off)
		}
	}
	return true
}

// drop removes a tracepoint that has reached its limit: at the next stop, where a change in a running program would
// repeat hits of other tracepoints. Its own hits do not count any more.
func (s *Session) drop(off *breakpoint.Breakpoint) {
	if s.profile.ChangeRepeatsHit && s.public.state == Running && len(s.held.Natives) > 0 {
		s.held.Spent = append(s.held.Spent, off)
		return
	}
	s.beginApply([]*breakpoint.Breakpoint{off})
}

// takeSent takes the program's report of all hits that it has sent, and confirms it: the program ends after that.
func (s *Session) takeSent(output string) bool {
	if s.profile.LogPoints != "debugpy" {
		return false
	}
	sent, ok := tracepoints.ParseDebugpyEnd(output)
	if !ok {
		return false
	}
	s.held.Sent = sent
	received := tracepoints.DebugpyReceived
	if _, err := s.debugger.conn.Send(dapclient.Request{Command: received.Command, Args: received.Arguments}); err != nil {
		s.log.Debug("the end of the program is not held back", "error", err)
	}
	return true
}

// tellLostHits tells how many hits of native log points were lost when the program ended. Without the program's report
// (it was killed, or has crashed) nobody knows, and the number is 0.
func (s *Session) tellLostHits() {
	if s.profile.LogPoints != "debugpy" || len(s.held.Logged) == 0 && s.held.Sent == nil {
		return
	}
	lost := breakpoint.LostHits(s.held.Sent, s.held.Logged)
	if s.held.Sent == nil && !s.backend.Replayed {
		lost[""] = 0
	}
	for _, id := range slices.Sorted(maps.Keys(lost)) {
		s.public.info.HitsLost = true
		s.note(journal.TypeLost, id, &Lost{What: "hits", Count: lost[id]})
	}
}

// threadOf returns the thread of a record: the debugger's number, else the only thread there is.
func (s *Session) threadOf(r tracepoints.Record) int {
	switch {
	case r.Goroutine != 0:
		return r.Goroutine
	case r.Thread != 0:
		return r.Thread
	case len(s.public.threads) == 1:
		return s.public.threads[0].ID
	}
	return 0
}
