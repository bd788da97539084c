package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// pairs are the members that the README shows of an answer: text, numbers, truths, and lists of one text.
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

// The first session of the README: each call is made on the built binary and a real Delve, and its answer holds what is shown.
func TestReadmeSession(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(fixtures.Root(), "README.md"))
	require.NoError(t, err)
	_, session, ok := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), "## A first session\n")
	require.True(t, ok)
	session = strings.Split(session, "```\n")[1]
	d := goDebuggee(t)
	c := mcptest.Run(t, fixtures.Breakwire(t), "--project-root", filepath.Dir(d.source))
	calls := 0
	for _, exchange := range strings.Split(session, "-> ")[1:] {
		call, shown, answered := strings.Cut(exchange, "<- ")
		tool, arguments, _ := strings.Cut(strings.TrimSpace(call), " ")
		args := mcptest.Args{}
		require.NoError(t, json.Unmarshal([]byte(arguments), &args), "%s", call)
		if tool == "debug_launch" {
			require.Equal(t, "loop", args["program"])
			args["program"] = d.loop
		}
		r := c.Do(tool, args)
		var answer any
		require.NoError(t, json.Unmarshal(r.Raw, &answer))
		have := map[string][]string{}
		members(answer, have)
		want := pairs.FindAllStringSubmatch(shown, -1)
		require.Equal(t, answered, len(want) > 0, "%s", shown)
		for _, w := range want {
			name, value := w[1], strings.TrimSpace(w[2])
			if tail, ok := strings.CutPrefix(value, `".../`); ok { // a path, shortened
				for i, h := range have[name] {
					if strings.HasSuffix(filepath.ToSlash(h), "/"+tail) {
						have[name][i] = value
					}
				}
			}
			require.Contains(t, have[name], value, "%s: the README shows %s; got %s", tool, w[0], r.Raw)
		}
		calls++
	}
	require.Equal(t, strings.Count(session, "-> "), calls)
	require.Greater(t, calls, 5)
}

// Whatever the README has one type at a shell is a target of the Makefile or a command of the program.
func TestReadmeCommands(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(fixtures.Root(), "README.md"))
	require.NoError(t, err)
	makefile, err := os.ReadFile(filepath.Join(fixtures.Root(), "Makefile"))
	require.NoError(t, err)
	seen := 0
	for _, m := range regexp.MustCompile("(?m)(?:^|`)make ([a-z-]+)").FindAllStringSubmatch(string(text), -1) {
		require.Regexp(t, `(?m)^`+m[1]+`:`, string(makefile), "make %s", m[1])
		seen++
	}
	for _, m := range regexp.MustCompile("`breakwire ([a-z-][^`]*)`").FindAllStringSubmatch(string(text), -1) {
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
