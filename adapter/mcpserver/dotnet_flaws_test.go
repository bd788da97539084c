package mcpserver_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

// builtApp is a fake netcoredbg whose program is a copy of LoopApp.dll with symbols beside it, nil for none. Nothing
// binds in it.
func builtApp(t *testing.T, local bool, symbols []byte, program daptest.Program) (*mcptest.Client, *mcptest.Fakes,
	string) {
	t.Helper()
	dir := t.TempDir()
	code, err := os.ReadFile(fixtures.DotnetProgram("LoopApp"))
	require.NoError(t, err)
	program.Path = filepath.Join(dir, "LoopApp.dll")
	require.NoError(t, os.WriteFile(program.Path, code, 0o600))
	if symbols != nil {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "LoopApp.pdb"), symbols, 0o600))
	}
	program.Sources = map[string][]int{}
	_, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	backends := fakes.Backends("netcoredbg")
	fake := backends.Custom["fake"]
	fake.Local = local
	backends.Custom["fake"] = fake
	m := adapter.NewManager(adapter.Options{Backends: backends})
	return mcptest.Serve(t, m, mcpserver.Options{}), fakes, program.Path
}

// A program without symbols of its build is told with the reason: by the launch, in the list, at the end.
func TestDotnetNoSymbols(t *testing.T) {
	pdb, err := os.ReadFile(fixtures.Program("dotnet", "LoopApp", "bin", "LoopApp.pdb"))
	require.NoError(t, err)
	dll, err := os.ReadFile(fixtures.DotnetProgram("LoopApp"))
	require.NoError(t, err)
	at := bytes.Index(dll, []byte("RSDS")) + 4
	id := dll[at : at+16]
	other := slices.Clone(id)
	slices.Reverse(other)
	for name, tt := range map[string]struct {
		symbols []byte
		why     string
	}{
		"none":             {nil, "there is no LoopApp.pdb beside it"},
		"of another build": {bytes.ReplaceAll(pdb, id, other), "LoopApp.pdb is of another build"},
		"of Windows":       {[]byte("Microsoft C/C++ MSF 7.00\r\n"), "LoopApp.pdb is not a portable one"},
		"damaged":          {pdb[:40], "LoopApp.pdb cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			program := loop(3)
			program.NoSymbols = true
			c, _, dll := builtApp(t, true, tt.symbols, program)
			source := filepath.Join(filepath.Dir(dll), "Program.cs")
			require.NoError(t, os.WriteFile(source, bytes.Repeat([]byte("\n"), 30), 0o600))
			c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 10})
			r := c.Settled(c.Do("debug_launch", mcptest.Args{"program": dll, "stop_at_entry": false}))
			want := "no symbols for LoopApp.dll: " + tt.why
			require.Contains(t, r.String("warning")+r.String("breakpoints.0.message"), want, "%s", r.Raw)
			require.Contains(t, r.String("breakpoints.0.message"), want, "%s", r.Raw)
			require.Contains(t, c.Do("breakpoint_list", nil).String("breakpoints.0.message"), want)
		})
	}
}

// With just_my_code netcoredbg leaves out an optimised module. Its word about it is told with what helps, is no output
// of the program, and does not hide why another line is refused.
func TestDotnetOptimisedModule(t *testing.T) {
	const said = "You are debugging a Release build of LoopApp.dll. Using Just My Code with Release builds using " +
		"compiler optimizations results in a degraded debugging experience (e.g. breakpoints will not be hit)."
	pdb, err := os.ReadFile(fixtures.Program("dotnet", "LoopApp", "bin", "LoopApp.pdb"))
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		said   string
		attach bool
		want   string
	}{
		"launch": {said: said, want: "launch it with just_my_code=false, or build it for Debug"},
		"attach": {said: said, attach: true, want: "attach to a Debug build"},
		"without just my code": {said: "You are debugging a Release build of LoopApp.dll. Without Just My Code Release " +
			"builds try not to use compiler optimizations, but in some cases (e.g. attach) this fails."},
	} {
		t.Run(name, func(t *testing.T) {
			gate, open := daptest.Gate()
			defer open()
			program := sleeper(gate)
			c, fakes, dll := builtApp(t, !tt.attach, pdb, program)
			source := filepath.Join(filepath.Dir(dll), "Program.cs")
			require.NoError(t, os.WriteFile(source, bytes.Repeat([]byte("\n"), 30), 0o600))
			c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 10})
			if tt.attach {
				c.Do("debug_attach", mcptest.Args{"pid": 77})
			} else {
				c.Do("debug_launch", mcptest.Args{"program": dll, "stop_at_entry": false})
			}
			fakes.Last().Event("output", `{"category":"stderr","output":"`+tt.said+`"}`)
			require.Eventually(t, func() bool {
				events := c.Do("events_query", mcptest.Args{"types": []string{"output"}})
				return strings.Contains(string(events.Raw), `"stream":"debugger","text":"You are debugging`)
			}, mcptest.Patience, 1e6)
			require.NotContains(t, string(c.Do("process_read_output", nil).Raw), "Release", "it is no output of the program")
			message := c.Do("breakpoint_list", nil).String("breakpoints.0.message")
			r := c.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 0})
			if tt.want == "" {
				require.NotContains(t, message, "optimised")
				return
			}
			require.Contains(t, message, "LoopApp.dll is an optimised (Release) build")
			require.Contains(t, message, tt.want)
			require.Equal(t, message, r.String("breakpoints.0.message"), "the answer of the wait says it too")
		})
	}
}

// The same from what the real netcoredbg said of such programs.
func TestRecordedDotnetFlaws(t *testing.T) {
	for name, want := range map[string]string{
		"optimised-build": "so no breakpoint in it is hit: launch it with just_my_code=false",
		"no-symbols":      "no symbols for Program.dll were found",
	} {
		t.Run(name, func(t *testing.T) {
			c := mcptest.Serve(t, replayed(t, "netcoredbg", name), mcpserver.Options{})
			c.Do("breakpoint_set", mcptest.Args{"file": "/src/dotnet-" + name + "/Program.cs", "line": 9})
			r := c.Do("debug_launch", mcptest.Args{"program": "/src/dotnet-" + name + "/bin/Program.dll"})
			if r.String("session.state") != "terminated" {
				r = c.Do("breakpoint_wait", nil)
			}
			require.Contains(t, r.String("breakpoints.0.message"), want, "%s", r.Raw)
			require.Contains(t, c.Do("breakpoint_list", nil).String("breakpoints.0.message"), want)
		})
	}
}
