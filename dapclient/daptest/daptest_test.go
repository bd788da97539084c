package daptest_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

var shapes = map[string]func() daptest.Shape{
	"netcoredbg": daptest.Netcoredbg, "dlv": daptest.Delve, "lldb-dap": daptest.LLDB, "debugpy": daptest.Debugpy,
}

func eachShape(t *testing.T, f func(*testing.T, daptest.Shape)) {
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) { f(t, shape()) })
	}
}

func intVar(name string, n int) daptest.Var {
	return daptest.Var{Name: name, Value: strconv.Itoa(n), Type: "int"}
}

// loop is LoopApp: main at lines 21 and 22 calls Work at 8 to 10.
func loop(passes int) daptest.Program {
	caller := func(i int) []daptest.Frame {
		return []daptest.Frame{{File: source, Line: 21, Func: "LoopApp.Program.Main()", Vars: []daptest.Var{intVar("i", i)}}}
	}
	main := func(line int, landing bool, out string) func(int) daptest.Step {
		return func(i int) daptest.Step {
			s := daptest.Step{File: source, Line: line, Func: "LoopApp.Program.Main()", Landing: landing,
				Vars: []daptest.Var{intVar("i", i), intVar("sum", i*10)}}
			if out != "" {
				s.Stdout = fmt.Sprintf(out, i)
			}
			return s
		}
	}
	work := func(line int) func(int) daptest.Step {
		return func(i int) daptest.Step {
			return daptest.Step{File: source, Line: line, Func: "LoopApp.Program.Work()", Callers: caller(i),
				Vars: []daptest.Var{intVar("value", i)}}
		}
	}
	return daptest.Program{
		Path: "/src/LoopApp/LoopApp.dll", Sources: map[string][]int{source: {7, 8, 9, 10, 20, 21, 22, 25}},
		Threads: []daptest.Thread{{Code: daptest.Seq(
			daptest.Lines(daptest.Step{File: source, Line: 20, Func: "LoopApp.Program.Main()", Stdout: "start\n"}),
			daptest.Loop(passes, main(21, false, ""), work(8), work(9), work(10), main(21, true, ""), main(22, false, "i=%d\n")),
			daptest.Lines(daptest.Step{File: source, Line: 25, Func: "LoopApp.Program.Main()", Stdout: "done\n"}),
		)}},
	}
}

func TestHitEvaluateContinueToTheEnd(t *testing.T) {
	eachShape(t, func(t *testing.T, s daptest.Shape) {
		a := daptest.New(t, s, loop(3))
		c := dial(t, a)
		c.launch(dap.SourceBreakpoint{Line: 22})
		for i := range 3 {
			stop := c.stopped()
			assert.Equal(t, "breakpoint", stop.Reason)
			f := c.frame(stop.ThreadId)
			assert.Equal(t, 22, f.Line)
			assert.Equal(t, source, f.Source.Path)
			got, err := c.evaluate("i", f.Id)
			require.NoError(t, err)
			assert.Equal(t, strconv.Itoa(i), got)
			got, err = c.evaluate("i + sum * 2", f.Id)
			require.NoError(t, err)
			assert.Equal(t, strconv.Itoa(i+i*20), got)
			_, err = c.evaluate("missing", f.Id)
			assert.ErrorContains(t, err, "missing")
			c.must("continue", map[string]int{"threadId": stop.ThreadId})
		}
		exited, err := dapclient.DecodeBody[dap.ExitedEventBody](c.until("exited"))
		require.NoError(t, err)
		assert.Zero(t, exited.ExitCode)
		c.until("terminated")
		c.must("disconnect", nil)
		<-a.Done()
		assert.Equal(t, 9, a.Count("evaluate"))
	})
}
