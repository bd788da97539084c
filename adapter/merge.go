package adapter

import "slices"

// OwnState is the state of a breakpoint in one of several sessions.
type OwnState struct {
	SessionID string `json:"sessionId"`
	State     string `json:"state"`
	BoundLine int    `json:"boundLine,omitempty"`
	HitCount  uint64 `json:"hitCount"`
	Message   string `json:"message,omitempty"`
}

// sessionBinding is the state of one breakpoint in one session.
type sessionBinding struct {
	session string
	binding *Binding
}

// pastHits are the hits of sessions that have ended and of which nothing else is kept.
type pastHits struct{ hits, told uint64 }

// infoOf returns a breakpoint with its state over all live sessions that it concerns, else of the session that ended
// last. Hits of ended sessions of the same family, a program and its children, count too.
func (m *Manager) infoOf(bp *Breakpoint) BreakpointInfo {
	m.mu.Lock()
	defer m.mu.Unlock()
	var in []sessionBinding
	families := map[string]bool{}
	take := func(s *Session) {
		if !s.concerns(bp.Spec) {
			return
		}
		snap := s.Snapshot()
		if b := snap.Bindings[bp.ID]; b != nil {
			in = append(in, sessionBinding{s.id, b})
			families[snap.Family] = true
		}
	}
	for _, s := range m.live {
		take(s)
	}
	if m.last != nil && (len(in) == 0 || families[m.last.Snapshot().Family]) {
		take(m.last)
	}
	var ended pastHits
	for family := range families {
		c := m.ended[family][bp.ID]
		ended.hits, ended.told = ended.hits+c.hits, ended.told+c.told
	}
	return bp.merged(in, ended)
}

// merged returns a breakpoint with the best state of several sessions, and the sums of their counts. Where the
// sessions differ, each has its own state in it.
func (bp *Breakpoint) merged(in []sessionBinding, ended pastHits) BreakpointInfo {
	rank := func(state string) int {
		return slices.Index([]string{BreakpointFailed, BreakpointPending, BreakpointDisabled, BreakpointBound}, state)
	}
	info := bp.info(nil)
	var own []OwnState
	hits, told, wasBound, atLeast := ended.hits, ended.told, false, false
	for i, x := range in {
		one := bp.info(x.binding)
		if i == 0 || rank(one.State) > rank(info.State) {
			info = one
		}
		hits, told, wasBound = hits+x.binding.counts.Hits(), told+x.binding.counts.Told(), wasBound || one.WasBound
		atLeast = atLeast || one.HitCountAtLeast
		own = append(own, OwnState{x.session, one.State, one.BoundLine, one.HitCount, one.Message})
	}
	info.HitCount, info.WasBound, info.HitCountAtLeast = hits, wasBound, atLeast
	if info.NotificationsSent != nil {
		*info.NotificationsSent = told
	}
	if differ(own) {
		info.Sessions = own
	}
	return info
}

// differ reports whether sessions differ in more than their ids.
func differ(own []OwnState) bool {
	return slices.ContainsFunc(own, func(o OwnState) bool {
		o.SessionID = own[0].SessionID
		return o != own[0]
	})
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
			m.ended[snap.Family] = map[string]pastHits{}
		}
		for id, b := range snap.Bindings {
			c := m.ended[snap.Family][id]
			m.ended[snap.Family][id] = pastHits{c.hits + b.counts.Hits(), c.told + b.counts.Told()}
		}
	}
	m.last = nil
}
