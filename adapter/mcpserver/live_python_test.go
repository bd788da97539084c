package mcpserver_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
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

// debugpy lists the first elements of a container, an item for the rest, and fields among them. The item and the
// fields are not elements.
func TestLivePythonCollections(t *testing.T) {
	c, file := livePython(t, `import collections
class Rows(list):
    title = "rows"
def work():
    items = list(range(1200)); edge = list(range(101)); rows = Rows(range(300)); bag = set(range(700)); empty = []
    table = {"k%d" % i: i for i in range(1200)}; letters = collections.Counter("hello")
    queue = collections.deque([1, 2, 3]); long_queue = collections.deque(range(150))
    ordered = collections.OrderedDict((i, -i) for i in range(600))
    return items  # line 9
work()
`)
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 9})
	toFirstStop(c, file)
	tests := []struct {
		name, kind, min, max string
		count                int
	}{
		{"items", "List", "0", "1199", 1200},
		{"edge", "List", "0", "100", 101},
		{"rows", "Other", "0", "299", 300},
		{"table", "Dictionary", "0", "1199", 1200},
		{"bag", "Set", "0", "699", 700},
		{"queue", "Queue", "1", "3", 3},
		{"long_queue", "Queue", "0", "149", 150},
		{"letters", "Dictionary", "1", "2", 4},
		{"ordered", "Dictionary", "-599", "0", 600},
	}
	for _, tt := range tests {
		r := c.Do("collection_analyze", mcptest.Args{"expression": tt.name})
		assert.Equal(t, tt.count, r.Int("summary.count"), "%s", r.Raw)
		assert.Equal(t, tt.kind, r.String("summary.kind"), tt.name)
		assert.Equal(t, "int", r.String("summary.elementType"), "%s", r.Raw)
		assert.Equal(t, tt.min, r.String("summary.numericStats.min"), "%s", r.Raw)
		assert.Equal(t, tt.max, r.String("summary.numericStats.max"), "%s", r.Raw)
		assert.Zero(t, r.Int("summary.nullCount"), tt.name)
	}
	assert.Equal(t, 0, c.Do("collection_analyze", mcptest.Args{"expression": "empty"}).Int("summary.count"))

	for name, last := range map[string]inspect.Variable{
		"items":      {Name: "[1199]", Path: "items[1199]", Value: "1199"},
		"rows":       {Name: "[299]", Path: "rows[299]", Value: "299"},
		"table":      {Name: "'k1199'", Path: "table['k1199']", Value: "1199"},
		"ordered":    {Name: "599", Path: "ordered[599]", Value: "-599"},
		"long_queue": {Name: "[149]", Path: "long_queue[149]", Value: "149"},
		"edge":       {Name: "[100]", Path: "edge[100]", Value: "100"},
	} {
		_, vars := all(t, c, mcptest.Args{"expand": name, "count": 1000})
		for _, v := range vars {
			require.NotContains(t, v.Type, "MoreItems", name)
		}
		got := vars[len(vars)-1]
		assert.Equal(t, last, inspect.Variable{Name: got.Name, Path: got.Path, Value: got.Value}, name)
	}
	fields, _ := all(t, c, mcptest.Args{"expand": "long_queue", "count": 1000})
	assert.Equal(t, "None", fields["maxlen"].Value)
	assert.Len(t, fields, 151)
}

// debugpy never answers an evaluation that leaves the interpreter, but it is not busy with it.
func TestLivePythonEvaluationWithoutAnswer(t *testing.T) {
	c, file := livePython(t, `import time
for i in range(3):
    print(i)  # line 3
`)
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 3})
	toFirstStop(c, file)
	free := func() bool { return !c.Call("evaluate", mcptest.Args{"expression": "i"}).IsError }
	c.Refused(fault.EvalTimeout, "evaluate", mcptest.Args{"expression": "exit()", "timeout_ms": 100})
	require.Eventually(t, free, mcptest.Patience, 1e6)

	gate := filepath.Join(t.TempDir(), "gate")
	waits := fmt.Sprintf(`[time.sleep(0.01) for _ in iter(lambda: __import__("os").path.exists(%q), True)]`, gate)
	c.Refused(fault.EvalTimeout, "evaluate", mcptest.Args{"expression": waits, "timeout_ms": 50})
	c.Refused(fault.BackendBusy, "variables_get", nil)
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	require.Eventually(t, free, mcptest.Patience, 1e6)

	c.Do("breakpoint_remove", mcptest.Args{"all": true})
	c.Do("tracepoint_set", mcptest.Args{"file": file, "line": 3, "log_message": "{exit()}", "strategy": "stop",
		"max_notifications": 1})
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 3, "condition": "i == 2"})
	require.Equal(t, "breakpoint", c.Do("debug_continue", mcptest.Args{"wait": true}).String("stop.reason"))
	require.Eventually(t, free, mcptest.Patience, 1e6)
	require.Equal(t, "2", c.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
}

// Python types are accepted by their short and full names and by their base types. debugpy stops in each frame that
// an exception passes; one exception is reported as one stop, and a second one when it is unhandled.
func TestLivePythonExceptions(t *testing.T) {
	c, file := livePython(t, `class AppError(Exception): pass
class SubError(AppError): pass
def risky(n):
    if n == 1: raise SubError("sub")
    if n == 2: raise KeyError("key")
    if n == 3: raise AppError("app")
def between(n): risky(n)
for n in range(4):
    try: between(n)
    except (AppError, KeyError): pass
for text in ("1", "x", "y"):
    try: int(text)
    except ValueError: pass
between(3)
`)
	type arguments = mcptest.Args
	for _, tt := range []struct {
		name string
		args arguments
		want []string
	}{
		{"all", arguments{"exception_type": "*"}, []string{"4 sub", "5 'key'", "6 app", "12 invalid", "12 invalid",
			"6 app", "6 app unhandled"}},
		{"with subtypes", arguments{"exception_type": "AppError"}, []string{"4 sub", "6 app", "6 app", "6 app unhandled"}},
		{"a full name", arguments{"exception_type": "__main__.AppError", "include_subtypes": false},
			[]string{"6 app", "6 app", "6 app unhandled"}},
		{"a builtin base", arguments{"exception_type": "LookupError", "break_on_second_chance": false},
			[]string{"5 'key'"}},
		{"only unhandled", arguments{"exception_type": "AppError", "break_on_first_chance": false},
			[]string{"6 app unhandled"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id := c.Do("breakpoint_set_exception", tt.args).String("breakpoint.id")
			defer c.Do("breakpoint_remove", mcptest.Args{"all": true})
			r := c.Do("debug_launch", mcptest.Args{"program": file})
			var got []string
			hits := 0
			for {
				if r = c.Do("debug_continue", mcptest.Args{"wait": true}); r.String("reason") != "exception" {
					break
				}
				message, _, _ := strings.Cut(r.String("stop.exception.message"), " ")
				stop := itoa(r.Int("stop.location.line")) + " " + message
				if !r.Bool("stop.exception.isFirstChance") {
					stop += " unhandled"
				}
				if r.Len("stop.breakpointIds") == 0 {
					stop += " by default"
				} else {
					hits++
					require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"))
					require.Equal(t, hits, r.Int("stop.hitCount"), "%s", r.Raw)
				}
				got = append(got, stop)
			}
			require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
			require.Equal(t, tt.want, got)
		})
	}
}

// sys.exit ends a program and is no unhandled exception, unless an exception breakpoint names SystemExit itself.
func TestLivePythonSystemExit(t *testing.T) {
	c, file := livePython(t, `import sys
class Quit(SystemExit): pass
if len(sys.argv) > 1: raise Quit(4)
sys.exit(3)
`)
	for _, tt := range []struct {
		named string // type of the exception breakpoint, "" for none
		args  []string
		stops int
	}{
		{"", nil, 0}, {"*", nil, 0}, {"BaseException", nil, 0}, {"SystemExit", nil, 1},
		{"", []string{"x"}, 0}, {"*", []string{"x"}, 0}, {"SystemExit", []string{"x"}, 0}, {"Quit", []string{"x"}, 1},
	} {
		t.Run(tt.named+" "+strings.Join(tt.args, ""), func(t *testing.T) {
			if tt.named != "" {
				c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": tt.named, "break_on_first_chance": false})
				defer c.Do("breakpoint_remove", mcptest.Args{"all": true})
			}
			c.Do("debug_launch", mcptest.Args{"program": file, "args": tt.args})
			r, stops := c.Do("debug_continue", mcptest.Args{"wait": true}), 0
			for ; r.String("reason") == "exception"; stops++ {
				r = c.Do("debug_continue", mcptest.Args{"wait": true})
			}
			require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
			require.Equal(t, tt.stops, stops)
			require.Equal(t, 3+len(tt.args), r.Int("session.exitCode"))
		})
	}
}

// Variables of any name arrive, also those that a shell does not hand on.
func TestLivePythonEnvironment(t *testing.T) {
	c, file := livePython(t, "import os\nprint(os.environ.get('A B'), os.environ.get('A.B'), os.environ.get('T'))\n")
	c.Do("debug_launch", mcptest.Args{"program": file, "stop_at_entry": false, "wait": true,
		"env": map[string]string{"A B": "1", "A.B": "2", "T": "3"}})
	text := c.Do("process_read_output", mcptest.Args{"tail_lines": 10}).String("stdout")
	require.Equal(t, "1 2 3\n", text)
}

// A step is not cut short by an exception that no breakpoint asks for, and ends with a program that calls sys.exit.
func TestLivePythonStepsAndExceptions(t *testing.T) {
	c, file := livePython(t, `import sys
def caught(i):
    try:
        raise KeyError(i)
    except KeyError:
        return i
def main():
    a = 1
    b = caught(a)
    c = caught(b)
    sys.exit(3)
main()
`)
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 8})
	c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "ValueError"})
	c.Do("debug_launch", mcptest.Args{"program": file, "stop_at_entry": false, "wait": true})
	for line := 9; line <= 11; line++ {
		r := c.Do("debug_step", nil)
		require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
		require.Equal(t, line, r.Int("stop.location.line"), "%s", r.Raw)
	}
	r := c.Do("debug_step", mcptest.Args{"mode": "out"})
	for r.String("reason") == "step" { // debugpy ends the step in the caller, which the exception leaves, too
		require.Equal(t, 12, r.Int("stop.location.line"), "%s", r.Raw)
		r = c.Do("debug_step", mcptest.Args{"mode": "out"})
	}
	require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
	require.Equal(t, 3, r.Int("session.exitCode"))
}

// debugpy accepts every function and compares only the last name, so a method with its class would never be hit.
func TestLivePythonFunctionNames(t *testing.T) {
	c, file := livePython(t, `class A:
    def m(self):
        return 1
A().m()
`)
	bare := c.Do("breakpoint_set_function", mcptest.Args{"function": "m"}).String("breakpoint.id")
	full := c.Do("breakpoint_set_function", mcptest.Args{"function": "A.m"}).String("breakpoint.id")
	r := c.Do("debug_launch", mcptest.Args{"program": file})
	require.Equal(t, 1, r.Len("breakpoints"), "%s", r.Raw)
	require.Equal(t, full, r.String("breakpoints.0.id"))
	require.Equal(t, "failed", r.String("breakpoints.0.state"))
	require.Contains(t, r.String("breakpoints.0.message"), "set it on m")
	r = c.Do("breakpoint_set_function", mcptest.Args{"function": "program.A.m"})
	require.Equal(t, "failed", r.String("breakpoint.state"), "%s", r.Raw)
	require.Equal(t, []string{bare}, c.Do("debug_continue", mcptest.Args{"wait": true}).Strings("stop.breakpointIds"))
}

// debugpy verifies a breakpoint at a coroutine or generator, and never stops there: the answer says so.
func TestLivePythonFunctionsThatAreResumed(t *testing.T) {
	c, file := livePython(t, `import asyncio

async def fetch():
    return 1

def count():
    yield 2

def plain():
    return 3

asyncio.run(fetch())
list(count())
plain()
`)
	for _, name := range []string{"fetch", "count", "plain"} {
		c.Do("breakpoint_set_function", mcptest.Args{"function": name})
	}
	r := toFirstStop(c, file)
	require.Equal(t, 9, r.Int("stop.location.line"), "a debugpy that stops in the others makes their message wrong: %s",
		r.Raw)
	list := c.Do("breakpoint_list", nil)
	for i, line := range []string{":3", ":6"} {
		at := "breakpoints." + itoa(i)
		require.Equal(t, "pending", list.String(at+".state"), "%s", list.Raw)
		require.Contains(t, list.String(at+".message"), filepath.Base(file)+line)
	}
	require.Equal(t, "bound", list.String("breakpoints.2.state"), "%s", list.Raw)
	require.False(t, list.Has("breakpoints.2.message"), "%s", list.Raw)
}

// A new exception may have the address of an earlier one. It is reported separately, however deep it was raised.
func TestLivePythonExceptionWithReusedID(t *testing.T) {
	c, file := livePython(t, `import json
for i in range(6):
    try: raise json.JSONDecodeError("a", "b", 0)  # line 3
    except ValueError: pass
    try: json.loads("{")  # line 5
    except ValueError: pass
`)
	c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "json.decoder.JSONDecodeError"})
	r := toFirstStop(c, file)
	var lines []int
	for r.String("reason") != "exited" {
		lines = append(lines, r.Int("stop.location.line"))
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
	}
	require.Equal(t, []int{3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5}, lines)
}

// A program may have variables with the names of Python's own functions.
func TestLivePythonNamesOfBuiltins(t *testing.T) {
	c, file := livePython(t, `numbers = [i for i in range(1200)]
table = {i: -i for i in range(1200)}
bag = set(range(700))
text = "ab" * 3000
class Base(Exception): pass
class Sub(Base): pass
id = len = list = dict = enumerate = isinstance = type = str = None
def f(): raise Sub("x")
for i in [1, 2]:
    try: f()
    except Base: pass
print(1)  # line 12
`)
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 12})
	exception := c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "Base"}).String("breakpoint.id")
	r := toFirstStop(c, file)
	for range 2 {
		require.Equal(t, []string{exception}, r.Strings("stop.breakpointIds"), "%s", r.Raw)
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
	}
	require.Equal(t, 12, r.Int("stop.location.line"), "%s", r.Raw)
	for name, want := range map[string]string{"numbers": "600", "table": "-600", "bag": "600"} {
		r = c.Do("variables_get", mcptest.Args{"expand": name, "start": 600, "count": 1})
		require.Equal(t, want, r.String("variables.0.value"), "%s", r.Raw)
	}
	require.Equal(t, 12, c.Do("variables_get", mcptest.Args{"expand": "text", "count": 1}).Int("total"))
}

// A new value that cannot be evaluated is refused, and nothing is printed for it. debugpy reported success, or did
// not answer any more.
func TestLivePythonSetVariable(t *testing.T) {
	c, file := livePython(t, `import sys
class Box: pass
box = Box(); box.size = 1
table = {"a": 1}
numbers = [1, 2]
pair = (1, 2)
calls = []
def tick(): calls.append(1); return len(calls)
def f(i):
    print(i, file=sys.stderr)  # line 10
f(1)
print(box.size, table, numbers, len(calls))
`)
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 10})
	toFirstStop(c, file)
	for _, set := range [][3]string{
		{"i", "7", "7"}, {"i", "tick()", "1"}, {"box.size", "5 # cells", "5"}, {`table["a"]`, "[1,\n2]", "[1, 2]"},
		{"numbers[0]", "i", "1"}, {"i", `"it"`, "'it'"},
	} {
		r := c.Do("variable_set", mcptest.Args{"path": set[0], "value": set[1]})
		require.Equal(t, set[2], r.String("variable.value"), "%s", r.Raw)
	}
	for path, value := range map[string]string{"i": "nosuch", "box.size": "nosuch", "pair[0]": "1", "all": "nosuch"} {
		r := c.Refused(fault.EvalFailed, "variable_set", mcptest.Args{"path": path, "value": value})
		require.Regexp(t, "was not changed: (Name|Type)Error", r.String("error.message"))
	}
	c.Refused(fault.SyntaxError, "variable_set", mcptest.Args{"path": "i", "value": "1; 2"})
	c.Refused(fault.SyntaxError, "variable_set", mcptest.Args{"path": "-1", "value": "2"})
	c.Refused(fault.EvalFailed, "variable_set", mcptest.Args{"path": "i", "value": " "})
	require.Equal(t, "'it'", c.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
	end := c.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, "exited", end.String("reason"), "%s", end.Raw)
	output := c.Do("process_read_output", mcptest.Args{"tail_lines": 10})
	require.Equal(t, "5 {'a': [1, 2]} [1, 2] 1\n", output.String("stdout"))
	require.Equal(t, "it\n", output.String("stderr"))
}

// A log point at the beginning of a function reports its own hits; the stop of the function breakpoint is not one of
// them.
func TestLivePythonLogPointAtAFunction(t *testing.T) {
	c, file := livePython(t, `def f(i):
    return i
def g(i): return i
for i in range(3): f(i); g(i)
`)
	c.Do("breakpoint_set_function", mcptest.Args{"function": "g"})
	c.Do("tracepoint_set", mcptest.Args{"file": file, "line": 3, "condition": "'i' in vars()", "log_message": "{i}",
		"strategy": "native"})
	r := c.Do("debug_launch", mcptest.Args{"program": file})
	for range 3 {
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, 3, r.Int("stop.location.line"), "%s", r.Raw)
	}
	require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
	r = c.Do("events_query", mcptest.Args{"types": []string{"tracepoint"}})
	var told []string
	for i := range r.Len("events") {
		told = append(told, r.String(fmt.Sprintf("events.%d.logMessage", i)))
	}
	require.Equal(t, []string{"0", "1", "2"}, told)
}

// The adapter's Python and the program's are two things: an environment without debugpy runs the program, whether it is
// active, named by a configuration or given as the program itself.
func TestLivePythonInterpreter(t *testing.T) {
	debugpy := fixtures.Debugpy(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	env := filepath.Join(root, "env")
	if out, err := exec.Command(debugpy, "-m", "venv", "--without-pip", env).CombinedOutput(); err != nil {
		t.Skipf("no environment can be made here: %s", out)
	}
	python := filepath.Join(env, "bin", "python")
	if runtime.GOOS == "windows" {
		python = filepath.Join(env, "Scripts", "python.exe")
	}
	file := filepath.Join(root, "app.py")
	require.NoError(t, os.WriteFile(file, []byte("import sys\nprint(sys.prefix, sys.argv[1:])\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(root, ".vscode"), 0o700))
	launch, err := json.Marshal(map[string]any{"configurations": []any{map[string]any{
		"name": "app", "type": "debugpy", "program": file, "python": python, "args": []string{"x"}}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(root, ".vscode", "launch.json"), launch, 0o600))
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv("CONDA_PREFIX", "")
	for _, tt := range []struct {
		name   string
		active bool
		args   mcptest.Args
	}{
		{"a configuration", false, mcptest.Args{"configuration": "app"}},
		{"active", true, mcptest.Args{"program": file, "args": []string{"x"}}},
		{"a script", false, mcptest.Args{"program": python, "args": []string{"app.py", "x"}}},
		{"a module", false, mcptest.Args{"program": python, "args": []string{"-u", "-m", "app", "x"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("DEBUGPY_PYTHON", debugpy)
			if tt.active { // and found behind the environment's own on PATH
				t.Setenv("DEBUGPY_PYTHON", "")
				t.Setenv("VIRTUAL_ENV", env)
				t.Setenv("PATH", filepath.Dir(python)+string(os.PathListSeparator)+filepath.Dir(debugpy))
			}
			c := mcptest.Serve(t, mcptest.Live(t, adapter.Options{ProjectRoot: root}), mcpserver.Options{})
			c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 2})
			tt.args["stop_at_entry"] = false
			c.Do("debug_launch", tt.args)
			if c.Do("debug_state", nil).String("session.state") != "paused" {
				require.Equal(t, "hit", c.Do("breakpoint_wait", nil).String("reason"))
			}
			require.Equal(t, "'"+env+"'", c.Do("evaluate", mcptest.Args{"expression": "sys.prefix"}).String("value"))
			require.Equal(t, "['x']", c.Do("evaluate", mcptest.Args{"expression": "sys.argv[1:]"}).String("value"))
			require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
		})
	}
}

// Statements are run where they stand; nothing is run twice, and safe refuses them.
func TestLivePythonStatements(t *testing.T) {
	c, file := livePython(t, `runs = []
def f(a):
    b = a + 1
    return b  # line 4
f(1)
`)
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 4})
	toFirstStop(c, file)
	value := func(text string) string { return c.Do("evaluate", mcptest.Args{"expression": text}).String("value") }
	for _, text := range []string{"import math", "b = 40", "for i in range(3): runs.append(i)", "if True:\n    b += 2",
		"del runs[0]", "assert b == 42"} {
		r := c.Do("evaluate", mcptest.Args{"expression": text})
		require.Empty(t, r.String("value"), text)
		require.Contains(t, r.String("note"), "statement", text)
	}
	require.Equal(t, "42", value("b"))
	require.Equal(t, "[1, 2]", value("runs"))
	e := c.Refused(fault.EvalFailed, "evaluate", mcptest.Args{"expression": "assert b == 1, 'not so'"})
	require.Contains(t, e.String("error.message"), "AssertionError: not so")
	c.Refused(fault.SyntaxError, "evaluate", mcptest.Args{"expression": "b = = 2"})
	c.Refused(fault.SyntaxError, "evaluate", mcptest.Args{"expression": "[runs.append(9), eval('1 1')]"})
	require.Equal(t, "[1, 2, 9]", value("runs"), "an expression is not run again")
	c.Refused(fault.EvalRejected, "evaluate", mcptest.Args{"expression": "b = 5", "safe": true})
	require.Equal(t, "42", value("b"))
}

// Conditions are tested in the program, where every pass of every thread is counted, also while breakpoints change.
func TestLivePythonConditions(t *testing.T) {
	c, file := livePython(t, `import threading
def f(i):
    x = i * 2
    return x  # line 4
def many():
    for i in range(500): f(i)
def check(n): return n
check(1)
threads = [threading.Thread(target=many) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
for i in range(500): f(i)
check(2)
gone = True  # line 14
`)
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 3, "condition": "threading.active_count() == 99"})
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 4, "condition": "[i for n in (x,) if n == i * 2]",
		"hit_condition": "1999"})
	c.Do("breakpoint_set_function", mcptest.Args{"function": "check", "condition": "nosuch"})
	c.Do("debug_launch", mcptest.Args{"program": file})
	for i, want := range []string{"bp-3 1 NameError", "bp-2 1999 ", "bp-3 2 NameError", "bp-4 1 NameError"} {
		r := c.Do("debug_continue", mcptest.Args{"wait": true})
		why, _, _ := strings.Cut(r.String("stop.conditionError"), ":")
		require.Equal(t, want, fmt.Sprintf("%s %d %s", r.String("stop.breakpointIds.0"), r.Int("stop.hitCount"), why),
			"%s", r.Raw)
		if i == 0 {
			c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 14, "condition": "not gone"})
		}
	}
	require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
	r := c.Do("breakpoint_list", nil)
	for i, want := range [][2]int{{0, 2000}, {2000, 0}, {2, 0}, {1, 0}} {
		b := fmt.Sprintf("breakpoints.%d.", i)
		require.Equal(t, want, [2]int{r.Int(b + "hitCount"), r.Int(b + "falsePasses")}, "%s", r.Raw)
	}
}

// TestLivePythonUnknownModule: the search for a module that does not exist is no place to stop at.
func TestLivePythonUnknownModule(t *testing.T) {
	c, _ := livePython(t, "")
	r := c.Settled(c.Do("debug_launch", mcptest.Args{"module": "nosuchmodule"}))
	require.Equal(t, "exited", cmp.Or(r.String("reason"), r.String("session.endReason")), "%s", r.Raw)
}
