//go:build unix

package adapter

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// makePipe makes a pipe and returns the path under which the program can open it. On Linux that is our open file, which
// has no other name. Elsewhere it is a named pipe in the session's folder.
func makePipe(folder func() (string, error)) (path string, p *stdinPipe, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", nil, fmt.Errorf("make a pipe for standard input: %w", err)
	}
	if path = openedAs(r, fs.ModeType, fs.ModeNamedPipe); path != "" {
		return path, &stdinPipe{unlink: func() {}, file: w, other: r}, nil
	}
	r.Close()
	w.Close()
	return namedPipe(folder)
}

// namedPipe opens the pipe for both directions, so that neither side's opening waits for the other.
func namedPipe(folder func() (string, error)) (path string, p *stdinPipe, err error) {
	dir, err := folder()
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(dir, "stdin")
	var file *os.File
	if err = syscall.Mkfifo(path, 0o600); err == nil {
		file, err = os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		os.Remove(path)
		return "", nil, fmt.Errorf("make a pipe for standard input: %w", err)
	}
	return path, &stdinPipe{unlink: sync.OnceFunc(func() { os.Remove(path) }), file: file}, nil
}
