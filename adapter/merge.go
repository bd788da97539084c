package adapter

import "breakwire/adapter/breakpoint"

// infoOf returns a breakpoint with its state over all live sessions that it concerns, else of the session that ended
// last. Hits of ended sessions of the same family, a program and its children, count too.
func (m *Manager) infoOf(bp *breakpoint.Breakpoint) breakpoint.Info {
	m.mu.Lock()
	defer m.mu.Unlock()
	var in []breakpoint.In
	families := map[string]bool{}
	take := func(s *Session) {
		if !s.concerns(bp.Spec) {
			return
		}
		snap := s.Snapshot()
		if b := snap.Bindings[bp.ID]; b != nil {
			in = append(in, breakpoint.In{Session: s.id, Binding: b})
			families[snap.Family] = true
		}
	}
	for _, s := range m.live {
		take(s)
	}
	if m.last != nil && (len(in) == 0 || families[m.last.Snapshot().Family]) {
		take(m.last)
	}
	var ended breakpoint.Past
	for family := range families {
		c := m.ended[family][bp.ID]
		ended.Hits, ended.Told = ended.Hits+c.Hits, ended.Told+c.Told
	}
	return bp.Merged(in, ended)
}

// retire forgets the session that ended last, because another takes its place: next, or a new one. Its hits are kept
// while a session of its family is live. m.mu is held.
func (m *Manager) retire(next *Session) {
	alive := map[string]bool{}
	for _, s := range m.live {
		alive[s.Snapshot().Family] = true
	}
	if next != nil {
		alive[next.Snapshot().Family] = true
	}
	for family := range m.ended {
		if !alive[family] {
			delete(m.ended, family)
		}
	}
	if m.last == nil {
		return
	}
	m.journal.Forget(m.last.id)
	m.dropWatchpoints(m.last.id)
	if snap := m.last.Snapshot(); alive[snap.Family] {
		if m.ended[snap.Family] == nil {
			m.ended[snap.Family] = map[string]breakpoint.Past{}
		}
		for id, b := range snap.Bindings {
			c := m.ended[snap.Family][id]
			m.ended[snap.Family][id] = breakpoint.Past{Hits: c.Hits + b.Counts.Hits(),
				Told: c.Told + b.Counts.Told()}
		}
	}
	m.last = nil
}
