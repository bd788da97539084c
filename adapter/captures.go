package adapter

import "context"

// Capture reads the variables of a frame of the current stop, and keeps them.
func (s *Session) Capture(ctx context.Context, q CaptureQuery) (*Capture, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return s.manager.captures.take(v, q)
}

// Captures returns all captures, oldest first.
func (m *Manager) Captures() []*Capture { return m.captures.all() }

// CapturedValues returns the values of a capture from index start, as many as fit in a page. next is the start of the
// next page, 0 at the end. It returns SnapshotNotFound for an unknown id.
func (m *Manager) CapturedValues(id string, start int) (c *Capture, values []Variable, next int, err error) {
	if c, err = m.captures.get(id); err != nil {
		return nil, nil, 0, err
	}
	values, next = c.page(start)
	return c, values, next, nil
}

// DeleteCaptures deletes one capture, or all with id "", and returns the number of those left.
func (m *Manager) DeleteCaptures(id string) (remaining int, err error) { return m.captures.remove(id) }

// DiffCaptures compares two captures by path and returns the changes from A to B.
func (m *Manager) DiffCaptures(a, b string, start int) (*CaptureDiff, error) {
	from, err := m.captures.get(a)
	if err != nil {
		return nil, err
	}
	to, err := m.captures.get(b)
	if err != nil {
		return nil, err
	}
	return diff(from, to, start), nil
}
