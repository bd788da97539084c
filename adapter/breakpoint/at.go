package breakpoint

import (
	"slices"

	"github.com/google/go-dap"
)

// Arrival is what a stop says of a thread that it concerns.
type Arrival struct {
	Reached  bool // it is the hit of a breakpoint
	Hidden   bool // it is the end of a step, which may hide a hit
	Told     bool // it is a hit, or may be one that the debugger reports as something else
	Function bool // it is the hit of a function breakpoint
	Inside   bool // it is the end of a step in the middle of a line, behind the place of a breakpoint
}

// Named returns the entries with the ids that the debugger names. Where it names one of several at an instruction, it
// returns them all.
func (h *Held) Named(ids []int, frame *dap.StackFrame) []*Entry {
	if len(ids) == 0 {
		return nil
	}
	var out []*Entry
	for _, e := range h.Entries() {
		if e.HasID && slices.Contains(ids, e.ID) {
			out = appendNew(out, e)
			if frame != nil && frame.InstructionPointerReference != "" {
				e.Learn(frame.InstructionPointerReference)
			}
		}
	}
	if len(out) > 0 && h.profile.NamesOneHit && frame != nil {
		for _, e := range h.Entries() {
			if e.IsAt(frame.InstructionPointerReference) {
				out = appendNew(out, e)
			}
		}
	}
	return stopping(out)
}

// At returns the entries at a frame's place, by file and line, else by function.
func (h *Held) At(frame *dap.StackFrame, a Arrival) []*Entry {
	var out, functions []*Entry
	for _, e := range h.Entries() {
		switch {
		case !e.at(frame) || !a.Told && !e.standsAt(frame, a.Inside):
		case e.Function != "":
			functions = append(functions, e)
		default:
			out = appendNew(out, e)
		}
	}
	// A frame is in a function at each of its lines, but the breakpoint of a function is where the function begins: at
	// a stop that nothing else explains.
	begins := a.Reached && (len(out) == 0 || a.Function)
	for _, e := range functions {
		switch {
		case begins:
			e.begin(frame)
		case a.Reached && len(e.begun) == 0 && e.everyPass():
			e.suppose(frame)
		case (a.Reached || a.Hidden) && !e.begun[placeOf(frame)]:
			continue
		}
		out = appendNew(out, e)
	}
	return stopping(out)
}

// NamesAll reports whether the ids of a hit are those of these entries. A debugger that names none can mean one only.
func NamesAll(ids []int, entries []*Entry) bool {
	if len(ids) == 0 {
		return len(entries) <= 1
	}
	return !slices.ContainsFunc(entries, func(e *Entry) bool { return !e.HasID || !slices.Contains(ids, e.ID) })
}

// stopping removes the debugger's log points when other entries are at the same place: the debugger reports their hits
// itself.
func stopping(list []*Entry) []*Entry {
	isLogPoint := func(e *Entry) bool { return e.Native != "" }
	if i := slices.IndexFunc(list, func(e *Entry) bool { return !isLogPoint(e) }); i >= 0 {
		return slices.DeleteFunc(list, isLogPoint)
	}
	return list
}

// standsAt reports whether a thread that no event names is at the exact instruction of a breakpoint, not only in its
// line or function.
func (e *Entry) standsAt(f *dap.StackFrame, inside bool) bool {
	if e.Native != "" || f.InstructionPointerReference == "" {
		return false
	}
	if len(e.Address) == 0 {
		if inside || e.Function != "" && e.Bound > 0 && f.Line != e.Bound {
			return false
		}
		// No hit of it was reported yet, so its instruction is unknown. A thread in this line cannot have passed the
		// breakpoint without a stop, so it is at it. It can where a condition is not true: judge learns the instruction.
		if e.Condition != "" {
			return true
		}
		e.Learn(f.InstructionPointerReference)
	}
	return e.IsAt(f.InstructionPointerReference)
}

func appendNew(list []*Entry, e *Entry) []*Entry {
	if slices.ContainsFunc(list, e.Same) {
		return list
	}
	return append(list, e)
}

// Gone reports whether an entry that was removed explains a stop.
func (h *Held) Gone(ids []int, frame *dap.StackFrame) bool {
	for _, e := range h.removed {
		if e.HasID && slices.Contains(ids, e.ID) {
			return true
		}
		if frame != nil && e.at(frame) && (len(e.begun) == 0 || e.begun[placeOf(frame)]) {
			return true
		}
	}
	return false
}
