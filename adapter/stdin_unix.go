//go:build unix

package adapter

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// makePipe makes a named pipe that only we may open, in a folder that only we may enter, and opens it for both
// directions: so the program's opening never waits for us, nor ours for the program.
func makePipe() (folder, path string, file *os.File, err error) {
	if folder, err = os.MkdirTemp("", "breakwire-"); err != nil {
		return "", "", nil, err
	}
	path = filepath.Join(folder, "stdin")
	if err = syscall.Mkfifo(path, 0o600); err == nil {
		file, err = os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		os.RemoveAll(folder)
		return "", "", nil, fmt.Errorf("make a pipe for standard input: %w", err)
	}
	return folder, path, file, nil
}
