// Package journal is the one ordered, bounded log of all events of debug sessions. Every event is appended once and
// gets a rising seq. Notifications, resource updates, waits and queries are readers of the log, so there is no second
// queue that could lose events.
//
// A session keeps its entries in rings: control, tracepoint hits, and output (stdout and stderr separately). Each
// ring has its own limits, so a flood evicts only entries of its own kind. Reads merge the rings in seq order. A
// reader that is too slow gets the exact number of missed entries.
//
// The package starts no goroutine. All methods may be called from any goroutine. They wait only for the journal's
// lock, which is held for a limited number of entries at a time. Appending never waits for readers: they are woken
// through channels that hold one token.
//
// Order: entries become visible in seq order, and all entries of one Append at once. A reader gets them in seq order.
// What the build function of Append publishes is visible before any reader is woken or can read the entry.
package journal

import (
	"sync"
	"sync/atomic"
	"time"
)

// Limits of the rings. A zero field takes its default.
type Limits struct {
	ControlEntries int // 10,000
	TraceEntries   int // 10,000
	TraceBytes     int // 8 MiB
	OutputEntries  int // 65,536 per stream: limits the memory of very short writes
	OutputBytes    int // 1 MiB per stream
}

// DefaultLimits are the limits of New.
var DefaultLimits = Limits{
	ControlEntries: 10_000,
	TraceEntries:   10_000,
	TraceBytes:     8 << 20,
	OutputEntries:  65_536,
	OutputBytes:    1 << 20,
}

// The rings of a session: control, trace, stdout, stderr.
const ringsPerSession = 4

// Journal is the log of one process. Create it with New.
type Journal struct {
	limits Limits

	mu       sync.Mutex
	last     atomic.Uint64 // written under mu
	sessions map[string]*[ringsPerSession]*ring
	rings    []*ring // all rings in use
	ringsGen uint64  // rises when rings changes, so that readers update their positions

	// cursors is replaced, never changed in place, because Append signals after it has released mu.
	cursors []*Cursor
}

// New returns an empty journal with the default limits.
func New() *Journal { return NewWithLimits(Limits{}) }

// NewWithLimits returns an empty journal with other limits.
func NewWithLimits(l Limits) *Journal {
	def := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&l.ControlEntries, DefaultLimits.ControlEntries)
	def(&l.TraceEntries, DefaultLimits.TraceEntries)
	def(&l.TraceBytes, DefaultLimits.TraceBytes)
	def(&l.OutputEntries, DefaultLimits.OutputEntries)
	def(&l.OutputBytes, DefaultLimits.OutputBytes)
	return &Journal{limits: l, sessions: make(map[string]*[ringsPerSession]*ring)}
}

// Add appends one entry, wakes the cursors that match it, and returns its seq.
func (j *Journal) Add(e Entry) uint64 {
	j.mu.Lock()
	seq := j.last.Load() + 1
	j.put(&e, seq)
	j.last.Store(seq)
	cursors := j.cursors
	j.mu.Unlock()
	for _, c := range cursors {
		if c.filter.matchesRing(e.Session, e.Class) {
			c.signal()
		}
	}
	return seq
}

// Append adds what build returns, in that order and with consecutive seqs from first on, and returns the last seq of
// the journal. build runs under the journal's lock. So a payload can contain its own seq, and state that build
// publishes is visible before anyone can read the entries. build must be quick and must not call the journal. The
// slice is not kept; Append sets Seq and zero Times in it. When build returns nothing, nothing is appended and no seq
// is used.
func (j *Journal) Append(build func(first uint64) []Entry) (last uint64) {
	entries, last, cursors := j.appendLocked(build)
	for _, c := range cursors {
		for i := range entries {
			if c.filter.matchesRing(entries[i].Session, entries[i].Class) {
				c.signal()
				break
			}
		}
	}
	return last
}

func (j *Journal) appendLocked(build func(uint64) []Entry) ([]Entry, uint64, []*Cursor) {
	j.mu.Lock()
	defer j.mu.Unlock() // also when build panics
	last := j.last.Load()
	entries := build(last + 1)
	for i := range entries {
		last++
		j.put(&entries[i], last)
	}
	j.last.Store(last)
	return entries, last, j.cursors
}

// put stores an entry in its ring. It needs mu held.
func (j *Journal) put(e *Entry, seq uint64) {
	e.Seq = seq
	if e.Time.IsZero() {
		e.Time = time.Now().UTC()
	}
	if e.Class > Output {
		e.Class = Control
	}
	j.ringFor(e).push(e)
}

// ringFor returns the ring of an entry, and creates it if needed. It needs mu held.
func (j *Journal) ringFor(e *Entry) *ring {
	s := j.sessions[e.Session]
	if s == nil {
		s = new([ringsPerSession]*ring)
		j.sessions[e.Session] = s
	}
	i := int(e.Class)
	if e.Class == Output && e.Stream == Stderr {
		i++
	}
	if s[i] == nil {
		r := &ring{session: e.Session, class: e.Class, maxEntries: j.limits.ControlEntries}
		switch e.Class {
		case Trace:
			r.maxEntries, r.maxBytes = j.limits.TraceEntries, j.limits.TraceBytes
		case Output:
			r.maxEntries, r.maxBytes = j.limits.OutputEntries, j.limits.OutputBytes
		}
		s[i] = r
		j.rings = append(j.rings, r)
		j.ringsGen++
	}
	return s[i]
}

// LastSeq returns the seq of the newest entry, 0 without entries. It never waits.
func (j *Journal) LastSeq() uint64 { return j.last.Load() }

// Forget drops the rings of a session that has ended. Cursors with unread entries count these as missed. Later
// queries do not count them as dropped, because they were removed on purpose. A later entry of the session starts new
// rings.
func (j *Journal) Forget(session string) {
	j.mu.Lock()
	s := j.sessions[session]
	if s == nil {
		j.mu.Unlock()
		return
	}
	for _, c := range j.cursors {
		c.rd.sync(j) // otherwise the cursor would never know a ring that came and went between two reads
	}
	delete(j.sessions, session)
	live := make([]*ring, 0, len(j.rings))
	for _, r := range j.rings {
		if r.session == session {
			r.forget()
			continue
		}
		live = append(live, r)
	}
	j.rings = live
	j.ringsGen++
	cursors := j.cursors
	j.mu.Unlock()
	for _, c := range cursors {
		for _, r := range s {
			if r != nil && c.filter.matchesRing(session, r.class) {
				c.signal() // it may have missed entries to report
				break
			}
		}
	}
}
