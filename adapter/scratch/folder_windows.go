package scratch

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks the file for this process, or fails when another process has the lock.
func tryLock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
}

// isOurs returns true: the folder for temporary files belongs to this user.
func isOurs(fs.FileInfo) bool { return true }
