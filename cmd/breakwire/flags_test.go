package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// tryRun runs the command line with an empty input.
func tryRun(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err strings.Builder
	status = run(t.Context(), args, streams{strings.NewReader(""), &out, &err})
	return status, out.String(), err.String()
}

func parse(cfg *config, args ...string) error {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	cfg.addFlags(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	return cfg.check()
}

func TestUsage(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		want string // in stderr; status 2
	}{
		{"unknown flag", []string{"--nosuch"}, "unknown flag: --nosuch"},
		{"flag of another type", []string{"--trace-timeout", "soon"}, `invalid argument "soon"`},
		{"missing value", []string{"--backend"}, "flag needs an argument"},
		{"unknown command", []string{"vesion"}, `did you mean "version"?`},
		{"far from any command", []string{"xyzzy"}, `unknown command "xyzzy"`},
		{"argument of serve", []string{"serve", "now"}, `unexpected argument "now"`},
		{"argument of version", []string{"version", "now"}, `unexpected argument "now"`},
		{"notify", []string{"--notify", "some"}, "want all, standard, none"},
		{"tools", []string{"--tools", "core,evalute"}, `--tools "evalute": want all, core, or names of tools, such as eval`},
		{"log level", []string{"--log-level", "loud"}, "want debug, info, warn, error"},
		{"trace timeout", []string{"--trace-timeout", "0"}, "milliseconds above 0"},
		{"path map", []string{"--path-map", "/src"}, "want FROM=TO"},
		{"replay of nothing", []string{"--backend", "replay"}, "needs --transcript"},
		{"transcript without replay", []string{"--backend", "dlv", "--transcript", "x"}, "only for --backend replay"},
		{"two ways", []string{"--connect", "localhost:1", "--backend-cmd", "x"},
			"--backend-cmd and --connect exclude each other"},
		{"path of what", []string{"--backend-path", "/x"}, "needs --backend NAME"},
		{"no port", []string{"--connect", "localhost"}, "want HOST:PORT"},
		{"open quote", []string{"--backend-cmd", "a 'b"}, "unclosed '"},
		{"blank command", []string{"--backend-cmd", " "}, "--backend-cmd is empty"},
		{"no such debugger", []string{"--backend", "delv"},
			`backend "delv" is unknown; there are auto, codelldb, debugpy, dlv, js-debug, lldb-dap, netcoredbg; ` +
				`did you mean dlv?`},
		{"for a client too", []string{"config", "codex", "--backend", "delv"}, "did you mean dlv?"},
		{"no such root", []string{"--project-root", "/no/such/folder"}, "--project-root: "},
		{"root is a file", []string{"--project-root", "flags.go"}, "is not a folder"},
		{"serve has the flags", []string{"serve", "--notify", "some"}, "want all, standard, none"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, stdout, stderr := tryRun(t, tc.args...)
			require.Equal(t, exitUsage, status, stderr)
			require.Empty(t, stdout)
			require.Contains(t, stderr, tc.want)
			require.Contains(t, stderr, "--help")
		})
	}
}

func TestHelpAndVersion(t *testing.T) {
	status, stdout, stderr := tryRun(t, "--help")
	require.Equal(t, exitOK, status)
	require.Empty(t, stderr)
	for _, want := range []string{"Examples:", "--backend NAME", "--connect HOST:PORT", "BREAKWIRE_LOG", "version"} {
		require.Contains(t, stdout, want)
	}
	status, stdout, _ = tryRun(t, "version")
	require.Equal(t, exitOK, status)
	require.Regexp(t, `^breakwire \S+ \(go\S+, \w+/\w+\)\n$`, stdout)
}

func TestConfig(t *testing.T) {
	t.Setenv("BREAKWIRE_BACKEND", "dlv")
	t.Setenv("BREAKWIRE_LOG", "there.log")
	cfg := newConfig()
	require.NoError(t, parse(cfg, "--path-map", "/src=/home/me/a=b", "--path-map", `C:\x=/y`, "--backend-cmd",
		`"/a b/c" --d`))
	require.Equal(t, "dlv", cfg.backend)
	require.Equal(t, "there.log", cfg.logFile)
	require.Equal(t, []pathMap{{"/src", "/home/me/a=b"}, {`C:\x`, "/y"}}, cfg.pathMaps)
	require.Equal(t, []string{"/a b/c", "--d"}, cfg.backendCmd)

	t.Setenv("BREAKWIRE_BACKEND", "")
	cfg = newConfig()
	require.NoError(t, parse(cfg, "--transcript", "s.jsonl"))
	require.Equal(t, "replay", cfg.backend)
	cfg = newConfig()
	require.NoError(t, parse(cfg))
	require.Equal(t, "auto", cfg.backend)
	require.Equal(t, 2000, cfg.traceLimit)
}
