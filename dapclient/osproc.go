package dapclient

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNoProcess is wrapped when there is no such process (any more). A zombie is none.
var ErrNoProcess = errors.New("no such process")

// ProcInfo is what the operating system tells about a process. All but Pid is empty where it cannot be read.
type ProcInfo struct {
	Pid   int
	Name  string // as process lists show it, without a directory
	Exe   string // path of the executable
	Args  []string
	Cwd   string // Linux only
	Start string // identity of the start time: tells a process from a later one with the same pid
	User  string // owner: the uid in decimal, on Windows the SID, as os/user has it
}

// FindProcess returns the facts of a running process. Facts that this user may not read stay empty without
// an error. The error wraps ErrNoProcess when there is no process pid: ids of threads
// and of zombies are none.
func FindProcess(pid int) (ProcInfo, error) {
	if pid <= 0 {
		return ProcInfo{}, fmt.Errorf("find process %d: %w", pid, ErrNoProcess)
	}
	info, err := findProcess(pid)
	if err != nil {
		return ProcInfo{}, fmt.Errorf("find process %d: %w", pid, err)
	}
	return info, nil
}

// Processes lists all processes with Pid and Name, and the rest as far as it can be read,
// in rising order of Pid.
func Processes() ([]ProcInfo, error) {
	all, err := listProcesses()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	return all, nil
}

// Alive reports whether process pid lives and is the one that had this Start. It is false
// when start is empty: nothing can be said then.
func Alive(pid int, start string) bool {
	if start == "" {
		return false
	}
	info, err := FindProcess(pid)
	return err == nil && info.Start == start
}

// KillPid kills process pid (SIGKILL, TerminateProcess) if it still is the one that had this Start, else
// it returns ErrNoProcess. It never kills pid 1 or below, nor ourselves.
func KillPid(pid int, start string) error {
	switch {
	case pid <= 1 || pid == os.Getpid():
		return fmt.Errorf("kill process %d: refused", pid)
	case start == "":
		return fmt.Errorf("kill process %d: its start time is not known", pid)
	}
	if err := killPid(pid, start); err != nil {
		return fmt.Errorf("kill process %d: %w", pid, err)
	}
	return nil
}

// HasCLR tells whether a process runs .NET. known is false where that cannot be
// told: no such process, not readable, or not Linux. runtimeVersion is like "9.0.5", and empty when ok but
// the runtime is part of the application.
func HasCLR(pid int) (runtimeVersion string, ok, known bool) { return hasCLR(pid) }

// UnlinkPipes takes the names away from the named pipes in the folder for temporary files that the process has open,
// where they match. On Linux only.
func UnlinkPipes(pid int, names *Pattern) {
	if folder, err := filepath.EvalSymlinks(os.TempDir()); err == nil {
		unlinkPipes(pid, folder, names)
	}
}
