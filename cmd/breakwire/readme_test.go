package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// pairs matches the members of an answer that the README shows: text, numbers, booleans, and lists of one text.
var pairs = regexp.MustCompile(`"(\w+)": ("(?:[^"\\]|\\.)*"|-?\d+|true|false|\["[^"]*"\])`)

// members collects all values of each member, at any depth, as JSON.
func members(v any, into map[string][]string) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			text, _ := json.Marshal(value)
			into[name] = append(into[name], string(text))
			members(value, into)
		}
	case []any:
		for _, value := range v {
			members(value, into)
		}
	}
}

// exchanges makes each call of a session as a page shows it ("-> tool {arguments}"), after change has replaced shown
// values by real ones. What the page shows of the answer must be in it. It returns the called tools.
func exchanges(t *testing.T, c *mcptest.Command, session string, change func(mcptest.Args)) (tools []string) {
	t.Helper()
	for _, exchange := range strings.Split(session, "-> ")[1:] {
		call, shown, answered := strings.Cut(exchange, "<- ")
		tool, arguments, _ := strings.Cut(strings.TrimSpace(call), " ")
		args := mcptest.Args{}
		require.NoError(t, json.Unmarshal([]byte(arguments), &args), "%s", call)
		change(args)
		r := c.Call(tool, args)
		require.Equal(t, strings.Contains(shown, `"error"`), r.IsError, "%s", r.Raw)
		var answer any
		require.NoError(t, json.Unmarshal(r.Raw, &answer))
		have := map[string][]string{}
		members(answer, have)
		want := pairs.FindAllStringSubmatch(shown, -1)
		require.Equal(t, answered, len(want) > 0, "%s", shown)
		for _, w := range want {
			name, value := w[1], strings.TrimSpace(w[2])
			if exe := strings.TrimSuffix(value, `"`) + `.exe"`; runtime.GOOS == "windows" && slices.Contains(have[name], exe) {
				value = exe // the page was written on a system without .exe
			}
			if tail, ok := strings.CutPrefix(value, `".../`); ok { // a shortened path
				for i, h := range have[name] {
					if strings.HasSuffix(strings.ReplaceAll(h, `\\`, "/"), "/"+tail) {
						have[name][i] = value
					}
				}
			}
			if head, ok := strings.CutSuffix(value, `..."`); ok { // a shortened text
				for i, h := range have[name] {
					if strings.HasPrefix(h, head) {
						have[name][i] = value
					}
				}
			}
			require.Contains(t, have[name], value, "%s: the page shows %s; got %s", tool, w[0], r.Raw)
		}
		tools = append(tools, tool)
	}
	return tools
}

// page reads a page of the project.
func page(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{fixtures.Root()}, path...)...))
	require.NoError(t, err)
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// The first session of the README, with the built binary and a real Delve.
func TestReadmeSession(t *testing.T) {
	_, session, ok := strings.Cut(page(t, "README.md"), "## A first session\n")
	require.True(t, ok)
	d := goDebuggee(t)
	c := mcptest.Run(t, fixtures.Breakwire(t), "--project-root", filepath.Dir(d.source))
	tools := exchanges(t, c, strings.Split(session, "```\n")[1], func(args mcptest.Args) {
		if args["program"] != nil {
			args["program"] = d.loop
		}
	})
	require.Greater(t, len(tools), 5)
}

// docs/examples.md shows every tool, and each of its sessions gives the answers shown. A session of a recording names
// the command of its server.
func TestExamplesPage(t *testing.T) {
	d := goDebuggee(t)
	command := regexp.MustCompile("`breakwire (--[^`]+)`")
	here := strings.NewReplacer("$PWD/fixtures", fixtures.Dir(), "fixtures", fixtures.Dir())
	shown := map[string]bool{}
	for _, section := range strings.Split(page(t, "docs", "examples.md"), "\n## ")[1:] {
		intro, rest, _ := strings.Cut(section, "```\n")
		session, _, _ := strings.Cut(rest, "```\n")
		flags := []string{"--project-root", filepath.Dir(d.source)}
		recorded := command.FindStringSubmatch(intro)
		if recorded != nil {
			flags = strings.Fields(recorded[1])
			for i, flag := range flags {
				flags[i] = here.Replace(flag)
			}
		}
		c := mcptest.Run(t, fixtures.Breakwire(t), flags...)
		for _, tool := range exchanges(t, c, session, func(args mcptest.Args) {
			if program, ok := args["program"].(string); ok && recorded == nil {
				args["program"] = fixtures.BuildGo(t, program)
			}
			if args["pid"] != nil {
				args["pid"], _ = mcptest.RunLong(t, d.long...)
			}
		}) {
			shown[tool] = true
		}
	}
	var list struct{ Tools []struct{ Name string } }
	c := mcptest.Run(t, fixtures.Breakwire(t))
	require.NoError(t, json.Unmarshal(c.Request("tools/list", nil).Result, &list))
	require.NotEmpty(t, list.Tools)
	for _, tool := range list.Tools {
		require.True(t, shown[tool.Name], "%s is not shown", tool.Name)
	}
}

// Every shell command in the README is a target of the Makefile or a command of the program.
func TestReadmeCommands(t *testing.T) {
	text, makefile := page(t, "README.md"), page(t, "Makefile")
	seen := 0
	for _, m := range regexp.MustCompile("(?m)(?:^|`)make ([a-z-]+)").FindAllStringSubmatch(text, -1) {
		require.Regexp(t, `(?m)^`+m[1]+`:`, makefile, "make %s", m[1])
		seen++
	}
	for _, m := range regexp.MustCompile("`breakwire ([a-z-][^`]*)`").FindAllStringSubmatch(text, -1) {
		words := strings.Fields(m[1])
		if strings.HasPrefix(words[0], "--") {
			words = append([]string{"serve"}, words...)
		}
		status, out, errs := breakwireSays(words[0], "--help")
		require.Equal(t, exitOK, status, "breakwire %s: %s", words[0], errs)
		for _, w := range words[1:] {
			if strings.HasPrefix(w, "--") {
				require.Contains(t, out, w, "breakwire %s", words[0])
			}
		}
		seen++
	}
	require.Greater(t, seen, 6)
}
