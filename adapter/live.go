package adapter

// OnSessions registers f, which is called whenever a session has begun or ended. The goroutine that caused the change
// calls f, before its own call returns. f must not wait.
func (m *Manager) OnSessions(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watchers = append(m.watchers, f)
}

// changed calls the functions that OnSessions registered. m.mu is not held.
func (m *Manager) changed() {
	m.mu.Lock()
	watchers := m.watchers
	m.mu.Unlock()
	for _, f := range watchers {
		f()
	}
}

// Live returns the sessions that are starting, running or paused, oldest first. Unlike Sessions, it leaves out a
// session whose end has been published, even while its processes are still being reaped.
func (m *Manager) Live() []*Session {
	var live []*Session
	for _, s := range m.Sessions() {
		if s.Snapshot().State.Live() {
			live = append(live, s)
		}
	}
	return live
}

// HitTotal returns the sum of all hit counts of a session. It also counts hits that a filter suppressed.
func (s *Session) HitTotal() uint64 {
	var total uint64
	for _, b := range s.Snapshot().Bindings {
		total += b.Counts.Hits()
	}
	return total
}
