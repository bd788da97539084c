package dapclient

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Folders of sources become Delve's substitutePath, also beside one of a launch configuration; what Delve builds names
// its files by their paths.
func TestDelveSourceFolders(t *testing.T) {
	folders := [][2]string{{"/home/me/app", "example.com/app"}}
	want := []any{map[string]any{"from": "/home/me/app", "to": "example.com/app"}}
	require.Equal(t, want, delve.Launch(LaunchRequest{Program: "/x/prog", SourceFolders: folders})["substitutePath"])
	require.Equal(t, want, delve.Attach(AttachRequest{Pid: 7, SourceFolders: folders})["substitutePath"])
	require.NotContains(t, delve.Launch(LaunchRequest{Program: "/x/prog"}), "substitutePath")
	require.NotContains(t, delve.Attach(AttachRequest{Pid: 7}), "substitutePath")
	require.Equal(t, []any{"-trimpath=false"}, delve.Launch(LaunchRequest{Program: t.TempDir()})["buildFlags"])
	require.NotContains(t, delve.Launch(LaunchRequest{Program: "/x/prog"}), "buildFlags")
}

func TestDelveModes(t *testing.T) {
	dir := t.TempDir()
	file, test, exe := filepath.Join(dir, "main.go"), filepath.Join(dir, "main_test.go"), filepath.Join(dir, "app.test")
	for _, f := range []string{file, test, exe} {
		require.NoError(t, os.WriteFile(f, nil, 0o755))
	}
	for _, tt := range []struct {
		name, program, mode, sent string
		extra                     map[string]any
		builds                    bool
	}{
		{"package", dir, "debug", dir, nil, true},
		{"file", file, "debug", file, nil, true},
		{"test file", test, "test", dir, nil, true},
		{"test of a package", dir, "test", dir, map[string]any{"mode": "test"}, true},
		{"binary", exe, "exec", exe, nil, false},
		{"core", exe, "core", exe, map[string]any{"mode": "core", "coreFilePath": "/core"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := delve.Launch(LaunchRequest{Program: tt.program, Extra: tt.extra})
			require.Equal(t, tt.mode, a["mode"])
			require.Equal(t, tt.sent, a["program"])
			if !tt.builds {
				require.NotContains(t, a, "output")
				return
			}
			require.Equal(t, dir, a["dlvCwd"])
			require.NotEqual(t, a["output"], delve.Launch(LaunchRequest{Program: tt.program, Extra: tt.extra})["output"])
			require.NotContains(t, a["output"], dir)
		})
	}
}

func TestMayKnow(t *testing.T) {
	for _, c := range []struct {
		file string
		by   string // the profiles that may know it
	}{
		{"/src/main.go", "dlv lldb-dap codelldb"},
		{"/src/app.py", "debugpy"},
		{`C:\src\App.CS`, "netcoredbg"},
		{"/src/lib.rs", "lldb-dap codelldb"},
		{"/src/cgo.c", "dlv lldb-dap codelldb"},
		// a template, which any language may have
		{"/src/page.html", "netcoredbg dlv debugpy lldb-dap js-debug codelldb"},
		{"/src/Makefile", "netcoredbg dlv debugpy lldb-dap js-debug codelldb"},
	} {
		var by []string
		for _, p := range Profiles() {
			if p.MayKnow(c.file) {
				by = append(by, p.Name)
			}
		}
		require.Equal(t, c.by, strings.Join(by, " "), c.file)
	}
	require.True(t, Generic("js-debug").MayKnow("/src/app.py"))
}
