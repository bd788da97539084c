package adapter

// OnSessions has f called whenever a session has begun or ended, on the goroutine that caused it and before the call
// that caused it returns. f must not wait.
func (m *Manager) OnSessions(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watchers = append(m.watchers, f)
}

// changed tells those who watch the list of sessions. m.mu is not held.
func (m *Manager) changed() {
	m.mu.Lock()
	watchers := m.watchers
	m.mu.Unlock()
	for _, f := range watchers {
		f()
	}
}

// Live returns the sessions that are starting, running or paused, oldest first. Other than in Sessions, one whose end
// has been told is not among them, even while its processes are still being reaped.
func (m *Manager) Live() []*Session {
	var live []*Session
	for _, s := range m.Sessions() {
		if s.Snapshot().State.Live() {
			live = append(live, s)
		}
	}
	return live
}

// HitTotal is the sum of all hit counts of a session. Hits that a filter kept quiet raise it too, and leave no other
// trace.
func (s *Session) HitTotal() uint64 {
	var total uint64
	for _, b := range s.Snapshot().Bindings {
		total += b.counts.Hits()
	}
	return total
}
