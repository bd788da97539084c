package adapter

import (
	"errors"
	"path/filepath"
	"strings"

	"breakwire/adapter/fault"
	"breakwire/adapter/program"
	"breakwire/adapter/sourcefile"
	"breakwire/mapping"
)

// SourceText is a source file of the debuggee.
type SourceText struct {
	File string // as the client sees it
	Text []byte
}

// ReadSource reads a source file that the debuggee names, and no other. name is the client's path, the debugger's path,
// or the end of a path when exactly one file has it. Symbolic links are followed before the check, so a link to another
// file is refused.
func (s *Session) ReadSource(name string) (SourceText, error) {
	if err := s.checkRuns(); err != nil {
		return SourceText{}, err
	}
	byKey := s.filesByKey()
	path, err := s.sourcePath(byKey, name)
	if err != nil {
		return SourceText{}, err
	}
	_, named := byKey[fileKey(path)]
	if strings.HasPrefix(path, `\\`) && !named {
		return SourceText{}, s.notAllowed(path) // without touching the path, which could contact another machine
	}
	r := s.reader()
	if named && r.Limited { // the disk is not read for what a recording names elsewhere
		text, _, err := r.Read(path)
		if err != nil {
			return SourceText{}, s.unreadable(path, err)
		}
		return SourceText{File: path, Text: text}, nil
	}
	real, err := sourcefile.Follow(path)
	switch {
	case errors.Is(err, sourcefile.ErrRefused):
		return SourceText{}, s.notAllowed(path)
	case err != nil && named:
		return SourceText{}, fault.Errorf(fault.SourceNotFound,
			"the program names %s, but it is not on this disk: %v; map its "+
				"folder with --path-map if the sources are elsewhere",
			path, program.PathReason(err)).With("file", path).With("sessionId", s.id)
	case err != nil || !s.leadsInside(byKey, path, real):
		return SourceText{}, s.notAllowed(path)
	}
	text, _, err := r.Read(real)
	if err != nil {
		return SourceText{}, s.unreadable(path, err)
	}
	return SourceText{File: path, Text: text}, nil
}

// sourcePath completes a name: a client's path, a debugger's path, or the end of a path.
func (s *Session) sourcePath(byKey map[string]string, name string) (string, error) {
	if mapping.IsAbs(name) {
		path := mapping.Clean(name)
		if _, ok := byKey[fileKey(path)]; ok {
			return path, nil
		}
		path = mapping.Clean(s.clientPath(path))
		if _, ok := byKey[fileKey(path)]; !ok {
			// In a URI, a relative path has got a leading slash.
			if found := matchName(byKey, path); len(found) == 1 {
				return found[0], nil
			}
		}
		return path, nil
	}
	switch found := matchName(byKey, name); len(found) {
	case 0:
		return s.manager.File(name), nil
	case 1:
		return found[0], nil
	default:
		return "", fault.Errorf(fault.SourceNotAllowed, "%d files of the program end with %s; give the whole path",
			len(found), name).
			With("files", found).With("sessionId", s.id)
	}
}

// leadsInside reports whether path, which resolves to real, is a file that the debuggee names. Folders of a named path
// may be links, as /tmp is on some systems, so it is the file that must be named.
func (s *Session) leadsInside(byKey map[string]string, path, real string) bool {
	if _, ok := byKey[fileKey(real)]; ok {
		return true
	}
	base := mapping.Base(real)
	for _, named := range byKey {
		if mapping.Base(named) != base || strings.HasPrefix(named, `\\`) && named != path {
			continue
		}
		if dir, err := filepath.EvalSymlinks(filepath.Dir(named)); err == nil &&
			filepath.Join(dir, filepath.Base(named)) == real {
			return true
		}
	}
	return false
}

func (s *Session) notAllowed(path string) *fault.Error {
	return fault.Errorf(fault.SourceNotAllowed, "%s is not a source file that the program's symbols, frames or "+
		"breakpoints name; "+
		"only those can be read", path).
		With("file", path).With("sessionId", s.id)
}

// unreadable returns the error for a named file that was not read.
func (s *Session) unreadable(path string, err error) *fault.Error {
	e := fault.Errorf(fault.SourceNotFound, "%s: %v", path, program.PathReason(err))
	if errors.Is(err, sourcefile.ErrRefused) {
		e = fault.Errorf(fault.SourceNotAllowed, "%s: %v", path, err)
		if s.backend.Replayed {
			e.Message += "; a replay reads source files below --project-root, and where --path-map leads"
		}
	}
	return e.With("file", path).With("sessionId", s.id)
}
