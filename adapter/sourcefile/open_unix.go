//go:build unix

package sourcefile

import (
	"os"
	"syscall"
)

// openFile opens a file for reading. It does not wait for the other end of a named pipe, and follows no link.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|syscall.O_NOCTTY, 0)
}
