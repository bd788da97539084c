package dapclient

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPageArguments(t *testing.T) {
	a := jsDebug.Launch(LaunchRequest{Program: "http://127.0.0.1/x", Cwd: "/web", Folder: func() (string, error) {
		return "/tmp/s1", nil
	}})
	require.Equal(t, []any{"pwa-chrome", "http://127.0.0.1/x", "/web"}, []any{a["type"], a["url"], a["webRoot"]})
	require.Contains(t, a["userDataDir"], "browser")
	require.NotContains(t, a, "program")
	require.True(t, IsPage("file:///a.html"))
	require.False(t, IsPage("/a/http://x"))
	none := func(string) string { return "" }
	require.Contains(t, browserArgs(none, 0), "--no-sandbox")
	require.NotContains(t, browserArgs(none, 1000), "--no-sandbox")
	if runtime.GOOS == "linux" {
		require.Contains(t, browserArgs(none, 1000), "--headless=new")
	}
	require.NotContains(t, browserArgs(func(string) string { return ":0" }, 1000), "--headless=new")
}
