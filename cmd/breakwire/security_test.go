package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

// TestSecurityPage checks that the tests named in docs/security.md exist, and that each line of its tables names one.
func TestSecurityPage(t *testing.T) {
	checkTestTables(t, docsPage(t, "security.md"))
}

// TestFaultsTable checks the same of the table of faults in docs/testing.md. Each kind has two tests of its own.
func TestFaultsTable(t *testing.T) {
	_, section, found := strings.Cut(docsPage(t, "testing.md"), "## Kinds of faults and their tests\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	kinds := 0
	for i, row := range checkTestTables(t, section) {
		cells := strings.Split(row, "|")
		require.Len(t, cells, 5, "row %d: %s", i+1, row)
		assert.GreaterOrEqual(t, len(namedTest().FindAllString(cells[3], -1)), 2, "row %d: own cases", i+1)
		kinds++
	}
	assert.Equal(t, 11, kinds)
}

var namedTest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`((?:Test|Fuzz)\\w+)`") })

func docsPage(t *testing.T, name string) string {
	text, err := os.ReadFile(filepath.Join(fixtures.Root(), "docs", name))
	require.NoError(t, err)
	return string(text)
}

// checkTestTables returns the rows of a page's tables. Each must name a test, and each test that the page names exists.
func checkTestTables(t *testing.T, page string) (rows []string) {
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
	rule := regexp.MustCompile(`^\|[-|]+\|$`)
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		tests := namedTest().FindAllStringSubmatch(line, -1)
		for _, m := range tests {
			assert.True(t, known[m[1]], "line %d: there is no test %s", i+1, m[1])
		}
		head := i+1 < len(lines) && rule.MatchString(lines[i+1])
		if strings.HasPrefix(line, "|") && !head && !rule.MatchString(line) {
			assert.NotEmpty(t, tests, "line %d names no test: %s", i+1, line)
			rows = append(rows, line)
		}
	}
	return rows
}
