package adapter

import (
	"archive/zip"
	"breakwire/adapter/fault"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// sitecustomize makes debugpy about nine times faster; the file says how.
//
//go:embed python/sitecustomize.py
var sitecustomize []byte

// preparePython makes the files that the processes of a Python session load at their start, and chooses the program's
// interpreter. It returns the context to start the adapter with.
func (s *Session) preparePython(ctx context.Context) context.Context {
	if s.origin.launch != nil {
		s.origin.launch.Python = pythonFor(s.origin.launch.Program, s.origin.launch.Env, s.manager.mayInterpret)
		if own := s.origin.launch.Python; own != "" && !s.manager.pythons.fit(ctx, s.backend.Exe, own) {
			s.origin.launch.Python = ""
			s.warn(fault.Errorf(fault.BackendStartFailed, "the program runs on %s: the interpreter of its own environment, %s, "+
				"cannot load that debugpy; "+
				"install debugpy there (%s -m pip install debugpy) and set DEBUGPY_PYTHON to it", s.backend.Exe, own, own))
		}
	}
	archive, err := sitecustomizeZip()
	path := ""
	if err == nil {
		path, err = s.made.files.add("sitecustomize.zip", archive, s.folder)
	}
	if err != nil {
		s.log.Warn("debugpy will be slow", "error", err)
		return ctx
	}
	if s.origin.launch != nil {
		s.origin.launch.PythonPath = path
	}
	if old := os.Getenv("PYTHONPATH"); old != "" {
		path += string(os.PathListSeparator) + old
	}
	return context.WithValue(ctx, withKey{}, map[string]string{"PYTHONPATH": path})
}

// sitecustomizeZip returns an archive with sitecustomize.py. Python accepts an archive in the place of a folder.
func sitecustomizeZip() ([]byte, error) {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	file, err := w.CreateHeader(&zip.FileHeader{Name: "sitecustomize.py", Method: zip.Store})
	if err == nil {
		_, err = file.Write(sitecustomize)
	}
	err = errors.Join(err, w.Close())
	return buf.Bytes(), err
}

// pythonFor returns the interpreter of the program's own environment: a .venv or venv in its folder or a folder above,
// else the environment that is active here or in the launch. It returns "" when there is none; the adapter's
// interpreter is then used. may reports whether an interpreter that was found in a folder may be run.
func pythonFor(program string, env map[string]*string, may func(exe string) bool) string {
	home, _ := os.UserHomeDir()
	for folder := filepath.Dir(program); ; folder = filepath.Dir(folder) {
		for _, name := range []string{".venv", "venv"} {
			if exe := venvPython(filepath.Join(folder, name)); exe != "" && may(exe) {
				return exe
			}
		}
		if folder == home || folder == filepath.Dir(folder) {
			break
		}
	}
	active, given := env["VIRTUAL_ENV"]
	switch {
	case given && active != nil:
		return venvPython(*active)
	case given:
		return ""
	}
	return venvPython(os.Getenv("VIRTUAL_ENV"))
}

// pythons caches which interpreters can run programs under which adapter.
type pythons struct{ known sync.Map } // [2]string to bool

// pythonPatience bounds a cold start of an interpreter.
const pythonPatience = 10 * time.Second

// python returns the command for a short run of an interpreter.
func python(ctx context.Context, exe string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.WaitDelay = 100 * time.Millisecond // for processes that it left running with its output open
	return cmd
}

// hasDebugpy reports whether an interpreter has debugpy. answered is false when it hung.
func hasDebugpy(ctx context.Context, exe string) (has, answered bool) {
	ctx, cancel := context.WithTimeout(ctx, pythonPatience)
	defer cancel()
	err := python(ctx, exe, "-c", "import debugpy").Run()
	return err == nil, ctx.Err() == nil
}

// fit reports whether an interpreter can load the debugpy of the adapter's. pip puts all that debugpy needs into one
// folder; Linux distributions leave parts of it in their own Python.
func (p *pythons) fit(ctx context.Context, adapter, own string) bool {
	if ok, found := p.known.Load([2]string{adapter, own}); found {
		return ok.(bool)
	}
	file, err := python(ctx, adapter, "-c", "import debugpy; print(debugpy.__file__)").Output()
	ok := err == nil && python(ctx, own, filepath.Dir(strings.TrimSpace(string(file))), "--version").Run() == nil
	if ctx.Err() == nil {
		p.known.Store([2]string{adapter, own}, ok)
	}
	return ok
}

// venvPython returns the interpreter of a virtual environment, "" when the folder is none.
func venvPython(folder string) string {
	if folder == "" || !isLocalFile(filepath.Join(folder, "pyvenv.cfg")) {
		return ""
	}
	exe := filepath.Join(folder, "bin", "python")
	if runtime.GOOS == "windows" {
		exe = filepath.Join(folder, "Scripts", "python.exe")
	}
	if !isExecutable(exe) {
		return ""
	}
	return exe
}
