package mcpserver_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
	"breakwire/mapping"
)

// threadsApp is the real netcoredbg, stopped with values of many forms in scope.
func threadsApp(t *testing.T, breakpoint mcptest.Args) (*mcptest.Client, mcptest.Result) {
	fixtures.Netcoredbg(t)
	program := fixtures.DotnetProgram("ThreadsApp")
	here := filepath.Dir(filepath.Dir(filepath.Dir(program)))
	maps, err := mapping.ParsePathMap("/src=" + here)
	require.NoError(t, err)
	// The values of a hit are what these tests are about, not how long a busy machine takes for them.
	m := adapter.NewManager(adapter.Options{PathMap: maps, TraceTimeout: mcptest.Patience})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	args := mcptest.Args{"file": filepath.Join(here, "ThreadsApp", "Program.cs"), "line": 107}
	for k, v := range breakpoint {
		args[k] = v
	}
	c.Do("breakpoint_set", args)
	return c, toFirstStop(c, program)
}

// Comparisons that netcoredbg cannot make.
func TestLiveNetcoredbgComparisons(t *testing.T) {
	c, r := threadsApp(t, nil)
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	for text, want := range map[string]string{
		"missing == null":                                      "true",
		"child.Next.Parent != null":                            "true",
		"null == nullText":                                     "true",
		"list is null":                                         "false",
		"list is not null":                                     "true",
		"missing != null && missing.Name == \"x\"":             "false",
		"missing == null || missing.Depth > 3":                 "true",
		"child != null && child.Parent.Name.Length == 4":       "true",
		"color == ThreadsApp.Color.Green":                      "true",
		"!(color == ThreadsApp.Color.Red) && count == 3":       "true",
		"color > ThreadsApp.Color.Red":                         "true",
		"maybe == 7":                                           "true",
		"maybe > 8":                                            "false",
		"none == 7":                                            "false",
		"none != null":                                         "false",
		"none == maybe":                                        "false",
		"nullText ?? empty":                                    `""`,
		"none ?? 5":                                            "5",
		"missing?.Name ?? \"nobody\"":                          `"nobody"`,
		"missing == null ? 1 : 2":                              "1",
		"list == null ? 0 : list.Count":                        "5",
		"!(missing != null && missing.Depth > 3)":              "true",
		"count == 3 && (missing == null || missing.Depth > 3)": "true",
		"maybe == -7":                                          "false",
		"-8 < maybe && none != -1":                             "true",
		"missing?.Next?.Name == \"leaf\"":                      "false",
		"missing?.Next.Name == \"leaf\"":                       "false",
		"missing?.Name.Length == 4":                            "false",
		"missing?.Depth > 3":                                   "false",
		"child?.Parent?.Depth >= 0":                            "true",
		"child.Boom == null":                                   "!threw System.InvalidOperationException: getter failed",
		"child.Boom != null && count == 3":                     "!threw System.InvalidOperationException: getter failed",
		"count == 3 && child.Boom == \"x\"":                    "!threw System.InvalidOperationException: getter failed",
		"child.Boom.Length":                                    "!threw System.InvalidOperationException: getter failed",
		"missing == null && count":                             "!count is not a bool but int",
		"child?.Next.Next.Name == \"x\"":                       `!"nullPart":"child?.Next.Next"`,
		"missing.Name == null":                                 `!"nullPart":"missing"`,
		"color == count":                                       "!cannot be applied",
	} {
		evaluates(t, c, text, want, false)
	}
	c.Refused(fault.SyntaxError, "evaluate", mcptest.Args{"expression": "😀"}) // this terminated netcoredbg
	c.Refused(fault.SyntaxError, "evaluate", mcptest.Args{"expression": "missing == null &&"})
	r = c.Refused(fault.EvalFailed, "evaluate", mcptest.Args{"expression": "child.Parent == point"})
	assert.NotContains(t, r.String("error.message"), "did you mean")
}

// Operators that netcoredbg does not evaluate, with operands that it does.
func TestLiveNetcoredbgOperators(t *testing.T) {
	c, r := threadsApp(t, nil)
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	for text, want := range map[string]string{
		"(none ?? 0) > 3":                          "false",
		`@"fir""st" == "fir\"st" && 1_000 == 1000`: "true",
		"0x_FF + 1_0":                              "265",
		"maybe == count + 4":                       "true",
		"maybe + 1 == 8":                           "true",
		"none + 1 == null":                         "true",
		"(none ?? 2.5) > 2":                        "true",
		"nameof(count) == \"count\"":               "true",
		"(missing == null) == flag":                "true",
		"name + maybe == \"first7\"":               "true",
		"(access & Access.Read) != 0":              "true",
		"access == (Access.Read | Access.Write)":   "true",
		"access & ~Access.Read":                    "Write",
		"access.HasFlag(Access.Read)":              "true",
		"color < Color.Blue":                       "true",
		"name[0] == 'f'":                           "true",
		"child.Next.Name[0]":                       "'l'",
		"name[^1] == 't'":                          "true",
		"unicode[9] == '\\ud83d'":                  "true",
		"big[^1]":                                  "4998",
		"(int)color":                               "5",
		"(int)boxed == 99":                         "true",
		"((Derived)child.Next).Extra":              "1.5",
		"((Node)child.Next).Name":                  "\"leaf\"",
		"(double)count / 2":                        "1.5",
		"(int)-3.99":                               "-3",
		"(int)2.9999999999999996":                  "2",
		"(char)(letter + 1)":                       "'['",
		"uhuge > 5":                                "true",
		"uhuge - 1":                                "18446744073709551614",
		"child is Node":                            "true",
		"child.Next is Node":                       "true",
		"child is Derived":                         "false",
		"child is not Derived && count is 3":       "true",
		"list is List<string>":                     "true",
		"list is System.Collections.IList":         "true",
		"boxed is int":                             "true",
		"boxed is Node":                            "false",
		"boxed is > 98":                            "true",
		"count is > 2 and < 5":                     "true",
		"(child as Derived)?.Extra":                "null",
		"list.Any() && big.Count() == big.Length":  "true",
		"list.First()":                             "\"alpha\"",
		"list.Last() != null":                      "true",
		"Math.Max((int)color, none ?? 1)":          "5",
		"(nullText ?? name).Length":                "5",
		"nullText == \"\" || \"\" == nullText":     "false",
		"nullText != \"\" && empty == \"\"":        "true",
		"maybe?.ToString()":                        "\"7\"",
		"none?.ToString() == null":                 "true",
		"Math.Sqrt(16)":                            "4",
		"when.AddDays(1).Day":                      "28",
		"Math.Max(count, huge)":                    "9223372036854775807",
		"name + money":                             "\"first12345.6789\"",
		"color + \" \" + name":                     "\"Green first\"",
		"(double)money":                            "12345.6789",
		"(byte)huge":                               "255",
		"(decimal)ratio":                           "0.333333333333333",
		"dict.Any() && dict.Count() == 3":          "true",
		"(long)boxed":                              "!InvalidCastException",
		"(byte)300":                                "!does not fit",
		"big[2500]":                                "!outside of big, which is a int[2500]",
		"missing.Add(1, 2)":                        "!missing is null, so missing.Add throws System.NullReferenceException",
		"dict.Sum()":                               "!cannot be called like that",
		"((Derived)child).Name":                    "!is no Derived",
		"child is Nonsense":                        "!there is no type Nonsense",
		"list is List<int>":                        "false",
		"access == 3":                              "!(int)color == 1",
		"child.Parent == root":                     "true",
		"count % 0 == 1":                           "!DivideByZeroException",
		"name[5] == 'x'":                           "!IndexOutOfRangeException",
		"nullText[0] == 'x'":                       "!nullText is null",
	} {
		evaluates(t, c, text, want, false)
	}
	r = c.Do("evaluate", mcptest.Args{"expression": "(Derived)child.Next"})
	assert.Equal(t, "child.Next", r.String("path"), "%s", r.Raw)
}

// The condition and the message of a breakpoint give the same results as evaluate.
func TestLiveNetcoredbgConditionsMeanTheSame(t *testing.T) {
	for condition, stops := range map[string]bool{
		"name.Length == 5 && missing == null":      true,
		"missing != null && missing.Name == \"x\"": false,
		"none > 5":                                 false,
		"maybe.HasValue && maybe.Value == 7":       true,
		"color == ThreadsApp.Color.Green":          true,
		"list is null":                             false,
		"count == 3 ? big.Length == 2500 : !flag":  true,
		"nullText == null || nullText.Length > 90": true,
		"(access & Access.Read) != 0":              true,
		"(none ?? 0) > 3":                          false,
		"child is Derived":                         false,
	} {
		_, r := threadsApp(t, mcptest.Args{"condition": condition})
		assert.Equal(t, stops, r.String("stop.reason") == "breakpoint", "%s: %s", condition, r.Raw)
		assert.Empty(t, r.String("stop.conditionError"), condition)
	}
	_, r := threadsApp(t, mcptest.Args{"condition": "missing.Depth > 3"})
	require.Contains(t, r.String("stop.conditionError"), "missing is null", "%s", r.Raw)

	c, r := threadsApp(t, nil)
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	c.Do("debug_disconnect", nil)
	file := r.String("stop.location.file")
	id := c.Do("tracepoint_set", mcptest.Args{
		"file": file, "line": 107,
		"log_message": "{name.Length} {missing == null} {missing.Name} {missing?.Name ?? \"nobody\"} {none ?? 5} " +
			"{maybe.Value} {color == ThreadsApp.Color.Red ? 1 : 2} {name.Length,5:D3}|",
	}).String("breakpoint.id")
	never := c.Do("tracepoint_set", mcptest.Args{"file": file, "line": 107, "condition": "list == null",
		"log_message": "never"}).String("breakpoint.id")
	c.Settled(c.Do("debug_restart", nil))
	require.Equal(t, []string{"5 true <error: NullReferenceException> nobody 5 7 2   005|"}, messages(c, id))
	require.Empty(t, messages(c, never))
}

// Functions by the names that people write: each is called three times, and each hit is told and counted.
func TestLiveNetcoredbgFunctionNames(t *testing.T) {
	fixtures.Netcoredbg(t)
	c := mcptest.Serve(t, adapter.NewManager(adapter.Options{}), mcpserver.Options{})
	names := []string{
		"Repository.Add", "Repository<string>.Map", "NamesApp.Repository<T>.MapAsync", "Cursor.Move", "Square.Square",
		"Square.Side", "Program.Walk", "Program.Load", "LoadAsync", "Main.Twice", "IShape.Area",
	}
	for _, name := range names {
		c.Do("breakpoint_set_function", mcptest.Args{"function": name})
	}
	c.Do("breakpoint_set_function", mcptest.Args{"function": "Program.LoadAsnc"})
	r := toFirstStop(c, fixtures.DotnetProgram("NamesApp"))
	for r.Has("stop") {
		require.True(t, r.Has("stop.breakpointIds.0"), "%s", r.Raw)
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
	}
	require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
	require.Equal(t, 1, r.Len("breakpoints"), "%s", r.Raw)
	require.Contains(t, r.String("breakpoints.0.message"), "NamesApp.Program.LoadAsync")
	list := c.Do("breakpoint_list", nil)
	for i, name := range names {
		assert.Equal(t, 3, list.Int("breakpoints."+itoa(i)+".hitCount"), name)
	}
}

// A program without a .pdb says so, whatever it does: stop at its entry or run through.
func TestLiveNetcoredbgNoSymbols(t *testing.T) {
	fixtures.Netcoredbg(t)
	dir := t.TempDir()
	built := filepath.Dir(fixtures.DotnetProgram("EchoApp"))
	for _, name := range []string{"EchoApp.dll", "EchoApp.runtimeconfig.json"} {
		data, err := os.ReadFile(filepath.Join(built, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	c := mcptest.Serve(t, adapter.NewManager(adapter.Options{}), mcpserver.Options{})
	c.Do("breakpoint_set_function", mcptest.Args{"function": "Program.Main"})
	r := c.Do("debug_launch", mcptest.Args{"program": filepath.Join(dir, "EchoApp.dll"), "stdin": false})
	require.Contains(t, r.String("warning"), "there is no EchoApp.pdb beside it", "%s", r.Raw)
	require.Contains(t, r.String("breakpoints.0.message"), "there is no EchoApp.pdb beside it", "%s", r.Raw)
}

// Threads at a lock statement on a static field wait for those inside one on the same field.
func TestLiveNetcoredbgWaits(t *testing.T) {
	fixtures.Netcoredbg(t)
	maps, err := mapping.ParsePathMap("/src=" + fixtures.Program("dotnet"))
	require.NoError(t, err)
	c := mcptest.Serve(t, adapter.NewManager(adapter.Options{PathMap: maps}), mcpserver.Options{})
	file := fixtures.Program("dotnet", "WaitApp", "Program.cs")
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": fixtures.MarkIn(t, file, "tick")})
	toFirstStop(c, fixtures.DotnetProgram("WaitApp"))
	r := stuck(t, c, 2)
	for mark, name := range map[string]string{"first": "WaitApp.Program.First", "second": "WaitApp.Program.Second"} {
		paths, _ := waitersAt(r, fixtures.MarkIn(t, file, mark))
		require.Len(t, paths, 1, "%s", r.Raw)
		require.Equal(t, name, r.String(paths[0]+"waitsOn"), "%s", r.Raw)
		require.True(t, r.Bool(paths[0]+"likely"))
	}
}
