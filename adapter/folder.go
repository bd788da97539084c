package adapter

import (
	"os"
	"path/filepath"

	"breakwire/dapclient"
)

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
	s.made.files.Remove()
	if temp := s.manager.temp.Made(); temp != "" {
		os.RemoveAll(filepath.Join(temp, s.id))
	}
}
