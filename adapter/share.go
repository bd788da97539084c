package adapter

import (
	"strconv"

	"breakwire/mapping"
)

// Delve holds one breakpoint at an instruction and refuses a second one, whether it comes by the line or by the
// function's name. The refusal says which line it is. From then on the session asks for that function by its line,
// where its breakpoints, those of the line and those of other names of the function are one entry.

// sourceLine is a line of a file as the backend names it.
type sourceLine struct {
	file string
	line int
}

// taken reads from a refusal what line is taken already.
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

// share brings entries that were refused because their place is taken together with those that took it.
func (s *Session) share(t *turn) bool {
	for {
		moved := s.moveToLines()
		if len(moved) == 0 {
			return true
		}
		works := []func(*turn){func(t *turn) { s.syncFunctionSet(t) }} // first: it gives the place free
		for file := range moved {
			works = append(works, func(t *turn) { s.syncFile(t, file) })
		}
		if !t.together(works...) {
			return false
		}
	}
}

// moveToLines decides which functions are asked for by their line from now on, and returns the files of these lines.
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
			// A function of many bodies, a generic one, is told without its place.
			if f.verified && (f.bound == at.line && mapping.SameFile(f.source, at.file) || f.bound == 0 &&
				e.function != "" && sameFunction(e.function, f.function)) {
				move(f.function, at)
			}
		}
	}
	return moved
}

// listOf is the path under which a file's list goes to the debugger already. On Windows a path is written in several
// ways, and a list that went under another one before is empty now.
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

// filesOf are the lists that breakpoints are in; functions tells whether the list of functions is one of them.
func (s *Session) filesOf(list []*Breakpoint) (files map[string]bool, functions bool) {
	files = map[string]bool{}
	for _, bp := range list {
		switch {
		case bp.Spec.isFile():
			files[s.fileOf(bp.Spec)] = true
		case bp.Spec.Kind == Function:
			functions = true
			if at, ok := s.held.byLine[bp.Spec.Function]; ok {
				files[at.file] = true
			}
		}
	}
	return files, functions
}
