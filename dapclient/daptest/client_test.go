package daptest_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

func TestMain(m *testing.M) {
	if os.Getenv("DAPTEST_SERVE") != "" {
		os.Exit(serve())
	}
	goleak.VerifyTestMain(m)
}

const source = "/src/LoopApp/Program.cs"

// client is a raw client with assertions for tests.
type client struct {
	t      testing.TB
	conn   *dapclient.Conn
	events *dapclient.Queue[*dapclient.Message]
	got    []*dapclient.Message
}

func dial(t testing.TB, a *daptest.Adapter) *client {
	c := &client{t: t, events: dapclient.NewQueue[*dapclient.Message]()}
	c.conn = dapclient.NewConn(a.Stream(), dapclient.Options{OnEvent: func(m *dapclient.Message) { c.events.Push(m) }})
	t.Cleanup(func() {
		a.Close()
		<-c.conn.Done()
	})
	return c
}

func (c *client) call(command string, args any) (*dapclient.Message, error) {
	c.t.Helper()
	return c.conn.Call(context.Background(), 10*time.Second, command, args)
}

// must fails the test when the request fails.
func (c *client) must(command string, args any) *dapclient.Message {
	c.t.Helper()
	m, err := c.call(command, args)
	require.NoError(c.t, err)
	return m
}

// next returns the next event.
func (c *client) next() *dapclient.Message {
	c.t.Helper()
	for len(c.got) == 0 {
		select {
		case <-c.events.Ready():
			c.got = append(c.got, c.events.Take(nil)...)
		case <-c.conn.Done():
			if c.got = append(c.got, c.events.Take(nil)...); len(c.got) == 0 {
				c.t.Fatal("the connection ended before the event")
			}
		case <-time.After(10 * time.Second):
			c.t.Fatal("no event")
		}
	}
	m := c.got[0]
	c.got = c.got[1:]
	return m
}

// until skips events to the one named.
func (c *client) until(event string) *dapclient.Message {
	c.t.Helper()
	for {
		if m := c.next(); m.Name == event {
			return m
		}
	}
}

func (c *client) stopped() dap.StoppedEventBody {
	c.t.Helper()
	body, err := dapclient.DecodeBody[dap.StoppedEventBody](c.until("stopped"))
	require.NoError(c.t, err)
	return body
}

func lines(file string, bps ...dap.SourceBreakpoint) dapclient.SetBreakpointsArguments {
	if bps == nil {
		bps = []dap.SourceBreakpoint{}
	}
	return dapclient.SetBreakpointsArguments{Source: dap.Source{Path: file}, Breakpoints: bps}
}

// launch starts the program with line breakpoints set, in the order that works with every shape.
func (c *client) launch(bps ...dap.SourceBreakpoint) {
	c.t.Helper()
	c.must("initialize", dap.InitializeRequestArguments{AdapterID: "test"})
	_, err := c.conn.Send(dapclient.Request{Command: "launch",
		Args: map[string]any{"program": "/src/LoopApp/LoopApp.dll"}})
	require.NoError(c.t, err)
	c.until("initialized")
	c.must("setBreakpoints", lines(source, bps...))
	c.must("configurationDone", nil)
}

func (c *client) frame(thread int) dap.StackFrame {
	c.t.Helper()
	m := c.must("stackTrace", dapclient.StackTraceArguments{ThreadID: thread, Levels: 1})
	body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](m)
	require.NoError(c.t, err)
	require.NotEmpty(c.t, body.StackFrames)
	return body.StackFrames[0]
}

func (c *client) evaluate(expr string, frame int) (string, error) {
	c.t.Helper()
	m, err := c.call("evaluate", dapclient.EvaluateArguments{Expression: expr, FrameID: &frame})
	if err != nil {
		return "", err
	}
	body, err := dapclient.DecodeBody[dap.EvaluateResponseBody](m)
	require.NoError(c.t, err)
	return body.Result, nil
}
