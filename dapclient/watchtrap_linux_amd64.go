package dapclient

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

const (
	pokeUser      = 6   // PTRACE_POKEUSR
	debugRegister = 848 // offset of u_debugreg[0] in struct user
	watchLimit    = 5 * time.Second
)

// errNoTrap says that watched memory was read and written and nothing happened.
var errNoTrap = errors.New("this machine's debug registers can be written, but a program that touches the watched " +
	"memory is not stopped, as on some virtual machines")

// write8 and touch8 are kinds of watched memory in the control register: eight bytes that are written, or used at all.
const write8, touch8 = 0b1001, 0b1011

func tryWatch() error { return watchChild(write8<<16 | write8<<20 | touch8<<24 | 0b010101) }

// watchChild starts this program again, watches words of its stack that it uses with its first instructions, and lets
// it run. Its arguments end both breakwire and a test at once.
func watchChild(control uint64) error {
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the tracer is a thread; it ends with this goroutine
		cmd := exec.Command(exe, "-test.run=^$")
		cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
		if cmd.Start() != nil {
			result <- nil // processes may not be traced here, which debuggers report themselves
			return
		}
		end := time.AfterFunc(watchLimit, func() { _ = syscall.Kill(cmd.Process.Pid, syscall.SIGKILL) })
		result <- watchStack(cmd.Process.Pid, control)
		end.Stop()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	return <-result
}

// watchStack watches a child that is stopped before its first instruction: the word at its stack pointer, and the words
// that the start of a Go program and of a dynamic linker write.
func watchStack(pid int, control uint64) error {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || !status.Stopped() {
		return nil
	}
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(pid, &regs) != nil {
		return nil
	}
	values := map[int]uint64{0: regs.Rsp - 8, 1: (regs.Rsp-40)&^15 + 24, 2: regs.Rsp, 7: control}
	for _, i := range []int{0, 1, 2, 7} {
		_, _, failed := syscall.RawSyscall6(syscall.SYS_PTRACE, pokeUser, uintptr(pid), uintptr(debugRegister+8*i),
			uintptr(values[i]), 0, 0)
		if failed != 0 {
			return fmt.Errorf("this machine's debug registers cannot be written: %w", failed)
		}
	}
	if syscall.PtraceCont(pid, 0) != nil {
		return nil
	}
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return nil
	}
	if status.Stopped() && status.StopSignal() == syscall.SIGTRAP {
		return nil
	}
	return errNoTrap
}
