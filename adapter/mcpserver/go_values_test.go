package mcpserver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// A result without a name has no value before the function returns, so it is not listed.
func TestGoUnsetResults(t *testing.T) {
	n := daptest.Var{Name: "n", Type: "int", Value: "21"}
	result := daptest.Var{Name: "~r0", Type: "int", Value: "0"}
	named := daptest.Var{Name: "err", Type: "error", Value: "error nil"}
	s := serve(t, "dlv", daptest.Delve(), standing(n, result, named))
	s.launchTo(t, 10)
	r := s.Do("variables_get", nil)
	require.Equal(t, 2, r.Len("variables"), "%s", r.Raw)
	require.NotContains(t, string(r.Raw), "~r0")
}

// Bytes and durations are shown as people read them, in lists, among children and as results.
func TestGoValues(t *testing.T) {
	data := daptest.Var{Name: "data", Type: "[]uint8", Value: "[]uint8 len: 2, cap: 2, [104,105]"}
	wait := daptest.Var{Name: "wait", Type: "time.Duration", Value: "1500000000"}
	options := daptest.Var{Name: "options", Type: "main.Options", Value: "main.Options {...}",
		Children: []daptest.Var{wait}}
	s := serve(t, "dlv", daptest.Delve(), standing(data, wait, options))
	s.launchTo(t, 10)
	r := s.Do("variables_get", mcptest.Args{"names": []string{"data", "wait"}})
	require.Equal(t, data.Value+` "hi"`, r.String("variables.0.value"), "%s", r.Raw)
	require.Equal(t, "1.5s (1500000000 ns)", r.String("variables.1.value"))
	r = s.Do("variables_get", mcptest.Args{"expand": "options"})
	require.Equal(t, "1.5s (1500000000 ns)", r.String("variables.0.value"), "%s", r.Raw)
	r = s.Do("evaluate", mcptest.Args{"expression": "wait"})
	require.Equal(t, "1.5s (1500000000 ns)", r.String("value"), "%s", r.Raw)
}

// Where the program is not on this disk, Delve lists the package's variables, and only while they are asked for.
func TestGoGlobalsByDelve(t *testing.T) {
	p := standing(daptest.Var{Name: "i", Type: "int", Value: "7"})
	p.Globals = []daptest.Var{{Name: "Global", Type: "int", Value: "3"}}
	s := serve(t, "dlv", daptest.Delve(), p)
	s.launchTo(t, 10)
	for range 2 {
		r := s.Do("variables_get", mcptest.Args{"scope": "globals"})
		require.Equal(t, 1, r.Len("variables"), "%s", r.Raw)
		require.Equal(t, "Global", r.String("variables.0.name"))
		require.Equal(t, "global", r.String("variables.0.scope"))
		shows := 0
		for _, m := range s.adapter().Requests("evaluate") {
			switch text := string(m.Arguments); {
			case strings.Contains(text, "showGlobalVariables true"):
				shows++
			case strings.Contains(text, "showGlobalVariables false"):
				shows--
			}
		}
		require.Zero(t, shows, "Delve is told to list them no longer")
		require.NotContains(t, string(s.Do("variables_get", nil).Raw), "Global")
	}
}

func TestGoWithoutGlobals(t *testing.T) {
	s := serve(t, "dlv", daptest.Delve(), standing(daptest.Var{Name: "i", Type: "int", Value: "7"}))
	s.launchTo(t, 10)
	r := s.Do("variables_get", mcptest.Args{"scope": "globals"})
	require.Equal(t, 0, r.Len("variables"), "%s", r.Raw)
	require.Contains(t, r.String("note"), "package.Name")
}

// The globals are those of the package of the chosen frame, read by the program's symbols; their paths can be expanded
// and set.
func TestLiveGoGlobals(t *testing.T) {
	c := liveDelve(t)
	folder := t.TempDir()
	file := writeGo(t, folder, `package main

import "written/deep/store"

var First, table = 7, map[string]int{"x": 1}

func main() {
	store.Put(First + len(table))
}
`)
	deep := filepath.Join(folder, "deep", "store", "store.go")
	require.NoError(t, os.MkdirAll(filepath.Dir(deep), 0o700))
	require.NoError(t, os.WriteFile(deep, []byte("package store\n\nvar Count int\n\nfunc Put(n int) {\n\tCount += n\n"+
		"\tprintln(Count)\n}\n"), 0o600))
	c.Do("breakpoint_set", mcptest.Args{"file": deep, "line": 7})
	toFirstStop(c, file)
	r := c.Do("variables_get", mcptest.Args{"scope": "globals"})
	require.Equal(t, 1, r.Len("variables"), "%s", r.Raw)
	require.Equal(t, "Count 8", r.String("variables.0.name")+" "+r.String("variables.0.value"))
	c.Do("variable_set", mcptest.Args{"path": r.String("variables.0.path"), "value": "9"})
	require.Equal(t, "9", c.Do("variables_get", mcptest.Args{"scope": "globals"}).String("variables.0.value"))
	r = c.Do("variables_get", mcptest.Args{"scope": "globals", "frame_index": 1, "names": []string{"table", "First"}})
	require.Equal(t, `map[string]int ["x": 1, ]`, r.String("variables.0.value"), "%s", r.Raw)
	require.Equal(t, "main.First", r.String("variables.1.path"))
	r = c.Do("variables_get", mcptest.Args{"expand": r.String("variables.0.path"), "frame_index": 1})
	require.Equal(t, "1", r.String("variables.0.value"), "%s", r.Raw)
	require.NotContains(t, string(c.Do("variables_get", nil).Raw), "Count")
}
