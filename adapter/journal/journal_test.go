package journal

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func seqs(entries []Entry) []uint64 {
	out := []uint64{}
	for _, e := range entries {
		out = append(out, e.Seq)
	}
	return out
}

func TestAddAssignsSeqAndTime(t *testing.T) {
	j := New()
	assert.Zero(t, j.LastSeq())
	before := time.Now()
	fixed := time.Date(2026, 11, 27, 10, 30, 0, 0, time.UTC)
	assert.EqualValues(t, 1, j.Add(Entry{Session: "s1", Type: TypeState}))
	assert.EqualValues(t, 2, j.Add(Entry{Session: "s1", Type: TypeHit, Time: fixed, Seq: 99}))
	p := j.Query(0, Filter{}, 10)
	require.Len(t, p.Entries, 2)
	assert.False(t, p.Entries[0].Time.Before(before.Truncate(0)))
	assert.Equal(t, time.UTC, p.Entries[0].Time.Location())
	assert.Equal(t, fixed, p.Entries[1].Time)
	assert.EqualValues(t, 2, p.Entries[1].Seq, "a seq is never the caller's")
	assert.EqualValues(t, 2, p.LastSeq)
	assert.EqualValues(t, 1, p.OldestSeq)
	assert.False(t, p.More)
}

func TestAppendKnowsItsSeq(t *testing.T) {
	type payload struct{ Seq uint64 }
	j := New()
	j.Add(Entry{})
	c := j.Cursor(j.LastSeq(), Filter{})
	defer c.Close()
	published := false
	last := j.Append(func(first uint64) []Entry {
		published = true
		select {
		case <-c.Ready():
			t.Error("woken before the snapshot is published")
		default:
		}
		return []Entry{{Type: TypeHit, Data: payload{first}}, {Type: TypeHit, Data: payload{first + 1}}}
	})
	assert.EqualValues(t, 3, last)
	assert.True(t, published)
	<-c.Ready()
	got, missed := c.Next(nil)
	assert.Zero(t, missed)
	require.Equal(t, []uint64{2, 3}, seqs(got))
	for _, e := range got {
		assert.Equal(t, payload{e.Seq}, e.Data)
	}
}

func TestAppendNothing(t *testing.T) {
	j := New()
	j.Add(Entry{})
	c := j.Cursor(1, Filter{})
	defer c.Close()
	assert.EqualValues(t, 1, j.Append(func(uint64) []Entry { return nil }))
	assert.EqualValues(t, 1, j.LastSeq())
	assertNotReady(t, c)
}

func TestAppendSurvivesAPanicInBuild(t *testing.T) {
	j := New()
	assert.Panics(t, func() { j.Append(func(uint64) []Entry { panic("no") }) })
	assert.EqualValues(t, 1, j.Add(Entry{}), "the lock is free again and no seq was used")
}

func TestUnknownClassIsControl(t *testing.T) {
	j := New()
	j.Add(Entry{Class: 7})
	assert.Equal(t, Control, j.Query(0, Filter{Classes: MaskOf(Control)}, 1).Entries[0].Class)
}

func TestMask(t *testing.T) {
	m := MaskOf(Control, Output)
	assert.True(t, m.Has(Control))
	assert.False(t, m.Has(Trace))
	assert.True(t, m.Has(Output))
	assert.Equal(t, All, MaskOf(Control, Trace, Output))
	assert.Equal(t, "control trace output unknown", Control.String()+" "+Trace.String()+" "+Output.String()+" "+
		Class(9).String())
}

func assertNotReady(t *testing.T, c *Cursor) {
	t.Helper()
	select {
	case <-c.Ready():
		t.Error("cursor was woken")
	default:
	}
}

func assertReady(t *testing.T, c *Cursor) {
	t.Helper()
	select {
	case <-c.Ready():
	default:
		t.Error("cursor was not woken")
	}
}
