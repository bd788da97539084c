package journal

import "slices"

// defaultBatch is how many entries Next returns when buf has no capacity.
const defaultBatch = 64

// Cursor is a lasting reader: it returns entries in order and is woken for new ones.
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
// A cursor is meant for one goroutine. Calls from several are safe; each gets a part of the entries.
type Cursor struct {
	j      *Journal
	filter Filter // never changes, read without the lock
	ready  chan struct{}
	rd     reader // guarded by j.mu
}

// Cursor returns a cursor that starts after the given seq: 0 is the beginning, LastSeq the end. Entries that were
// evicted since then are its first missed ones. It must be closed after use.
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

// Next returns up to cap(buf) entries (64 when that is 0), oldest first. missed is the number of entries of the
// cursor's session and classes that were evicted unread since the last call. Next never waits. missed can be positive
// without entries, when all later ones are filtered out or forgotten. The entries are stored in buf if it has
// capacity. When more are left, Ready receives again.
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
			break // evicted while the lock was free: the next call reports it
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

// Examined returns the seq up to which all entries were examined, whether they matched or not.
func (c *Cursor) Examined() uint64 {
	c.j.mu.Lock()
	defer c.j.mu.Unlock()
	return c.rd.examined
}

// Ready returns a channel that receives when Next may have something. It may receive without a reason, and it is
// never closed.
func (c *Cursor) Ready() <-chan struct{} { return c.ready }

// Close removes the cursor from the journal, so that it is no longer woken. It may be called twice.
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

// signal sends a token to the reader unless one is there already.
func (c *Cursor) signal() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
}
