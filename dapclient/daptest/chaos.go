package daptest

import (
	"bufio"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/mempipe"
)

// ChaosOptions are the faults of a stream from an adapter. The same seed gives the same faults.
type ChaosOptions struct {
	Seed uint64
	// Split makes reads return pieces of random length that split headers and bodies.
	Split bool
	// Delay holds about every second answer, and the answers after it, for this long at most, while events overtake
	// them.
	Delay time.Duration
	// CutAfter ends the connection after this many bytes, as if the adapter had been killed; mostly within a frame.
	CutAfter int
}

// Chaos returns the client's end of a faulty stream from an adapter, and owns the stream from then on. One goroutine
// reads the stream. It ends with the stream, or when the client closes.
func Chaos(stream io.ReadWriteCloser, o ChaosOptions) io.ReadWriteCloser {
	c := &chaos{stream: stream, opts: o, out: mempipe.NewBuffer(), random: rand.New(rand.NewPCG(o.Seed, 1))}
	if o.Split {
		c.out.Chunk(o.Seed)
	}
	go c.run()
	return c
}

type chaos struct {
	stream io.ReadWriteCloser
	opts   ChaosOptions
	out    *mempipe.Buffer

	mu     sync.Mutex
	random *rand.Rand
	held   []byte // answers
	sent   int
	cut    bool
}

func (c *chaos) run() {
	r := bufio.NewReaderSize(c.stream, 64<<10)
	for {
		raw, err := dapclient.ReadFrame(r, 0)
		if err != nil {
			c.release()
			c.out.CloseBuffer(false)
			return
		}
		m, err := dapclient.Decode(raw)
		frame := dapclient.AppendFrame(nil, raw)
		if err == nil && m.Kind == dapclient.KindResponse && c.hold(frame) {
			continue
		}
		c.mu.Lock()
		c.write(frame)
		c.mu.Unlock()
	}
}

// hold keeps an answer for later, or reports false.
func (c *chaos) hold(frame []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opts.Delay == 0 || len(c.held) == 0 && c.random.IntN(2) == 0 {
		return false
	}
	if len(c.held) == 0 {
		time.AfterFunc(1+time.Duration(c.random.Int64N(int64(c.opts.Delay))), c.release)
	}
	c.held = append(c.held, frame...)
	return true
}

// release sends the held answers.
func (c *chaos) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write(c.held)
	c.held = nil
}

// write passes on bytes up to the cut. It needs mu held.
func (c *chaos) write(p []byte) {
	if c.cut {
		return
	}
	if after := c.opts.CutAfter; after > 0 && c.sent+len(p) >= after {
		c.cut = true
		_, _ = c.out.Write(p[:after-c.sent]) // errors do not matter after the client has gone
		c.out.CloseBuffer(false)
		go c.stream.Close() // Close may wait for run
		return
	}
	c.sent += len(p)
	_, _ = c.out.Write(p)
}

// Read returns the bytes that have passed.
func (c *chaos) Read(p []byte) (int, error) { return c.out.Read(p) }

// Write sends to the adapter without a change.
func (c *chaos) Write(p []byte) (int, error) { return c.stream.Write(p) }

// Close ends both sides.
func (c *chaos) Close() error {
	err := c.stream.Close()
	c.out.CloseBuffer(true)
	return err
}
