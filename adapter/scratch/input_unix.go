//go:build unix

package scratch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

func makeInput(folder func() (string, error)) (path string, in *Input, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", nil, fmt.Errorf("make a pipe for standard input: %w", err)
	}
	if path = openedAs(r, fs.ModeType, fs.ModeNamedPipe); path != "" {
		return path, &Input{unlink: func() {}, file: w, other: r}, nil
	}
	r.Close()
	w.Close()
	return namedInput(folder)
}

// namedInput opens the pipe for both directions, so that neither side's opening waits for the other.
func namedInput(folder func() (string, error)) (path string, in *Input, err error) {
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
	return path, &Input{unlink: sync.OnceFunc(func() { os.Remove(path) }), file: file}, nil
}
