//go:build unix

package adapter

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/scratch"
	"breakwire/dapclient"
)

// A program that does not read blocks the client that writes to it, but neither the session nor its end.
func TestFullInputHoldsUpNobodyElse(t *testing.T) {
	_, p, err := scratch.NewInput(func() (string, error) { return t.TempDir(), nil })
	require.NoError(t, err)
	m := NewManager(Options{})
	defer m.Close()
	s := newSession(m, "s1", &Backend{Profile: &dapclient.Profile{Name: "fake"}}, origin{}, Snapshot{})
	s.public.state = Running
	s.publish()
	s.made.stdin.Store(p)

	full, err := p.Write(strings.Repeat("x", 1<<20), false, time.Now().Add(time.Millisecond))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.Positive(t, full)
	began, wrote := time.Now(), make(chan error, 1)
	go func() {
		_, _, err := s.WriteInput(t.Context(), strings.Repeat("x", 1<<20), false)
		wrote <- err
	}()
	require.Eventually(t, func() bool {
		written := make(chan struct{})
		go func() {
			_, _ = p.Write("", false, time.Now())
			close(written)
		}()
		select {
		case <-written:
			return false
		case <-time.After(10 * time.Millisecond):
			return true
		}
	}, inputPatience, time.Millisecond, "the write is under way: another one waits for it")

	s.programSeen(&dapclient.Message{Name: "thread"}) // on the session's loop
	require.Empty(t, wrote, "the loop has waited for it")
	s.public.info.EndReason = EndBackendExited
	s.public.state = Terminated
	s.publish()
	s.life.cancel()
	assert.Equal(t, fault.BackendExited, fault.CodeOf(<-wrote))
	assert.Less(t, time.Since(began), inputPatience, "the write outlives the session")
}
