package mcpserver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// atValues is the real Delve, stopped with values of many forms in scope.
func atValues(t testing.TB) *mcptest.Client {
	c := liveDelve(t)
	c.Do("breakpoint_set", mcptest.Args{"file": fixtures.GoSource("values"), "line": fixtures.Mark(t, "values", "hit")})
	r := toFirstStop(c, fixtures.BuildGo(t, "values"))
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	return c
}

// all reads all pages of a listing and returns its variables by name.
func all(t testing.TB, c *mcptest.Client, args mcptest.Args) (byName map[string]inspect.Variable,
	inOrder []inspect.Variable) {
	t.Helper()
	byName = map[string]inspect.Variable{}
	for start := 0; ; {
		args["start"] = start
		r := c.Do("variables_get", args)
		if args["count"] == nil {
			require.Less(t, len(r.Raw), 4096)
		}
		var page struct {
			Variables []inspect.Variable
			NextStart int
			Total     int
		}
		r.Into(&page)
		for _, v := range page.Variables {
			byName[v.Name] = v
			inOrder = append(inOrder, v)
		}
		if start = page.NextStart; start == 0 {
			require.Len(t, inOrder, page.Total)
			return byName, inOrder
		}
	}
}

func TestLiveGoValues(t *testing.T) {
	c := atValues(t)
	vars, _ := all(t, c, mcptest.Args{})
	tests := []struct {
		name, value, scope string
		children           bool
	}{
		{"text", `"argument"`, "argument", false},
		{"number", "42", "argument", false},
		{"origin", "main.point {X: 1, Y: 2}", "local", true},
		{"none", "*main.point nil", "local", false},
		{"list", `[]string len: 3, cap: 3, ["zero","one","two"]`, "local", true},
		{"lines", `"first\nsecond \"quoted\" \\ {braces}\ttab"`, "local", false},
		{"unicode", `"grün 日本 🙂"`, "local", false},
		{"truth", "true", "local", false},
		{"small", "-8", "local", false},
		{"pipe", "chan int 1/3", "local", true},
	}
	for _, tt := range tests {
		v := vars[tt.name]
		assert.Equal(t, tt.value, v.Value, tt.name)
		assert.Equal(t, tt.scope, v.Scope, tt.name)
		assert.Equal(t, tt.children, v.HasChildren, tt.name)
	}
	assert.True(t, vars["long"].Truncated)
	assert.Equal(t, 2500, vars["big"].ChildCount)
	args, _ := all(t, c, mcptest.Args{"scope": "arguments"})
	assert.Len(t, args, 2)

	_, big := all(t, c, mcptest.Args{"expand": "big"})
	require.Len(t, big, 2500)
	for i, v := range big {
		require.Equal(t, fmt.Sprintf("[%d]", i), v.Name)
		require.Equal(t, itoa(i*i), v.Value)
	}
	_, pieces := all(t, c, mcptest.Args{"expand": "long"})
	long := ""
	for _, p := range pieces {
		long += strings.Trim(p.Value, `"`)
	}
	require.Equal(t, strings.Repeat("0123456789", 400), long)
	table, _ := all(t, c, mcptest.Args{"expand": "table"})
	assert.Equal(t, "2", table[`"b"`].Value)
	assert.Equal(t, "int", table[`"b"`].Type)
	path := "ring"
	for range 5 {
		ring, _ := all(t, c, mcptest.Args{"expand": path})
		require.Equal(t, `"ring"`, ring["Name"].Value)
		path = ring["Next"].Path
	}
}

func TestLiveGoEvaluateAndSet(t *testing.T) {
	c := atValues(t)
	eval := func(e string) mcptest.Result { return c.Call("evaluate", mcptest.Args{"expression": e}) }
	assert.Equal(t, "2500", eval("len(big)").String("value"))
	assert.Contains(t, eval("none.X").String("error.message"), "nil pointer")
	assert.Equal(t, `"aa"`, eval(`strings.Repeat("a", 2)`).String("value"))
	assert.Equal(t, "SYNTAX_ERROR", eval("1 +").String("error.code"))
	tests := []struct{ path, value, previous, now string }{
		{"number", "43", "42", "43"},
		{"text", `"new"`, `"argument"`, `"new"`},
		{"big[3]", "7", "9", "7"},
		{"ring.Name", `"r2"`, `"ring"`, `"r2"`},
		{"list[1]", `"uno"`, `"one"`, `"uno"`},
	}
	for _, tt := range tests {
		r := c.Do("variable_set", mcptest.Args{"path": tt.path, "value": tt.value})
		assert.Equal(t, tt.previous, r.String("previousValue"), tt.path)
		assert.Equal(t, tt.now, r.String("variable.value"), tt.path)
		assert.Equal(t, tt.now, eval(tt.path).String("value"), tt.path)
	}
	r := c.Refused(fault.EvalFailed, "variable_set", mcptest.Args{"name": "ratio", "value": "abc"})
	assert.Contains(t, r.String("error.message"), "ratio was not changed")
	c.Refused(fault.VariableNotFound, "variable_set", mcptest.Args{"name": "nosuch", "value": "1"})
}

func TestLiveGoPanic(t *testing.T) {
	c := liveDelve(t)
	toFirstStop(c, fixtures.BuildGo(t, "panics"))
	r := c.Do("exception_get_context", nil)
	assert.Contains(t, r.String("exception.message"), "nil map")
	assert.Equal(t, "main.inner", r.String("frames.1.function"))
	assert.Equal(t, 3, r.Int("frames.1.index"), "runtime frames are folded: %s", r.Raw)
	assert.Equal(t, 2, r.Int("frames.0.folded"))
	assert.Contains(t, r.String("frames.1.variables.0.name"), "kind")
	r = c.Do("stacktrace_get", mcptest.Args{"fold": false})
	assert.Equal(t, 1, r.Int("frames.1.index"))
}

// livePython is a server on the real debugpy, with a program of its own.
func livePython(t *testing.T, source string) (c *mcptest.Client, file string) {
	t.Setenv("DEBUGPY_PYTHON", fixtures.Debugpy(t))
	file = filepath.Join(t.TempDir(), "program.py")
	require.NoError(t, os.WriteFile(file, []byte(source), 0o600))
	return mcptest.Serve(t, mcptest.Live(t, adapter.Options{}), mcpserver.Options{}), file
}

func TestLivePythonValues(t *testing.T) {
	c, file := livePython(t, `class Node:
    def __init__(self, name): self.name = name; self.next = self
    @property
    def boom(self): raise ValueError("getter")
def work(count, *rest):
    text = "x" * 5000; items = list(range(2500)); table = {"one": 1}; pair = (1, "two")
    none = None; ring = Node("ring")
    return count  # line 8
try:
    work(1, 2)
    raise KeyError("deep")
except KeyError as e:
    raise RuntimeError("outer") from e
`)
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 8})
	toFirstStop(c, file)
	vars, _ := all(t, c, mcptest.Args{})
	for name, want := range map[string]string{"count": "1", "rest": "(2,)", "pair": "(1, 'two')", "none": "None",
		"table": "{'one': 1}"} {
		assert.Equal(t, want, vars[name].Value, name)
	}
	assert.True(t, vars["text"].Truncated)
	_, items := all(t, c, mcptest.Args{"expand": "items", "count": 1000})
	require.Len(t, items, 2500)
	require.Equal(t, "2499", items[2499].Value)
	require.Equal(t, "items[2499]", items[2499].Path)
	ring, _ := all(t, c, mcptest.Args{"expand": "ring"})
	assert.Equal(t, "threw ValueError: getter", ring["boom"].Value)
	assert.Equal(t, "43", c.Do("variable_set", mcptest.Args{"name": "count", "value": "43"}).String("variable.value"))
	r := c.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, "exception", r.String("reason"), "%s", r.Raw)
	r = c.Do("exception_get_context", nil)
	assert.Equal(t, "RuntimeError", r.String("exception.type"))
	assert.Equal(t, "KeyError", r.String("innerExceptions.0.type"))
}

// With each real debugger the program reads what process_write_input writes, to its end. A program started without
// input finds the end of its input at once.
func TestLiveInput(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("named pipes")
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	python := `import sys
print("ready", flush=True)
n = 0
for line in sys.stdin:
    n += 1
    print("line %d: %s" % (n, line.rstrip("\n")))
print("end after", n)
`
	programs := map[string]func(t *testing.T) (string, *mcptest.Client){
		"dlv": func(t *testing.T) (string, *mcptest.Client) { return fixtures.BuildGo(t, "stdin"), liveDelve(t) },
		"debugpy": func(t *testing.T) (string, *mcptest.Client) {
			c, file := livePython(t, python)
			return file, c
		},
		"lldb-dap": func(t *testing.T) (string, *mcptest.Client) {
			_, program := writeC(t, t.TempDir(), `#include <stdio.h>
#include <string.h>
int main(void)
{
  char line[99];
  int n = 0;
  puts("ready");
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    printf("line %d: %s\n", ++n, line);
  }
  printf("end after %d\n", n);
  return 0;
}
`)
			return program, liveLLDB(t)
		},
	}
	for name, start := range programs {
		t.Run(name, func(t *testing.T) {
			program, c := start(t)
			finish := func(launched mcptest.Result) string {
				if launched.String("session.state") == "running" {
					require.Equal(t, "exited", c.Do("breakpoint_wait", nil).String("reason"))
				}
				return c.Do("process_read_output", mcptest.Args{"tail_lines": 10}).String("stdout")
			}
			r := c.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "backend": name})
			require.Equal(t, "emulated", c.Do("debug_state", nil).String("session.capabilities.stdin"))
			w := c.Do("process_write_input", mcptest.Args{"data": "one\ntwö\n"})
			require.Equal(t, 9, w.Int("bytesWritten"))
			require.True(t, c.Do("process_write_input", mcptest.Args{"data": "three", "close_after": true}).Bool("stdinClosed"))
			require.Equal(t, "ready\nline 1: one\nline 2: twö\nline 3: three\nend after 3\n", finish(r))
			c.Refused(fault.NoSession, "process_write_input", mcptest.Args{"data": "x"})

			r = c.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "backend": name, "stdin": false})
			require.Equal(t, "ready\nend after 0\n", finish(r))

			r = c.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "backend": name})
			require.Equal(t, "running", r.String("session.state"))
			c.Do("process_write_input", mcptest.Args{"data": "", "close_after": true})
			finish(r)
		})
	}
	left, err := filepath.Glob(filepath.Join(temp, "breakwire-*"))
	require.NoError(t, err)
	require.Empty(t, left, "pipes are taken away")
}
