package dapclient

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// How netcoredbg is started for a launch: through a shell when the program gets a standard input, with its own
// command line for executables.
func TestNetcoredbgArguments(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	dir := t.TempDir()
	exe := filepath.Join(dir, "app")
	require.NoError(t, os.WriteFile(exe, []byte("\x7fELF"), 0o755))
	path := "/own"
	private := func(name string, data []byte) (string, error) {
		file := filepath.Join(dir, name)
		return file, os.WriteFile(file, data, 0o600)
	}
	for _, test := range []struct {
		name   string
		r      LaunchRequest
		want   []string
		script string
		fails  string
	}{
		{name: "assembly", r: LaunchRequest{Program: "/a/app.dll", Dotnet: "/net/dotnet"}},
		{name: "assembly with input", r: LaunchRequest{Program: "/a/app.dll", Args: []string{"it's", `b\c`},
			Dotnet: "/net/dotnet", Stdin: "/p/in", PrivateFile: private},
			want:   []string{"--", "/bin/sh", filepath.Join(dir, "run")},
			script: `exec '/net/dotnet' '/a/app.dll' 'it'\''s' 'b\c' <'/p/in'` + "\n"},
		{name: "no dotnet", r: LaunchRequest{Program: "/a/app.dll", Stdin: "/p/in", PrivateFile: private},
			fails: "DOTNET_ROOT"},
		{name: "a PATH of the program's own",
			r: LaunchRequest{Program: "/a/app.dll", Env: map[string]*string{"PATH": &path}, Stdin: "/p/in",
				PrivateFile: private},
			want: []string{"--", "/bin/sh", filepath.Join(dir, "run")}, script: "exec 'dotnet' '/a/app.dll' <'/p/in'\n"},
		{name: "executable", r: LaunchRequest{Program: exe, Args: []string{"1"}}, want: []string{"--", exe, "1"}},
		{name: "executable with input", r: LaunchRequest{Program: exe, Stdin: "/p/in", PrivateFile: private},
			want: []string{"--", "/bin/sh", filepath.Join(dir, "run")}, script: "exec '" + exe + "' <'/p/in'\n"},
		{name: "no program", r: LaunchRequest{Program: filepath.Join(dir, "nosuch")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := netcoredbg.LaunchArgs(test.r)
			if test.fails != "" {
				require.ErrorContains(t, err, test.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, got)
			if test.script != "" {
				text, err := os.ReadFile(filepath.Join(dir, "run"))
				require.NoError(t, err)
				require.Equal(t, test.script, string(text))
			}
		})
	}
}
