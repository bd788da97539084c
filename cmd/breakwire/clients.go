package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

//go:embed usage/config.txt
var configLong string

const configExample = `  breakwire config --list
  breakwire config vscode > .vscode/mcp.json
  breakwire config claude-code --backend netcoredbg --record session.jsonl
  breakwire config codex >> ~/.codex/config.toml`

// server is the command that a client starts.
type server struct {
	name    string
	command string
	args    []string
}

// mcpClient is a program that starts MCP servers.
type mcpClient struct {
	name, title string
	where       string // where to put the snippet
	snippet     func(server) string
}

var mcpClients = []mcpClient{
	{"claude-code", "Claude Code", "run it in the folder of your project; add --scope user for all projects",
		commandSnippet},
	{"claude-desktop", "Claude Desktop", "claude_desktop_config.json (Settings, Developer, Edit Config)",
		mcpServersSnippet},
	{"vscode", "VS Code", ".vscode/mcp.json in the workspace", vscodeSnippet},
	{"cursor", "Cursor", ".cursor/mcp.json in the project, or ~/.cursor/mcp.json", mcpServersSnippet},
	{"codex", "Codex CLI", "~/.codex/config.toml", tomlSnippet},
	{"gemini", "Gemini CLI", ".gemini/settings.json in the project, or ~/.gemini/settings.json", mcpServersSnippet},
	{"generic", "any other client", "wherever the client has its mcpServers", mcpServersSnippet},
}

func newClientConfig(std streams) *cobra.Command {
	var listed bool
	name := "breakwire"
	pass := newConfig()
	names := make([]string, len(mcpClients))
	for i, c := range mcpClients {
		names[i] = c.name
	}
	cmd := &cobra.Command{
		Use: "config CLIENT", Short: "Print the configuration of an MCP client",
		Long:      strings.TrimSpace(configLong),
		Example:   configExample,
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if listed {
				return listClients(std.out)
			}
			if len(args) != 1 {
				return usagef("which client? One of %s", strings.Join(names, ", "))
			}
			for _, c := range mcpClients {
				if c.name != args[0] {
					continue
				}
				passed, err := passedOn(cmd.Flags(), pass)
				if err != nil {
					return err
				}
				fmt.Fprintf(std.err, "%s: %s\n", c.title, c.where)
				_, err = fmt.Fprintln(std.out, c.snippet(server{name, ownPath(), passed}))
				return err
			}
			return usagef("unknown client %q: want one of %s", args[0], strings.Join(names, ", "))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&listed, "list", false, "list the clients")
	f.StringVar(&name, "name", name, "what the client calls the server: `NAME`")
	pass.addFlags(f)
	for _, flag := range []string{"http", "http-token-file", "allow-remote"} { // not for a server that a client starts
		f.Lookup(flag).Hidden = true
	}
	return cmd
}

func listClients(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range mcpClients {
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.name, c.title, c.where)
	}
	return w.Flush()
}

// isFileFlag reports whether a flag names a file or a folder.
func isFileFlag(name string) bool {
	switch name {
	case "transcript", "record", "config", "project-root", "log-file":
		return true
	}
	return false
}

// passedOn returns the given flags of serve as arguments. They are checked here, because most clients show little of
// a server that does not start.
func passedOn(flags *pflag.FlagSet, cfg *config) ([]string, error) {
	if cfg.http != "" {
		return nil, usagef("--http serves clients that connect by themselves: give them the URL that `breakwire " +
			"--http` prints")
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	args := []string{}
	var problem error
	flags.Visit(func(f *pflag.Flag) {
		if f.Name == "list" || f.Name == "name" || f.Name == "help" {
			return
		}
		values := []string{f.Value.String()}
		if many, ok := f.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, v := range values {
			if isFileFlag(f.Name) || f.Name == "backend-path" && strings.ContainsAny(v, `/\`) {
				abs, err := filepath.Abs(v)
				if err != nil {
					problem = fmt.Errorf("--%s: %w", f.Name, err)
				}
				v = abs
			}
			switch {
			case f.NoOptDefVal == "":
				args = append(args, "--"+f.Name, v)
			case v == f.NoOptDefVal: // true: the shell would take a word after such a flag for a command
				args = append(args, "--"+f.Name)
			default:
				args = append(args, "--"+f.Name+"="+v)
			}
		}
	})
	return args, problem
}

// ownPath is the path by which this program was called, if it leads to this executable. Unlike the resolved path it
// survives an update that changes a version in the path.
func ownPath() string {
	exe, err := os.Executable()
	if err != nil {
		return "breakwire"
	}
	called, err := exec.LookPath(os.Args[0])
	if err != nil {
		return exe
	}
	if called, err = filepath.Abs(called); err != nil {
		return exe
	}
	a, errA := os.Stat(called)
	b, errB := os.Stat(exe)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return exe
	}
	return called
}

// clientEntry is a server in the JSON configuration of most clients.
type clientEntry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func indented(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // maps and strings always encode
	return strings.TrimSuffix(b.String(), "\n")
}

func mcpServersSnippet(s server) string {
	return indented(map[string]any{"mcpServers": map[string]clientEntry{s.name: {"", s.command, s.args}}})
}

func vscodeSnippet(s server) string {
	return indented(map[string]any{"servers": map[string]clientEntry{s.name: {"stdio", s.command, s.args}}})
}

func commandSnippet(s server) string {
	words := []string{"claude", "mcp", "add", shellWord(s.name), "--", shellWord(s.command)}
	for _, arg := range s.args {
		words = append(words, shellWord(arg))
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word for this system's shell where needed.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_./:=@%+,", r) ||
			runtime.GOOS == "windows" && r == '\\'
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	if runtime.GOOS == "windows" {
		return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func tomlSnippet(s server) string {
	args := make([]string, len(s.args))
	for i, arg := range s.args {
		args[i] = tomlString(arg)
	}
	key := s.name
	if strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" || key == "" {
		key = tomlString(key)
	}
	return fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = [%s]", key, tomlString(s.command), strings.Join(args, ", "))
}

// tomlString returns a basic string of TOML, which escapes as JSON does, and also the delete character.
func tomlString(s string) string {
	return strings.ReplaceAll(indented(s), "\x7f", `\u007F`)
}
