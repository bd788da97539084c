package adapter

import (
	"github.com/google/go-dap"

	"breakwire/adapter/inspect"
	"breakwire/mapping"
)

// hitLocation returns the location of a hit: the frame's, else the requested one.
func (s *Session) hitLocation(h *hit) inspect.Location {
	if h.thread.frame != nil {
		if l := s.locationOf(h.thread.frame); l != nil && l.File != "" {
			return *l
		}
	}
	return inspect.Location{File: h.bp.Spec.File, Line: h.entry.Place()}
}

// locationOf returns the location of a frame with the client's path.
func (s *Session) locationOf(f *dap.StackFrame) *inspect.Location {
	l := &inspect.Location{Line: f.Line, Column: f.Column, FunctionName: mapping.ShownFunction(f.Name)}
	if f.Source != nil {
		s.sources.named.see(f.Source.Path)
		l.File = s.clientPath(f.Source.Path)
	}
	return l
}
