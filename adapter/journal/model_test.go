package journal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// model is a simple journal without limits of time and memory: all entries ever appended, with a mark on those that
// are gone.
type model struct {
	limits Limits
	all    []*modelEntry
}

type modelEntry struct {
	Entry
	ring      string
	gone      bool
	forgotten bool
}

func (m *model) add(e Entry) {
	ring := fmt.Sprint(e.Session, "/", e.Class, "/", e.Class == Output && e.Stream == Stderr)
	m.all = append(m.all, &modelEntry{Entry: e, ring: ring})
	entries, size := m.limits.ControlEntries, 0
	switch e.Class {
	case Trace:
		entries, size = m.limits.TraceEntries, m.limits.TraceBytes
	case Output:
		entries, size = m.limits.OutputEntries, m.limits.OutputBytes
	}
	// From the newest to the oldest: what fits stays.
	n, bytes, full := 0, 0, false
	for i := len(m.all) - 1; i >= 0; i-- {
		x := m.all[i]
		if x.ring != ring || x.gone {
			continue
		}
		n, bytes = n+1, bytes+x.Size
		full = full || n > entries || size > 0 && bytes > size && n > 1
		x.gone = full
	}
}

func (m *model) forget(session string) {
	for _, e := range m.all {
		if e.Session == session {
			e.gone, e.forgotten = true, true
		}
	}
}

// tail returns the newest n matching entries.
func (m *model) tail(f Filter, n int) []uint64 {
	out := []uint64{}
	for i := len(m.all) - 1; i >= 0 && len(out) < n; i-- {
		if e := m.all[i]; !e.gone && f.matchesRing(e.Session, e.Class) && f.matchesEntry(&e.Entry) {
			out = append(out, e.Seq)
		}
	}
	slices.Reverse(out)
	return out
}

// modelCursor remembers each entry that was counted.
type modelCursor struct {
	after  uint64
	filter Filter
	done   map[uint64]bool
	missed uint64
}

// settle counts the entries that are gone. A new cursor does so too.
func (c *modelCursor) settle(m *model) {
	typeGone := map[string]bool{}
	for _, e := range m.all {
		if e.gone && (c.filter.Types == nil || slices.Contains(c.filter.Types, e.Type)) {
			typeGone[e.ring+fmt.Sprint(e.forgotten)] = true
		}
	}
	for _, e := range m.all {
		if e.gone && e.Seq > c.after && !c.done[e.Seq] && c.filter.matchesRing(e.Session, e.Class) {
			c.done[e.Seq] = true
			if typeGone[e.ring+fmt.Sprint(e.forgotten)] {
				c.missed++
			}
		}
	}
}

func (c *modelCursor) next(m *model, limit int) (got []uint64, missed uint64) {
	got = []uint64{}
	c.settle(m)
	missed, c.missed = c.missed, 0
	for _, e := range m.all {
		if e.gone || e.Seq <= c.after || c.done[e.Seq] || !c.filter.matchesRing(e.Session, e.Class) {
			continue
		}
		if c.filter.matchesEntry(&e.Entry) {
			if len(got) == limit {
				break
			}
			got = append(got, e.Seq)
		}
		c.done[e.Seq] = true
	}
	return got, missed
}

func randomFilter(r *rand.Rand) Filter {
	f := Filter{Session: []string{"", "", "s1", "s2"}[r.IntN(4)], Classes: Mask(r.IntN(8)), WithProcess: r.IntN(2) == 0}
	if r.IntN(3) == 0 {
		f.Types = []string{TypeHit, TypeState}[:1+r.IntN(2)]
	}
	if r.IntN(4) == 0 {
		f.BreakpointID = "bp-1"
	}
	return f
}

func randomEntry(r *rand.Rand) Entry {
	return Entry{
		Session:      []string{"", "s1", "s2"}[r.IntN(3)],
		Class:        Class(r.IntN(3)),
		Type:         []string{TypeHit, TypeState, TypeOutput}[r.IntN(3)],
		BreakpointID: []string{"", "bp-1", "bp-2"}[r.IntN(3)],
		Stream:       []string{Stdout, Stderr}[r.IntN(2)],
		Size:         r.IntN(12),
	}
}

// TestAgainstModel performs the same random operations on a journal and on the model. Runs with type filters do not
// use Forget, because the model would need a second memory for the evictions that a new ring of the same session
// remembers.
func TestAgainstModel(t *testing.T) {
	limits := Limits{ControlEntries: 7, TraceEntries: 20, TraceBytes: 60, OutputEntries: 9, OutputBytes: 30}
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 1))
		j, m := NewWithLimits(limits), &model{limits: limits}
		forgets := seed%2 == 0
		filter := func() Filter {
			f := randomFilter(r)
			if forgets {
				f.Types = nil
			}
			return f
		}
		type pair struct {
			real  *Cursor
			model *modelCursor
		}
		var cursors []pair
		for step := range 300 {
			where := fmt.Sprintf("seed %d step %d", seed, step)
			switch op := r.IntN(20); {
			case op < 9:
				e := randomEntry(r)
				e.Seq = j.Add(e)
				m.add(e)
			case op < 11:
				j.Append(func(first uint64) []Entry {
					var batch []Entry
					for i := range r.IntN(5) {
						e := randomEntry(r)
						batch = append(batch, e)
						e.Seq = first + uint64(i)
						m.add(e)
					}
					return batch
				})
			case op < 12 && len(cursors) < 6:
				// A start within the held entries, or at 0, has exact numbers.
				after, f := uint64(0), filter()
				if r.IntN(2) == 0 {
					after = j.LastSeq()
				}
				mc := &modelCursor{after: after, filter: f, done: map[uint64]bool{}}
				for _, e := range m.all {
					mc.done[e.Seq] = e.forgotten // before the cursor's start
				}
				mc.settle(m)
				cursors = append(cursors, pair{j.Cursor(after, f), mc})
			case op < 13 && forgets && r.IntN(4) == 0:
				s := []string{"s1", "s2"}[r.IntN(2)]
				j.Forget(s)
				m.forget(s)
			case op < 17 && len(cursors) > 0:
				c := cursors[r.IntN(len(cursors))]
				limit := 1 + r.IntN(9)
				want, wantMissed := c.model.next(m, limit)
				got, missed := c.real.Next(make([]Entry, 0, limit))
				require.Equal(t, want, seqs(got), where)
				require.Equal(t, wantMissed, missed, where)
				if len(got) < limit {
					require.Equal(t, j.LastSeq(), c.real.Examined(), where)
				}
			case op < 19:
				f, limit, after := filter(), 1+r.IntN(12), uint64(r.IntN(int(j.LastSeq()+2)))
				mc := &modelCursor{after: after, filter: f, done: map[uint64]bool{}}
				for _, e := range m.all {
					mc.done[e.Seq] = e.forgotten
				}
				want, dropped := mc.next(m, limit)
				p := j.Query(after, f, limit)
				require.Equal(t, want, seqs(p.Entries), where)
				require.GreaterOrEqual(t, p.Dropped, dropped, where)
				if after == 0 {
					require.Equal(t, dropped, p.Dropped, where)
				}
				more, _ := mc.next(m, 1)
				require.Equal(t, len(more) > 0, p.More, where)
				if !p.More {
					require.Equal(t, j.LastSeq(), p.LastSeq, where)
				}
			default:
				f, n := filter(), r.IntN(30)
				require.Equal(t, m.tail(f, n), seqs(j.Tail(f, n).Entries), where)
			}
		}
	}
}
