package adapter

import (
	"github.com/google/go-dap"

	"breakwire/mapping"
)

// Location is a place in source. File is the client-side path, after path mapping; Line and Column are 1-based.
type Location struct {
	File         string `json:"file,omitempty"`
	Line         int    `json:"line,omitempty"`
	Column       int    `json:"column,omitempty"`
	FunctionName string `json:"functionName,omitempty"`
	ModuleName   string `json:"moduleName,omitempty"`
}

// hitLocation returns the location of a hit: the frame's, else the requested one.
func (s *Session) hitLocation(h *hit) Location {
	if h.thread.frame != nil {
		if l := s.locationOf(h.thread.frame); l != nil && l.File != "" {
			return *l
		}
	}
	return Location{File: h.bp.Spec.File, Line: h.entry.place()}
}

// locationOf returns the location of a frame with the client's path.
func (s *Session) locationOf(f *dap.StackFrame) *Location {
	l := &Location{Line: f.Line, Column: f.Column, FunctionName: mapping.ShownFunction(f.Name)}
	if f.Source != nil {
		s.sources.named.see(f.Source.Path)
		l.File = s.clientPath(f.Source.Path)
	}
	return l
}
