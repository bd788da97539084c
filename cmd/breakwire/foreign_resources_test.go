package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

// built builds the executable as users get it.
func built(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "breakwire")
	if runtime.GOOS == "windows" {
		out += ".exe"
	}
	text, err := exec.Command("go", "build", "-o", out, ".").CombinedOutput()
	require.NoError(t, err, "%s", text)
	return out
}

// foreign runs a foreign client to its end. It prints one line for each check.
func foreign(t *testing.T, command ...string) {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
	require.NoError(t, err, "%s", text)
	t.Logf("%s", text)
}

// TestForeignResources checks the resources of a session with Delve over its lifetime, through the official SDKs and
// in both protocol generations.
func TestForeignResources(t *testing.T) {
	if testing.Short() {
		t.Skip("starts debuggers")
	}
	breakwire, longrun, source := built(t), fixtures.BuildGo(t, "longrun"), fixtures.Program("go", "longrun", "main.go")
	t.Setenv("DLV_PATH", fixtures.Delve(t))
	t.Run("TypeScript", func(t *testing.T) {
		foreign(t, append(fixtures.ForeignTSResources(t), breakwire, longrun, source)...)
	})
	for _, protocol := range []string{"2025-11-25", "2026-07-28"} {
		t.Run("Go "+protocol, func(t *testing.T) {
			foreign(t, fixtures.ForeignGo(t), "-protocol", protocol, "-resources", breakwire, longrun, source)
		})
	}
}

// TestForeignInspector uses the Inspector's CLI, which starts the server for each request.
func TestForeignInspector(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	inspector, dir := fixtures.ForeignInspector(t)
	breakwire := built(t)
	ask := func(args ...string) (out string, err error) {
		cmd := exec.CommandContext(t.Context(), inspector[0],
			append(append(inspector[1:len(inspector):len(inspector)], breakwire), args...)...)
		cmd.Dir = dir
		text, err := cmd.Output()
		return string(text), err
	}
	lists := func(what string, args ...string) []any {
		t.Helper()
		out, err := ask(args...)
		require.NoError(t, err, "%v: %s", args, out)
		var result map[string][]any
		require.NoError(t, json.Unmarshal([]byte(out), &result), "%s", out)
		require.Contains(t, result, what)
		return result[what]
	}
	require.Greater(t, len(lists("tools", "--method", "tools/list")), 20)
	require.Empty(t, lists("resources", "--method", "resources/list"))
	require.Empty(t, lists("resourceTemplates", "--method", "resources/templates/list"))
	require.Len(t, lists("prompts", "--method", "prompts/list"), 5)

	out, err := ask("--method", "prompts/get", "--prompt-name", "trace_data_flow", "--prompt-args", "expression=sum")
	require.NoError(t, err)
	require.Contains(t, out, "Follow sum through the program")
	out, err = ask("--method", "tools/call", "--tool-name", "debug_state")
	require.NoError(t, err)
	require.Contains(t, out, `"disconnected"`)
	_, err = ask("--method", "resources/read", "--uri", "debugger://session")
	var failed *exec.ExitError
	require.ErrorAs(t, err, &failed)
	require.Contains(t, string(failed.Stderr), "no program is being debugged")
}
