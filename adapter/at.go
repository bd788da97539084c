package adapter

import (
	"slices"

	"github.com/google/go-dap"
)

// arrival is what a stop says of a thread that it concerns.
type arrival struct {
	reached  bool // it is the hit of a breakpoint
	hidden   bool // it is the end of a step, which may hide a hit
	told     bool // it is a hit, or may be one that the debugger reports as something else
	function bool // it is the hit of a function breakpoint
}

// named returns the entries with the ids that the debugger names. Where it names one of several at an instruction, it
// returns them all.
func (h *held) named(ids []int, frame *dap.StackFrame) []*entry {
	if len(ids) == 0 {
		return nil
	}
	var out []*entry
	for _, e := range h.entries() {
		if e.hasID && slices.Contains(ids, e.id) {
			out = appendNew(out, e)
			if frame != nil && frame.InstructionPointerReference != "" {
				e.learn(frame.InstructionPointerReference)
			}
		}
	}
	if len(out) > 0 && h.profile.NamesOneHit && frame != nil {
		for _, e := range h.entries() {
			if e.isAt(frame.InstructionPointerReference) {
				out = appendNew(out, e)
			}
		}
	}
	return stopping(out)
}

// at returns the entries at a frame's place, by file and line, else by function.
func (h *held) at(frame *dap.StackFrame, a arrival) []*entry {
	var out, functions []*entry
	for _, e := range h.entries() {
		switch {
		case !e.at(frame) || !a.told && !e.standsAt(frame):
		case e.function != "":
			functions = append(functions, e)
		default:
			out = appendNew(out, e)
		}
	}
	// A frame is in a function at each of its lines, but the breakpoint of a function is where the function begins: at
	// a stop that nothing else explains.
	begins := a.reached && (len(out) == 0 || a.function)
	for _, e := range functions {
		switch {
		case begins:
			e.begin(frame)
		case a.reached && len(e.begun) == 0:
			e.suppose(frame)
		case (a.reached || a.hidden) && !e.begun[placeOf(frame)]:
			continue
		}
		out = appendNew(out, e)
	}
	return stopping(out)
}

// namesAll reports whether the ids of a hit are those of these entries. A debugger that names none can mean one only.
func namesAll(ids []int, entries []*entry) bool {
	if len(ids) == 0 {
		return len(entries) <= 1
	}
	return !slices.ContainsFunc(entries, func(e *entry) bool { return !e.hasID || !slices.Contains(ids, e.id) })
}

// stopping removes the debugger's log points when other entries are at the same place: the debugger reports their hits
// itself.
func stopping(list []*entry) []*entry {
	isLogPoint := func(e *entry) bool { return e.native != "" }
	if i := slices.IndexFunc(list, func(e *entry) bool { return !isLogPoint(e) }); i >= 0 {
		return slices.DeleteFunc(list, isLogPoint)
	}
	return list
}

// standsAt reports whether a thread that no event names is at the exact instruction of a breakpoint, not only in its
// line.
func (e *entry) standsAt(f *dap.StackFrame) bool {
	if e.native != "" || f.InstructionPointerReference == "" {
		return false
	}
	if len(e.address) == 0 {
		// No hit of it was reported yet, so its instruction is unknown. A thread in this line cannot have passed the
		// breakpoint without a stop, so it is at it. It can where a condition is not true: judge learns the instruction.
		if e.condition != "" {
			return true
		}
		e.learn(f.InstructionPointerReference)
	}
	return e.isAt(f.InstructionPointerReference)
}

func appendNew(list []*entry, e *entry) []*entry {
	if slices.ContainsFunc(list, e.same) {
		return list
	}
	return append(list, e)
}

// gone reports whether an entry that was removed explains a stop.
func (h *held) gone(ids []int, frame *dap.StackFrame) bool {
	for _, e := range h.removed {
		if e.hasID && slices.Contains(ids, e.id) {
			return true
		}
		if frame != nil && e.at(frame) && (len(e.begun) == 0 || e.begun[placeOf(frame)]) {
			return true
		}
	}
	return false
}
