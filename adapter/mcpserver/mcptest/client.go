// Package mcptest runs a complete breakwire server in a test: JSON-RPC lines over real pipes on one side, and the
// test's backends on the other, usually fake adapters of dapclient/daptest.
//
// A Client has one goroutine, which reads the server's lines in order. All received lines are kept. When an expected
// line does not come within Patience, the test fails with all lines received.
package mcptest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
)

// Patience is the time limit for what a test expects. Only a test that fails waits for so long, or one on a machine
// that is busy with other work.
const Patience = 2 * time.Minute

// Client is an MCP client of a server that runs in the test.
type Client struct {
	tb  testing.TB
	in  *os.File // to the server
	eof chan struct{}
	all []*os.File // the ends of both pipes that this process holds

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at each line
	nextID  int
	answers map[int]json.RawMessage
	lines   []Line
	counts  map[string]int // of notifications, by method
	paused  *sync.Cond
	stopped bool
}

// Line is one line of the server, in the order received.
type Line struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Raw    json.RawMessage `json:"-"`
}

// Serve starts a server for a manager and does the handshake of protocol version 2025-11-25. Server and manager end
// with the test.
func Serve(tb testing.TB, m *adapter.Manager, o mcpserver.Options) *Client {
	tb.Helper()
	c := Connect(tb, m, o)
	c.handshake()
	return c
}

func (c *Client) handshake() {
	c.tb.Helper()
	c.Request("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "mcptest", "version": "1"},
	})
	c.Notify("notifications/initialized", nil)
}

// Connect starts a server without the handshake.
func Connect(tb testing.TB, m *adapter.Manager, o mcpserver.Options) *Client {
	tb.Helper()
	serverIn, clientOut, err := os.Pipe()
	require.NoError(tb, err)
	clientIn, serverOut, err := os.Pipe()
	require.NoError(tb, err)
	c := newClient(tb, clientOut, clientIn)
	c.all = append(c.all, serverIn, serverOut)
	if o.Version == "" {
		o.Version = "test"
	}
	server := mcpserver.New(m, o)
	go func() {
		if err := server.ServeStdio(context.Background(), serverIn, serverOut); err != nil {
			tb.Errorf("ServeStdio: %v", err)
		}
		serverIn.Close()
		serverOut.Close() // last: the client sees the end
	}()
	tb.Cleanup(func() {
		c.Close()
		m.Close()
	})
	return c
}

// newClient starts to read the server's lines.
func newClient(tb testing.TB, in, from *os.File) *Client {
	c := &Client{
		tb: tb, in: in, eof: make(chan struct{}), all: []*os.File{in, from},
		changed: make(chan struct{}), answers: map[int]json.RawMessage{}, counts: map[string]int{},
	}
	c.paused = sync.NewCond(&c.mu)
	go c.read(from)
	return c
}

// Close ends the client's input and waits for the end of the server. It may be called again.
func (c *Client) Close() {
	c.tb.Helper()
	c.PauseReading(false)
	c.in.Close()
	select {
	case <-c.eof:
	case <-time.After(Patience):
		c.tb.Errorf("the server did not end; received:\n%s", c.dump())
	}
}

// CloseInput ends the client's input. The client may still read.
func (c *Client) CloseInput() { c.in.Close() }

// OpenPipes returns how many ends of the pipes to the server are open in this process.
func (c *Client) OpenPipes() (n int) {
	for _, f := range c.all {
		if _, err := f.Stat(); err == nil {
			n++
		}
	}
	return n
}

// PauseReading makes the client stop or resume reading lines.
func (c *Client) PauseReading(on bool) {
	c.mu.Lock()
	c.stopped = on
	c.paused.Broadcast()
	c.mu.Unlock()
}

func (c *Client) read(from *os.File) {
	defer close(c.eof)
	defer from.Close()
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		raw, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var l Line
		err = json.Unmarshal(raw, &l)
		l.Raw = bytes.TrimRight(raw, "\n")
		if err != nil {
			l.Method = "not JSON: " + err.Error()
		}
		c.mu.Lock()
		for c.stopped {
			c.paused.Wait()
		}
		c.lines = append(c.lines, l)
		if l.Method != "" {
			c.counts[l.Method]++
		}
		if l.ID != nil && l.Method == "" {
			c.answers[*l.ID] = l.Raw
		}
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
	}
}

// until waits until found reports true. It needs the lock held.
func (c *Client) until(what string, found func() bool) {
	c.tb.Helper()
	c.within(Patience, what, found)
}

func (c *Client) within(limit time.Duration, what string, found func() bool) {
	c.tb.Helper()
	timeout := time.After(limit)
	for {
		c.mu.Lock()
		ok, changed := found(), c.changed
		c.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			c.tb.Fatalf("%s did not come within %v; received:\n%s", what, limit, c.dump())
		case <-c.eof:
			c.mu.Lock()
			ok := found()
			c.mu.Unlock()
			if !ok {
				c.tb.Fatalf("the server ended before %s came; received:\n%s", what, c.dump())
			}
			return
		}
	}
}

func (c *Client) dump() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var text strings.Builder
	lines := c.lines
	if len(lines) > 60 {
		fmt.Fprintf(&text, "(%d lines before)\n", len(lines)-60)
		lines = lines[len(lines)-60:]
	}
	for _, l := range lines {
		raw := l.Raw
		if len(raw) > 600 {
			raw = raw[:600]
		}
		fmt.Fprintf(&text, "%s\n", raw)
	}
	return text.String()
}

// Send writes one raw line.
func (c *Client) Send(line string) {
	c.tb.Helper()
	_, err := c.in.WriteString(line + "\n")
	require.NoError(c.tb, err)
}

// Notify sends a notification.
func (c *Client) Notify(method string, params any) {
	c.tb.Helper()
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		m["params"] = params
	}
	raw, err := json.Marshal(m)
	require.NoError(c.tb, err)
	c.Send(string(raw))
}

// Begin sends a request and returns its id.
func (c *Client) Begin(method string, params any) int {
	c.tb.Helper()
	c.mu.Lock()
	c.nextID++
	id := c.nextID
	c.mu.Unlock()
	m := map[string]any{"jsonrpc": "2.0", "id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	raw, err := json.Marshal(m)
	require.NoError(c.tb, err)
	c.Send(string(raw))
	return id
}

// Answered reports whether a request has its response.
func (c *Client) Answered(id int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answers[id] != nil
}

// Response is a JSON-RPC response.
type Response struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// Await waits for the response to a request.
func (c *Client) Await(id int) Response {
	c.tb.Helper()
	return c.AwaitWithin(id, Patience)
}

// AwaitWithin is Await with another time limit.
func (c *Client) AwaitWithin(id int, limit time.Duration) Response {
	c.tb.Helper()
	c.within(limit, fmt.Sprintf("the response to request %d", id), func() bool { return c.answers[id] != nil })
	c.mu.Lock()
	raw := c.answers[id]
	c.mu.Unlock()
	var r Response
	require.NoError(c.tb, json.Unmarshal(raw, &r))
	return r
}

// Request sends a request and waits for its response.
func (c *Client) Request(method string, params any) Response {
	c.tb.Helper()
	return c.Await(c.Begin(method, params))
}

// Args are the arguments of a tool.
type Args map[string]any

// BeginCall starts a tool call and returns its id for AwaitCall.
func (c *Client) BeginCall(tool string, args Args) int {
	c.tb.Helper()
	if args == nil {
		args = Args{}
	}
	return c.Begin("tools/call", map[string]any{"name": tool, "arguments": args})
}

// AwaitCall waits for the result of a tool call.
func (c *Client) AwaitCall(id int) Result {
	c.tb.Helper()
	return c.result(id, c.Await(id))
}

// AwaitCallWithin is AwaitCall with another time limit.
func (c *Client) AwaitCallWithin(id int, limit time.Duration) Result {
	c.tb.Helper()
	return c.result(id, c.AwaitWithin(id, limit))
}

func (c *Client) result(id int, r Response) Result {
	c.tb.Helper()
	if r.Error != nil {
		c.tb.Fatalf("tool call %d: JSON-RPC error %d %s", id, r.Error.Code, r.Error.Message)
	}
	var body struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	require.NoError(c.tb, json.Unmarshal(r.Result, &body))
	require.Len(c.tb, body.Content, 1, "one text block")
	require.JSONEq(c.tb, string(body.StructuredContent), body.Content[0].Text)
	return Result{tb: c.tb, Raw: body.StructuredContent, IsError: body.IsError}
}

// Call calls a tool.
func (c *Client) Call(tool string, args Args) Result {
	c.tb.Helper()
	return c.AwaitCall(c.BeginCall(tool, args))
}

// Do calls a tool that must succeed.
func (c *Client) Do(tool string, args Args) Result {
	c.tb.Helper()
	r := c.Call(tool, args)
	if r.IsError {
		c.tb.Fatalf("%s %v failed: %s", tool, args, r.Raw)
	}
	return r
}

// Settled waits for the stop or end after a start. The start itself waits only briefly, and on a busy machine it may
// take longer.
func (c *Client) Settled(start Result) Result {
	c.tb.Helper()
	if start.String("session.state") != "running" {
		return start
	}
	c.Do("breakpoint_wait", nil)
	return c.Do("debug_state", nil)
}

// Refused calls a tool that must fail with a code, and returns the failure.
func (c *Client) Refused(code fault.Code, tool string, args Args) Result {
	c.tb.Helper()
	r := c.Call(tool, args)
	require.True(c.tb, r.IsError, "%s %v should fail: %s", tool, args, r.Raw)
	require.Equal(c.tb, string(code), r.String("error.code"), "%s", r.Raw)
	require.NotEmpty(c.tb, r.String("error.message"))
	return r
}

// Notifications returns the notifications of a method received so far, in order.
func (c *Client) Notifications(method string) []Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Result
	for _, l := range c.lines {
		if l.Method == method {
			out = append(out, Result{tb: c.tb, Raw: l.Params})
		}
	}
	return out
}

// AwaitNotifications waits until at least n notifications of a method have come.
func (c *Client) AwaitNotifications(method string, n int) []Result {
	c.tb.Helper()
	c.until(fmt.Sprintf("notification %d of %s", n, method), func() bool { return c.counts[method] >= n })
	return c.Notifications(method)
}

// AwaitNotification waits for a notification of a method that matches.
func (c *Client) AwaitNotification(method string, match func(Result) bool) Result {
	c.tb.Helper()
	var got Result
	c.until("a matching "+method, func() bool {
		for _, l := range c.lines {
			if l.Method == method {
				if r := (Result{tb: c.tb, Raw: l.Params}); match(r) {
					got = r
					return true
				}
			}
		}
		return false
	})
	return got
}

// Lines returns everything received so far, in order.
func (c *Client) Lines() []Line {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Line(nil), c.lines...)
}
