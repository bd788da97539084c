package daptest_test

import (
	"testing"

	"github.com/google/go-dap"

	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// A program with one thread that loops over two lines, an adapter that fails its first stackTrace as netcoredbg can
// directly after a stop, and a client.
func ExampleNew() {
	var t testing.TB // the test's

	program := daptest.Program{
		Path: "/src/LoopApp/LoopApp.dll",
		Threads: []daptest.Thread{{Code: daptest.Loop(1000,
			func(i int) daptest.Step {
				return daptest.Step{File: "/src/LoopApp/Program.cs", Line: 21, Func: "LoopApp.Program.Main()",
					Vars: []daptest.Var{intVar("i", i)}}
			},
			func(int) daptest.Step {
				return daptest.Step{File: "/src/LoopApp/Program.cs", Line: 22, Func: "LoopApp.Program.Main()", Stdout: "tick\n"}
			},
		)}},
	}
	a := daptest.New(t, daptest.Netcoredbg(), program)
	a.Once("stackTrace", daptest.Fail("Failed command 'stackTrace' : 0x80131302"))
	conn := dapclient.NewConn(a.Stream(), dapclient.Options{})
	_, _ = conn.Send(dapclient.Request{Command: "initialize", Args: dap.InitializeRequestArguments{AdapterID: "coreclr"}})
	a.WaitFor("stackTrace")
}
