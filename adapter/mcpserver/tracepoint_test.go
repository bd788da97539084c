package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

const loopFile = "/src/LoopApp/Program.cs"

// backends are the four fake shapes with their profiles.
var backends = []struct {
	profile string
	shape   func() daptest.Shape
}{
	{"netcoredbg", daptest.Netcoredbg},
	{"dlv", daptest.Delve},
	{"lldb-dap", daptest.LLDB},
	{"debugpy", daptest.Debugpy},
}

// eachBackend runs a test on a fake of each shape.
func eachBackend(t *testing.T, f func(t *testing.T, profile string, shape daptest.Shape)) {
	for _, b := range backends {
		t.Run(b.profile, func(t *testing.T) { f(t, b.profile, b.shape()) })
	}
}

// messages returns the log messages of a tracepoint's notifications received so far.
func messages(c *mcptest.Client, id string) []string {
	var out []string
	for _, n := range c.Notifications("debugger/breakpointHit") {
		if n.String("breakpointId") == id {
			out = append(out, n.String("logMessage"))
		}
	}
	return out
}

// runToEnd launches the program and waits for its end.
func runToEnd(t *testing.T, c *mcptest.Client) {
	t.Helper()
	r := c.Do("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll", "stop_at_entry": false})
	if r.String("session.state") == "running" {
		require.Equal(t, "exited", c.Do("breakpoint_wait", nil).String("reason"))
	} else {
		require.Equal(t, "terminated", r.String("session.state"), "a tracepoint must not stop the program: %s", r.Raw)
	}
}

func TestTracepointInALoopDoesNotPause(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		strategies := []string{"stop", "auto"}
		if profile == "debugpy" {
			strategies = strategies[:1] // the helper of a native one is Python, which the fake does not run: live test
		}
		for _, strategy := range strategies {
			m, fakes := mcptest.Fake(t, profile, shape, loop(10))
			c := mcptest.Serve(t, m, mcpserver.Options{})
			r := c.Do("tracepoint_set", mcptest.Args{
				"file": loopFile, "line": 10, "log_message": "i is {i}, square {square}, {{i}}", "strategy": strategy,
			})
			id := r.String("breakpoint.id")
			require.Equal(t, []string{"debugger/breakpointHit", "events_query"}, r.Strings("hitsVia"))
			runToEnd(t, c)
			got := messages(c, id)
			require.Len(t, got, 10)
			for i, text := range got {
				require.Equal(t, fmt.Sprintf("i is %d, square %d, {i}", i, i*i), text)
			}
			// No state change was reported for it.
			for _, n := range c.Notifications("debugger/sessionStateChanged") {
				require.NotEqual(t, "paused", n.String("newState"), "%s", n.Raw)
			}
			hits := c.Do("events_query", mcptest.Args{"types": []string{"tracepoint"}})
			require.Equal(t, 10, hits.Len("events"))
			require.Equal(t, 10, hits.Int("events.9.hitCount"))
			place := "places." + hits.String("events.9.breakpointId")
			require.Equal(t, loopFile, hits.String(place+".file"))
			require.False(t, hits.Has("events.9.location"), "%s", hits.Raw)
			if strategy == "stop" {
				require.Equal(t, 10, fakes.Last().Count("continue"))
			} else if profile == "dlv" {
				require.Zero(t, fakes.Last().Count("continue"), "native log points need none")
			}
			// The program's output has no text of log points.
			require.NotContains(t, string(c.Do("process_read_output", nil).Raw), "\\u001e")
		}
	})
}

func TestTracepointExpressions(t *testing.T) {
	program := loop(1)
	program.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
		switch call.Expression {
		case "x+y":
			return daptest.Var{Value: "3", Type: "int"}, true
		case "list.Count":
			return daptest.Var{Value: "5", Type: "int"}, true
		case `name["}{"]`:
			return daptest.Var{Value: `"a \"quoted\" text"`, Type: "string"}, true
		case "missing":
			return daptest.Var{Value: "null", Type: "object"}, true
		case "missing.Name":
			return daptest.Var{Err: "error: The name 'missing.Name' does not exist in the current context"}, true
		case "unknown.Name", "unknown":
			return daptest.Var{Err: "error: The name '" + call.Expression + "' does not exist in the current context"}, true
		case "Thrower":
			return daptest.Var{Value: "{System.InvalidOperationException: boom}", Type: "System.InvalidOperationException"}, true
		case "$exception.InnerException":
			return daptest.Var{Value: "{System.FormatException}", Type: "System.FormatException"}, true
		}
		return daptest.Var{}, false
	}
	for _, tc := range []struct{ message, want string }{
		{"{x+y}", "3"},
		{"{list.Count} items", "5 items"},
		{`{name["}{"]}`, `a "quoted" text`},
		{"{{{x+y}}}", "{3}"},
		{"{{literal}}", "{literal}"},
		{"{missing.Name} goes on {x+y}", "<error: NullReferenceException> goes on 3"},
		{"{unknown.Name}", "<error: netcoredbg does not know unknown; it is no variable of this frame, and types " +
			"need their full name with the namespace, as in System.Math.Max(1, 2)>"},
		{"{Thrower}", "<error: InvalidOperationException>"},
		{"{$exception.InnerException}", "{System.FormatException}"},
		{"{x+y}{x+y}", "33"},
		{"no expression", "no expression"},
	} {
		t.Run(tc.message, func(t *testing.T) {
			m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
			c := mcptest.Serve(t, m, mcpserver.Options{})
			id := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": tc.message}).
				String("breakpoint.id")
			runToEnd(t, c)
			require.Equal(t, []string{tc.want}, messages(c, id))
			if tc.message == "{x+y}{x+y}" {
				require.Equal(t, 1, fakes.Last().Count("evaluate"), "an expression that occurs twice is evaluated once")
			}
		})
	}
}

func TestTracepointFilters(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		m, fakes := mcptest.Fake(t, profile, shape, loop(500))
		c := mcptest.Serve(t, m, mcpserver.Options{})
		every := c.Do("tracepoint_set", mcptest.Args{
			"file": loopFile, "line": 10, "log_message": "{i}", "hit_count_multiple": 100, "strategy": "stop",
		}).String("breakpoint.id")
		limited := c.Do("tracepoint_set", mcptest.Args{
			"file": loopFile, "line": 11, "log_message": "{i}", "max_notifications": 10, "strategy": "stop",
		}).String("breakpoint.id")
		runToEnd(t, c)
		require.Equal(t, []string{"99", "199", "299", "399", "499"}, messages(c, every))
		require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, messages(c, limited))

		list := c.Do("breakpoint_list", nil)
		require.Equal(t, 500, list.Int("breakpoints.0.hitCount"))
		require.Equal(t, 5, list.Int("breakpoints.0.notificationsSent"))
		require.Equal(t, "disabled", list.String("breakpoints.1.state"))
		require.False(t, list.Bool("breakpoints.1.enabled"))
		require.Equal(t, 10, list.Int("breakpoints.1.hitCount"), "hits after the limit are not counted")
		// Removed from the backend: its last list of the file has one line.
		sent := fakes.Last().Requests("setBreakpoints")
		require.NotContains(t, string(sent[len(sent)-1].Arguments), `"line":11`)

		// Enabling it again allows ten more, in the next session too.
		c.Do("breakpoint_enable", mcptest.Args{"id": limited})
		runToEnd(t, c)
		require.Len(t, messages(c, limited), 20)
	})
}

func TestTracepointLimitWhileRunningAgain(t *testing.T) {
	gate, open := daptest.Gate()
	program := loop(10)
	code := program.Threads[0].Code
	program.Threads[0].Code = daptest.Seq(code,
		daptest.Lines(daptest.Step{File: loopFile, Line: 24, Func: "Main", Gate: gate}), code)
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{i}",
		"max_notifications": 4}).String("breakpoint.id")
	c.Do("debug_launch", mcptest.Args{"program": "/x.dll", "stop_at_entry": false})
	c.AwaitNotifications("debugger/breakpointHit", 4)
	r := c.Do("breakpoint_enable", mcptest.Args{"id": id})
	require.Equal(t, "bound", r.String("breakpoint.state"))
	open()
	require.Equal(t, "exited", c.Do("breakpoint_wait", nil).String("reason"))
	require.Equal(t, []string{"0", "1", "2", "3", "0", "1", "2", "3"}, messages(c, id))
}

func TestTracepointConditions(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		m, _ := mcptest.Fake(t, profile, shape, loop(10))
		c := mcptest.Serve(t, m, mcpserver.Options{})
		alone := c.Do("tracepoint_set", mcptest.Args{
			"file": loopFile, "line": 9, "log_message": "{i}", "condition": "i >= 7", "strategy": "stop",
		}).String("breakpoint.id")
		// Two on one line, each with its own condition and counts.
		low := c.Do("tracepoint_set", mcptest.Args{
			"file": loopFile, "line": 10, "log_message": "low {i}", "condition": "i < 2", "strategy": "stop",
		}).String("breakpoint.id")
		high := c.Do("tracepoint_set", mcptest.Args{
			"file": loopFile, "line": 10, "log_message": "high {i}", "condition": "i > 8", "strategy": "stop",
		}).String("breakpoint.id")
		require.NotEqual(t, low, high)
		runToEnd(t, c)
		require.Equal(t, []string{"7", "8", "9"}, messages(c, alone))
		require.Equal(t, []string{"low 0", "low 1"}, messages(c, low))
		require.Equal(t, []string{"high 9"}, messages(c, high))
		list := c.Do("breakpoint_list", nil)
		for i, want := range []int{3, 2, 1} {
			require.Equal(t, want, list.Int(fmt.Sprintf("breakpoints.%d.hitCount", i)), "%s", list.Raw)
		}
	})
}

// A condition that cannot be evaluated stops the program at a breakpoint, never at a tracepoint.
func TestConditionErrors(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		m, _ := mcptest.Fake(t, profile, shape, loop(2))
		c := mcptest.Serve(t, m, mcpserver.Options{})
		tp := c.Do("tracepoint_set", mcptest.Args{
			"file": loopFile, "line": 9, "log_message": "i={i}", "condition": "nosuch > 1", "strategy": "stop",
		}).String("breakpoint.id")
		bp := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10, "condition": "nosuch > 1"}).
			String("breakpoint.id")
		r := c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
		require.Equal(t, []string{bp}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
		require.Equal(t, "breakpoint", r.String("stop.reason"))
		require.Contains(t, r.String("stop.conditionError"), "nosuch")
		got := messages(c, tp)
		require.Len(t, got, 1)
		require.True(t, strings.HasPrefix(got[0], "<error: "), got[0])
		require.Contains(t, got[0], "nosuch")
		require.True(t, strings.HasSuffix(got[0], "i=0"), got[0])
		list := c.Do("breakpoint_list", nil)
		require.Contains(t, list.String("breakpoints.1.message"), "nosuch")
		// A result that is not a boolean is an error too.
		c.Do("breakpoint_remove", mcptest.Args{"all": true})
		if profile != "debugpy" && profile != "lldb-dap" { // there every value has a truth value
			c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10, "condition": "i"})
			r = c.Do("debug_continue", mcptest.Args{"wait": true})
			require.NotEmpty(t, r.String("stop.conditionError"), "%s", r.Raw)
		}
	})
}

func TestBlockingAndTracepointOnOneLineDoBoth(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		m, _ := mcptest.Fake(t, profile, shape, loop(4))
		c := mcptest.Serve(t, m, mcpserver.Options{})
		bp := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10, "hit_condition": "%2"}).
			String("breakpoint.id")
		tp := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{i}"}).String("breakpoint.id")
		r := c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
		require.Equal(t, []string{bp}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
		require.Equal(t, 2, r.Int("stop.hitCount"))
		require.Equal(t, []string{"0", "1"}, messages(c, tp))
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, 4, r.Int("stop.hitCount"))
		require.Equal(t, []string{"0", "1", "2", "3"}, messages(c, tp))
		require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
	})
}

// Two tracepoints and a breakpoint of several threads in one stop, which each backend reports in its own way.
func TestSeveralHitsInOneStop(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		line := func(n int, fn string) daptest.Step {
			return daptest.Step{File: loopFile, Line: n, Func: fn, Vars: []daptest.Var{{Name: "n", Value: itoa(n), Type: "int"}}}
		}
		program := daptest.Program{Threads: []daptest.Thread{
			{Code: daptest.Lines(line(1, "a"), line(10, "a"), line(2, "a"))},
			{Code: daptest.Lines(line(1, "b"), line(20, "b"), line(2, "b"))},
			{Code: daptest.Lines(line(1, "c"), line(10, "c"), line(2, "c"))},
		}}
		m, _ := mcptest.Fake(t, profile, shape, program)
		c := mcptest.Serve(t, m, mcpserver.Options{})
		tp := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{n}",
			"strategy": "stop"}).String("breakpoint.id")
		bp := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 20}).String("breakpoint.id")
		r := c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
		require.Equal(t, []string{bp}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
		require.Equal(t, 20, r.Int("stop.location.line"))
		require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
		require.Equal(t, []string{"10", "10"}, messages(c, tp))
		threads := map[int]bool{}
		for _, n := range c.Notifications("debugger/breakpointHit") {
			threads[n.Int("threadId")] = true
		}
		require.Len(t, threads, 3, "each hit has its own thread")
		list := c.Do("breakpoint_list", nil)
		require.Equal(t, 2, list.Int("breakpoints.0.hitCount"))
		require.Equal(t, 1, list.Int("breakpoints.1.hitCount"))
	})
}

// A stop reported while another one is served is served before a resume.
func TestStopWhileAnotherIsServed(t *testing.T) {
	line := func(n int, fn string) daptest.Step {
		return daptest.Step{File: loopFile, Line: n, Func: fn, Vars: []daptest.Var{{Name: "n", Value: itoa(n), Type: "int"}}}
	}
	program := daptest.Program{Threads: []daptest.Thread{
		{Code: daptest.Lines(line(1, "a"), line(10, "a"), line(2, "a"))},
		{Code: daptest.Lines(line(1, "b"), line(5, "b"), line(6, "b"))},
	}}
	for _, kind := range []string{"tracepoint_set", "breakpoint_set"} {
		t.Run(kind, func(t *testing.T) {
			m, fakes := mcptest.Fake(t, "lldb-dap", daptest.LLDB(), program, func(a *daptest.Adapter) {
				a.Once("stackTrace", daptest.Action{After: []string{
					`{"seq":0,"type":"event","event":"stopped","body":{"reason":"breakpoint","threadId":` +
						itoa(a.ThreadID(0)) + `,"allThreadsStopped":true}}`}})
			})
			c := mcptest.Serve(t, m, mcpserver.Options{})
			// rewritten for this backend: serving it takes some time
			args := mcptest.Args{"file": loopFile, "line": 10, "condition": "n == 10"}
			id := c.Do(kind, args).String("breakpoint.id")
			if kind == "tracepoint_set" {
				runToEnd(t, c)
				require.Equal(t, 1, fakes.Last().Count("continue"), "one resume for both")
			} else {
				r := launch(c)
				require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
			}
			require.Equal(t, 2, c.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"), "each told stop is a hit")
		})
	}
}

// 20 tracepoints, 4 threads, 10,000 hits, and a client that does not read for some time: nothing is lost and the
// program does not wait.
func TestStormAndASlowClient(t *testing.T) {
	threads := make([]daptest.Thread, 4)
	for n := range threads {
		threads[n].Code = daptest.Code{Len: 2500, At: func(i int) daptest.Step {
			return daptest.Step{
				File: loopFile, Line: 1 + i%20, Func: "storm",
				Vars: []daptest.Var{{Name: "i", Value: itoa(i), Type: "int"}},
			}
		}}
	}
	for _, b := range []int{0, 1, 2} {
		t.Run(backends[b].profile, func(t *testing.T) {
			m, _ := mcptest.Fake(t, backends[b].profile, backends[b].shape(), daptest.Program{Threads: threads})
			c := mcptest.Serve(t, m, mcpserver.Options{})
			for line := range 20 {
				c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": line + 1, "log_message": "{i}", "strategy": "stop"})
			}
			begin := c.BeginCall("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false})
			c.AwaitNotifications("debugger/breakpointHit", 100)
			c.PauseReading(true)
			session := m.Sessions()
			require.NotEmpty(t, session)
			<-session[0].Ended() // the program runs to its end although the client does not read
			c.PauseReading(false)
			c.AwaitCall(begin)
			hits := c.AwaitNotifications("debugger/breakpointHit", 10_000)
			require.Len(t, hits, 10_000)
			last := 0
			next := map[int]int{}
			for _, h := range hits {
				require.Greater(t, h.Int("seq"), last, "in order")
				require.False(t, h.Has("missed"))
				last = h.Int("seq")
				thread := h.Int("threadId")
				require.Equal(t, itoa(next[thread]), h.String("logMessage"), "each thread's own order")
				next[thread]++
			}
		})
	}
}

// A failed resume makes the stop visible.
func TestSilentResumeThatFails(t *testing.T) {
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(3), func(a *daptest.Adapter) {
		a.Once("continue", daptest.Fail("Failed command 'continue' : 0x80004005"))
	})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{i}"}).String("breakpoint.id")
	r := c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x.dll", "stop_at_entry": false}))
	require.Equal(t, "resume_failed", r.String("stop.reason"), "%s", r.Raw)
	require.Equal(t, 10, r.Int("stop.location.line"))
	require.Equal(t, []string{"0"}, messages(c, id))
	require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
	require.Equal(t, []string{"0", "1", "2"}, messages(c, id))
}

// Pipelining: values are requested together with the frame only when nothing can be evaluated at the wrong place.
func TestPipelining(t *testing.T) {
	for _, tc := range []struct {
		name string
		set  func(c *mcptest.Client)
		want bool
	}{
		{"one tracepoint", func(c *mcptest.Client) {
			c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{i}"})
		}, true},
		{"with a condition that the backend decides", func(c *mcptest.Client) {
			c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{i}", "condition": "i >= 0"})
		}, true},
		{"another breakpoint", func(c *mcptest.Client) {
			c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{i}"})
			c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 999})
		}, false},
		{"two on the line", func(c *mcptest.Client) {
			c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{i}"})
			c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "again {i}"})
		}, false},
		{"the next hit is not told", func(c *mcptest.Client) {
			c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{i}", "hit_count_multiple": 50})
		}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(20))
			c := mcptest.Serve(t, m, mcpserver.Options{})
			tc.set(c)
			runToEnd(t, c)
			early := false
			for _, r := range fakes.Last().Requests("evaluate") {
				if !strings.Contains(string(r.Arguments), "frameId") {
					early = true
				}
			}
			require.Equal(t, tc.want, early)
		})
	}
}

func TestTracepointBadMessages(t *testing.T) {
	m := adapter.NewManager(adapter.Options{Backends: adapter.BackendOptions{Default: "x",
		Custom: map[string]adapter.Backend{"x": {}}}})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	for _, message := range []string{"{", "{}", "{a", "}", "{(}", "a {  } b"} {
		c.Refused(fault.InvalidParameter, "tracepoint_set",
			mcptest.Args{"file": loopFile, "line": 10, "log_message": message})
	}
	c.Refused(fault.InvalidCondition, "tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "condition": " "})
	require.Zero(t, c.Do("breakpoint_list", nil).Int("count"), "nothing is left behind")
}
