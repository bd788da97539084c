package mcpserver_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
)

// needsWatchTraps skips a test where watched memory stops no program, as on some virtual machines.
func needsWatchTraps(t *testing.T) {
	if err := dapclient.WatchTraps(); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
}

const watchedGo = `package main

import "fmt"

var counter int
var spare [8]int

type box struct{ n, m int }

func work(n int) int {
	local := n
	local += 2       // line 12
	counter += local // line 13
	return grow(40) + local
}

// grow makes the stack move.
func grow(n int) int {
	var room [1000]int
	if n > 0 {
		room[n] = grow(n - 1)
	}
	return room[n]
}

func main() {
	b := &box{}
	for i := 0; i < 4; i++ {
		b.n += work(i)
	}
	fmt.Println(counter, *b, spare)
}
`

const watchedC = `#include <stdio.h>
static int counter;
static struct { int x; long y[4]; } box;
static long spare[8];
static int work(int n)
{
  int local = n;
  local += 2;
  counter += local;
  box.y[2] = local;
  return local;
}
int main(void)
{
  for (int i = 0; i < 4; i++) work(i);
  printf("%d %ld %ld\n", counter, box.y[2], spare[0]);
  return 0;
}
`

// eachLiveWatcher stops a program at the second line of work.
func eachLiveWatcher(t *testing.T, test func(t *testing.T, c *mcptest.Client, work string)) {
	needsWatchTraps(t)
	t.Run("delve", func(t *testing.T) {
		c := liveDelve(t)
		stopInWork(c, writeGo(t, t.TempDir(), watchedGo), "", 12)
		test(t, c, "main.work")
	})
	t.Run("lldb-dap", func(t *testing.T) {
		c := liveLLDB(t)
		source, program := writeC(t, t.TempDir(), watchedC, "-g", "-O0")
		stopInWork(c, source, program, 8)
		test(t, c, "work")
	})
}

func stopInWork(c *mcptest.Client, source, program string, line int) {
	if program == "" {
		program = source
	}
	id := c.Do("breakpoint_set", mcptest.Args{"file": source, "line": line}).String("breakpoint.id")
	toFirstStop(c, program)
	c.Do("breakpoint_remove", mcptest.Args{"id": id})
}

func changeOf(r mcptest.Result) string {
	return r.String("stop.changes.0.expression") + " " + r.String("stop.changes.0.oldValue") + " " +
		r.String("stop.changes.0.newValue")
}

func TestLiveWatchpoint(t *testing.T) {
	eachLiveWatcher(t, func(t *testing.T, c *mcptest.Client, work string) {
		local := watch(c, mcptest.Args{"expression": "local"})
		counter := watch(c, mcptest.Args{"expression": "counter", "condition": "counter > 2", "hit_condition": ">1"})
		r := next(c)
		require.Equal(t, "local 0 2", changeOf(r), "%s", r.Raw)
		r = next(c)
		require.Equal(t, "counter 5 9", changeOf(r), "%s", r.Raw)
		require.Equal(t, []string{counter}, r.Strings("stop.breakpointIds"))
		require.Equal(t, local+" failed "+work+" has returned, so local is gone", r.String("breakpoints.0.id")+" "+
			r.String("breakpoints.0.state")+" "+r.String("breakpoints.0.message"), "%s", r.Raw)
		require.Equal(t, "counter 9 14", changeOf(next(c)))
		require.Equal(t, "exited", next(c).String("reason"))
	})
}

func TestLiveWatchpointLogs(t *testing.T) {
	eachLiveWatcher(t, func(t *testing.T, c *mcptest.Client, work string) {
		watch(c, mcptest.Args{"expression": "counter", "log_message": "local is {local}"})
		require.Equal(t, "exited", next(c).String("reason"))
		r := c.Do("events_query", mcptest.Args{"types": []string{"tracepoint"}})
		require.Equal(t, 4, r.Len("events"), "%s", r.Raw)
		require.Equal(t, "local is 5 9 14", r.String("events.3.logMessage")+" "+r.String("events.3.oldValue")+" "+
			r.String("events.3.newValue"))
	})
}

// The processor has four registers. What cannot be watched is said, and nothing of it stays.
func TestLiveWatchpointLimits(t *testing.T) {
	eachLiveWatcher(t, func(t *testing.T, c *mcptest.Client, work string) {
		for _, x := range []string{"spare[0]", "spare[1]", "spare[2]", "counter"} {
			watch(c, mcptest.Args{"expression": x})
		}
		r := c.Refused(fault.NotSupported, "watchpoint_set", mcptest.Args{"expression": "spare[3]"})
		require.Contains(t, r.String("error.message"), "remove another watchpoint first")
		require.False(t, c.Call("watchpoint_set", mcptest.Args{"expression": "spare"}).Bool("success"))
		require.False(t, c.Call("watchpoint_set", mcptest.Args{"expression": "nosuch"}).Bool("success"))
		require.False(t, c.Call("watchpoint_set", mcptest.Args{"expression": "1 + 1"}).Bool("success"))
		require.Equal(t, 4, c.Do("breakpoint_list", nil).Int("count"))
		require.Equal(t, "counter 0 2", changeOf(next(c)))
	})
}

// A local that is watched is found again after its stack has moved.
func TestLiveWatchpointOnAStackThatMoves(t *testing.T) {
	needsWatchTraps(t)
	c := liveDelve(t)
	stopInWork(c, writeGo(t, t.TempDir(), `package main

func grow(n int) int {
	var room [1000]int
	if n > 0 {
		room[n] = grow(n - 1)
	}
	return room[n]
}

func main() {
	local := 1
	grow(60) // line 13
	local = 7
	println(local)
}
`), "", 13)
	watch(c, mcptest.Args{"expression": "local"})
	r := next(c)
	require.Equal(t, "local 1 7", changeOf(r), "%s", r.Raw)
}

// debugpy has no watchpoints: the answer names the lines, and batch_evaluate takes them as they are.
func TestLiveWatchpointPython(t *testing.T) {
	c, file := livePython(t, "total = 0\nprint('go')\nfor i in range(3):\n    total += i\nprint(total)\n")
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 2})
	toFirstStop(c, file)
	r := c.Refused(fault.NotSupported, "watchpoint_set", mcptest.Args{"expression": "total"})
	require.Contains(t, r.String("error.message"), ""+filepath.Base(file)+":1, "+filepath.Base(file)+":4")
	r = c.Do("batch_evaluate", mcptest.Args{"experiments": r.Get("error.details.experiments")})
	require.Equal(t, 1, r.Int("triggered"), "%s", r.Raw)
}
