package adapter

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"breakwire/adapter/fault"
	"breakwire/adapter/program"
	"breakwire/dapclient"
	"breakwire/mapping"
)

// At returns the backend of an adapter that listens already.
func At(profile *dapclient.Profile, address string) Backend {
	return Backend{Profile: profile, Address: address, Open: dialed(address)}
}

func dialed(address string) Opener {
	return func(ctx context.Context, _ Opening) (io.ReadWriteCloser, *dapclient.Process, error) {
		conn, err := dapclient.Dial(ctx, address)
		if err != nil {
			return nil, nil, fault.Errorf(fault.BackendNotFound, "no debug adapter answers at %s: %v", address, err).
				With("address", address)
		}
		return conn, nil, nil
	}
}

// namesProcess reports whether an attach must name a process. It need not where the debugger that is reached has its
// program already.
func (m *Manager) namesProcess(backend, connect string) bool {
	name := m.opts.Backends.nameOf(backend)
	profile, address := dapclient.ProfileByName(name), connect
	if b, ok := m.opts.Backends.Custom[name]; ok {
		profile = b.Profile
		if address == "" {
			address = b.Address
		}
	}
	return address == "" || profile != nil && !profile.HoldsProgram && !(connect != "" && profile.ConnectsItself)
}

// nameOf returns the name of a backend, "" when the program decides.
func (o BackendOptions) nameOf(given string) string {
	if given == "" {
		given = o.Default
	}
	if given == "auto" {
		return ""
	}
	return given
}

// backendToAttach checks what an attach names, and chooses its backend.
func (m *Manager) backendToAttach(ctx context.Context, backend string, p *AttachParams) (b *Backend, err error) {
	paths, err := m.pathMap(p.PathMap)
	if err != nil {
		return nil, err
	}
	if p.In.given() {
		if b, err = m.enterToAttach(ctx, backend, p); err == nil {
			paths = paths.And(b.Paths)
		}
	} else if p.Connect != "" {
		b, err = m.backendAt(ctx, backend, p)
	} else if err = m.mayAttach(backend, p.Pid); err == nil {
		b, err = m.backendForPid(ctx, backend, p.Pid)
	}
	if err != nil {
		return nil, err
	}
	b.Paths = paths
	if m.opts.Permissions.restricted() && !b.Replayed {
		err = mayConfigure(b, &LaunchParams{LaunchRequest: LaunchRequest{Extra: p.Extra}, Members: p.Members})
	}
	return b, err
}

// backendAt returns the backend for a debugger that listens at an address. One that connects itself is started here,
// unless the process is named: then its adapter listens there.
func (m *Manager) backendAt(ctx context.Context, backend string, p *AttachParams) (*Backend, error) {
	if b, ok := m.opts.Backends.replay(); ok {
		return &b, nil
	}
	if perm := &m.opts.Permissions; perm.restricted() && !perm.namesAt("connect", p.Connect) {
		return nil, denied("this server debugs only programs that it was told to (--read-only, --allow-program), and what "+
			"is debugged at %s cannot be told; ask the user to start it with --allow-program connect:%[1]s, or without",
			p.Connect).With("parameter", "connect")
	}
	for _, s := range m.Sessions() {
		if s.backend.Address == p.Connect && s.Snapshot().Parent == "" {
			return nil, fault.Errorf(fault.AttachFailed, "%s is debugged by session %s already; use that session, or end it "+
				"with debug_disconnect first", p.Connect, s.id).With("sessionId", s.id)
		}
	}
	name := m.opts.Backends.nameOf(backend)
	profile := dapclient.ProfileByName(name)
	if b, ok := m.opts.Backends.Custom[name]; ok {
		profile = b.Profile
	}
	switch {
	case name == "":
		return nil, fault.Errorf(fault.InvalidParameter, "say with backend which debugger listens at %s: dlv, debugpy, "+
			"lldb-dap (a gdbserver, or with pid itself), netcoredbg, "+
			"js-debug (node --inspect)", p.Connect).With("parameter", "backend")
	case profile == nil:
		return nil, m.opts.Backends.unknown(name)
	case profile.ConnectsItself && p.Pid == 0:
		b, err := m.opts.Backends.choose(ctx, backend, nil)
		if err != nil {
			return nil, err
		}
		b.Local, b.Address, p.Address = false, p.Connect, p.Connect
		b.Why = "asked for, connected to " + p.Connect
		return b, nil
	}
	b := At(profile, p.Connect)
	b.Why = "it listens at " + p.Connect
	return &b, nil
}

// pathMap returns the path map of one call, above that of the server.
func (m *Manager) pathMap(values []string) (mapping.PathMap, error) {
	if len(values) == 0 {
		return m.opts.PathMap, nil
	}
	if m.opts.Permissions.restricted() {
		return mapping.PathMap{}, denied("this server reads only files that the program names (--read-only, "+
			"--allow-program), and path_map could name others; ask the user for --path-map").With("parameter", "path_map")
	}
	rules := make([]string, len(values))
	for i, v := range values {
		from, to, ok := strings.Cut(v, "=")
		if rules[i] = v; ok && to != "" {
			rules[i] = from + "=" + m.File(to)
		}
	}
	own, err := mapping.ParsePathMap(rules...)
	if err != nil {
		return own, fault.Errorf(fault.InvalidParameter, "path_map: %v", err).With("parameter", "path_map")
	}
	return own.And(m.opts.PathMap), nil
}

// OpenCore opens a core file of a program: with Delve one of Go, with lldb-dap another native one.
func (m *Manager) OpenCore(ctx context.Context, backend, exe, core string, timeout time.Duration) (*Session, error) {
	if _, replayed := m.opts.Backends.replay(); !replayed {
		var err error
		if exe, core, err = m.mayOpenCore(exe, core); err != nil {
			return nil, err
		}
	}
	b, err := m.backendFor(ctx, backend, exe)
	if err != nil {
		return nil, err
	}
	var left program.Core
	if b.Local && b.Profile.Cores != "" {
		if left, err = program.ReadCore(core); err != nil {
			return nil, err
		}
		if !left.Left(exe) {
			return nil, fault.Errorf(fault.InvalidParameter, "%s was left by another program: %s is none of the files in it, "+
				"which are %s; give that one, or a link to it with that name", core, filepath.Base(exe),
				strings.Join(left.Files[:min(len(left.Files), 3)], ", ")).With("parameter", "program")
		}
	}
	switch b.Profile.Cores {
	case "launch":
		return m.Launch(ctx, backend, LaunchParams{Timeout: timeout, NoStdin: true, allowed: true,
			LaunchRequest: LaunchRequest{
				Program: exe, JustMyCode: true,
				// There is no output, for which Delve would make pipes and leave them.
				Extra: map[string]any{"mode": "core", "coreFilePath": core, "stopOnEntry": true, "outputMode": "local"}},
			diedOf: dapclient.SignalName(left.Signal)})
	case "attach":
		return m.attachTo(ctx, b, AttachParams{Timeout: timeout, AttachRequest: AttachRequest{JustMyCode: true,
			Extra: map[string]any{"coreFile": core, "program": exe}}})
	}
	e := fault.Errorf(fault.NotSupported, "%s reads no core files", b.Profile.Name).With("feature", "core").
		With("missingCapability", "core files").With("backend", b.Profile.Name)
	if b.Profile.Language == dapclient.DotNet {
		e.Message = "netcoredbg reads no dumps; `dotnet-dump analyze " + core + "` does"
	}
	return nil, e
}
