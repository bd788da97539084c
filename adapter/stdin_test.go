//go:build unix

package adapter

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
)

// A program that does not read blocks the client that writes to it, but neither the session nor its end.
func TestFullInputHoldsUpNobodyElse(t *testing.T) {
	folder := t.TempDir()
	path, p, err := namedPipe(func() (string, error) { return folder, nil })
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	require.NoError(t, err)
	m := NewManager(Options{})
	defer m.Close()
	s := newSession(m, "s1", &Backend{Profile: &dapclient.Profile{Name: "fake"}})
	s.public.state = Running
	s.publish()
	s.made.stdin.Store(p)

	began, wrote := time.Now(), make(chan error, 1)
	go func() {
		_, _, err := s.WriteInput(t.Context(), strings.Repeat("x", 1<<20), false)
		wrote <- err
	}()
	require.Eventually(t, func() bool {
		if p.mu.TryLock() {
			p.mu.Unlock()
			return false
		}
		return true
	}, inputPatience, time.Millisecond, "the write is under way")

	s.programSeen(&dapclient.Message{Name: "thread"}) // on the session's loop
	require.Empty(t, wrote, "the loop has waited for it")
	_, err = os.Stat(path)
	assert.ErrorIs(t, err, os.ErrNotExist)

	s.public.info.EndReason = EndBackendExited
	s.public.state = Terminated
	s.publish()
	s.life.cancel()
	assert.Equal(t, fault.BackendExited, fault.CodeOf(<-wrote))
	assert.Less(t, time.Since(began), inputPatience, "the write outlives the session")
}
