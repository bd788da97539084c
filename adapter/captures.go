package adapter

import (
	"breakwire/adapter/inspect"
	"context"
)

// Capture reads the variables of a frame of the current stop, and keeps them.
func (s *Session) Capture(ctx context.Context, q inspect.CaptureQuery) (*inspect.Capture, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return s.manager.captures.Take(v, q)
}

// Captures returns all captures, oldest first.
func (m *Manager) Captures() []*inspect.Capture { return m.captures.All() }

// CapturedValues returns the values of a capture from index start, as many as fit in a page. next is the start of the
// next page, 0 at the end. It returns SnapshotNotFound for an unknown id.
func (m *Manager) CapturedValues(id string, start int) (c *inspect.Capture, values []inspect.Variable,
	next int, err error) {
	if c, err = m.captures.Get(id); err != nil {
		return nil, nil, 0, err
	}
	values, next = c.Page(start)
	return c, values, next, nil
}

// DeleteCaptures deletes one capture, or all with id "", and returns the number of those left.
func (m *Manager) DeleteCaptures(id string) (remaining int, err error) { return m.captures.Remove(id) }

// DiffCaptures compares two captures by path and returns the changes from A to B.
func (m *Manager) DiffCaptures(a, b string, start int) (*inspect.CaptureDiff, error) {
	from, err := m.captures.Get(a)
	if err != nil {
		return nil, err
	}
	to, err := m.captures.Get(b)
	if err != nil {
		return nil, err
	}
	return inspect.Diff(from, to, start), nil
}
