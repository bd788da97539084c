// Package dapclient is one connection to a debug adapter: frames, messages, calls and their answers, events, reverse
// requests, and the adapter's process.
//
// # Goroutines and ordering
//
// A Conn has two goroutines. The reader reads frames, decodes envelopes and passes on each message in the order of
// the wire: a response to the function given with its request, an event to Options.OnEvent. These functions run on
// the reader and must not wait; code that has to wait pushes into a Queue. So a response and the events around it
// keep their order. The writer takes from one buffer what Send has appended, and writes it with as few calls as
// possible; the requests of one Send leave in one write. No sender waits for the adapter to read.
//
// When the stream ends, every open request is answered with an error that wraps ErrClosed. Then Options.OnClose is
// called once.
package dapclient

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"breakwire/dapclient/internal/rawjson"
)

// ErrClosed is wrapped by the error of every request that was open when the connection ended.
var ErrClosed = errors.New("the connection to the debug adapter is closed")

// ErrDeadline is wrapped by the error of a call that the adapter did not answer in time.
var ErrDeadline = errors.New("the debug adapter did not answer in time")

// ErrTooMany is the answer to a reverse request when too many others are open.
var ErrTooMany = errors.New("too many requests of the adapter are open")

const (
	// maxAnswering is how many reverse requests are answered at once.
	maxAnswering = 64
	// maxFailed is how many reverse requests may fail in a row. After that the adapter is read slowly, so that a
	// flood of them takes no processor time.
	maxFailed   = 64
	failedPause = 500 * time.Microsecond
	// maxUnsent is how many bytes an adapter may leave unread before further reverse requests get no answer.
	maxUnsent = 1 << 20
)

// lastMoment is how long an adapter has to read or write the last frames.
const lastMoment = 250 * time.Millisecond

// Direction is the way that a frame went.
type Direction string

// Directions as transcripts have them: send is client to adapter.
const (
	Sent     Direction = "send"
	Received Direction = "recv"
)

// Recorder receives every raw body. Record is called from two goroutines, one for each direction. It must not keep or
// change body.
type Recorder interface {
	Record(dir Direction, body []byte)
}

// Options of a connection. All are optional.
type Options struct {
	// OnEvent is called for each event, on the reader.
	OnEvent func(*Message)
	// OnClose is called once when the stream has ended, on the reader. The error is io.EOF when the adapter closed
	// the stream between two frames.
	OnClose func(error)
	// OnRequest answers a reverse request, on a goroutine of its own. Without it, or when it returns an error, the
	// answer has success false (DAP, Response).
	OnRequest func(*Message) (body any, err error)
	// Recorder receives all frames.
	Recorder Recorder
	// MaxFrame is the largest body accepted, in bytes; 0 is DefaultMaxFrame.
	MaxFrame int
	// Log receives what was unexpected but not fatal.
	Log *slog.Logger
}

// Conn is one connection. Its methods may be called from any goroutine.
type Conn struct {
	opts   Options
	stream io.ReadWriteCloser
	done   chan struct{} // closed after OnClose has returned

	mu      sync.Mutex
	wake    *sync.Cond // the writer waits on it
	body    []byte     // scratch of Send
	out     []byte     // frames not yet written
	outs    [][]byte   // the bodies in out, for the recorder
	seq     int
	pending map[int]call
	open    int   // reverse requests that are being answered
	failed  int   // reverse requests in a row that were refused, or failed
	slowed  bool  // the slow reading was logged
	err     error // why the connection ended
	closing bool  // nothing more is accepted; the writer ends when out is empty

	writeErr error // what ended the writer
}

// call is a request that has no response yet.
type call struct {
	done func(*Message, error)
	runs string // its command, when it may run code of the program
}

// runsCode returns the command of a request that may run code of the program: getters, or what an expression calls. It
// returns "" for others.
func runsCode(command string) string {
	switch command {
	case "evaluate", "variables", "setVariable", "setExpression", "exceptionInfo":
		return command
	}
	return ""
}

// NewConn starts a connection over stream. From then on the connection owns stream.
func NewConn(stream io.ReadWriteCloser, opts Options) *Conn {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	c := &Conn{
		opts: opts, stream: stream, done: make(chan struct{}),
		pending: make(map[int]call),
	}
	c.wake = sync.NewCond(&c.mu)
	go c.read()
	go c.write()
	return c
}

// Request is one request to send. Done, if set, is called exactly once, on the reader: with the response, which may
// have Success false, or with an error when the connection ended first.
type Request struct {
	Command string
	Args    any // marshalled with encoding/json; nil leaves arguments out
	Done    func(*Message, error)
}

// Send queues the requests and returns their seqs. They leave in this order, in one write. It does not wait. After an
// error nothing is queued and no Done is called.
func (c *Conn) Send(reqs ...Request) ([]int, error) {
	args := make([][]byte, len(reqs))
	for i, r := range reqs {
		if _, ok := r.Args.(appender); ok || r.Args == nil {
			continue // written in place
		}
		b, err := json.Marshal(r.Args)
		if err != nil {
			return nil, fmt.Errorf("marshal arguments of %s: %w", r.Command, err)
		}
		args[i] = b
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil || c.closing {
		return nil, c.closedError()
	}
	seqs := make([]int, len(reqs))
	for i, r := range reqs {
		c.seq++ // starts at 1: some adapters refuse 0
		seqs[i] = c.seq
		c.body = appendRequest(c.body[:0], c.seq, r, args[i])
		c.append(c.body)
		done := r.Done
		if done == nil {
			done = func(*Message, error) {}
		}
		c.pending[c.seq] = call{done, runsCode(r.Command)}
	}
	return seqs, nil
}

func appendRequest(dst []byte, seq int, r Request, args []byte) []byte {
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendInt(dst, int64(seq), 10)
	dst = append(dst, `,"type":"request","command":`...)
	dst = rawjson.AppendString(dst, r.Command)
	if a, ok := r.Args.(appender); ok {
		dst = append(dst, `,"arguments":`...)
		dst = a.appendArguments(dst)
	} else if args != nil {
		dst = append(dst, `,"arguments":`...)
		dst = append(dst, args...)
	}
	return append(dst, '}')
}

// append queues one body. It needs c.mu held.
func (c *Conn) append(body []byte) {
	c.out = AppendFrame(c.out, body)
	if c.opts.Recorder != nil {
		c.outs = append(c.outs, slices.Clone(body))
	}
	c.wake.Signal()
}

// Call sends one request and waits for its response, at most for timeout (0: no limit) and no longer than ctx. A
// response with success false is returned together with a *ResponseError. A later answer is dropped.
func (c *Conn) Call(ctx context.Context, timeout time.Duration, command string, args any) (*Message, error) {
	return c.CallThen(ctx, timeout, command, args, func(error) {})
}

// CallThen is Call with a function that is called with the error of the answer, also when Call no longer waits for it.
// done must not block.
func (c *Conn) CallThen(ctx context.Context, timeout time.Duration, command string, args any,
	done func(error)) (*Message, error) {
	type answer struct {
		m   *Message
		err error
	}
	got := make(chan answer, 1)
	_, err := c.Send(Request{Command: command, Args: args, Done: func(m *Message, err error) {
		if err == nil {
			err = m.Err()
		}
		done(err)
		got <- answer{m, err}
	}})
	if err != nil {
		return nil, err
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, fmt.Errorf("%s: %w (%v)", command, ErrDeadline, timeout))
		defer cancel()
	}
	var a answer
	select {
	case a = <-got:
	case <-ctx.Done():
		select {
		case a = <-got: // both happened: the answer counts
		default:
			return nil, context.Cause(ctx)
		}
	}
	return a.m, a.err
}

// Close ends the connection. Queued data is still written if the adapter reads it within 250 ms; then the stream is
// closed. Close does not wait; Done is closed at the end. Open requests end with ErrClosed.
func (c *Conn) Close() {
	c.mu.Lock()
	c.closing = true
	c.wake.Signal()
	c.mu.Unlock()
	time.AfterFunc(lastMoment, func() { c.stream.Close() })
}

// Done is closed when the connection has ended and OnClose has returned.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why the connection ended, nil while it is open.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *Conn) closedError() error {
	if c.err != nil && !errors.Is(c.err, io.EOF) {
		return fmt.Errorf("%w: %w", ErrClosed, c.err)
	}
	return ErrClosed
}

// write is the writer goroutine.
func (c *Conn) write() {
	var spare []byte
	for {
		c.mu.Lock()
		for len(c.out) == 0 && !c.closing && c.err == nil {
			c.wake.Wait()
		}
		if len(c.out) == 0 || c.err != nil {
			c.mu.Unlock()
			c.stream.Close()
			return
		}
		out, bodies := c.out, c.outs
		c.out, c.outs = spare[:0], nil
		c.mu.Unlock()

		// Recorded before it is written: a request must come before its answer.
		for _, b := range bodies {
			c.opts.Recorder.Record(Sent, b)
		}
		if _, err := c.stream.Write(out); err != nil {
			c.writeFailed(err)
			return
		}
		spare = out
		if cap(spare) > 64<<10 {
			spare = nil
		}
	}
}

// writeFailed ends the connection after a write error. A dead adapter may have sent a reason before, so the reader
// gets a moment to read it and to see the end by itself.
func (c *Conn) writeFailed(err error) {
	c.mu.Lock()
	if !c.closing && c.err == nil {
		c.opts.Log.Warn("write to the debug adapter failed", "error", err)
		c.writeErr = err
	}
	c.mu.Unlock()
	c.Close()
}

// read is the reader goroutine.
func (c *Conn) read() {
	r := bufio.NewReaderSize(c.stream, 64<<10)
	var err error
	for {
		var raw []byte
		if raw, err = ReadFrame(r, c.opts.MaxFrame); err != nil {
			break
		}
		if c.opts.Recorder != nil {
			c.opts.Recorder.Record(Received, raw)
		}
		m, decodeErr := Decode(raw)
		if decodeErr != nil {
			c.opts.Log.Warn("message skipped", "error", decodeErr, "bytes", len(raw))
			continue
		}
		c.dispatch(m)
	}
	c.end(err)
}

func (c *Conn) dispatch(m *Message) {
	switch m.Kind {
	case KindEvent:
		m.DuringCall = m.Name == "thread" && c.Running() != ""
		if c.opts.OnEvent != nil {
			c.opts.OnEvent(m)
		}
	case KindResponse:
		c.mu.Lock()
		done := c.pending[m.RequestSeq].done
		delete(c.pending, m.RequestSeq)
		c.mu.Unlock()
		if done == nil {
			c.opts.Log.Warn("response to no request", "request_seq", m.RequestSeq, "command", m.Name)
			return
		}
		done(m, nil)
	case KindRequest:
		admitted, slow := c.admit()
		if slow {
			time.Sleep(failedPause)
		}
		if admitted {
			go c.answer(m)
		} else {
			c.respond(m, nil, ErrTooMany)
		}
	}
}

// Running returns the command of the oldest open request that may run code of the program, "" for none.
func (c *Conn) Running() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	oldest := 0
	for seq, open := range c.pending {
		if open.runs != "" && (oldest == 0 || seq < oldest) {
			oldest = seq
		}
	}
	return c.pending[oldest].runs
}

// admit counts a reverse request, and reports false when too many are open. slow reports whether the adapter must be
// read slowly.
func (c *Conn) admit() (ok, slow bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ok = c.open < maxAnswering; ok {
		c.open++
	}
	return ok, c.failed >= maxFailed && c.err == nil && !c.closing
}

// answer handles a reverse request (DAP, runInTerminal and startDebugging).
func (c *Conn) answer(m *Message) {
	defer func() {
		c.mu.Lock()
		c.open--
		c.mu.Unlock()
	}()
	var body any
	err := errors.New("not supported by this client")
	if c.opts.OnRequest != nil {
		body, err = c.opts.OnRequest(m)
	}
	c.respond(m, body, err)
}

// respond sends the response to a reverse request.
func (c *Conn) respond(m *Message, body any, err error) {
	var raw json.RawMessage
	if err == nil && body != nil {
		if raw, err = json.Marshal(body); err != nil {
			c.opts.Log.Warn("marshal the answer to a reverse request", "command", m.Name, "error", err)
		}
	}
	response := struct {
		Seq        int             `json:"seq"`
		Type       Kind            `json:"type"`
		RequestSeq int             `json:"request_seq"`
		Command    string          `json:"command"`
		Success    bool            `json:"success"`
		Message    string          `json:"message,omitempty"`
		Body       json.RawMessage `json:"body,omitempty"`
	}{Type: KindResponse, RequestSeq: m.Seq, Command: m.Name, Success: err == nil, Body: raw}
	if err != nil {
		response.Message = err.Error()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.failed = 0
	} else if c.failed++; c.failed == maxFailed && !c.slowed {
		c.slowed = true
		c.opts.Log.Warn("requests of the debug adapter fail all the time; it is read slowly now", "command", m.Name,
			"error", err)
	}
	if c.err != nil || c.closing || len(c.out) > maxUnsent {
		return
	}
	c.seq++
	response.Seq = c.seq
	frame, err := json.Marshal(response)
	if err != nil {
		c.opts.Log.Warn("reverse request not answered", "command", m.Name, "error", err)
		return
	}
	c.append(frame)
}

// end fails the open requests, in the order they were sent, and calls OnClose.
func (c *Conn) end(err error) {
	c.mu.Lock()
	if c.writeErr != nil && !errors.Is(err, io.EOF) && !errors.Is(err, ErrFrame) {
		err = c.writeErr // our closing of the stream was only the consequence
	}
	c.err = err
	open := c.pending
	c.pending = make(map[int]call)
	closed := c.closedError()
	c.wake.Signal()
	c.mu.Unlock()
	c.stream.Close() // releases a writer that the adapter blocks
	for _, seq := range slices.Sorted(maps.Keys(open)) {
		open[seq].done(nil, closed)
	}
	if c.opts.OnClose != nil {
		c.opts.OnClose(err)
	}
	close(c.done)
}
