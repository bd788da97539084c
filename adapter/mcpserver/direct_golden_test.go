package mcpserver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// TestDirectGolden holds the methods of the older protocol, one session a file of testdata/direct, without a handshake:
//
//	# a comment
//	program NAME   the debuggee, of directPrograms
//	> LINE         what the client writes
//	< LINE         what the server writes, in this order and nothing else
//	stop           waits for the stop or end that the last line causes
//	open           lets the program "waiting" go on
//
// go test ./adapter/mcpserver -run TestDirectGolden -update writes the answers anew.
func TestDirectGolden(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "direct", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { directGolden(t, file) })
	}
}

func directGolden(t *testing.T, file string) {
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	want := strings.ReplaceAll(string(raw), "\r\n", "\n")
	program := shop()
	gate, open := daptest.Gate()
	t.Cleanup(open)
	var m *adapter.Manager
	var c *mcptest.Client
	connect := func() {
		if c == nil {
			m, _ = mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
			c = mcptest.Connect(t, m, mcpserver.Options{})
		}
	}
	var got strings.Builder
	var seq uint64
	read := 0
	for line := range strings.Lines(want) {
		line = strings.TrimSuffix(line, "\n")
		verb, rest, _ := strings.Cut(line, " ")
		if verb == "<" {
			continue
		}
		fmt.Fprintln(&got, line)
		switch verb {
		case "", "#":
		case "program":
			program = directPrograms[rest](gate)
		case ">":
			connect()
			seq = m.Journal().LastSeq()
			c.Send(rest)
			if strings.HasPrefix(rest, `{"jsonrpc":"2.0","method"`) {
				continue // a notification
			}
			fmt.Fprintf(&got, "< %s\n", c.AwaitLine(read))
			read++
		case "open":
			open()
		case "stop":
			session, err := m.Readable("")
			require.NoError(t, err)
			r, err := session.Wait(t.Context(), seq, mcptest.Patience)
			require.NoError(t, err)
			require.NotEqual(t, adapter.WaitTimeout, r.Reason)
		default:
			t.Fatalf("%s: %q is unknown", file, line)
		}
	}
	c.Close()
	require.Len(t, c.Lines(), read, "lines that nothing asked for: %v", c.Lines()[read:])
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got.String()), 0o644))
		return
	}
	require.Equal(t, want, got.String(), "-update writes it anew")
}

// directPrograms are the debuggees of the golden sessions.
var directPrograms = map[string]func(gate <-chan struct{}) daptest.Program{
	"waiting": func(gate <-chan struct{}) daptest.Program { // in line 39, then as shop
		p := shop()
		p.Threads[0].Code = daptest.Seq(daptest.Lines(daptest.Step{
			File: "/src/Shop/Program.cs", Line: 39, Func: "Shop.Program.Main()", Gate: gate,
		}), p.Threads[0].Code)
		return p
	},
	"denied": func(<-chan struct{}) daptest.Program {
		p := shop()
		p.LaunchError = "0x80070005"
		return p
	},
	"broken": func(<-chan struct{}) daptest.Program {
		p := shop()
		p.LaunchError = "0x80070057"
		return p
	},
}

// shop passes lines 40 to 44 of Program.cs three times, with a call into Sum.cs in line 42. A second thread is in
// library code.
func shop() daptest.Program {
	const main, sum = "/src/Shop/Program.cs", "/src/Shop/Sum.cs"
	vars := func(i int) []daptest.Var {
		return []daptest.Var{
			{Name: "count", Value: itoa(10 + 5*i), Type: "int"},
			{Name: "basket", Value: "{Shop.Basket}", Type: "Shop.Basket", Children: []daptest.Var{
				{Name: "Items", Value: "3", Type: "int"}, {Name: "Owner", Value: `"ann"`, Type: "string"},
			}},
		}
	}
	in := func(line int) func(i int) daptest.Step {
		return func(i int) daptest.Step {
			return daptest.Step{File: main, Line: line, Func: "Shop.Program.Main()", Vars: vars(i)}
		}
	}
	called := func(i int) daptest.Step {
		return daptest.Step{
			File: sum, Line: 7, Func: "Shop.Sum.Of()", Vars: []daptest.Var{{Name: "total", Value: itoa(i), Type: "int"}},
			Callers: []daptest.Frame{{File: main, Line: 42, Func: "Shop.Program.Main()", Vars: vars(i)}},
		}
	}
	return daptest.Program{
		ExitCode: 3,
		Threads: []daptest.Thread{
			{ID: 12345, Code: daptest.Loop(3, in(40), in(41), in(42), called, in(43), in(44))},
			{ID: 12346, Name: "Worker", Background: true, Code: daptest.Lines(daptest.Step{
				Func: "System.Threading.Thread.Sleep()", Gate: make(chan struct{}),
				Callers: []daptest.Frame{{File: main, Line: 60, Func: "Shop.Program.Pack()",
					Vars: []daptest.Var{{Name: "parcel", Value: "9", Type: "int"}}}},
			})},
		},
	}
}

// A step may take long. What ends it does not wait for it; what comes after it does.
func TestDirectPauseOvertakesAStep(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), sleeper(gate))
	c := mcptest.Connect(t, m, mcpserver.Options{})
	c.Request("debug.setBreakpoint", map[string]any{"file": source, "line": 2})
	c.Request("debug.launch", map[string]any{"program": program, "configuration": map[string]any{"stopOnEntry": false}})
	step := c.Begin("debug.step", map[string]any{"stepType": "over"})
	fakes.Last().WaitFor("next")
	stack := c.Begin("debug.getStackTrace", nil)
	status := mcptest.NewResult(t, c.Request("debug.getStatus", nil).Result)
	require.False(t, status.Bool("data.isPaused"))
	require.False(t, c.Answered(stack))
	pause := c.Request("debug.pause", nil)
	require.Nil(t, pause.Error)
	require.Equal(t, "paused", mcptest.NewResult(t, pause.Result).String("data.status"))
	stepped := c.Await(step)
	require.Nil(t, stepped.Error)
	require.Equal(t, "pause", mcptest.NewResult(t, stepped.Result).String("data.reason"))
	require.Equal(t, 2, mcptest.NewResult(t, c.Await(stack).Result).Int("data.frames.0.line"))
}

// All lines at once, in the raw form: the answers come in the order of the lines.
func TestDirectRequestsInOneWrite(t *testing.T) {
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), shop())
	c := mcptest.Connect(t, m, mcpserver.Options{})
	methods := []string{
		`"debug.launch","params":{"program":"/src/Shop/Shop.dll"}`, `"debug.step"`, `"health"`, `"debug.getStackTrace"`,
		`"debug.getStatus"`, `"debug.nothing"`, `"debug.terminate"`, `"debug.step"`,
	}
	for _, method := range methods {
		c.Send(`{"method":` + method + `}`)
	}
	want := []string{`"sessionId":"s1"`, `"line":41`, "is running", `"frame-1"`, `"isDebugging"`, "METHOD_NOT_FOUND",
		`"terminated"`, "DEBUG_SESSION_NOT_FOUND"}
	for i, part := range want {
		require.Contains(t, string(c.AwaitLine(i)), part)
	}
}

// The older methods work beside MCP on one connection, for one session.
func TestDirectBesideMCP(t *testing.T) {
	s := netcoredbg(t, shop())
	id := s.Do("breakpoint_set", mcptest.Args{"file": "/src/Shop/Sum.cs", "line": 7}).String("breakpoint.id")
	s.launch(t)
	status := mcptest.NewResult(t, s.Request("debug.getStatus", nil).Result)
	require.True(t, status.Bool("data.isPaused"))
	list := mcptest.NewResult(t, s.Request("debug.listBreakpoints", nil).Result)
	require.Equal(t, id, list.String("data.0.id"))
	r := s.Request("debug.continue", nil)
	require.Nil(t, r.Error)
	hit := s.Do("breakpoint_wait", nil)
	require.Equal(t, 2, hit.Int("stop.hitCount"))
	require.Eventually(t, func() bool { return len(s.Notifications("debugger/breakpointHit")) == 2 }, mcptest.Patience,
		time.Millisecond)
	wrong := s.Request("debug.getVariables", map[string]any{"frameId": "frame-77"})
	require.Equal(t, -32602, wrong.Error.Code)
}
