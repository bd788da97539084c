package adapter

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"breakwire/adapter/fault"
	"breakwire/adapter/program"
	"breakwire/adapter/python"
	"breakwire/dapclient"
	"breakwire/mapping"
)

// BackendOptions select the debuggers. With the zero value, the built-in ones are looked for.
type BackendOptions struct {
	Default  string             // auto, a profile's name, or a key of Custom
	Path     string             // executable of the default backend, which is then not looked for
	Custom   map[string]Backend // by name; precede the built-in ones
	Programs map[string]string  // extension of a program to the name of a backend; precede the built-in ones
	// Guard is a command that ends an adapter when we are killed, where the adapter outlives its input or has no
	// connection yet (dapclient.Process.Guard). nil: no guard.
	Guard []string
	// Record returns the recorder of a session's frames. nil records nothing. The recorder is closed when the session's
	// connection has ended, if it is an io.Closer.
	Record func(session, backend, program string) (dapclient.Recorder, error)
}

// Remote reports whether the default backend's programs and files are on another disk.
func (o BackendOptions) Remote() bool { return !o.local("") }

// OwnBackend reports whether the server was started for one debugger. The debugger of a launch configuration is then
// ignored.
func (m *Manager) OwnBackend() bool {
	_, own := m.opts.Backends.Custom[m.opts.Backends.Default]
	return own
}

// local reports whether the programs of a backend are on this disk.
func (o BackendOptions) local(name string) bool {
	if _, ok := o.replay(); ok {
		return false
	}
	if name == "" {
		name = o.Default
	}
	b, ok := o.Custom[name]
	return !ok || b.Local
}

// Backend is one way to reach a debugger.
type Backend struct {
	Profile  *dapclient.Profile
	Local    bool   // it debugs on this machine: paths and pids can be checked
	Replayed bool   // it plays a recording, for any program and process
	Why      string // why it was chosen
	Exe      string // the adapter's executable, when we start it
	Address  string // HOST:PORT where it listens already, or its debug server does
	Paths    mapping.PathMap
	// Open starts or reaches the adapter. The process is nil when we did not start it.
	Open  Opener
	Group *Group // what is started with its session; nil: nothing
	// Sweep ends what is left of the adapter and what it launched, where no process of this machine is it. nil: nothing.
	Sweep func(context.Context)
	// Child reaches the adapter for a session that it asks for. nil: as Open.
	Child Opener
}

// backendFor chooses the backend for a program.
func (m *Manager) backendFor(ctx context.Context, name, program string) (*Backend, error) {
	return m.opts.Backends.choose(ctx, name, func() (string, string) {
		ext := strings.ToLower(filepath.Ext(program))
		if name, ok := m.opts.Backends.Programs[ext]; ok {
			return name, "its profile is for " + ext + " files"
		}
		return byProgram(program)
	})
}

// backendForPid chooses the backend for a running process.
func (m *Manager) backendForPid(ctx context.Context, name string, pid int) (*Backend, error) {
	return m.opts.Backends.choose(ctx, name, func() (string, string) {
		if _, ok, known := dapclient.HasCLR(pid); known && ok {
			return "netcoredbg", "the process runs .NET"
		}
		info, err := dapclient.FindProcess(pid)
		if err == nil && info.Exe != "" {
			if strings.HasPrefix(filepath.Base(info.Exe), "python") {
				return "debugpy", "the process is Python"
			}
			if isNode(info.Exe) {
				return "js-debug", "the process is node"
			}
			if isGo, _ := program.GoBinary(info.Exe); isGo {
				return "dlv", "the executable was built by Go"
			}
			if filepath.Base(info.Exe) == "dotnet" {
				return "netcoredbg", "the process is dotnet"
			}
			return "lldb-dap", "the process is native"
		}
		return "netcoredbg", "the default"
	})
}

func (o BackendOptions) choose(ctx context.Context, name string, auto func() (name, why string)) (*Backend, error) {
	if b, ok := o.replay(); ok {
		b.Why = "a recording is played"
		return &b, nil
	}
	why := "asked for"
	if name == "" {
		name, why = o.Default, "the server's default"
	}
	if name == "" || name == "auto" {
		if name, why = auto(); name == "" {
			return nil, fault.Errorf(fault.LaunchFailed, "%s; say which debugger starts it with backend", why)
		}
	}
	if b, ok := o.Custom[name]; ok {
		b.Why = why
		return &b, nil
	}
	p := dapclient.ProfileByName(name)
	if p == nil {
		return nil, o.unknown(name)
	}
	path := ""
	if name == o.Default || o.Default == "" || o.Default == "auto" {
		path = o.Path
	}
	exe, err := FindBackend(ctx, p, path)
	if err != nil {
		return nil, err
	}
	if p.Bridge != "" {
		return bridged(p, exe, why), nil
	}
	return &Backend{Profile: p, Local: true, Why: why, Exe: exe, Open: Spawn(p, exe, p.Args)}, nil
}

// Check returns an error for an unknown backend name. A known one need not be installed.
func (o BackendOptions) Check(name string) error {
	if _, ok := o.Custom[name]; ok || name == "auto" || dapclient.ProfileByName(name) != nil {
		return nil
	}
	return o.unknown(name)
}

func (o BackendOptions) unknown(name string) *fault.Error {
	known := slices.Collect(maps.Keys(o.Custom))
	for _, p := range dapclient.Profiles() {
		known = append(known, p.Name)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	e := fault.Errorf(fault.InvalidParameter, "backend %q is unknown; there are auto, %s", name,
		strings.Join(known, ", ")).
		With("known", known)
	if near := mapping.Nearest(name, known); near != "" {
		e.Message += "; did you mean " + near + "?"
	}
	return e
}

// FindBackend looks for a backend's executable: the given path, its environment variable, PATH, well-known folders.
func FindBackend(ctx context.Context, p *dapclient.Profile, path string) (string, error) {
	if p.Bridge != "" {
		return findJSDebug(p, path)
	}
	looked := []string{}
	try := func(candidate string) (string, bool) {
		if rest, ok := strings.CutPrefix(candidate, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", false
			}
			candidate = filepath.Join(home, rest)
		}
		found, err := exec.LookPath(candidate)
		if err != nil {
			looked = append(looked, candidate)
			return "", false
		}
		if abs, err := filepath.Abs(found); err == nil {
			found = abs
		}
		return found, true
	}
	for _, given := range []string{path, os.Getenv(p.PathEnv)} {
		if given == "" {
			continue
		}
		if info, err := os.Stat(given); err == nil && info.IsDir() {
			given = filepath.Join(given, p.Executables[0])
		}
		if found, ok := try(given); ok {
			return found, nil
		}
		return "", fault.Errorf(fault.BackendNotFound, "%s was not found at %s; %s", p.Name, given, p.Install).
			With("backend", p.Name).With("looked", looked)
	}
	if p.Language == dapclient.Python {
		exe, looked, why := python.FindDebugpy(ctx, p.Executables, p.WellKnown)
		if exe == "" {
			return "", fault.Errorf(fault.BackendNotFound, "%s was not found%s; %s, or set %s", p.Name, why, p.Install,
				p.PathEnv).With("backend", p.Name).With("looked", looked)
		}
		return exe, nil
	}
	for _, candidate := range append(append([]string{}, p.Executables...), p.WellKnown...) {
		if found, ok := try(candidate); ok {
			return found, nil
		}
	}
	return "", fault.Errorf(fault.BackendNotFound, "%s was not found; %s, or set %s", p.Name, p.Install, p.PathEnv).
		With("backend", p.Name).With("looked", looked)
}

// Spawn returns a function that starts an adapter with a command of this machine.
func Spawn(p *dapclient.Profile, exe string, args []string) Opener {
	return func(ctx context.Context, o Opening) (io.ReadWriteCloser, *dapclient.Process, error) {
		cmd := dapclient.Command{Path: exe, Args: args, Env: o.environment(p), Log: o.Log, Guard: o.Guard}
		var proc *dapclient.Process
		var stream io.ReadWriteCloser
		var err error
		if p.Announce != nil {
			proc, stream, err = dapclient.StartAnnounced(ctx, cmd, p.Announce.Regexp())
		} else {
			proc, stream, err = dapclient.StartStdio(cmd)
		}
		if err == nil {
			return stream, proc, nil
		}
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fault.Errorf(fault.BackendNotFound, "%s was not found at %s; %s", p.Name, exe, p.Install).
				With("backend", p.Name)
		}
		return nil, nil, fault.Errorf(fault.BackendStartFailed, "%s did not start: %v", p.Name, err).With("backend", p.Name)
	}
}

// Opener starts or reaches an adapter. The process is nil when it was not started from here.
type Opener = func(context.Context, Opening) (io.ReadWriteCloser, *dapclient.Process, error)

// Opening is what an adapter is started with, besides its command.
type Opening struct {
	Log     *slog.Logger
	Guard   []string               // the command that ends the adapter when we are killed
	Folder  func() (string, error) // makes the session's folder
	With    map[string]string      // variables of its environment
	Without []string               // variables that it does not get
}

// opening returns what the adapter of a session is started with.
func (s *Session) opening() Opening {
	o := Opening{Log: s.log, Guard: s.manager.opts.Backends.Guard, Folder: s.folder, With: map[string]string{}}
	if launch := s.origin.launch; launch != nil && s.profile.NoEnvNull && !s.backend.Replayed {
		o.Without = unset(launch.Env)
	}
	if attach := s.origin.attach; attach != nil && attach.Pid != 0 && s.backend.Local && s.origin.child == nil {
		o.With = sharedWith(s.profile, attach.Pid)
	}
	return o
}

// open starts or reaches the adapter of a session, and starts its guard where it needs one.
func (s *Session) open(ctx context.Context) (io.ReadWriteCloser, *dapclient.Process, error) {
	o := s.opening()
	stream, proc, err := s.spawn(ctx, o)
	if s.origin.child != nil {
		s.origin.child.tell(err)
	}
	stays := s.profile.OutlivesInput || s.profile.OutlivesAttached && s.public.info.Attached
	keeps := s.profile.DetachKeepsStep && s.public.info.Attached
	var unguarded error
	if proc != nil && (stays || keeps) && len(o.Guard) > 0 {
		if keeps {
			unguarded = proc.GuardHolding(o.Guard, stream)
		} else {
			unguarded = proc.Guard(o.Guard)
		}
		if unguarded != nil {
			s.log.Warn("nothing will end the debug adapter if we are killed", "error", unguarded)
		}
	}
	return stream, proc, err
}

// spawn starts or reaches the adapter. Some launches need arguments on the adapter's command line.
func (s *Session) spawn(ctx context.Context, o Opening) (io.ReadWriteCloser, *dapclient.Process, error) {
	if s.backend.Local && s.backend.Exe != "" && s.profile.Language == dapclient.Python {
		path, err := s.preparePython(ctx)
		if err != nil {
			return nil, nil, err
		}
		if path != "" {
			o.With["PYTHONPATH"] = python.BeforePath(path)
		}
	}
	if s.origin.launch != nil && s.backend.Exe != "" && s.profile.LaunchArgs != nil {
		if s.profile.Language == dapclient.DotNet {
			s.origin.launch.Dotnet = program.DotnetFor(s.origin.launch.Env)
		}
		extra, err := s.profile.LaunchArgs(s.origin.launch.LaunchRequest)
		if err != nil {
			return nil, nil, fault.Errorf(fault.LaunchFailed, "the program could not be launched: %v", err).
				With("sessionId", s.id).
				With("backend", s.profile.Name)
		}
		if len(extra) > 0 {
			return Spawn(s.profile, s.backend.Exe, append(slices.Clone(s.profile.Args), extra...))(ctx, o)
		}
	}
	return s.backend.Open(ctx, o)
}

// environment returns our environment with the variables that the adapter needs, and without those that the debuggee
// must not have: debuggees inherit it.
func (o Opening) environment(p *dapclient.Profile) []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.ContainsFunc(o.Without, func(n string) bool {
			return n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name)
		})
	})
	for k, v := range p.Env {
		if _, set := os.LookupEnv(k); !set {
			env = append(env, k+"="+v)
		}
	}
	for k, v := range o.With {
		env = program.SetEnv(env, k, v)
	}
	if p.Language == dapclient.DotNet {
		env = program.DotnetEnv(env)
	}
	return env
}

// unset returns the names of the variables that a launch removes.
func unset(env map[string]*string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if env[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

// byProgram chooses a backend by the program's kind.
func byProgram(path string) (name, why string) {
	if dapclient.IsPage(path) {
		return "js-debug", "the program is a page"
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".dll":
		return "netcoredbg", "the program is a .NET assembly"
	case ".csproj", ".fsproj", ".vbproj", ".sln", ".slnx":
		return "netcoredbg", "the program is a .NET project"
	case ".go":
		return "dlv", "the program is Go source"
	case ".py":
		return "debugpy", "the program is Python"
	}
	if python.Is(path) {
		return "debugpy", "the program is a Python interpreter"
	}
	if program.HoldsPackage(path) && program.IsFile(path) {
		return "js-debug", "the program is a package of node"
	}
	if isScript(path) {
		return "js-debug", "the program is JavaScript or TypeScript"
	}
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			if len(program.FilesIn(path, "*.go")) > 0 {
				return "dlv", "the folder is a Go package"
			}
			if _, err := program.ProjectIn(path); err == nil {
				return "netcoredbg", "the folder is a .NET project"
			}
			if program.HoldsGo(path) {
				return "dlv", "the folder holds Go programs"
			}
			if program.HoldsPackage(path) {
				return "js-debug", "the folder is a package of node"
			}
			return "netcoredbg", "the default"
		}
		if program.HostedAssembly(path) != "" {
			return "netcoredbg", "the program is the host of a .NET assembly"
		}
		if isGo, err := program.GoBinary(path); err == nil {
			if isGo {
				return "dlv", "the executable was built by Go"
			}
			if program.IsBundle(path) {
				return "netcoredbg", "the executable is a .NET program in one file"
			}
			return "lldb-dap", "the executable is native"
		}
		return "", path + " is not a program: neither an executable nor source that a known debugger starts"
	}
	return "netcoredbg", "the default"
}
