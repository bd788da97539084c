//go:build unix

package dapclient

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func assertKilled(t *testing.T, p *Process) {
	t.Helper()
	assert.Equal(t, "signal: killed", p.ExitStatus())
}

// killLeftover checks that Kill reaches what the process left in its group.
func killLeftover(t *testing.T, p *Process, child ProcInfo) {
	t.Helper()
	p.Kill()
	waitGone(t, child)
}

func TestOwnProcessGroup(t *testing.T) {
	p, _ := startStdio(t, role(t, "echo"))
	pgid, err := syscall.Getpgid(p.Pid())
	require.NoError(t, err)
	assert.Equal(t, p.Pid(), pgid)
	assert.NotEqual(t, syscall.Getpgrp(), pgid)
}

// Once all of a group is gone its number may be another's.
func TestKillAfterTheEndOfTheGroup(t *testing.T) {
	p, _ := startStdio(t, role(t, "echo"))
	p.Stop(patience)
	assert.True(t, p.group.empty)
	p.Kill()
	assert.Equal(t, "exit status 0", p.ExitStatus())
}
