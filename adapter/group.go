package adapter

import "slices"

// Group is shared by the sessions that a compound configuration has started.
type Group struct {
	StopAll bool // when the client ends one, the others end too
}

// StartedWith reports whether two sessions are parts of a compound.
func (s *Session) StartedWith(other *Session) bool {
	return s.backend.Group != nil && s.backend.Group == other.backend.Group
}

// EndWith returns the live sessions that end when the client ends this one.
func (m *Manager) EndWith(s *Session) []*Session {
	if s.backend.Group == nil || !s.backend.Group.StopAll {
		return nil
	}
	return slices.DeleteFunc(m.Live(), func(other *Session) bool {
		return other == s || !other.StartedWith(s) || other.Snapshot().Parent != ""
	})
}
