package program

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// When build flags decide whether a folder has files, only the compiler can judge it.
func TestCheckGoProgram(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "app [old]") // no pattern
	for file, text := range map[string]string{
		"program/main.go": "package main\n", "library/x.go": "package x\n",
		"tagged/main.go":          "//go:build sometimes\n\npackage main\n",
		"elsewhere/main_plan9.go": "package main\n", "broken/main.go": "pack", "tests/x_test.go": "package x\n",
		"empty/readme":   "",
		"generates/x.go": "package x\n", "generates/gen.go": "//go:build ignore\n\npackage main\n",
		"left/_main.go": "package main\n",
	} {
		file = filepath.Join(folder, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	for path, refused := range map[string]bool{
		"program": false, "program/main.go": false, "library": true, "library/x.go": true, "tagged": false,
		"tagged/main.go": false,
		"elsewhere":      false, "broken": false, "broken/main.go": false, "tests": true, "tests/x_test.go": false,
		"empty": true, "nosuch": false,
		"generates": true, "generates/gen.go": false, "left": false,
	} {
		err := CheckGo(filepath.Join(folder, path))
		assert.Equal(t, refused, err != nil, "%s: %v", path, err)
	}
	assert.Equal(t, []string{filepath.Join(folder, "elsewhere"), filepath.Join(folder, "program"),
		filepath.Join(folder, "tagged")}, goProgramsBelow(folder, 10))
}
