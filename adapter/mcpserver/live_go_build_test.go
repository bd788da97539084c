package mcpserver_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
	"breakwire/mapping"
)

// buildWith builds the module in a folder with flags of the go command.
func buildWith(t testing.TB, folder string, flags ...string) (program string) {
	t.Helper()
	program = filepath.Join(folder, "program")
	build := exec.Command("go", append(append([]string{"build"}, flags...), "-o", program, ".")...)
	build.Dir = folder
	build.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off", "GOOS=", "GOARCH=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

const tenLines = `package main

func main() {
	words := map[string]int{
		"a": 1,
	}

	// a comment
	for range words {
		println(len(words)) // line 10
	}
}
`

// The refusal of a line without code names the next line that has some: for breakpoints before and after the start,
// for run_to, and for experiments.
func TestLiveNextLineWithCode(t *testing.T) {
	c := liveDelve(t)
	file := writeGo(t, t.TempDir(), tenLines)
	early := c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 8}).String("breakpoint.id")
	r := c.Do("debug_launch", mcptest.Args{"program": file})
	require.Equal(t, early, r.String("breakpoints.0.id"), "%s", r.Raw)
	require.Contains(t, r.String("breakpoints.0.message"), "the next line with code is 9")
	require.False(t, r.Has("warning"), "%s", r.Raw)
	for _, tool := range []string{"breakpoint_set", "debug_run_to", "tracepoint_set"} {
		r = c.Refused(fault.InvalidLine, tool, mcptest.Args{"file": file, "line": 7})
		require.Equal(t, 9, r.Int("error.details.nearestLine"), "%s", r.Raw)
		require.Contains(t, r.String("error.message"), "the next line with code is 9")
		require.NotContains(t, r.String("error.details.backendMessage"), "next line")
	}
	r = c.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": file, "line": 13})
	require.Contains(t, r.String("error.message"), "has 12 lines", "%s", r.Raw)
	r = c.Refused(fault.InvalidLine, "batch_evaluate", mcptest.Args{"experiments": []any{
		map[string]any{"trigger": map[string]any{"file": file, "line": 7}, "capture": []string{"words"}},
	}})
	require.Contains(t, r.String("error.message"), "the next line with code is 9", "%s", r.Raw)
}

// A program that was built with optimisation says so with its start and with the refusal of a line, and how to build
// it.
func TestLiveOptimisedGo(t *testing.T) {
	c := liveDelve(t)
	folder := t.TempDir()
	file := writeGo(t, folder, "package main\n\nfunc main() {\n\tunused := 3\n\t_ = unused\n\tprintln(\"x\")\n}\n")
	for _, flags := range [][]string{nil, {"-trimpath=false"}, {"-race=false", "-gcflags=-B"}} {
		r := c.Do("debug_launch", mcptest.Args{"program": buildWith(t, folder, flags...)})
		require.Contains(t, r.String("warning"), `-gcflags="all=-N -l"`, "%s", r.Raw)
		r = c.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": file, "line": 4})
		require.Contains(t, r.String("error.message"), `next line with code is 6`, "%s", r.Raw)
		require.Contains(t, r.String("error.message"), `-gcflags="all=-N -l"`)
		r = c.Do("debug_restart", nil)
		require.Contains(t, r.String("warning"), "optimisation", "%s", r.Raw)
		c.Do("debug_disconnect", nil)
	}
	for _, flags := range [][]string{{"-gcflags=-N -l"}, {"-gcflags=all=-N -l"}} {
		r := c.Do("debug_launch", mcptest.Args{"program": buildWith(t, folder, flags...)})
		require.False(t, r.Has("warning"), "%s", r.Raw)
		c.Do("debug_disconnect", nil)
	}
}

// Variables of a program without symbols have a code of their own.
func TestNoSymbols(t *testing.T) {
	s := serve(t, "dlv", daptest.Delve(), standing(daptest.Var{Name: "i", Type: "int", Value: "7"}))
	s.launchTo(t, 10)
	for _, call := range []struct {
		tool string
		args mcptest.Args
	}{{"variables_get", nil}, {"variables_get", mcptest.Args{"scope": "locals"}}, {"snapshot_create", nil}} {
		s.adapter().Once("scopes",
			daptest.Fail("Unable to list args: unable to find locals: no debug information present in binary"))
		r := s.Refused(fault.NoSymbols, call.tool, call.args)
		require.Contains(t, r.String("error.message"), `without -ldflags="-s -w"`, "%s", r.Raw)
	}
	s.adapter().Once("scopes", daptest.Fail("Unable to list args: something else"))
	s.Refused(fault.Internal, "variables_get", nil)
}

// A call of a method or function that the linker has left out says so.
func TestLiveDroppedFunctions(t *testing.T) {
	c := liveDelve(t)
	file := writeGo(t, t.TempDir(), `package main

type T struct{ n int }

func (t *T) Unused() int { return t.n }

func unused(n int) int { return n }

func main() {
	t := &T{21}
	println(t.n) // line 11
}
`)
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 11})
	toFirstStop(c, file)
	for _, text := range []string{"t.Unused()", "call t.Unused()", "unused(3)", "main.unused(3)",
		`strings.ToUpper("a")`} {
		r := c.Refused(fault.EvalFailed, "evaluate", mcptest.Args{"expression": text})
		require.Contains(t, r.String("error.message"), "the linker has left it out", "%s", r.Raw)
	}
	for _, text := range []string{"t.nosuch", "nosuch"} {
		r := c.Refused(fault.EvalFailed, "evaluate", mcptest.Args{"expression": text})
		require.NotContains(t, r.String("error.message"), "linker", "%s", r.Raw)
	}
}

// A program that was built with -trimpath names its files by module. They are found by go.mod, also those of a module
// that is replaced by a folder; elsewhere the refusal has the path map that helps, and frames are the program's own.
func TestLiveTrimmedGo(t *testing.T) {
	root := t.TempDir()
	app, lib := filepath.Join(root, "app"), filepath.Join(root, "lib")
	write := func(file, text string) string {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	write(filepath.Join(app, "go.mod"), "module example.com/app\n\ngo 1.21\n\nrequire example.com/lib v1.0.0\n\n"+
		"replace example.com/lib => ../lib\n")
	write(filepath.Join(lib, "go.mod"), "module example.com/lib\n\ngo 1.21\n")
	main := write(filepath.Join(app, "main.go"), "package main\n\nimport \"example.com/lib\"\n\nfunc main() {\n"+
		"\tprintln(lib.Twice(21)) // line 6\n}\n")
	twice := write(filepath.Join(lib, "lib.go"), "package lib\n\nfunc Twice(n int) int {\n\treturn n * 2\n}\n")
	program := buildWith(t, app, "-trimpath", "-gcflags=all=-N -l")
	stops := func(c *mcptest.Client, program string) {
		t.Helper()
		c.Do("breakpoint_set", mcptest.Args{"file": main, "line": 6})
		c.Do("breakpoint_set", mcptest.Args{"file": twice, "line": 4})
		r := toFirstStop(c, program)
		require.Equal(t, main, r.String("stop.location.file"), "%s", r.Raw)
		require.True(t, r.Has("stop.source"))
		r = next(c)
		require.Equal(t, twice, r.String("stop.location.file"), "%s", r.Raw)
		r = c.Do("stacktrace_get", nil)
		require.Equal(t, "main.main", r.String("frames.1.function"), "%s", r.Raw)
		require.False(t, r.Bool("frames.1.isExternal"))
	}
	stops(liveDelve(t), program)

	elsewhere := filepath.Join(t.TempDir(), "program")
	text, err := os.ReadFile(program)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(elsewhere, text, 0o700))
	c := liveDelve(t)
	r := c.Do("debug_launch", mcptest.Args{"program": elsewhere})
	require.Equal(t, "example.com/app/main.go", r.String("stop.location.file"), "%s", r.Raw)
	r = c.Do("stacktrace_get", nil)
	require.False(t, r.Bool("frames.0.isExternal"), "%s", r.Raw)
	r = c.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": main, "line": 6})
	require.Contains(t, r.String("error.message"), "-trimpath", "%s", r.Raw)
	require.Contains(t, r.String("error.message"), "--path-map example.com="+root+",")

	maps, err := mapping.ParsePathMap("example.com/app="+app, "example.com/lib@v1.0.0="+lib)
	require.NoError(t, err)
	t.Setenv("DLV_PATH", fixtures.Delve(t))
	stops(mcptest.Serve(t, adapter.NewManager(adapter.Options{PathMap: maps}), mcpserver.Options{}), elsewhere)

	// What Delve builds itself is not trimmed.
	t.Setenv("GOFLAGS", "-trimpath -buildvcs=false")
	stops(liveDelve(t), app)
}

// The refusal of a file of a program that was built elsewhere has the path map that helps.
func TestLiveMovedGoSources(t *testing.T) {
	built, here := t.TempDir(), t.TempDir()
	writeGo(t, built, tenLines)
	file := writeGo(t, here, tenLines)
	c := liveDelve(t)
	c.Do("debug_launch", mcptest.Args{"program": buildWith(t, built, "-gcflags=all=-N -l")})
	r := c.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": file, "line": 10})
	require.Contains(t, r.String("error.message"), "--path-map "+built+"="+here, "%s", r.Raw)
	other := filepath.Join(here, "other.go")
	require.NoError(t, os.WriteFile(other, []byte("package main\n"), 0o600))
	r = c.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": other, "line": 1})
	require.Contains(t, r.String("error.message"), "built without a file of this name", "%s", r.Raw)
}
