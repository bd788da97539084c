package dapclient

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrNoProcess is wrapped when there is no such process. A zombie counts as none.
var ErrNoProcess = errors.New("no such process")

// ProcInfo is what the operating system reports about a process. Except for Pid, a field is empty where it cannot be
// read.
type ProcInfo struct {
	Pid   int
	Name  string // as process lists show it, without a directory
	Exe   string // path of the executable
	Args  []string
	Cwd   string // Linux only
	Start string // start time: distinguishes the process from a later one with the same pid
	User  string // owner: the uid in decimal, on Windows the SID, as os/user has it
}

// FindProcess returns the facts of a running process. What this user may not read stays empty, without an error. The
// error wraps ErrNoProcess when no process has this pid; ids of threads and zombies do not count.
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

// Processes lists all processes with Pid and Name, and other fields where they can be read, in rising order of Pid.
func Processes() ([]ProcInfo, error) {
	all, err := listProcesses()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	return all, nil
}

// Environ returns the environment that a process was started with, as NAME=value. It can be read on Linux only, and of
// processes of the same user.
func Environ(pid int) ([]string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimRight(string(text), "\x00"), "\x00"), nil
}

// Tracer returns the process that another debugger or tracer traces process pid with; 0 when there is none, when it
// descends from this process, or when it cannot be known (it can on Linux only).
func Tracer(pid int) int {
	tracer := tracerOf(pid)
	for p := tracer; p > 1; p = statusNumber(p, "PPid:") {
		if p == os.Getpid() {
			return 0
		}
	}
	return tracer
}

// tracerOf returns the process that traces another one. The system names the thread of it that does.
func tracerOf(pid int) int {
	thread := statusNumber(pid, "TracerPid:")
	if thread == 0 {
		return 0
	}
	return cmp.Or(statusNumber(thread, "Tgid:"), thread)
}

// statusNumber returns a number of /proc/PID/status, 0 when it cannot be read.
func statusNumber(pid int, name string) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "\n"+name)
	line, _, _ := strings.Cut(rest, "\n")
	number, _ := strconv.Atoi(strings.TrimSpace(line))
	return number
}

// Alive reports whether process pid lives and has this Start. It is false when start is empty.
func Alive(pid int, start string) bool {
	if start == "" {
		return false
	}
	info, err := FindProcess(pid)
	return err == nil && info.Start == start
}

// ThreadAlive reports whether a thread of process pid exists. It is true where that cannot be known.
func ThreadAlive(pid, thread int) bool { return threadAlive(pid, thread) }

// KillPid kills process pid (SIGKILL, TerminateProcess) if it has this Start, else it returns ErrNoProcess. It never
// kills pid 1 or below, nor this process.
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

// HasCLR reports whether a process runs .NET. known is false where that cannot be determined: no such process, not
// readable, or not Linux. runtimeVersion is like "9.0.5"; it is empty with ok true when the runtime is part of the
// application.
func HasCLR(pid int) (runtimeVersion string, ok, known bool) { return hasCLR(pid) }

// UnlinkPipes removes the matching named pipes that the process has open in the folder for temporary files. Linux
// only.
func UnlinkPipes(pid int, names *Pattern) {
	if folder, err := filepath.EvalSymlinks(os.TempDir()); err == nil {
		unlinkPipes(pid, folder, names)
	}
}
