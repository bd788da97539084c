package mcpserver_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
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
