package mcpserver_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// watchProgram calls main.work four times, from line 10. Work writes its local (line 21) and the global counter (line
// 22), which becomes 2, 5, 9 and 14. Line 11 writes counter once more with the same value, and reads it.
func watchProgram() daptest.Program {
	main := func(line int, writes ...daptest.Write) daptest.Step {
		return daptest.Step{File: loopFile, Line: line, Func: "main.main", Writes: writes}
	}
	work := func(line, local int, writes ...daptest.Write) daptest.Step {
		return daptest.Step{File: loopFile, Line: line, Func: "main.work", Writes: writes,
			Callers: []daptest.Frame{{File: loopFile, Line: 10, Func: "main.main"}},
			Vars:    []daptest.Var{{Name: "local", Value: strconv.Itoa(local), Type: "int"}}}
	}
	counter := func(i int) daptest.Write {
		return daptest.Write{Name: "counter", Value: strconv.Itoa((i + 1) * (i + 4) / 2)}
	}
	last := main(11, counter(3))
	last.Reads = []string{"counter"}
	code := daptest.Seq(daptest.Loop(4,
		func(int) daptest.Step { return main(10) },
		func(i int) daptest.Step { return work(21, i, daptest.Write{Name: "local"}) },
		func(i int) daptest.Step { return work(22, i+2, counter(i)) },
		func(i int) daptest.Step { return work(23, i+2) },
	), daptest.Lines(last, main(12), main(13)))
	globals := []daptest.Var{{Name: "counter", Value: "0", Type: "int"}, {Name: "text", Value: `"abc"`, Type: "string"}}
	for i := range 6 {
		globals = append(globals, daptest.Var{Name: fmt.Sprintf("g%d", i), Value: "0", Type: "int"})
	}
	return daptest.Program{Threads: []daptest.Thread{{Code: code}}, Globals: globals}
}

// watchers are the debuggers that have watchpoints.
var watchers = []struct {
	profile string
	shape   func() daptest.Shape
}{{"dlv", daptest.Delve}, {"lldb-dap", daptest.LLDB}}

// eachWatcher runs a test with a program that is paused at line 21 of the first call.
func eachWatcher(t *testing.T, test func(t *testing.T, c *mcptest.Client, profile string)) {
	for _, w := range watchers {
		t.Run(w.profile, func(t *testing.T) {
			m, _ := mcptest.Fake(t, w.profile, w.shape(), watchProgram())
			c := mcptest.Serve(t, m, mcpserver.Options{})
			at := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 21}).String("breakpoint.id")
			r := launch(c)
			require.Equal(t, 21, r.Int("stop.location.line"), "%s", r.Raw)
			c.Do("breakpoint_remove", mcptest.Args{"id": at})
			test(t, c, w.profile)
		})
	}
}

func watch(c *mcptest.Client, args mcptest.Args) string {
	return c.Do("watchpoint_set", args).String("breakpoint.id")
}

func TestWatchpoint(t *testing.T) {
	eachWatcher(t, func(t *testing.T, c *mcptest.Client, profile string) {
		r := c.Do("watchpoint_set", mcptest.Args{"expression": "counter"})
		id := r.String("breakpoint.id")
		require.Regexp(t, `^wp-\d+$`, id)
		require.Equal(t, "watchpoint bound counter write", r.String("breakpoint.type")+" "+r.String("breakpoint.state")+" "+
			r.String("breakpoint.expression")+" "+r.String("breakpoint.access"))
		require.NotEmpty(t, r.String("breakpoint.sessionId"))
		for i, want := range []string{"0 2", "2 5", "5 9", "9 14"} {
			r = next(c)
			require.Equal(t, "hit", r.String("reason"), "%s", r.Raw)
			require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"))
			require.Equal(t, i+1, r.Int("stop.hitCount"))
			require.Equal(t, 23, r.Int("stop.location.line"), "after the line that wrote")
			require.Equal(t, "counter", r.String("stop.changes.0.expression"))
			require.Equal(t, want, r.String("stop.changes.0.oldValue")+" "+r.String("stop.changes.0.newValue"))
		}
		r = c.Do("events_query", mcptest.Args{"types": []string{"hit"}, "breakpoint_id": id})
		require.Equal(t, "9 14", r.String("events.3.oldValue")+" "+r.String("events.3.newValue"), "%s", r.Raw)
		n := c.AwaitNotification("debugger/breakpointHit", func(r mcptest.Result) bool { return r.Int("hitCount") == 4 })
		require.Equal(t, "9 14", n.String("oldValue")+" "+n.String("newValue"), "%s", n.Raw)

		if r = next(c); profile == "dlv" { // it stops also when the value stays
			require.Equal(t, "14 14", r.String("stop.changes.0.oldValue")+" "+r.String("stop.changes.0.newValue"))
			r = next(c)
		}
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
		require.Equal(t, "its program has ended", r.String("breakpoints.0.message"), "%s", r.Raw)
		require.Equal(t, "counter", r.String("breakpoints.0.expression"))
	})
}

// The address means nothing in the next session: the watchpoint is forgotten when one begins.
func TestWatchpointEndsWithItsSession(t *testing.T) {
	eachWatcher(t, func(t *testing.T, c *mcptest.Client, _ string) {
		id := watch(c, mcptest.Args{"expression": "counter"})
		c.Do("debug_disconnect", nil)
		r := c.Do("breakpoint_list", nil)
		require.Equal(t, id+" failed", r.String("breakpoints.0.id")+" "+r.String("breakpoints.0.state"), "%s", r.Raw)
		launch(c)
		require.Zero(t, c.Do("breakpoint_list", nil).Int("count"))
	})
}

// A local's watchpoint ends when its function returns, not at the next call of it.
func TestWatchpointOfALocal(t *testing.T) {
	eachWatcher(t, func(t *testing.T, c *mcptest.Client, _ string) {
		id := watch(c, mcptest.Args{"expression": "local"})
		later := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 12}).String("breakpoint.id")
		r := next(c)
		require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
		require.Equal(t, "0 2", r.String("stop.changes.0.oldValue")+" "+r.String("stop.changes.0.newValue"))
		r = next(c)
		require.Equal(t, []string{later}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
		require.Equal(t, id+" failed main.work has returned, so local is gone", r.String("breakpoints.0.id")+" "+
			r.String("breakpoints.0.state")+" "+r.String("breakpoints.0.message"), "%s", r.Raw)
	})
}

func TestWatchpointSettings(t *testing.T) {
	for _, x := range []struct {
		name string
		args mcptest.Args
		want []string // old and new value of each stop
	}{
		{"condition", mcptest.Args{"condition": "counter > 5"}, []string{"5 9", "9 14"}},
		{"hit condition", mcptest.Args{"hit_condition": "%2"}, []string{"2 5", "9 14"}},
		{"both", mcptest.Args{"condition": "counter > 2", "hit_condition": "2"}, []string{"5 9"}},
		{"read", mcptest.Args{"access": "read"}, []string{"0 14"}},
		{"bad condition", mcptest.Args{"condition": "nosuch > 2", "hit_condition": "3"}, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			eachWatcher(t, func(t *testing.T, c *mcptest.Client, _ string) {
				c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 12})
				x.args["expression"] = "counter"
				id := watch(c, x.args)
				for _, want := range x.want {
					r := next(c)
					require.Equal(t, want, r.String("stop.changes.0.oldValue")+" "+r.String("stop.changes.0.newValue"), "%s", r.Raw)
				}
				r := next(c)
				if x.want == nil { // one that cannot be decided stops
					require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"))
					require.Contains(t, r.String("stop.conditionError"), "nosuch")
				}
			})
		})
	}
}

func TestWatchpointLogs(t *testing.T) {
	eachWatcher(t, func(t *testing.T, c *mcptest.Client, _ string) {
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 11})
		r := c.Do("watchpoint_set", mcptest.Args{"expression": "counter", "log_message": "local {local}",
			"condition": "counter > 2"})
		require.Equal(t, []string{"debugger/breakpointHit", "events_query"}, r.Strings("hitsVia"))
		id := r.String("breakpoint.id")
		r = next(c)
		require.Equal(t, 11, r.Int("stop.location.line"), "%s", r.Raw)
		r = c.Do("events_query", mcptest.Args{"types": []string{"tracepoint"}, "breakpoint_id": id})
		require.Equal(t, 3, r.Len("events"), "%s", r.Raw)
		require.Equal(t, "local 3, 2 5", r.String("events.0.logMessage")+", "+r.String("events.0.oldValue")+" "+
			r.String("events.0.newValue"))
		r = c.Do("events_query", mcptest.Args{"types": []string{"tracepoint"}, "format": "lines"})
		require.Contains(t, r.String("lines.0"), "local 3 2 → 5")
	})
}

// A fifth watchpoint is refused in words, and the four others stay.
func TestWatchpointLimits(t *testing.T) {
	eachWatcher(t, func(t *testing.T, c *mcptest.Client, profile string) {
		first := watch(c, mcptest.Args{"expression": "counter"})
		for i := range 3 {
			watch(c, mcptest.Args{"expression": fmt.Sprintf("g%d", i)})
		}
		r := c.Refused(fault.NotSupported, "watchpoint_set", mcptest.Args{"expression": "g3"})
		require.Contains(t, r.String("error.message"), "remove another watchpoint first")
		r = c.Do("breakpoint_list", nil)
		require.Equal(t, 4, r.Int("count"))
		for i := range 4 {
			require.Equal(t, "bound", r.String(fmt.Sprintf("breakpoints.%d.state", i)), "%s", r.Raw)
		}
		c.Do("breakpoint_remove", mcptest.Args{"id": r.String("breakpoints.3.id")})
		watch(c, mcptest.Args{"expression": "g3"})
		require.Equal(t, []string{first}, next(c).Strings("stop.breakpointIds"), "the one that changed")

		r = c.Call("watchpoint_set", mcptest.Args{"expression": "text"})
		require.Regexp(t, `16 bytes|can not watch variable of type string`, r.String("error.message"))
		r = c.Call("watchpoint_set", mcptest.Args{"expression": "nosuch"})
		require.Contains(t, r.String("error.message"), "nosuch")
		c.Refused(fault.InvalidParameter, "watchpoint_set", mcptest.Args{"expression": " "})
		c.Refused(fault.InvalidCondition, "watchpoint_set", mcptest.Args{"expression": "g4", "condition": ""})
	})
}

// Watchpoints can be disabled, enabled and changed.
func TestWatchpointChanges(t *testing.T) {
	eachWatcher(t, func(t *testing.T, c *mcptest.Client, profile string) {
		id := watch(c, mcptest.Args{"expression": "counter"})
		c.Do("breakpoint_enable", mcptest.Args{"id": id, "enabled": false})
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 21, "hit_condition": "1"})
		require.Equal(t, 21, next(c).Int("stop.location.line"))
		r := c.Do("breakpoint_enable", mcptest.Args{"id": id})
		require.Equal(t, "bound", r.String("breakpoint.state"), "%s", r.Raw)
		r = next(c)
		require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
		r = c.Do("watchpoint_set", mcptest.Args{"expression": "counter", "condition": "counter == 14"})
		require.Equal(t, id+" true", r.String("breakpoint.id")+" "+strconv.FormatBool(r.Bool("duplicate")), "%s", r.Raw)
		require.Equal(t, "9 14", c.Do("debug_continue", mcptest.Args{"wait": true}).String("stop.changes.0.oldValue")+" 14")
		c.Do("breakpoint_remove", mcptest.Args{"id": id})
		require.Equal(t, "exited", next(c).String("reason"))
	})
}

func TestWatchpointRemovedWhileRunning(t *testing.T) {
	for _, w := range watchers {
		t.Run(w.profile, func(t *testing.T) {
			gate := make(chan struct{})
			program := watchProgram()
			code := program.Threads[0].Code
			program.Threads[0].Code = daptest.Code{Len: code.Len, At: func(i int) daptest.Step {
				step := code.At(i)
				if i == 2 { // line 22 of the first call
					step.Gate = gate
				}
				return step
			}}
			m, fakes := mcptest.Fake(t, w.profile, w.shape(), program)
			c := mcptest.Serve(t, m, mcpserver.Options{})
			at := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 21}).String("breakpoint.id")
			launch(c)
			c.Do("breakpoint_remove", mcptest.Args{"id": at})
			id := watch(c, mcptest.Args{"expression": "counter"})
			c.Do("debug_continue", nil)
			c.Refused(fault.NotPaused, "watchpoint_set", mcptest.Args{"expression": "g1"})
			c.Do("breakpoint_remove", mcptest.Args{"id": id})
			close(gate)
			r := c.Do("breakpoint_wait", nil)
			require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
			require.Equal(t, 2, fakes.Last().Count("setDataBreakpoints"), "the debugger was told at the hit")
		})
	}
}

// A watchpoint belongs to the session in which its expression was read.
func TestWatchpointOfOneSession(t *testing.T) {
	m, _ := mcptest.Fake(t, "dlv", daptest.Delve(), watchProgram())
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 21, "hit_condition": "1"})
	first := launch(c).String("session.sessionId")
	second := launch(c).String("session.sessionId")
	c.Refused(fault.SessionAmbiguous, "watchpoint_set", mcptest.Args{"expression": "counter"})
	one := watch(c, mcptest.Args{"expression": "counter", "session_id": first})
	two := watch(c, mcptest.Args{"expression": "counter", "session_id": second, "hit_condition": "2"})
	require.NotEqual(t, one, two)
	for session, want := range map[string]string{first: one + " 0", second: two + " 2"} {
		r := c.Do("debug_continue", mcptest.Args{"wait": true, "session_id": session})
		require.Equal(t, want, r.String("stop.breakpointIds.0")+" "+r.String("stop.changes.0.oldValue"), "%s", r.Raw)
	}
}

// Where there are no data breakpoints, the answer has the lines that assign the name, for batch_evaluate.
func TestWatchpointOfADebuggerWithoutThem(t *testing.T) {
	file := filepath.Join(writeFiles(t, map[string]string{"shop.cs": "class Shop {\n int total = 0;\n void Add() {\n" +
		"  total += 2; // total = 3\n }\n}\n"}), "shop.cs")
	step := func(line int) daptest.Step {
		return daptest.Step{File: file, Line: line, Func: "Shop.Add()", Vars: []daptest.Var{{Name: "total", Value: "2",
			Type: "int"}}}
	}
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), daptest.Program{
		Threads: []daptest.Thread{{Code: daptest.Lines(step(3), step(4), step(5))}}})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 3})
	require.Equal(t, "unavailable", launch(c).String("session.capabilities.watchpoints")+
		c.Do("debug_state", nil).String("session.capabilities.watchpoints"))
	r := c.Refused(fault.NotSupported, "watchpoint_set", mcptest.Args{"expression": "this.total"})
	require.Contains(t, r.String("error.message"), "shop.cs:2, shop.cs:4")
	var answer struct {
		Error struct {
			Details struct {
				Experiments []any `json:"experiments"`
			} `json:"details"`
		} `json:"error"`
	}
	r.Into(&answer)
	require.Len(t, answer.Error.Details.Experiments, 2)
	r = c.Do("batch_evaluate", mcptest.Args{"experiments": answer.Error.Details.Experiments[1:]})
	require.Equal(t, 1, r.Int("triggered"), "%s", r.Raw)
}

// On some virtual machines the debuggers set watchpoints that never stop the program.
func TestWatchpointWithoutAProcessorForThem(t *testing.T) {
	_, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), watchProgram())
	backends := fakes.Backends("dlv")
	fake := backends.Custom["fake"]
	fake.Local = true
	backends.Custom["fake"] = fake
	m := adapter.NewManager(adapter.Options{Backends: backends,
		WatchTraps: func() error { return errors.New("its debug registers do nothing") }})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set_function", mcptest.Args{"function": "main.work"})
	c.Settled(c.Do("debug_launch", mcptest.Args{"program": os.Args[0], "stop_at_entry": false}))
	r := c.Refused(fault.NotSupported, "watchpoint_set", mcptest.Args{"expression": "counter"})
	require.Contains(t, r.String("error.message"), "its debug registers do nothing; ")
}

func TestWatchpointReadOnly(t *testing.T) {
	_, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), watchProgram())
	m := adapter.NewManager(adapter.Options{Backends: fakes.Backends("dlv"),
		Permissions: adapter.Permissions{ReadOnly: true, Programs: []string{"/**"}}})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 21, "hit_condition": "1"})
	launch(c)
	for _, args := range []mcptest.Args{{"expression": "next()"}, {"expression": "counter", "condition": "next() > 2"},
		{"expression": "counter", "log_message": "{next()}"}} {
		c.Refused(fault.EvalRejected, "watchpoint_set", args)
	}
	id := watch(c, mcptest.Args{"expression": "counter"})
	require.Equal(t, []string{id}, next(c).Strings("stop.breakpointIds"))
}
