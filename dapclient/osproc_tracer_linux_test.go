package dapclient

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A process that is traced says by whom; what this process traces itself is not told.
func TestTracer(t *testing.T) {
	runtime.LockOSThread() // the thread that traces
	defer runtime.UnlockOSThread()
	cmd := exec.Command("sleep", "60")
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Skipf("SKIPPED: this machine does not let a process be traced: %v", err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_, _ = cmd.Process.Wait()
	}()
	require.Equal(t, os.Getpid(), tracerOf(cmd.Process.Pid))
	require.Zero(t, Tracer(cmd.Process.Pid))
	require.Zero(t, tracerOf(os.Getpid()))
}
