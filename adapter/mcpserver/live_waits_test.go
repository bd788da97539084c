package mcpserver_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// stuck lets a program run from tick to tick until threads_list names n threads as deadlocked.
func stuck(t *testing.T, c *mcptest.Client, n int) mcptest.Result {
	t.Helper()
	for {
		r := c.Do("threads_list", nil)
		if r.Len("deadlocked") >= n {
			return r
		}
		require.Equal(t, "hit", next(c).String("reason"), "%s", r.Raw)
	}
}

// waitersAt returns the paths and ids of the threads at a line.
func waitersAt(r mcptest.Result, line int) (paths []string, ids []int) {
	for i := range r.Len("threads") {
		path := "threads." + itoa(i) + "."
		if r.Int(path+"location.line") == line {
			paths, ids = append(paths, path), append(ids, r.Int(path+"id"))
		}
	}
	return paths, ids
}

// requireCircle checks that two threads at a line wait for each other.
func requireCircle(t *testing.T, r mcptest.Result, line int, likely bool) {
	t.Helper()
	paths, ids := waitersAt(r, line)
	require.Len(t, paths, 2, "%s", r.Raw)
	for i, path := range paths {
		require.Equal(t, 1, r.Len(path+"heldBy"), "%s", r.Raw)
		require.Equal(t, ids[1-i], r.Int(path+"heldBy.0"), "%s", r.Raw)
		require.Equal(t, likely, r.Has(path+"likely"), "%s", r.Raw)
		require.NotEmpty(t, r.String(path+"waitsFor"))
	}
	require.NotEqual(t, r.String(paths[0]+"waitsOn"), r.String(paths[1]+"waitsOn"))
	slices.Sort(ids)
	require.Equal(t, ids, []int{r.Int("deadlocked.0"), r.Int("deadlocked.1")}, "%s", r.Raw)
	require.Equal(t, 2, r.Len("deadlocked"))
}

func TestLiveWaitsOfGoroutines(t *testing.T) {
	program, source := fixtures.BuildGo(t, "waits"), fixtures.GoSource("waits")
	mark := func(name string) int { return fixtures.Mark(t, "waits", name) }
	c := liveDelve(t)
	c.Do("breakpoint_set", mcptest.Args{"file": source, "line": mark("tick")})
	toFirstStop(c, program)
	r := stuck(t, c, 2)
	requireCircle(t, r, mark("lock"), true)
	paths, ids := waitersAt(r, mark("receive"))
	require.Len(t, paths, 1, "%s", r.Raw)
	require.Contains(t, r.String(paths[0]+"waitsOn"), "chan at 0x")
	require.Equal(t, 1, r.Int(paths[0]+"heldBy.0"), "main has the channel: %s", r.Raw)

	r = c.Do("stacktrace_get", mcptest.Args{"thread_id": r.Int("deadlocked.0")})
	last := "frames." + itoa(r.Len("frames")-1) + "."
	require.Equal(t, "async", r.String(last+"kind"), "%s", r.Raw)
	require.Equal(t, "main.main", r.String(last+"function"))
	require.Equal(t, "goroutine 1", r.String(last+"task"))
	require.Contains(t, []int{mark("go"), mark("go") + 1}, r.Int(last+"location.line"), "%s", r.Raw)
	require.Equal(t, r.Int("totalFrames"), r.Int(last+"index"), "its index follows those of the stack")
	c.Refused(fault.InvalidFrame, "variables_get", mcptest.Args{"thread_id": ids[0], "frame_index": r.Int(last + "index")})
	r = c.Do("stacktrace_get", nil)
	require.False(t, r.Has("frames."+itoa(r.Len("frames")-1)+".kind"), "nothing has created main: %s", r.Raw)
}

func TestLiveWaitsOfPythonThreads(t *testing.T) {
	c, file := liveWaitsInPython(t)
	mark := func(name string) int { return fixtures.MarkIn(t, file, name) }
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": mark("leaf")})
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": mark("tick")})
	toFirstStop(c, file)

	r := c.Do("stacktrace_get", nil)
	require.Equal(t, mark("middle"), r.Int("frames.1.location.line"), "%s", r.Raw)
	last := "frames." + itoa(r.Len("frames")-1) + "."
	require.Equal(t, "async", r.String(last+"kind"), "%s", r.Raw)
	require.Equal(t, "outer", r.String(last+"function"))
	require.Equal(t, mark("gather"), r.Int(last+"location.line"))
	require.Contains(t, r.String(last+"task"), "Task-")
	r = c.Do("threads_list", nil)
	tasks := map[string]string{}
	for i := range r.Len("tasks") {
		tasks[r.String("tasks."+itoa(i)+".name")] = "tasks." + itoa(i) + "."
	}
	require.NotContains(t, tasks, "worker", "it runs: %s", r.Raw)
	require.Contains(t, r.String(tasks["reader"]+"waitsFor"), "get", "%s", r.Raw)
	require.Equal(t, mark("get"), r.Int(tasks["reader"]+"location.line"), "%s", r.Raw)

	require.Equal(t, "hit", next(c).String("reason"))
	r = stuck(t, c, 2)
	requireCircle(t, r, mark("lock"), true)
	require.False(t, r.Has("tasks"), "%s", r.Raw)
	require.False(t, c.Do("stacktrace_get", nil).Has("frames.1.kind"))
}

func liveWaitsInPython(t *testing.T) (c *mcptest.Client, file string) {
	t.Setenv("DEBUGPY_PYTHON", fixtures.Debugpy(t))
	file = fixtures.Program("python", "waits.py")
	return mcptest.Serve(t, mcptest.Live(t, adapter.Options{}), mcpserver.Options{}), file
}

// glibc stores the owner of a mutex.
func TestLiveWaitsOfPthreads(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the owner of a mutex is read as glibc stores it")
	}
	file := fixtures.Program("c", "waits.c")
	program := fixtures.BuildC(t, "waits")
	c := liveLLDB(t)
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": fixtures.MarkIn(t, file, "tick")})
	toFirstStop(c, program)
	requireCircle(t, stuck(t, c, 2), fixtures.MarkIn(t, file, "lock"), false)
}
