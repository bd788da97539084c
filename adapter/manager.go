package adapter

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/golang"
	"breakwire/adapter/inspect"
	"breakwire/adapter/journal"
	"breakwire/adapter/program"
	"breakwire/adapter/python"
	"breakwire/adapter/scratch"
	"breakwire/dapclient"
	"breakwire/mapping"
)

// Options of a Manager. The zero value is usable.
type Options struct {
	Backends      BackendOptions
	PathMap       mapping.PathMap
	ProjectRoot   string        // base of relative paths; "" is the working directory
	TraceTimeout  time.Duration // for all values of one tracepoint hit; 0 is two seconds
	LocalsTimeout time.Duration // for the locals of one stop; 0 is 300 ms
	MaxSessions   int           // live at the same time; 0 is 16
	Permissions   Permissions
	Log           *slog.Logger
	Hide          func(secret string) // receives values that must not be logged; nil: nobody
	WatchTraps    func() error        // why watched memory stops no program here; nil: dapclient.WatchTraps
}

// Manager owns the sessions, the breakpoints and the journal of one process. Its methods may be called from any
// goroutine.
type Manager struct {
	opts     Options
	journal  *journal.Journal
	registry *breakpoint.Registry
	sources  *sources
	// sourceRoots are the folders that the user named for sources: the project root and the local sides of the path
	// maps.
	sourceRoots []string
	log         *slog.Logger
	ctx         context.Context
	cancel      context.CancelFunc

	captures    inspect.Captures
	symbolCache symbolCache
	pythons     python.Fits
	temp        scratch.Folder
	background  sync.WaitGroup // of all sessions: symbol readers, starts of children, ends of batches

	mu       sync.Mutex
	nextID   int
	live     []*Session                            // starting, running or paused, oldest first
	reaping  []*Session                            // ended, but not cleaned up yet
	last     *Session                              // the session that ended last, readable until the next start
	ended    map[string]map[string]breakpoint.Past // hits by family and breakpoint, of ended members of families that live
	lastArgs *LaunchParams
	lastName string // backend of the last launch

	restarting chan struct{} // full while a restart is under way
	children   chan struct{} // one element for each start of a child session
	watchers   []func()
	closed     bool
}

// NewManager returns a Manager without sessions.
func NewManager(opts Options) *Manager {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Hide == nil {
		opts.Hide = func(string) {}
	}
	if opts.WatchTraps == nil {
		opts.WatchTraps = dapclient.WatchTraps
	}
	if opts.LocalsTimeout <= 0 {
		opts.LocalsTimeout = 300 * time.Millisecond
	}
	if opts.TraceTimeout <= 0 {
		opts.TraceTimeout = 2 * time.Second
	}
	if opts.MaxSessions <= 0 {
		opts.MaxSessions = 16
	}
	roots := opts.PathMap.Locals()
	if opts.ProjectRoot == "" {
		opts.ProjectRoot, _ = os.Getwd()
	} else if root, err := filepath.Abs(opts.ProjectRoot); err == nil {
		roots = append(roots, root)
	}
	j := journal.New()
	ctx, cancel := context.WithCancel(context.Background())
	return &Manager{
		opts: opts, journal: j, registry: breakpoint.NewRegistry(), sources: &sources{},
		sourceRoots: roots, log: opts.Log,
		ctx: ctx, cancel: cancel, restarting: make(chan struct{}, 1), ended: map[string]map[string]breakpoint.Past{},
		children: make(chan struct{}, maxChildStarts),
	}
}

// Journal returns the journal of the process.
func (m *Manager) Journal() *journal.Journal { return m.journal }

// Close ends every session and what it started, and returns when all of it is gone.
func (m *Manager) Close() {
	m.mu.Lock()
	m.closed = true
	live := slices.Clone(m.live)
	reaping := slices.Clone(m.reaping)
	m.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range live {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			if _, err := s.Disconnect(ctx, nil); err != nil {
				s.log.Warn("disconnect at the end", "error", err)
			}
			select {
			case <-s.life.ended:
			case <-ctx.Done():
			}
		})
	}
	wg.Wait()
	for _, s := range reaping {
		<-s.life.ended
	}
	m.cancel()
	m.background.Wait()
	m.temp.Remove()
}

// Sessions returns the live sessions, oldest first.
func (m *Manager) Sessions() []*Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.live)
}

// Session returns the live session named id; "" means the only live one, or that of a program whose children are the
// others. Errors: NoSession, SessionAmbiguous.
func (m *Manager) Session(id string) (*Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id == "" {
		switch len(m.live) {
		case 1:
			return m.live[0], nil
		case 0:
			if m.last != nil {
				return nil, m.last.over()
			}
			return nil, fault.Errorf(fault.NoSession, "no program is being debugged; start one with debug_launch or "+
				"debug_attach")
		}
		if parent := onlyFamily(m.live); parent != nil {
			return parent, nil
		}
		var known []map[string]any
		for _, s := range m.live {
			snap := s.Snapshot()
			known = append(known, map[string]any{
				"sessionId": s.id, "state": snap.State, "backend": snap.Backend,
				"processId": snap.Process.Pid, "processName": snap.Process.Name,
			})
		}
		return nil, fault.Errorf(fault.SessionAmbiguous, "%d sessions are live; say which one with session_id", len(m.live)).
			With("sessions", known)
	}
	for _, s := range m.live {
		if s.id == id {
			return s, nil
		}
	}
	if m.last != nil && m.last.id == id {
		return nil, m.last.over()
	}
	return nil, fault.Errorf(fault.NoSession, "there is no session %s; debug_state shows the live one", id).
		With("sessionId", id)
}

// onlyFamily returns the session of a program when all others are of its children, else nil.
func onlyFamily(live []*Session) (parent *Session) {
	for _, s := range live {
		family := s.Snapshot().Family
		if family != live[0].Snapshot().Family {
			return nil
		}
		if s.id == family {
			parent = s
		}
	}
	return parent
}

// Readable returns the session that a read is about, which may also be the one that ended last. It returns nil without
// an error when id is "" and no session has ever started.
func (m *Manager) Readable(id string) (*Session, error) {
	m.mu.Lock()
	last, live := m.last, len(m.live)
	m.mu.Unlock()
	if last != nil && (id == last.id || id == "" && live == 0) {
		return last, nil
	}
	if id == "" && live == 0 {
		return nil, nil
	}
	return m.Session(id)
}

// Launch starts a program. It returns the session when the debugger confirms that the program runs, even if the program
// has ended by then.
func (m *Manager) Launch(ctx context.Context, backend string, p LaunchParams) (*Session, error) {
	ctx, cancel := timed(ctx, p.Timeout)
	defer cancel()
	b, err := m.backendToLaunch(ctx, backend, &p)
	if err != nil {
		return nil, err
	}
	b.Group, b.Why = p.Group, cmp.Or(p.BackendReason, b.Why)
	if b.Local {
		if p.Cwd == "" {
			if p.Cwd = filepath.Dir(p.Program); p.Program == "" || python.Is(p.Program) || dapclient.IsPage(p.Program) {
				p.Cwd = m.opts.ProjectRoot
			}
			if info, err := os.Stat(p.Program); err == nil && info.IsDir() {
				p.Cwd = p.Program
			}
		}
	}
	if err := cmp.Or(program.CheckEnv(p.Env), program.CheckArgs(p.Args)); err != nil {
		return nil, err
	}
	for _, value := range p.Env {
		if value != nil {
			m.opts.Hide(*value)
		}
	}
	given := p
	if p.Host != nil {
		return m.launchHost(ctx, b, p, &given)
	}
	if b.Local && b.Profile.Language == dapclient.DotNet {
		if p.Program, err = program.DotnetProgram(p.Program); err != nil {
			return nil, fault.AsError(err).With("backend", b.Profile.Name)
		}
		if err := m.mayRunBuilt(given.Program, &p); err != nil {
			return nil, err
		}
	}
	if b.Local && b.Profile.Language == dapclient.Python {
		if err := cmp.Or(p.pythonProgram(), p.findInterpreter()); err != nil {
			return nil, fault.AsError(err).With("backend", b.Profile.Name)
		}
	}
	if dapclient.IsPage(p.Program) {
		p.StopAtEntry = false // it has none
	}
	if b.Local && b.Profile.Language == dapclient.JavaScript {
		if err := m.findNodeStart(ctx, &p); err != nil {
			return nil, fault.AsError(err).With("backend", b.Profile.Name)
		}
	}
	if mode, _ := p.Extra["mode"].(string); b.Local && b.Profile.Language == dapclient.Go &&
		(mode == "" || mode == "debug") {
		if err := program.CheckGo(p.Program); err != nil {
			return nil, err
		}
	}
	if mode, _ := p.Extra["mode"].(string); b.Local && b.Profile.Language == dapclient.Go &&
		(mode == "test" || program.IsGoTest(p.Program)) {
		p.Args = program.GoTestArgs(p.Args)
	}
	if b.Local && b.Profile.Language == dapclient.Go {
		p.SourceFolders = golang.SourceFolders(m.opts.PathMap, p.Program, filepath.Dir(p.Program), p.Cwd, m.opts.ProjectRoot)
	}
	if !p.JustMyCode && b.Profile.Language == dapclient.Go {
		p.JustMyCode = true // Delve has no such setting and hides nothing
	}
	if gone := unset(p.Env); len(gone) > 0 && b.Profile.NoEnvNull && !b.Replayed {
		if !b.Local {
			return nil, fault.Errorf(fault.NotSupported,
				"%s cannot unset %s: its launch request only sets variables, and it is "+
					"not started from here; leave null out of env",
				b.Profile.Name, strings.Join(gone, ", ")).
				With("feature", "env with null").With("missingCapability", "unsetting variables").With("backend", b.Profile.Name).
				With("hint", "start the adapter without these variables")
		}
	}
	if err := m.vacated(ctx); err != nil {
		return nil, err
	}
	s, err := m.newSession(b, origin{launch: &p},
		Snapshot{Program: cmp.Or(p.Program, given.Program), Args: p.Args, Cwd: p.Cwd})
	if err != nil {
		return nil, err
	}
	if b.Local {
		s.followLinks(p.Program, p.Cwd)
	}
	if err := m.start(ctx, s); err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.lastArgs, m.lastName = &given, backend // as given: a project may have been built since
	s.origin.given, s.origin.backend = m.lastArgs, backend
	m.mu.Unlock()
	return s, nil
}

// backendToLaunch checks what a launch names, and chooses its backend.
func (m *Manager) backendToLaunch(ctx context.Context, backend string, p *LaunchParams) (*Backend, error) {
	if p.In.given() {
		return m.enterToLaunch(ctx, backend, p)
	}
	if m.opts.Backends.local(backend) {
		if err := checkProgram(*p); err != nil {
			return nil, err
		}
	}
	b, err := m.backendFor(ctx, backend, p.Program)
	if err == nil {
		err = m.mayStart(b, p)
	}
	if err == nil && len(p.PathMap) > 0 {
		b.Paths, err = m.pathMap(p.PathMap)
	}
	return b, err
}

// Attach attaches to a running process. It returns the session when the debugger confirms it.
func (m *Manager) Attach(ctx context.Context, backend string, p AttachParams) (*Session, error) {
	ctx, cancel := timed(ctx, p.Timeout)
	defer cancel()
	b, err := m.backendToAttach(ctx, backend, &p)
	if err != nil {
		return nil, err
	}
	if b.Local && p.Pid != 0 {
		if err := cmp.Or(m.checkFree(p.Pid), checkPid(b, p.Pid)); err != nil {
			return nil, err
		}
	}
	if !p.JustMyCode && b.Profile.NoJustMyCodeOnAttach {
		return nil, fault.Errorf(fault.NotSupported,
			"%s takes just_my_code only when it launches the program; attach without "+
				"it, or use debug_launch", b.Profile.Name).
			With("feature", "just_my_code=false on attach").With("backend", b.Profile.Name).
			With("missingCapability", "just_my_code on attach").With("hint", "use debug_launch")
	}
	if info, err := dapclient.FindProcess(p.Pid); b.Local && b.Profile.Language == dapclient.Go && err == nil {
		p.SourceFolders = golang.SourceFolders(m.opts.PathMap, info.Exe, filepath.Dir(info.Exe), info.Cwd, m.opts.ProjectRoot)
	} else if b.Profile.Language == dapclient.Go {
		p.SourceFolders = golang.NamedFolders(b.Paths)
	}
	p.Reached, b.Group, b.Why = b.Address != "", p.Group, cmp.Or(p.BackendReason, b.Why)
	return m.attachTo(ctx, b, p)
}

// attachTo attaches with a backend.
func (m *Manager) attachTo(ctx context.Context, b *Backend, p AttachParams) (*Session, error) {
	ctx, cancel := timed(ctx, p.Timeout)
	defer cancel()
	if err := m.vacated(ctx); err != nil {
		return nil, err
	}
	s, err := m.newSession(b, origin{attach: &p}, Snapshot{Attached: true})
	if err != nil {
		return nil, err
	}
	if err := m.start(ctx, s); err != nil {
		return nil, err
	}
	return s, nil
}

// start starts the session's loop and program. ctx must come from timed.
func (m *Manager) start(ctx context.Context, s *Session) error {
	s.publish()
	go s.run()
	if err := s.startProgram(ctx); err != nil {
		return err
	}
	s.warnOfBuild(ctx)
	return nil
}

// Restart ends a session, if it is live, and launches its program again. Without a session it launches the last
// program. Breakpoints stay.
func (m *Manager) Restart(ctx context.Context, session string, change func(*LaunchParams)) (*Session, error) {
	// One restart at a time: a second one restarts the program of the first, so that not two programs run.
	select {
	case m.restarting <- struct{}{}:
		defer func() { <-m.restarting }()
	case <-ctx.Done():
		return nil, fault.Errorf(fault.Cancelled, "the restart was given up while another was under way")
	}
	m.mu.Lock()
	last, name := m.lastArgs, m.lastName
	m.mu.Unlock()
	if last == nil {
		return nil, fault.Errorf(fault.NoSession, "nothing has been launched yet; use debug_launch")
	}
	s, err := m.Readable(session)
	if err != nil {
		return nil, err
	}
	if s != nil && s.Snapshot().State.Live() {
		if s.Snapshot().Attached {
			return nil, fault.Errorf(fault.NotSupported,
				"session %s is attached; only launched programs can be started again", s.id).
				With("feature", "restart").With("backend", s.profile.Name).
				With("missingCapability", "restart of attached programs").
				With("hint", "use debug_disconnect, then debug_launch").With("sessionId", s.id)
		}
		if _, err := s.Disconnect(ctx, nil); err != nil {
			return nil, err
		}
	}
	if s != nil {
		// Another program may have been launched since.
		m.mu.Lock()
		if s.origin.given != nil {
			last, name = s.origin.given, s.origin.backend
		}
		m.mu.Unlock()
	}
	p := *last
	change(&p)
	return m.Launch(ctx, name, p)
}

// vacated waits for the cleanup of failed starts, which may still hold the process or port that the next start needs.
func (m *Manager) vacated(ctx context.Context) error {
	m.mu.Lock()
	reaping := slices.Clone(m.reaping)
	m.mu.Unlock()
	for _, s := range reaping {
		if s.Snapshot().EndReason != EndStartFailed {
			continue
		}
		select {
		case <-s.life.ended:
		case <-ctx.Done():
			return fault.Errorf(fault.CodeOf(fault.OfContext(ctx)),
				"the debugger of session %s, whose start failed, is still being "+
					"ended; try again", s.id)
		}
	}
	return nil
}

func (m *Manager) newSession(b *Backend, from origin, info Snapshot) (*Session, error) {
	s, err := m.enter(b, from, info)
	if err == nil {
		m.changed()
	}
	return s, err
}

func (m *Manager) enter(b *Backend, from origin, info Snapshot) (*Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, fault.Errorf(fault.NoSession, "the server is shutting down")
	}
	if len(m.live) >= m.opts.MaxSessions {
		return nil, fault.Errorf(fault.SessionLimit,
			"%d sessions are live, which is the limit; end one with debug_disconnect",
			len(m.live))
	}
	if b.Paths.Empty() {
		b.Paths = m.opts.PathMap
	}
	m.nextID++
	s := newSession(m, fmt.Sprintf("s%d", m.nextID), b, from, info)
	m.live = append(m.live, s)
	m.retire(nil)
	return s, nil
}

// told removes a session from the live ones when its end is published. It stays readable until the next start.
func (m *Manager) told(s *Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.live, s); i >= 0 {
		m.live = slices.Delete(slices.Clone(m.live), i, i+1)
	}
	m.reaping = append(m.reaping, s)
	m.retire(s)
	m.last = s
}

// reaped forgets a session when nothing of it is left.
func (m *Manager) reaped(s *Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.reaping, s); i >= 0 {
		m.reaping = slices.Delete(m.reaping, i, i+1)
	}
}

// File returns a parameter's path as an absolute one: ~ is the home folder, and relative paths are below the project
// root.
func (m *Manager) File(name string) string {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(name), "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if dapclient.IsPage(name) {
		return name
	}
	if mapping.IsAbs(name) {
		return mapping.Clean(name)
	}
	return filepath.Join(m.opts.ProjectRoot, name)
}
