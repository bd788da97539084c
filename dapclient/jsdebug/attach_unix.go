//go:build !windows

package jsdebug

import "syscall"

// wake makes Node open its inspector.
func wake(pid int) error { return syscall.Kill(pid, syscall.SIGUSR1) }
