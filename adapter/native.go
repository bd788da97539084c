package adapter

import (
	"breakwire/tracepoints"

	"github.com/google/go-dap"
)

// pushNative gives a tracepoint that is alone on its line to the backend as a log point, where each hit then carries its
// thread and values (facts: docs/backends.md, Log points).
func (s *Session) pushNative(e *entry, bp *Breakpoint) {
	if bp.Spec.Kind != Tracepoint || bp.Spec.Strategy == "stop" || !s.capabilities.SupportsLogPoints {
		return
	}
	if s.profile.Name != "dlv" {
		return
	}
	if bp.Spec.Condition != "" && e.condition != bp.Spec.Condition {
		return
	}
	template := bp.template
	if template == nil {
		template = emptyTemplate
	}
	message, ok, why := tracepoints.Delve(bp.ID, template)
	if !ok {
		s.log.Debug("tracepoint not native", "breakpoint", bp.ID, "why", why)
		return
	}
	e.native = message
	s.natives[bp.ID] = bp
}

var emptyTemplate, _ = tracepoints.Parse("")

// nativeHit takes a log point's output event for the hit that it is. It reports false for any other output.
func (s *Session) nativeHit(body dap.OutputEventBody) bool {
	if len(s.natives) == 0 {
		return false
	}
	record, ok := tracepoints.ParseDelve(body.Output)
	if !ok {
		return false
	}
	held := s.natives[record.ID]
	if held == nil {
		return false
	}
	bp := s.current(held)
	binding := s.bindings[record.ID]
	if bp == nil || binding == nil || binding.exhausted() {
		return true // under way when it was removed, disabled or used up
	}
	h := &hit{bp: bp, binding: binding, spot: &spot{thread: record.Goroutine}, count: binding.counts.hits.Add(1)}
	if !binding.passes(h) {
		return true
	}
	location := Location{File: bp.Spec.File, Line: bp.Spec.Line}
	if binding.BoundLine > 0 {
		location.Line = binding.BoundLine
	}
	if body.Source != nil && body.Source.Path != "" {
		location.File = s.clientPath(body.Source.Path)
	}
	if body.Line > 0 {
		location.Line = body.Line
	}
	var message *string
	if bp.template != nil {
		values := record.Values
		for i := range values {
			values[i].Text = s.displayed(values[i].Text, "")
		}
		text := bp.template.Render(values)
		message = &text
	}
	s.appendTrace(&Hit{
		SessionID: s.id, BreakpointID: bp.ID, Type: string(Tracepoint), Location: location,
		ThreadID: record.Goroutine, HitCount: h.count, LogMessage: message,
	})
	if h.exhausted {
		s.manager.exhaust(s, bp)
	}
	return true
}
