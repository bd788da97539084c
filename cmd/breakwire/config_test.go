package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

func TestConfigFileErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		text string
		says string
	}{
		{"syntax", "{\n  \"profiles\": [\n    {\"name\" \"x\"}\n  ]\n}", "line 3"},
		{"not an object", "[]", "c.jsonc:1: want an object"},
		{"unknown name", "{\n\n  \"profile\": []\n}", `c.jsonc:3: unknown name "profile"; did you mean "profiles"?`},
		{"no name", "{\"profiles\": [\n{\"command\": [\"x\"]}]}", "c.jsonc:2: a profile needs a name"},
		{"no command", "{\"profiles\": [{\"name\": \"x\"}]}", "needs a command"},
		{"both", `{"profiles": [{"name": "x", "command": ["x"], "connect": "h:1"}]}`, "exclude each other"},
		{"a built-in name", `{"profiles": [{"name": "dlv", "command": ["x"]}]}`, "choose another name"},
		{"twice", `{"profiles": [{"name": "x", "command": ["x"]}, {"name": "x", "command": ["x"]}]}`,
			`two profiles named "x"`},
		{"a member twice", "{\"profiles\": [{\"name\": \"x\",\n\"name\": \"y\"}]}", `c.jsonc:2: "name" is there twice`},
		{"wrong type", "{\"profiles\": [{\"name\": \"x\",\n\n\"command\": \"x --dap\"}]}", "c.jsonc:3: want a list"},
		{"empty command", `{"profiles": [{"name": "x", "command": []}]}`, "the command is empty"},
		{"language", `{"profiles": [{"name": "x", "command": ["x"], "language": "cobol"}]}`,
			"want csharp, go, python, c or javascript"},
		{"address", `{"profiles": [{"name": "x", "connect": "somewhere"}]}`, "want HOST:PORT"},
		{"base", `{"profiles": [{"name": "x", "command": ["x"], "extends": "gdb"}]}`, `no built-in profile "gdb"`},
		{"variable", "{\"profiles\": [{\"name\": \"x\", \"command\": [\"x\"], \"launch\": {\n\"program\": " +
			"\"${programme}\"}}]}", "c.jsonc:2: there is no variable ${programme} here"},
		{"variable of the other request", `{"profiles": [{"name": "x", "command": ["x"], "attach": {"p": ` +
			`"${program}"}}]}`, "there is no variable ${program} here"},
		{"list in a text", `{"profiles": [{"name": "x", "command": ["x"], "launch": {"a": "run ${args}"}}]}`,
			"must be the whole value"},
		{"quirk", "{\"profiles\": [{\"name\": \"x\", \"command\": [\"x\"], \"quirks\": {\n\"sweepStop\": true}}]}",
			`c.jsonc:2: unknown name "sweepStop"; did you mean "sweepStops"?`},
		{"quirk of the wrong type", `{"profiles": [{"name": "x", "command": ["x"], "quirks": {"sweepStops": "yes"}}]}`,
			"want true or false"},
		{"pattern", `{"profiles": [{"name": "x", "command": ["x"], "quirks": {"pauseText": "("}}]}`,
			"not a regular expression"},
		{"announce without a group", `{"profiles": [{"name": "x", "command": ["x"], "announce": "listening"}]}`,
			"needs a group"},
		{"extension", `{"profiles": [{"name": "x", "command": ["x"], "programs": ["rb"]}]}`, "no extension"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseSettings("c.jsonc", []byte(test.text))
			require.ErrorContains(t, err, test.says)
		})
	}
}

func TestConfigFile(t *testing.T) {
	s, err := parseSettings("c.jsonc", []byte(`{
		// comments and trailing commas are fine
		"pathMaps": ["/app=/home/me/app",],
		"profiles": [{
			"name": "ruby", "language": "python", "adapterId": "rdbg", "command": ["rdbg", "--open=stdio"],
			"env": {"A": "1"}, "programs": [".RB"],
			"launch": {"script": "${program}", "args": "${args}", "cwd": "${cwd}", "env": "${env}",
				"stop": "${stopAtEntry}", "title": "run ${program} in ${cwd}",
				"nested": {"list": ["-x", "${program}"], "n": 1}},
			"attach": {"pid": "${pid}", "name": "process ${pid}"},
			"quirks": {"sweepStops": true, "pauseText": "^SIGSTOP", "logPoints": "debugpy"},
		}],
	}`))
	require.NoError(t, err)
	require.Equal(t, []string{"/app=/home/me/app"}, s.pathMaps)
	p := s.profiles[0].profile
	require.True(t, p.SweepStops)
	require.True(t, p.PauseText.MatchString("SIGSTOP"))
	require.Equal(t, "debugpy", p.LogPoints)
	require.Equal(t, []string{".rb"}, s.profiles[0].programs)
	one := "1"
	for _, test := range []struct {
		r    dapclient.LaunchRequest
		want string
	}{
		{dapclient.LaunchRequest{Program: "a.rb"}, `{"script":"a.rb","args":[],"stop":false,"title":"run a.rb in ",` +
			`"nested":{"list":["-x","a.rb"],"n":1}}`},
		{dapclient.LaunchRequest{Program: "a.rb", Args: []string{"x y"}, Cwd: "/w",
			Env: map[string]*string{"A": &one, "B": nil}, StopAtEntry: true},
			`{"script":"a.rb","args":["x y"],"cwd":"/w","env":{"A":"1"},"stop":true,"title":"run a.rb in /w",` +
				`"nested":{"list":["-x","a.rb"],"n":1}}`},
	} {
		got, err := json.Marshal(p.Launch(test.r))
		require.NoError(t, err)
		require.JSONEq(t, test.want, string(got))
	}
	got, err := json.Marshal(p.Attach(dapclient.AttachRequest{Pid: 7}))
	require.NoError(t, err)
	require.JSONEq(t, `{"pid":7,"name":"process 7"}`, string(got))
}

// The examples of docs/profiles.md are valid, and the page names every quirk.
func TestProfilesPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/profiles.md")
	require.NoError(t, err)
	page := strings.ReplaceAll(string(text), "\r\n", "\n")
	examples := strings.Split(page, "```jsonc\n")[1:]
	require.NotEmpty(t, examples)
	for _, e := range examples {
		e, _, _ = strings.Cut(e, "```")
		_, err := parseSettings("profiles.md", []byte(e))
		require.NoError(t, err, "%s", e)
	}
	for name := range quirkFields() {
		require.Contains(t, page, "`"+name+"`")
	}
	quirk := func(name, value string) error {
		const profile = `{"profiles":[{"name":"x","extends":"dlv","command":["x"],"quirks":{%q:%q}}]}`
		_, err := parseSettings("x", fmt.Appendf(nil, profile, name, value))
		return err
	}
	for name, values := range textQuirks() {
		require.Contains(t, page, "| `"+name+"` |")
		set := "any"
		if values != nil {
			set = values[0]
			require.ErrorContains(t, quirk(name, "wrong"), "want "+set, name)
		}
		require.NoError(t, quirk(name, set), name)
	}
	_, quirks, found := strings.Cut(page, "| `sweepStops`")
	require.True(t, found)
	quirks, _, _ = strings.Cut(quirks, "\n\n")
	for _, row := range regexp.MustCompile("(?m)^\\| (`\\w+`(?:, `\\w+`)*) \\|").FindAllStringSubmatch(quirks, -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			name = strings.Trim(name, "`")
			_, isField := quirkFields()[name]
			_, isText := textQuirks()[name]
			require.True(t, isField || isText, "%s is on the page, and no quirk of the config file", name)
		}
	}
	for _, name := range append(profileNames, append(launchVariables(), attachVariables()...)...) {
		require.Contains(t, page, name)
	}
}

// remoteSource is the path where the program of playAdapter was built.
const remoteSource = "REMOTE_SOURCE"

// playAdapter serves a plain fake adapter on the standard streams.
func playAdapter() int {
	file := os.Getenv(remoteSource)
	p := daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
		daptest.Step{File: file, Line: 1, Func: "main", Stdout: strings.Join(os.Args[1:], " ") + "\n"},
		daptest.Step{File: file, Line: 2, Func: "main"},
		daptest.Step{File: file, Line: 3, Func: "main"},
	)}}}
	if err := daptest.Serve(daptest.Stdio(), daptest.LLDB(), p, func(a *daptest.Adapter) {
		a.OnRequest("launch", func(m *dapclient.Message) daptest.Action {
			fmt.Fprintf(os.Stderr, "launch %s\n", m.Arguments)
			return daptest.Action{}
		})
	}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// An adapter of the config file, and one behind a wrapper such as `docker exec -i`, debug a program that was built on
// another machine. The client's paths are mapped to the debugger's and back, in any form.
func TestAdaptersElsewhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	// A folder that is a symbolic link, as /tmp is on some systems.
	real, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(real, link))
	require.NoError(t, os.MkdirAll(filepath.Join(real, "src"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(real, "src", "a.c"), []byte("one\ntwo\nthree\n"), 0o644))

	const wrapped = `sh -c 'exec "$0" "$@"' `
	for _, remote := range []struct{ name, folder, file string }{
		{"container", "/app", "/app/src/a.c"},
		{"deterministic build", "/_/", "/_/src/a.c"},
		{"Windows", `C:\build`, `C:\build\src\a.c`},
		{"Windows with a small drive letter", `c:\build`, `c:\build\src\a.c`},
	} {
		for _, way := range []struct {
			name string
			set  func(*config)
		}{
			{"backend-cmd", func(c *config) {
				c.backend, c.rawCmd = "own", wrapped+`"`+exe+`" one`
			}},
			{"config file", func(c *config) {
				c.backend = "own"
				c.configFile = filepath.Join(t.TempDir(), "config.jsonc")
				text :=
					fmt.Sprintf(`{"profiles": [{"name": "own", "command": ["sh", "-c", "exec \"$0\" \"$@\"", %q, "one"], // a wrapper
					"launch": {"program": "${program}", "first": "${args}"}, "attach": {"pid": "${pid}"}}]}`, exe)
				require.NoError(t, os.WriteFile(c.configFile, []byte(text), 0o644))
			}},
		} {
			t.Run(remote.name+" "+way.name, func(t *testing.T) {
				t.Setenv(role, "adapter")
				t.Setenv(remoteSource, remote.file)
				c := serveFor(t, func(cfg *config) {
					way.set(cfg)
					cfg.rawMaps = []string{remote.folder + "=" + link}
				})
				source := filepath.Join(link, "src", "a.c")
				c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 2})
				r := c.Do("debug_launch", mcptest.Args{"program": "/only/there", "args": []string{"x"}, "stop_at_entry": false})
				require.Equal(t, 2, r.Int("stop.location.line"), "%s", r.Raw)
				require.Equal(t, source, r.String("stop.location.file"))
				require.Contains(t, string(r.Raw), "two", "the source is shown from here")
				require.Equal(t, source, c.Do("stacktrace_get", nil).String("frames.0.location.file"))
				require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
				require.Contains(t, string(c.Do("process_read_output", nil).Raw), "one")
			})
		}
	}
}

func TestConfigFileOnTheCommandLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bad.jsonc")
	require.NoError(t, os.WriteFile(file, []byte("{\n\"profiles\": 1}"), 0o644))
	status, _, problems := tryRun(t, "--config", file)
	require.Equal(t, exitFailure, status)
	require.Contains(t, problems, "bad.jsonc:2: want a list")
	status, _, problems = tryRun(t, "--config", filepath.Join(t.TempDir(), "missing"))
	require.Equal(t, exitFailure, status)
	require.Contains(t, problems, "read the config file")

	// for the user's settings on Linux, macOS and Windows
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	s, err := readSettings("")
	require.NoError(t, err, "the user's own need not exist")
	require.Empty(t, s.profiles)
	require.NoError(t, os.MkdirAll(filepath.Dir(defaultSettings()), 0o755))
	require.NoError(t,
		os.WriteFile(defaultSettings(),
			[]byte(`{"profiles": [{"name": "own", "connect": "127.0.0.1:9", "programs": [".rb"]}]}`), 0o644))
	program := filepath.Join(t.TempDir(), "a.rb")
	require.NoError(t, os.WriteFile(program, nil, 0o644))
	c := serveFor(t, func(*config) {})
	r := c.Refused(fault.BackendNotFound, "debug_launch", mcptest.Args{"program": program})
	require.Contains(t, r.String("error.message"), "127.0.0.1:9", "chosen by the extension")
}

// The name of a debugger is checked at the start. doctor and a launch check whether it is installed.
func TestBackendIsKnownAtTheStart(t *testing.T) {
	noDebuggers(t)
	file := filepath.Join(t.TempDir(), "config.jsonc")
	require.NoError(t,
		os.WriteFile(file,
			[]byte(`{"profiles": [{"name": "ruby", "command": ["rdbg"]}, {"name": "crystal", "command": ["x"]}]}`), 0o600))
	for _, c := range []struct {
		name string
		args []string
		says string // "" if it starts
	}{
		{"of the file", []string{"--config", file, "--backend", "ruby"}, ""},
		{"built in, not installed", []string{"--config", file, "--backend", "netcoredbg"}, ""},
		{"a name for a command", []string{"--backend", "mine", "--backend-cmd", "x"}, ""},
		{"a name for an address", []string{"--backend", "mine", "--connect", "localhost:1"}, ""},
		{"misspelt", []string{"--config", file, "--backend", "rubi"},
			`--backend: backend "rubi" is unknown; there are auto, codelldb, crystal, debugpy, dlv, js-debug, ` +
				`lldb-dap, netcoredbg, ` +
				`ruby; did you mean ruby?`},
		{"of another file", []string{"--backend", "ruby"}, `backend "ruby" is unknown`},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, _, errs := breakwireSays(append([]string{"serve"}, c.args...)...)
			require.Contains(t, errs, c.says)
			require.Equal(t, c.says != "", status == exitUsage, errs)
			require.Equal(t, c.says == "", status == exitOK, errs)
		})
	}
}
