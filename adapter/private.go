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

// privateFiles are files that other programs of this user read until the session's program runs. They have no name in
// the file system where the system can do that, so that nothing stays when we are killed; else they are in the
// session's folder. The zero value has none.
type privateFiles struct {
	mu    sync.Mutex
	open  []*os.File
	paths []string
}

// add makes a file and returns the path at which others can read it. folder is called where it needs a name.
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

// remove takes them all away.
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

// openedAs is the path that Linux gives to a file which is open here, whatever becomes of its name; "" elsewhere, or
// when the mode's bits in mask are not these.
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

// folder makes the session's folder for temporary files. It goes with the session.
func (s *Session) folder() (string, error) {
	temp, err := s.manager.temp.Path()
	if err != nil {
		return "", err
	}
	path := filepath.Join(temp, s.id)
	return path, os.MkdirAll(path, 0o700)
}

// unlinkPipes takes the names away from the pipes that the debugger has made for the program's output: one that is
// killed would leave them.
func (s *Session) unlinkPipes() {
	if s.origin.launch != nil && s.debugger.proc != nil && s.profile.TempPipes != nil {
		dapclient.UnlinkPipes(s.debugger.proc.Pid(), s.profile.TempPipes)
	}
}

// removeFolder takes away what the session has made.
func (s *Session) removeFolder() {
	s.made.files.remove()
	if temp := s.manager.temp.made(); temp != "" {
		os.RemoveAll(filepath.Join(temp, s.id))
	}
}
