package mcpserver_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// debugpy's helper reports the hits that it has sent before the program ends. The session confirms the report, and
// tells what has not come; without a report nobody knows how much that is.
func TestLostHits(t *testing.T) {
	const hit = `{"category":"stdout","source":{},"output":"\u001eTtp-1\u001f[5,\"MainThread\",null,` +
		`[[1,\"7\"]]]\u001e\n"}`
	for name, test := range map[string]struct {
		report string
		events int
		lost   int
	}{
		"all came":  {`{\"tp-1\": 3}`, 0, 0},
		"two lost":  {`{\"tp-1\": 5}`, 1, 2},
		"no report": {"", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			gate, open := daptest.Gate()
			defer open()
			s := serve(t, "debugpy", daptest.Debugpy(), sleeper(gate))
			s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 3, "log_message": "{x}"})
			s.launch(t)
			for range 3 {
				s.adapter().Event("output", hit)
			}
			if test.report != "" {
				s.adapter().Event("output", `{"category":"stdout","source":{},"output":"\u001eEhits\u001f`+test.report+
					`\u001e\n"}`)
				s.adapter().WaitFor("setDebuggerProperty")
			}
			open()
			r := s.Do("breakpoint_wait", nil)
			require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
			require.Equal(t, test.events > 0, r.Bool("session.hitsLost"), "%s", r.Raw)
			require.Equal(t, 3, s.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"))
			r = s.Do("events_query", mcptest.Args{"types": []string{"lost"}})
			require.Equal(t, test.events, r.Len("events"), "%s", r.Raw)
			if test.events > 0 {
				require.Equal(t, "hits", r.String("events.0.what"))
				require.Equal(t, test.lost, r.Int("events.0.count"), "%s", r.Raw)
				require.Equal(t, test.report != "", r.String("events.0.breakpointId") == "tp-1")
			}
			require.NotContains(t, printed(s.Client, "both"), "hits")
		})
	}
}

// With the real debugpy, all hits of a program that ends at once are counted, however it ends by itself; a program that
// is killed is told to have lost some.
func TestLiveHitsAtTheEndOfPython(t *testing.T) {
	const loop = "s = 0\nfor i in range(4000):\n    s += i  # 3\n"
	for name, test := range map[string]struct {
		end  string
		all  bool
		code int
	}{
		"end":     {"", true, 0},
		"_exit":   {"import os\nos._exit(3)\n", true, 3},
		"killed":  {"import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", false, 0},
		"threads": {"import threading\nt = threading.Thread(target=lambda: None)\nt.start()\nt.join()\n", true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c, file := livePython(t, loop+test.end)
			c.Do("tracepoint_set", mcptest.Args{"file": file, "line": 3, "log_message": "{i}"})
			r := toFirstStop(c, file)
			for r.String("reason") == "timeout" {
				r = c.Do("breakpoint_wait", nil)
			}
			count := c.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount")
			lost := c.Do("events_query", mcptest.Args{"types": []string{"lost"}}).Len("events")
			if !test.all {
				require.LessOrEqual(t, count, 4000)
				require.True(t, r.Bool("session.hitsLost"), "%s", r.Raw)
				require.Equal(t, 1, lost)
				return
			}
			require.Equal(t, 4000, count)
			require.Zero(t, lost)
			require.Equal(t, test.code, r.Int("session.exitCode"), "%s", r.Raw)
		})
	}
}

// A native tracepoint that has reached its limit stays in Delve until the next stop, since a change in the running
// program would repeat hits. Its further hits are neither told nor counted. lldb-dap removes it at once.
func TestNativeLimit(t *testing.T) {
	for name, shape := range map[string]daptest.Shape{"dlv": daptest.Delve(), "lldb-dap": daptest.LLDB()} {
		gate, open := daptest.Gate()
		defer open()
		line := func(n int) daptest.Step { return daptest.Step{File: source, Line: n, Func: "main.main"} }
		held := line(20)
		held.Gate = gate
		s := serve(t, name, shape, daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
			line(9), line(10), line(10), line(10), held, line(10), line(11))}}})
		s.launchTo(t, 9)
		s.breakAt(11)
		s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 10, "max_notifications": 2, "strategy": "native"})
		s.Do("debug_continue", nil)
		limited := func() mcptest.Result { return s.Do("breakpoint_list", nil).At("breakpoints.2") }
		require.Eventually(t, func() bool {
			return limited().String("state") == "disabled"
		}, mcptest.Patience, time.Millisecond)
		set := s.adapter().Count("setBreakpoints")
		open()
		r := s.Do("breakpoint_wait", nil)
		require.Equal(t, 11, r.Int("stop.location.line"), "%s", r.Raw)
		require.Equal(t, 2, limited().Int("hitCount"))
		require.Len(t, s.Do("events_query", mcptest.Args{"types": []string{"tracepoint"}}).Get("events"), 2)
		if name == "dlv" {
			require.Equal(t, set+1, s.adapter().Count("setBreakpoints"), "at the stop")
		}
	}
}

// With the real Delve, the hits of a native tracepoint are exact although another one reaches its limit meanwhile.
func TestLiveNativeLimit(t *testing.T) {
	folder := t.TempDir()
	source := writeGo(t, folder, `package main

import "sync"

var total [4]int

func work(n int) {
	for i := 0; i < 100; i++ {
		total[n] += i // line 9
		if i%5 == 0 {
			total[n]++ // line 11
		}
	}
}

func main() {
	var wg sync.WaitGroup
	for n := 0; n < 4; n++ {
		wg.Add(1)
		go func(n int) { work(n); wg.Done() }(n)
	}
	wg.Wait()
}
`)
	for range 3 {
		c := liveDelve(t)
		c.Do("tracepoint_set", mcptest.Args{"file": source, "line": 9, "log_message": "{n}"})
		c.Do("tracepoint_set", mcptest.Args{"file": source, "line": 11, "max_notifications": 7, "strategy": "native"})
		runLive(t, c, folder)
		r := c.Do("breakpoint_list", nil)
		require.Equal(t, 400, r.Int("breakpoints.0.hitCount"))
		require.Equal(t, 7, r.Int("breakpoints.1.hitCount"))
		require.Equal(t, "disabled", r.String("breakpoints.1.state"))
	}
}
