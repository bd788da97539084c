package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// start starts the program.
func start(c *mcptest.Client) mcptest.Result {
	return c.Do("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll", "stop_at_entry": false})
}

// launch starts the program and waits for its first stop or its end.
func launch(c *mcptest.Client) mcptest.Result { return c.Settled(start(c)) }

func next(c *mcptest.Client) mcptest.Result {
	return c.Do("debug_continue", mcptest.Args{"wait": true})
}

func TestBreakpointIdentity(t *testing.T) {
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(1))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	set := func(tool string, args mcptest.Args) mcptest.Result {
		full := mcptest.Args{"file": loopFile, "line": 10}
		for k, v := range args {
			full[k] = v
		}
		return c.Do(tool, full)
	}
	first := set("breakpoint_set", nil)
	require.Equal(t, "bp-1", first.String("breakpoint.id"))
	require.False(t, first.Bool("duplicate"))
	again := set("breakpoint_set", mcptest.Args{"condition": "i > 1", "hit_condition": 3})
	require.Equal(t, "bp-1", again.String("breakpoint.id"))
	require.True(t, again.Bool("duplicate"))
	require.Equal(t, "i > 1", again.String("breakpoint.condition"))
	require.Equal(t, "3", again.String("breakpoint.hitCondition"))

	tp := set("tracepoint_set", mcptest.Args{"log_message": "a"})
	require.Equal(t, "tp-2", tp.String("breakpoint.id"))
	require.True(t, set("tracepoint_set", mcptest.Args{"log_message": "a"}).Bool("duplicate"))
	require.Equal(t, "tp-3", set("tracepoint_set", mcptest.Args{"log_message": "b"}).String("breakpoint.id"))
	require.Equal(t, "tp-4", set("tracepoint_set", mcptest.Args{"log_message": "a", "max_notifications": 1}).
		String("breakpoint.id"))

	fn := c.Do("breakpoint_set_function", mcptest.Args{"function": "Work"})
	require.True(t, c.Do("breakpoint_set_function", mcptest.Args{"function": "Work", "condition": "i > 0"}).
		Bool("duplicate"))
	require.Equal(t, "bp-5", fn.String("breakpoint.id"))
	ex := c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "*"})
	require.Equal(t, "ebp-6", ex.String("breakpoint.id"))
	require.Equal(t, 6, c.Do("breakpoint_list", nil).Int("count"))

	// Ids are never reused.
	require.Len(t, c.Do("breakpoint_remove", mcptest.Args{"all": true}).Strings("removed"), 6)
	require.Equal(t, "bp-7", set("breakpoint_set", nil).String("breakpoint.id"))
	c.Refused(fault.BreakpointNotFound, "breakpoint_remove", mcptest.Args{"id": "bp-1"})
	c.Refused(fault.BreakpointNotFound, "breakpoint_enable", mcptest.Args{"id": "bp-1"})
	c.Refused(fault.InvalidParameter, "breakpoint_remove", nil)
}

func TestHitConditions(t *testing.T) {
	for _, tc := range []struct {
		condition string
		stops     []int
	}{
		{"3", []int{3}},
		{"==3", []int{3}},
		{">=3", []int{3, 4, 5}},
		{">3", []int{4, 5}},
		{"<3", []int{1, 2}},
		{"<=3", []int{1, 2, 3}},
		{"%2", []int{2, 4}},
		{" % 2 ", []int{2, 4}},
	} {
		t.Run(tc.condition, func(t *testing.T) {
			eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
				m, fakes := mcptest.Fake(t, profile, shape, loop(5))
				c := mcptest.Serve(t, m, mcpserver.Options{})
				c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10, "hit_condition": tc.condition})
				var got []int
				r := start(c)
				if r.String("session.state") == "running" {
					r = c.Do("breakpoint_wait", nil)
				}
				for r.Has("stop") {
					got = append(got, r.Int("stop.hitCount"))
					r = next(c)
				}
				require.Equal(t, tc.stops, got)
				require.Equal(t, 5, c.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"), "all passes are counted")
				for _, sent := range fakes.Last().Requests("setBreakpoints") {
					require.NotContains(t, string(sent.Arguments), "hitCondition", "hit conditions are the session's own")
				}
			})
		})
	}
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(1))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	for _, bad := range []string{"", "x", "3 3", "!=3", "%0", "-1", ">"} {
		c.Refused(fault.InvalidCondition, "breakpoint_set",
			mcptest.Args{"file": loopFile, "line": 10, "hit_condition": bad})
	}
	require.Zero(t, c.Do("breakpoint_list", nil).Int("count"))
}

// Conditions are sent to the backend only for a breakpoint that is alone on its line.
func TestConditionsArePushedDownWhenAlone(t *testing.T) {
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(4))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	low := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10, "condition": "i == 2"}).
		String("breakpoint.id")
	r := launch(c)
	require.Equal(t, []string{low}, r.Strings("stop.breakpointIds"))
	require.Equal(t, 1, r.Int("stop.hitCount"), "only what the condition lets through is a hit")
	require.Contains(t, string(fakes.Last().Requests("setBreakpoints")[0].Arguments), `"condition":"i == 2"`)

	tp := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "{i}"}).String("breakpoint.id")
	sent := fakes.Last().Requests("setBreakpoints")
	require.NotContains(t, string(sent[len(sent)-1].Arguments), "condition", "two on the line: the session decides")
	require.Equal(t, "exited", next(c).String("reason"))
	require.Equal(t, []string{"3"}, messages(c, tp))
}

func TestBreakpointsInEveryState(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		gate, open := daptest.Gate()
		program := loop(3)
		program.Threads[0].Code = daptest.Seq(daptest.Lines(
			daptest.Step{File: loopFile, Line: 15, Func: "Main"},
			daptest.Step{File: loopFile, Line: 16, Func: "Main", Gate: gate}), program.Threads[0].Code)
		m, _ := mcptest.Fake(t, profile, shape, program)
		c := mcptest.Serve(t, m, mcpserver.Options{})

		// Before the launch.
		id := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10}).String("breakpoint.id")
		require.Equal(t, "pending", c.Do("breakpoint_list", nil).String("breakpoints.0.state"))
		require.Equal(t, "disabled", c.Do("breakpoint_enable", mcptest.Args{"id": id, "enabled": false}).
			String("breakpoint.state"))

		// Running.
		require.Equal(t, "running", start(c).String("session.state"))
		other := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 22}).String("breakpoint.id")
		require.Equal(t, "bound", c.Do("breakpoint_enable", mcptest.Args{"id": id}).String("breakpoint.state"))
		open()
		r := c.Do("breakpoint_wait", nil)
		require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"))

		// Paused.
		c.Do("breakpoint_remove", mcptest.Args{"id": other})
		require.Equal(t, []string{id}, next(c).Strings("stop.breakpointIds"))
		c.Do("breakpoint_enable", mcptest.Args{"id": id, "enabled": false})
		require.Equal(t, "exited", next(c).String("reason"))

		// After the end everything is still there, and the counts can be read.
		list := c.Do("breakpoint_list", nil)
		require.Equal(t, 1, list.Int("count"))
		require.Equal(t, 2, list.Int("breakpoints.0.hitCount"))
		require.Equal(t, "disabled", list.String("breakpoints.0.state"))
		c.Do("breakpoint_enable", mcptest.Args{"id": id})

		// Counts restart with each session.
		r = launch(c)
		require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"))
		require.Equal(t, 1, r.Int("stop.hitCount"))
	})
}

// Only the breakpoint that is hit notifies, and the notification and the wait have the same seq.
func TestOnlyTheHitBreakpointNotifies(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		m, _ := mcptest.Fake(t, profile, shape, loop(1))
		c := mcptest.Serve(t, m, mcpserver.Options{})
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 99})
		// same name, same line, another file
		c.Do("breakpoint_set", mcptest.Args{"file": "/src/Other/Program.cs", "line": 10})
		id := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10}).String("breakpoint.id")
		wait := launch(c)
		require.Equal(t, []string{id}, wait.Strings("stop.breakpointIds"))
		hits := c.AwaitNotifications("debugger/breakpointHit", 1)
		require.Len(t, hits, 1)
		require.Equal(t, id, hits[0].String("breakpointId"))
		require.Equal(t, "blocking", hits[0].String("type"))
		require.Equal(t, wait.Int("stop.seq"), hits[0].Int("seq"))
		require.Equal(t, wait.Int("stop.threadId"), hits[0].Int("threadId"))
		require.Equal(t, 1, hits[0].Int("hitCount"))
		require.Equal(t, loopFile, hits[0].String("location.file"))
		require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, hits[0].String("timestamp"))
		require.False(t, hits[0].Has("logMessage"))
		r := c.Do("breakpoint_wait", nil)
		require.True(t, r.Bool("hit"))
		require.True(t, r.Bool("alreadySeen"))
		require.Equal(t, wait.Int("stop.seq"), r.Int("stop.seq"))
	})
}

func TestFunctionBreakpoints(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		m, _ := mcptest.Fake(t, profile, shape, loop(3))
		c := mcptest.Serve(t, m, mcpserver.Options{})
		r := c.Do("breakpoint_set_function", mcptest.Args{"function": "LoopApp.Program.Work", "hit_condition": ">=2"})
		id := r.String("breakpoint.id")
		require.Equal(t, "function", r.String("breakpoint.type"))
		r = launch(c)
		require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
		require.Equal(t, 2, r.Int("stop.hitCount"))
		require.Equal(t, "LoopApp.Program.Work()", r.String("stop.location.functionName"))
		require.Equal(t, 3, next(c).Int("stop.hitCount"))
		require.Equal(t, "exited", next(c).String("reason"))
	})
}

// A function breakpoint is at the function's beginning: a line breakpoint or a step inside is not a hit of it.
func TestFunctionBreakpointIsAtItsBeginning(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		m, _ := mcptest.Fake(t, profile, shape, loop(3))
		c := mcptest.Serve(t, m, mcpserver.Options{})
		function := c.Do("breakpoint_set_function", mcptest.Args{"function": "LoopApp.Program.Work"}).String("breakpoint.id")
		line := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 11}).String("breakpoint.id")
		r := launch(c)
		for i := range 3 {
			require.Equal(t, []string{function}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
			require.Equal(t, i+1, r.Int("stop.hitCount"))
			if r.Int("stop.location.line") < 10 {
				require.Equal(t, "step", c.Do("debug_step", nil).String("reason"))
			}
			r = next(c)
			require.Equal(t, []string{line}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
			require.Equal(t, i+1, r.Int("stop.hitCount"))
			r = next(c)
		}
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
	})
}

// A function breakpoint is hit at the function's beginning, not at other lines with breakpoints inside it.
func TestFunctionBreakpointsAmongLines(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		for _, first := range []int{9, 10} { // a breakpoint where the function begins, and one later
			m, _ := mcptest.Fake(t, profile, shape, loop(3))
			c := mcptest.Serve(t, m, mcpserver.Options{})
			function := c.Do("breakpoint_set_function", mcptest.Args{"function": "Work"}).String("breakpoint.id")
			line := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": first}).String("breakpoint.id")
			trace := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 11, "strategy": "stop"}).
				String("breakpoint.id")
			r := launch(c)
			for count := 1; count <= 3; count++ {
				if first == 9 {
					require.ElementsMatch(t, []string{function, line}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
				} else {
					require.Equal(t, []string{function}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
					r = next(c)
					require.Equal(t, []string{line}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
				}
				require.Equal(t, count, r.Int("stop.hitCount"))
				r = next(c)
			}
			require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
			hits := map[string]int{}
			list := c.Do("breakpoint_list", nil)
			for i := range list.Len("breakpoints") {
				b := list.At(fmt.Sprint("breakpoints.", i))
				hits[b.String("id")] = b.Int("hitCount")
			}
			require.Equal(t, map[string]int{function: 3, line: 3, trace: 3}, hits)
		}
	})
}

func TestRunTo(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		m, fakes := mcptest.Fake(t, profile, shape, loop(3))
		c := mcptest.Serve(t, m, mcpserver.Options{})
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 9, "hit_condition": "1"})
		require.Equal(t, 9, launch(c).Int("stop.location.line"))
		r := c.Do("debug_run_to", mcptest.Args{"file": loopFile, "line": 22})
		require.Equal(t, "run_to", r.String("reason"), "%s", r.Raw)
		require.True(t, r.Bool("reached"))
		require.Equal(t, 22, r.Int("stop.location.line"))
		require.Empty(t, r.Strings("stop.breakpointIds"))

		// Another stop on the way ends it, and the temporary breakpoint is removed too.
		bp := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 11}).String("breakpoint.id")
		r = c.Do("debug_run_to", mcptest.Args{"file": loopFile, "line": 22})
		require.False(t, r.Bool("reached"))
		require.Equal(t, []string{bp}, r.Strings("stop.breakpointIds"))
		c.Do("breakpoint_remove", mcptest.Args{"all": true})
		r = next(c)
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
		sent := fakes.Last().Requests("setBreakpoints")
		require.Contains(t, string(sent[len(sent)-1].Arguments), `"breakpoints":[]`)
		require.Empty(t, c.Do("breakpoint_list", nil).Strings("breakpoints"))
	})
}

// A stop that no breakpoint explains is reported, unless its breakpoint was just removed.
func TestUnexplainedStops(t *testing.T) {
	program := loop(2)
	code := program.Threads[0].Code
	program.Threads[0].Code = daptest.Seq(daptest.Lines(daptest.Step{File: loopFile, Line: 3, Func: "Main",
		Break: true}), code)
	m, _ := mcptest.Fake(t, "dlv", daptest.Delve(), program)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	r := launch(c)
	require.Equal(t, "paused", r.String("session.state"))
	require.Empty(t, r.Strings("stop.breakpointIds"))
	require.Equal(t, "exited", next(c).String("reason"))
}

// A hit under way when its breakpoint is removed is not reported: the program resumes.
func TestStopOfARemovedBreakpoint(t *testing.T) {
	gate, open := daptest.Gate()
	program := loop(1)
	program.Threads[0].Code = daptest.Seq(
		daptest.Lines(daptest.Step{File: loopFile, Line: 15, Func: "Main"},
			daptest.Step{File: loopFile, Line: 16, Func: "Main", Gate: gate}), program.Threads[0].Code)
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program, func(a *daptest.Adapter) {
		n := 0
		a.OnRequest("setBreakpoints", func(*dapclient.Message) daptest.Action {
			if n++; n == 2 { // the request that removes it crosses with a hit
				return daptest.Action{Before: []string{`{"seq":"1000","type":"event","event":"stopped",` +
					`"body":{"reason":"breakpoint","threadId":4242,"allThreadsStopped":true}}`}}
			}
			return daptest.Action{}
		})
		a.OnRequest("stackTrace", func(m *dapclient.Message) daptest.Action {
			return daptest.Raw(`{"seq":"1001","type":"response","command":"stackTrace","success":true,"request_seq":` +
				itoa(m.Seq) +
				`,"body":{"stackFrames":[{"id":7,"name":"Work","line":10,"column":1,"source":{"name":"Program.cs",` +
				`"path":"` + loopFile + `"}}],"totalFrames":1}}`)
		})
		a.OnRequest("continue", func(m *dapclient.Message) daptest.Action {
			return daptest.Raw(`{"seq":"1002","type":"response","command":"continue","success":true,"request_seq":` +
				itoa(m.Seq) + `,"body":{}}`)
		})
	})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10}).String("breakpoint.id")
	require.Equal(t, "running", start(c).String("session.state"))
	c.Do("breakpoint_remove", mcptest.Args{"id": id})
	fakes.Last().WaitFor("continue")
	open()
	require.Equal(t, "exited", c.Do("breakpoint_wait", nil).String("reason"))
	require.Empty(t, c.Notifications("debugger/breakpointHit"))
	for _, n := range c.Notifications("debugger/sessionStateChanged") {
		require.NotEqual(t, "paused", n.String("newState"))
	}
}

func TestInvalidLinesLeaveNothingBehind(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("x\n", 10)), 0o600))

	// A file with fewer lines, for any backend.
	local := adapter.NewManager(adapter.Options{ProjectRoot: dir})
	c := mcptest.Serve(t, local, mcpserver.Options{})
	r := c.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": "main.go", "line": 11})
	require.Equal(t, 10, r.Int("error.details.totalLines"))
	c.Refused(fault.InvalidFile, "breakpoint_set", mcptest.Args{"file": "nosuch.go", "line": 1})
	c.Refused(fault.InvalidFile, "tracepoint_set", mcptest.Args{"file": ".", "line": 1})
	require.Equal(t, file, c.Do("breakpoint_set", mcptest.Args{"file": "main.go", "line": 10}).String("breakpoint.file"))

	// A backend whose refusal is final.
	program := loop(2)
	program.Sources = map[string][]int{loopFile: {9, 10, 11, 21, 22}}
	m, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), program)
	c = mcptest.Serve(t, m, mcpserver.Options{})
	early := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 500}).String("breakpoint.id")
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	r = start(c)
	require.Equal(t, early, r.String("breakpoints.0.id"), "%s", r.Raw)
	require.Equal(t, "failed", r.String("breakpoints.0.state"))
	require.NotEmpty(t, r.String("breakpoints.0.message"))
	before := c.Do("breakpoint_list", nil).Int("count")
	c.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": loopFile, "line": 600})
	require.Equal(t, before, c.Do("breakpoint_list", nil).Int("count"))
	sent := fakes.Last().Requests("setBreakpoints")
	require.NotContains(t, string(sent[len(sent)-1].Arguments), "600")

	// A backend that may bind it later.
	m, _ = mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	c = mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	launch(c)
	require.Equal(t, "pending", c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 500}).
		String("breakpoint.state"))
}

// Late binding: the requested line stays, the bound line is reported, and the change is an event.
func TestLateBinding(t *testing.T) {
	program := loop(2)
	program.Sources = map[string][]int{loopFile: {9, 10, 11, 21, 22}}
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 7}).String("breakpoint.id")
	r := launch(c)
	require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
	require.Equal(t, 9, r.Int("stop.location.line"))
	list := c.Do("breakpoint_list", nil)
	require.Equal(t, 7, list.Int("breakpoints.0.line"))
	require.Equal(t, 9, list.Int("breakpoints.0.boundLine"))
	require.True(t, list.Bool("breakpoints.0.verified"))
}

// Breakpoints requested on two lines and bound to one are both hit.
func TestTwoLinesBoundToOne(t *testing.T) {
	program := loop(1)
	program.Sources = map[string][]int{loopFile: {9, 10, 11, 21, 22}}
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	a := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 7}).String("breakpoint.id")
	b := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 9}).String("breakpoint.id")
	r := launch(c)
	require.ElementsMatch(t, []string{a, b}, r.Strings("stop.breakpointIds"))
	hits := c.AwaitNotifications("debugger/breakpointHit", 2)
	require.Len(t, hits, 2)
	require.Equal(t, hits[0].Int("seq")+1, hits[1].Int("seq"), "consecutive")
	events := c.Do("events_query", mcptest.Args{"types": []string{"hit"}})
	require.Equal(t, 2, events.Len("events"))
	require.Equal(t, events.Int("events.0.seq"), events.Int("events.1.stopSeq"), "the same stop")
	// A wait gets one stop.
	require.Equal(t, "exited", next(c).String("reason"))
}

func TestNotSupported(t *testing.T) {
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(2))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	launch(c)
	r := c.Refused(fault.NotSupported, "breakpoint_set", mcptest.Args{"file": loopFile, "line": 11, "column": 5})
	for _, key := range []string{"feature", "missingCapability", "backend", "hint"} {
		require.NotEmpty(t, r.String("error.details."+key), key)
	}
	c.Refused(fault.NotSupported, "debug_disconnect", mcptest.Args{"terminate": false})
	require.Equal(t, "paused", c.Do("debug_state", nil).String("session.state"))
}

// lldb reports the hit of a breakpoint that it is still setting as a signal. Without a breakpoint there, the same
// signal is the program's own.
func TestHitReportedAsSignal(t *testing.T) {
	for line, want := range map[int]string{10: "breakpoint", 12: "exception"} {
		t.Run(want, func(t *testing.T) {
			step := daptest.Step{File: source, Line: 10, Func: "Work",
				Throws: &daptest.Exception{Type: "signal", Message: "signal SIGTRAP", Unhandled: true}}
			s := serve(t, "lldb-dap", daptest.LLDB(),
				daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(step)}}}, func(a *daptest.Adapter) {
					a.OnRequest("setBreakpoints", func(*dapclient.Message) daptest.Action { // it does not know it
						return daptest.Raw(fmt.Sprintf(`{"seq":0,"type":"response","request_seq":$seq,"success":true,`+
							`"command":"setBreakpoints","body":{"breakpoints":[{"id":1,"verified":true,"line":%d}]}}`, line))
					})
				})
			id := s.breakAt(line)
			s.launch(t)
			r := s.Do("debug_state", nil)
			require.Equal(t, want, r.String("stop.reason"), "%s", r.Raw)
			if want == "breakpoint" {
				require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"))
				require.Equal(t, 1, r.Int("stop.hitCount"))
				require.False(t, r.Has("stop.exception"))
			}
		})
	}
}

// An adapter that refuses function breakpoints, or returns no id for them, is asked once for each.
func TestFunctionBreakpointsRefused(t *testing.T) {
	for _, answer := range []string{`"success":false,"message":"no"`, `"success":true,"body":{"breakpoints":[]}`,
		`"success":true,"body":{"breakpoints":[{"verified":false}]}`} {
		t.Run(answer, func(t *testing.T) {
			s := serve(t, "lldb-dap", daptest.LLDB(), loop(1), func(a *daptest.Adapter) {
				a.OnRequest("setFunctionBreakpoints", func(m *dapclient.Message) daptest.Action {
					return daptest.Raw(fmt.Sprintf(`{"seq":0,"type":"response","command":"setFunctionBreakpoints",`+
						`"request_seq":%d,%s}`, m.Seq, answer))
				})
			})
			for _, function := range []string{"a", "b", "c"} {
				s.Do("breakpoint_set_function", mcptest.Args{"function": function})
			}
			s.launch(t)
			require.Equal(t, 3, s.adapter().Count("setFunctionBreakpoints"))
		})
	}
}

// Function breakpoints that share a place are sent with those of their file under one path, in any spelling of the
// debugger.
func TestFunctionsAtOnePlaceUseOnePath(t *testing.T) {
	const file = `C:\src\main.go`
	for _, lineFirst := range []bool{true, false} {
		gate, open := daptest.Gate()
		defer open()
		s := serve(t, "dlv", daptest.Delve(), sleeper(gate), func(a *daptest.Adapter) {
			answer := func(m *dapclient.Message, breakpoints string) daptest.Action {
				return daptest.Raw(fmt.Sprintf(`{"seq":0,"type":"response","command":%q,"request_seq":%d,`+
					`"success":true,"body":{"breakpoints":[%s]}}`, m.Name, m.Seq, breakpoints))
			}
			a.OnRequest("setBreakpoints", func(m *dapclient.Message) daptest.Action {
				return answer(m, `{"id":1,"verified":true,"line":3,"source":{"path":"C:/src/main.go"}}`)
			})
			a.OnRequest("setFunctionBreakpoints", func(m *dapclient.Message) daptest.Action {
				if strings.Contains(string(m.Arguments), "main.work") {
					return answer(m, `{"verified":false,"message":"Breakpoint exists at C:/src/main.go:3 at 4a0b2c"}`)
				}
				return answer(m, "")
			})
		})
		setLine := func() { s.Do("breakpoint_set", mcptest.Args{"file": file, "line": 3}) }
		if lineFirst {
			setLine()
		}
		s.Do("breakpoint_set_function", mcptest.Args{"function": "main.work"})
		s.launch(t)
		if !lineFirst {
			setLine()
		}
		paths := map[string]bool{}
		for _, m := range s.adapter().Requests("setBreakpoints") {
			var sent struct{ Source struct{ Path string } }
			require.NoError(t, json.Unmarshal(m.Arguments, &sent))
			paths[sent.Source.Path] = true
		}
		require.Len(t, paths, 1, "%v", paths)
		list := s.Do("breakpoint_list", nil)
		for i := range list.Len("breakpoints") {
			require.Equal(t, 3, list.Int(fmt.Sprintf("breakpoints.%d.boundLine", i)), "%s", list.Raw)
		}
	}
}
