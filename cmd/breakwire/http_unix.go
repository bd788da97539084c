//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// strange reports whether a user other than this one and root owns the file.
func strange(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid()
}

// othersWrite reports whether other users may write to the folder or file.
func othersWrite(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// othersRead reports whether other users have any permission on the file.
func othersRead(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
