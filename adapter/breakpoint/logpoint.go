package breakpoint

import (
	"breakwire/dapclient"
	"breakwire/tracepoints"
)

// LogPoint returns the debugger's log message for a tracepoint, or why there is none. can is the capability
// supportsLogPoints.
func (e *Entry) LogPoint(p *dapclient.Profile, can bool, bp *Breakpoint) (message, condition, why string) {
	switch {
	case !can || p.LogPoints == "":
		return "", "", p.Name + " has no log points that carry values"
	case p.LogPointsOnDemand && bp.Spec.Strategy != "native":
		return "", "", "only on demand"
	case bp.Spec.Max > 0 && bp.Spec.Strategy != "native":
		// At its limit a log point should go, and some debuggers count wrong when it goes in a running program.
		return "", "", "a tracepoint with a limit stops, to be removed from the debugger while the program is stopped"
	}
	template := bp.Template
	if template == nil {
		template, _ = tracepoints.Parse("")
	}
	var ok bool
	switch p.LogPoints {
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
	case e.Condition != bp.Spec.Condition:
		return "", "", "the condition is evaluated by breakwire"
	}
	return message, e.Condition, ""
}

// ParseLogPoint parses a log point's output.
func ParseLogPoint(p *dapclient.Profile, output string) (tracepoints.Record, bool) {
	switch p.LogPoints {
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

// LostHits returns how many hits were sent and did not come, by tracepoint.
func LostHits(sent, came map[string]uint64) map[string]uint64 {
	lost := map[string]uint64{}
	for id, n := range sent {
		if n > came[id] {
			lost[id] = n - came[id]
		}
	}
	return lost
}

// Message renders the message of a hit, nil for a tracepoint without one. The error of a condition precedes it, and
// is the whole message where there is none.
func (bp *Breakpoint) Message(conditionError string, values []tracepoints.Value) *string {
	text := ""
	if conditionError != "" {
		text = "<error: " + conditionError + ">"
	}
	if bp.Template != nil {
		if text != "" {
			text += " "
		}
		for len(values) < len(bp.Template.Expressions()) {
			values = append(values, tracepoints.Value{Err: "no value came"})
		}
		text += bp.Template.Render(values)
	} else if text == "" {
		return nil
	}
	return &text
}
