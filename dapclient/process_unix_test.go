//go:build unix

package dapclient

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func assertKilled(t *testing.T, p *Process) {
	t.Helper()
	assert.Equal(t, "signal: killed", p.ExitStatus())
}

// killLeftover checks that Kill reaches what is left in the process's group.
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

// When a group is empty, its number may be reused.
func TestKillAfterTheEndOfTheGroup(t *testing.T) {
	p, _ := startStdio(t, role(t, "echo"))
	p.Stop(patience)
	assert.True(t, p.group.empty)
	p.Kill()
	assert.Equal(t, "exit status 0", p.ExitStatus())
}

// A child that has left the adapter's group ends too, although its parent has ended by then.
func TestGuardEndsWhatLeftTheGroup(t *testing.T) {
	p, stream := startStdio(t, role(t, "leaving"))
	line, err := bufio.NewReader(stream).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	child, err := FindProcess(pid)
	require.NoError(t, err)
	adapter, err := FindProcess(p.Pid())
	require.NoError(t, err)
	require.Contains(t, Descendants(p.Pid()), ProcInfo{Pid: child.Pid, Start: child.Start})
	require.NoError(t, RunGuard(strings.NewReader(""), adapter.Pid, adapter.Start, 0, time.Millisecond))
	waitExited(t, p)
	waitGone(t, child)
}

func init() {
	// leaving starts a child that leaves the group, and ignores the end of its input.
	roles["leaving"] = func() int {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), roleVariable+"=deaf")
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := child.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(child.Process.Pid)
		time.Sleep(forEver)
		return 0
	}
}
