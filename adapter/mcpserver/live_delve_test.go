package mcpserver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// liveDelve is a server on the real Delve.
func liveDelve(t testing.TB) *mcptest.Client {
	t.Setenv("DLV_PATH", fixtures.Delve(t))
	return mcptest.Serve(t, mcptest.Live(t, adapter.Options{}), mcpserver.Options{})
}

// toFirstStop launches a program without an entry stop, and waits for its first stop or its end.
func toFirstStop(c *mcptest.Client, program string, args ...string) mcptest.Result {
	return c.Settled(c.Do("debug_launch", mcptest.Args{"program": program, "args": args, "stop_at_entry": false}))
}

// writeGo writes a Go program, as a module, into a folder.
func writeGo(t testing.TB, folder, text string) (source string) {
	source = filepath.Join(folder, "main.go")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module written\n\ngo 1.21\n"), 0o600))
	require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
	return source
}

// runLive launches a Go program and waits for its end.
func runLive(t testing.TB, c *mcptest.Client, program string, args ...string) {
	t.Helper()
	r := c.Do("debug_launch", mcptest.Args{"program": program, "args": args, "stop_at_entry": false, "backend": "dlv"})
	if r.String("session.state") == "running" {
		r = c.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 120_000})
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
		return
	}
	require.Equal(t, "terminated", r.String("session.state"), "%s", r.Raw)
}

// With the real Delve both strategies give the same notifications.
func TestLiveNativeAndStopAreTheSame(t *testing.T) {
	program, source := fixtures.BuildGo(t, "loop"), fixtures.GoSource("loop")
	type told struct {
		id, message string
		count, line int
	}
	results := map[string][]told{}
	for _, strategy := range []string{"native", "stop"} {
		c := liveDelve(t)
		set := func(args mcptest.Args) {
			args["file"] = source
			if args["strategy"] == nil {
				args["strategy"] = strategy
			}
			c.Do("tracepoint_set", args)
		}
		set(mcptest.Args{"line": 10, "log_message": "{{i}} {i}, {nosuch}, {i * 2}"})
		set(mcptest.Args{"line": 11, "log_message": "odd {i} {result}", "condition": "i % 2 == 1"})
		set(mcptest.Args{"line": 12, "log_message": "tenth {i}", "hit_count_multiple": 10})
		set(mcptest.Args{"line": 28, "log_message": "first {i} {w}", "max_notifications": 3, "strategy": "auto"})
		set(mcptest.Args{"line": 29})
		runLive(t, c, program, "40")
		list := c.Do("breakpoint_list", nil)
		for i := range 3 {
			require.Equal(t, strategy, list.String(fmt.Sprintf("breakpoints.%d.strategy", i)))
		}
		for _, n := range c.Notifications("debugger/breakpointHit") {
			results[strategy] = append(results[strategy], told{
				n.String("breakpointId"), n.String("logMessage"), n.Int("hitCount"), n.Int("location.line"),
			})
			require.Equal(t, 1, n.Int("threadId"))
		}
		require.Equal(t, "start 40\nprogress i=0 sum=0\ndone sum "+doneSum(40)+"\n",
			c.Do("process_read_output", mcptest.Args{"tail_lines": 10}).String("stdout"))
	}
	require.Len(t, results["stop"], 40+20+4+3+40)
	require.Len(t, results["native"], len(results["stop"]))
	for i, want := range results["stop"] {
		require.Equal(t, want, results["native"][i])
	}
	require.Equal(t, "{i} 0, <error: could not find symbol value for nosuch>, 0", results["stop"][0].message)
}

func doneSum(n int) string {
	sum := 0
	for i := range n {
		sum += i * i % 7
	}
	return fmt.Sprint(sum)
}

// Delve logs where a step ends on a log point's line, whatever the condition says: that is no hit.
func TestLiveStepToALogPointWithAFalseCondition(t *testing.T) {
	for condition, hits := range map[string]int{"i == 77": 0, "i == 0": 1} {
		c, source := liveDelve(t), fixtures.GoSource("loop")
		id := c.Do("tracepoint_set", mcptest.Args{"file": source, "line": 12, "condition": condition,
			"log_message": "{i}", "strategy": "native"}).String("breakpoint.id")
		c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 11})
		c.Do("debug_launch", mcptest.Args{"program": fixtures.BuildGo(t, "loop"), "args": []string{"2"},
			"stop_at_entry": false, "wait": true})
		r := c.Do("debug_step", nil)
		require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
		require.Equal(t, 12, r.Int("stop.location.line"), "%s", r.Raw)
		require.Len(t, messages(c, id), hits, condition)
		require.Equal(t, hits, c.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"), condition)
	}
}

// Four goroutines pass one line 250 times each: exactly 1,000 hits by either strategy, although Delve names one
// goroutine per stop.
func TestLiveGoroutinesAreAllCounted(t *testing.T) {
	program, source := fixtures.BuildGo(t, "goroutines"), fixtures.GoSource("goroutines")
	line := fixtures.Mark(t, "goroutines", "hit")
	for _, strategy := range []string{"stop", "native"} {
		t.Run(strategy, func(t *testing.T) {
			c := liveDelve(t)
			c.Do("tracepoint_set", mcptest.Args{"file": source, "line": line, "log_message": "{worker} {i}",
				"strategy": strategy})
			runLive(t, c, program)
			hits := c.AwaitNotifications("debugger/breakpointHit", 1000)
			require.Len(t, hits, 1000)
			seen, threads := map[string]bool{}, map[int]bool{}
			for _, h := range hits {
				require.False(t, seen[h.String("logMessage")], "told twice: %s", h.Raw)
				seen[h.String("logMessage")] = true
				threads[h.Int("threadId")] = true
			}
			require.Len(t, threads, 4)
			require.Equal(t, 1000, c.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"))
		})
	}
}

// 10,000 native hits of several goroutines while the client does not read: nothing is lost, and the program does not
// wait.
func TestLiveStormAndASlowClient(t *testing.T) {
	program, source := fixtures.BuildGo(t, "goroutines"), fixtures.GoSource("goroutines")
	m := adapter.NewManager(adapter.Options{})
	t.Setenv("DLV_PATH", fixtures.Delve(t))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	passes := 2500
	if testing.Short() || raceEnabled {
		passes = 500
	}
	c.Do("tracepoint_set", mcptest.Args{"file": source, "line": fixtures.Mark(t, "goroutines", "hit"),
		"log_message": "{worker} {i}", "strategy": "native"})
	start := c.BeginCall("debug_launch", mcptest.Args{"program": program, "args": []string{"4", itoa(passes)},
		"stop_at_entry": false})
	c.AwaitNotifications("debugger/breakpointHit", 100)
	c.PauseReading(true)
	sessions := m.Sessions()
	require.Len(t, sessions, 1)
	<-sessions[0].Ended()
	c.PauseReading(false)
	c.AwaitCall(start)
	hits := c.AwaitNotifications("debugger/breakpointHit", 4*passes)
	require.Len(t, hits, 4*passes)
	next := map[string]int{}
	for _, h := range hits {
		var worker, i string
		_, err := fmt.Sscan(h.String("logMessage"), &worker, &i)
		require.NoError(t, err)
		require.Equal(t, itoa(next[worker]), i, "each goroutine's own order")
		next[worker]++
		require.False(t, h.Has("missed"))
	}
}

// Breakpoints of every kind on the real Delve.
func TestLiveBreakpoints(t *testing.T) {
	program, source := fixtures.BuildGo(t, "loop"), fixtures.GoSource("loop")
	c := liveDelve(t)
	bp := c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 12, "condition": "i == 3"}).String("breakpoint.id")
	tp := c.Do("tracepoint_set", mcptest.Args{"file": source, "line": 12, "log_message": "{i}"}).String("breakpoint.id")
	fn := c.Do("breakpoint_set_function", mcptest.Args{"function": "main.Work", "hit_condition": ">=6"}).
		String("breakpoint.id")
	r := c.Do("debug_launch", mcptest.Args{"program": program, "args": []string{"20", "panic"}})
	require.Equal(t, "entry", r.String("stop.reason"), "%s", r.Raw)
	r = next(c)
	require.Equal(t, []string{bp}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
	require.Equal(t, []string{"0", "1", "2", "3"}, messages(c, tp))
	r = next(c)
	require.Equal(t, []string{fn}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
	require.Equal(t, 6, r.Int("stop.hitCount"))
	c.Do("breakpoint_remove", mcptest.Args{"id": fn})
	r = c.Do("debug_run_to", mcptest.Args{"file": source, "line": 28})
	require.True(t, r.Bool("reached"), "%s", r.Raw)
	require.Equal(t, "5", c.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
	// Over the call, with the tracepoint hit inside.
	for range 3 {
		r = c.Do("debug_step", nil)
	}
	require.Equal(t, 27, r.Int("stop.location.line"), "%s", r.Raw)
	require.Equal(t, 28, c.Do("debug_step", nil).Int("stop.location.line"))
	require.Len(t, messages(c, tp), 7)
	c.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": source, "line": 1000})
	c.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": source, "line": 2})
	r = next(c)
	require.Equal(t, "exception", r.String("stop.reason"), "%s", r.Raw)
	require.Contains(t, r.String("stop.exception.message")+r.String("stop.text"), "assignment to entry in nil map")
	require.Equal(t, source, r.String("stop.location.file"), "the program's own frame: %s", r.Raw)
	r = next(c)
	require.Equal(t, "exited", r.String("reason"))
	require.Equal(t, 2, r.Int("session.exitCode"))
}

// A Go package and a test file as source: Delve builds them in their module, and leaves nothing in it.
func TestLiveGoSource(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	write("go.mod", "module sample\n\ngo 1.24\n")
	write("main.go", "package main\n\nfunc main() {\n\tprintln(twice(21))\n}\n\nfunc twice(n int) int {\n\treturn n "+
		"* 2\n}\n")
	test := write("main_test.go", "package main\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {\n\tgot := "+
		"twice(4)\n\tt.Log(got)\n}\n")
	before, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, tc := range []struct {
		program    string
		file       string
		line       int
		expression string
		value      string
	}{
		{dir, filepath.Join(dir, "main.go"), 8, "n", "21"},
		{filepath.Join(dir, "main.go"), filepath.Join(dir, "main.go"), 8, "n", "21"},
		{test, test, 7, "got", "8"},
	} {
		t.Run(filepath.Base(tc.program), func(t *testing.T) {
			c := liveDelve(t)
			c.Do("breakpoint_set", mcptest.Args{"file": tc.file, "line": tc.line})
			r := c.Do("debug_launch", mcptest.Args{"program": tc.program, "stop_at_entry": false})
			if !r.Has("stop") {
				r = c.Do("breakpoint_wait", nil)
			}
			require.Equal(t, tc.line, r.Int("stop.location.line"), "%s", r.Raw)
			require.Equal(t, tc.value, c.Do("evaluate", mcptest.Args{"expression": tc.expression}).String("value"))
			require.Equal(t, "exited", next(c).String("reason"))
			require.NotContains(t, string(c.Do("process_read_output", nil).Raw), "Building",
				"Delve's words are not the program's")
		})
	}
	after, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, after, len(before))
}

// Delve accepts one breakpoint at an instruction. The breakpoints of a line, of a function, of another name of it and
// of the entry share it.
func TestLiveDelveOneInstructionManyBreakpoints(t *testing.T) {
	c := liveDelve(t)
	file := writeGo(t, t.TempDir(), `package main

func work(i int) int { // line 3
	return i + 1
}

func main() { // line 7
	for i := 0; i < 3; i++ {
		last(work(i))
	}
}

func last(i int) { // line 13
	println(i)
}
`)
	set := func(tool string, args mcptest.Args) string {
		r := c.Do(tool, args)
		return r.String("breakpoint.id")
	}
	byFunction := set("breakpoint_set_function", mcptest.Args{"function": "main.work"})
	otherName := set("breakpoint_set_function", mcptest.Args{"function": "work", "hit_condition": "2"})
	byLine := set("breakpoint_set", mcptest.Args{"file": file, "line": 3, "condition": "i == 2"})
	trace := set("tracepoint_set", mcptest.Args{"file": file, "line": 3, "log_message": "{i}"})
	inMain := set("tracepoint_set", mcptest.Args{"file": file, "line": 7, "log_message": "begins"})

	r := c.Do("debug_launch", mcptest.Args{"program": file})
	require.Equal(t, "entry", r.String("stop.reason"), "%s", r.Raw)
	require.Equal(t, 0, r.Len("breakpoints"), "all are bound: %s", r.Raw)

	for _, want := range [][]string{{byFunction}, {byFunction, otherName}, {byFunction, byLine}} {
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
		require.ElementsMatch(t, want, r.Strings("stop.breakpointIds"), "%s", r.Raw)
	}

	// Set while the program is stopped, the line after the function.
	function := set("breakpoint_set_function", mcptest.Args{"function": "main.last"})
	line := set("breakpoint_set", mcptest.Args{"file": file, "line": 13})
	r = c.Do("debug_continue", mcptest.Args{"wait": true})
	require.ElementsMatch(t, []string{function, line}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
	c.Do("breakpoint_remove", mcptest.Args{"id": line})
	require.Equal(t, "bound", c.Do("breakpoint_enable", mcptest.Args{"id": function}).String("breakpoint.state"),
		"it stays when the line's goes")

	require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
	r = c.Do("events_query", mcptest.Args{"types": []string{"tracepoint"}})
	var told []string
	for i := range r.Len("events") {
		e := r.At(fmt.Sprint("events.", i))
		told = append(told, e.String("breakpointId")+" "+e.String("logMessage"))
	}
	require.Equal(t, []string{inMain + " begins", trace + " 0", trace + " 1", trace + " 2"}, told)
}
