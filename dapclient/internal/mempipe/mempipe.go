// Package mempipe is a buffered duplex stream in memory.
package mempipe

import (
	"io"
	"math/rand/v2"
	"sync"
)

// Buffer is one direction of an in-memory stream. Writes wait only while it is stalled; reads return the buffered
// bytes.
type Buffer struct {
	mu      sync.Mutex
	wake    *sync.Cond
	data    []byte
	start   int // data[:start] was read
	closed  bool
	broken  bool // reads fail even with data left
	stalled bool // writes wait
	chunks  *rand.Rand
}

// NewBuffer returns an empty buffer.
func NewBuffer() *Buffer {
	b := &Buffer{}
	b.wake = sync.NewCond(&b.mu)
	return b
}

// Write appends p. It waits only while the buffer is stalled.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.stalled && !b.closed {
		b.wake.Wait()
	}
	if b.closed {
		return 0, io.ErrClosedPipe
	}
	if b.start == len(b.data) {
		b.data, b.start = b.data[:0], 0
	} else if b.start > 64<<10 && b.start > len(b.data)/2 {
		b.data, b.start = append(b.data[:0], b.data[b.start:]...), 0
	}
	b.data = append(b.data, p...)
	b.wake.Broadcast()
	return len(p), nil
}

// Read waits for data, then returns the buffered bytes.
func (b *Buffer) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.start == len(b.data) && !b.closed {
		b.wake.Wait()
	}
	if b.broken {
		return 0, io.ErrClosedPipe
	}
	if b.start == len(b.data) {
		return 0, io.EOF
	}
	if b.chunks != nil && len(p) > 1 {
		// Mostly tiny pieces, which split headers and bodies, and sometimes one that joins frames.
		most := 16
		if b.chunks.IntN(4) == 0 {
			most = 2000
		}
		p = p[:1+b.chunks.IntN(min(most, len(p)))]
	}
	n := copy(p, b.data[b.start:])
	b.start += n
	return n, nil
}

// CloseBuffer ends the direction. Written data can still be read, unless broken is set.
func (b *Buffer) CloseBuffer(broken bool) {
	b.mu.Lock()
	b.closed = true
	b.broken = b.broken || broken
	b.mu.Unlock()
	b.wake.Broadcast()
}

// Stall makes writes wait, or releases them.
func (b *Buffer) Stall(on bool) {
	b.mu.Lock()
	b.stalled = on
	b.mu.Unlock()
	b.wake.Broadcast()
}

// Chunk makes reads return pieces of random length.
func (b *Buffer) Chunk(seed uint64) {
	b.mu.Lock()
	b.chunks = rand.New(rand.NewPCG(seed, seed))
	b.mu.Unlock()
}

// End is one end of a duplex stream.
type End struct{ In, Out *Buffer }

// Read returns the bytes from the other end.
func (e End) Read(p []byte) (int, error) { return e.In.Read(p) }

// Write appends bytes for the other end.
func (e End) Write(p []byte) (int, error) { return e.Out.Write(p) }

// Close ends both directions. The other end can still read unread data.
func (e End) Close() error {
	e.Out.CloseBuffer(false)
	e.In.CloseBuffer(true)
	return nil
}

// New returns the two ends of a buffered duplex stream in memory. As with the pipes of a process, and unlike
// net.Pipe, a write does not wait for a read.
func New() (client, server End) {
	up, down := NewBuffer(), NewBuffer()
	return End{In: down, Out: up}, End{In: up, Out: down}
}
