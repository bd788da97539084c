package journal

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCursorReadsInBatches(t *testing.T) {
	j := story()
	c := j.Cursor(0, Filter{})
	defer c.Close()
	buf := make([]Entry, 0, 4)
	want := [][]uint64{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10}, {}}
	for i, w := range want {
		got, missed := c.Next(buf)
		assert.Equal(t, w, seqs(got))
		assert.Zero(t, missed)
		if i < 2 {
			assertReady(t, c)
			assert.Equal(t, w[len(w)-1], c.Examined())
			assert.Same(t, &buf[:1][0], &got[0], "the caller's memory")
		}
	}
	assert.EqualValues(t, 10, c.Examined())
}

func TestCursorDefaultBatch(t *testing.T) {
	j := New()
	for range 100 {
		j.Add(Entry{})
	}
	c := j.Cursor(0, Filter{})
	defer c.Close()
	got, _ := c.Next(nil)
	assert.Len(t, got, 64)
	got, _ = c.Next(nil)
	assert.Len(t, got, 36)
}

func TestCursorIsWokenForItsOwnOnly(t *testing.T) {
	tests := []struct {
		name   string
		filter Filter
		add    Entry
		want   bool
	}{
		{"all", Filter{}, Entry{Session: "s1", Class: Output}, true},
		{"its class", Filter{Classes: MaskOf(Trace, Control)}, Entry{Session: "s1", Class: Trace}, true},
		{"other class", Filter{Classes: MaskOf(Trace, Control)}, Entry{Session: "s1", Class: Output}, false},
		{"its session", Filter{Session: "s1"}, Entry{Session: "s1"}, true},
		{"other session", Filter{Session: "s1"}, Entry{Session: "s2"}, false},
		{"process only when asked", Filter{Session: "s1"}, Entry{}, false},
		{"process when asked", Filter{Session: "s1", WithProcess: true}, Entry{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, via := range []string{"Add", "Append"} {
				j := New()
				c := j.Cursor(0, tt.filter)
				assertNotReady(t, c)
				if via == "Add" {
					j.Add(tt.add)
				} else {
					j.Append(func(uint64) []Entry { return []Entry{tt.add} })
				}
				if tt.want {
					assertReady(t, c)
				} else {
					assertNotReady(t, c)
				}
				got, _ := c.Next(nil)
				assert.Equal(t, tt.want, len(got) == 1)
				assert.EqualValues(t, 1, c.Examined(), "what does not match is examined too")
			}
		})
	}
}

func TestCursorStartsReadyWhenThereIsSomething(t *testing.T) {
	j := story()
	assertReady(t, j.Cursor(9, Filter{}))
	assertNotReady(t, j.Cursor(10, Filter{}))
	assertNotReady(t, j.Cursor(99, Filter{}))
}

func TestCursorFromTheFutureStartsAtTheEnd(t *testing.T) {
	j := story()
	c := j.Cursor(4711, Filter{})
	defer c.Close()
	assert.EqualValues(t, 10, c.Examined())
	j.Add(Entry{})
	got, missed := c.Next(nil)
	assert.Equal(t, []uint64{11}, seqs(got))
	assert.Zero(t, missed)
}

func TestCursorCountsWhatItMissed(t *testing.T) {
	j := NewWithLimits(Limits{TraceEntries: 10})
	c := j.Cursor(0, Filter{Classes: MaskOf(Control, Trace)})
	defer c.Close()
	j.Add(Entry{Session: "s1", Type: TypeHit})
	for range 25 {
		j.Add(Entry{Session: "s1", Class: Trace})
		j.Add(Entry{Session: "s1", Class: Output})
	}
	got, missed := c.Next(nil)
	assert.EqualValues(t, 15, missed, "by count of its classes, not by gaps in seq")
	assert.Len(t, got, 11)
	assert.EqualValues(t, 1, got[0].Seq)
	_, missed = c.Next(nil)
	assert.Zero(t, missed, "told once")

	late := j.Cursor(0, Filter{Classes: MaskOf(Trace)})
	defer late.Close()
	got, missed = late.Next(nil)
	assert.EqualValues(t, 15, missed, "what went before it was made counts when asked for")
	assert.Len(t, got, 10)
}

func TestCursorReportsAMissWithNothingToShow(t *testing.T) {
	j := NewWithLimits(Limits{ControlEntries: 1})
	c := j.Cursor(0, Filter{BreakpointID: "bp-1"})
	defer c.Close()
	j.Add(Entry{BreakpointID: "bp-1"})
	j.Add(Entry{BreakpointID: "bp-2"})
	got, missed := c.Next(nil)
	assert.Empty(t, got)
	assert.EqualValues(t, 1, missed)
}

func TestCursorClosed(t *testing.T) {
	j := New()
	a, b := j.Cursor(0, Filter{}), j.Cursor(0, Filter{})
	a.Close()
	a.Close()
	j.Add(Entry{})
	assertNotReady(t, a)
	assertReady(t, b)
	b.Close()
	assert.Empty(t, j.cursors)
}

func TestEvictedEntriesAreNotKeptAlive(t *testing.T) {
	j := NewWithLimits(Limits{OutputBytes: 4})
	j.Add(Entry{Class: Output, Data: "abc", Size: 3})
	j.Add(Entry{Class: Output, Data: "def", Size: 3})
	r := j.sessions[""][2]
	held := 0
	for _, e := range r.slots {
		if e.Data != nil {
			held++
		}
	}
	assert.Equal(t, 1, held)
}

func TestRingsGrowLazily(t *testing.T) {
	j := New()
	j.Add(Entry{Session: "s1"})
	rings := j.sessions["s1"]
	assert.Len(t, rings[0].slots, firstSlots)
	assert.Nil(t, rings[1])
	assert.Nil(t, rings[2])
	assert.Nil(t, rings[3])
}
