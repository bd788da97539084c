package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is a connection to the server with everything received over it. The SDK owns its reader goroutine.
type client struct {
	ctx     context.Context
	http    bool
	quiet   bool // no debugger/... notifications are expected
	session *mcp.ClientSession
	log     lockedBuffer

	mu    sync.Mutex
	notes []note
}

// note is a received notification.
type note struct {
	Method string
	Params object
}

func connect(ctx context.Context, server, protocol string) (*client, error) {
	c := &client{ctx: ctx}
	var transport mcp.Transport
	if strings.HasPrefix(server, "http") {
		c.http = true
		transport = &mcp.StreamableClientTransport{Endpoint: server,
			HTTPClient: &http.Client{Transport: wire{os.Getenv("BREAKWIRE_TOKEN"), c}}}
	} else {
		cmd := exec.Command(server, "--log-level", "debug")
		cmd.Stderr = &c.log
		transport = tap{&mcp.CommandTransport{Command: cmd}, c}
	}
	var opts *mcp.ClientSessionOptions
	if protocol != "" {
		opts = &mcp.ClientSessionOptions{ProtocolVersion: protocol}
	}
	var err error
	c.session, err = mcp.NewClient(&mcp.Implementation{Name: "foreign-go", Version: "1.0.0"}, &mcp.ClientOptions{
		// In 2026-07-28 only a client with a handler is subscribed to list changes. tap records what arrives.
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) {},
	}).
		Connect(ctx, transport, opts)
	if err != nil {
		return c, fmt.Errorf("connect: %w", err)
	}
	version := c.session.InitializeResult().ProtocolVersion
	c.quiet = c.http && version >= "2026-07-28" // there the library omits methods that MCP does not define
	fmt.Printf("ok  connect, protocol %s\n", version)
	return c, nil
}

// wire sends the token with every request and records what arrives on streams. A tap would hide from the SDK that
// this is HTTP.
type wire struct {
	token string
	c     *client
}

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.token)
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		resp.Body = &events{ReadCloser: resp.Body, c: w.c}
	}
	return resp, err
}

// events reads a stream together with the SDK.
type events struct {
	io.ReadCloser
	c    *client
	line []byte // the current, incomplete line
}

func (e *events) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	e.line = append(e.line, p[:n]...)
	for {
		line, rest, ok := bytes.Cut(e.line, []byte("\n"))
		if !ok {
			return n, err
		}
		e.line = rest
		var m note
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && json.Unmarshal(data, &m) == nil && m.Method != "" {
			e.c.mu.Lock()
			e.c.notes = append(e.c.notes, m)
			e.c.mu.Unlock()
		}
	}
}

// tap is a transport that records what the SDK would drop: notifications with unknown methods.
type tap struct {
	mcp.Transport
	c *client
}

func (t tap) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	return tapped{conn, t.c}, err
}

type tapped struct {
	mcp.Connection
	c *client
}

func (t tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := t.Connection.Read(ctx)
		request, ok := msg.(*jsonrpc.Request)
		if !ok || err != nil || request.ID.IsValid() {
			return msg, err
		}
		n := note{Method: request.Method}
		_ = json.Unmarshal(request.Params, &n.Params)
		t.c.mu.Lock()
		t.c.notes = append(t.c.notes, n)
		t.c.mu.Unlock()
		if !strings.HasPrefix(request.Method, "debugger/") {
			return msg, nil
		}
	}
}

// received returns the params of all notifications of a method received so far.
func (c *client) received(method string) []object {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []object
	for _, n := range c.notes {
		if n.Method == method {
			all = append(all, n.Params)
		}
	}
	return all
}

// call calls a tool and returns its structured content.
func (c *client) call(tool string, args object) (object, error) {
	result, err := c.session.CallTool(c.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return nil, fmt.Errorf("%s %v: %w", tool, args, err)
	}
	text, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return nil, err
	}
	var got object
	if err := json.Unmarshal(text, &got); err != nil {
		return nil, fmt.Errorf("%s: structuredContent %s: %w", tool, text, err)
	}
	if got["success"] != !result.IsError {
		return nil, fmt.Errorf("%s: isError is %v in %s", tool, result.IsError, text)
	}
	return got, nil
}

// close ends the server's input and waits until the server ends.
func (c *client) close() error {
	began := time.Now()
	err := c.session.Close() // the SDK sends SIGTERM after five seconds
	if took := time.Since(began); took > 4*time.Second {
		return fmt.Errorf("the server took %v to end after its input", took)
	}
	return err
}

// report prints information about a failure, and ends the server.
func (c *client) report() {
	c.mu.Lock()
	for _, n := range c.notes[max(0, len(c.notes)-5):] {
		text, _ := json.Marshal(n.Params)
		fmt.Printf("notification %s %s\n", n.Method, text)
	}
	c.mu.Unlock()
	lines := strings.Split(c.log.String(), "\n")
	fmt.Println("server's log, the last of it:")
	fmt.Println(strings.Join(lines[max(0, len(lines)-40):], "\n"))
	if c.session != nil {
		_ = c.session.Close()
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}
