package daptest

import (
	"io"
	"math/rand/v2"
	"sync"
)

// buffer is one direction of an in-memory stream: writes never wait, unless it is stalled, reads take
// what is there.
type buffer struct {
	mu      sync.Mutex
	wake    *sync.Cond
	data    []byte
	start   int // data[:start] has been read
	closed  bool
	broken  bool // reads fail even when data is left
	stalled bool // writes wait
	chunks  *rand.Rand
}

func newBuffer() *buffer {
	b := &buffer{}
	b.wake = sync.NewCond(&b.mu)
	return b
}

func (b *buffer) Write(p []byte) (int, error) {
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

func (b *buffer) Read(p []byte) (int, error) {
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
		// Mostly tiny pieces, that cut headers and bodies; now and then one that joins frames.
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

// close ends the direction: what was written can still be read, unless broken.
func (b *buffer) close(broken bool) {
	b.mu.Lock()
	b.closed = true
	b.broken = b.broken || broken
	b.mu.Unlock()
	b.wake.Broadcast()
}

func (b *buffer) stall(on bool) {
	b.mu.Lock()
	b.stalled = on
	b.mu.Unlock()
	b.wake.Broadcast()
}

func (b *buffer) chunk(seed uint64) {
	b.mu.Lock()
	b.chunks = rand.New(rand.NewPCG(seed, seed))
	b.mu.Unlock()
}

// end is one end of a duplex stream.
type end struct{ in, out *buffer }

func (e end) Read(p []byte) (int, error)  { return e.in.Read(p) }
func (e end) Write(p []byte) (int, error) { return e.out.Write(p) }

// Close ends both directions; what the other end has not read yet stays readable there.
func (e end) Close() error {
	e.out.close(false)
	e.in.close(true)
	return nil
}

// Pipe returns the two ends of a buffered duplex stream in memory. Unlike net.Pipe, a
// write does not wait for a read, as with the pipes of a real process.
func Pipe() (client, server io.ReadWriteCloser) {
	up, down := newBuffer(), newBuffer()
	return end{in: down, out: up}, end{in: up, out: down}
}
