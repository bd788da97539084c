package adapter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"breakwire/dapclient"
)

// privateFiles are files that other programs of this user read until the session's program runs. Where the system
// allows it, they have no name in the file system, so that nothing stays when we are killed. Otherwise they are in the
// session's folder. The zero value is empty.
type privateFiles struct {
	mu    sync.Mutex
	open  []*os.File
	paths []string
}

// add makes a file and returns the path under which other programs can read it. It calls folder where the file needs a
// name.
func (p *privateFiles) add(name string, data []byte, folder func() (string, error)) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if file, err := unnamedFile(name, data); err == nil {
		if path := openedAs(file, fs.ModeType, 0); path != "" {
			p.open = append(p.open, file)
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
	p.paths = append(p.paths, path)
	return path, nil
}

// remove removes all files.
func (p *privateFiles) remove() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, file := range p.open {
		file.Close()
	}
	for _, path := range p.paths {
		os.Remove(path)
	}
	p.open, p.paths = nil, nil
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

// folder makes the session's folder for temporary files. The end of the session removes it.
func (s *Session) folder() (string, error) {
	temp, err := s.manager.temp.Path()
	if err != nil {
		return "", err
	}
	path := filepath.Join(temp, s.id)
	return path, os.MkdirAll(path, 0o700)
}

// unlinkPipes removes the names of the pipes that the debugger has made for the program's output. A killed debugger
// would leave them.
func (s *Session) unlinkPipes() {
	if s.origin.launch != nil && s.debugger.proc != nil && s.profile.TempPipes != nil {
		dapclient.UnlinkPipes(s.debugger.proc.Pid(), s.profile.TempPipes)
	}
}

// removeFolder removes the session's files and folder.
func (s *Session) removeFolder() {
	s.made.files.remove()
	if temp := s.manager.temp.made(); temp != "" {
		os.RemoveAll(filepath.Join(temp, s.id))
	}
}
