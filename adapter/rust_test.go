package adapter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
)

func TestIsRust(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		text string
		want bool
	}{
		"empty":  {"", false},
		"start":  {"/rustc/90b35/library/core/src/num.rs", true},
		"border": {strings.Repeat("x", 1<<20-3) + "/rustc/90b35", true},
		"later":  {strings.Repeat("x", 3<<20) + "/rustc/", true},
		"other":  {strings.Repeat("/rust/c", 1<<18), false},
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(tt.text), 0o600))
		assert.Equal(t, tt.want, isRust(path), name)
	}
	assert.False(t, isRust(dir))
	assert.False(t, isRust(filepath.Join(dir, "none")))
}

func TestRustFormatters(t *testing.T) {
	home := t.TempDir()
	t.Setenv("PATH", t.TempDir())
	env := map[string]string{"RUSTUP_HOME": home}
	find := func() string { return rustFormatters(func(name string) string { return env[name] }) }
	toolchain := func(name string, files ...string) string {
		etc := filepath.Join(home, "toolchains", name, "lib", "rustlib", "etc")
		require.NoError(t, os.MkdirAll(etc, 0o700))
		for _, f := range files {
			require.NoError(t, os.WriteFile(filepath.Join(etc, f), nil, 0o600))
		}
		return etc
	}
	require.Empty(t, find())
	toolchain("bare")
	require.Empty(t, find(), "a toolchain without formatters")
	stable := toolchain("stable", "lldb_lookup.py", "lldb_commands")
	beta := toolchain("beta", "lldb_lookup.py", "lldb_commands")
	require.NoError(t, os.WriteFile(filepath.Join(home, "settings.toml"),
		[]byte("version = \"12\"\ndefault_toolchain = \"stable\"\n"), 0o600))
	require.Equal(t, stable, find())
	env["RUSTUP_TOOLCHAIN"] = "beta"
	require.Equal(t, beta, find())
	env["RUSTUP_TOOLCHAIN"] = "../../elsewhere"
	require.Equal(t, stable, find(), "a path is no name of a toolchain")
}

func TestRustFormattersAreLoaded(t *testing.T) {
	p := dapclient.ProfileByName("lldb-dap")
	for what, args := range map[string]map[string]any{
		"launch": p.Launch(dapclient.LaunchRequest{RustFormatters: "/rust/etc"}),
		"attach": p.Attach(dapclient.AttachRequest{Pid: 7, RustFormatters: "/rust/etc"}),
	} {
		commands, _ := args["initCommands"].([]any)
		require.Len(t, commands, 4, what)
		assert.Contains(t, commands[1], filepath.Join("/rust/etc", "lldb_lookup.py"))
		assert.Contains(t, commands[2], filepath.Join("/rust/etc", "lldb_commands"))
		assert.Contains(t, commands[3], "lldb_lookup")
	}
	require.Len(t, p.Attach(dapclient.AttachRequest{Pid: 7})["initCommands"], 1, "the corrections for C++")
}
