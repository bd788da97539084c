//go:build unix

package scratch

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A write that a program does not read ends with its context, and holds up neither the removal of the name nor a later
// write.
func TestFullInput(t *testing.T) {
	dir := t.TempDir()
	folder := func() (string, error) { return dir, nil }
	for name, open := range map[string]func(func() (string, error)) (string, *Input, error){
		"as the system has it": NewInput, "with a name": namedInput} {
		t.Run(name, func(t *testing.T) {
			path, in, err := open(folder)
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			wrote := make(chan error, 1)
			go func() {
				_, err := in.Write(strings.Repeat("x", 1<<20), true, time.Now().Add(time.Hour), ctx)
				wrote <- err
			}()
			require.Eventually(t, func() bool {
				if in.mu.TryLock() {
					in.mu.Unlock()
					return false
				}
				return true
			}, time.Minute, time.Millisecond, "the write is under way")
			in.Unlink()
			if name == "with a name" {
				require.NoFileExists(t, path)
			}
			require.Empty(t, wrote)
			cancel()
			require.ErrorIs(t, <-wrote, os.ErrDeadlineExceeded)
			_, err = in.Write("more", false, time.Now().Add(time.Millisecond))
			require.ErrorIs(t, err, os.ErrDeadlineExceeded, "it is not closed: not all was written")
			in.Close()
			_, err = in.Write("more", false, time.Now().Add(time.Hour))
			require.ErrorIs(t, err, os.ErrClosed)
		})
	}
}
