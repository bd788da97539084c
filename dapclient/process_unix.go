//go:build unix

package dapclient

import (
	"errors"
	"os/exec"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is the process group that a child leads.
type group struct {
	mu    sync.Mutex
	pgid  int
	empty bool // no process is left in it, so its number may be reused
}

// start starts the command as the leader of a new group. So a terminal's ^C reaches only us, and one kill reaches the
// adapter with all its children.
func (g *group) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.pgid = cmd.Process.Pid
	return nil
}

// groupsEndWithUs reports whether the system kills our groups when we end, however that happens.
const groupsEndWithUs = false

// groupOf returns the group of a leader that another process has started.
func groupOf(pid int) *group { return &group{pgid: pid} }

// gone reports whether no process is left in the group, whose leader has ended.
func (g *group) gone() bool {
	g.leaderEnded(true)
	return g.empty
}

// kill kills all processes of the group.
func (g *group) kill() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.empty {
		return nil
	}
	err := syscall.Kill(-g.pgid, syscall.SIGKILL)
	// ESRCH: all are gone. EPERM: all that are left are zombies (macOS) or have changed their user.
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) {
		return nil
	}
	return err
}

// leaderEnded records that the leader was reaped. While other processes are in the group, the kernel does not reuse
// its number, so the group may still be killed; an empty group must not be.
func (g *group) leaderEnded(bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.empty = errors.Is(syscall.Kill(-g.pgid, 0), syscall.ESRCH)
}

// release does nothing here.
func (g *group) release() {}

// unblock makes a file non-blocking again.
func unblock(c syscall.Conn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	controlErr := raw.Control(func(fd uintptr) { err = syscall.SetNonblock(int(fd), true) })
	return errors.Join(controlErr, err)
}

// SignalName returns the name of a signal of this system, as in SIGKILL; "" for a number that is none.
func SignalName(number int) string {
	name := unix.SignalName(syscall.Signal(number))
	if name == "" && number > 0 && number <= 64 {
		name = "signal " + strconv.Itoa(number) // a real-time signal
	}
	return name
}
