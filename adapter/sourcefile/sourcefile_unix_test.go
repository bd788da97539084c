//go:build unix

package sourcefile

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamedPipe checks that reading a named pipe without a writer ends, also when the pipe replaces a file just
// before the open.
func TestNamedPipe(t *testing.T) {
	pipe := filepath.Join(folder(t), "pipe.go")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, _, err := Reader{Most: most}.Read(pipe)
	require.ErrorIs(t, err, ErrRefused)
	file, err := openFile(pipe)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	require.ErrorIs(t, checkOpened(file, info, pipe), ErrRefused)
}

func TestSpecialSystems(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
	for path, special := range map[string]bool{"/proc/self/environ": true, put(t, "x", folder(t), "a.go"): false} {
		file, err := os.Open(path)
		require.NoError(t, err)
		require.Equal(t, special, onSpecialSystem(file), path)
		file.Close()
	}
}
