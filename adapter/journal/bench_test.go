package journal

import (
	"fmt"
	"sync"
	"testing"
)

// BenchmarkAdd measures appending one tracepoint hit, with several cursors whose goroutines wait for it.
func BenchmarkAdd(b *testing.B) {
	for _, cursors := range []int{0, 1, 100} {
		b.Run(fmt.Sprintf("waiting=%d", cursors), func(b *testing.B) {
			j := New()
			stop := make(chan struct{})
			var wg sync.WaitGroup
			for range cursors {
				c := j.Cursor(0, Filter{})
				wg.Go(func() {
					defer c.Close()
					buf := make([]Entry, 0, 64)
					for {
						select {
						case <-c.Ready():
							c.Next(buf)
						case <-stop:
							return
						}
					}
				})
			}
			data := &struct{ line int }{21}
			b.ReportAllocs()
			for b.Loop() {
				j.Add(Entry{Session: "s1", Class: Trace, Type: TypeTracepoint, BreakpointID: "tp-2", Data: data, Size: 200})
			}
			close(stop)
			wg.Wait()
		})
	}
}

// BenchmarkAddIdle is the same with cursors that are not read: the cost of the signal itself.
func BenchmarkAddIdle(b *testing.B) {
	for _, cursors := range []int{1, 100} {
		for _, class := range []Class{Trace, Output} {
			b.Run(fmt.Sprintf("cursors=%d/%s", cursors, class), func(b *testing.B) {
				j := New()
				for range cursors {
					defer j.Cursor(0, Filter{Classes: MaskOf(Trace)}).Close()
				}
				b.ReportAllocs()
				for b.Loop() {
					j.Add(Entry{Session: "s1", Class: class, Size: 20})
				}
			})
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	j := New()
	batch := make([]Entry, 2)
	b.ReportAllocs()
	for b.Loop() {
		j.Append(func(uint64) []Entry {
			batch[0] = Entry{Session: "s1", Class: Trace, Type: TypeTracepoint, Size: 200}
			batch[1] = Entry{Session: "s1", Class: Control, Type: TypeState}
			return batch
		})
	}
}

// BenchmarkNext reads batches of 64 of two merged rings; ns/op is for one batch.
func BenchmarkNext(b *testing.B) {
	j := New()
	for i := range 20_000 {
		j.Add(Entry{Session: "s1", Class: Class(i % 2)})
	}
	c := j.Cursor(0, Filter{})
	buf := make([]Entry, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		if got, _ := c.Next(buf); len(got) == 0 {
			b.StopTimer()
			c.Close()
			c = j.Cursor(0, Filter{})
			b.StartTimer()
		}
	}
}

func BenchmarkQueryRareFilter(b *testing.B) {
	j := New()
	for i := range 20_000 {
		j.Add(Entry{Session: "s1", Class: Class(i % 2), BreakpointID: "tp-1"})
	}
	b.ReportAllocs()
	for b.Loop() {
		j.Query(0, Filter{BreakpointID: "none"}, 100)
	}
}
