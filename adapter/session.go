package adapter

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
	"breakwire/adapter/scratch"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// Session is one debugged program. Its exported methods may be called from any goroutine; none waits for the debugger
// without a deadline.
//
// One goroutine, run, owns the fields below the line in the struct. It takes events and answers of the debugger in the
// order in which they arrive, and between them commands and timers, from one inbox. It never waits for the debugger:
// work that needs several questions is a turn. Other goroutines read a published Snapshot.
type Session struct {
	id      string
	manager *Manager
	journal *journal.Journal
	profile *dapclient.Profile
	backend *Backend
	log     *slog.Logger
	inbox   *dapclient.Queue[input]
	snap    atomic.Pointer[Snapshot]

	life       life
	inspection inspection
	sources    namedSources
	made       made
	output     output

	// ----- owned by run -----

	debugger   debugger
	origin     origin
	start      start
	public     public
	turns      turns
	stops      stops
	resumes    resumes
	steps      steps
	exceptions exceptions
	scheduler  scheduler
	held       breakpoint.Held
}

// life holds what bounds the lifetime of a session.
type life struct {
	ctx    context.Context // derived from the Manager's, never from a request's
	cancel context.CancelFunc
	ended  chan struct{} // closed when the session is over and its processes are gone
	ending *ending       // owned by run; nil until the end begins
}

// made holds what the session created for the program that it starts.
type made struct {
	stdin  atomic.Pointer[scratch.Input] // nil: the program has no stdin pipe
	stderr *stderrPipe                   // nil: the debugger passes standard error on; owned by run
	files  scratch.Files
	ran    ran
}

// debugger is the connection to the adapter, its process and its capabilities.
type debugger struct {
	conn         *dapclient.Conn
	proc         *dapclient.Process
	capabilities dap.Capabilities
}

// origin is what a session was started with.
type origin struct {
	launch  *LaunchParams
	given   *LaunchParams // as the client gave it, for a restart
	backend string        // the backend name that the client gave
	attach  *AttachParams
	child   *child // nil: the user started the session, not another program
}

// start is the state of the session's start.
type start struct {
	done     bool     // the debugger has confirmed the start
	run      *startup // set while the start runs, and kept when it failed
	warnings []string // complete before the start returns
}

// public is the state that publish copies into the Snapshot.
type public struct {
	state    State
	info     Snapshot // the fields that publish takes as they are
	threads  []Thread
	modules  []Module
	exitCode *int
}

// input is one message to the loop: an event of the debugger, a reply, or a function to run.
type input struct {
	event *dapclient.Message
	asked *asked // reply answers question index of it
	index int
	reply reply
	do    func()
}

// maxQueuedOutput bounds the bytes of output events that wait for the loop.
const maxQueuedOutput = 16 << 20

// newSession makes a session. What it was started with is complete before anybody else sees it: other clients read it
// without asking the session's loop.
func newSession(m *Manager, id string, b *Backend, from origin, info Snapshot) *Session {
	ctx, cancel := context.WithCancel(m.ctx)
	s := &Session{
		id: id, manager: m, journal: m.journal, profile: b.Profile, backend: b,
		log: m.log.With("session", id, "backend", b.Profile.Name), inbox: dapclient.NewQueue[input](),
		life: life{ctx: ctx, cancel: cancel, ended: make(chan struct{})}, public: public{state: Starting},
		held: breakpoint.NewHeld(b.Profile), origin: from,
	}
	info.ID, info.Family, info.Backend = id, cmp.Or(info.Family, id), b.Profile.Name
	info.StartedAt, info.ThreadsStale = time.Now(), true
	s.public.info = info
	s.publish()
	return s
}

// ID returns the id of the session, for example s1.
func (s *Session) ID() string { return s.id }

// Snapshot returns the published state. It never waits.
func (s *Session) Snapshot() *Snapshot { return s.snap.Load() }

// Ended returns a channel that is closed when the session is over and its processes are gone.
func (s *Session) Ended() <-chan struct{} { return s.life.ended }

// Profile returns the profile of the backend.
func (s *Session) Profile() *dapclient.Profile { return s.profile }

// Why returns the reason why this backend was chosen.
func (s *Session) Why() string { return s.backend.Why }

// run is the session's goroutine. It also handles what was posted after the session had ended and before the inbox
// closed, because callers wait for that.
func (s *Session) run() {
	var batch []input
	for over := false; !over; {
		select {
		case <-s.inbox.Ready():
		case <-s.life.ended:
			over = true
		}
		batch = s.inbox.Take(batch)
		for i := range batch {
			s.take(&batch[i])
		}
	}
	s.dropTurns()
}

// take handles one input, then runs the turns that are due.
func (s *Session) take(in *input) {
	switch {
	case in.event != nil:
		s.onEvent(in.event)
	case in.asked != nil:
		in.asked.answer(in.index, in.reply)
	default:
		in.do()
	}
	s.runTurns()
}

// post makes the loop run do. It reports false when the session is over.
func (s *Session) post(do func()) bool { return s.inbox.Push(input{do: do}) }

// after makes the loop run do after d.
func (s *Session) after(d time.Duration, do func()) *time.Timer {
	return time.AfterFunc(d, func() { s.post(do) })
}

// onLoop runs f on the loop and waits for the result that f passes to done, now or later. When ctx ends first, onLoop
// returns; the work goes on and its result is lost.
func onLoop[T any](ctx context.Context, s *Session, f func(done func(T, error))) (T, error) {
	type result struct {
		value T
		err   error
	}
	got := make(chan result, 1)
	done := func(v T, err error) {
		select {
		case got <- result{v, err}:
		default: // only the first result counts
		}
	}
	var none T
	if !s.post(func() { f(done) }) {
		return none, s.over()
	}
	select {
	case r := <-got:
		return r.value, r.err
	case <-ctx.Done():
		return none, fault.OfContext(ctx)
	case <-s.life.ended:
		select {
		case r := <-got:
			return r.value, r.err
		default:
			return none, s.died()
		}
	}
}

// enqueue takes events from the reader of the connection. Only output is bounded: beyond maxQueuedOutput, output events
// are counted and dropped.
func (s *Session) enqueue(m *dapclient.Message) {
	if m.Name == "output" {
		if s.output.queued.Load() > maxQueuedOutput {
			s.output.lost.Add(1)
			return
		}
		s.output.queued.Add(int64(len(m.Raw)))
	}
	s.inbox.Push(input{event: m})
}

// onEvent handles an event of the debugger. While the session ends, it only handles exited, terminated and output.
func (s *Session) onEvent(m *dapclient.Message) {
	if s.closing() {
		s.life.ending.sees(m)
	}
	if s.closing() && m.Name != "exited" && m.Name != "terminated" && m.Name != "output" {
		return
	}
	s.programSeen(m)
	switch m.Name {
	case "stopped":
		s.onStopped(m)
	case "continued":
		s.onContinued()
	case "output":
		s.output.queued.Add(-int64(len(m.Raw)))
		s.onOutput(m)
	case "breakpoint":
		s.onBreakpoint(m)
	case "thread":
		s.onThread(m)
	case "module":
		s.onModule(m)
	case "loadedSource":
		s.onLoadedSource(m)
	case "process":
		s.onProcess(m)
	case "capabilities":
		s.onCapabilities(m)
	case "initialized":
		s.onInitialized()
	case "exited":
		s.onExited(m)
	case "terminated":
		s.onTerminated()
	case "debugpyAttach": // debugpy's own event in place of startDebugging: the program has started a child that waits
		s.onAttachWanted(m)
	default:
		s.log.Debug("event ignored", "event", m.Name)
	}
}

// publish copies the loop's state into the Snapshot that others read.
func (s *Session) publish() {
	snap := s.public.info
	snap.State, snap.Stop = s.public.state, s.stops.shown
	snap.Threads, snap.Modules = s.public.threads, s.public.modules
	snap.ThreadsStale = s.public.state != Paused || snap.ThreadsAt.IsZero()
	snap.Bindings = s.held.Bindings
	snap.ExitCode = s.public.exitCode
	s.snap.Store(&snap)
}

// setState publishes the next state, then appends the state event to the journal.
func (s *Session) setState(next State) { s.changeState(next, nil) }

// changeState publishes the next state and appends the entries of extra, then the state event. extra gets the first
// free sequence number.
func (s *Session) changeState(next State, extra func(first uint64, at time.Time) []journal.Entry) {
	old := s.public.state
	s.public.state = next
	if next != Paused && s.stops.shown != nil {
		s.public.info.left, s.stops.shown = s.stops.shown, nil
	}
	s.journal.Append(func(first uint64) []journal.Entry {
		at := time.Now()
		var entries []journal.Entry
		if extra != nil {
			entries = extra(first, at)
		}
		if old != next {
			seq := first + uint64(len(entries))
			change := &StateChange{
				Seq: seq, SessionID: s.id, OldState: old, NewState: next,
				Signal: s.public.info.Signal, EndReason: s.public.info.EndReason, Timestamp: journal.Timestamp(at),
			}
			if !next.Live() {
				change.ExitCode = s.public.exitCode // the exit code may be known before the end is
			}
			if s.stops.shown != nil {
				change.PauseReason, change.Location, change.ActiveThreadID = s.stops.shown.Reason,
					s.stops.shown.Location, s.stops.shown.ThreadID
			}
			if !next.Live() && old.Live() {
				s.public.info.EndSeq = seq
			}
			entries = append(entries, journal.Entry{
				Session: s.id, Class: journal.Control, Type: journal.TypeState, Time: at, Data: change,
			})
		}
		s.publish()
		return entries
	})
}

// note appends a control event to the journal and returns its sequence number.
func (s *Session) note(kind string, breakpointID string, data any) uint64 {
	return s.journal.Add(journal.Entry{
		Session: s.id, Class: journal.Control, Type: kind, BreakpointID: breakpointID, Data: data,
	})
}

// problem logs and journals an error that belongs to no call.
func (s *Session) problem(breakpointID string, err *fault.Error) {
	s.log.Warn("problem", "code", err.Code, "message", err.Message)
	s.note(journal.TypeError, breakpointID, &Problem{Code: err.Code, Message: err.Message})
}

// warn reports a problem of the start, both as a journal entry and in the result of the start.
func (s *Session) warn(err *fault.Error) {
	s.start.warnings = append(s.start.warnings, err.Message)
	s.problem("", err)
}

// Warnings returns the problems of a start that has succeeded.
func (s *Session) Warnings() []string {
	var known []string
	if s.origin.launch != nil {
		known = s.origin.launch.Warnings
	}
	return slices.Concat(known, s.start.warnings, s.flaws())
}

// Ran returns the command that the session was started with in words, "" when it is only the program.
func (s *Session) Ran() string {
	if s.origin.given != nil && s.origin.given.Ran != "" {
		return s.origin.given.Ran
	}
	if s.origin.launch == nil {
		return ""
	}
	return s.origin.launch.Ran
}

// clientPath and backendPath apply the path maps.
func (s *Session) clientPath(path string) string  { return s.backend.Paths.ToLocal(path) }
func (s *Session) backendPath(path string) string { return s.backend.Paths.ToRemote(path) }
