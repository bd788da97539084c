//go:build unix

package scratch

import (
	"io/fs"
	"os"
	"syscall"
)

// tryLock locks the file for this process, or fails when another process has the lock.
func tryLock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// isOurs reports whether we own the file.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
