package adapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/adapter/program"
	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

const (
	bindTimeout = 10 * time.Second
	// startSlack is the time that a start gets beyond its timeout, to report what it waited for.
	startSlack = 250 * time.Millisecond
)

// timed bounds a whole start: finding the debugger, starting it, and starting the program.
func timed(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, timeout+startSlack, fault.Errorf(fault.Timeout, "the start took more than %v",
		timeout))
}

// LaunchRequest and AttachRequest are what a profile makes a start request from.
type (
	LaunchRequest = dapclient.LaunchRequest
	AttachRequest = dapclient.AttachRequest
)

// LaunchParams are the parameters of debug_launch.
type LaunchParams struct {
	LaunchRequest
	Timeout time.Duration
	NoStdin bool     // standard input is at its end from the start
	Members []string // member names of the launch configuration
	// Interpreter is the command of the interpreter that the client or a configuration names. nil: one is looked for.
	Interpreter []string
	Entry       program.Entry     // the place that counts as the program's entry
	Host        *program.TestHost // the program is the process that this command starts
	In          Place             // the container of program and debugger
	PathMap     []string          // FROM=TO
	Ran         string            // the command in words, when it is more than the program
	Warnings    []string
	Group       *Group // what is started with it; nil: nothing
	// BackendReason is why the backend was chosen, where the call does not name it.
	BackendReason string
	allowed       bool   // the permissions were checked
	diedOf        string // the signal of a core file, which its debugger does not tell
}

// AttachParams are the parameters of debug_attach.
type AttachParams struct {
	AttachRequest
	Timeout time.Duration
	Connect string   // HOST:PORT of a debugger; "": a process
	PathMap []string // FROM=TO
	Members []string // member names of the attach configuration
	In      Place    // the container of program and debugger
	Group   *Group   // what is started with it; nil: nothing
	// BackendReason is as in LaunchParams.
	BackendReason string
}

// startup is the state of a start: spawn, initialize, launch or attach, breakpoints, configurationDone. Adapters differ
// in the order of the answers and in the answer that carries an error. The start has succeeded when the start request
// and configurationDone both succeeded (DAP, overview: Launching and attaching).
type startup struct {
	deadline    time.Time // of the whole start
	over        bool
	initialized bool // the initialized event has come
	sent        bool // launch or attach was sent
	configuring bool
	configured  bool  // configurationDone was answered
	failure     error // why configurationDone failed
	said        []string
}

// startProgram starts the debugger and the program. It returns when the debugger has confirmed that the program runs.
func (s *Session) startProgram(ctx context.Context) error {
	if s.origin.launch != nil && s.backend.Local {
		s.origin.launch.Folder = s.folder
		s.origin.launch.PrivateFile = func(name string, data []byte) (string, error) {
			return s.made.files.Add(name, data, s.folder)
		}
	}
	s.prepareRust()
	s.learnSymbols()
	s.learnFunctions(ctx)
	if s.profile.LaunchArgs != nil {
		s.openStdin()
	}
	stream, proc, err := s.open(ctx)
	if err != nil {
		s.failStart(err)
		return err
	}
	drop := func() {
		stream.Close()
		if proc != nil {
			proc.Stop(0)
		}
	}
	got := make(chan error, 1)
	work := func(t *turn) {
		if s.life.ending != nil {
			drop()
			got <- s.over()
			return
		}
		end, _ := ctx.Deadline() // set by timed
		s.start.run = &startup{deadline: end.Add(-startSlack)}
		s.connect(stream, proc)
		got <- s.startUp(t, s.start.run)
	}
	if !s.post(func() { s.begin(work) }) {
		drop()
		return s.over()
	}
	select {
	case err = <-got:
	case <-ctx.Done():
		err = fault.OfContext(ctx)
	}
	if err != nil {
		s.failStart(err)
	}
	return err
}

// connect takes over the stream and the process of the adapter.
func (s *Session) connect(stream io.ReadWriteCloser, proc *dapclient.Process) {
	s.debugger.proc = proc
	recorder, closeRecorder := s.recorder()
	s.debugger.conn = dapclient.NewConn(stream, dapclient.Options{
		OnEvent: s.enqueue,
		OnClose: func(err error) {
			closeRecorder()
			s.post(func() { s.onClosed(err) })
		},
		OnRequest: s.onRequest,
		Recorder:  recorder,
		Log:       s.log,
	})
}

// recorder returns the recorder of this session's frames, nil without one. An error is reported but does not stop the
// session.
func (s *Session) recorder() (recorder dapclient.Recorder, done func()) {
	done = func() {}
	record := s.manager.opts.Backends.Record
	if record == nil {
		return nil, done
	}
	recorder, err := record(s.id, s.profile.Name, s.public.info.Program)
	if err != nil {
		s.problem("", fault.Errorf(fault.Internal, "this session is not recorded: %v", err))
		return nil, done
	}
	if c, ok := recorder.(io.Closer); ok {
		done = func() {
			if err := c.Close(); err != nil {
				s.post(func() {
					s.problem("", fault.Errorf(fault.Internal, "the recording of this session is not complete: %v", err))
				})
			}
		}
	}
	return recorder, done
}

// failStart ends a session that never ran. When the start timed out or was cancelled, it returns as soon as the end is
// published, and the cleanup follows in the background; the next start waits for it (Manager.vacated).
func (s *Session) failStart(cause error) {
	code := fault.CodeOf(cause)
	late := code == fault.Timeout || code == fault.Cancelled
	ended := make(chan struct{})
	ok := s.post(func() {
		defer close(ended)
		if s.life.ending != nil {
			late = false // the end is already under way
			return
		}
		kill := !s.public.info.Attached
		e := &ending{state: Terminated, reason: EndStartFailed, text: cause.Error(), terminate: &kill}
		if s.start.run != nil {
			s.start.run.over = true
		}
		s.finish(e)
		if late {
			s.tellEnd(e, DisconnectResult{})
		}
	})
	if ok {
		<-ended
	}
	if !ok || !late {
		<-s.life.ended
	}
}

// initializeArguments returns what breakwire says of itself to an adapter. It takes no request of the adapter.
func initializeArguments(p *dapclient.Profile) dap.InitializeRequestArguments {
	return dap.InitializeRequestArguments{
		ClientID: "breakwire", ClientName: "breakwire", AdapterID: p.AdapterID, Locale: "en-US",
		LinesStartAt1: true, ColumnsStartAt1: true, PathFormat: "path",
		SupportsVariableType: true, SupportsVariablePaging: true, SupportsMemoryReferences: true,
	}
}

// startUp starts the session of a connected adapter. Its result is the result of the start.
func (s *Session) startUp(t *turn, st *startup) error {
	args := initializeArguments(s.profile)
	args.SupportsRunInTerminalRequest, args.SupportsStartDebuggingRequest = s.runs(), !s.backend.Replayed
	replies, ok := t.ask(limits{total: time.Until(st.deadline)}, question{"initialize", args})
	switch {
	case !ok:
		return errDropped
	case s.closing(): // the start was given up: nothing may be launched any more
		return s.startFailed(t, st, dapclient.ErrClosed)
	case replies[0].err != nil:
		return s.startFailed(t, st, replies[0].err)
	}
	if s.profile.LaunchArgs == nil {
		s.openStdin() // the adapter's capabilities say how input is passed
	}
	s.openStderr()
	if body, err := dapclient.DecodeBody[dap.Capabilities](replies[0].m); err == nil {
		s.takeCapabilities(body)
	}
	st.sent = true
	request := s.send(limits{total: time.Until(st.deadline)}, s.startRequest())
	failed := func() bool {
		return s.endTold() || st.failure != nil || request.open == 0 && request.replies[0].err != nil
	}
	ok = t.untilOr(time.Until(st.deadline), func() bool { return st.initialized || failed() })
	if ok && st.initialized && !failed() {
		st.configuring = true
		s.begin(func(t *turn) { s.configure(t, st) })
		ok = t.untilOr(time.Until(st.deadline), func() bool { return request.open == 0 && st.configured || failed() })
	}
	switch {
	case !ok:
		return errDropped
	case s.endTold():
		return s.startFailed(t, st, dapclient.ErrClosed)
	case request.open == 0 && request.replies[0].err != nil:
		return s.startFailed(t, st, request.replies[0].err)
	case st.failure != nil:
		return s.startFailed(t, st, st.failure)
	case request.open > 0 || !st.configured:
		return s.startFailed(t, st, dapclient.ErrDeadline)
	}
	st.over = true
	s.start.done = true
	s.start.run = nil
	if s.origin.attach != nil {
		s.takeProcess(s.origin.attach.Pid)
	}
	if s.profile.StdinAtLaunch {
		s.inputOpened()
		s.unlinkPipes()
	}
	s.rebind()
	if s.public.state == Starting && s.stops.pending == nil {
		s.setRunning()
	} else if s.public.state == Starting {
		s.setState(Running) // a stop is already being served
	}
	return nil
}

// endTold reports whether the end of the session has been published.
func (s *Session) endTold() bool { return s.life.ending != nil && s.life.ending.told }

// startFailed returns why a start failed. When the adapter has gone, it first waits for the end of the session, which
// knows the exit status and the last output.
func (s *Session) startFailed(t *turn, st *startup, err error) error {
	if errors.Is(err, dapclient.ErrClosed) {
		if !t.untilOr(time.Until(st.deadline), s.endTold) {
			return errDropped
		}
		if err = dapclient.ErrDeadline; s.endTold() {
			err = nil
		}
	}
	st.over = true
	return s.startError(err)
}

// onCapabilities handles a capabilities event (DAP, Capabilities event). netcoredbg sends one before its initialize
// response.
func (s *Session) onCapabilities(m *dapclient.Message) {
	body, err := dapclient.DecodeBody[dap.CapabilitiesEventBody](m)
	if err != nil {
		return
	}
	merged := s.debugger.capabilities
	raw, _ := dapclient.DecodeBody[struct {
		Capabilities rawObject `json:"capabilities"`
	}](m)
	merge(&merged, body.Capabilities, raw.Capabilities)
	s.takeCapabilities(merged)
}

func (s *Session) takeCapabilities(c dap.Capabilities) {
	s.debugger.capabilities = c
	s.public.info.dap = &c
	s.public.info.Capabilities = s.offered()
	s.publish()
}

// startRequest returns the request that launches the program or attaches to it.
func (s *Session) startRequest() question {
	if s.origin.child != nil {
		return question{s.origin.child.request, s.origin.child.configuration}
	}
	if s.origin.attach != nil {
		req := s.origin.attach.AttachRequest
		return question{"attach", withExtra(s.profile.Attach(req), req.Extra)}
	}
	req := s.origin.launch.LaunchRequest
	entry := s.origin.launch.Entry
	if entry == (program.Entry{}) {
		entry.Function = s.profile.EntryFunction
	}
	if req.StopAtEntry && entry != (program.Entry{}) {
		spec := breakpoint.Spec{Kind: breakpoint.Function, Function: entry.Function}
		if entry.File != "" {
			spec = breakpoint.Spec{Kind: breakpoint.Blocking, File: entry.File, Line: entry.Line,
				Real: breakpoint.RealPath(entry.File)}
		}
		s.held.Temps = append(s.held.Temps, &breakpoint.Breakpoint{
			ID: "entry", Spec: spec, Enabled: true, Temporary: true, StopReason: StopEntry,
		})
		req.StopAtEntry = false
	}
	return question{"launch", launchArguments(s.profile, req)}
}

// withExtra adds the arguments of a configuration to the profile's. They replace them, but a list is appended to the
// profile's list.
func withExtra(args, extra map[string]any) map[string]any {
	for name, value := range extra {
		own, _ := args[name].([]any)
		if list, ok := value.([]any); ok {
			value = slices.Concat(own, list)
		}
		args[name] = value
	}
	return args
}

func launchArguments(p *dapclient.Profile, r LaunchRequest) map[string]any {
	args := withExtra(p.Launch(r), r.Extra)
	if r.Program == "" {
		delete(args, "program") // Extra says what runs: a module of Python
	}
	return args
}

func (s *Session) startTimeout() time.Duration {
	if s.origin.attach != nil {
		return s.origin.attach.Timeout
	}
	return s.origin.launch.Timeout
}

// WillStop reports whether the program will stop at its entry.
func (s *Session) WillStop() bool {
	return s.origin.launch != nil && s.origin.launch.StopAtEntry || s.postMortem()
}

// onInitialized handles the initialized event (DAP, Initialized event): the adapter is ready for breakpoints. It may
// come before or after the answer to the start request.
func (s *Session) onInitialized() {
	if s.start.run != nil {
		s.start.run.initialized = true
	}
}

// configure sends all breakpoints, then configurationDone.
func (s *Session) configure(t *turn, st *startup) {
	files := map[string]bool{}
	for _, bp := range s.all() {
		if bp.Enabled && (bp.Spec.Kind == breakpoint.Blocking || bp.Spec.Kind == breakpoint.Tracepoint) {
			files[s.fileOf(bp.Spec)] = true
		}
	}
	var works []func(*turn)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		works = append(works, func(t *turn) { s.sync(t, file) })
	}
	works = append(works, func(t *turn) { s.syncFunctions(t) }, func(t *turn) { s.syncExceptions(t) })
	if !t.together(works...) || !s.checkEntry(t) || st.over || s.closing() {
		return
	}
	if s.debugger.capabilities.SupportsConfigurationDoneRequest {
		replies, ok := t.ask(limits{total: time.Until(st.deadline)}, question{"configurationDone", struct{}{}})
		if !ok {
			return
		}
		st.failure = replies[0].err
	}
	st.configured = st.failure == nil
}

// checkEntry warns when the program has no entry function to stop at, because the program would run on without a word.
// Where the profile names a function that runs earlier, it sets the breakpoint there.
func (s *Session) checkEntry(t *turn) bool {
	i := slices.IndexFunc(s.held.Temps, func(bp *breakpoint.Breakpoint) bool { return bp.StopReason == StopEntry })
	if i < 0 {
		return true
	}
	entryStop := s.held.Temps[i]
	bound := func(e *breakpoint.Entry) bool { return e.Verified && slices.Contains(e.Logicals, entryStop) }
	if slices.ContainsFunc(s.held.Entries(), bound) || s.profile.Bridge != "" { // binds when its file is loaded
		return true
	}
	missing, before := entryStop.Spec.Function, s.profile.EntryBefore
	if missing != s.profile.EntryFunction { // a test
		s.warn(fault.Errorf(fault.NotSupported, "stop_at_entry: the place of the test is not known yet; if the program "+
			"does not stop there, set a breakpoint before the launch"))
		return true
	}
	if before == "" {
		s.warn(fault.Errorf(fault.NotSupported, "stop_at_entry: the program has no function %s in its symbols, "+
			"so it does not stop at its entry; set a breakpoint before the launch", missing))
		return true
	}
	s.warn(fault.Errorf(fault.NotSupported, "stop_at_entry: the program has no function %s in its symbols, "+
		"so it stops at %s before that; if it lacks that too, it does not stop at its entry", missing, before))
	next := *entryStop
	next.Spec.Function = before
	s.held.Temps = slices.Concat(s.held.Temps[:i], []*breakpoint.Breakpoint{&next}, s.held.Temps[i+1:])
	return s.syncFunctions(t)
}

// startError returns why a start failed, with all that is known: the adapter's reason, its output, and how it ended.
func (s *Session) startError(err error) *fault.Error {
	code := fault.LaunchFailed
	what := "the program could not be launched"
	if s.origin.attach != nil {
		code, what = fault.AttachFailed, fmt.Sprintf("process %d could not be attached to", s.origin.attach.Pid)
		if s.origin.attach.Pid == 0 {
			what = "the program at " + s.backend.Address + " could not be attached to"
		}
	}
	if s.start.run != nil && !s.start.run.sent {
		code, what = fault.BackendStartFailed, s.profile.Name+" did not start"
	}
	var reason string
	var failed *dapclient.ResponseError
	switch {
	case err == nil || errors.Is(err, dapclient.ErrClosed):
		code = fault.BackendStartFailed
		reason = s.profile.Name + " ended during the start"
		if s.life.ending != nil && s.life.ending.text != "" {
			reason = s.life.ending.text
		}
	case errors.Is(err, dapclient.ErrDeadline):
		code, reason = fault.Timeout, fmt.Sprintf("%s did not answer within %v", s.profile.Name, s.startTimeout())
	default:
		reason = inspect.Explained(err)
	}
	said := strings.TrimSpace(strings.Join(s.saidAtStart(), ""))
	if s.origin.attach != nil {
		tracer := dapclient.Tracer(s.origin.attach.Pid)
		if tracer != 0 && !strings.Contains(reason, "already being debugged") { // Delve says it
			reason += fmt.Sprintf("; process %d is debugged or traced by process %d already", s.origin.attach.Pid, tracer)
		}
	}
	reason += injectionAdvice(said)
	message := what + ": " + reason
	if said != "" && !strings.Contains(message, said) {
		message = strings.TrimSuffix(message, ".") + "; output: " + mapping.Clip(said, 2000)
	}
	e := fault.Errorf(code, "%s", message).With("sessionId", s.id).With("backend", s.profile.Name)
	if errors.As(err, &failed) {
		e.With("backendMessage", failed.Reason())
		why := strings.ToLower(failed.Reason())
		if strings.Contains(why, "0x80070005") || strings.Contains(why, "not permitted") {
			e.Code = fault.PermissionDenied
		}
	}
	if s.origin.attach != nil && s.origin.attach.Pid != 0 {
		e.With("processId", s.origin.attach.Pid)
	}
	return e
}

// injectionAdvice says what helps where gdb, with which debugpy attaches, has failed on this processor.
func injectionAdvice(said string) string {
	if !strings.Contains(said, "Couldn't write extended state status") {
		return ""
	}
	return "; debugpy attaches with gdb, and gdb 13 cannot call functions in a process on this processor (AMX): " +
		"install a newer gdb, or start the program with python -m debugpy --listen 127.0.0.1:PORT, and attach with connect"
}

func (s *Session) saidAtStart() []string {
	var said []string
	if s.start.run != nil {
		said = append(said, s.start.run.said...)
	}
	return append(said, s.OutputTail(2000))
}

// checkProgram refuses a program or folder that does not exist, before a debugger is started.
func checkProgram(p LaunchParams) error {
	if p.Program == "" && p.Extra["module"] != nil || dapclient.IsPage(p.Program) {
		return nil
	}
	if _, err := os.Stat(p.Program); err != nil {
		return fault.Errorf(fault.InvalidPath, "program %s: %v; give the path of the program to debug", p.Program,
			program.PathReason(err)).
			With("path", p.Program)
	}
	if p.Cwd != "" {
		dir, err := os.Stat(p.Cwd)
		if err != nil {
			return fault.Errorf(fault.InvalidPath, "cwd %s: %v; give a folder that exists", p.Cwd, program.PathReason(err)).
				With("path", p.Cwd)
		}
		if !dir.IsDir() {
			return fault.Errorf(fault.InvalidPath, "cwd %s is not a folder", p.Cwd).With("path", p.Cwd)
		}
	}
	return nil
}
