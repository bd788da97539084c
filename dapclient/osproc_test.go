package dapclient

import (
	"bufio"
	"context"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFindOurselves(t *testing.T) {
	info, err := FindProcess(os.Getpid())
	require.NoError(t, err)
	assert.Equal(t, os.Getpid(), info.Pid)
	assert.NotEmpty(t, info.Start)
	exe, err := os.Executable()
	require.NoError(t, err)
	assert.Equal(t, filepath.Base(exe), filepath.Base(info.Exe))
	assert.Equal(t, filepath.Base(exe), info.Name)
	if assert.NotEmpty(t, info.Args) {
		assert.Equal(t, os.Args[1:], info.Args[1:])
	}
	if u, err := user.Current(); assert.NoError(t, err) {
		assert.Equal(t, u.Uid, info.User)
	}
	if runtime.GOOS == "linux" {
		dir, err := os.Getwd()
		require.NoError(t, err)
		assert.Equal(t, dir, info.Cwd)
	}
	assert.True(t, Alive(os.Getpid(), info.Start))
	assert.False(t, Alive(os.Getpid(), info.Start+"1"))
	assert.False(t, Alive(os.Getpid(), ""))
}

func TestProcesses(t *testing.T) {
	self, err := FindProcess(os.Getpid())
	require.NoError(t, err)
	all, err := Processes()
	require.NoError(t, err)
	assert.Contains(t, all, self)
	assert.True(t, slices.IsSortedFunc(all, func(a, b ProcInfo) int { return a.Pid - b.Pid }))
	for _, info := range all {
		assert.Positive(t, info.Pid)
		assert.NotEmpty(t, info.Name)
	}
}

func TestNoProcess(t *testing.T) {
	p, _ := startStdio(t, role(t, "echo"))
	info, err := FindProcess(p.Pid())
	require.NoError(t, err)
	p.Stop(patience)
	_, err = FindProcess(p.Pid())
	assert.ErrorIs(t, err, ErrNoProcess)
	assert.False(t, Alive(info.Pid, info.Start))
	assert.ErrorIs(t, KillPid(info.Pid, info.Start), ErrNoProcess)

	for _, pid := range []int{0, -1, -info.Pid} {
		_, err := FindProcess(pid)
		assert.ErrorIs(t, err, ErrNoProcess)
		_, _, known := HasCLR(pid)
		assert.False(t, known)
	}
}

func TestKillPid(t *testing.T) {
	p, stream := startStdio(t, role(t, "deaf"))
	_, err := bufio.NewReader(stream).ReadString('\n')
	require.NoError(t, err)
	info, err := FindProcess(p.Pid())
	require.NoError(t, err)

	assert.ErrorIs(t, KillPid(info.Pid, info.Start+"1"), ErrNoProcess, "another process with that pid")
	assert.Error(t, KillPid(info.Pid, ""))
	assert.True(t, Alive(info.Pid, info.Start))

	require.NoError(t, KillPid(info.Pid, info.Start))
	waitExited(t, p)
	assertKilled(t, p)
}

func TestKillPidRefuses(t *testing.T) {
	self, err := FindProcess(os.Getpid())
	require.NoError(t, err)
	for _, pid := range []int{-1, 0, 1, os.Getpid(), -os.Getpid()} {
		err := KillPid(pid, self.Start)
		require.Error(t, err)
		assert.NotErrorIs(t, err, ErrNoProcess)
	}
}

func TestAwaitEnd(t *testing.T) {
	p, _ := startStdio(t, role(t, "echo"))
	info, err := FindProcess(p.Pid())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, ended := AwaitEnd(ctx, info.Pid, info.Start)
	require.False(t, ended, "it lives")
	_, ended = AwaitEnd(t.Context(), info.Pid, info.Start+"1")
	require.True(t, ended, "another one has its number")
	p.Stop(patience)
	_, ended = AwaitEnd(t.Context(), info.Pid, info.Start)
	require.True(t, ended)
}
