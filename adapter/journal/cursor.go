package journal

import "slices"

// defaultBatch is how many entries Next returns into a buffer without room of its own.
const defaultBatch = 64

// Cursor is a reader that stays: it hands out entries as they come and is woken for new ones.
//
//	for {
//		got, missed := c.Next(buf)
//		if len(got) == 0 && missed == 0 {
//			select {
//			case <-c.Ready(): continue
//			case <-ctx.Done(): return
//			}
//		}
//		...
//	}
//
// A cursor is meant for one goroutine; calls from several are safe and share what there is.
type Cursor struct {
	j      *Journal
	filter Filter // never changes, read without the lock
	ready  chan struct{}
	rd     reader // guarded by j.mu
}

// Cursor returns a cursor that starts after the given seq: 0 is the beginning, LastSeq the end. What
// was evicted since then is the first thing it reports as missed. Close it when it is no longer read.
func (j *Journal) Cursor(after uint64, f Filter) *Cursor {
	f.Types = slices.Clone(f.Types)
	c := &Cursor{j: j, filter: f, ready: make(chan struct{}, 1)}
	j.mu.Lock()
	defer j.mu.Unlock()
	c.rd = j.newReader(after, f)
	c.rd.sync(j)
	if c.rd.pending() {
		c.signal()
	}
	cursors := make([]*Cursor, len(j.cursors), len(j.cursors)+1)
	copy(cursors, j.cursors)
	j.cursors = append(cursors, c)
	return c
}

// Next returns up to cap(buf) (64 when that is 0) entries, oldest first, and how many entries of
// the cursor's session and classes were evicted before it could read them since the last call. It never waits.
// missed can be more than zero with nothing got, when all that followed is filtered out or forgotten.
// The entries are in buf's memory when it has any. When more are left, Ready receives again.
func (c *Cursor) Next(buf []Entry) (got []Entry, missed uint64) {
	limit := cap(buf)
	got = buf[:0]
	if limit == 0 {
		limit = defaultBatch
	}
	c.j.mu.Lock()
	defer c.j.mu.Unlock()
	for {
		c.rd.sync(c.j)
		if len(got) > 0 && c.rd.missed > 0 {
			break // evicted while the lock was free: it is the next call's to report
		}
		missed += c.rd.missed
		c.rd.missed = 0
		var end bool
		got, end = c.rd.read(got, limit, examineBatch, c.j.last.Load())
		if end || len(got) == limit {
			break
		}
		c.j.mu.Unlock()
		c.j.mu.Lock()
	}
	if c.rd.pending() {
		c.signal()
	}
	return got, missed
}

// Examined returns the seq up to which everything has been looked at, whether it matched or not.
func (c *Cursor) Examined() uint64 {
	c.j.mu.Lock()
	defer c.j.mu.Unlock()
	return c.rd.examined
}

// Ready receives when Next may have something. It can receive for nothing, and it is never closed.
func (c *Cursor) Ready() <-chan struct{} { return c.ready }

// Close takes the cursor out of the journal: it is no longer woken. Closing twice is fine.
func (c *Cursor) Close() {
	c.j.mu.Lock()
	defer c.j.mu.Unlock()
	i := slices.Index(c.j.cursors, c)
	if i < 0 {
		return
	}
	cursors := make([]*Cursor, 0, len(c.j.cursors)-1)
	cursors = append(cursors, c.j.cursors[:i]...)
	c.j.cursors = append(cursors, c.j.cursors[i+1:]...)
}

// signal leaves a token for the reader; with one already there nothing is to be done.
func (c *Cursor) signal() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
}
