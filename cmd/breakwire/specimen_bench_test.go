package main

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
	"breakwire/fixtures"
)

// specimen is the loop program with a real debugger, for a raw client and for breakwire.
type specimen struct {
	debuggee
	adapter     string // the debugger's executable
	symbols     string // the source, as the program's symbols name it
	hits        int    // in a round of the raw client
	asksThreads bool   // counting every hit needs a look at the other threads
}

// specimens are the debuggers by name. Each is skipped if it is not installed.
var specimens = map[string]func(b *testing.B) specimen{
	"dlv": func(b *testing.B) specimen {
		d := goDebuggee(b)
		return specimen{debuggee: d, adapter: os.Getenv("DLV_PATH"), symbols: d.source, hits: 300, asksThreads: true}
	},
	"netcoredbg": func(b *testing.B) specimen {
		d := dotnetDebuggee(b)
		return specimen{debuggee: d, adapter: fixtures.Netcoredbg(b), symbols: "/src/LoopApp/Program.cs", hits: 300}
	},
	"debugpy": func(b *testing.B) specimen {
		python := fixtures.Debugpy(b)
		b.Setenv("DEBUGPY_PYTHON", python)
		loop := fixtures.Program("python", "loop.py")
		// A stop takes 0.1 s there.
		return specimen{debuggee: debuggee{backend: "debugpy", loop: loop, source: loop, hit: 7}, adapter: python,
			symbols: loop, hits: 30}
	},
}

// expressions work in all loop programs, at the line of the hit.
var expressions = []string{"i", "square", "square * 2 + i"}

// rawClient is a DAP client that sends only the given requests.
type rawClient struct {
	b     *testing.B
	conn  *dapclient.Conn
	proc  *dapclient.Process
	stops chan int // thread ids; closed at the end of the program

	logged      int       // hits of the log point
	first, last time.Time // of them
}

// raw starts the program without breakwire, with a breakpoint at its line, or with a log point if there is a message.
func (s specimen) raw(b *testing.B, passes int, message string) *rawClient {
	p := dapclient.ProfileByName(s.backend)
	command := dapclient.Command{Path: s.adapter, Args: p.Args}
	var proc *dapclient.Process
	var stream io.ReadWriteCloser
	var err error
	if p.Announce != nil {
		proc, stream, err = dapclient.StartAnnounced(context.Background(), command, p.Announce.Regexp())
	} else {
		proc, stream, err = dapclient.StartStdio(command)
	}
	require.NoError(b, err)
	c := &rawClient{b: b, proc: proc, stops: make(chan int, 8)}
	initialized := make(chan struct{})
	c.conn = dapclient.NewConn(stream, dapclient.Options{OnEvent: func(m *dapclient.Message) {
		switch m.Name {
		case "initialized":
			close(initialized)
		case "stopped":
			body, _ := dapclient.DecodeBody[dap.StoppedEventBody](m)
			c.stops <- body.ThreadId
		case "output":
			if body, _ := dapclient.DecodeBody[dap.OutputEventBody](m); strings.Contains(body.Output, rawMark) {
				c.last = time.Now()
				if c.logged++; c.logged == 1 {
					c.first = c.last
				}
			}
		case "exited":
			close(c.stops)
		}
	}})
	c.must("initialize", map[string]any{"adapterID": p.AdapterID})
	launched := make(chan struct{}) // before or after the configuration, depending on the debugger
	_, err = c.conn.Send(dapclient.Request{
		Command: "launch",
		Args: p.Launch(dapclient.LaunchRequest{Program: s.loop, Args: []string{strconv.Itoa(passes)},
			JustMyCode: true, Adapter: s.adapter}),
		Done: func(*dapclient.Message, error) { close(launched) },
	})
	require.NoError(b, err)
	<-initialized
	c.must("setBreakpoints", dapclient.SetBreakpointsArguments{
		Source: dap.Source{Path: s.symbols}, Breakpoints: []dap.SourceBreakpoint{{Line: s.hit, LogMessage: message}},
	})
	c.must("configurationDone", nil)
	<-launched
	return c
}

func (c *rawClient) must(command string, args any) *dapclient.Message {
	m, err := c.conn.Call(context.Background(), 30*time.Second, command, args)
	if err == nil {
		err = m.Err()
	}
	if err != nil {
		c.b.Fatal(err)
	}
	return m
}

func (c *rawClient) close() {
	_, _ = c.conn.Call(context.Background(), 5*time.Second, "disconnect", nil)
	c.conn.Close()
	c.proc.Stop(time.Second)
}

// rawHits returns how many stops per second the debugger makes with k expressions, requested one after the other.
func (s specimen) rawHits(b *testing.B, k int, threads bool) float64 {
	c := s.raw(b, s.hits, "")
	defer c.close()
	var began, last time.Time
	hits := 0
	for thread := range c.stops {
		hits++
		last = time.Now()
		if began.IsZero() {
			began = last
		}
		m := c.must("stackTrace", dapclient.StackTraceArguments{ThreadID: thread, Levels: 1})
		if threads {
			c.must("threads", nil)
		}
		body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](m)
		require.NoError(b, err)
		for _, e := range expressions[:k] {
			c.must("evaluate", dapclient.EvaluateArguments{Expression: e, FrameID: &body.StackFrames[0].Id, Context: "watch"})
		}
		c.must("continue", dap.ContinueArguments{ThreadId: thread})
	}
	require.Equal(b, s.hits, hits)
	return float64(hits-1) / last.Sub(began).Seconds()
}

// rawMark begins the output of a raw client's log point.
const rawMark = "hit "

// rawLogged returns how many hits per second the debugger's own log points report, with k expressions.
func (s specimen) rawLogged(b *testing.B, k, passes int) float64 {
	c := s.raw(b, passes, rawMark+message(k))
	defer c.close()
	for range c.stops { // there are no stops; wait for the end of the program
	}
	return float64(c.logged-1) / c.last.Sub(c.first).Seconds()
}

// message returns the message of a tracepoint or log point with k expressions.
func message(k int) string {
	if k == 0 {
		return ""
	}
	return "{" + strings.Join(expressions[:k], "} {") + "}"
}
