package adapter

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"breakwire/adapter/breakpoint"
	"breakwire/dapclient"
)

// A file below a symbolic link has several paths. A debugger knows the one that the compiler or interpreter was given;
// the client may write another. So all breakpoints of one file go to the debugger under one path: the client's, until
// another one turns out to be right.

// followLinks finds the links in the paths of a launch. It reads the disk, so the session's loop must not call it.
func (s *Session) followLinks(paths ...string) {
	for _, path := range paths {
		if l, ok := breakpoint.LinkIn(path); ok && !slices.Contains(s.held.Links, l) {
			s.held.Links = append(s.held.Links, l)
		}
	}
}

// fileOf returns the path under which a breakpoint's file goes to the debugger.
func (s *Session) fileOf(spec breakpoint.Spec) string {
	given := s.backendPath(spec.File)
	if !s.backend.Local {
		return s.held.ListOf(given)
	}
	key := cmp.Or(spec.Real, spec.File)
	if spelled := s.held.Spelled[key]; spelled != "" {
		return spelled
	}
	if s.held.Spelled == nil {
		s.held.Spelled = map[string]string{}
	}
	s.held.Spelled[key] = s.held.ListOf(given)
	return s.held.Spelled[key]
}

// realOf returns the path that frames are compared with; "" where paths are not of this disk.
func (s *Session) realOf(spec breakpoint.Spec) string {
	if !s.backend.Local || s.backendPath(spec.File) != spec.File {
		return ""
	}
	return spec.Real
}

// spellings returns the other paths under which the debugger may know a file: those of other breakpoints, the one
// without links, and those through the links of the launch.
func (s *Session) spellings(key, file string) []string {
	var out []string
	add := func(path string) {
		if path = s.backendPath(path); path != file && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for _, bp := range s.all() {
		if bp.Spec.IsFile() && cmp.Or(bp.Spec.Real, bp.Spec.File) == key {
			add(bp.Spec.File)
		}
	}
	add(key)
	for _, l := range s.held.Links {
		// Either may be the root, which ends in a separator.
		if rest, ok := strings.CutPrefix(key, strings.TrimSuffix(l.Real, string(filepath.Separator))); ok &&
			(rest == "" || os.IsPathSeparator(rest[0])) {
			add(filepath.Join(l.Given, rest))
		}
	}
	return out
}

// trySpellings sends a file's list under its other paths until one of its entries is bound. It does nothing for .NET,
// whose symbols name the right path when their module is loaded.
func (s *Session) trySpellings(t *turn, file string) bool {
	key := s.held.KeyOf(file)
	if key == "" || s.profile.Language == dapclient.DotNet || s.held.AnyBound(file) {
		return true
	}
	others := s.spellings(key, file)
	if len(others) == 0 {
		return true
	}
	for _, next := range append(others, file) { // the last one is the present path
		if !s.respell(t, key, next) {
			return false
		}
		if s.held.Spelled[key] != next || s.held.AnyBound(next) {
			break
		}
	}
	return true
}

// respell takes a file's list back and sends it under another path.
func (s *Session) respell(t *turn, key, path string) bool {
	old := s.held.Spelled[key]
	s.held.Spelled[key] = path
	return t.together(func(t *turn) { s.syncFile(t, old) }, func(t *turn) { s.syncFile(t, path) })
}

// spellByDocuments switches to the paths that the symbols of .NET modules name.
func (s *Session) spellByDocuments() {
	if s.profile.Language != dapclient.DotNet || !s.canSync() {
		return
	}
	for key, file := range s.held.Spelled {
		if s.sources.symbols.names(s.clientPath(file)) {
			continue
		}
		for _, path := range s.spellings(key, file) {
			if s.sources.symbols.names(s.clientPath(path)) {
				s.begin(func(t *turn) { s.respell(t, key, path) })
				break
			}
		}
	}
}
