package adapter

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// write makes a file with its folders and returns its path.
func write(t *testing.T, text string, path ...string) string {
	t.Helper()
	file := touch(t, path...)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
	return file
}

// touch makes an executable file with its folders.
func touch(t *testing.T, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755))
	return file
}
