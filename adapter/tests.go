package adapter

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/fault"
	"breakwire/adapter/program"
	"breakwire/adapter/python"
	"breakwire/dapclient"
)

// FindTest makes a launch that of a test, by its name. It returns the test with the command in words.
func (m *Manager) FindTest(ctx context.Context, p *LaunchParams, name string, line func(string)) (*program.Test,
	error) {
	if p.Program == "" {
		p.Program = m.opts.ProjectRoot
	}
	guard := testGuard{perm: &m.opts.Permissions, given: p}
	if guard.perm.restricted() { // the program that is checked is the one that is run
		if real, err := filepath.EvalSymlinks(p.Program); err == nil {
			p.Program = real
		}
	}
	t, err := program.FindTest(ctx, program.TestQuery{
		Name: name, Program: p.Program, Args: p.Args, Line: line, MayRun: guard.mayRun,
		Python: func(folder string) string {
			found := append(python.OnPath([]string{"python3", "python"}), "")
			return cmp.Or(python.For(folder, p.Env, m.mayInterpret), os.Getenv("DEBUGPY_PYTHON"), found[0])
		},
	})
	if err != nil {
		return nil, err
	}
	p.Program, p.Args, p.Cwd = t.Program, t.Args, cmp.Or(p.Cwd, t.Cwd)
	p.allowed = guard.asked
	p.Entry, p.Host, p.Ran = t.Entry, t.Host, t.Ran
	if len(t.Env) > 0 {
		env := maps.Clone(t.Env)
		maps.Copy(env, p.Env)
		p.Env = env
	}
	if len(t.Extra) > 0 {
		extra := maps.Clone(t.Extra)
		maps.Copy(extra, p.Extra)
		p.Extra = extra
	}
	return t, nil
}

// testGuard checks what a test by its name runs, where only certain programs may be started.
type testGuard struct {
	perm  *Permissions
	given *LaunchParams
	asked bool // all that runs was checked
}

// mayRun checks the files that a test runs. A runner runs others by its arguments, its variables or its folder. A test
// program that runs alone is checked as it starts.
func (g *testGuard) mayRun(files ...string) error {
	if !g.perm.restricted() {
		return nil
	}
	const only = "this server starts only programs that it was told to (--read-only, --allow-program), and "
	for _, file := range files {
		real, err := filepath.EvalSymlinks(file)
		if err != nil || !g.perm.names(real, true) {
			return denied(only+"this test runs %s; ask the user to start it with --allow-program for that too", file).
				With("parameter", "test").With("program", file)
		}
	}
	if len(files) == 1 && files[0] == g.given.Program {
		return nil
	}
	if len(g.given.Args)+len(g.given.Members)+len(g.given.Extra) > 0 || g.given.Cwd != "" {
		return denied(only+"a test runner runs others by its arguments or its folder; leave out args, cwd and configuration").
			With("parameter", "args")
	}
	g.asked = true
	return mayNotSet(g.given.Env)
}

const (
	// hostHalt is how long the halt of a test host may take to come after the attach.
	hostHalt = 5 * time.Second
	// hostLines is how many of the last lines of a test host an error shows.
	hostLines = 20
)

// hostOutput is the output of a command that starts a test host. It goes to the session, when there is one.
type hostOutput struct {
	mu    sync.Mutex
	lines []string
	to    func(text string)
}

func (o *hostOutput) take(line string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lines = append(o.lines, line); o.to != nil {
		o.to(line + "\n")
	}
}

func (o *hostOutput) passTo(to func(string)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.to = to
	to(strings.Join(o.lines, "\n") + "\n")
}

func (o *hostOutput) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.lines[max(0, len(o.lines)-hostLines):], "\n")
}

// launchHost runs a command that starts a test host, and attaches to the process that it names. The command ends with
// the session.
func (m *Manager) launchHost(ctx context.Context, b *Backend, p LaunchParams, given *LaunchParams) (*Session, error) {
	env := os.Environ()
	for name, value := range p.Host.Env {
		env = program.SetEnv(env, name, value)
	}
	for name, value := range p.Env {
		if value != nil {
			env = program.SetEnv(env, name, *value)
		}
	}
	command := p.Host.Command
	proc, stream, err := dapclient.StartStdio(dapclient.Command{Path: command[0], Args: command[1:], Dir: p.Host.Folder,
		Env: env, Log: m.log})
	if err != nil {
		return nil, fault.Errorf(fault.LaunchFailed, "%s did not start: %v", command[0], err)
	}
	proc.CloseStdin()
	if guard := m.opts.Backends.Guard; len(guard) > 0 {
		if err := proc.Guard(guard); err != nil {
			m.log.Warn("nothing will end the test host if we are killed", "error", err)
		}
	}
	told := &hostOutput{}
	named := make(chan int, 1)
	go readHost(stream, told, named)
	pid := 0
	select {
	case pid = <-named:
	case <-ctx.Done():
		proc.Kill()
		return nil, fault.OfContext(ctx)
	}
	if pid == 0 {
		proc.Kill()
		return nil, fault.Errorf(fault.LaunchFailed, "%s ended before a test host waited for the debugger: the build "+
			"failed, or no test has that name: %s", strings.Join(command, " "), told.tail())
	}
	attach := &AttachParams{AttachRequest: AttachRequest{Pid: pid, JustMyCode: true}, Timeout: p.Timeout}
	s, err := m.newSession(b, origin{attach: attach}, Snapshot{Program: p.Program, Args: p.Args, Cwd: p.Cwd})
	if err != nil {
		proc.Kill()
		return nil, err
	}
	s.made.ran.add(proc)
	told.passTo(func(text string) { s.printed("stdout", text) })
	if err := m.start(ctx, s); err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.lastArgs = given
	s.origin.given = given
	m.mu.Unlock()
	// The host halts by itself once a debugger is there.
	if r, err := s.FirstStop(ctx, hostHalt); err == nil && r.Stop != nil && len(r.Stop.BreakpointIDs) == 0 {
		if err := s.Continue(ctx, 0, AnyStop); err != nil && s.Snapshot().State.Live() {
			return nil, err
		}
	}
	return s, nil
}

// readHost reads the output of a command until its end. It sends the process that the command names, 0 when it names
// none.
func readHost(stream io.ReadCloser, told *hostOutput, named chan<- int) {
	defer stream.Close()
	for lines := bufio.NewScanner(stream); lines.Scan(); {
		told.take(lines.Text())
		if text, ok := program.HostPid(lines.Text()); ok {
			pid, _ := strconv.Atoi(text)
			select {
			case named <- pid:
			default: // another host of the same run
			}
		}
	}
	select {
	case named <- 0:
	default:
	}
}
