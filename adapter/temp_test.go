package adapter

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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

// The next start removes what a killed process has left. It keeps what belongs to a living process, and folders that do
// not look like ours.
func TestSweepTemp(t *testing.T) {
	dir := temporary(t)
	log := slog.New(slog.DiscardHandler)
	var live TempFolder
	defer live.Remove()
	used, err := live.Path()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(used, "program"), nil, 0o700))

	write := func(age time.Duration, name ...string) string {
		file := filepath.Join(append([]string{dir}, name...)...)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		folder := filepath.Dir(file)
		require.NoError(t, os.Chtimes(folder, time.Time{}, time.Now().Add(-age)))
		return folder
	}
	dead := filepath.Join(dir, tempPrefix+"dead")
	require.NoError(t, os.MkdirAll(filepath.Join(dead, "s1"), 0o700))
	write(0, tempPrefix+"dead", tempLock)
	write(0, tempPrefix+"dead", "s1", "__debug_bin_1_1")
	empty := filepath.Dir(filepath.Join(write(0, tempPrefix+"empty", "x"), "x"))
	require.NoError(t, os.Remove(filepath.Join(empty, "x")))
	old := time.Now().Add(-2 * tempUnlocked)
	require.NoError(t, os.Chtimes(empty, old, old))

	kept := []string{
		used,
		write(2*tempUnlocked, tempPrefix+"without-a-lock", "data"),
		write(0, "breakwire-source", tempLock),
		write(0, "other", tempLock),
	}
	fresh := filepath.Join(dir, tempPrefix+"fresh")
	require.NoError(t, os.Mkdir(fresh, 0o700))
	kept = append(kept, fresh)
	if runtime.GOOS != "windows" {
		elsewhere := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(elsewhere, tempLock), nil, 0o600))
		link := filepath.Join(dir, tempPrefix+"link")
		require.NoError(t, os.Symlink(elsewhere, link))
		kept = append(kept, link, filepath.Join(elsewhere, tempLock))
	}

	SweepTemp(log)
	assert.NoDirExists(t, dead)
	assert.NoDirExists(t, empty)
	for _, path := range kept {
		_, err := os.Stat(path)
		assert.NoError(t, err)
	}
	assert.FileExists(t, filepath.Join(used, "program"))
	live.Remove()
	assert.NoDirExists(t, used)
}

// A file for other programs has no name on Linux, and is gone with the session on every system.
func TestPrivateFile(t *testing.T) {
	dir := temporary(t)
	m := NewManager(Options{})
	s := newSession(m, "s1", &Backend{Profile: &dapclient.Profile{Name: "fake"}})
	path, err := s.made.files.add("run", []byte("exec true\n"), s.folder)
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
	s := newSession(m, "s1", &Backend{Profile: &dapclient.Profile{Name: "fake"}})
	folder, err := s.folder()
	require.NoError(t, err)
	file := filepath.Join(folder, "__debug_bin_1_1")
	require.NoError(t, os.WriteFile(file, nil, 0o700))
	s.removeFolder()
	require.NoDirExists(t, folder)
}
