package mcpserver_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

// namesApp is a fake netcoredbg on this machine whose program has the functions of the module NamesApp, each called
// three times.
func namesApp(t *testing.T) (*mcptest.Client, *mcptest.Fakes, string) {
	t.Helper()
	dll := fixtures.DotnetProgram("NamesApp")
	call := func(name string) func(int) daptest.Step {
		return func(int) daptest.Step {
			return daptest.Step{
				File: "/src/NamesApp/Program.cs", Line: 18, Func: name, Callers: []daptest.Frame{{Func: "Main()"}},
			}
		}
	}
	back := func(int) daptest.Step { return daptest.Step{Func: "Main()"} }
	functions := []string{
		"NamesApp.Repository`1.Add", "NamesApp.Repository`1.Map<U>", "NamesApp.Program.Load",
		"NamesApp.Program.<LoadAsync>d__2.MoveNext",
	}
	program := daptest.Program{Path: dll, Functions: functions, Threads: []daptest.Thread{{Code: daptest.Loop(3,
		call("NamesApp.Repository<string>.Add()"), back,
		call("NamesApp.Repository<string>.Map<int>()"), back,
		call("NamesApp.Program.<LoadAsync>d__2.MoveNext()"), back,
		call("NamesApp.Program.Load()"), back,
	)}}}
	_, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	backends := fakes.Backends("netcoredbg")
	fake := backends.Custom["fake"]
	fake.Local = true
	backends.Custom["fake"] = fake
	return mcptest.Serve(t, adapter.NewManager(adapter.Options{Backends: backends}), mcpserver.Options{}), fakes, dll
}

// A function breakpoint goes to netcoredbg under the names that the metadata has for the functions that are meant, and
// each of their hits is told and counted once.
func TestDotnetFunctionNames(t *testing.T) {
	for _, tt := range []struct {
		asked string
		sent  []string
		hits  int
	}{
		{"Repository<T>.Add", []string{"NamesApp.Repository`1.Add"}, 3},
		{"NamesApp.Repository<string>.Add", []string{"NamesApp.Repository`1.Add"}, 3},
		{"Add", []string{"NamesApp.Repository`1.Add"}, 3},
		{"Repository.Map", []string{"NamesApp.Repository`1.Map<U>"}, 3},
		{"NamesApp.dll!Program.LoadAsync", []string{"NamesApp.dll!NamesApp.Program.<LoadAsync>d__2.MoveNext"}, 3},
		{"Repository.MapAsync", []string{"NamesApp.Repository`1.<MapAsync>d__3`1.MoveNext"}, 0},
		{"Square.Side", []string{"NamesApp.Square.get_Side"}, 0},
		{"Square.Square", []string{"NamesApp.Square..ctor"}, 0},
		{"Main", []string{"NamesApp.Program.<Main>d__3.MoveNext"}, 0},
		{"Main.Twice", []string{"NamesApp.Program.<Main>g__Twice|3_0"}, 0},
		{"Repository<T>.Cursor<K>.Move", []string{"NamesApp.Repository`1.Cursor`1.Move"}, 0},
		{"Program.Walk", []string{"NamesApp.Program.<Walk>d__0.MoveNext"}, 0},
	} {
		t.Run(tt.asked, func(t *testing.T) {
			c, fakes, dll := namesApp(t)
			id := c.Do("breakpoint_set_function", mcptest.Args{"function": tt.asked}).String("breakpoint.id")
			r := c.Settled(c.Do("debug_launch", mcptest.Args{"program": dll, "stop_at_entry": false}))
			for range tt.hits {
				require.Equal(t, id, r.String("stop.breakpointIds.0"), "%s", r.Raw)
				r = c.Do("debug_continue", mcptest.Args{"wait": true})
			}
			require.Equal(t, "terminated", r.String("session.state"), "%s", r.Raw)
			require.Equal(t, tt.hits, c.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"))
			require.Equal(t, tt.sent, sentFunctions(t, fakes.Last()))
		})
	}
}

// sentFunctions returns the names in the last list of function breakpoints.
func sentFunctions(t *testing.T, fake *daptest.Adapter) []string {
	t.Helper()
	var args dap.SetFunctionBreakpointsArguments
	sent := fake.Requests("setFunctionBreakpoints")
	require.NotEmpty(t, sent)
	require.NoError(t, json.Unmarshal(sent[len(sent)-1].Arguments, &args))
	var names []string
	for _, b := range args.Breakpoints {
		names = append(names, b.Name)
	}
	return names
}

// One name can mean several functions. A stop at one of them is one hit, also of two names for it.
func TestDotnetFunctionsOfOneName(t *testing.T) {
	c, fakes, dll := namesApp(t)
	c.Do("debug_launch", mcptest.Args{"program": dll})
	load := c.Do("breakpoint_set_function", mcptest.Args{"function": "Program.Load"}).String("breakpoint.id")
	r := c.Do("breakpoint_set_function", mcptest.Args{"function": "Load"})
	require.Equal(t, "bound", r.String("breakpoint.state"), "%s", r.Raw)
	async := c.Do("breakpoint_set_function", mcptest.Args{"function": "MoveNext"}).String("breakpoint.id")
	require.Contains(t, sentFunctions(t, fakes.Last()), "NamesApp.Program.Load")
	for i := range 3 {
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, async, r.String("stop.breakpointIds.0"), "%s", r.Raw)
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, load, r.String("stop.breakpointIds.0"), "%s", r.Raw)
		require.Equal(t, 2, r.Len("stop.breakpointIds"))
		require.Equal(t, i+1, r.Int("stop.hitCount"))
	}
}

// A name that no function has fails, with the nearest names, in the answers of the launch, of the list and of the end.
func TestDotnetUnknownFunction(t *testing.T) {
	for asked, want := range map[string]string{
		"Program.LoadAsnc": "nearest names: NamesApp.Program.LoadAsync",
		"Repository.Adds":  "nearest names: NamesApp.Repository.Add",
		"NoSuchThing":      "no function NoSuchThing is in the modules that have symbols",
	} {
		t.Run(asked, func(t *testing.T) {
			c, _, dll := namesApp(t)
			c.Do("breakpoint_set_function", mcptest.Args{"function": asked})
			require.Equal(t, "pending", c.Do("breakpoint_list", nil).String("breakpoints.0.state"))
			r := c.Do("debug_launch", mcptest.Args{"program": dll})
			require.Equal(t, "failed", r.String("breakpoints.0.state"), "%s", r.Raw)
			require.Contains(t, r.String("breakpoints.0.message"), want)
			b := c.Do("breakpoint_set_function", mcptest.Args{"function": "x" + asked})
			require.Equal(t, "failed", b.String("breakpoint.state"), "%s", b.Raw)
			r = c.Do("debug_continue", mcptest.Args{"wait": true})
			require.Equal(t, "exited", r.String("reason"))
			require.Equal(t, 2, r.Len("breakpoints"), "%s", r.Raw)
			require.Contains(t, c.Do("breakpoint_list", nil).String("breakpoints.0.message"), want)
		})
	}
}

// The real netcoredbg stops in a generic class: each stop is a hit of the function that was asked for.
func TestRecordedGenericFunction(t *testing.T) {
	c := mcptest.Serve(t, replayed(t, "netcoredbg", "generic-function"), mcpserver.Options{})
	id := c.Do("breakpoint_set_function", mcptest.Args{"function": "Repository`1.Add"}).String("breakpoint.id")
	r := c.Settled(c.Do("debug_launch", mcptest.Args{
		"program": "/src/dotnet-generic-function-breakpoint/bin/Program.dll", "stop_at_entry": false,
	}))
	for i := range 5 {
		require.Equal(t, id, r.String("stop.breakpointIds.0"), "%s", r.Raw)
		require.Equal(t, i+1, r.Int("stop.hitCount"))
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
	}
	require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
}
