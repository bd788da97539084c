package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

const (
	source  = "/src/LoopApp/Program.cs"
	program = "/src/LoopApp/LoopApp.dll"
)

// shape is a fake adapter with the name of its profile.
type shape struct {
	name  string
	shape daptest.Shape
}

// shapes are the four measured adapters, by the name of their profile.
var shapes = []shape{
	{"netcoredbg", daptest.Netcoredbg()},
	{"dlv", daptest.Delve()},
	{"lldb-dap", daptest.LLDB()},
	{"debugpy", daptest.Debugpy()},
}

// eachShape runs a test on a fake adapter of every shape.
func eachShape(t *testing.T, f func(t *testing.T, name string, shape daptest.Shape)) {
	eachOf(t, shapes, f)
}

// eachOf runs a test on fake adapters of these shapes.
func eachOf(t *testing.T, shapes []shape, f func(t *testing.T, name string, shape daptest.Shape)) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) { f(t, s.name, s.shape) })
	}
}

// session is a server on fakes of one shape, with a client.
type session struct {
	*mcptest.Client
	fakes *mcptest.Fakes
}

func serve(t testing.TB, profile string, shape daptest.Shape, p daptest.Program,
	setup ...func(*daptest.Adapter)) *session {
	t.Helper()
	m, fakes := mcptest.Fake(t, profile, shape, p, setup...)
	return &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
}

// netcoredbg is serve on the default backend.
func netcoredbg(t testing.TB, p daptest.Program, setup ...func(*daptest.Adapter)) *session {
	t.Helper()
	return serve(t, "netcoredbg", daptest.Netcoredbg(), p, setup...)
}

// adapter returns the adapter of the newest session.
func (s *session) adapter() *daptest.Adapter { return s.fakes.Last() }

// breakAt sets a breakpoint in the source and returns its id.
func (s *session) breakAt(line int) string {
	return s.Do("breakpoint_set", mcptest.Args{"file": source, "line": line}).String("breakpoint.id")
}

// launch starts the program without a stop at its entry.
func (s *session) launch(t testing.TB) mcptest.Result {
	t.Helper()
	return s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false})
}

// launchTo starts the program and returns its first stop.
func (s *session) launchTo(t testing.TB, line int) mcptest.Result {
	t.Helper()
	s.breakAt(line)
	r := s.Settled(s.launch(t))
	require.Equal(t, line, r.Int("stop.location.line"), "%s", r.Raw)
	return r
}

// state returns the session's public state.
func (s *session) state() string { return s.Do("debug_state", nil).String("session.state") }

// changes returns the state changes received so far, as "running paused".
func (s *session) changes() []string {
	var out []string
	for _, n := range s.Notifications("debugger/sessionStateChanged") {
		out = append(out, n.String("oldState")+" "+n.String("newState"))
	}
	return out
}

// sleeper runs until the gate opens, then ends with exit code 7.
func sleeper(gate <-chan struct{}) daptest.Program {
	return daptest.Program{ExitCode: 7, Threads: []daptest.Thread{{Code: daptest.Lines(
		daptest.Step{File: source, Line: 1, Func: "main.main", Stdout: "before\n"},
		daptest.Step{File: source, Line: 2, Func: "main.main", Gate: gate,
			Vars: []daptest.Var{{Name: "x", Value: "1", Type: "int"}}},
		daptest.Step{File: source, Line: 3, Func: "main.main", Stdout: "after\n", Stderr: "oh\n"},
	)}}}
}
