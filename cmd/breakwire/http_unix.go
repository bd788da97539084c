//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// strange tells whether another user than ours and root owns the file.
func strange(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid()
}

// othersWrite tells whether other users may write the folder or file.
func othersWrite(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// othersRead tells whether other users may do anything with the file.
func othersRead(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
