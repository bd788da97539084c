package daptest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/mempipe"
	"breakwire/dapclient/internal/rawjson"
)

// patience is how long the functions that wait, such as WaitFor, wait before they fail the test.
const patience = 10 * time.Second

// keepReceived limits the requests kept for Received, so that a million hits do not fill memory.
const keepReceived = 20_000

// Adapter is a fake debug adapter with its debuggee. Its methods may be called from any goroutine.
type Adapter struct {
	tb     testing.TB
	client io.ReadWriteCloser
	server io.ReadWriteCloser
	down   *mempipe.Buffer // to the client; nil when served on another stream
	up     *mempipe.Buffer
	wire   wire
	done   chan struct{} // closed when the adapter has ended
	once   sync.Once
	wg     sync.WaitGroup

	// The queue. The goroutine that finds draining false owns the engine.
	qmu      sync.Mutex
	tasks    []func()
	requests []*dapclient.Message
	draining bool
	busy     bool // an answer is held: requests wait, tasks do not

	// Received requests and the test's hooks.
	lmu      sync.Mutex
	arrived  chan struct{} // closed and replaced at each request
	received []*dapclient.Message
	dropped  int // requests no longer in received
	counts   map[string]int
	waited   map[string]int
	hooks    map[string]func(*dapclient.Message) Action
	alive    bool // there is a debuggee
	foreign  bool // it was attached
	fate     Fate

	engine // for the owner of the queue only
}

// New starts an adapter in memory, which ends with the test.
func New(tb testing.TB, s Shape, p Program) *Adapter {
	up, down := mempipe.NewBuffer(), mempipe.NewBuffer()
	a := newAdapter(mempipe.End{In: up, Out: down}, s, p)
	a.tb, a.up, a.down = tb, up, down
	a.client = mempipe.End{In: down, Out: up}
	a.wg.Go(a.read)
	tb.Cleanup(func() {
		a.client.Close()
		a.Close()
	})
	return a
}

// Serve runs an adapter over a stream, such as stdin and stdout of a test's child process, until the stream ends or
// the client has disconnected. setup may set hooks.
func Serve(rw io.ReadWriteCloser, s Shape, p Program, setup ...func(*Adapter)) error {
	a := newAdapter(rw, s, p)
	for _, f := range setup {
		f(a)
	}
	a.wg.Go(a.read)
	<-a.done
	a.wire.mu.Lock()
	defer a.wire.mu.Unlock()
	if a.wire.err != nil && !errors.Is(a.wire.err, io.ErrClosedPipe) {
		return a.wire.err
	}
	return nil
}

func newAdapter(server io.ReadWriteCloser, s Shape, p Program) *Adapter {
	a := &Adapter{
		server: server, done: make(chan struct{}), arrived: make(chan struct{}),
		counts: make(map[string]int), waited: make(map[string]int),
		hooks: make(map[string]func(*dapclient.Message) Action),
		wire:  wire{style: s.Seq, bodyFirst: s.BodyFirst, w: server},
	}
	a.engine = newEngine(a, s, p)
	return a
}

// Stream returns the client's end, for dapclient.NewConn.
func (a *Adapter) Stream() io.ReadWriteCloser { return a.client }

// Close ends the adapter as if its process were killed: the client reads what was sent, then the end. It waits for
// the adapter's goroutines.
func (a *Adapter) Close() {
	a.stop(FateOrphaned)
	a.wg.Wait()
}

// Die is Close without waiting. A hook may call it.
func (a *Adapter) Die() { a.stop(FateOrphaned) }

// stop ends the adapter and gives the debuggee its fate, unless it has one already.
func (a *Adapter) stop(fate Fate) {
	a.once.Do(func() {
		a.setFate(fate)
		close(a.done)
		a.server.Close()
	})
}

// Fate is the end of the debuggee.
type Fate string

// Fates of a debuggee. One that was never started has FateNone.
const (
	FateNone     Fate = ""
	FateExited   Fate = "exited"   // by itself
	FateKilled   Fate = "killed"   // by terminate, disconnect, or the end of the adapter's input
	FateDetached Fate = "detached" // runs on without a debugger
	FateOrphaned Fate = "orphaned" // the adapter died; the debuggee may be suspended for ever
)

// Fate returns the debuggee's fate, FateNone while it is debugged.
func (a *Adapter) Fate() Fate {
	a.lmu.Lock()
	defer a.lmu.Unlock()
	return a.fate
}

// started records that there is a debuggee.
func (a *Adapter) started(attached bool) {
	a.lmu.Lock()
	defer a.lmu.Unlock()
	a.alive, a.foreign = true, attached
}

func (a *Adapter) setFate(f Fate) {
	a.lmu.Lock()
	defer a.lmu.Unlock()
	if !a.alive {
		return
	}
	a.alive = false
	if f == fateOfLaunch {
		if f = FateKilled; a.foreign {
			f = FateDetached
		}
	}
	a.fate = f
}

// fateOfLaunch kills a launched debuggee and detaches from an attached one.
const fateOfLaunch Fate = "default"

// Done returns a channel that is closed when the adapter has ended: by Close, by the end of its input or after
// disconnect.
func (a *Adapter) Done() <-chan struct{} { return a.done }

// read runs on the reader goroutine.
func (a *Adapter) read() {
	defer a.stop(fateOfLaunch) // the end of input
	r := bufio.NewReaderSize(a.server, 64<<10)
	for {
		raw, err := dapclient.ReadFrame(r, 0)
		if err != nil {
			return
		}
		m, err := decode(raw)
		if err != nil || m.Kind == "" {
			a.wire.body(a.refuseGarbage(err))
			a.wire.flush()
			continue
		}
		a.note(m)
		if m.Kind != dapclient.KindRequest {
			continue // an answer to a reverse request only has to be recorded
		}
		a.qmu.Lock()
		a.arrive(m)
		a.qmu.Unlock()
		if !frameBuffered(r) {
			a.drain()
		}
	}
}

// frameBuffered reports whether a complete frame is buffered, which then came in the same write.
func frameBuffered(r *bufio.Reader) bool {
	n := r.Buffered()
	if n == 0 {
		return false
	}
	b, err := r.Peek(n)
	if err != nil {
		return false
	}
	head, body, ok := bytes.Cut(b, []byte("\r\n\r\n"))
	if !ok {
		return false
	}
	_, value, ok := bytes.Cut(head, []byte(":"))
	if !ok {
		return false
	}
	length, err := strconv.Atoi(string(bytes.TrimSpace(value)))
	return err == nil && len(body) >= length
}

// isSetup reports whether a request is one that a resume never cancels.
func isSetup(command string) bool {
	switch command {
	case "initialize", "launch", "attach", "configurationDone", "setBreakpoints", "setFunctionBreakpoints",
		"setExceptionBreakpoints", "disconnect", "terminate":
		return true
	}
	return false
}

func isResume(command string) bool {
	switch command {
	case "continue", "next", "stepIn", "stepOut", "disconnect", "terminate":
		return true
	}
	return false
}

// arrive queues a request, and applies a resume or a cancel to the queue. It needs qmu held.
func (a *Adapter) arrive(m *dapclient.Message) {
	if a.shape.CancelsQueue && isResume(m.Name) {
		a.requests = slices.DeleteFunc(a.requests, func(q *dapclient.Message) bool {
			if isSetup(q.Name) || isResume(q.Name) {
				return false
			}
			a.cancelled(q)
			return true
		})
		a.wire.flush()
	}
	if m.Name == "cancel" && a.shape.Family == FamilyNetcoredbg && !a.hooked("cancel") {
		id, _ := rawjson.Int(m.Arguments, "requestId")
		i := slices.IndexFunc(a.requests, func(q *dapclient.Message) bool { return q.Seq == id })
		if i < 0 {
			a.wire.response(m, false, "CancelRequest is not supported for requestId.", nil)
		} else {
			a.cancelled(a.requests[i])
			a.requests = slices.Delete(a.requests, i, i+1)
			a.wire.response(m, true, "", nil)
		}
		a.wire.flush()
		return
	}
	a.requests = append(a.requests, m)
}

func (a *Adapter) cancelled(m *dapclient.Message) {
	a.wire.response(m, false, "Error processing '"+m.Name+"' request. The operation was canceled.", nil)
}

// do runs f on the engine, now or when its owner is free.
func (a *Adapter) do(f func()) {
	a.qmu.Lock()
	a.tasks = append(a.tasks, f)
	a.qmu.Unlock()
	a.drain()
}

// drain owns the engine until the queue is empty.
func (a *Adapter) drain() {
	a.qmu.Lock()
	defer a.qmu.Unlock()
	if a.draining {
		return
	}
	a.draining = true
	for {
		switch {
		case len(a.tasks) > 0:
			f := a.tasks[0]
			a.tasks = slices.Delete(a.tasks, 0, 1)
			a.qmu.Unlock()
			f()
		case len(a.requests) > 0 && !a.busy:
			m := a.requests[0]
			a.requests = slices.Delete(a.requests, 0, 1)
			a.qmu.Unlock()
			a.serve(m)
		default:
			a.draining = false
			return
		}
		a.wire.flush()
		a.qmu.Lock()
	}
}

// hold makes requests wait until the gate opens, then runs f on the engine.
func (a *Adapter) hold(gate <-chan struct{}, f func()) {
	a.setBusy(true)
	a.wait(gate, func() {
		a.setBusy(false)
		f()
	})
}

func (a *Adapter) setBusy(on bool) {
	a.qmu.Lock()
	a.busy = on
	a.qmu.Unlock()
}

// wait runs f on the engine when the gate opens, unless the adapter ends first.
func (a *Adapter) wait(gate <-chan struct{}, f func()) {
	a.wg.Go(func() {
		select {
		case <-gate:
			a.do(f)
		case <-a.done:
		}
	})
}

// note records a request for Received and WaitFor.
func (a *Adapter) note(m *dapclient.Message) {
	a.lmu.Lock()
	defer a.lmu.Unlock()
	if len(a.received) >= keepReceived {
		half := len(a.received) / 2
		a.received = append(a.received[:0], a.received[half:]...)
		clear(a.received[len(a.received):cap(a.received)])
		a.dropped += half
	}
	a.received = append(a.received, m)
	a.counts[m.Name]++
	if a.arrived != nil && len(a.waited) > 0 {
		close(a.arrived)
		a.arrived = make(chan struct{})
	}
}
