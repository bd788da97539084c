package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/fixtures"
)

// debuggee is a pair of programs for the session script: a loop that calls Work, and a program that runs long.
type debuggee struct {
	backend string
	flags   []string // of the server

	loop, source   string
	call, hit      int // lines: main's call of Work, and Work's last line
	inWork, inMain string
	done           string   // the last line of its output
	long           []string // command line of the long program without a debugger
	longProgram    string
	longSource     string
	longHit        int
}

func goDebuggee(t testing.TB) debuggee {
	t.Helper()
	t.Setenv("DLV_PATH", fixtures.Delve(t))
	return debuggee{
		backend: "dlv",
		loop:    fixtures.BuildGo(t, "loop"), source: fixtures.GoSource("loop"), call: 27, hit: 12,
		inWork: "main.Work", inMain: "main.main", done: "done sum ",
		long: []string{fixtures.BuildGo(t, "longrun")}, longProgram: fixtures.BuildGo(t, "longrun"),
		longSource: fixtures.GoSource("longrun"), longHit: fixtures.Mark(t, "longrun", "hit"),
	}
}

// dotnetDebuggee skips the test without netcoredbg or dotnet. It uses a path map, because the programs' symbols
// contain /src, to the sources beside the programs.
func dotnetDebuggee(t testing.TB) debuggee {
	t.Helper()
	netcoredbg := os.Getenv("NETCOREDBG_PATH")
	if netcoredbg == "" {
		t.Skip("SKIPPED: NETCOREDBG_PATH does not name a netcoredbg executable")
	}
	_, err := os.Stat(netcoredbg)
	require.NoError(t, err, "NETCOREDBG_PATH")
	dotnet, err := exec.LookPath("dotnet")
	if err != nil {
		t.Skip("SKIPPED: dotnet is not on PATH")
	}
	loop, long := fixtures.DotnetProgram("LoopApp"), fixtures.DotnetProgram("LongApp")
	source := func(program string) string { return filepath.Join(filepath.Dir(filepath.Dir(program)), "Program.cs") }
	return debuggee{
		backend: "netcoredbg",
		flags:   []string{"--path-map", "/src=" + filepath.Dir(filepath.Dir(filepath.Dir(loop)))},
		loop:    loop, source: source(loop), call: 21, hit: 11,
		inWork: "LoopApp.Program.Work", inMain: "LoopApp.Program.Main", done: "done sum=",
		long: []string{dotnet, long}, longProgram: long, longSource: source(long), longHit: 14,
	}
}

func TestLiveDelve(t *testing.T)      { sessionScript(t, goDebuggee(t)) }
func TestLiveNetcoredbg(t *testing.T) { sessionScript(t, dotnetDebuggee(t)) }

// sessionScript is a complete debugging session through the built binary and a real debugger.
func sessionScript(t *testing.T, d debuggee) {
	c := mcptest.Run(t, fixtures.Breakwire(t), append([]string{"--log-level", "debug"}, d.flags...)...)
	part := func(name string, f func(t *testing.T)) {
		if !t.Run(name, f) {
			t.FailNow() // each part continues where the previous one ended
		}
	}
	var bp string
	wait := mcptest.Args{"wait": true}
	part("launch to the first hit", func(t *testing.T) {
		r := c.Do("breakpoint_set", mcptest.Args{"file": d.source, "line": d.hit})
		bp = r.String("breakpoint.id")
		require.Equal(t, "pending", r.String("breakpoint.state"))
		r = c.Do("debug_launch", mcptest.Args{"program": d.loop, "args": []string{"150"}, "backend": d.backend,
			"stop_at_entry": false})
		require.Equal(t, d.backend, r.String("session.backend"))
		require.Positive(t, r.Int("session.processId"))
		if !r.Has("stop") { // .NET may need longer than a launch waits
			r = c.Do("breakpoint_wait", nil)
			require.True(t, r.Bool("hit"), "%s", r.Raw)
		}
		require.Equal(t, []string{bp}, r.Strings("stop.breakpointIds"))
		require.Equal(t, 1, r.Int("stop.hitCount"))
		require.Equal(t, d.source, r.String("stop.location.file"))
		require.Equal(t, d.hit, r.Int("stop.location.line"))
		require.Contains(t, r.String("stop.location.functionName"), d.inWork)
		require.NotEmpty(t, r.Strings("stop.source"))
		require.Equal(t, "paused", c.Do("debug_state", nil).String("session.state"))
		require.Len(t, c.Notifications("debugger/breakpointHit"), 1)
	})
	part("five hits", func(t *testing.T) {
		for n := 2; n <= 5; n++ {
			c.Do("debug_continue", nil)
			r := c.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 20_000})
			require.True(t, r.Bool("hit"), "%s", r.Raw)
			require.Equal(t, bp, r.String("breakpointId"))
			require.Equal(t, n, r.Int("stop.hitCount"))
			hits := c.Notifications("debugger/breakpointHit")
			require.Len(t, hits, n, "the notification comes before the answer")
			require.Equal(t, r.Int("stop.seq"), hits[n-1].Int("seq"))
		}
	})
	part("stack, variables, evaluation", func(t *testing.T) {
		r := c.Do("stacktrace_get", nil)
		require.Contains(t, r.String("frames.0.function"), d.inWork)
		require.Contains(t, r.String("frames.1.function"), d.inMain)
		require.Equal(t, d.call, r.Int("frames.1.location.line"))
		r = c.Do("variables_get", mcptest.Args{"names": []string{"square"}})
		require.Equal(t, "16", r.String("variables.0.value"), "%s", r.Raw)
		require.Equal(t, "36", c.Do("evaluate", mcptest.Args{"expression": "square * 2 + i"}).String("value"))
		require.Equal(t, "4", c.Do("evaluate", mcptest.Args{"expression": "i", "frame_index": 1}).String("value"),
			"in the caller")
		c.Refused(fault.EvalFailed, "evaluate", mcptest.Args{"expression": "nosuch"})
		c.Refused(fault.SyntaxError, "evaluate", mcptest.Args{"expression": "1 +"})
		r = c.Do("threads_list", nil)
		require.False(t, r.Bool("stale"))
		require.Positive(t, r.Len("threads"))
		c.Refused(fault.InvalidFrame, "evaluate", mcptest.Args{"expression": "i", "frame_index": 900})
		c.Refused(fault.InvalidThread, "stacktrace_get", mcptest.Args{"thread_id": 987654})
	})
	part("steps", func(t *testing.T) {
		c.Do("breakpoint_enable", mcptest.Args{"id": bp, "enabled": false})
		step := func(mode string) mcptest.Result {
			r := c.Do("debug_step", mcptest.Args{"mode": mode})
			require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
			require.Equal(t, 1, r.Int("stepsDone"))
			return r
		}
		r := step("out")
		require.Equal(t, d.call, r.Int("stop.location.line"))
		require.Contains(t, r.String("stop.location.functionName"), d.inMain)
		steps := 0
		for r = step("over"); r.Int("stop.location.line") != d.call; r = step("over") {
			require.Contains(t, r.String("stop.location.functionName"), d.inMain, "over goes over")
			steps++
			require.Less(t, steps, 12)
		}
		r = step("in")
		require.Contains(t, r.String("stop.location.functionName"), d.inWork)
		r = step("over")
		require.Contains(t, r.String("stop.location.functionName"), d.inWork)
		require.Equal(t, d.call, step("out").Int("stop.location.line"))
		require.Equal(t, "5", c.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
		c.Do("breakpoint_enable", mcptest.Args{"id": bp})
	})
	part("condition", func(t *testing.T) {
		r := c.Do("breakpoint_set", mcptest.Args{"file": d.source, "line": d.hit, "condition": "i == 50"})
		require.Equal(t, bp, r.String("breakpoint.id"))
		require.True(t, r.Bool("duplicate"))
		r = c.Do("debug_continue", wait)
		require.Equal(t, "hit", r.String("reason"), "%s", r.Raw)
		require.Equal(t, 6, r.Int("stop.hitCount"))
		require.Equal(t, "50", c.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
		r = c.Do("breakpoint_set", mcptest.Args{"file": d.source, "line": d.hit, "hit_condition": "%10"})
		require.True(t, r.Bool("duplicate"))
		r = c.Do("debug_continue", wait)
		require.Equal(t, 10, r.Int("stop.hitCount"), "hits 7 to 9 do not match")
		require.Equal(t, "54", c.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
	})
	part("exit code and output", func(t *testing.T) {
		require.Equal(t, []string{bp}, c.Do("breakpoint_remove", mcptest.Args{"id": bp}).Strings("removed"))
		r := c.Do("debug_continue", wait)
		require.Equal(t, "exited", r.String("reason"))
		require.Equal(t, "terminated", r.String("session.state"))
		require.True(t, r.Has("session.exitCode"))
		require.Equal(t, 0, r.Int("session.exitCode"))
		text := output(c.Client, "stdout")
		require.True(t, strings.HasPrefix(text, "start 150\n"), text)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		require.True(t, strings.HasPrefix(lines[len(lines)-1], d.done), text)
		c.Refused(fault.NoSession, "evaluate", mcptest.Args{"expression": "i"})
	})
	part("a program that ends by itself", func(t *testing.T) {
		r := c.Do("debug_launch", mcptest.Args{"program": d.loop, "args": []string{"2"}, "backend": d.backend,
			"stop_at_entry": false})
		if r.String("session.state") != "terminated" { // .NET takes longer to end than a launch waits
			require.Equal(t, "exited", c.Do("breakpoint_wait", nil).String("reason"))
			return
		}
		require.True(t, r.Has("exitCode"))
		require.Contains(t, r.String("outputTail"), d.done)
	})
	part("stop at entry", func(t *testing.T) {
		r := c.Do("debug_launch", mcptest.Args{"program": d.loop, "args": []string{"2"}, "backend": d.backend})
		require.Equal(t, "entry", r.String("stop.reason"), "%s", r.Raw)
		require.Contains(t, r.String("stop.location.functionName"), d.inMain)
		require.Equal(t, "exited", c.Do("debug_continue", wait).String("reason"))
	})
	part("pause and disconnect", func(t *testing.T) {
		r := c.Do("debug_launch", mcptest.Args{"program": d.longProgram, "backend": d.backend, "stop_at_entry": false})
		require.Equal(t, "running", r.String("session.state"))
		pid := r.Int("session.processId")
		require.True(t, alive(pid))
		require.Equal(t, "timeout", c.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 50}).String("reason"))
		c.Refused(fault.NotPaused, "evaluate", mcptest.Args{"expression": "1"})
		waiting := c.BeginCall("breakpoint_wait", nil)
		r = c.Do("debug_pause", nil)
		require.Equal(t, "pause", r.String("stop.reason"))
		require.Positive(t, r.Int("stop.threadId"))
		require.Equal(t, "pause", c.AwaitCall(waiting).String("reason"))
		require.True(t, c.Do("debug_pause", nil).Bool("alreadyPaused"))
		// A breakpoint that is set while the program runs.
		c.Do("debug_continue", nil)
		set := c.Do("breakpoint_set", mcptest.Args{"file": d.longSource, "line": d.longHit})
		// It is bound at once or, on a slow machine, when its module is loaded.
		require.Contains(t, []string{"bound", "pending"}, set.String("breakpoint.state"), "%s", set.Raw)
		require.Equal(t, "hit", c.Do("breakpoint_wait", nil).String("reason"))
		c.Do("debug_continue", nil)
		r = c.Do("debug_disconnect", nil)
		require.Equal(t, "disconnected", r.String("state"))
		require.True(t, r.Bool("wasTerminated"))
		require.True(t, r.Has("processAlive"))
		require.False(t, r.Bool("processAlive"))
		require.False(t, alive(pid), "process %d is gone", pid)
		require.Empty(t, children(t, c.Pid()), "so is the debugger")
	})
	part("attach and detach", func(t *testing.T) {
		pid, said := mcptest.RunLong(t, d.long...)
		r := c.Do("debug_attach", mcptest.Args{"pid": pid, "backend": d.backend})
		require.Equal(t, "attach", r.String("session.launchMode"))
		require.Equal(t, pid, r.Int("session.processId"))
		if r.String("session.state") == "running" { // the previous part's breakpoint may have been hit by now
			require.Equal(t, "hit", c.Do("breakpoint_wait", nil).String("reason"))
		}
		r = c.Do("stacktrace_get", nil)
		require.Equal(t, d.longHit, r.Int("frames.0.location.line"), "%s", r.Raw)
		r = c.Do("debug_disconnect", nil)
		require.False(t, r.Bool("wasTerminated"))
		require.True(t, r.Bool("processAlive"))
		require.True(t, alive(pid))
		said() // and it continues to run
		require.Empty(t, children(t, c.Pid()))
	})
	part("attach and end", func(t *testing.T) {
		pid, _ := mcptest.RunLong(t, d.long...)
		c.Do("breakpoint_remove", mcptest.Args{"all": true})
		r := c.Do("debug_attach", mcptest.Args{"pid": pid, "backend": d.backend, "stop_on_attach": true})
		require.Equal(t, "paused", r.String("session.state"), "%s", r.Raw)
		r = c.Do("debug_disconnect", mcptest.Args{"terminate": true})
		require.True(t, r.Bool("wasTerminated"), "%s", r.Raw)
		require.False(t, alive(pid))
	})
	part("end of input", func(t *testing.T) {
		c.Close()
		require.Equal(t, 0, c.Ended().ExitCode())
	})
}

// output reads one output stream of the program from its beginning.
func output(c *mcptest.Client, stream string) string {
	var text strings.Builder
	for after, more := 0, true; more; {
		r := c.Do("process_read_output", mcptest.Args{"stream": stream, "after_seq": after, "max_bytes": 1000})
		for i := range r.Len("output") {
			text.WriteString(r.String("output." + strconv.Itoa(i) + ".text"))
		}
		after, more = r.Int("lastSeq"), r.Bool("more")
	}
	return text.String()
}

// alive reports whether a process with this pid exists and is not a zombie.
func alive(pid int) bool {
	_, err := dapclient.FindProcess(pid)
	return err == nil
}

// children returns all living descendants of a process on Linux, and none elsewhere.
func children(t *testing.T, of int) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	parents := map[int]int{}
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		if err != nil {
			continue // the process has just ended
		}
		var pid, parent int
		var state string
		if _, err := fmt.Sscan(string(text), &pid); err != nil {
			continue
		}
		rest := string(text[strings.LastIndexByte(string(text), ')')+1:])
		if _, err := fmt.Sscan(rest, &state, &parent); err == nil && state != "Z" {
			parents[pid] = parent
		}
	}
	var all []int
	for pid := range parents {
		for p := parents[pid]; p > 1; p = parents[p] {
			if p == of {
				all = append(all, pid)
				break
			}
		}
	}
	return all
}
