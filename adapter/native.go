package adapter

import (
	"maps"
	"slices"

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
func (s *Session) pushNative(e *entry, bp *Breakpoint) {
	if bp.Spec.Kind != Tracepoint || bp.Spec.Strategy == "stop" {
		return
	}
	message, condition, why := s.logPoint(e, bp)
	if why != "" {
		if bp.Spec.Strategy == "native" {
			e.notNative = why
		}
		return
	}
	e.native, e.condition = message, condition
	s.held.natives[bp.ID] = bp
}

// logPoint returns the debugger's log message for a tracepoint, or why there is none.
func (s *Session) logPoint(e *entry, bp *Breakpoint) (message, condition, why string) {
	switch {
	case !s.debugger.capabilities.SupportsLogPoints || s.profile.LogPoints == "":
		return "", "", s.profile.Name + " has no log points that carry values"
	case s.profile.LogPointsOnDemand && bp.Spec.Strategy != "native":
		return "", "", "only on demand"
	case bp.Spec.Max > 0 && bp.Spec.Strategy != "native":
		// At its limit a log point should go, and some debuggers count wrong when it goes in a running program.
		return "", "", "a tracepoint with a limit stops, to be removed from the debugger while the program is stopped"
	}
	template := bp.template
	if template == nil {
		template, _ = tracepoints.Parse("")
	}
	var ok bool
	switch s.profile.LogPoints {
	case "delve":
		message, ok, why = tracepoints.Delve(bp.ID, bp.Spec.Condition, template)
	case "debugpy":
		// debugpy's own conditions fail silently, so the message's helper evaluates the condition.
		message, ok, why = tracepoints.Debugpy(bp.ID, bp.Spec.Condition, template)
		if ok {
			return message, "", ""
		}
	case "lldb":
		message, ok, why = tracepoints.LLDB(bp.ID, template)
	case "js-debug":
		if message, ok, why = tracepoints.JSDebug(bp.ID, bp.Spec.Condition, template); ok {
			return message, "", ""
		}
	}
	switch {
	case !ok:
		return "", "", why
	case e.condition != bp.Spec.Condition:
		return "", "", "the condition is evaluated by breakwire"
	}
	return message, e.condition, ""
}

// parseLogPoint parses a log point's output.
func (s *Session) parseLogPoint(output string) (tracepoints.Record, bool) {
	switch s.profile.LogPoints {
	case "delve":
		return tracepoints.ParseDelve(output)
	case "debugpy":
		return tracepoints.ParseDebugpy(output)
	case "lldb":
		return tracepoints.ParseLLDB(output)
	case "js-debug":
		return tracepoints.ParseJSDebug(output)
	}
	return tracepoints.Record{}, false
}

// nativeHit journals the hit of a log point's output event. It reports false for any other output.
func (s *Session) nativeHit(body dap.OutputEventBody) bool {
	if len(s.held.natives) == 0 {
		return false
	}
	record, ok := s.parseLogPoint(body.Output)
	if !ok || record.Passed {
		return ok
	}
	s.held.logged[record.ID]++
	held := s.held.natives[record.ID]
	if held == nil {
		return false
	}
	bp := s.current(held)
	if bp == nil {
		return true // it came after the tracepoint was removed or disabled
	}
	h := &hit{bp: bp, binding: s.held.bindings[record.ID]}
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
		SessionID: s.id, BreakpointID: bp.ID, Type: string(Tracepoint), Location: location,
		ThreadID: s.threadOf(record), HitCount: h.count, LogMessage: logMessage(bp, record.ConditionError, record.Values),
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
func (s *Session) drop(off *Breakpoint) {
	if s.profile.ChangeRepeatsHit && s.public.state == Running && len(s.held.natives) > 0 {
		s.held.spent = append(s.held.spent, off)
		return
	}
	s.beginApply([]*Breakpoint{off})
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
	s.held.sent = sent
	received := tracepoints.DebugpyReceived
	if _, err := s.debugger.conn.Send(dapclient.Request{Command: received.Command, Args: received.Arguments}); err != nil {
		s.log.Debug("the end of the program is not held back", "error", err)
	}
	return true
}

// tellLostHits tells how many hits of native log points were lost when the program ended. Without the program's report
// (it was killed, or has crashed) nobody knows, and the number is 0.
func (s *Session) tellLostHits() {
	if s.profile.LogPoints != "debugpy" || len(s.held.logged) == 0 && s.held.sent == nil {
		return
	}
	lost := lostHits(s.held.sent, s.held.logged)
	if s.held.sent == nil && !s.backend.Replayed {
		lost[""] = 0
	}
	for _, id := range slices.Sorted(maps.Keys(lost)) {
		s.public.info.HitsLost = true
		s.note(journal.TypeLost, id, &Lost{What: "hits", Count: lost[id]})
	}
}

// lostHits returns how many hits were sent and did not come, by tracepoint.
func lostHits(sent, came map[string]uint64) map[string]uint64 {
	lost := map[string]uint64{}
	for id, n := range sent {
		if n > came[id] {
			lost[id] = n - came[id]
		}
	}
	return lost
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

// logMessage renders the message of a hit, nil for a tracepoint without one. The error of a condition precedes it, and
// is the whole message where there is none.
func logMessage(bp *Breakpoint, conditionError string, values []tracepoints.Value) *string {
	text := ""
	if conditionError != "" {
		text = "<error: " + conditionError + ">"
	}
	if bp.template != nil {
		if text != "" {
			text += " "
		}
		for len(values) < len(bp.template.Expressions()) {
			values = append(values, tracepoints.Value{Err: "no value came"})
		}
		text += bp.template.Render(values)
	} else if text == "" {
		return nil
	}
	return &text
}
