package mcpserver

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/program"
)

// launching is one launch, and what it tells besides its session.
type launching struct {
	launchArgs
	config   *program.Configuration // of the name in the arguments
	group    *adapter.Group
	done     func()    // ends the progress notifications
	by       time.Time // the end of its time
	build    *program.Build
	warnings []string
}

// tell adds to the result of a start what the launch has to say.
func (l *launching) tell(r *startResult) {
	r.Build = l.build
	if r.Warning != "" {
		l.warnings = append(l.warnings, r.Warning)
	}
	r.Warning = strings.Join(l.warnings, "; ")
}

// launchOne starts one program. in.done must be called, if it is set.
func (s *Server) launchOne(ctx context.Context, in *launching) (*adapter.Session, error) {
	p := adapter.LaunchParams{
		LaunchRequest: adapter.LaunchRequest{Args: in.Args, Env: in.Env, StopAtEntry: true, JustMyCode: true},
		Timeout:       milliseconds(in.Timeout), NoStdin: !in.Stdin, Group: in.group,
	}
	if in.StopAtEntry != nil {
		p.StopAtEntry = *in.StopAtEntry
	}
	if in.JustMyCode != nil {
		p.JustMyCode = *in.JustMyCode
	}
	p.In, p.PathMap = adapter.Place{Container: in.Container, Pod: in.Pod}, in.PathMap
	file := s.manager.File
	if p.In != (adapter.Place{}) {
		file = func(name string) string { return name } // it is there
	}
	if in.Program != "" {
		p.Program = file(in.Program)
	}
	if in.Cwd != "" {
		p.Cwd = file(in.Cwd)
	}
	backend := in.Backend
	choose := func(name, why string) {
		if backend == "" && name != "" && !s.manager.OwnBackend() {
			backend, p.BackendReason = name, why
		}
	}
	if c := in.config; c != nil {
		if err := p.Configure(c, in.StopAtEntry, in.JustMyCode); err != nil {
			return nil, err
		}
		choose(c.Backend, "the configuration names it")
		if in.PreBuild == nil {
			in.warnings = c.Warnings
		}
	} else if p.Program == "" && in.Test == "" && in.Module == "" {
		return nil, fault.Errorf(fault.InvalidParameter, "\"program\" is required, or \"configuration\"").
			With("parameter", "program")
	}
	var doing atomic.Value // the text of the progress notifications
	doing.Store("starting " + filepath.Base(p.Program))
	total := p.Timeout
	if in.PreBuild != nil {
		total = 0 // unknown
	}
	in.done = Progress(ctx, total, func() string { return doing.Load().(string) })
	if in.PreBuild != nil {
		doing.Store("building")
		var err error
		tell := func(line string) { doing.Store(line) }
		if in.build, err = s.manager.PreBuild(ctx, in.PreBuild, p.Program, tell); err != nil {
			return nil, err
		}
		doing.Store("starting " + filepath.Base(p.Program))
	}
	if in.Module != "" {
		if err := p.RunModule(in.Module); err != nil {
			return nil, err
		}
		choose("debugpy", "it runs modules of Python")
	}
	if in.Test != "" && p.In != (adapter.Place{}) {
		return nil, fault.Errorf(fault.InvalidParameter, "tests are looked for on this machine; in a container give the "+
			"test's program and args, or module").With("parameter", "test")
	}
	if in.Test != "" {
		doing.Store("looking for " + in.Test)
		test, err := s.manager.FindTest(ctx, &p, in.Test, func(line string) { doing.Store(line) })
		if err != nil {
			return nil, err
		}
		choose(test.Backend, "it runs the test")
		in.build = cmp.Or(in.build, test.Build)
		doing.Store("starting " + in.Test)
	}
	in.by = time.Now().Add(p.Timeout)
	return s.manager.Launch(ctx, backend, p)
}

// attachOne attaches to one program.
func (s *Server) attachOne(ctx context.Context, in attachArgs, group *adapter.Group) (*adapter.Session, error) {
	p := adapter.AttachParams{
		AttachRequest: adapter.AttachRequest{Pid: in.Pid, StopOnEntry: in.StopOnAttach, JustMyCode: in.JustMyCode},
		Timeout:       milliseconds(in.Timeout), Connect: in.Connect, PathMap: in.PathMap, Group: group,
		In: adapter.Place{Container: in.Container, Pod: in.Pod},
	}
	if in.Config != "" {
		c, err := s.manager.Configuration(in.Config, "")
		if err != nil {
			return nil, err
		}
		if err := p.Configure(c); err != nil {
			return nil, err
		}
		if in.Pid == 0 && in.Connect == "" {
			in.Name = cmp.Or(in.Name, c.ProcessName)
		}
		if in.Backend == "" && c.Backend != "" && !s.manager.OwnBackend() {
			in.Backend, p.BackendReason = c.Backend, "the configuration names it"
		}
	}
	waiting := Progress(ctx, milliseconds(in.Wait), func() string { return "waiting for " + in.Name })
	err := s.manager.AwaitProcess(ctx, in.Backend, &p, in.Name, milliseconds(in.Wait))
	waiting()
	if err != nil {
		return nil, err
	}
	defer Progress(ctx, p.Timeout, func() string { return "attaching" })()
	session, err := s.manager.Attach(ctx, in.Backend, p)
	if err != nil {
		return nil, err
	}
	if p.StopOnEntry {
		if _, err := session.FirstStop(ctx, settle); err != nil {
			return nil, err
		}
		if _, _, err := session.Pause(ctx); err != nil && session.Snapshot().State.Live() {
			return nil, err
		}
	}
	return session, nil
}
