//go:build unix

package adapter

import (
	"io/fs"
	"os"
	"syscall"
)

// tryLock locks the file for this process, if no other one has.
func tryLock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// isOurs tells whether we own the file.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
