package dapclient

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func assertKilled(t *testing.T, p *Process) {
	t.Helper()
	assert.Equal(t, "exit status 1", p.ExitStatus())
}

// killLeftover kills a process that Stop has left: its job is closed.
func killLeftover(t *testing.T, _ *Process, child ProcInfo) {
	t.Helper()
	require.NoError(t, KillPid(child.Pid, child.Start))
	waitGone(t, child)
}
