package main

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

// outputOf runs a program and returns what it printed.
func outputOf(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

// everyCommand calls f for each command of the tree that users see.
func everyCommand(f func(*cobra.Command)) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		f(c)
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				walk(sub)
			}
		}
	}
	walk(newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}))
}

// Every command has a description and a usage, with examples whose flags exist.
func TestEveryCommandHasHelp(t *testing.T) {
	flagWord := regexp.MustCompile(`(^|\s)--([a-z][a-z-]*)`)
	everyCommand(func(c *cobra.Command) {
		t.Run(c.CommandPath(), func(t *testing.T) {
			assert.NotEmpty(t, c.Short)
			assert.False(t, strings.HasSuffix(c.Short, "."), "a heading, not a sentence")
			require.NotEmpty(t, c.Example, "examples")
			for line := range strings.Lines(c.Example) {
				assert.Regexp(t, `^  .*\bbreakwire\b`, line)
				ours, _, _ := strings.Cut(line, " -- ")
				for _, m := range flagWord.FindAllStringSubmatch(strings.ReplaceAll(ours, `"my-adapter --dap"`, ""), -1) {
					assert.NotNil(t, c.Flags().Lookup(m[2]), "--%s of the example", m[2])
				}
			}
			args := append(strings.Fields(c.CommandPath())[1:], "--help")
			status, out, errs := breakwireSays(args...)
			assert.Equal(t, exitOK, status)
			assert.Empty(t, errs, "help is asked for: it is no complaint")
			assert.Contains(t, out, "Examples:\n"+c.Example)
			assert.Contains(t, out, "Usage:\n  breakwire")
			assert.NotContains(t, out, "\x1b")
			status, _, errs = breakwireSays(append(strings.Fields(c.CommandPath())[1:], "--no-such-flag")...)
			assert.Equal(t, exitUsage, status)
			assert.Contains(t, errs, "unknown flag: --no-such-flag")
			assert.Contains(t, errs, "Run '"+c.CommandPath()+" --help' for usage.")
		})
	})
}

// docs/contract.md names every command and flag, and no others.
func TestContractCommandLine(t *testing.T) {
	_, section, ok := strings.Cut(page(t, "docs", "contract.md"), "## Command line\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	of, serve, ok := strings.Cut(section, "| Flag of `serve` | |")
	require.True(t, ok)
	flags := regexp.MustCompile(`--([a-z][a-z-]*)`)
	known := map[string]bool{}
	everyCommand(func(c *cobra.Command) {
		assert.Contains(t, of, "`"+c.CommandPath(), "no row")
		row := serve
		if c.Name() != "serve" && c.HasParent() {
			row = regexp.MustCompile("(?m)^\\| .*`" + c.CommandPath() + "\\b.*$").FindString(of)
		}
		shown := map[string]bool{"help": true}
		for _, m := range flags.FindAllStringSubmatch(row, -1) {
			shown[m[1]] = true
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			known[f.Name] = true
			passed := c.Name() == "config" && c.Root().Flags().Lookup(f.Name) != nil // flags of serve
			assert.True(t, shown[f.Name] || passed, "%s --%s is not on the page", c.CommandPath(), f.Name)
		})
	})
	known["help"] = true
	for _, m := range flags.FindAllStringSubmatch(section, -1) {
		assert.True(t, known[m[1]], "the page names --%s, which no command has", m[1])
	}
}

func TestCompletions(t *testing.T) {
	for _, shell := range shells {
		status, out, errs := breakwireSays("completion", shell)
		assert.Equal(t, exitOK, status, errs)
		assert.Contains(t, out, "breakwire", shell)
		assert.Greater(t, len(out), 1000, shell)
	}
	status, _, errs := breakwireSays("completion")
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, errs, "which shell?")
	dir := filepath.Join(t.TempDir(), "completions")
	status, _, errs = breakwireSays("completion", "--dir", dir)
	require.Equal(t, exitOK, status, errs)
	for _, shell := range shells {
		assert.FileExists(t, filepath.Join(dir, completionFiles()[shell]))
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"config", ""}, []string{"claude-code", "vscode", "codex"}},
		{[]string{"--backend", ""}, []string{"netcoredbg", "replay"}},
		{[]string{"serve", "--log-level", "d"}, []string{"debug"}},
		{[]string{"completion", ""}, []string{"fish"}},
		{[]string{""}, []string{"view", "config", "man", "completion"}},
	} {
		_, out, _ := breakwireSays(append([]string{"__complete"}, c.args...)...)
		for _, want := range c.want {
			assert.Contains(t, out, want, c.args)
		}
	}
	if bash, err := exec.LookPath("bash"); err == nil && runtime.GOOS != "windows" {
		_, script, _ := breakwireSays("completion", "bash")
		cmd := exec.Command(bash, "-n")
		cmd.Stdin = strings.NewReader(script)
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%s", out)
	}
}

func TestMan(t *testing.T) {
	_, cask, _ := strings.Cut(page(t, ".goreleaser.yaml"), "homebrew_casks:")
	status, page, errs := breakwireSays("man")
	require.Equal(t, exitOK, status, errs)
	assert.Contains(t, page, `.TH "BREAKWIRE" "1"`)
	assert.NotContains(t, page, "Auto generated")
	for _, want := range []string{"SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLE", "backend", "breakwire-view(1)"} {
		assert.Contains(t, strings.ReplaceAll(page, `\-`, "-"), want)
	}
	dir := filepath.Join(t.TempDir(), "man1")
	status, _, errs = breakwireSays("man", "--dir", dir)
	require.Equal(t, exitOK, status, errs)
	everyCommand(func(c *cobra.Command) {
		file := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		assert.Contains(t, cask, "- man/"+file+"\n", "Homebrew installs it")
		assert.Contains(t, string(text), strings.ToUpper(strings.ReplaceAll(c.CommandPath(), " ", "-")))
	})
}

// A page is the same on every machine, and no text in it is taken for a command of man.
func TestManPage(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "0")
	date, err := manDate()
	require.NoError(t, err)
	require.Contains(t, []string{"Jan 1970", "Dec 1969"}, date)
	root := &cobra.Command{
		Use: "app", Short: "does it", Long: "One \\ `WORD`.\n.SH no title\n\n  'two'", Run: func(*cobra.Command, []string) {},
		Example: "  app -n",
	}
	root.Flags().StringP("name", "n", "a", "who: `NAME`")
	root.Flags().Bool("fast", false, "be quick")
	root.AddCommand(&cobra.Command{Use: "sub", Short: "part", Run: func(*cobra.Command, []string) {}})
	want := ".nh\n.TH \"APP\" \"1\" \"Jan 1970\" \"breakwire " + version + "\" \"breakwire\"\n" + `
.SH NAME
app - does it


.SH SYNOPSIS
\fBapp [flags]\fP


.SH DESCRIPTION
One \\ \fBWORD\fR.
\&.SH no title

.PP
\&'two'


.SH OPTIONS
\fB--fast\fP[=false]
	be quick

.PP
\fB-h\fP, \fB--help\fP[=false]
	help for app

.PP
\fB-n\fP, \fB--name\fP="a"
	who: \fBNAME\fR


.SH EXAMPLE
.EX
  app -n
.EE


.SH SEE ALSO
\fBapp-sub(1)\fP
`
	assert.Equal(t, want, manPage(root, "Jan 1970"))
	t.Setenv("SOURCE_DATE_EPOCH", "soon")
	_, err = manDate()
	require.ErrorContains(t, err, "SOURCE_DATE_EPOCH")
}

// The exit status depends on the kind of end, not on the command.
func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
	}{
		{[]string{"version"}, exitOK},
		{[]string{"--help"}, exitOK},
		{[]string{"serve"}, exitOK}, // the end of its input
		{[]string{"--backend", "replay", "--transcript", "none.jsonl"}, exitFailure},
		{[]string{"view", "none.jsonl"}, exitFailure},
		{[]string{"veiw"}, exitUsage},
		{[]string{"version", "x"}, exitUsage},
		{[]string{"--trace-timeout", "x"}, exitUsage},
	} {
		status, _, errs := breakwireSays(c.args...)
		assert.Equal(t, c.status, status, "%v: %s", c.args, errs)
	}
}

func TestNoColoursElsewhere(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	assert.Zero(t, newStyle(w), "a pipe")
	assert.False(t, isTerminal(io.Discard))
	assert.Zero(t, terminalWidth(w))
	p := newProgress(w, "x", 10)
	for range 3 {
		p.Write([]byte("abc"))
	}
	p.done()
	assert.Nil(t, p.out, "nothing is said to a pipe")
}
