package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"breakwire/adapter/journal"
	"breakwire/adapter/mcpserver/jsonrpc"
)

// StdioOptions configure ServeStdio. Zero fields take the defaults.
type StdioOptions struct {
	Server  *server.MCPServer // required
	Journal *journal.Journal  // required

	// Types are the types of events that can become notifications, such as hit, tracepoint and state. Other events
	// are skipped, and not counted as missed.
	Types []string

	// Render appends the line or lines of an event for a client, without the last newline, or nothing. missed is how
	// many notifications the client lost just before this one. It runs on the writer's goroutine. With nil no events
	// are sent.
	Render func(c *Client, dst []byte, e *journal.Entry, missed uint64) []byte

	// Direct may take a message away from MCP: it returns the function that answers it, or nil. The reader's
	// goroutine calls it for every message, so it must not wait. The returned function runs on its own goroutine like
	// any request, and returns the line of the answer, nil for none.
	Direct func(m *jsonrpc.Message) func(ctx context.Context) []byte

	// refusal encodes the refusal of a line that is not a request, until the client begins to speak MCP. With nil it
	// is encoded as JSON-RPC.
	refusal func(e *jsonrpc.Error) []byte

	Grace     time.Duration // 2 s: time for running calls after the end of the input
	StopGrace time.Duration // 250 ms: the same after ctx is cancelled
	// 1 s: time after that to end with errClosing, and then for the client to read the rest
	EndGrace     time.Duration
	MaxLine      int // 16 MiB
	AnswerBytes  int // 32 MiB of answers that are built or not yet read; above it calls wait to start
	RequestBytes int // 16 MiB of requests whose calls wait or run; more is refused

	Log *slog.Logger
}

func (o *StdioOptions) setDefaults() {
	if o.Types == nil {
		o.Types = []string{journal.TypeHit, journal.TypeTracepoint, journal.TypeState}
	}
	if o.Render == nil {
		o.Render = func(_ *Client, dst []byte, _ *journal.Entry, _ uint64) []byte { return dst }
	}
	setDefault(&o.Grace, 2*time.Second)
	setDefault(&o.StopGrace, 250*time.Millisecond)
	setDefault(&o.EndGrace, time.Second)
	setDefault(&o.MaxLine, 16<<20)
	setDefault(&o.AnswerBytes, unwrittenMax)
	setDefault(&o.RequestBytes, requestsMax)
	if o.Log == nil {
		o.Log = slog.Default()
	}
}

func setDefault[T int | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// stdio is one connection.
type stdio struct {
	StdioOptions
	base    context.Context // of all calls
	client  *Client
	calls   *calls
	outbox  *outbox
	account *account
}

// ServeStdio serves one client on in and out. It returns nil at the end of the input or when ctx is cancelled, after
// running calls had time to end and their answers are written. When the output cannot be written, it returns that
// error at once; on a real stdout SIGPIPE must be ignored for that. in and out are not closed. A read that cannot be
// interrupted keeps its goroutine.
func ServeStdio(ctx context.Context, in io.Reader, out io.Writer, o StdioOptions) error {
	o.setDefaults()
	box := newOutbox()
	client := newClient(box, o.Journal.LastSeq)
	// Not ctx itself: calls still get some time after it is cancelled.
	base, cancel := context.WithCancelCause(o.Server.WithContext(context.WithoutCancel(ctx), client))
	defer cancel(errClosing)
	s := &stdio{
		StdioOptions: o, base: base, client: client, outbox: box, account: newBudget(o.AnswerBytes).open(o.RequestBytes),
		calls: newCalls(func(c *call) {
			if c.method == jsonrpc.MethodListen {
				client.removeListen(c.key)
			}
		}),
	}
	if err := o.Server.RegisterSession(base, client); err != nil {
		return fmt.Errorf("register session: %w", err)
	}
	defer o.Server.UnregisterSession(context.WithoutCancel(ctx), client.id)

	after := o.Journal.LastSeq()
	w := &writer{
		out: out, client: client, calls: s.calls, outbox: box, last: o.Journal.LastSeq, render: o.Render, log: o.Log,
		examined: after,
		cursor: o.Journal.Cursor(after, journal.Filter{
			Classes: journal.MaskOf(journal.Control, journal.Trace), Types: o.Types,
		}),
	}
	defer w.cursor.Close()
	wrote, read := make(chan error, 1), make(chan error, 1)
	go func() { wrote <- w.run() }()
	go func() { read <- s.readLines(in) }()

	ended, readErr := false, error(nil)
	defer func() {
		s.account.close()
		if !ended {
			interruptRead(in, read)
		}
	}()
	grace := o.Grace
	select {
	case err := <-wrote:
		return err
	case readErr = <-read:
		ended = true
	case <-ctx.Done():
		grace = o.StopGrace
	}
	if err := s.drain(grace, cancel, w, wrote); err != nil {
		return err
	}
	box.close()
	if err := s.awaitFlush(grace, w, out, wrote); err != nil {
		return err
	}
	if readErr != nil {
		return fmt.Errorf("read from the client: %w", readErr)
	}
	return nil
}

// drain waits for the running calls, first uncancelled, then cancelled. Then the calls that have not started are
// refused. A client that does not read gets no time, because its calls wait for it.
func (s *stdio) drain(grace time.Duration, cancel context.CancelCauseFunc, w *writer, wrote chan error) error {
	idle := s.calls.close()
	for _, d := range []time.Duration{grace, s.EndGrace} {
		switch over, err := s.await(d, idle, w, wrote); {
		case err != nil:
			return err
		case over:
			return nil
		}
		cancel(errClosing)
		s.account.close()
	}
	s.Log.Warn("calls did not end when they were cancelled")
	return nil
}

// await waits until done is closed, and reports whether it was. It gives up after d, or earlier when the writer makes
// no progress for EndGrace.
func (s *stdio) await(d time.Duration, done <-chan struct{}, w *writer, wrote chan error) (over bool, err error) {
	for d > 0 {
		part := min(d, s.EndGrace)
		d -= part
		before := w.progress.Load()
		timer := time.NewTimer(part)
		select {
		case <-done:
			timer.Stop()
			return true, nil
		case err := <-wrote:
			timer.Stop()
			return false, err
		case <-timer.C:
			if part == s.EndGrace && w.stuck(before) {
				return false, nil
			}
		}
	}
	return false, nil
}

// awaitFlush waits until the writer has written all. A client that reads gets the grace for it; one that does not read
// cannot hold us up.
func (s *stdio) awaitFlush(grace time.Duration, w *writer, out io.Writer, wrote chan error) error {
	for end := time.Now().Add(max(grace, s.EndGrace)); time.Now().Before(end); {
		before := w.progress.Load()
		timer := time.NewTimer(s.EndGrace)
		select {
		case err := <-wrote:
			timer.Stop()
			return err
		case <-timer.C:
		}
		if w.stuck(before) {
			break
		}
	}
	if d, ok := out.(interface{ SetWriteDeadline(time.Time) error }); ok && d.SetWriteDeadline(time.Now()) == nil {
		<-wrote
	}
	return errors.New("write to the client: it does not read")
}

// interruptRead ends a blocked read where the input allows it: a pipe or a socket, but not every stdin.
func interruptRead(in io.Reader, read chan error) {
	if d, ok := in.(interface{ SetReadDeadline(time.Time) error }); ok && d.SetReadDeadline(time.Now()) == nil {
		<-read
	}
}

// readLines handles each line until the input ends, and returns nil then.
func (s *stdio) readLines(in io.Reader) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for first := true; ; first = false {
		line, refused, err := readLine(r, s.MaxLine)
		if refused != nil {
			s.refuse(refused)
		}
		if first {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // a byte order mark, written by PowerShell
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			s.handle(line)
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded),
			errors.Is(err, io.ErrClosedPipe):
			return nil
		default:
			return err
		}
	}
}

// readLine reads one line into memory of its own. A line longer than limit is skipped in constant memory and refused.
func readLine(r *bufio.Reader, limit int) (line []byte, refused *jsonrpc.Error, err error) {
	const headBytes, tailBytes = 4 << 10, 256
	var tail []byte
	skipping := false
	for {
		part, err := r.ReadSlice('\n')
		if !skipping && len(line)+len(part) > limit+1 {
			skipping = true
			line = append(line, part[:min(len(part), headBytes)]...)
			line = bytes.Clone(line[:min(len(line), headBytes)])
		} else if !skipping {
			line = append(line, part...)
		}
		if skipping {
			tail = append(tail, part[max(0, len(part)-tailBytes):]...)
			tail = tail[max(0, len(tail)-tailBytes):]
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if skipping {
			return nil, &jsonrpc.Error{ID: jsonrpc.SalvageID(line, tail), Code: mcp.INVALID_REQUEST,
				Message: fmt.Sprintf("the line is longer than %d bytes", limit)}, err
		}
		return line, nil, err
	}
}

// handle handles one message. It does not wait for requests.
func (s *stdio) handle(line []byte) {
	m, refused := jsonrpc.Parse(line)
	if refused != nil {
		s.refuse(refused)
		return
	}
	if m.Answer {
		return
	}
	if s.Direct != nil {
		if serve := s.Direct(m); serve != nil {
			s.start(m, serve)
			return
		}
	}
	switch {
	case !m.Versioned:
		s.refuse(&jsonrpc.Error{ID: m.ID, Code: mcp.INVALID_REQUEST, Message: `a message needs "jsonrpc":"2.0"`})
	case m.ID == nil:
		s.notification(m)
	default:
		s.start(m, func(ctx context.Context) []byte {
			return responseLine(m.ID, amend(ctx, s.Server.HandleMessage(ctx, m.Line)))
		})
	}
}

func (s *stdio) notification(m *jsonrpc.Message) {
	if m.Method == jsonrpc.MethodCancelled {
		if key := jsonrpc.CancelledKey(m.Line); key != "" {
			s.calls.cancelled(key)
		}
		return
	}
	s.recovered(m, func() { s.Server.HandleMessage(s.base, m.Line) })
	if m.Method == jsonrpc.MethodInitialized {
		s.client.legacy.Store(true)
		s.outbox.open()
	}
}

// start runs a request on its own goroutine as soon as the budget allows; the handshake runs at once. The call is in
// the table before that, so a cancellation on the next line finds it.
func (s *stdio) start(m *jsonrpc.Message, serve func(ctx context.Context) []byte) {
	c := &call{
		id: m.ID, key: m.Key, method: m.Method, cursor: s.client.Cursor(), hold: hold{account: s.account},
		token: func() json.RawMessage { return jsonrpc.ProgressToken(m.Line) },
	}
	if c.key != "" {
		c.notify = func(method string, params []byte) {
			s.outbox.notify("call:"+c.key, notificationLine(method, params), s.Journal.LastSeq(), c)
		}
	}
	over := m.Over
	if over == nil {
		over = func() {}
	}
	if !c.hold.take(len(m.Line) + keptBytes) {
		s.refuse(jsonrpc.TooMany(m.ID))
		over()
		return
	}
	if refused, ok := s.calls.start(c); !ok {
		if refused != nil {
			s.refuse(refused)
		}
		c.hold.give()
		over()
		return
	}
	c.leave = func() {
		c.hold.give()
		over()
		s.calls.exit()
	}
	if m.Method == jsonrpc.MethodListen {
		s.client.addListen(c.key, m.ID, m.Line)
	}
	if !s.client.isOpen() && jsonrpc.IsModern(m.Line) {
		// These clients do not report that they are ready. Discovery is answered before anything else is sent.
		if m.Method == jsonrpc.MethodDiscover {
			c.opens = true
		} else {
			s.outbox.open()
		}
	}
	run := func() { s.run(m, c, serve) }
	now := c.hold.start(claimOf(m), func(ok bool) {
		if ok {
			go run()
			return
		}
		if !s.calls.isOver(c) {
			s.refuse(&jsonrpc.Error{ID: m.ID, Code: mcp.INTERNAL_ERROR, Message: errClosing.Message})
		}
		leave := c.leave
		s.calls.answer(c, nil)
		leave()
	})
	switch {
	case now && (m.Method == jsonrpc.MethodInitialize || m.Method == jsonrpc.MethodDiscover):
		run() // at once, so that a script that sends all lines at once gets this answer first
	case now:
		go run()
	}
}

// run runs a request on its goroutine.
func (s *stdio) run(m *jsonrpc.Message, c *call, serve func(ctx context.Context) []byte) {
	defer c.leave()
	ctx, cancel := context.WithCancelCause(withCall(s.base, c))
	defer cancel(nil)
	s.calls.begin(c, cancel)
	var line []byte
	if !s.recovered(m, func() { line = serve(ctx) }) {
		line = (&jsonrpc.Error{ID: m.ID, Code: mcp.INTERNAL_ERROR,
			Message: "breakwire failed inside; this is a bug, the log has the details"}).Line()
	}
	if line == nil {
		c.hold.release()
		s.calls.answer(c, nil)
		return
	}
	if line[len(line)-1] != '\n' {
		line = append(line, '\n')
	}
	c.hold.settle(len(line) + keptBytes)
	// The seq is read before the response is visible, so it covers all events that the call caused.
	if !s.calls.answer(c, func() { s.outbox.respond(line, s.Journal.LastSeq(), c) }) {
		c.hold.release() // cancelled
	}
}

// recovered runs f and reports whether it did not panic.
func (s *stdio) recovered(m *jsonrpc.Message, f func()) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			s.Log.Error("panic in a request", "method", m.Method, "panic", r, "stack", string(debug.Stack()))
		}
	}()
	f()
	return true
}

func (s *stdio) refuse(e *jsonrpc.Error) {
	line := e.Line()
	if s.refusal != nil && !s.client.Initialized() {
		line = s.refusal(e)
	}
	s.outbox.refuse(line, s.Journal.LastSeq())
}
