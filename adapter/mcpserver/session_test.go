package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// loop is the simulated LoopApp: line 21 calls Work, whose lines 8 to 12 run one frame deeper.
func loop(n int) daptest.Program {
	caller := daptest.Frame{Func: "LoopApp.Program.Main()", File: "/src/LoopApp/Program.cs", Line: 21}
	in := func(line int) func(i int) daptest.Step {
		return func(i int) daptest.Step {
			return daptest.Step{
				File: "/src/LoopApp/Program.cs", Line: line, Func: "LoopApp.Program.Work()", Callers: []daptest.Frame{caller},
				Vars: []daptest.Var{{Name: "i", Value: itoa(i), Type: "int"}, {Name: "square", Value: itoa(i * i), Type: "int"}},
			}
		}
	}
	main := func(line int) func(i int) daptest.Step {
		return func(i int) daptest.Step {
			return daptest.Step{
				File: "/src/LoopApp/Program.cs", Line: line, Func: "LoopApp.Program.Main()",
				Vars: []daptest.Var{{Name: "i", Value: itoa(i), Type: "int"}},
			}
		}
	}
	return daptest.Program{
		Threads: []daptest.Thread{{Code: daptest.Loop(n, main(21), in(9), in(10), in(11), main(22))}},
	}
}

func TestWholeSessionOnAFake(t *testing.T) {
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(3))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("breakpoint_set", mcptest.Args{"file": "/src/LoopApp/Program.cs", "line": 10}).String("breakpoint.id")
	r := launch(c)
	require.Equal(t, "paused", r.String("session.state"))
	for i := range 3 {
		if i > 0 {
			r = c.Do("debug_continue", mcptest.Args{"wait": true})
		}
		require.Equal(t, i+1, r.Int("stop.hitCount"))
		require.Equal(t, []string{id}, r.Strings("stop.breakpointIds"))
		require.Equal(t, itoa(i*i), c.Do("evaluate", mcptest.Args{"expression": "square"}).String("value"))
	}
	r = c.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, "exited", r.String("reason"))
	hits := c.Notifications("debugger/breakpointHit")
	require.Len(t, hits, 3)
	require.Contains(t, fakes.Last().Commands(), "configurationDone")
}
