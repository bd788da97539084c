package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Files are files that other programs of this user read until the program runs. Where the system
// allows it, they have no name in the file system, so that nothing stays when we are killed. Otherwise they are in the
// given folder. The zero value is empty.
type Files struct {
	mu    sync.Mutex
	open  []*os.File
	paths []string
}

// Add makes a file and returns the path under which other programs can read it. It calls folder where the file needs a
// name.
func (f *Files) Add(name string, data []byte, folder func() (string, error)) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if file, err := unnamedFile(name, data); err == nil {
		if path := openedAs(file, fs.ModeType, 0); path != "" {
			f.open = append(f.open, file)
			return path, nil
		}
		file.Close()
	}
	dir, err := folder()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", err
	}
	f.paths = append(f.paths, path)
	return path, nil
}

// Remove removes all files.
func (f *Files) Remove() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, file := range f.open {
		file.Close()
	}
	for _, path := range f.paths {
		os.Remove(path)
	}
	f.open, f.paths = nil, nil
}

// openedAs returns the path that Linux gives to our open file, even when it has no name. It returns "" on other
// systems, and when the mode's bits in mask differ from want.
func openedAs(file *os.File, mask, want fs.FileMode) (path string) {
	conn, err := file.SyscallConn()
	if err == nil {
		err = conn.Control(func(fd uintptr) { path = fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd) })
	}
	if info, statErr := os.Stat(path); errors.Join(err, statErr) != nil || info.Mode()&mask != want {
		return ""
	}
	return path
}
