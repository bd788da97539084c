package doctor

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// tryTrace starts a child that asks to be traced by us, as debuggers do. The child stops before its first instruction
// and is killed there.
func tryTrace() error {
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	refused := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the tracer is a thread; this one ends with it
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
