package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"breakwire/cmd/breakwire/internal/view"
	"breakwire/dapclient"
	"breakwire/fixtures"
)

// role makes this test binary a debugger that is not permitted to debug.
const role = "BREAKWIRE_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(role) == "refuse" {
		os.Stderr.WriteString("ptrace: operation not permitted\n")
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// examined returns the report after encoding it as JSON and decoding it.
func examined(t *testing.T, program string) (r Report) {
	t.Helper()
	text, err := json.Marshal(Examine(t.Context(), "1.2.3", program))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r), "%s", text)
	require.Equal(t, "1.2.3", r.Version)
	return r
}

func (r Report) backend(t *testing.T, name string) backendReport {
	t.Helper()
	for _, b := range r.Backends {
		if b.Name == name {
			return b
		}
	}
	t.Fatalf("%s is not in the report", name)
	return backendReport{}
}

func TestNothingInstalled(t *testing.T) {
	fixtures.HideDebuggers(t)
	r := examined(t, "")
	require.False(t, r.OK)
	require.Len(t, r.Backends, len(dapclient.Profiles()))
	for _, b := range r.Backends {
		require.False(t, b.Works, b.Name)
		require.NotEmpty(t, b.Findings, b.Name)
		require.Equal(t, problem, b.Findings[0].Level)
		require.NotEmpty(t, b.Findings[0].Next, "%s: every lack has its next step", b.Name)
	}
	var out bytes.Buffer
	r.Print(&out, view.Style{}, false)
	require.NotContains(t, out.String(), "\x1b[", "no colours but those of the style")
	require.Contains(t, out.String(), "go install github.com/go-delve/delve/cmd/dlv@latest")
	require.Contains(t, out.String(), "No debugger works here yet")
}

func TestDelve(t *testing.T) {
	delve, program := fixtures.Delve(t), fixtures.BuildGo(t, "loop")
	fixtures.HideDebuggers(t)
	t.Setenv("DLV_PATH", delve)
	r := examined(t, program)
	b := r.backend(t, "dlv")
	require.True(t, b.Works, "%+v", b)
	require.True(t, r.OK)
	require.NotEmpty(t, b.Version)
	require.Equal(t, runtime.GOARCH, b.Arch)
	require.Equal(t, "native", b.Capabilities["tracepoints"])
	require.Equal(t, "dlv", r.Program.Backend)
	if runtime.GOOS == "linux" {
		require.Equal(t, "dwarf", r.Program.Symbols)
	}

	r = examined(t, filepath.Join(t.TempDir(), "nosuch"))
	require.False(t, r.OK)
	require.Equal(t, problem, r.Program.Findings[0].Level)

	// The debugger that works is not the one for this program.
	r = examined(t, filepath.Join(fixtures.Root(), "fixtures", "programs", "dotnet", "LoopApp", "bin", "LoopApp.dll"))
	require.False(t, r.OK)
	require.Equal(t, "netcoredbg", r.Program.Backend)
	require.Equal(t, "portable", r.Program.Symbols)
}

func TestBrokenDebugger(t *testing.T) {
	fixtures.HideDebuggers(t)
	exe, err := os.Executable()
	require.NoError(t, err)
	t.Setenv("NETCOREDBG_PATH", exe)
	t.Setenv(role, "refuse")
	b := examined(t, "").backend(t, "netcoredbg")
	require.False(t, b.Works)
	require.Equal(t, exe, b.Path)
	require.Contains(t, b.Findings[0].Text, "exit status 1")
	require.Contains(t, b.Findings[0].Text, "operation not permitted")
	require.Contains(t, b.Findings[0].Next, "NETCOREDBG_PATH")
}

func TestTracing(t *testing.T) {
	scope := func(n int) *int { return &n }
	for _, test := range []struct {
		name    string
		scope   *int
		refused error
		user    int
		want    level
		says    string
	}{
		{"no Yama", nil, nil, 1000, fine, "may be traced"},
		{"open", scope(0), nil, 1000, fine, "may be traced"},
		{"children only", scope(1), nil, 1000, warning, "sysctl"},
		{"children only, root", scope(1), nil, 0, fine, "may be traced"},
		{"root only", scope(2), nil, 1000, warning, "sysctl"},
		{"nobody", scope(3), nil, 0, problem, "reboot"},
		{"container", scope(0), errors.New("operation not permitted"), 0, problem, "SYS_PTRACE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := tracing(test.scope, test.refused, test.user)
			require.Len(t, got, 1)
			require.Equal(t, test.want, got[0].Level)
			require.Contains(t, got[0].Text+got[0].Next, test.says)
		})
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "scope")
	require.Nil(t, ptraceScope(file))
	require.NoError(t, os.WriteFile(file, []byte("1\n"), 0o644))
	require.Equal(t, 1, *ptraceScope(file))
}

func TestGlobalization(t *testing.T) {
	for _, test := range []struct {
		name           string
		missing, known bool
		chosen         string
		want           level
	}{
		{"there", false, true, "", fine},
		{"missing", true, true, "", warning},
		{"missing and done without", true, true, "1", fine},
		{"missing and insisted upon", true, true, "0", problem},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := globalization(test.missing, test.known, test.chosen)
			require.Len(t, got, 1)
			require.Equal(t, test.want, got[0].Level)
			require.Equal(t, test.want != fine, got[0].Next != "")
		})
	}
	require.Empty(t, globalization(false, false, ""))
}

// Every debugger has a next step on every system.
func TestNextStep(t *testing.T) {
	for _, system := range []systemReport{
		{OS: "linux", Arch: "amd64", Libc: "glibc"}, {OS: "linux", Arch: "arm64", Libc: "musl"},
		{OS: "linux", Arch: "riscv64", Libc: "glibc"},
		{OS: "darwin", Arch: "arm64"}, {OS: "windows", Arch: "amd64"}, {OS: "freebsd", Arch: "amd64"},
	} {
		for backend := range debugs() {
			for _, tool := range []string{"", "go", "apt-get", "dnf", "pacman", "apk"} {
				got := nextStep(backend, system, func(t string) bool { return t == tool })
				require.NotEmpty(t, got, "%s on %s", backend, system.OS)
				require.NotContains(t, got, "\n")
			}
		}
	}
	none := func(string) bool { return false }
	require.Contains(t, nextStep("netcoredbg", systemReport{OS: "linux", Arch: "arm64", Libc: "glibc"}, none),
		"netcoredbg-linux-arm64.tar.gz")
	require.Contains(t, nextStep("netcoredbg", systemReport{OS: "linux", Arch: "amd64", Libc: "musl"}, none),
		"from source")
	require.Contains(t, nextStep("dlv", systemReport{OS: "linux"}, none), "go.dev")
	require.Contains(t, nextStep("lldb-dap", systemReport{OS: "darwin"}, none), "brew")
}

func TestRuntimes(t *testing.T) {
	have := parseRuntimes("Microsoft.AspNetCore.App 8.0.11 [/usr/share/dotnet/shared/Microsoft.AspNetCore.App]\n" +
		"Microsoft.NETCore.App 9.0.5 [/usr/share/dotnet/shared/Microsoft.NETCore.App]\nMicrosoft.NETCore.App " +
		"10.0.0-rc.1 [x]\nnoise\n")
	require.Equal(t, []dotnetRuntime{{"Microsoft.AspNetCore.App", "8.0.11"}, {"Microsoft.NETCore.App", "9.0.5"},
		{"Microsoft.NETCore.App", "10.0.0-rc.1"}}, have)
	for version, want := range map[string]bool{"9.0.0": true, "9.0.5": true, "9.0.6": false, "9.1.0": false,
		"8.0.0": false, "10.0.0": true} {
		require.Equal(t, want, fits(have, dotnetRuntime{"Microsoft.NETCore.App", version}), version)
	}
}

func TestProgramSymbols(t *testing.T) {
	fixtures.HideDebuggers(t)
	dotnet := filepath.Join(fixtures.Root(), "fixtures", "programs", "dotnet")
	read := func(path ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{dotnet}, path...)...))
		require.NoError(t, err)
		return string(text)
	}
	dll, pdb := read("LoopApp", "bin", "LoopApp.dll"), read("LoopApp", "bin", "LoopApp.pdb")
	const config = `{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"9.0.0"}}}`
	installed := dotnetReport{Path: "/dotnet", Runtimes: []dotnetRuntime{{"Microsoft.NETCore.App", "9.0.5"}}}
	for _, test := range []struct {
		name    string
		files   map[string]string
		give    string
		symbols string
		fails   bool
		says    string
	}{
		{"portable", map[string]string{"App.dll": dll, "App.pdb": pdb, "App.runtimeconfig.json": config}, "App.dll",
			"portable", false, "is installed"},
		{"of another build", map[string]string{"App.dll": dll, "App.pdb": read("ThrowApp", "bin", "ThrowApp.pdb"),
			"App.runtimeconfig.json": config}, "App.dll", "mismatch", false, "another build"},
		{"Windows", map[string]string{"App.dll": dll, "App.pdb": "Microsoft C/C++ MSF 7.00\r\n\x1aDS",
			"App.runtimeconfig.json": config}, "App.dll", "windows", false, "portable</DebugType>"},
		{"none", map[string]string{"App.dll": dll, "App.runtimeconfig.json": config}, "App.dll", "none", false, "no symbols"},
		{"a newer framework",
			map[string]string{"App.dll": dll, "App.pdb": pdb, "App.runtimeconfig.json": strings.Replace(config, "9.0.0",
				"12.0.0", 1)}, "App.dll", "portable", true, "12.0.0"},
		{"host", map[string]string{"App.exe": "MZ", "App.dll": dll, "App.pdb": pdb, "App.runtimeconfig.json": config},
			"App.exe", "portable", false, "is installed"},
		{"project that is not built", map[string]string{"App.csproj": "<Project/>"}, "App.csproj", "", true, "dotnet build"},
		{"no program", map[string]string{"notes.txt": "text"}, "notes.txt", "", true, "not a program"},
		{"Python", map[string]string{"a.py": ""}, "a.py", "", false, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range test.files {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
			}
			got := examineProgram(filepath.Join(dir, test.give), installed)
			all, err := json.Marshal(got)
			require.NoError(t, err)
			if test.symbols != "none" && test.symbols != "mismatch" { // the path in the module may exist on this disk
				require.Equal(t, test.symbols, got.Symbols, "%s", all)
			}
			require.Equal(t, test.fails, got.fails(), "%s", all)
			require.Contains(t, strings.ReplaceAll(string(all), `\u003c`, "<"), strings.ReplaceAll(test.says, ">", `\u003e`))
		})
	}
}

func TestPaint(t *testing.T) {
	var out bytes.Buffer
	f := finding{problem, "broken", "mend it"}
	paint{out: &out}.finding(f, "  ")
	require.Equal(t, "  ✗ broken\n    → mend it\n", out.String())
	out.Reset()
	paint{out: &out, ascii: true}.finding(f, "")
	require.Equal(t, "x broken\n  -> mend it\n", out.String())
	out.Reset()
	paint{out: &out, style: view.Colours}.finding(finding{Level: fine, Text: "good"}, "")
	require.Equal(t, "\x1b[32m✓\x1b[0m good\n", out.String())
}
