package mcpserver_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// liveLLDB is a server on the real lldb-dap.
func liveLLDB(t testing.TB) *mcptest.Client {
	t.Setenv("LLDB_DAP_PATH", fixtures.LLDB(t))
	return mcptest.Serve(t, mcptest.Live(t, adapter.Options{}), mcpserver.Options{})
}

// writeC builds a C program in a folder.
func writeC(t testing.TB, folder, text string, flags ...string) (source, program string) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("SKIPPED: there is no C compiler")
	}
	source, program = filepath.Join(folder, "main.c"), filepath.Join(folder, "program")
	require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
	out, err := exec.Command(cc, append(flags, "-o", program, source)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return source, program
}

// Of several breakpoints at one instruction lldb-dap names one.
func TestLiveLLDBOneInstructionManyBreakpoints(t *testing.T) {
	const text = "int f(int i)\n{\n\n  return i + 1; // line 4\n}\nint main(void) { for (int i = 0; i < 3; i++) " +
		"f(i); return 0; }\n"
	source, program := writeC(t, t.TempDir(), text, "-g", "-O0")
	for _, strategy := range []string{"stop", "native"} {
		c := liveLLDB(t)
		function := c.Do("breakpoint_set_function", mcptest.Args{"function": "f"}).String("breakpoint.id")
		line := c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 4, "condition": "i == 1"}).String("breakpoint.id")
		// moved to 4
		trace := c.Do("tracepoint_set", mcptest.Args{"file": source, "line": 3, "log_message": "{i}",
			"strategy": strategy}).String("breakpoint.id")
		r := toFirstStop(c, program)
		for _, want := range [][]string{{function}, {function, line}, {function}} {
			require.ElementsMatch(t, want, r.Strings("stop.breakpointIds"), "%s", r.Raw)
			r = next(c)
		}
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
		r = c.Do("events_query", mcptest.Args{"types": []string{"tracepoint"}, "breakpoint_id": trace})
		require.Equal(t, 3, r.Len("events"), "%s: %s", strategy, r.Raw)
	}
}

// A step ends with its thread, although lldb-dap does not report the end of a thread in a running program.
func TestLiveLLDBStepEndsWithItsThread(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the threads of a process are looked up in /proc")
	}
	const text = `#include <pthread.h>
#include <unistd.h>
volatile int sink;
static void *other(void *p)
{
  sink++; // line 6
  pthread_exit(p);
}
int main(void)
{
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  for (;;)
    pause();
}
`
	source, program := writeC(t, t.TempDir(), text, "-g", "-O0", "-pthread")
	c := liveLLDB(t)
	c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 6})
	toFirstStop(c, program)
	require.Equal(t, "step", c.Do("debug_step", nil).String("reason"))
	r := c.Do("debug_step", mcptest.Args{"timeout_ms": 120000})
	require.Equal(t, "thread_exited", r.String("reason"), "%s", r.Raw)
	require.Equal(t, "running", r.String("session.state"))
	require.Equal(t, "paused", c.Do("debug_pause", nil).String("session.state"))
}

// A thread at a breakpoint while another one steps is reported with each stop of that one. It counts as one hit.
func TestLiveLLDBHitBesideSteps(t *testing.T) {
	const text = `#include <pthread.h>
volatile int sink, created, started;
static void *other(void *p)
{ while (!created) ; started = 1;
  sink++; // line 5
  return p;
}
int main(void)
{
  pthread_t t;
  pthread_create(&t, 0, other, 0); created = 1; while (!started) ;
  for (;;) {
    sink = 1; // line 13
    sink = 2;
    sink = 3;
    sink = 4;
  }
}
`
	source, program := writeC(t, t.TempDir(), text, "-g", "-O0", "-pthread")
	c := liveLLDB(t)
	once := c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 5}).String("breakpoint.id")
	c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 13})
	r := toFirstStop(c, program)
	stepped := r.Int("session.processId") // its first thread
	for !slices.Contains(r.Strings("stop.breakpointIds"), once) {
		r = next(c)
		require.Equal(t, "hit", r.String("reason"), "%s", r.Raw)
	}
	for line := 14; line < 17; line++ {
		c.Do("breakpoint_set", mcptest.Args{"file": source, "line": line})
	}
	for range 6 {
		r = c.Do("debug_step", mcptest.Args{"thread_id": stepped})
		require.Equal(t, stepped, r.Int("stop.threadId"), "%s", r.Raw)
	}
	require.Equal(t, 1, c.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"))
}
