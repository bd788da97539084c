//go:build unix

package adapter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// makeStderrPipe makes a pipe and returns the path under which the program can open it for writing. On Linux that is
// our open file, elsewhere a named pipe in the session's folder.
func makeStderrPipe(folder func() (string, error)) (path string, p *stderrPipe, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", nil, fmt.Errorf("make a pipe for standard error: %w", err)
	}
	if path = openedAs(w, fs.ModeType, fs.ModeNamedPipe); path != "" {
		return path, &stderrPipe{file: r, opened: sync.OnceFunc(func() { w.Close() }), read: make(chan struct{})}, nil
	}
	r.Close()
	w.Close()
	return namedStderrPipe(folder)
}

// namedStderrPipe opens both ends. Ours of the writers is open until the program has its own, so that the reader sees
// no end before.
func namedStderrPipe(folder func() (string, error)) (path string, p *stderrPipe, err error) {
	dir, err := folder()
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(dir, "stderr")
	var r, w *os.File
	if err = syscall.Mkfifo(path, 0o600); err == nil {
		if r, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
			if w, err = os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err != nil {
				err = errors.Join(err, r.Close())
			}
		}
	}
	if err != nil {
		os.Remove(path)
		return "", nil, fmt.Errorf("make a pipe for standard error: %w", err)
	}
	return path, &stderrPipe{file: r, read: make(chan struct{}), opened: sync.OnceFunc(func() {
		w.Close()
		os.Remove(path)
	})}, nil
}
