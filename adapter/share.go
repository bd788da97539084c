package adapter

import "breakwire/adapter/breakpoint"

// Delve holds one breakpoint at an instruction and refuses a second one, by line or by function name. The refusal names
// the line. From then on the session sets breakpoints of that function by line, so that they share one entry with those
// of the line.

// share moves entries that were refused because their place is taken to the entry that took it.
func (s *Session) share(t *turn) bool {
	for {
		moved := s.held.MoveToLines()
		if len(moved) == 0 {
			return true
		}
		works := []func(*turn){func(t *turn) { s.syncFunctionSet(t) }} // first: it frees the place
		for file := range moved {
			works = append(works, func(t *turn) { s.syncFile(t, file) })
		}
		if !t.together(works...) {
			return false
		}
	}
}

// filesOf returns the files that the breakpoints are in. functions reports whether one is a function breakpoint.
func (s *Session) filesOf(list []*breakpoint.Breakpoint) (files map[string]bool, functions bool) {
	files = map[string]bool{}
	for _, bp := range list {
		switch {
		case !s.concerns(bp.Spec):
		case bp.Spec.IsFile():
			files[s.fileOf(bp.Spec)] = true
		case bp.Spec.Kind == breakpoint.Function:
			functions = true
			if at, ok := s.held.ByLine[bp.Spec.Function]; ok {
				files[at.File] = true
			}
		case bp.Spec.Kind == breakpoint.Exception && s.profile.PanicFunction != "":
			functions = true // see wantsGoPanics
		}
	}
	return files, functions
}
