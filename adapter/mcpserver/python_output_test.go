package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// pydevd warns on the standard error of a child that multiprocessing starts anew. That is no output of the program,
// whose own text with the same words is.
func TestPythonWarningsOfTheDebugger(t *testing.T) {
	const source = "/app.py"
	wrote := func(line int, text string) daptest.Step {
		return daptest.Step{File: source, Line: line, Func: "<module>", Stderr: text}
	}
	s := serve(t, "debugpy", daptest.Debugpy(), daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
		wrote(1, "0.00s - Debugger warning: It seems that frozen modules are being used, which may\n"),
		wrote(2, "0.02s - make the debugger miss breakpoints. Please pass -Xfrozen_modules=off\n"+
			"0.02s - to python to disable frozen modules.\n"+
			"0.02s - Note: Debugging will proceed. Set PYDEVD_DISABLE_FILE_VALIDATION=1 to disable this validation.\n"),
		wrote(3, "Debugger warning: It seems that frozen modules are meant here\n"),
		wrote(4, "3.14s - lunch\n"),
	)}}})
	r := s.Do("debug_launch", mcptest.Args{"program": source, "stop_at_entry": false, "wait": true})
	require.Equal(t, "exited", r.String("session.endReason"), "%s", r.Raw)
	require.Equal(t, "Debugger warning: It seems that frozen modules are meant here\n3.14s - lunch\n",
		s.Do("process_read_output", mcptest.Args{"tail_lines": 100}).String("stderr"))
}
