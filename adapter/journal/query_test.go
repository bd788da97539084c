package journal

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// story is a small mixed journal: two sessions, the process, every class.
func story() *Journal {
	j := New()
	j.Add(Entry{Type: TypeBreakpoint, BreakpointID: "bp-1"})                                                    // 1
	j.Add(Entry{Session: "s1", Type: TypeState})                                                                // 2
	j.Add(Entry{Session: "s1", Class: Output, Type: TypeOutput, Stream: Stdout, Data: "out", Size: 3})          // 3
	j.Add(Entry{Session: "s2", Type: TypeState})                                                                // 4
	j.Add(Entry{Session: "s1", Class: Trace, Type: TypeTracepoint, BreakpointID: "tp-2"})                       // 5
	j.Add(Entry{Session: "s1", Class: Output, Type: TypeOutput, Stream: Stderr, Data: "err", Size: 3})          // 6
	j.Add(Entry{Session: "s1", Type: TypeHit, BreakpointID: "bp-1"})                                            // 7
	j.Add(Entry{Session: "s2", Class: Trace, Type: TypeTracepoint, BreakpointID: "tp-2"})                       // 8
	j.Add(Entry{Session: "s1", Class: Output, Type: TypeOutput, Stream: Stdout, Data: "more output", Size: 11}) // 9
	j.Add(Entry{Session: "s1", Type: TypeState})                                                                // 10
	return j
}

func TestQuery(t *testing.T) {
	tests := []struct {
		name   string
		after  uint64
		filter Filter
		limit  int
		want   []uint64
		last   uint64
		more   bool
		oldest uint64
	}{
		{"everything in order", 0, Filter{}, 100, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10, false, 1},
		{"no limit", 0, Filter{}, 0, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10, false, 1},
		{"after", 7, Filter{}, 100, []uint64{8, 9, 10}, 10, false, 1},
		{"after the end", 10, Filter{}, 100, []uint64{}, 10, false, 1},
		{"after a seq of an earlier process", 4711, Filter{}, 100, []uint64{}, 10, false, 1},
		{"one session", 0, Filter{Session: "s2"}, 100, []uint64{4, 8}, 10, false, 4},
		{"one session and the process", 0, Filter{Session: "s2", WithProcess: true}, 100, []uint64{1, 4, 8}, 10, false, 1},
		{"no such session", 0, Filter{Session: "s9"}, 100, []uint64{}, 10, false, 0},
		{"one class", 0, Filter{Classes: MaskOf(Trace)}, 100, []uint64{5, 8}, 10, false, 5},
		{"both streams", 0, Filter{Classes: MaskOf(Output)}, 100, []uint64{3, 6, 9}, 10, false, 3},
		{"types", 0, Filter{Types: []string{TypeHit, TypeTracepoint}}, 100, []uint64{5, 7, 8}, 10, false, 1},
		{"no types at all", 0, Filter{Types: []string{}}, 100, []uint64{}, 10, false, 1},
		{"breakpoint", 0, Filter{BreakpointID: "bp-1"}, 100, []uint64{1, 7}, 10, false, 1},
		{"all filters", 5, Filter{Session: "s1", Classes: MaskOf(Control), Types: []string{TypeHit},
			BreakpointID: "bp-1"}, 5, []uint64{7}, 10, false, 2},
		{"limit with more", 0, Filter{}, 4, []uint64{1, 2, 3, 4}, 4, true, 1},
		{"limit met exactly", 6, Filter{}, 4, []uint64{7, 8, 9, 10}, 10, false, 1},
		{"limit and what follows does not match", 0, Filter{Types: []string{TypeHit}}, 1, []uint64{7}, 10, false, 1},
		{"limit and more that matches, far off", 0, Filter{Session: "s2"}, 1, []uint64{4}, 4, true, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := story().Query(tt.after, tt.filter, tt.limit)
			assert.Equal(t, tt.want, seqs(p.Entries))
			assert.Equal(t, tt.last, p.LastSeq, "last examined")
			assert.Equal(t, tt.more, p.More)
			assert.Equal(t, tt.oldest, p.OldestSeq)
			assert.Zero(t, p.Dropped)
		})
	}
}

func TestQueryPagesMeet(t *testing.T) {
	j := story()
	for limit := 1; limit <= 11; limit++ {
		var all []uint64
		after := uint64(0)
		for {
			p := j.Query(after, Filter{Session: "s1"}, limit)
			all = append(all, seqs(p.Entries)...)
			after = p.LastSeq
			if !p.More {
				break
			}
		}
		assert.Equal(t, []uint64{2, 3, 5, 6, 7, 9, 10}, all, "limit %d", limit)
	}
}

func TestQueryLooksThroughManyForOne(t *testing.T) {
	j := New()
	for range 5 * examineBatch {
		j.Add(Entry{Session: "s1", Class: Trace, Type: TypeTracepoint})
	}
	seq := j.Add(Entry{Session: "s1", Type: TypeHit, BreakpointID: "bp-1"})
	p := j.Query(0, Filter{BreakpointID: "bp-1"}, 1)
	assert.Equal(t, []uint64{seq}, seqs(p.Entries))
	assert.False(t, p.More)
	assert.Equal(t, []uint64{1}, seqs(j.Tail(Filter{}, 5*examineBatch+1).Entries[:1]))
}

func TestTail(t *testing.T) {
	tests := []struct {
		name   string
		filter Filter
		n      int
		want   []uint64
		more   bool
	}{
		{"fewer than there are", Filter{}, 3, []uint64{8, 9, 10}, true},
		{"all", Filter{}, 10, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, false},
		{"more than there are", Filter{}, 99, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, false},
		{"of a session and class", Filter{Session: "s1", Classes: MaskOf(Output)}, 2, []uint64{6, 9}, true},
		{"of a type", Filter{Types: []string{TypeState}}, 2, []uint64{4, 10}, true},
		{"none wanted", Filter{}, 0, []uint64{}, true},
		{"none there", Filter{Session: "s9"}, 5, []uint64{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := story().Tail(tt.filter, tt.n)
			assert.Equal(t, tt.want, seqs(p.Entries))
			assert.Equal(t, tt.more, p.More)
			assert.EqualValues(t, 10, p.LastSeq)
		})
	}
}

func TestLimits(t *testing.T) {
	small := Limits{ControlEntries: 4, TraceEntries: 3, TraceBytes: 100, OutputEntries: 5, OutputBytes: 10}
	tests := []struct {
		name    string
		add     []Entry
		want    []uint64
		dropped uint64
	}{
		{"control by entries", []Entry{{}, {}, {}, {}, {}, {}}, []uint64{3, 4, 5, 6}, 2},
		{"trace by entries", []Entry{{Class: Trace}, {Class: Trace}, {Class: Trace}, {Class: Trace}}, []uint64{2, 3, 4}, 1},
		{"trace by bytes", []Entry{{Class: Trace, Size: 60}, {Class: Trace, Size: 40}, {Class: Trace, Size: 1}},
			[]uint64{2, 3}, 1},
		{"one too large evicts all others and stays", []Entry{{Class: Trace, Size: 60}, {Class: Trace, Size: 40},
			{Class: Trace, Size: 101}}, []uint64{3}, 2},
		{"output by bytes", []Entry{{Class: Output, Size: 6}, {Class: Output, Size: 4}, {Class: Output, Size: 6}},
			[]uint64{2, 3}, 1},
		{"output by entries", []Entry{{Class: Output}, {Class: Output}, {Class: Output}, {Class: Output},
			{Class: Output}, {Class: Output}}, []uint64{2, 3, 4, 5, 6}, 1},
		{"streams apart", []Entry{
			{Class: Output, Stream: Stdout, Size: 10}, {Class: Output, Stream: Stderr, Size: 10},
			{Class: Output, Stream: Stdout, Size: 3}, {Class: Output, Stream: Stdout, Size: 3},
		}, []uint64{2, 3, 4}, 1},
		{"sessions apart", []Entry{
			{Session: "a", Class: Output, Size: 10}, {Session: "b", Class: Output, Size: 10},
			{Session: "b", Class: Output, Size: 10},
		}, []uint64{1, 3}, 1},
		{"a flood evicts only itself", []Entry{
			{Type: TypeHit}, {Class: Output, Size: 10}, {Class: Trace}, {Class: Trace}, {Class: Trace}, {Class: Trace},
			{Class: Trace},
		}, []uint64{1, 2, 5, 6, 7}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := NewWithLimits(small)
			for _, e := range tt.add {
				j.Add(e)
			}
			p := j.Query(0, Filter{}, 0)
			assert.Equal(t, tt.want, seqs(p.Entries))
			assert.Equal(t, tt.dropped, p.Dropped)
			assert.Equal(t, tt.want[0], p.OldestSeq)
			tail := j.Tail(Filter{}, 100)
			assert.Equal(t, tt.want, seqs(tail.Entries))
			assert.Equal(t, tt.dropped, tail.Dropped)
		})
	}
}

func TestDefaultLimits(t *testing.T) {
	j := New()
	for range 10_500 {
		j.Add(Entry{Class: Control})
		j.Add(Entry{Class: Trace, Size: 100})
	}
	for range 3_000 {
		j.Add(Entry{Class: Output, Size: 1024})
	}
	assert.Len(t, j.Query(0, Filter{Classes: MaskOf(Control)}, 0).Entries, 10_000)
	assert.Len(t, j.Query(0, Filter{Classes: MaskOf(Trace)}, 0).Entries, 10_000)
	assert.Len(t, j.Query(0, Filter{Classes: MaskOf(Output)}, 0).Entries, 1024)
}

func TestDroppedAfterASeqInsideAFlood(t *testing.T) {
	j := NewWithLimits(Limits{TraceEntries: 100})
	for range 50_000 {
		j.Add(Entry{Class: Trace, Type: TypeTracepoint})
	}
	oldest := j.Query(0, Filter{}, 1).OldestSeq
	require.EqualValues(t, 49_901, oldest)
	for _, after := range []uint64{0, 1, 2, 17, 1000, 12_345, 49_899, 49_900, 49_901, 50_000} {
		want := uint64(0)
		if after < oldest {
			want = oldest - 1 - after
		}
		assert.Equal(t, want, j.Query(after, Filter{}, 1).Dropped, "after %d", after)
	}
}

func TestDroppedOfMixedRingsIsANarrowUpperBound(t *testing.T) {
	j := NewWithLimits(Limits{TraceEntries: 10, ControlEntries: 100_000})
	var traces []uint64
	for i := range 40_000 {
		if i%3 == 0 {
			traces = append(traces, j.Add(Entry{Class: Trace}))
		} else {
			j.Add(Entry{})
		}
	}
	for after := uint64(0); after < 40_000; after += 37 {
		exact := uint64(0)
		for _, s := range traces[:len(traces)-10] {
			if s > after {
				exact++
			}
		}
		got := j.Query(after, Filter{}, 1).Dropped
		require.GreaterOrEqual(t, got, exact)
		require.LessOrEqual(t, got, exact+128, "after %d", after)
	}
}

func TestDroppedKnowsTypes(t *testing.T) {
	j := NewWithLimits(Limits{ControlEntries: 2, TraceEntries: 2})
	j.Add(Entry{Type: TypeHit})
	for range 10 {
		j.Add(Entry{Class: Trace, Type: TypeTracepoint})
	}
	assert.EqualValues(t, 8, j.Query(0, Filter{}, 0).Dropped)
	assert.Zero(t, j.Query(0, Filter{Types: []string{TypeHit}}, 0).Dropped, "no hit was ever evicted")
	assert.EqualValues(t, 8, j.Query(0, Filter{Types: []string{TypeTracepoint}}, 0).Dropped)
	assert.Zero(t, j.Tail(Filter{Types: []string{TypeHit}}, 5).Dropped)
	for range 3 {
		j.Add(Entry{Type: TypeState})
	}
	assert.EqualValues(t, 2, j.Query(0, Filter{Types: []string{TypeHit}}, 0).Dropped, "at most: one of the two was a hit")
	for i := range 2 * maxEvictedTypes {
		j.Add(Entry{Type: fmt.Sprint("type ", i)})
	}
	assert.NotZero(t, j.Query(0, Filter{Types: []string{"never seen"}}, 0).Dropped, "too many types to tell")
}

func TestForget(t *testing.T) {
	j := story()
	c := j.Cursor(3, Filter{})
	defer c.Close()
	other := j.Cursor(10, Filter{Session: "s2"})
	defer other.Close()
	assertReady(t, c)
	j.Forget("s1")
	j.Forget("never there")
	assertReady(t, c)
	assertNotReady(t, other)

	got, missed := c.Next(nil)
	assert.Equal(t, []uint64{4, 8}, seqs(got))
	assert.EqualValues(t, 5, missed, "5, 6, 7, 9, 10")
	p := j.Query(0, Filter{}, 0)
	assert.Equal(t, []uint64{1, 4, 8}, seqs(p.Entries))
	assert.Zero(t, p.Dropped, "let go on purpose")
	assert.Empty(t, j.Query(0, Filter{Session: "s1"}, 0).Entries)

	seq := j.Add(Entry{Session: "s1", Type: TypeState})
	assert.EqualValues(t, 11, seq, "seqs go on")
	got, missed = c.Next(nil)
	assert.Equal(t, []uint64{11}, seqs(got))
	assert.Zero(t, missed)
}
