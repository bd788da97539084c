package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/fixtures"
)

// BenchmarkColdStart is from the start of the process to the answer to initialize, and what memory it has then.
func BenchmarkColdStart(b *testing.B) {
	exe := fixtures.Breakwire(b)
	const line = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}` + "\n"
	var took, resident []float64
	for b.Loop() {
		cmd := exec.Command(exe)
		in, err := cmd.StdinPipe()
		require.NoError(b, err)
		out, err := cmd.StdoutPipe()
		require.NoError(b, err)
		began := time.Now()
		require.NoError(b, cmd.Start())
		_, err = in.Write([]byte(line))
		require.NoError(b, err)
		_, err = bufio.NewReaderSize(out, 1<<16).ReadSlice('\n')
		require.NoError(b, err)
		took = append(took, float64(time.Since(began).Microseconds())/1000)
		if runtime.GOOS == "linux" {
			resident = append(resident, float64(statusOf(b, cmd.Process.Pid, "VmRSS"))/1024)
		}
		in.Close()
		require.NoError(b, cmd.Wait())
	}
	report(b, "answer-ms", took)
	if len(resident) > 0 {
		report(b, "resident-MiB", resident)
	}
}

// report gives the median and the range of what was measured.
func report(b *testing.B, unit string, values []float64) float64 {
	slices.Sort(values)
	median := values[len(values)/2]
	b.ReportMetric(median, unit)
	b.ReportMetric(values[0], "min-"+unit)
	b.ReportMetric(values[len(values)-1], "max-"+unit)
	return median
}

// rounds is how many hits are measured at a time; breakwire and the raw client take turns.
const rounds = 300

var liveExpressions = []string{"i", "square", "square * 2 + i"}

// BenchmarkLiveHits compares tracepoint hits through breakwire (strategy stop) with a raw DAP client that asks the same questions, one after the other, `threads`
// included, which counting every hit on Delve needs. One operation is a round of each.
func BenchmarkLiveHits(b *testing.B) {
	for _, k := range []int{0, 3} {
		b.Run(fmt.Sprintf("dlv/k=%d", k), func(b *testing.B) {
			dlv := fixtures.Delve(b)
			b.Setenv("DLV_PATH", dlv)
			loop, source := fixtures.BuildGo(b, "loop"), fixtures.GoSource("loop")
			var raw, ours, ratios []float64
			for b.Loop() {
				r := rawHits(b, dlv, loop, source, k)
				o := breakwireHits(b, loop, source, k)
				raw, ours, ratios = append(raw, r), append(ours, o), append(ratios, o/r)
			}
			report(b, "raw-hits/s", raw)
			report(b, "hits/s", ours)
			report(b, "of-floor", ratios)
		})
	}
}

// rawClient is a DAP client that does nothing but what it is told.
type rawClient struct {
	b     *testing.B
	conn  *dapclient.Conn
	proc  *dapclient.Process
	stops chan int // thread ids; closed at the end of the program
}

func newRawClient(b *testing.B, dlv, loop, source string, passes int) *rawClient {
	p := dapclient.ProfileByName("dlv")
	proc, stream, err := dapclient.StartAnnounced(context.Background(), dapclient.Command{Path: dlv, Args: p.Args}, p.Announce)
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
		case "exited":
			close(c.stops)
		}
	}})
	c.must("initialize", map[string]any{"adapterID": "go"})
	launched := make(chan struct{})
	_, err = c.conn.Send(dapclient.Request{
		Command: "launch", Args: p.Launch(dapclient.LaunchRequest{Program: loop, Args: []string{strconv.Itoa(passes)}, JustMyCode: true}),
		Done: func(*dapclient.Message, error) { close(launched) },
	})
	require.NoError(b, err)
	<-launched
	<-initialized
	c.must("setBreakpoints", dapclient.SetBreakpointsArguments{Source: dap.Source{Path: source}, Breakpoints: []dap.SourceBreakpoint{{Line: 12}}})
	c.must("configurationDone", nil)
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

func rawHits(b *testing.B, dlv, loop, source string, k int) float64 {
	c := newRawClient(b, dlv, loop, source, rounds)
	defer c.close()
	var began time.Time
	var last time.Time
	for thread := range c.stops {
		last = time.Now()
		if began.IsZero() {
			began = last
		}
		m := c.must("stackTrace", dapclient.StackTraceArguments{ThreadID: thread, Levels: 1})
		c.must("threads", nil)
		body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](m)
		require.NoError(b, err)
		for _, e := range liveExpressions[:k] {
			c.must("evaluate", dapclient.EvaluateArguments{Expression: e, FrameID: &body.StackFrames[0].Id, Context: "watch"})
		}
		c.must("continue", dap.ContinueArguments{ThreadId: thread})
	}
	return float64(rounds-1) / last.Sub(began).Seconds()
}

func breakwireHits(b *testing.B, loop, source string, k int) float64 {
	c := mcptest.WireRun(b, fixtures.Breakwire(b))
	defer c.Close()
	message := ""
	if k > 0 {
		message = "{i} {square} {square * 2 + i}"
	}
	c.Call("tracepoint_set", fmt.Sprintf(`{"file":%q,"line":12,"log_message":%q,"strategy":"stop"}`, source, message))
	// stop_at_entry, so that no hit is read before the clock runs.
	c.Call("debug_launch", fmt.Sprintf(`{"program":%q,"args":["%d"],"backend":"dlv"}`, loop, rounds))
	c.Call("debug_continue", `{}`)
	var began time.Time
	for hits := 0; hits < rounds; {
		if bytes.Contains(c.Line(), []byte(`"method":"debugger/breakpointHit"`)) {
			if hits++; hits == 1 {
				began = time.Now()
			}
		}
	}
	return float64(rounds-1) / time.Since(began).Seconds()
}

// BenchmarkLiveContinue compares `debug_continue wait` with a raw client's continue to stopped, and a look at the stop (stack, variables, one evaluation)
// with the same requests of a raw client. One operation is a round of each.
func BenchmarkLiveContinue(b *testing.B) {
	dlv := fixtures.Delve(b)
	b.Setenv("DLV_PATH", dlv)
	loop, source := fixtures.BuildGo(b, "loop"), fixtures.GoSource("loop")
	const cycles = 100
	median := func(d []time.Duration) float64 {
		slices.SortFunc(d, func(x, y time.Duration) int { return cmp.Compare(x, y) })
		return float64(d[len(d)/2].Microseconds()) / 1000
	}
	var rawCycle, cycle, ratio, rawLook, look, lookRatio []float64
	for b.Loop() {
		r := newRawClient(b, dlv, loop, source, cycles+10)
		var cycled, looked []time.Duration
		thread := <-r.stops
		for range cycles {
			began := time.Now()
			r.must("continue", dap.ContinueArguments{ThreadId: thread})
			thread = <-r.stops
			cycled = append(cycled, time.Since(began))
			began = time.Now()
			stack, err := dapclient.DecodeBody[dap.StackTraceResponseBody](r.must("stackTrace", dapclient.StackTraceArguments{ThreadID: thread, Levels: 20}))
			require.NoError(b, err)
			frame := stack.StackFrames[0].Id
			scopes, err := dapclient.DecodeBody[dap.ScopesResponseBody](r.must("scopes", map[string]int{"frameId": frame}))
			require.NoError(b, err)
			r.must("variables", map[string]int{"variablesReference": scopes.Scopes[0].VariablesReference})
			r.must("evaluate", dapclient.EvaluateArguments{Expression: "square", FrameID: &frame, Context: "watch"})
			looked = append(looked, time.Since(began))
		}
		r.close()
		rawCycle, rawLook = append(rawCycle, median(cycled)), append(rawLook, median(looked))

		cycled, looked = nil, nil
		c := mcptest.WireRun(b, fixtures.Breakwire(b))
		c.Call("breakpoint_set", fmt.Sprintf(`{"file":%q,"line":12}`, source))
		c.Call("debug_launch", fmt.Sprintf(`{"program":%q,"args":["%d"],"backend":"dlv","stop_at_entry":false}`, loop, cycles+10))
		for range cycles {
			began := time.Now()
			c.Call("debug_continue", `{"wait":true}`)
			cycled = append(cycled, time.Since(began))
			began = time.Now()
			c.Call("stacktrace_get", `{}`)
			c.Call("variables_get", `{}`)
			c.Call("evaluate", `{"expression":"square"}`)
			looked = append(looked, time.Since(began))
		}
		c.Close()
		cycle, look = append(cycle, median(cycled)), append(look, median(looked))
		n := len(cycle) - 1
		ratio, lookRatio = append(ratio, cycle[n]/rawCycle[n]), append(lookRatio, look[n]/rawLook[n])
	}
	report(b, "raw-ms", rawCycle)
	report(b, "ms", cycle)
	report(b, "of-raw", ratio)
	report(b, "raw-look-ms", rawLook)
	report(b, "look-ms", look)
	report(b, "look-of-raw", lookRatio)
}
