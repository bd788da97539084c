package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// twoFunctions is a program with variables p and q in each of two functions, and a p in their caller.
func twoFunctions(member string) daptest.Program {
	at := func(line int, name, value string) daptest.Step {
		p := daptest.Var{Name: "p", Type: "App.Point", Value: "{App.Point}",
			Children: []daptest.Var{{Name: member, Type: "int", Value: value}}}
		q := p
		q.Name = "q"
		return daptest.Step{File: source, Line: line, Func: name, Vars: []daptest.Var{p, q},
			Callers: []daptest.Frame{{File: source, Line: 30, Func: "App.Main()", Vars: []daptest.Var{p}}}}
	}
	return daptest.Program{Threads: []daptest.Thread{{
		Code: daptest.Lines(at(10, "App.F()", "1"), at(11, "App.F()", "2"), at(20, "App.G()", "3"), at(21, "App.G()", "4")),
	}}}
}

// A path that an earlier stop showed is refused, also where this stop has a variable of that name, until this stop has
// shown it. Names and expressions are looked up anew at each stop.
func TestPathOfAnEarlierStop(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, twoFunctions("x"))
		s.launchTo(t, 10)
		s.breakAt(20)
		path := s.Do("variables_get", mcptest.Args{"names": []string{"p"}}).String("variables.0.path")
		member := s.Do("variables_get", mcptest.Args{"expand": path}).String("variables.0.path")

		refused := func() {
			t.Helper()
			for _, old := range []string{path, member} {
				r := s.Refused(fault.InvalidParameter, "variables_get", mcptest.Args{"expand": old})
				require.Contains(t, r.String("error.message"), "list the variables of this stop", "%s", r.Raw)
				require.Equal(t, old, r.String("error.details.path"))
				r = s.Refused(fault.InvalidParameter, "variable_set", mcptest.Args{"path": old, "value": "5"})
				require.Contains(t, r.String("error.message"), "as name", "%s", r.Raw)
				s.Refused(fault.InvalidParameter, "variables_get", mcptest.Args{"expand": old, "frame_index": 1})
			}
			require.Zero(t, s.adapter().Count("setVariable"))
		}
		require.Equal(t, "step", s.Do("debug_step", nil).String("reason"))
		refused() // a step ends a stop too
		next(s.Client)
		refused()

		require.Equal(t, 1, s.Do("variables_get", mcptest.Args{"expand": "q"}).Len("variables"), "never shown before")
		s.Do("evaluate", mcptest.Args{"expression": path})
		require.Equal(t, "3", s.Do("variables_get", mcptest.Args{"expand": path}).String("variables.0.value"))
	})
}

// A path leads through a value that this stop has shown: it is of this stop. A resume that fails ends no stop.
func TestPathOfThisStop(t *testing.T) {
	s := serve(t, "dlv", daptest.Delve(), twoFunctions("p.x"))
	s.launchTo(t, 10)
	s.breakAt(20)
	path := s.Do("variables_get", mcptest.Args{"names": []string{"p"}}).String("variables.0.path")
	member := s.Do("variables_get", mcptest.Args{"expand": path}).String("variables.0.path")
	s.adapter().Once("continue", daptest.Fail("not now"))
	require.True(t, s.Call("debug_continue", nil).IsError)
	s.Do("variables_get", mcptest.Args{"expand": member})
	next(s.Client)
	s.Do("variables_get", nil)
	s.Do("variables_get", mcptest.Args{"expand": member})
}

// On real debuggers too, a path of one function is no path of the next one.
func TestLivePathOfAnEarlierStop(t *testing.T) {
	run := func(t *testing.T, c *mcptest.Client, program, source string, first, second int, children ...string) {
		for _, line := range []int{first, second} {
			c.Do("breakpoint_set", mcptest.Args{"file": source, "line": line})
		}
		require.Equal(t, first, toFirstStop(c, program).Int("stop.location.line"))
		c.Do("variables_get", nil)
		child := c.Do("variables_get", mcptest.Args{"expand": "p"}).String("variables.0.path")
		require.Equal(t, children[0], child)
		require.Equal(t, second, next(c).Int("stop.location.line"))
		for _, path := range children {
			c.Refused(fault.InvalidParameter, "variables_get", mcptest.Args{"expand": path})
			c.Refused(fault.InvalidParameter, "variable_set", mcptest.Args{"path": path, "value": "5"})
		}
		c.Do("variables_get", nil)
		require.Equal(t, "9", c.Do("variables_get", mcptest.Args{"expand": "p"}).String("variables.0.value"))
		require.Equal(t, "9", c.Do("variable_set", mcptest.Args{"path": child, "value": "5"}).String("previousValue"))
		require.Equal(t, "5", c.Do("evaluate", mcptest.Args{"expression": child}).String("value"))
	}
	t.Run("Delve", func(t *testing.T) {
		folder := t.TempDir()
		source := writeGo(t, folder, "package main\n\ntype point struct{ x int }\n\nfunc f() int {\n\tp := point{1}\n"+
			"\treturn p.x\n}\n\nfunc g() int {\n\tp := point{9}\n\treturn p.x\n}\n\nfunc main() { println(f(), g()) }\n")
		run(t, liveDelve(t), folder, source, 7, 12, "p.x", "p")
	})
	t.Run("lldb-dap", func(t *testing.T) {
		source, program := writeC(t, t.TempDir(), "struct point { int x; };\nint f(void) {\n  struct point p = {1};\n"+
			"  return p.x;\n}\nint g(void) {\n  struct point p = {9};\n  return p.x;\n}\n"+
			"int main(void) { return f() + g(); }\n", "-g", "-O0")
		run(t, liveLLDB(t), program, source, 4, 8, "p.x", "p")
	})
	t.Run("debugpy", func(t *testing.T) {
		c, file := livePython(t, "def f():\n    p = [1]\n    return p\ndef g():\n    p = [9]\n    return p\nf()\ng()\n")
		run(t, c, file, file, 3, 6, "p[0]", "p")
	})
}
