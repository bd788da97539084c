package program

import (
	"breakwire/adapter/fault"
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPreBuild(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	root := t.TempDir()
	sh := func(script string) []string { return []string{"sh", "-c", script} }

	var mu sync.Mutex
	var lines []string
	b, err := RunBuild(t.Context(), root,
		sh("pwd; echo one; echo two >&2; cat; echo 'warning: error handling is missing'"),
		"", func(line string) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, line)
		})
	require.NoError(t, err)
	require.Zero(t, b.ExitCode)
	require.Empty(t, b.Errors)
	require.Contains(t, lines, "two")
	require.Len(t, strings.Split(b.Tail, "\n"), keptTailGood)

	_, err = RunBuild(t.Context(), root,
		sh("i=0; while [ $i -lt 100 ]; do echo line $i; i=$((i+1)); done; echo 'a.cs(1,2): error CS1002: ; expected "+
			"[/x/a.csproj]'; echo 'a.cs(1,2): error CS1002: ; expected [/x/a.csproj]'; echo './b.go:3:4: undefined: "+
			"x'; exit 3"), "", nil)
	require.Equal(t, fault.LaunchFailed, fault.CodeOf(err))
	require.ErrorContains(t, err, "error CS1002")
	b = fault.AsError(err).Details["build"].(*Build)
	require.Equal(t, 3, b.ExitCode)
	require.Equal(t, []string{"a.cs(1,2): error CS1002: ; expected [/x/a.csproj]", "./b.go:3:4: undefined: x"}, b.Errors)
	require.Len(t, strings.Split(b.Tail, "\n"), keptTailWrong)

	_, err = RunBuild(t.Context(), root, []string{"no-such-command-here"}, "", nil)
	require.Equal(t, fault.LaunchFailed, fault.CodeOf(err))
	_, err = RunBuild(t.Context(), root, nil, "", nil)
	require.Equal(t, fault.InvalidParameter, fault.CodeOf(err))

	// Processes that the command leaves running with its output open do not delay the launch. Cancelling ends them all.
	ctx, cancel := context.WithCancel(t.Context())
	_, err = RunBuild(ctx, root, sh("echo ready; sleep 600 & sleep 600"), "", func(string) { cancel() })
	require.Equal(t, fault.Cancelled, fault.CodeOf(err))
}

func TestErrorLines(t *testing.T) {
	for line, want := range map[string]bool{
		"a.cs(1,2): error CS1002: ; expected": true, "error: could not compile": true,
		"error[E0425]: cannot find": true, "main.go:3:4: undefined: x": true,
		"x.c:1:2: error: expected ;": true, "MSBUILD : error MSB1009: Project file does not exist.": true,
		"collect2: fatal error: no input": true,
		"    0 Error(s)":                  false, "warning CS0168: unused": false, "Build succeeded.": false,
		"no errors here": false,
	} {
		require.Equal(t, want, errorLine().MatchString(line), line)
	}
}
