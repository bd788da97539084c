package journal

import (
	"math"
	"slices"
)

// Page is the result of a query.
type Page struct {
	Entries   []Entry // oldest first
	LastSeq   uint64  // the last seq examined; the next page is after it
	More      bool    // Query: newer matching entries were omitted; Tail: older ones
	OldestSeq uint64  // the oldest seq in the filter's sessions and classes, 0 without entries
	Dropped   uint64  // how many of them after the given seq were evicted (for Types and BreakpointID see Filter)
}

// Query returns up to limit entries with a seq above after, oldest first. A limit of 0 or less means no limit. It
// returns the journal as it was at the call; entries that are evicted meanwhile count as dropped.
//
// Dropped is exact for after 0 and, from sparse records, for most other seqs; otherwise it is an upper bound.
func (j *Journal) Query(after uint64, f Filter, limit int) Page {
	if limit <= 0 {
		limit = math.MaxInt
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	last := j.last.Load()
	page := Page{OldestSeq: j.oldest(&f)}
	rd := j.newReader(after, f)
	for {
		rd.sync(j)
		// Entries newer than the call end the read by their seq. They could be counted as missed only if a whole ring
		// were replaced during one query.
		var end bool
		page.Entries, end = rd.read(page.Entries, limit, examineBatch, last)
		if end {
			page.LastSeq = last
			break
		}
		if len(page.Entries) == limit && rd.nextMatches() {
			page.LastSeq, page.More = page.Entries[limit-1].Seq, true
			break
		}
		j.mu.Unlock()
		j.mu.Lock()
	}
	page.Dropped = rd.missed
	return page
}

// nextMatches reports whether the next entry matches. read stops there when its buffer is full.
func (rd *reader) nextMatches() bool {
	p, _ := rd.head()
	return p != nil && rd.filter.matchesEntry(p.ring.at(int(p.next-p.ring.evicted)))
}

// Tail returns the last n matching entries, oldest first. Dropped counts all entries that the rings have evicted.
func (j *Journal) Tail(f Filter, n int) Page {
	j.mu.Lock()
	defer j.mu.Unlock()
	page := Page{LastSeq: j.last.Load(), OldestSeq: j.oldest(&f)}
	var pos []position // next is one past the entry to examine
	for _, r := range j.rings {
		if !f.matchesRing(r.session, r.class) {
			continue
		}
		pos = append(pos, position{r, r.total()})
		if r.evictedAny(f.Types) {
			page.Dropped += r.evicted
		}
	}
	for budget := examineBatch; ; budget-- {
		var p *position
		var newest *Entry
		for i := range pos {
			q := &pos[i]
			if q.next <= q.ring.evicted {
				continue
			}
			if e := q.ring.at(int(q.next - 1 - q.ring.evicted)); newest == nil || e.Seq > newest.Seq {
				p, newest = q, e
			}
		}
		if p == nil {
			break
		}
		if f.matchesEntry(newest) {
			if len(page.Entries) >= n {
				page.More = true
				break
			}
			page.Entries = append(page.Entries, *newest)
		}
		p.next--
		if budget == 0 {
			budget = examineBatch
			j.mu.Unlock()
			j.mu.Lock()
		}
	}
	slices.Reverse(page.Entries)
	return page
}

// oldest returns the lowest seq in the filter's rings. It needs mu held.
func (j *Journal) oldest(f *Filter) uint64 {
	var seq uint64
	for _, r := range j.rings {
		if r.n > 0 && f.matchesRing(r.session, r.class) {
			if s := r.at(0).Seq; seq == 0 || s < seq {
				seq = s
			}
		}
	}
	return seq
}
