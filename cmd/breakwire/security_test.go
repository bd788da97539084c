package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

// TestSecurityPage checks that the tests named in docs/security.md exist, and that each line of its tables names one.
func TestSecurityPage(t *testing.T) {
	known := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	require.NoError(t, filepath.WalkDir(fixtures.Root(), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "bin"):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range function.FindAllSubmatch(text, -1) {
			known[string(m[1])] = true
		}
		return err
	}))
	page, err := os.ReadFile(filepath.Join(fixtures.Root(), "docs", "security.md"))
	require.NoError(t, err)
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	rule := regexp.MustCompile(`^\|[-|]+\|$`)
	lines := strings.Split(string(page), "\n")
	for i, line := range lines {
		tests := named.FindAllStringSubmatch(line, -1)
		for _, m := range tests {
			assert.True(t, known[m[1]], "line %d: there is no test %s", i+1, m[1])
		}
		head := i+1 < len(lines) && rule.MatchString(lines[i+1])
		if strings.HasPrefix(line, "|") && !head && !rule.MatchString(line) {
			assert.NotEmpty(t, tests, "line %d names no test: %s", i+1, line)
		}
	}
}
