package dapclient

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h.
const zombie = 5

func findProcess(pid int) (ProcInfo, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		// For an unknown pid the answer is empty, which x/sys returns as EIO.
		if errors.Is(err, unix.EIO) || errors.Is(err, unix.ESRCH) {
			return ProcInfo{}, ErrNoProcess
		}
		return ProcInfo{}, err
	}
	if int(k.Proc.P_pid) != pid || k.Proc.P_stat == zombie {
		return ProcInfo{}, ErrNoProcess
	}
	return fromKinfo(k), nil
}

func fromKinfo(k *unix.KinfoProc) ProcInfo {
	info := ProcInfo{
		Pid:   int(k.Proc.P_pid),
		Name:  unix.ByteSliceToString(k.Proc.P_comm[:]),
		Start: startOf(k),
		User:  strconv.FormatUint(uint64(k.Eproc.Pcred.P_ruid), 10),
	}
	// Readable only for processes of the same user.
	if raw, err := unix.SysctlRaw("kern.procargs2", info.Pid); err == nil {
		info.Exe, info.Args = parseProcArgs(raw)
	}
	// The kernel cuts the name to 16 bytes.
	if base := filepath.Base(info.Exe); len(info.Name) >= 16 && strings.HasPrefix(base, info.Name) {
		info.Name = base
	}
	return info
}

// parseProcArgs decodes kern.procargs2: the number of arguments in 32 bits, the path of the executable, NUL padding,
// then the arguments and the environment, each with a NUL.
func parseProcArgs(raw []byte) (exe string, args []string) {
	if len(raw) < 4 {
		return "", nil
	}
	n := binary.LittleEndian.Uint32(raw) // both architectures of macOS are little-endian
	path, rest, found := bytes.Cut(raw[4:], []byte{0})
	if !found {
		return "", nil
	}
	rest = bytes.TrimLeft(rest, "\x00")
	for range n {
		arg, next, found := bytes.Cut(rest, []byte{0})
		if !found {
			break
		}
		args, rest = append(args, string(arg)), next
	}
	return string(path), args
}

func listProcesses() ([]ProcInfo, error) {
	procs, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	var all []ProcInfo
	for i := range procs {
		if k := &procs[i]; k.Proc.P_pid > 0 && k.Proc.P_stat != zombie {
			all = append(all, fromKinfo(k))
		}
	}
	slices.SortFunc(all, func(a, b ProcInfo) int { return a.Pid - b.Pid })
	return all, nil
}

func killPid(pid int, start string) error {
	if !Alive(pid, start) {
		return ErrNoProcess
	}
	err := unix.Kill(pid, unix.SIGKILL)
	if errors.Is(err, unix.ESRCH) {
		return ErrNoProcess
	}
	return err
}

func hasCLR(int) (version string, ok, known bool) { return "", false, false }

func unlinkPipes(int, string, *Pattern) {} // the open files of a process are not available here

func awaitEnd(ctx context.Context, pid int, start string) (how Ending, ended bool) {
	return pollEnd(ctx, func() (Ending, bool) { return Ending{}, !Alive(pid, start) })
}

// relatives lists all processes with their parents.
func relatives() []relative {
	procs, _ := unix.SysctlKinfoProcSlice("kern.proc.all")
	all := make([]relative, 0, len(procs))
	for i := range procs {
		k := &procs[i]
		all = append(all, relative{int(k.Proc.P_pid), int(k.Eproc.Ppid), startOf(k)})
	}
	return all
}

func startOf(k *unix.KinfoProc) string {
	return fmt.Sprintf("%d.%06d", k.Proc.P_starttime.Sec, k.Proc.P_starttime.Usec)
}

func threadAlive(int, int) bool { return true }
