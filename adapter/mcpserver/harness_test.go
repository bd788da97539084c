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
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
	"breakwire/fixtures"
)

// Roles are the programs that this test binary can run as, instead of running the tests: adapters and debuggees for
// tests with real processes. The environment variable names the role.
var Roles = map[string]func() int{}

// RoleVariable holds the name of a role.
const RoleVariable = "BREAKWIRE_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := Roles[os.Getenv(RoleVariable)]; role != nil {
		os.Exit(role())
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // intended panics would fill the output
	remove, err := fixtures.OwnHome()
	if err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		remove()
		os.Exit(status)
	}))
}

// deadline is the time limit for what must happen. A passing test does not wait for it.
const deadline = 2 * time.Minute

type echoArgs struct {
	Text string `arg:"text,required"`
}

type countArgs struct {
	N int `arg:"n" default:"1"`
}

type seqArgs struct {
	Seq uint64 `arg:"seq"`
}

type cursorResult struct {
	Cursor uint64 `json:"cursor"`
}

// rig is a server with a journal and tools with one effect each.
type rig struct {
	server  *server.MCPServer
	journal *journal.Journal
	blocked chan struct{} // receives when a "block" call has started
	causes  chan error    // why a "block" call ended
	release chan struct{} // closed: "hold" calls continue
}

func newRig() *rig {
	r := &rig{
		server: server.NewMCPServer("rig", "1", server.WithToolCapabilities(true),
			server.WithResourceCapabilities(true, true), server.WithLogging()),
		journal: journal.New(),
		blocked: make(chan struct{}, 1000),
		causes:  make(chan error, 1000),
		release: make(chan struct{}),
	}
	r.server.AddResource(mcp.NewResource("debugger://session", "session"),
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) { return nil, nil })
	addTool(r.server, Tool{Name: "echo", Title: "Echo", Description: "Echo", ReadOnly: true, Output: outputOf("text")},
		func(_ context.Context, in echoArgs) (any, error) {
			return struct {
				Text string `json:"text"`
			}{in.Text}, nil
		})
	addTool(r.server, Tool{Name: "block", Title: "Block"}, func(ctx context.Context, _ struct{}) (any, error) {
		r.blocked <- struct{}{}
		<-ctx.Done()
		r.causes <- context.Cause(ctx)
		return nil, ctx.Err()
	})
	addTool(r.server, Tool{Name: "hold", Title: "Hold until released"},
		func(ctx context.Context, _ struct{}) (any, error) {
			r.blocked <- struct{}{}
			<-r.release
			return nil, nil
		})
	addTool(r.server, Tool{Name: "burst", Title: "Append n hits"}, func(_ context.Context, in countArgs) (any, error) {
		r.hits(in.N)
		return nil, nil
	})
	addTool(r.server, Tool{Name: "big", Title: "n bytes"}, func(ctx context.Context, in countArgs) (any, error) {
		if err := callFrom(ctx).build(ctx); err != nil {
			return nil, err
		}
		return map[string]string{"text": strings.Repeat("x", in.N)}, nil
	})
	addTool(r.server, Tool{Name: "carry", Title: "Carry a stop"}, func(ctx context.Context, in seqArgs) (any, error) {
		callFrom(ctx).Carries("s1", in.Seq)
		return cursorResult{callFrom(ctx).Cursor("s1")}, nil
	})
	addTool(r.server, Tool{Name: "carry_block", Title: "Carry a stop, then block"},
		func(ctx context.Context, in seqArgs) (any, error) {
			callFrom(ctx).Carries("s1", in.Seq)
			r.blocked <- struct{}{}
			<-ctx.Done()
			r.causes <- context.Cause(ctx)
			return nil, ctx.Err()
		})
	addTool(r.server, Tool{Name: "panic", Title: "Panic"}, func(context.Context, struct{}) (any, error) {
		panic("on purpose")
	})
	addTool(r.server, Tool{Name: "fail", Title: "Fail"}, func(context.Context, struct{}) (any, error) {
		return nil, fault.Errorf(fault.NotPaused, "List<int> runs & runs").With("sessionId", "s1")
	})
	addTool(r.server, Tool{Name: "add_resource", Title: "Change the list"}, func(context.Context, struct{}) (any, error) {
		r.server.AddResource(mcp.NewResource("debugger://threads", "threads"), nil)
		return nil, nil
	})
	addTool(r.server, Tool{Name: "touch", Title: "Update the session resource"},
		func(ctx context.Context, _ struct{}) (any, error) {
			clientFrom(ctx).Updated("debugger://session")
			return nil, nil
		})
	return r
}

// hits appends n tracepoint hits of 100 bytes.
func (r *rig) hits(n int) {
	for range n {
		r.journal.Add(journal.Entry{Session: "s1", Class: journal.Trace, Type: journal.TypeTracepoint, Size: 100})
	}
}

func renderHit(_ *Client, dst []byte, e *journal.Entry, missed uint64) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"debugger/breakpointHit","params":{"seq":`...)
	dst = strconv.AppendUint(dst, e.Seq, 10)
	if missed > 0 {
		dst = strconv.AppendUint(append(dst, `,"missed":`...), missed, 10)
	}
	return append(dst, "}}"...)
}

func (r *rig) options() StdioOptions {
	return StdioOptions{Server: r.server, Journal: r.journal, Render: renderHit}
}

// line is a message from the server.
type line struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta          map[string]any  `json:"_meta"`
		Seq           uint64          `json:"seq"`
		Missed        uint64          `json:"missed"`
		URI           string          `json:"uri"`
		ProgressToken json.RawMessage `json:"progressToken"`
		Progress      float64         `json:"progress"`
	} `json:"params"`
	Result struct {
		IsError           bool            `json:"isError"`
		StructuredContent json.RawMessage `json:"structuredContent"`
		ProtocolVersion   string          `json:"protocolVersion"`
		SupportedVersions []string        `json:"supportedVersions"`
		ResultType        string          `json:"resultType"`
		Tools             []any           `json:"tools"`
		Content           []struct {
			Type, Text string
		} `json:"content"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	raw string
}

// peer is a client at the other ends of two pipes.
type peer struct {
	t      *testing.T
	rig    *rig
	in     *os.File // to the server
	out    *os.File // from it
	reader *bufio.Reader
	served chan error
	cancel context.CancelFunc
}

// connect serves r over two pipes. The client has not sent anything yet.
func connect(t *testing.T, r *rig, change ...func(*StdioOptions)) *peer {
	t.Helper()
	o := r.options()
	for _, f := range change {
		f(&o)
	}
	inR, inW, err := os.Pipe()
	require.NoError(t, err)
	outR, outW, err := os.Pipe()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	p := &peer{t: t, rig: r, in: inW, out: outR, reader: bufio.NewReaderSize(outR, 1<<20), served: make(chan error, 1),
		cancel: cancel}
	go func() {
		p.served <- ServeStdio(ctx, inR, outW, o)
		outW.Close()
		inR.Close()
	}()
	t.Cleanup(func() {
		cancel()
		inW.Close()
		outR.Close()
		select {
		case err := <-p.served:
			p.served <- err
		case <-time.After(deadline):
			t.Error("ServeStdio did not return")
		}
	})
	return p
}

// ready is a connection with a client after the handshake.
func ready(t *testing.T, r *rig, change ...func(*StdioOptions)) *peer {
	t.Helper()
	p := connect(t, r, change...)
	p.handshake("2025-11-25")
	return p
}

func (p *peer) handshake(version string) line {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},`+
		`"clientInfo":{"name":"t","version":"1"}}}`, version)
	l := p.response("init")
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.sync()
	return l
}

// sync returns when the server has handled all that was sent before.
func (p *peer) sync() {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"sync","method":"ping"}`)
	p.response("sync")
}

func (p *peer) send(format string, args ...any) {
	p.t.Helper()
	_, err := fmt.Fprintf(p.in, format+"\n", args...)
	require.NoError(p.t, err)
}

func (p *peer) call(id any, tool, arguments string) {
	p.t.Helper()
	key, err := json.Marshal(id)
	require.NoError(p.t, err)
	p.send(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, key, tool, arguments)
}

// next reads one line; ok is false at the end.
func (p *peer) next() (l line, ok bool) {
	p.t.Helper()
	// pipes on Windows have no deadlines
	if err := p.out.SetReadDeadline(time.Now().Add(deadline)); !errors.Is(err, os.ErrNoDeadline) {
		require.NoError(p.t, err)
	}
	raw, err := p.reader.ReadBytes('\n')
	if errors.Is(err, io.EOF) && len(raw) == 0 {
		return line{}, false
	}
	require.NoError(p.t, err)
	require.NoError(p.t, json.Unmarshal(raw, &l), "%s", raw)
	require.Equal(p.t, 1, bytes.Count(raw, []byte("\n")))
	l.raw = string(raw)
	return l, true
}

// response reads the next line, which must be the response to this id.
func (p *peer) response(id any) line {
	p.t.Helper()
	key, err := json.Marshal(id)
	require.NoError(p.t, err)
	l, ok := p.next()
	require.True(p.t, ok, "the stream ended before the response to %s", key)
	require.Equal(p.t, string(key), string(l.ID), "%s", l.raw)
	return l
}

// notification reads the next line, which must be a notification of this method.
func (p *peer) notification(method string) line {
	p.t.Helper()
	l, ok := p.next()
	require.True(p.t, ok)
	require.Equal(p.t, method, l.Method, "%s", l.raw)
	return l
}

// rest reads to the end.
func (p *peer) rest() (lines []line) {
	p.t.Helper()
	for {
		l, ok := p.next()
		if !ok {
			return lines
		}
		lines = append(lines, l)
	}
}

// result waits for ServeStdio to return.
func (p *peer) result() error {
	p.t.Helper()
	select {
	case err := <-p.served:
		p.served <- err
		return err
	case <-time.After(deadline):
		p.t.Fatal("ServeStdio did not return")
		return nil
	}
}

func await[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(deadline):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}
