package adapter

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"breakwire/adapter/fault"
	"breakwire/adapter/program"
	"breakwire/dapclient"
)

// FindPid returns the process for the parameters of debug_attach: a pid, or the name of exactly one process.
func (m *Manager) FindPid(pid int, name string) (int, error) {
	switch {
	case pid != 0 && name != "":
		return 0, fault.Errorf(fault.InvalidParameter, "pid and process_name exclude each other").
			With("parameter", "process_name")
	case pid != 0:
		return pid, nil
	case name == "":
		return 0, fault.Errorf(fault.InvalidParameter, "say which process with pid or process_name").With("parameter", "pid")
	}
	if _, ok := m.opts.Backends.replay(); ok {
		return 0, nil // whatever its name, the recorded process is meant
	}
	all, err := dapclient.Processes()
	if err != nil {
		return 0, fault.Errorf(fault.NotSupported, "processes cannot be listed here (%v); use pid", err)
	}
	var found []dapclient.ProcInfo
	for _, p := range all {
		if p.Pid != os.Getpid() && goesBy(p, name) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 1:
		return found[0].Pid, nil
	case 0:
		return 0, fault.Errorf(fault.ProcessNotFound, "no process is named %s", name).With("processName", name)
	}
	list := make([]map[string]any, 0, len(found))
	for _, p := range found {
		list = append(list, map[string]any{"pid": p.Pid, "args": p.Args})
	}
	return 0, fault.Errorf(fault.InvalidParameter, "%d processes are named %s; say which one with pid", len(found), name).
		With("processName", name).With("processes", list)
}

// goesBy reports whether a process has a name: its own, its executable's, or that of the program that a host runs
// (dotnet app.dll).
func goesBy(p dapclient.ProcInfo, name string) bool {
	same := func(have string) bool {
		have = filepath.Base(have)
		return strings.EqualFold(have, name) || strings.EqualFold(strings.TrimSuffix(have, filepath.Ext(have)), name)
	}
	if same(p.Name) || p.Exe != "" && same(p.Exe) {
		return true
	}
	return len(p.Args) > 1 && strings.HasSuffix(p.Args[1], ".dll") && same(p.Args[1])
}

// checkPid refuses a process that cannot be attached to, before a debugger is started.
func checkPid(b *Backend, pid int) error {
	if pid == os.Getpid() {
		// Its debugger would halt us, and nobody else could resume it.
		return fault.Errorf(fault.AttachFailed, "process %d is this breakwire server itself, which a debugger would "+
			"halt for "+
			"good; give another pid, or attach to it from another breakwire", pid).With("processId", pid)
	}
	info, err := dapclient.FindProcess(pid)
	switch {
	case errors.Is(err, dapclient.ErrNoProcess):
		return fault.Errorf(fault.ProcessNotFound, "there is no process %d", pid).With("processId", pid)
	case errors.Is(err, fs.ErrPermission):
		return fault.Errorf(fault.PermissionDenied, "process %d may not be looked at; run breakwire as its user", pid).
			With("processId", pid)
	}
	if me := os.Geteuid(); me > 0 && info.User != "" && info.User != strconv.Itoa(me) {
		return fault.Errorf(fault.PermissionDenied, "process %d (%s) belongs to the user with id %s, and breakwire "+
			"runs as %d; "+
			"run breakwire as that user or as root", pid, info.Name, info.User, me).
			With("processId", pid).With("processName", info.Name)
	}
	if b.Profile.Language == dapclient.DotNet {
		if _, ok, known := dapclient.HasCLR(pid); known && !ok {
			return fault.Errorf(fault.AttachFailed, "process %d does not run .NET (Core): no CLR is loaded in it. "+
				".NET Framework "+
				"and processes of other users cannot be attached to", pid).With("processId", pid)
		}
	}
	return nil
}

// checkFree refuses a process that one of our sessions debugs already. A process has one debugger, and some of them
// only say so with a number, after ten seconds.
func (m *Manager) checkFree(pid int) error {
	for _, s := range m.Sessions() {
		snap := s.Snapshot()
		if s.backend.Local && snap.State.Live() && pid > 0 && snap.Process.Pid == pid {
			return fault.Errorf(fault.AttachFailed, "process %d is debugged by session %s already; use that session, or end it "+
				"with debug_disconnect first", pid, s.id).With("processId", pid).With("sessionId", s.id)
		}
	}
	return nil
}

// sharedWith returns the variables that an adapter needs as the process has them. The values are empty where the
// process has none, or where they cannot be read.
func sharedWith(p *dapclient.Profile, pid int) map[string]string {
	with := map[string]string{}
	if len(p.AttachEnv) == 0 {
		return with
	}
	env, err := dapclient.Environ(pid)
	if err != nil {
		return with
	}
	for _, name := range p.AttachEnv {
		with[name], _ = program.LookEnv(env, name)
	}
	return with
}
