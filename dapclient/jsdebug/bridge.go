package jsdebug

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"breakwire/dapclient"
)

const (
	// idlePatience is how long a program may take to stop for a pause. After that it is taken to be idle.
	idlePatience = 150 * time.Millisecond
	// farewell is how long js-debug may take to let a program go.
	farewell = time.Second
)

// errGone is the answer to a request when there is no program.
var errGone = errors.New("js-debug has no program yet, or no longer")

// bridge is one session's adapter.
type bridge struct {
	server  *Server
	command Command
	log     *slog.Logger
	session *peer
	proc    *dapclient.Process // js-debug; nil when another session or somebody else has started it
	root    *dapclient.Conn    // nil: the bridge of a child
	ctx     context.Context    // ends with the session
	cancel  context.CancelFunc
	book    book

	rootReady  latch // the root takes configurationDone
	childReady latch // the child takes breakpoints
	configured latch // the session has sent all of them
	bound      latch // the program is there, and knows them
	terminated latch // the child has no program any more
	first      chan *dapclient.Message
	entry      chan *dapclient.Message // takes the stop at the program's first line

	mu       sync.Mutex
	child    *dapclient.Conn // the connection that has the program
	program  *program        // nil: attached
	relay    *relay          // nil: a child's
	holding  bool            // stops and resumes are the bridge's own
	pausing  bool            // the session has asked for a pause
	early    bool            // js-debug gets breakpoints before it has the program
	browser  bool            // the program is a page, whose console is its only output
	uncaught bool            // the session wants only exceptions that nobody catches
	leaving  bool            // the session has asked for the end
}

// latch is an event that happens once.
type latch struct {
	once sync.Once
	ch   chan struct{}
}

func newLatch() latch { return latch{ch: make(chan struct{})} }

func (l *latch) set() { l.once.Do(func() { close(l.ch) }) }

func newBridge(s *Server, c Command, stream io.ReadWriteCloser, proc *dapclient.Process) *bridge {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &bridge{
		server: s, command: c, log: c.Log, session: &peer{stream: stream}, proc: proc, ctx: ctx, cancel: cancel,
		rootReady: newLatch(), childReady: newLatch(), configured: newLatch(), bound: newLatch(),
		terminated: newLatch(), first: make(chan *dapclient.Message, 1), entry: make(chan *dapclient.Message, 1),
	}
}

func (b *bridge) connectRoot(stream io.ReadWriteCloser) {
	b.root = dapclient.NewConn(stream, dapclient.Options{
		OnEvent: b.rootEvent, OnRequest: b.rootAsks, Log: b.log,
		OnClose: func(error) { b.session.stream.Close() },
	})
}

func (b *bridge) connectChild(stream io.ReadWriteCloser) {
	conn := dapclient.NewConn(stream, dapclient.Options{
		OnEvent: b.childEvent, OnRequest: b.pass, Log: b.log, OnClose: func(error) { b.childClosed() },
	})
	b.mu.Lock()
	b.child = conn
	b.mu.Unlock()
}

// conn returns the connection that has the program, nil before that.
func (b *bridge) conn() *dapclient.Conn {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.child
}

// serve handles the session's messages until it goes.
func (b *bridge) serve() {
	r := bufio.NewReader(b.session.stream)
	for {
		raw, err := dapclient.ReadFrame(r, 0)
		if err != nil {
			b.close()
			return
		}
		m, err := dapclient.Decode(raw)
		if err != nil {
			continue
		}
		switch m.Kind {
		case dapclient.KindRequest:
			b.handle(m)
		case dapclient.KindResponse:
			b.session.answered(m)
		}
	}
}

// close ends what the bridge has started.
func (b *bridge) close() {
	b.cancel()
	b.mu.Lock()
	child, program, relay := b.child, b.program, b.relay
	b.mu.Unlock()
	if program != nil {
		program.proc.Kill()
	}
	for _, c := range []*dapclient.Conn{child, b.root} {
		if c != nil {
			c.Close()
		}
	}
	if relay != nil {
		relay.close()
	}
	if b.proc != nil {
		b.proc.Kill() // it would never end by itself
	}
	b.session.stream.Close()
}

// handle takes one request of the session. It does not wait.
func (b *bridge) handle(m *dapclient.Message) {
	switch m.Name {
	case "initialize":
		go b.initialize(m)
	case "launch", "attach":
		go b.start(m)
	case "configurationDone":
		b.configurationDone(m)
	case "setBreakpoints":
		args := guarded(m.Arguments)
		full := b.book.ask(m, args)
		b.forwardAs(m, args, func(answer *dapclient.Message) any {
			if !answer.Success {
				return nil
			}
			return map[string]any{"breakpoints": full(answer)}
		})
	case "setExceptionBreakpoints":
		b.setExceptions(m)
	case "exceptionInfo":
		go b.describeException(m)
	case "threads":
		b.forward(m, threadsOut)
	case "pause":
		b.pause(m)
	case "disconnect":
		go b.disconnect(m)
	default:
		b.forward(m, nil)
	}
}

// configurationDone ends the session's settings. js-debug has had its own where it has the program already.
func (b *bridge) configurationDone(m *dapclient.Message) {
	b.mu.Lock()
	early := b.early
	b.mu.Unlock()
	if !early {
		b.session.respond(m, nil, nil)
		b.configured.set()
		return
	}
	b.forward(m, func(*dapclient.Message) any {
		b.configured.set()
		return nil
	})
}

// forward passes a request on. change may return another body for the answer; nil leaves it.
func (b *bridge) forward(m *dapclient.Message, change func(*dapclient.Message) any) {
	b.forwardAs(m, argumentsIn(m.Arguments), change)
}

func (b *bridge) forwardAs(m *dapclient.Message, args json.RawMessage, change func(*dapclient.Message) any) {
	conn := b.conn()
	if conn == nil {
		b.session.respond(m, nil, errGone)
		return
	}
	_, err := conn.Send(dapclient.Request{Command: m.Name, Args: args, Done: func(answer *dapclient.Message, err error) {
		if err != nil {
			b.session.respond(m, nil, err)
			return
		}
		var body any
		if change != nil {
			body = change(answer)
		}
		b.session.pass(m, answer, body)
	}})
	if err != nil {
		b.session.respond(m, nil, err)
	}
}

// pass gives a reverse request of js-debug to the session.
func (b *bridge) pass(m *dapclient.Message) (any, error) {
	answer := make(chan *dapclient.Message, 1)
	b.session.send(frame{Type: dapclient.KindRequest, Command: m.Name, Arguments: m.Arguments},
		func(a *dapclient.Message) { answer <- a })
	select {
	case a := <-answer:
		return a.Body, a.Err()
	case <-b.ctx.Done():
		return nil, errGone
	}
}

// rootAsks takes the first session that js-debug asks for as the program.
func (b *bridge) rootAsks(m *dapclient.Message) (any, error) {
	if m.Name == "startDebugging" {
		select {
		case b.first <- m:
			return nil, nil
		default:
		}
	}
	return b.pass(m)
}

func (b *bridge) rootEvent(m *dapclient.Message) {
	switch m.Name {
	case "initialized":
		b.rootReady.set()
	case "output":
		if text := outputText(m); text != "" {
			b.session.event("output", map[string]any{"category": "console", "output": text})
		}
	}
}

// outputText returns the text of an output event that is not telemetry.
func outputText(m *dapclient.Message) string {
	body, _ := dapclient.DecodeBody[struct {
		Category string `json:"category"`
		Output   string `json:"output"`
	}](m)
	if body.Category == "telemetry" {
		return ""
	}
	return body.Output
}

// pause asks for a stop. A program that waits for events does not stop; an evaluation gives it something to stop in.
func (b *bridge) pause(m *dapclient.Message) {
	b.mu.Lock()
	b.pausing = true
	b.mu.Unlock()
	b.forward(m, nil)
	time.AfterFunc(idlePatience, func() {
		b.mu.Lock()
		conn, idle := b.child, b.pausing
		b.mu.Unlock()
		if conn != nil && idle {
			_, _ = conn.Send(dapclient.Request{Command: "evaluate",
				Args: map[string]any{"expression": "0", "context": "repl"}})
		}
	})
}

// disconnect ends the session's program, or lets it go.
func (b *bridge) disconnect(m *dapclient.Message) {
	b.mu.Lock()
	b.leaving = true
	child, program := b.child, b.program
	b.mu.Unlock()
	if program != nil {
		program.proc.Kill()
		within(farewell, program.proc.Exited())
	}
	// js-debug answers the root when the child has been let go, too.
	var left sync.WaitGroup
	for _, c := range []*dapclient.Conn{b.root, child} {
		if c != nil {
			left.Add(1)
			if _, err := c.Send(dapclient.Request{Command: "disconnect", Args: struct{}{},
				Done: func(*dapclient.Message, error) { left.Done() }}); err != nil {
				left.Done()
			}
		}
	}
	done := make(chan struct{})
	go func() {
		left.Wait()
		close(done)
	}()
	if program == nil {
		within(farewell, done)
	}
	b.session.respond(m, nil, nil)
}

// within reports whether ch is closed in time.
func within(d time.Duration, ch <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ch:
		return true
	case <-timer.C:
		return false
	}
}
