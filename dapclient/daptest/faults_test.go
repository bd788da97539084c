package daptest_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// stopAt22 returns a client of netcoredbg's shape at its first stop.
func stopAt22(t *testing.T, p daptest.Program) (*daptest.Adapter, *client, int) {
	t.Helper()
	a := daptest.New(t, daptest.Netcoredbg(), p)
	c := dial(t, a)
	c.launch(dap.SourceBreakpoint{Line: 22})
	return a, c, c.stopped().ThreadId
}

func evalArgs(expr string) dapclient.EvaluateArguments {
	return dapclient.EvaluateArguments{Expression: expr}
}

// together returns the results of requests sent in one write.
func (c *client) together(reqs ...dapclient.Request) []string {
	c.t.Helper()
	type answer struct {
		i    int
		text string
	}
	got := make(chan answer, len(reqs))
	for i := range reqs {
		reqs[i].Done = func(m *dapclient.Message, err error) {
			switch {
			case err != nil:
				got <- answer{i, "lost"}
			case m.Success:
				got <- answer{i, "ok"}
			default:
				got <- answer{i, m.Text}
			}
		}
	}
	_, err := c.conn.Send(reqs...)
	require.NoError(c.t, err)
	out := make([]string, len(reqs))
	for range reqs {
		a := <-got
		out[a.i] = a.text
	}
	return out
}

func TestResumeCancelsQueuedReads(t *testing.T) {
	_, c, thread := stopAt22(t, loop(5))
	args := map[string]int{"threadId": thread}
	cancelled := func(command string) string {
		return "Error processing '" + command + "' request. The operation was canceled."
	}
	got := c.together(
		dapclient.Request{Command: "stackTrace", Args: args}, dapclient.Request{Command: "evaluate", Args: evalArgs("i")},
		dapclient.Request{Command: "setBreakpoints", Args: lines(source)}, dapclient.Request{Command: "continue", Args: args},
	)
	assert.Equal(t, []string{cancelled("stackTrace"), cancelled("evaluate"), "ok", "ok"}, got)
	c.until("exited")

	a := daptest.New(t, daptest.Delve(), loop(5))
	d := dial(t, a)
	d.launch(dap.SourceBreakpoint{Line: 22})
	args["threadId"] = d.stopped().ThreadId
	got = d.together(dapclient.Request{Command: "stackTrace", Args: args},
		dapclient.Request{Command: "continue", Args: args})
	assert.Equal(t, []string{"ok", "ok"}, got, "Delve does not")
}

func TestSlowEvaluation(t *testing.T) {
	gate, open := daptest.Gate()
	p := loop(5)
	p.Eval = func(e daptest.EvalCall) (daptest.Var, bool) {
		return daptest.Var{Value: "done", Gate: gate}, e.Expression == "Slow()"
	}
	a, c, thread := stopAt22(t, p)
	slow := make(chan *dapclient.Message, 1)
	send := func(command string, args any, got chan *dapclient.Message) int {
		seqs, err := c.conn.Send(dapclient.Request{Command: command, Args: args, Done: func(m *dapclient.Message, _ error) {
			got <- m
		}})
		require.NoError(t, err)
		return seqs[0]
	}
	first := send("evaluate", evalArgs("Slow()"), slow)
	a.WaitFor("evaluate")
	queued := make(chan *dapclient.Message, 1)
	second := send("evaluate", evalArgs("i"), queued)
	a.WaitFor("evaluate")
	c.must("cancel", map[string]int{"requestId": second})
	assert.Contains(t, (<-queued).Text, "The operation was canceled")
	_, err := c.call("cancel", map[string]int{"requestId": first})
	require.ErrorContains(t, err, "not supported for requestId")

	resumed := make(chan *dapclient.Message, 1)
	third := make(chan *dapclient.Message, 1)
	send("evaluate", evalArgs("i"), third)
	send("continue", map[string]int{"threadId": thread}, resumed)
	assert.Contains(t, (<-third).Text, "The operation was canceled", "by the resume")
	select {
	case <-resumed:
		t.Fatal("the resume waits for the evaluation")
	case <-slow:
		t.Fatal("the gate is shut")
	default:
	}
	open()
	assert.Contains(t, string((<-slow).Body), `"done"`)
	assert.True(t, (<-resumed).Success)
	c.stopped()
}

func TestStaleIDs(t *testing.T) {
	eachShape(t, func(t *testing.T, s daptest.Shape) {
		a := daptest.New(t, s, loop(5))
		c := dial(t, a)
		c.launch(dap.SourceBreakpoint{Line: 22})
		thread := c.stopped().ThreadId
		old := c.frame(thread).Id
		scopes, err := dapclient.DecodeBody[dap.ScopesResponseBody](c.must("scopes", map[string]int{"frameId": old}))
		require.NoError(t, err)
		ref := scopes.Scopes[0].VariablesReference
		m := c.must("variables", map[string]int{"variablesReference": ref, "start": 1, "count": 1})
		assert.Contains(t, string(m.Body), `"name":"sum"`)
		c.must("continue", map[string]int{"threadId": thread})
		c.stopped()
		_, err = c.call("variables", map[string]int{"variablesReference": ref})
		require.Error(t, err)
		if s.Family == daptest.FamilyNetcoredbg || s.Family == daptest.FamilyDebugpy {
			_, err = c.evaluate("i", old)
			require.Error(t, err)
			assert.Greater(t, c.frame(thread).Id, old)
		}
	})
}

func TestSetVariable(t *testing.T) {
	var told []string
	p := loop(2)
	p.OnSet = func(thread int, name, value string) { told = append(told, name+"="+value) }
	_, c, thread := stopAt22(t, p)
	f := c.frame(thread).Id
	scopes, err := dapclient.DecodeBody[dap.ScopesResponseBody](c.must("scopes", map[string]int{"frameId": f}))
	require.NoError(t, err)
	ref := scopes.Scopes[0].VariablesReference
	m := c.must("setVariable", map[string]any{"variablesReference": ref, "name": "sum", "value": "40 + 2"})
	assert.JSONEq(t, `{"value":"42"}`, string(m.Body))
	got, err := c.evaluate("sum", f)
	require.NoError(t, err)
	assert.Equal(t, "42", got)
	c.must("setExpression", map[string]any{"expression": "sum", "value": "7", "frameId": f})
	assert.Equal(t, []string{"sum=42", "sum=7"}, told)
	m, err = c.call("setVariable", map[string]any{"variablesReference": ref, "name": "sum", "value": `"text"`})
	require.Error(t, err)
	assert.Empty(t, m.Text, "measured: a mismatch has no message")
	_, err = c.call("setVariable", map[string]any{"variablesReference": ref, "name": "none", "value": "1"})
	require.ErrorContains(t, err, "Variable name not found.")
}

func TestLaunchErrors(t *testing.T) {
	at := map[string]string{"netcoredbg": "configurationDone", "dlv": "launch", "debugpy": "launch", "lldb-dap": "launch"}
	eachShape(t, func(t *testing.T, s daptest.Shape) {
		a := daptest.New(t, s, daptest.Program{LaunchError: "0x80070002"})
		c := dial(t, a)
		c.must("initialize", nil)
		_, err := c.call("launch", nil)
		if at[string(s.Family)] == "configurationDone" {
			require.NoError(t, err)
			_, err = c.call("configurationDone", nil)
		}
		require.ErrorContains(t, err, "0x80070002")
		c.must("disconnect", nil)
		<-a.Done()
		assert.Equal(t, daptest.FateNone, a.Fate())
	})
}

func TestFates(t *testing.T) {
	yes, no := true, false
	cases := []struct {
		name, start string
		end         func(*client, *daptest.Adapter)
		want        daptest.Fate
	}{
		{"launched, disconnect", "launch", func(c *client, _ *daptest.Adapter) {
			c.must("disconnect", nil)
		}, daptest.FateKilled},
		{"launched, detach", "launch", func(c *client, _ *daptest.Adapter) {
			c.must("disconnect", dapclient.DisconnectArguments{TerminateDebuggee: &no})
		}, daptest.FateDetached},
		{"attached, disconnect", "attach", func(c *client, _ *daptest.Adapter) {
			c.must("disconnect", nil)
		}, daptest.FateDetached},
		{"attached, killed", "attach", func(c *client, _ *daptest.Adapter) {
			c.must("disconnect", dapclient.DisconnectArguments{TerminateDebuggee: &yes})
		}, daptest.FateKilled},
		{"launched, end of input", "launch", func(c *client, _ *daptest.Adapter) { c.conn.Close() }, daptest.FateKilled},
		{"attached, end of input", "attach", func(c *client, _ *daptest.Adapter) { c.conn.Close() }, daptest.FateDetached},
		{"the adapter dies", "launch", func(_ *client, a *daptest.Adapter) { a.Die() }, daptest.FateOrphaned},
	}
	eachShape(t, func(t *testing.T, s daptest.Shape) {
		for _, test := range cases {
			t.Run(test.name, func(t *testing.T) {
				gate, open := daptest.Gate()
				defer open()
				a := daptest.New(t, s, sleeper(gate))
				c := dial(t, a)
				c.must("initialize", nil)
				_, err := c.conn.Send(dapclient.Request{Command: test.start})
				require.NoError(t, err)
				c.until("initialized")
				c.must("configurationDone", nil)
				test.end(c, a)
				<-a.Done()
				assert.Equal(t, test.want, a.Fate())
			})
		}
	})
}

func TestTerminate(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	a := daptest.New(t, daptest.Netcoredbg(), sleeper(gate))
	c := dial(t, a)
	c.launch()
	c.must("terminate", nil)
	assert.Contains(t, string(c.until("exited").Body), "1")
	c.until("terminated")
	assert.Equal(t, daptest.FateKilled, a.Fate())
	_, err := c.call("threads", nil)
	require.ErrorContains(t, err, "0x80004005")
	_, err = c.call("modules", nil)
	require.ErrorContains(t, err, "0x80004001")
}

func TestHooks(t *testing.T) {
	a, c, _ := stopAt22(t, loop(5))
	a.Once("evaluate", daptest.Fail("no"))
	_, err := c.call("evaluate", evalArgs("i"))
	require.ErrorContains(t, err, "no")
	c.must("evaluate", evalArgs("i"))

	a.Once("evaluate",
		daptest.Raw(`{"type":"response","request_seq":$seq,"success":true,"command":"evaluate","body":{"result":"raw"}}`))
	assert.Contains(t, string(c.must("evaluate", evalArgs("i")).Body), "raw")

	a.Once("threads", daptest.Action{Before: []string{`{"type":"event","event":"one"}`},
		After: []string{`{"type":"event","event":"two"}`}})
	c.must("threads", nil)
	assert.Equal(t, "one", c.next().Name)
	assert.Equal(t, "two", c.next().Name)

	a.Once("evaluate", daptest.Swallow())
	unanswered := make(chan struct{}, 1)
	_, err = c.conn.Send(dapclient.Request{Command: "evaluate", Args: evalArgs("i"),
		Done: func(*dapclient.Message, error) {
			unanswered <- struct{}{}
		}})
	require.NoError(t, err)
	for range 4 { // the fourth one is swallowed
		a.WaitFor("evaluate")
	}
	c.must("threads", nil)
	assert.Empty(t, unanswered)

	// With Aside it is answered after later requests.
	gate, open := daptest.Gate()
	a.Once("evaluate", daptest.Action{Until: gate, Aside: true})
	order := make(chan string, 2)
	_, err = c.conn.Send(
		dapclient.Request{Command: "evaluate", Args: evalArgs("i"), Done: func(*dapclient.Message, error) {
			order <- "evaluate"
		}},
		dapclient.Request{Command: "threads", Done: func(*dapclient.Message, error) { order <- "threads" }})
	require.NoError(t, err)
	assert.Equal(t, "threads", <-order)
	open()
	assert.Equal(t, "evaluate", <-order)

	a.Event("custom", `{"x":1}`)
	assert.Equal(t, `{"x":1}`, string(c.next().Body))
	a.Send(`{"type":"event","event":"a"}`, `garbage`, `{"type":"event","event":"b"}`)
	assert.Equal(t, "a", c.next().Name)
	assert.Equal(t, "b", c.next().Name)

	var names []string
	a.OnRequest("*", func(m *dapclient.Message) daptest.Action {
		names = append(names, m.Name)
		return daptest.Action{}
	})
	c.must("threads", nil)
	assert.Equal(t, []string{"threads"}, names)
	assert.Equal(t, "initialize", a.WaitFor("initialize").Name)
	assert.Equal(t, "threads", a.Commands()[len(a.Commands())-1])
	assert.Contains(t, string(a.Requests("setBreakpoints")[0].Raw), `"line":22`)
	assert.Len(t, a.Received(), len(a.Commands()))
}

func TestEndsBadly(t *testing.T) {
	cases := []struct {
		name string
		do   func(*daptest.Adapter)
		want error
	}{
		{"dies after an answer", func(a *daptest.Adapter) {
			a.OnRequest("threads", once(daptest.Action{Die: true, Swallow: true}))
		}, io.EOF},
		{"cut in a header", func(a *daptest.Adapter) {
			a.OnRequest("threads", once(daptest.Action{CutAt: 9}))
		}, io.ErrUnexpectedEOF},
		{"cut in a body", func(a *daptest.Adapter) {
			a.OnRequest("threads", once(daptest.Action{CutAt: 40}))
		}, io.ErrUnexpectedEOF},
		{"stray line", func(a *daptest.Adapter) { a.SendBytes([]byte("Unhandled exception!\r\n\r\n")) }, dapclient.ErrFrame},
		{"absurd length", func(a *daptest.Adapter) {
			a.SendBytes([]byte("Content-Length: 99999999999\r\n\r\n"))
		}, dapclient.ErrFrame},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			a, c, _ := stopAt22(t, loop(5))
			test.do(a)
			_, err := c.call("threads", nil)
			require.ErrorIs(t, err, dapclient.ErrClosed)
			<-c.conn.Done()
			require.ErrorIs(t, c.conn.Err(), test.want)
		})
	}
}

func once(act daptest.Action) func(*dapclient.Message) daptest.Action {
	return func(*dapclient.Message) daptest.Action { return act }
}

func TestChunks(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	a := daptest.New(t, daptest.Delve(), loop(40))
	a.ChunkWrites(seed)
	c := dial(t, a)
	c.launch(dap.SourceBreakpoint{Line: 22})
	assert.Len(t, strings.Fields(stopsAt(c)), 40)
}

func TestStalledAdapterIsInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := daptest.New(t, daptest.Netcoredbg(), loop(1))
		c := dial(t, a)
		c.must("initialize", nil)
		a.StallReads(true)
		_, err := c.conn.Call(context.Background(), time.Hour, "threads", nil)
		require.ErrorIs(t, err, dapclient.ErrDeadline)
		a.StallReads(false)
		c.must("launch", nil)
		a.Close()
		<-c.conn.Done()
		time.Sleep(time.Second) // virtual: Conn's own timer
	})
}

func TestReceivedIsBounded(t *testing.T) {
	a, c, _ := stopAt22(t, loop(5))
	var reqs []dapclient.Request
	for range 30_000 {
		reqs = append(reqs, dapclient.Request{Command: "threads"})
	}
	c.together(reqs...)
	assert.Equal(t, 30_000, a.Count("threads"))
	assert.Less(t, len(a.Received()), 20_001)
}

// TestServe runs the fake as a process of this test binary.
func TestServe(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "DAPTEST_SERVE=1")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c := &client{t: t, events: dapclient.NewQueue[*dapclient.Message]()}
	c.conn = dapclient.NewConn(struct {
		io.Reader
		io.WriteCloser
	}{out, in}, dapclient.Options{OnEvent: func(m *dapclient.Message) { c.events.Push(m) }})
	c.launch(dap.SourceBreakpoint{Line: 22})
	assert.Equal(t, "0 1 2", stopsAt(c))
	c.must("disconnect", nil)
	<-c.conn.Done()
	require.NoError(t, cmd.Wait())
}

func serve() int {
	if err := daptest.Serve(daptest.Stdio(), daptest.Netcoredbg(), loop(3)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
