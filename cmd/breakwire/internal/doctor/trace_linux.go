package doctor

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// tryTrace starts a child that this process traces, as debuggers do. The child stops before its first instruction and
// is killed there.
func tryTrace() error {
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	refused := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the tracer is a thread; it ends with this goroutine
		cmd := exec.Command(exe, "version")
		cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
		if err := cmd.Start(); err != nil {
			refused <- err
			return
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		refused <- nil
	}()
	return <-refused
}
