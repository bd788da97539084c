package journal

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestManyProducersManyCursors checks the guarantees under contention: rising seqs, no loss without a report, and no
// reader that waits while there is something to read.
func TestManyProducersManyCursors(t *testing.T) {
	const producers, perProducer, cursors = 8, 900, 24
	j := NewWithLimits(Limits{ControlEntries: 300, TraceEntries: 300, OutputBytes: 2_000})
	filters := make([]Filter, cursors)
	for i := range filters {
		switch i % 4 {
		case 1:
			filters[i].Classes = MaskOf(Trace)
		case 2:
			filters[i].Session = fmt.Sprint("s", i%producers)
		case 3:
			filters[i].Classes = MaskOf(Control, Output)
		}
	}
	matching := func(f Filter) (n uint64) {
		for p := range producers {
			for i := range perProducer {
				if f.matchesRing(fmt.Sprint("s", p), Class(i%3)) {
					n++
				}
			}
		}
		return n
	}

	var readers, writers sync.WaitGroup
	done := make(chan struct{})
	for _, f := range filters {
		c := j.Cursor(0, f)
		readers.Go(func() {
			defer c.Close()
			var total, last uint64
			buf := make([]Entry, 0, 50)
			for ended := false; ; {
				got, missed := c.Next(buf)
				total += uint64(len(got)) + missed
				for _, e := range got {
					if e.Seq <= last {
						t.Errorf("seq %d after %d", e.Seq, last)
					}
					last = e.Seq
				}
				if len(got) > 0 || missed > 0 {
					continue
				}
				if ended {
					break
				}
				select {
				case <-c.Ready():
				case <-done:
					ended = true
				}
			}
			assert.Equal(t, matching(f), total, "got and missed are all there was")
			assert.EqualValues(t, producers*perProducer, c.Examined())
		})
	}
	for p := range producers {
		writers.Go(func() {
			var last uint64
			for i := range perProducer {
				e := Entry{Session: fmt.Sprint("s", p), Class: Class(i % 3), Size: 10}
				var seq uint64
				if i%2 == 0 {
					seq = j.Add(e)
				} else {
					seq = j.Append(func(uint64) []Entry { return []Entry{e} })
				}
				if seq <= last {
					t.Errorf("seq %d after %d", seq, last)
				}
				last = seq
				if i%100 == 0 {
					page := j.Query(seq/2, Filter{Session: e.Session}, 20)
					if page.LastSeq < seq/2 {
						t.Errorf("examined %d, asked after %d", page.LastSeq, seq/2)
					}
					j.Tail(Filter{}, 5)
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	require.EqualValues(t, producers*perProducer, j.LastSeq())
	assert.Empty(t, j.cursors)
}

// TestReaderThatKeepsUpLosesNothing checks that with large rings waiting on Ready delivers everything.
func TestReaderThatKeepsUpLosesNothing(t *testing.T) {
	const n = 9_000
	j := New()
	c := j.Cursor(0, Filter{Classes: MaskOf(Trace)})
	defer c.Close()
	go func() {
		for range n {
			j.Add(Entry{Class: Output, Size: 1})
			j.Add(Entry{Class: Trace})
		}
	}()
	count := 0
	for count < n {
		<-c.Ready()
		got, missed := c.Next(nil)
		count += len(got)
		require.Zero(t, missed)
	}
}

func TestForgetUnderReaders(t *testing.T) {
	j := NewWithLimits(Limits{ControlEntries: 50})
	c := j.Cursor(0, Filter{})
	defer c.Close()
	var writer sync.WaitGroup
	const n = 5_000
	writer.Go(func() {
		for i := range n {
			j.Add(Entry{Session: "s1"})
			if i%97 == 0 {
				j.Forget("s1")
			}
		}
	})
	var total uint64
	for total < n {
		<-c.Ready()
		for {
			got, missed := c.Next(nil)
			total += uint64(len(got)) + missed
			if len(got) == 0 && missed == 0 {
				break
			}
		}
	}
	writer.Wait()
	assert.EqualValues(t, n, total)
}
