package adapter

import (
	"strings"

	"breakwire/adapter/breakpoint"
	"breakwire/tracepoints"
)

// Where a stop costs much more than a pass (debugpy: 20 ms), conditions and hit conditions are tested in the program.
// The test catches errors, counts, and reports each pass that halts before the stop comes
// (tracepoints.DebugpyCondition).

// pushFilter lets the debugger test the conditions of a breakpoint that is alone at its place.
func (s *Session) pushFilter(e *breakpoint.Entry, bp *breakpoint.Breakpoint) {
	if s.profile.Conditions != "debugpy" || e.Native != "" || bp.Temporary ||
		bp.Spec.Condition == "" && bp.HitCondition == nil || !s.debugger.capabilities.SupportsConditionalBreakpoints {
		return
	}
	var hits tracepoints.HitCondition
	if bp.HitCondition != nil {
		hits = *bp.HitCondition
	}
	var base uint64
	if b := s.held.Bindings[bp.ID]; b != nil {
		base = b.Counts.Hits()
	}
	e.Filter, _ = tracepoints.DebugpyCondition(s.passID(bp.ID), bp.Spec.Condition, hits, base)
}

// passID returns the id of a breakpoint in reports: forked programs inherit the counts of their parents.
func (s *Session) passID(breakpoint string) string { return s.id + "-" + breakpoint }

// passed takes a report from an output event. It reports false for any other output.
func (s *Session) passed(output string) bool {
	if s.profile.Conditions != "debugpy" {
		return false
	}
	p, ok := tracepoints.ParseDebugpyPass(output)
	if !ok {
		return false
	}
	p.ID, ok = strings.CutPrefix(p.ID, s.passID(""))
	if b := s.held.Bindings[p.ID]; !ok || b == nil {
		return true // it came after the breakpoint was removed
	} else if b.Counts.Passed(p.Silent, p.False); p.Halts {
		s.held.Passes.Drop(p.ID, p.Thread)
		s.held.Passes.Reported = append(s.held.Passes.Reported, p)
	}
	return true
}
