package dapclient

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// How netcoredbg is started for a launch: through a shell when the program gets a standard input, with its own
// command line for executables.
func TestNetcoredbgArguments(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	for _, odd := range notShells(nil, os.Environ()) { // of this machine
		name, _, _ := strings.Cut(odd, "=")
		t.Setenv(name, "")
		require.NoError(t, os.Unsetenv(name))
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
		{name: "variables that a shell drops", r: LaunchRequest{Program: "/a/app.dll", Dotnet: "/net/dotnet", Stdin: "/p/in",
			PrivateFile: private, Env: map[string]*string{"MY VAR": &path, "PLAIN": &path, "it's": nil}},
			want:   []string{"--", "/bin/sh", filepath.Join(dir, "run")},
			script: `exec '/usr/bin/env' '--' 'MY VAR=/own' '/net/dotnet' '/a/app.dll' <'/p/in'` + "\n"},
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

// The script that starts a program hands on every variable, whatever its name.
func TestShellHandsOnVariables(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	dir := t.TempDir()
	t.Setenv("inherited.name", "from here")
	given := map[string]string{
		"MY VAR": "a b", "my-var": "it's", "my.var": "two\nlines", "-i": "no option", "1st": "$HOME", "ü%s": "%d",
		"PLAIN": "p",
		"PWD":   "/elsewhere", "OPTIND": "7", "IFS": ":", "PPID": "1", "PS4": "x",
	}
	env := map[string]*string{}
	for name, value := range given {
		env[name] = &value
	}
	args, err := netcoredbg.LaunchArgs(LaunchRequest{
		Program: "/usr/bin/env", Args: []string{"-0"}, Env: env, Stdin: os.DevNull,
		PrivateFile: func(name string, data []byte) (string, error) {
			return filepath.Join(dir, name), os.WriteFile(filepath.Join(dir, name), data, 0o600)
		},
	})
	require.NoError(t, err)
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Env = os.Environ()
	for name, value := range given {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.Output()
	require.NoError(t, err)
	given["inherited.name"] = "from here"
	got := strings.Split(string(out), "\x00")
	for name, value := range given {
		require.Contains(t, got, name+"="+value)
	}
}
