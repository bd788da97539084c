package adapter

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
)

// temporary makes a folder of the test the system's folder for temporary files.
func temporary(t *testing.T) string {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	return dir
}

// A file for other programs has no name on Linux, and is gone with the session on every system.
func TestPrivateFile(t *testing.T) {
	dir := temporary(t)
	m := NewManager(Options{})
	s := newSession(m, "s1", &Backend{Profile: &dapclient.Profile{Name: "fake"}}, origin{}, Snapshot{})
	path, err := s.made.files.Add("run", []byte("exec true\n"), s.folder)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "exec true\n", string(text))
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); runtime.GOOS == "linux" {
		require.Empty(t, left)
	} else {
		require.Len(t, left, 1)
	}
	s.removeFolder()
	require.NoFileExists(t, path)
	m.Close()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Where unnamed files do not exist, the files are in the session's folder.
func TestPrivateFileWithAName(t *testing.T) {
	temporary(t)
	m := NewManager(Options{})
	defer m.Close()
	s := newSession(m, "s1", &Backend{Profile: &dapclient.Profile{Name: "fake"}}, origin{}, Snapshot{})
	folder, err := s.folder()
	require.NoError(t, err)
	file := filepath.Join(folder, "__debug_bin_1_1")
	require.NoError(t, os.WriteFile(file, nil, 0o700))
	s.removeFolder()
	require.NoDirExists(t, folder)
}
