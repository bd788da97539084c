//go:build unix

package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

func makeOutput(folder func() (string, error)) (path string, out *Output, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", nil, fmt.Errorf("make a pipe for standard error: %w", err)
	}
	if path = openedAs(w, fs.ModeType, fs.ModeNamedPipe); path != "" {
		return path, &Output{file: r, opened: sync.OnceFunc(func() { w.Close() })}, nil
	}
	r.Close()
	w.Close()
	return namedOutput(folder)
}

// namedOutput opens both ends. Ours of the writers is open until the program has its own, so that the reader sees
// no end before.
func namedOutput(folder func() (string, error)) (path string, out *Output, err error) {
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
	return path, &Output{file: r, opened: sync.OnceFunc(func() {
		w.Close()
		os.Remove(path)
	})}, nil
}
