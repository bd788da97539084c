package dapclient

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"unsafe"

	"golang.org/x/sys/windows"
)

func findProcess(pid int) (ProcInfo, error) {
	var found *ProcInfo
	err := eachProcess(func(info ProcInfo) bool {
		if info.Pid == pid {
			found = &info
		}
		return found == nil
	})
	if err != nil {
		return ProcInfo{}, err
	}
	if found == nil {
		return ProcInfo{}, ErrNoProcess
	}
	err = addFacts(found)
	return *found, err
}

func listProcesses() ([]ProcInfo, error) {
	var all []ProcInfo
	err := eachProcess(func(info ProcInfo) bool {
		// Pid 0 is the idle process.
		if info.Pid != 0 && addFacts(&info) == nil {
			all = append(all, info)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b ProcInfo) int { return a.Pid - b.Pid })
	return all, nil
}

// eachProcess calls f with the pid and name of each process in a snapshot, until f returns false.
func eachProcess(f func(ProcInfo) bool) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		if !f(ProcInfo{Pid: int(entry.ProcessID), Name: windows.UTF16ToString(entry.ExeFile[:])}) {
			return nil
		}
	}
	if errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil
	}
	return err
}

// addFacts adds what needs a handle. It returns ErrNoProcess when the process has ended.
func addFacts(info *ProcInfo) error {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(info.Pid))
	if err != nil {
		if errors.Is(err, windows.ERROR_INVALID_PARAMETER) && info.Pid != 0 {
			return ErrNoProcess
		}
		return nil // another user's
	}
	defer windows.CloseHandle(h)
	if hasEnded(h) {
		return ErrNoProcess
	}
	info.Start = startOf(h)
	path := make([]uint16, windows.MAX_LONG_PATH)
	n := uint32(len(path))
	if windows.QueryFullProcessImageName(h, 0, &path[0], &n) == nil {
		info.Exe = windows.UTF16ToString(path[:n])
	}
	info.Args = argsOf(h)
	info.User = ownerOf(h)
	return nil
}

// hasEnded reports whether the process has ended while others still hold it open.
func hasEnded(h windows.Handle) bool {
	event, err := windows.WaitForSingleObject(h, 0)
	return err == nil && event == windows.WAIT_OBJECT_0
}

func startOf(h windows.Handle) string {
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return ""
	}
	return strconv.FormatUint(uint64(created.HighDateTime)<<32|uint64(created.LowDateTime), 10)
}

// argsOf reads the command line (Windows 8.1 and later).
func argsOf(h windows.Handle) []string {
	// A command line has at most 32,767 characters; the string's header precedes them.
	buf := make([]windows.NTUnicodeString, 64<<10/unsafe.Sizeof(windows.NTUnicodeString{})+2)
	size := uint32(uintptr(len(buf)) * unsafe.Sizeof(buf[0]))
	if windows.NtQueryInformationProcess(h, windows.ProcessCommandLineInformation, unsafe.Pointer(&buf[0]), size,
		nil) != nil {
		return nil
	}
	args, err := windows.DecomposeCommandLine(buf[0].String())
	if err != nil {
		return nil
	}
	return args
}

func ownerOf(h windows.Handle) string {
	var token windows.Token
	if windows.OpenProcessToken(h, windows.TOKEN_QUERY, &token) != nil {
		return ""
	}
	defer token.Close()
	user, err := token.GetTokenUser()
	if err != nil {
		return ""
	}
	return user.User.Sid.String()
}

// killPid checks and kills through one handle, so that the pid cannot be reused in between.
func killPid(pid int, start string) error {
	const access = windows.PROCESS_QUERY_LIMITED_INFORMATION | windows.PROCESS_TERMINATE | windows.SYNCHRONIZE
	h, err := windows.OpenProcess(access, false, uint32(pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return ErrNoProcess
	}
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	if hasEnded(h) || startOf(h) != start {
		return ErrNoProcess
	}
	return windows.TerminateProcess(h, 1)
}

func hasCLR(int) (version string, ok, known bool) { return "", false, false }

func unlinkPipes(int, string, *Pattern) {} // the open files of a process are not available here

func awaitEnd(ctx context.Context, pid int, start string) (how Ending, ended bool) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return Ending{}, true
	}
	if err != nil { // another user's
		return pollEnd(ctx, func() (Ending, bool) { return Ending{}, !Alive(pid, start) })
	}
	defer windows.CloseHandle(h)
	return pollEnd(ctx, func() (Ending, bool) { return Ending{}, hasEnded(h) || startOf(h) != start })
}

func relatives() []relative { return nil }

func threadAlive(int, int) bool { return true }
