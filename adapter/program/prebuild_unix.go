//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// endWithGroup makes a cancelled command end with all that it has started.
func endWithGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
