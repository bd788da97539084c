package scratch

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
func TestSweep(t *testing.T) {
	dir := temporary(t)
	log := slog.New(slog.DiscardHandler)
	var live Folder
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
	dead := filepath.Join(dir, prefix+"dead")
	require.NoError(t, os.MkdirAll(filepath.Join(dead, "s1"), 0o700))
	write(0, prefix+"dead", lockName)
	write(0, prefix+"dead", "s1", "__debug_bin_1_1")
	empty := filepath.Dir(filepath.Join(write(0, prefix+"empty", "x"), "x"))
	require.NoError(t, os.Remove(filepath.Join(empty, "x")))
	old := time.Now().Add(-2 * unlocked)
	require.NoError(t, os.Chtimes(empty, old, old))

	kept := []string{
		used,
		write(2*unlocked, prefix+"without-a-lock", "data"),
		write(0, "breakwire-source", lockName),
		write(0, "other", lockName),
	}
	fresh := filepath.Join(dir, prefix+"fresh")
	require.NoError(t, os.Mkdir(fresh, 0o700))
	kept = append(kept, fresh)
	if runtime.GOOS != "windows" {
		elsewhere := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(elsewhere, lockName), nil, 0o600))
		link := filepath.Join(dir, prefix+"link")
		require.NoError(t, os.Symlink(elsewhere, link))
		kept = append(kept, link, filepath.Join(elsewhere, lockName))
	}

	Sweep(log)
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
