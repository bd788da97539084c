package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

// lldb-dap stopped where values of C++ are in scope.
func TestLiveCppValues(t *testing.T) {
	program, source := fixtures.BuildC(t, "values"), fixtures.Program("c", "values.cc")
	c := liveLLDB(t)
	c.Do("breakpoint_set", mcptest.Args{"file": source, "line": fixtures.MarkIn(t, source, "hit")})
	r := toFirstStop(c, program)
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)

	// Evaluated values are counted and read in pages like listed ones.
	assert.Equal(t, 3000, c.Do("evaluate", mcptest.Args{"expression": "big"}).Int("childCount"))
	assert.Equal(t, 100, c.Do("evaluate", mcptest.Args{"expression": "fixed"}).Int("childCount"))
	r = c.Do("variables_get", mcptest.Args{"expand": "big", "start": 2998})
	assert.Equal(t, 3000, r.Int("total"))
	assert.Equal(t, "9", r.String("variables.1.value"), "%s", r.Raw)
	r = c.Do("collection_analyze", mcptest.Args{"expression": "big", "timeout_ms": 60_000})
	assert.Equal(t, 3000, r.Int("summary.count"))
	assert.Equal(t, "9", r.String("summary.numericStats.max"), "%s", r.Raw)

	r = c.Do("collection_analyze", mcptest.Args{"expression": "table"})
	assert.JSONEq(t, `[{"key":"1","keyType":"int","value":"1.5","valueType":"double"},{"key":"2","keyType":"int",`+
		`"value":"2.5","valueType":"double"}]`,
		string(r.At("summary.keyValuePairs").Raw), "%s", r.Raw)

	// lldb-dap's setVariable accepts numbers.
	for _, tt := range []struct{ name, value, previous, now string }{
		{"letter", "'q'", "'x'", "'q'"},
		{"truth", "false", "true", "false"},
		{"colour", "Colour::green", "red", "green"},
		{"text", `"new"`, `"old"`, `"new"`},
		{"number", "number + 41", "1", "42"},
		{"number", "7", "42", "7"},
		{"big[3]", "'a'", "7", "97"},
	} {
		r := c.Do("variable_set", mcptest.Args{"path": tt.name, "value": tt.value})
		assert.Equal(t, tt.previous, r.String("previousValue"), tt.name)
		assert.Equal(t, tt.now, r.String("variable.value"), "%s", r.Raw)
		assert.Equal(t, tt.now, c.Do("evaluate", mcptest.Args{"expression": tt.name}).String("value"), tt.name)
	}
	r = c.Refused(fault.EvalFailed, "variable_set", mcptest.Args{"name": "number", "value": "nosuch"})
	assert.Contains(t, r.String("error.message"), "number was not changed: ")
	assert.Contains(t, r.String("error.message"), "nosuch")
	assert.Equal(t, "7", r.String("error.details.currentValue"))
	c.Refused(fault.EvalFailed, "variable_set", mcptest.Args{"name": "number", "value": ""})
}

// lldb-dap has no setExpression, and a member of an evaluated struct is a member of a copy. What an expression names is
// set by an assignment.
func TestSetWhatAnExpressionNames(t *testing.T) {
	value := "1"
	s := serve(t, "lldb-dap", daptest.LLDB(), daptest.Program{
		Threads: []daptest.Thread{{Code: daptest.Lines(daptest.Step{File: source, Line: 1, Func: "main"})}},
		Eval: func(c daptest.EvalCall) (daptest.Var, bool) {
			switch c.Expression {
			case "*p = (33)":
				value = "33"
			case "*p":
			default:
				return daptest.Var{Err: "error: array type 'int[4]' is not assignable"}, true
			}
			return daptest.Var{Value: value, Type: "int"}, true
		},
	})
	s.launchTo(t, 1)
	r := s.Do("variable_set", mcptest.Args{"path": "*p", "value": "33"})
	assert.Equal(t, "1", r.String("previousValue"), "%s", r.Raw)
	assert.Equal(t, "33", r.String("variable.value"))
	r = s.Refused(fault.EvalFailed, "variable_set", mcptest.Args{"path": "*p", "value": "q"})
	assert.Contains(t, r.String("error.message"), "array type 'int[4]' is not assignable")
}

// lldb-dap ends a call that takes more than half a second. The error says so, and not that a breakpoint was hit.
func TestLiveEvaluationThatTheDebuggerEnds(t *testing.T) {
	source, program := writeC(t, t.TempDir(), `int endless(volatile int i) { while (i) ; return i; }
int main(void) {
  int a = endless(0);
  return a; // line 4
}
`, "-g", "-O0")
	c := liveLLDB(t)
	c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 4})
	toFirstStop(c, program)
	r := c.Refused(fault.EvalTimeout, "evaluate", mcptest.Args{"expression": "endless(1)", "timeout_ms": 60_000})
	require.Contains(t, r.String("error.message"), "took too long for lldb-dap")
	require.Equal(t, "0", c.Do("evaluate", mcptest.Args{"expression": "a"}).String("value"))
}

// Members are set by the path that variables_get shows, without a list before it.
func TestLiveSetMembers(t *testing.T) {
	const text = `struct in { int v; double d; };
struct node { int id; char name[8]; struct node *next; struct in inner; struct in many[3]; };
int main(void) {
  struct node a = {1, "one", 0}, b = {2, "two", &a}, *h = &b, **hh = &h;
  int nums[4] = {1, 2, 3, 4}, *p = nums;
  return h->id + (*hh)->id + *p; // line 6
}
`
	source, program := writeC(t, t.TempDir(), text, "-g", "-O0")
	c := liveLLDB(t)
	c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 6})
	toFirstStop(c, program)
	for _, tt := range []struct{ path, value, previous, now string }{
		{"h->id", "70", "2", "70"}, {"h->next->id", "5", "1", "5"}, {"(*h).id", "71", "70", "71"},
		{"(*hh)->id", "72", "71", "72"}, {"h->inner.d", "2.5", "0", "2.5"}, {"h->many[1].v", "8", "0", "8"},
		{"h->name[0]", "'x'", "'t'", "'x'"}, {"*p", "33", "1", "33"}, {"p[1]", "34", "2", "34"},
	} {
		r := c.Do("variable_set", mcptest.Args{"path": tt.path, "value": tt.value})
		assert.Equal(t, tt.previous, r.String("previousValue"), tt.path)
		assert.Equal(t, tt.now, r.String("variable.value"), tt.path)
		assert.Equal(t, tt.now, c.Do("evaluate", mcptest.Args{"expression": tt.path}).String("value"), tt.path)
	}
	r := c.Refused(fault.EvalFailed, "variable_set", mcptest.Args{"path": "h->name", "value": `"abc"`})
	assert.Contains(t, r.String("error.message"), "array type")
}

// lldb-dap answers function breakpoints in its own order. Each stop names its own breakpoint, and the entry stop
// names none.
func TestLiveFunctionsOfLLDB(t *testing.T) {
	program := fixtures.BuildC(t, "loop")
	c := liveLLDB(t)
	functions := map[string]string{}
	for _, name := range []string{"Work", "write", "atoi", "nowhere", "exit"} {
		functions[c.Do("breakpoint_set_function", mcptest.Args{"function": name}).String("breakpoint.id")] = name
	}
	r := c.Do("debug_launch", mcptest.Args{"program": program, "args": []string{"2"}, "backend": "lldb-dap"})
	require.Equal(t, "entry", r.String("stop.reason"), "%s", r.Raw)
	require.Equal(t, "main", r.String("stop.location.functionName"))
	require.Equal(t, 1, r.Len("breakpoints"), "%s", r.Raw)
	require.Equal(t, "nowhere", r.String("breakpoints.0.function"))
	counts := map[string]int{}
	for {
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
		if r.String("reason") != "hit" {
			break
		}
		require.Equal(t, 1, r.Len("stop.breakpointIds"), "%s", r.Raw)
		name := functions[r.Strings("stop.breakpointIds")[0]]
		require.Contains(t, r.String("stop.location.functionName"), name, "%s", r.Raw)
		counts[name]++
		if name == "Work" && counts[name] == 1 {
			functions[c.Do("breakpoint_set_function", mcptest.Args{"function": "fflush"}).String("breakpoint.id")] = "fflush"
			c.Do("breakpoint_set_function", mcptest.Args{"function": "atoi", "condition": "1"})
		}
	}
	require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
	require.Equal(t, 2, counts["Work"], "%v", counts)
	require.NotZero(t, counts["write"], "%v", counts)
}

// A signal always stops, whatever exceptions are asked for.
func TestLiveSignalBesideExceptions(t *testing.T) {
	c := liveLLDB(t)
	for _, typ := range []string{"std::runtime_error", "cpp_throw"} {
		c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": typ})
	}
	r := c.Do("debug_launch", mcptest.Args{"program": fixtures.BuildC(t, "loop"), "args": []string{"2", "crash"},
		"backend": "lldb-dap"})
	require.False(t, r.Has("breakpoints"), "%s", r.Raw) // all are bound
	r = c.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, "exception", r.String("reason"), "%s", r.Raw)
	require.Contains(t, r.String("stop.exception.message"), "SIGSEGV")
	require.Empty(t, r.Strings("stop.breakpointIds"))
}

// Of several breakpoints at one instruction lldb-dap names one. All are hit, each with its own condition.
func TestLiveHitsAtOneInstruction(t *testing.T) {
	source := fixtures.Program("c", "loop.c")
	c := liveLLDB(t)
	set := func(tool string, args mcptest.Args) string { return c.Do(tool, args).String("breakpoint.id") }
	function := set("breakpoint_set_function", mcptest.Args{"function": "Work"})
	line := set("breakpoint_set", mcptest.Args{"file": source, "line": 6})
	// the function's head, bound to line 6 too
	above := set("breakpoint_set", mcptest.Args{"file": source, "line": 5, "condition": "i == 2"})
	r := toFirstStop(c, fixtures.BuildC(t, "loop"), "3")
	for i, want := range [][]string{{function, line}, {function, line}, {function, line, above}} {
		if i > 0 {
			r = c.Do("debug_continue", mcptest.Args{"wait": true})
		}
		if !r.Has("stop") {
			r = c.Do("debug_state", nil)
		}
		require.ElementsMatch(t, want, r.Strings("stop.breakpointIds"), "%s", r.Raw)
	}
	require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
	counts := map[string]int{}
	r = c.Do("breakpoint_list", nil)
	for i := range r.Len("breakpoints") {
		b := r.At("breakpoints." + itoa(i))
		counts[b.String("id")] = b.Int("hitCount")
	}
	require.Equal(t, map[string]int{function: 3, line: 3, above: 1}, counts)
}
