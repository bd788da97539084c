package adapter

import (
	"strconv"

	"breakwire/mapping"
)

// Delve holds one breakpoint at an instruction and refuses a second one, by line or by function name. The refusal names
// the line. From then on the session sets breakpoints of that function by line, so that they share one entry with those
// of the line.

// sourceLine is a line of a file as the debugger names it.
type sourceLine struct {
	file string
	line int
}

// taken reads from a refusal which line already has a breakpoint.
func (s *Session) taken(e *entry) (at sourceLine, ok bool) {
	if e.verified || s.profile.TakenText == nil {
		return sourceLine{}, false
	}
	m := s.profile.TakenText.Regexp().FindStringSubmatch(e.message)
	if m == nil {
		return sourceLine{}, false
	}
	line, err := strconv.Atoi(m[2])
	return sourceLine{m[1], line}, err == nil && line > 0
}

// share moves entries that were refused because their place is taken to the entry that took it.
func (s *Session) share(t *turn) bool {
	for {
		moved := s.moveToLines()
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

// moveToLines decides which functions are set by line from now on, and returns the files of these lines.
func (s *Session) moveToLines() map[string]bool {
	moved := map[string]bool{}
	move := func(function string, at sourceLine) {
		if _, done := s.held.byLine[function]; function == "" || done {
			return
		}
		if s.held.byLine == nil {
			s.held.byLine = map[string]sourceLine{}
		}
		s.held.byLine[function] = at
		moved[at.file] = true
	}
	for _, e := range s.entries() {
		at, ok := s.taken(e)
		if !ok {
			continue
		}
		at.file = s.listOf(at.file)
		move(e.function, at)
		for _, f := range s.held.functions.entries {
			// A function with many bodies (a generic one) is reported without a place.
			if f.verified && (f.bound == at.line && mapping.SameFile(f.source, at.file) || f.bound == 0 &&
				e.function != "" && sameFunction(e.function, f.function)) {
				move(f.function, at)
			}
		}
	}
	return moved
}

// listOf returns the path under which a file's list already goes to the debugger. On Windows a path has several
// spellings, and the list of another spelling may be empty now.
func (s *Session) listOf(path string) string {
	holds := func(set *fileSet) bool { return set != nil && (set.busy || len(set.entries) > 0) }
	if holds(s.held.files[path]) {
		return path
	}
	known := path
	for file, set := range s.held.files {
		if mapping.SameFile(file, path) {
			if known = file; holds(set) {
				break
			}
		}
	}
	return known
}

// filesOf returns the files that the breakpoints are in. functions reports whether one is a function breakpoint.
func (s *Session) filesOf(list []*Breakpoint) (files map[string]bool, functions bool) {
	files = map[string]bool{}
	for _, bp := range list {
		switch {
		case !s.concerns(bp.Spec):
		case bp.Spec.isFile():
			files[s.fileOf(bp.Spec)] = true
		case bp.Spec.Kind == Function:
			functions = true
			if at, ok := s.held.byLine[bp.Spec.Function]; ok {
				files[at.file] = true
			}
		case bp.Spec.Kind == Exception && s.profile.PanicFunction != "":
			functions = true // see wantsGoPanics
		}
	}
	return files, functions
}
