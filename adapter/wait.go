package adapter

import (
	"context"
	"slices"
	"time"

	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
)

// Reasons of a wait that are not stop reasons.
const (
	WaitHit           = "hit"
	WaitExited        = "exited"
	WaitSignal        = "signal"
	WaitUnhandled     = "unhandled_exception"
	WaitFatal         = "fatal_error" // the runtime has given up; the session goes on
	WaitTerminated    = "terminated"
	WaitDisconnected  = "disconnected"
	WaitBackendExited = "backend_exited"
	WaitTimeout       = "timeout"
	WaitBackendBusy   = "backend_busy"  // the debugger has not resumed the program in time; the session goes on
	WaitThreadExited  = "thread_exited" // of a step only
	WaitChild         = "child_stopped" // of a start or a resume: a program that this one has started has stopped
)

// waitTypes are the types of entries that can end a wait.
var waitTypes = []string{journal.TypeHit, journal.TypeStop, journal.TypeState, journal.TypeError}

// WaitResult is how a wait ended: a stop, the end of the session, or a timeout.
type WaitResult struct {
	Reason       string
	Stop         *Stop
	BreakpointID string // the first breakpoint of the stop
	Seq          uint64 // of the stop or the end; 0 for a timeout
	ExitCode     *int
	Signal       string
	Child        string // the session that has stopped, with WaitChild
	Note         string // why the program stands still, with WaitBackendBusy
}

// Wait waits for the first stop or end of the session after the sequence number after. It reads the journal, so it
// misses nothing that happened since, and all callers get the same result.
func (s *Session) Wait(ctx context.Context, after uint64, timeout time.Duration) (WaitResult, error) {
	return s.wait(ctx, after, timeout, s.id)
}

// WaitWithChildren is Wait that also ends when a program that this one has started stops: this one may be waiting for
// it.
func (s *Session) WaitWithChildren(ctx context.Context, after uint64, timeout time.Duration) (WaitResult, error) {
	return s.wait(ctx, after, timeout, "")
}

// wait is Wait. of is the session whose entries are read, "" for all.
func (s *Session) wait(ctx context.Context, after uint64, timeout time.Duration, of string) (WaitResult, error) {
	cursor := s.journal.Cursor(after, journal.Filter{
		Session: of, Classes: journal.MaskOf(journal.Control),
		Types: waitTypes,
	})
	defer cursor.Close()
	// The current stop and the end are kept beside the journal and never evicted.
	snap := s.Snapshot()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	buf := make([]journal.Entry, 0, 16)
	for {
		entries, missed := cursor.Next(buf)
		if missed > 0 {
			if r, ok := resultOfSnapshot(s.Snapshot(), after); ok {
				return s.withFurtherHits(ctx, r), nil
			}
		}
		for _, e := range entries {
			r, ok := resultOf(e, after)
			switch {
			case ok && e.Session == s.id:
				return s.withFurtherHits(ctx, r), nil
			case ok && r.Stop != nil && s.manager.descends(e.Session, s.id):
				return WaitResult{Reason: WaitChild, Child: e.Session}, nil
			}
		}
		if len(entries) > 0 {
			continue
		}
		if !snap.State.Live() {
			if r, ok := resultOfSnapshot(snap, after); ok {
				return s.withFurtherHits(ctx, r), nil
			}
			return WaitResult{}, s.over()
		}
		select {
		case <-cursor.Ready():
		case <-timer.C:
			return WaitResult{Reason: WaitTimeout}, nil
		case <-ctx.Done():
			return WaitResult{}, fault.OfContext(ctx)
		}
	}
}

// Wait is Session.Wait over all sessions, also those that start meanwhile. after returns the seq after which a stop or
// end of a session counts. The session is nil after a timeout.
func (m *Manager) Wait(ctx context.Context, after func(session string) uint64, timeout time.Duration) (*Session,
	WaitResult, error) {
	known, live := m.readable()
	begin := m.journal.LastSeq()
	for _, s := range known {
		begin = min(begin, after(s.id))
	}
	cursor := m.journal.Cursor(begin, journal.Filter{
		Classes: journal.MaskOf(journal.Control), Types: waitTypes,
	})
	defer cursor.Close()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	buf := make([]journal.Entry, 0, 16)
	for {
		entries, missed := cursor.Next(buf)
		if missed > 0 {
			if s, r := m.oldest(known, after); s != nil {
				return s, s.withFurtherHits(ctx, r), nil
			}
		}
		for _, e := range entries {
			if e.Seq <= after(e.Session) {
				continue
			}
			if r, ok := resultOf(e, after(e.Session)); ok {
				if s := m.find(known, e.Session); s != nil {
					return s, s.withFurtherHits(ctx, r), nil
				}
			}
		}
		if len(entries) > 0 {
			continue
		}
		if live == 0 {
			if s, r := m.oldest(known, after); s != nil {
				return s, s.withFurtherHits(ctx, r), nil
			}
			if len(known) == 0 {
				return nil, WaitResult{}, fault.Errorf(fault.NoSession, "the session has ended and is forgotten")
			}
			return nil, WaitResult{}, known[0].over()
		}
		select {
		case <-cursor.Ready():
		case <-timer.C:
			return nil, WaitResult{Reason: WaitTimeout}, nil
		case <-ctx.Done():
			return nil, WaitResult{}, fault.OfContext(ctx)
		}
	}
}

// oldest returns the first stop or end after a seq that snapshots have, of known and of all present sessions. It
// returns nil when there is none.
func (m *Manager) oldest(known []*Session, after func(session string) uint64) (first *Session, result WaitResult) {
	now, _ := m.readable()
	for _, s := range slices.Concat(known, now) {
		if r, ok := resultOfSnapshot(s.Snapshot(), after(s.id)); ok && (first == nil || r.Seq < result.Seq) {
			first, result = s, r
		}
	}
	return first, result
}

// readable returns the live sessions, whose number is live, and the one that ended last.
func (m *Manager) readable() (known []*Session, live int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known = slices.Clone(m.live)
	if m.last != nil {
		known = append(known, m.last)
	}
	return known, len(m.live)
}

// find returns a session by its id: one that was known, which may be forgotten by now, or a present one.
func (m *Manager) find(known []*Session, id string) *Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range slices.Concat(known, m.live, m.reaping, []*Session{m.last}) {
		if s != nil && s.id == id {
			return s
		}
	}
	return nil
}

// resultOf returns the stop or end in a journal entry. Further hits of a known stop are not a stop.
func resultOf(e journal.Entry, after uint64) (WaitResult, bool) {
	switch data := e.Data.(type) {
	case *HitEvent:
		return ResultOfStop(data.Stop), data.Stop.Seq > after
	case *Stop:
		return ResultOfStop(data), true
	case *Problem:
		switch data.Code {
		case fault.FatalError:
			return WaitResult{Reason: WaitFatal, Seq: e.Seq}, true
		case fault.BackendBusy:
			return WaitResult{Reason: WaitBackendBusy, Seq: e.Seq, Note: data.Message}, true
		}
	case *StateChange:
		if data.OldState.Live() && !data.NewState.Live() {
			return WaitResult{Reason: endReason(data.EndReason), Seq: e.Seq, ExitCode: data.ExitCode,
				Signal: data.Signal}, true
		}
	}
	return WaitResult{}, false
}

// ResultOfStop returns the result of a wait that ended with a stop.
func ResultOfStop(stop *Stop) WaitResult {
	r := WaitResult{Reason: stop.Reason, Stop: stop, Seq: stop.Seq}
	if len(stop.BreakpointIDs) > 0 {
		r.BreakpointID = stop.BreakpointIDs[0]
	}
	if stop.Reason == StopBreakpoint && r.BreakpointID != "" {
		r.Reason = WaitHit
	}
	return r
}

func resultOfSnapshot(snap *Snapshot, after uint64) (WaitResult, bool) {
	switch {
	case snap.Stop != nil && snap.Stop.Seq > after:
		return ResultOfStop(snap.Stop), true
	case !snap.State.Live() && snap.EndSeq > after:
		return resultOfEnd(snap), true
	}
	return WaitResult{}, false
}

func resultOfEnd(snap *Snapshot) WaitResult {
	return WaitResult{Reason: endReason(snap.EndReason), Seq: snap.EndSeq, ExitCode: snap.ExitCode, Signal: snap.Signal}
}

func endReason(r EndReason) string {
	switch r {
	case EndSignal:
		return WaitSignal
	case EndUnhandled:
		return WaitUnhandled
	case EndExited:
		return WaitExited
	case EndBackendExited, EndStartFailed:
		return WaitBackendExited
	case EndDisconnected, EndKilled:
		return WaitDisconnected
	}
	return WaitTerminated
}

// descends reports whether a session's program was started by that of another one, directly or not.
func (m *Manager) descends(id, from string) bool {
	for range 16 {
		s := m.find(nil, id)
		if s == nil {
			return false
		}
		if id = s.Snapshot().Parent; id == from || id == "" {
			return id == from
		}
	}
	return false
}

// FirstStop waits at most within for a stop or an end after the start, or for the stop of a program that this one has
// started. debug_launch and debug_attach return it.
func (s *Session) FirstStop(ctx context.Context, within time.Duration) (WaitResult, error) {
	r, err := s.WaitWithChildren(ctx, 0, within)
	if err != nil && fault.CodeOf(err) == fault.NoSession {
		return resultOfEnd(s.Snapshot()), nil
	}
	return r, err
}

// ReasonOf returns the reason of a wait that ends with a stop.
func ReasonOf(stop *Stop) string { return ResultOfStop(stop).Reason }
