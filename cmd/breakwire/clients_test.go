package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

// The snippets, with the path of the program replaced. -update rewrites the golden file.
func TestConfigClients(t *testing.T) {
	golden, err := os.ReadFile(filepath.Join("testdata", "clients.golden"))
	require.NoError(t, err)
	var b strings.Builder
	for _, c := range mcpClients {
		for _, args := range [][]string{nil, {"--backend", "netcoredbg", "--path-map", "/src=/home/me/a b",
			"--path-map", "/x=/y", "--trace-timeout=500"}} {
			status, out, errs := breakwireSays(append([]string{"config", c.name}, args...)...)
			require.Equal(t, exitOK, status, errs)
			assert.Contains(t, errs, c.where)
			assert.Contains(t, out, filepath.Base(ownPath()), "the program itself")
			escaped, _ := json.Marshal(ownPath())
			out = strings.ReplaceAll(out, string(escaped), `"/full/path/breakwire"`)
			out = strings.ReplaceAll(out, shellWord(ownPath()), "/full/path/breakwire")
			b.WriteString("-- config " + c.name + " " + strings.Join(args, " ") + "\n" + out)
		}
	}
	if *updateGolden {
		require.NoError(t, os.WriteFile(filepath.Join("testdata", "clients.golden"), []byte(b.String()), 0o644))
		return
	}
	// quoted for this system's shell
	want := strings.ReplaceAll(string(golden), "'/src=/home/me/a b'", shellWord("/src=/home/me/a b"))
	assert.Equal(t, want, b.String())
}

// The README has each client's snippet, and no others.
func TestReadmeClients(t *testing.T) {
	_, section, ok := strings.Cut(page(t, "README.md"), "## Connect a client\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)\n((?:[^\n]+\n)+)\n```[a-z]*\n(.*?)\n```\n").FindAllStringSubmatch(section, -1)
	used := map[int]bool{}
	for _, c := range mcpClients {
		want := c.snippet(server{"breakwire", "/path/to/breakwire", []string{}})
		i := slices.IndexFunc(blocks, func(b []string) bool { return strings.Contains(b[1], c.title+" (`"+c.name+"`)") })
		if assert.GreaterOrEqual(t, i, 0, "no block for %s (`%s`)", c.title, c.name) {
			assert.Equal(t, want, blocks[i][2], c.name)
			if file, _, _ := strings.Cut(c.where, " "); strings.ContainsAny(file, "./") {
				assert.Contains(t, blocks[i][1], "`"+file+"`", "where that of %s goes", c.name)
			}
			used[i] = true
		}
	}
	assert.Len(t, used, len(blocks), "blocks of no client")
}

func TestConfigUsage(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"no client", []string{"config"}, exitUsage, "which client? One of claude-code"},
		{"unknown", []string{"config", "emacs"}, exitUsage, `unknown client "emacs": want one of`},
		{"list", []string{"config", "--list"}, exitOK, "codex           Codex CLI"},
		{"http", []string{"config", "cursor", "--http", ":1"}, exitUsage, "give them the URL"},
		{"wrong flags", []string{"config", "cursor", "--connect", "x"}, exitUsage, "want HOST:PORT"},
		{"files are absolute", []string{"config", "codex", "--record", "s.jsonl"}, exitOK,
			tomlString(filepath.Join(here, "s.jsonl"))},
		{"another name", []string{"config", "codex", "--name", "my server"}, exitOK, `[mcp_servers."my server"]`},
		{"yes", []string{"config", "codex", "--read-only"}, exitOK, `args = ["--read-only"]`},
		{"no", []string{"config", "codex", "--read-only=false"}, exitOK, `args = ["--read-only=false"]`},
		{"a program on PATH stays", []string{"config", "generic", "--backend", "dlv", "--backend-path", "dlv"}, exitOK,
			`"dlv"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out, errs := breakwireSays(c.args...)
			assert.Equal(t, c.status, status, errs)
			assert.Contains(t, out+errs, c.says)
		})
	}
}

func TestShellWord(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("the words of sh")
	}
	for in, want := range map[string]string{
		"/usr/bin/x": "/usr/bin/x", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$HOME": "'$HOME'", "a;b": "'a;b'",
		"C:\\x": `'C:\x'`,
	} {
		assert.Equal(t, want, shellWord(in), in)
	}
	assert.Equal(t, `"a\"\\\n\u007F<"`, tomlString("a\"\\\n\x7f<"))
}

// The snippet of the built binary starts it from any folder.
func TestConfigOfTheBinary(t *testing.T) {
	var said struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	text := outputOf(t, fixtures.Breakwire(t), "config", "generic", "--backend", "dlv", "--read-only")
	require.NoError(t, json.Unmarshal([]byte(text), &said))
	s := said.MCPServers["breakwire"]
	assert.True(t, filepath.IsAbs(s.Command))
	assert.Equal(t, []string{"--backend", "dlv", "--read-only"}, s.Args)
	assert.Contains(t, outputOf(t, s.Command, "version"), "breakwire ")
	outputOf(t, s.Command, s.Args...) // the input ends at once: status 0
}
