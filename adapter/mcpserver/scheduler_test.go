package mcpserver_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

const goFile = "/src/app/main.go"

// goLoops is a program whose goroutines pass line 10 of a file n times, all at the same time.
func goLoops(file string, goroutines, n int, answer daptest.Var) daptest.Program {
	p := daptest.Program{Eval: daptest.GoRuntime(func(daptest.EvalCall) daptest.Var { return answer })}
	for range goroutines {
		at := func(line int) func(int) daptest.Step {
			return func(int) daptest.Step { return daptest.Step{File: file, Line: line, Func: "main.work"} }
		}
		p.Threads = append(p.Threads, daptest.Thread{Code: daptest.Loop(n, at(9), at(10), at(11))})
	}
	return p
}

// No hit is lost, whatever the answer whether a goroutine is alone. With yes the threads are no longer requested.
func TestAloneAtATracepoint(t *testing.T) {
	const passes = 40
	yes, no := daptest.Var{Value: "true"}, daptest.Var{Value: "false"}
	for _, tc := range []struct {
		name       string
		file       string
		goroutines int
		answer     daptest.Var
		asked      func(n int) bool
		listed     func(n int) bool
	}{
		{"alone", goFile, 1, yes, func(n int) bool { return n >= passes-5 }, func(n int) bool { return n <= 5 }},
		{"not alone", goFile, 2, no, func(n int) bool { return n > 2 && n < 8 }, func(n int) bool { return n >= passes }},
		{"no answer", goFile, 2, daptest.Var{Err: "nothing there"}, func(n int) bool {
			return n > 2 && n < 8
		}, func(n int) bool { return n >= passes }},
		{"something else", goFile, 2, daptest.Var{Value: "1"}, func(n int) bool {
			return n > 2 && n < 8
		}, func(n int) bool { return n >= passes }},
		{"C", "/src/app/lib.c", 2, yes, func(n int) bool { return n == 0 }, func(n int) bool { return n >= passes }},
		{"the runtime", "/usr/lib/go/src/runtime/proc.go", 2, yes, func(n int) bool {
			return n == 0
		}, func(n int) bool { return n >= passes }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), goLoops(tc.file, tc.goroutines, passes, tc.answer))
			c := mcptest.Serve(t, m, mcpserver.Options{})
			c.Do("tracepoint_set", mcptest.Args{"file": tc.file, "line": 10, "log_message": "here", "strategy": "stop"})
			runToEnd(t, c)
			require.Len(t, c.AwaitNotifications("debugger/breakpointHit", tc.goroutines*passes), tc.goroutines*passes)
			asked, listed := len(fakes.Last().Evaluated(daptest.AsksWhetherAlone)), fakes.Last().Count("threads")
			require.True(t, tc.asked(asked), "asked %d times", asked)
			require.True(t, tc.listed(listed), "threads listed %d times", listed)
		})
	}
}

// With an unknown runtime the sweep always runs, and the request is not repeated for ever.
func TestAloneOfAnUnknownRuntime(t *testing.T) {
	p := goLoops(goFile, 2, 30, daptest.Var{})
	p.Eval = nil
	m, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), p)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("tracepoint_set", mcptest.Args{"file": goFile, "line": 10, "log_message": "here", "strategy": "stop"})
	runToEnd(t, c)
	require.Len(t, c.AwaitNotifications("debugger/breakpointHit", 60), 60)
	require.Empty(t, fakes.Last().Evaluated(daptest.AsksWhetherAlone))
	require.Equal(t, 3, len(fakes.Last().Evaluated(func(x string) bool { return x == "runtime.gomaxprocs" })))
}

// With a function breakpoint, which may be anywhere, the session always sweeps.
func TestAloneWithAFunctionBreakpoint(t *testing.T) {
	m, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), goLoops(goFile, 2, 20, daptest.Var{Value: "true"}))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("tracepoint_set", mcptest.Args{"file": goFile, "line": 10, "log_message": "here", "strategy": "stop"})
	c.Do("breakpoint_set_function", mcptest.Args{"function": "main.never"})
	runToEnd(t, c)
	require.Len(t, c.AwaitNotifications("debugger/breakpointHit", 40), 40)
	require.Empty(t, fakes.Last().Evaluated(daptest.AsksWhetherAlone))
}

// A blocking stop is reported before it is known whether its goroutine is alone. A resume waits for the answer, and
// with no for the sweep.
func TestAloneAtAStop(t *testing.T) {
	for _, tc := range []struct {
		answer     string
		goroutines int
	}{{"true", 1}, {"false", 2}} {
		attempt := func(t *testing.T) bool {
			gate, open := daptest.Gate()
			m, fakes := mcptest.Fake(t, "dlv", daptest.Delve(),
				goLoops(goFile, tc.goroutines, 2, daptest.Var{Value: tc.answer, Gate: gate}))
			c := mcptest.Serve(t, m, mcpserver.Options{})
			c.Do("breakpoint_set", mcptest.Args{"file": goFile, "line": 10})
			require.True(t, launch(c).Has("stop"))
			for range 5 { // the session reads the runtime's variables while the client is idle
				fakes.Last().WaitFor("evaluate")
			}
			waitUntil(t, func() bool { return fakes.Last().Count("threads") == 1 })
			require.True(t, next(c).Has("stop"))
			resume := c.BeginCall("debug_continue", mcptest.Args{"wait": true})
			waitUntil(t, func() bool { return len(fakes.Last().Evaluated(daptest.AsksWhetherAlone)) == 1 })
			require.Equal(t, 1, fakes.Last().Count("threads"))
			require.Equal(t, 1, fakes.Last().Count("continue"), "the resume waits for the answer")
			open()
			require.Equal(t, "exited", c.AwaitCall(resume).String("reason"))
			require.Len(t, c.Notifications("debugger/breakpointHit"), 2*tc.goroutines)
			lists := fakes.Last().Count("threads")
			require.GreaterOrEqual(t, lists, tc.goroutines)
			// the second stop is swept only if needed; without a resume the list is refreshed
			return lists == tc.goroutines
		}
		t.Run(tc.answer, func(t *testing.T) { attempts(t, attempt) })
	}
}

// frameCounter is a recorder that counts frames.
type frameCounter struct {
	mu            sync.Mutex
	stops, listed int
	alone         int
}

func (f *frameCounter) Record(_ dapclient.Direction, body []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case bytes.Contains(body, []byte(`"event":"stopped"`)):
		f.stops++
	case bytes.Contains(body, []byte(`"command":"threads"`)) && bytes.Contains(body, []byte(`"type":"request"`)):
		f.listed++
	case bytes.Contains(body, []byte(`"result":"true"`)):
		f.alone++
	}
}

// With the real Delve: one goroutine, many at once at two lines, and one again. Every hit is counted, as the program
// counts itself, and with one goroutine the others are not requested.
func TestLiveHitsOfOneAndOfManyGoroutines(t *testing.T) {
	program, source := fixtures.BuildGo(t, "crowd"), fixtures.GoSource("crowd")
	const workers, passes = 8, 25
	for _, procs := range []string{"2", "20"} {
		t.Run(procs, func(t *testing.T) {
			t.Setenv("GOMAXPROCS", procs)
			t.Setenv("DLV_PATH", fixtures.Delve(t))
			frames := &frameCounter{}
			c := mcptest.Serve(t, adapter.NewManager(adapter.Options{Backends: adapter.BackendOptions{
				Record: func(_, _, _ string) (dapclient.Recorder, error) { return frames, nil },
			}}), mcpserver.Options{})
			for _, mark := range []string{"hit", "other"} {
				c.Do("tracepoint_set", mcptest.Args{
					"file": source, "line": fixtures.Mark(t, "crowd", mark), "log_message": mark + " {worker} {i}", "strategy": "stop",
				})
			}
			runLive(t, c, program, itoa(workers), itoa(passes))
			var counted int
			_, err := fmt.Sscanf(strings.TrimSpace(c.Do("process_read_output", mcptest.Args{"tail_lines": 10}).
				String("stdout")), "counted %d", &counted)
			require.NoError(t, err)
			require.Equal(t, (workers+2)*passes, counted)
			hits := c.AwaitNotifications("debugger/breakpointHit", counted)
			seen := map[string]bool{}
			for _, h := range hits {
				require.False(t, seen[h.String("logMessage")], "told twice: %s", h.Raw)
				seen[h.String("logMessage")] = true
			}
			require.Len(t, seen, counted)
			frames.mu.Lock()
			defer frames.mu.Unlock()
			require.Greater(t, frames.stops, 2*passes)
			t.Logf("%d stops, alone at %d, %d lists of threads", frames.stops, frames.alone, frames.listed)
			require.NotZero(t, frames.alone)
			require.Less(t, frames.listed, frames.stops)
		})
	}
}
