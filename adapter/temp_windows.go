package adapter

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks the file for this process, if no other one has.
func tryLock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
}

// isOurs is true: the folder for temporary files is this user's.
func isOurs(fs.FileInfo) bool { return true }
