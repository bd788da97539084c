package journal

import "math"

// examineBatch is how many entries a read examines before it releases the lock for a moment, so that a query with a
// rare match does not delay the session that appends.
const examineBatch = 1024

// position is a reader's position in one ring.
type position struct {
	ring *ring
	next uint64 // ordinal
}

// reader reads all rings that its filter matches, in seq order. Cursors and queries are readers. All methods need the
// journal's lock held.
type reader struct {
	filter   Filter
	pos      []position
	ringsGen uint64
	examined uint64 // all entries up to this seq were examined
	missed   uint64 // evicted before it was read, not yet reported
}

func (j *Journal) newReader(after uint64, f Filter) reader {
	// A seq from the future is of an earlier process: start at the end.
	rd := reader{filter: f, examined: min(after, j.last.Load()), ringsGen: j.ringsGen}
	rd.pos = make([]position, 0, ringsPerSession)
	for _, r := range j.rings {
		if f.matchesRing(r.session, r.class) {
			rd.pos = append(rd.pos, position{r, r.ordinalAfter(rd.examined)})
		}
	}
	return rd
}

// sync adds rings that were created since the last read, counts entries that were evicted unread, and removes
// forgotten rings.
func (rd *reader) sync(j *Journal) {
	if rd.ringsGen != j.ringsGen {
		rd.ringsGen = j.ringsGen
		for _, r := range j.rings {
			if rd.filter.matchesRing(r.session, r.class) && !rd.knows(r) {
				rd.pos = append(rd.pos, position{r, 0}) // newer than the reader: all of it is unread
			}
		}
	}
	kept := rd.pos[:0]
	for _, p := range rd.pos {
		if p.next < p.ring.evicted {
			if p.ring.evictedAny(rd.filter.Types) {
				rd.missed += p.ring.evicted - p.next
			}
			p.next = p.ring.evicted
		}
		if !p.ring.dead {
			kept = append(kept, p)
		}
	}
	clear(rd.pos[len(kept):])
	rd.pos = kept
}

func (rd *reader) knows(r *ring) bool {
	for i := range rd.pos {
		if rd.pos[i].ring == r {
			return true
		}
	}
	return false
}

// head returns the position whose next entry has the lowest seq, and the lowest seq of the other positions: up to
// there the position can be read without comparisons. p is nil at the end.
func (rd *reader) head() (p *position, until uint64) {
	low, until := uint64(math.MaxUint64), uint64(math.MaxUint64)
	for i := range rd.pos {
		q := &rd.pos[i]
		if q.next >= q.ring.total() {
			continue
		}
		switch seq := q.ring.at(int(q.next - q.ring.evicted)).Seq; {
		case seq < low:
			p, low, until = q, seq, low
		case seq < until:
			until = seq
		}
	}
	return p, until
}

// read appends matching entries with a seq up to last to buf, until buf has limit of them or budget entries were
// examined. It reports whether nothing is left up to last. sync must be called before.
func (rd *reader) read(buf []Entry, limit, budget int, last uint64) (_ []Entry, end bool) {
	for {
		p, until := rd.head()
		if p == nil {
			rd.examined = max(rd.examined, last)
			return buf, true
		}
		for total := p.ring.total(); p.next < total; p.next++ {
			e := p.ring.at(int(p.next - p.ring.evicted))
			if e.Seq > last {
				rd.examined = max(rd.examined, last)
				return buf, true
			}
			if e.Seq > until {
				break
			}
			matches := rd.filter.matchesEntry(e)
			if budget == 0 || matches && len(buf) >= limit {
				return buf, false
			}
			if matches {
				buf = append(buf, *e)
			}
			budget--
			rd.examined = e.Seq
		}
	}
}

// pending reports whether the next read would examine or report anything.
func (rd *reader) pending() bool {
	if rd.missed > 0 {
		return true
	}
	for i := range rd.pos {
		if rd.pos[i].next < rd.pos[i].ring.total() {
			return true
		}
	}
	return false
}
