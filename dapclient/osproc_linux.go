package dapclient

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func findProcess(pid int) (ProcInfo, error) {
	info := ProcInfo{Pid: pid}
	stat, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		// A /proc mounted with hidepid hides other users' processes.
		if errors.Is(unix.Kill(pid, 0), unix.EPERM) {
			return info, nil
		}
		return ProcInfo{}, ErrNoProcess
	}
	var state byte
	if info.Name, state, info.Start, err = parseStat(stat); err != nil {
		return ProcInfo{}, err
	}
	if isDead(state) && allDead(procPath(pid, "task")) {
		return ProcInfo{}, ErrNoProcess
	}
	status, _ := os.ReadFile(procPath(pid, "status"))
	tgid, uid := parseStatus(status)
	if tgid != 0 && tgid != pid {
		return ProcInfo{}, ErrNoProcess // a thread: /proc/TID can be opened although it is not listed
	}
	info.User = uid
	info.Exe, _ = os.Readlink(procPath(pid, "exe"))
	info.Exe = strings.TrimSuffix(info.Exe, " (deleted)")
	info.Cwd, _ = os.Readlink(procPath(pid, "cwd"))
	if cmdline, err := os.ReadFile(procPath(pid, "cmdline")); err == nil && len(cmdline) > 0 {
		info.Args = strings.Split(strings.TrimSuffix(string(cmdline), "\x00"), "\x00")
	}
	info.Name = fullName(info)
	return info, nil
}

func threadAlive(pid, thread int) bool {
	_, err := os.Stat(procPath(pid, "task/"+strconv.Itoa(thread)))
	return !errors.Is(err, fs.ErrNotExist)
}

func isDead(state byte) bool { return state == 'Z' || state == 'X' || state == 'x' }

// allDead reports whether no thread of a folder /proc/PID/task lives. A process whose first thread has ended looks
// like a zombie while other threads run.
func allDead(tasks string) bool {
	entries, _ := os.ReadDir(tasks)
	for _, e := range entries {
		stat, err := os.ReadFile(filepath.Join(tasks, e.Name(), "stat"))
		if err != nil {
			continue
		}
		if _, state, _, err := parseStat(stat); err == nil && !isDead(state) {
			return false
		}
	}
	return true
}

func awaitEnd(ctx context.Context, pid int, start string) (how Ending, ended bool) {
	// With a descriptor the end is noticed at once, and newer kernels keep how it ended. It is not readable while
	// a debugger has threads of the process to reap, so the process is also looked at.
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return pollEnd(ctx, func() (Ending, bool) { return lookForEnd(pid, start) })
	}
	process := os.NewFile(uintptr(fd), "pidfd")
	defer process.Close()
	raw, err := process.SyscallConn()
	if err != nil || process.SetReadDeadline(time.Time{}) != nil { // it cannot be waited for
		return pollEnd(ctx, func() (Ending, bool) { return lookForEnd(pid, start) })
	}
	for {
		if how, ended = lookForEnd(pid, start); ended {
			if kept := endingOf(fd); kept.Known {
				how = kept
			}
			return how, true
		}
		if ctx.Err() != nil {
			return Ending{}, false
		}
		process.SetReadDeadline(time.Now().Add(awaitPause))
		raw.Read(func(uintptr) bool {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			return err == nil && n > 0
		})
	}
}

// lookForEnd reports whether the process has ended, and how, as long as nobody has reaped it.
func lookForEnd(pid int, start string) (how Ending, ended bool) {
	stat, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return Ending{}, errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH)
	}
	_, state, now, err := parseStat(stat)
	switch {
	case err != nil:
		return Ending{}, false
	case now != start:
		return Ending{}, true
	case !isDead(state) || !allDead(procPath(pid, "task")):
		return Ending{}, false
	}
	return howEnded(stat), true
}

// howEnded decodes the exit status of a zombie (field 52 of /proc/PID/stat). The kernel shows it to those who may
// debug the process, and 0 to others.
func howEnded(stat []byte) Ending {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const first, exitCode = 3, 52
	if len(fields) <= exitCode-first {
		return Ending{}
	}
	code, err := strconv.ParseUint(fields[exitCode-first], 10, 32)
	if err != nil || code == 0 {
		return Ending{}
	}
	return endingBy(unix.WaitStatus(code))
}

// endingBy decodes a wait status.
func endingBy(status unix.WaitStatus) Ending {
	switch {
	case status.Signaled():
		return Ending{Known: true, Signal: SignalName(int(status.Signal()))}
	case status.Exited():
		return Ending{Known: true, Code: status.ExitStatus()}
	}
	return Ending{}
}

// endingOf asks a descriptor how its process has ended (PIDFD_GET_INFO, Linux 6.15). It knows that when the process has
// been reaped, by whomever.
func endingOf(fd int) Ending {
	const (
		getInfo  = 3<<30 | 64<<16 | 0xff<<8 | 11 // _IOWR(0xff, 11, struct pidfd_info)
		infoExit = 1 << 3
	)
	info := struct { // struct pidfd_info
		mask, cgroup uint64
		ids          [11]uint32
		exitCode     int32
	}{mask: infoExit}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), getInfo, uintptr(unsafe.Pointer(&info)))
	if errno != 0 || info.mask&infoExit == 0 {
		return Ending{}
	}
	return endingBy(unix.WaitStatus(info.exitCode))
}

func procPath(pid int, file string) string { return "/proc/" + strconv.Itoa(pid) + "/" + file }

// unlinkPipes removes the named pipes in folder that the process has open.
func unlinkPipes(pid int, folder string, names *Pattern) {
	descriptors := procPath(pid, "fd")
	entries, _ := os.ReadDir(descriptors)
	for _, e := range entries {
		path, err := os.Readlink(filepath.Join(descriptors, e.Name()))
		if err != nil || filepath.Dir(path) != folder || !names.MatchString(filepath.Base(path)) {
			continue
		}
		if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeNamedPipe {
			os.Remove(path)
		}
	}
}

// parseStat decodes name, state and start time (field 22, in clock ticks since boot) from /proc/PID/stat. The name is
// in parentheses and may contain parentheses.
func parseStat(stat []byte) (name string, state byte, start string, err error) {
	open, closing := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || closing < open {
		return "", 0, "", errors.New("stat has no name")
	}
	const first, startTime = 3, 22 // field numbers of proc(5)
	fields := strings.Fields(string(stat[closing+1:]))
	if len(fields) <= startTime-first {
		return "", 0, "", fmt.Errorf("stat has %d fields", len(fields)+first-1)
	}
	return string(stat[open+1 : closing]), fields[0][0], fields[startTime-first], nil
}

// parseStatus decodes the thread group and the real uid from /proc/PID/status.
func parseStatus(status []byte) (tgid int, uid string) {
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		switch name {
		case "Tgid":
			tgid, _ = strconv.Atoi(fields[0])
		case "Uid":
			uid = fields[0]
		}
	}
	return tgid, uid
}

// fullName completes a name that the kernel has cut to 15 bytes.
func fullName(info ProcInfo) string {
	const cut = 15
	if len(info.Name) < cut {
		return info.Name
	}
	longer := []string{filepath.Base(info.Exe)}
	if len(info.Args) > 0 {
		longer = append(longer, filepath.Base(info.Args[0]))
	}
	for _, name := range longer {
		if strings.HasPrefix(name, info.Name) {
			return name
		}
	}
	return info.Name
}

func listProcesses() ([]ProcInfo, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var all []ProcInfo
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if info, err := findProcess(pid); err == nil {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b ProcInfo) int { return a.Pid - b.Pid })
	return all, nil
}

// killPid checks and kills through one pidfd, so that the pid cannot be reused in between.
func killPid(pid int, start string) error {
	kill := func() error { return unix.Kill(pid, unix.SIGKILL) } // ENOSYS, EPERM in a sandbox: there is no pidfd
	fd, err := unix.PidfdOpen(pid, 0)
	if err == nil {
		defer unix.Close(fd)
		kill = func() error { return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) }
	}
	if errors.Is(err, unix.ESRCH) || !Alive(pid, start) {
		return ErrNoProcess
	}
	if err = kill(); errors.Is(err, unix.ESRCH) {
		return ErrNoProcess
	}
	return err
}

func hasCLR(pid int) (version string, ok, known bool) {
	if pid <= 0 {
		return "", false, false
	}
	f, err := os.Open(procPath(pid, "maps"))
	if err != nil {
		return "", false, false
	}
	defer f.Close()
	return scanMaps(f)
}

// scanMaps searches /proc/PID/maps for the core library or the runtime. Both are in
// .../Microsoft.NETCore.App/VERSION/ unless the application has its own copy. A single-file application maps neither;
// its sign is the runtime's memory file for writable code.
func scanMaps(r io.Reader) (version string, ok, known bool) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		line := scanner.Bytes()
		known = true
		at := bytes.IndexByte(line, '/')
		if at < 0 {
			continue
		}
		path := strings.TrimSuffix(string(line[at:]), " (deleted)")
		switch dir, base := filepath.Split(path); base {
		case "System.Private.CoreLib.dll", "libcoreclr.so":
			dir = filepath.Clean(dir)
			if filepath.Base(filepath.Dir(dir)) == "Microsoft.NETCore.App" {
				return filepath.Base(dir), true, true
			}
			ok = true
		case "memfd:doublemapper":
			ok = true
		}
	}
	// A zombie and a kernel thread have no mappings.
	return "", ok, known && scanner.Err() == nil
}

// relatives lists all processes with their parents.
func relatives() []relative {
	entries, _ := os.ReadDir("/proc")
	var all []relative
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(procPath(pid, "stat"))
		if err != nil {
			continue
		}
		_, _, start, err := parseStat(stat)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if parent, err := strconv.Atoi(fields[1]); err == nil { // field 4
			all = append(all, relative{pid, parent, start})
		}
	}
	return all
}
