package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// Reverse requests of adapters. runInTerminal asks us to run a program: it runs without a terminal, its output is the
// session's, and it ends with the session. startDebugging asks for another session: it becomes a session whose parent
// is this one.

// ranGrace is how long a program that we ran may take to end after its debugger has gone.
const ranGrace = 500 * time.Millisecond

// childTimeout bounds the start of a child session. Nobody waits for it.
const childTimeout = 30 * time.Second

// Limits of what an adapter may ask for. They are above what a program that keeps starting others needs, and they keep
// an adapter from filling the machine with processes.
const (
	maxAlive = 16   // children and programs of one session that live at once
	maxAsks  = 1000 // requests of one session

	maxChildStarts = 4 // starts of child sessions at the same time, of all sessions; further ones wait
)

// onRequest answers reverse requests of the adapter (DAP, Reverse Requests). Each runs on its own goroutine.
func (s *Session) onRequest(m *dapclient.Message) (any, error) {
	switch m.Name {
	case "runInTerminal":
		return s.runInTerminal(m.Arguments)
	case "startDebugging":
		return nil, s.startDebugging(m.Arguments)
	}
	return nil, fmt.Errorf("%s is not supported by breakwire", m.Name)
}

// runs reports whether this session may run programs for its adapter. The adapter must debug on this machine: one in a
// container or behind a connection could use it to run programs outside. Where only certain programs may be started,
// none may be run for an adapter.
func (s *Session) runs() bool {
	return s.backend.Local && !s.backend.Replayed && !s.manager.opts.Permissions.restricted()
}

// ran records what was started for an adapter: programs, and the number of child sessions.
type ran struct {
	mu     sync.Mutex
	closed bool
	list   []*dapclient.Process
	asks   int  // requests so far
	alive  int  // programs and children that live, or are being started
	told   bool // the refusal of a request has been reported
}

// granted counts a request of the adapter, or refuses it. done must be called when what was started has ended. The
// first refusal is journalled.
func (s *Session) granted(what string) (done func(), err error) {
	r := &s.made.ran
	r.mu.Lock()
	r.asks++
	switch {
	case r.closed:
		err = errors.New("the session is over")
	case r.asks > maxAsks:
		err = fmt.Errorf("the debugger has asked for %d programs and sessions in this session, which is the limit", maxAsks)
	case r.alive >= maxAlive:
		err = fmt.Errorf("%d programs and sessions that the debugger has asked for are alive, which is the limit", r.alive)
	default:
		r.alive++
	}
	first := err != nil && !r.told && !r.closed
	r.told = r.told || first
	r.mu.Unlock()
	if first {
		s.problem("", fault.Errorf(fault.SessionLimit, "%s was refused, as will be further ones: %v", what, err))
	}
	return sync.OnceFunc(func() {
		r.mu.Lock()
		r.alive--
		r.mu.Unlock()
	}), err
}

// add records a program. It reports false when the session is ending: the program must then be ended.
func (r *ran) add(p *dapclient.Process) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.list = append(r.list, p)
	return true
}

// remove forgets a program that has ended. It keeps the last one, because any asks whether a program was run.
func (r *ran) remove(p *dapclient.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.list, p); i >= 0 && len(r.list) > 1 {
		r.list = slices.Delete(r.list, i, i+1)
	}
}

func (r *ran) any() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.list) > 0
}

func (r *ran) pids() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	var pids []int
	for _, p := range r.list {
		pids = append(pids, p.Pid())
	}
	return pids
}

// end ends all programs and their children, and refuses further ones.
func (r *ran) end() {
	r.mu.Lock()
	list := r.list
	r.list, r.closed = nil, true
	r.mu.Unlock()
	var wg sync.WaitGroup
	for _, p := range list {
		wg.Go(func() {
			timer := time.NewTimer(ranGrace)
			defer timer.Stop()
			select {
			case <-p.Exited():
			case <-timer.C:
			}
			p.Kill()
			p.Stop(0)
		})
	}
	wg.Wait()
}

// runInTerminal runs a program for the adapter (DAP, RunInTerminal request). Its input is empty.
func (s *Session) runInTerminal(raw json.RawMessage) (any, error) {
	var args dap.RunInTerminalRequestArguments
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("read the arguments of runInTerminal: %w", err)
	}
	switch {
	case !s.runs():
		return nil, errors.New("breakwire runs programs only for a debug adapter that it has started on this " +
			"machine; let the adapter start the program itself (console: internalConsole)")
	case len(args.Args) == 0 || args.Args[0] == "":
		return nil, errors.New("runInTerminal names no program")
	}
	done, err := s.granted("runInTerminal")
	if err != nil {
		return nil, err
	}
	for _, value := range args.Env {
		s.manager.opts.Hide(mapping.Text(value))
	}
	command := dapclient.Command{
		Path: args.Args[0], Args: args.Args[1:], Dir: args.Cwd, Env: environ(args.Env), Log: s.log,
		Stderr: &printed{s: s, stream: "stderr"},
	}
	p, stream, err := dapclient.StartStdio(command)
	if err != nil {
		done()
		return nil, err
	}
	p.CloseStdin()
	if !s.made.ran.add(p) {
		done()
		p.Stop(0)
		return nil, errors.New("the session is over")
	}
	go func() {
		_, _ = io.Copy(&printed{s: s, stream: "stdout"}, stream)
		stream.Close()
		<-p.Exited()
		s.made.ran.remove(p)
		done()
	}()
	s.log.Info("ran a program for the debugger", "pid", p.Pid(), "args", args.Args)
	return dap.RunInTerminalResponseBody{ProcessId: p.Pid()}, nil
}

// environ returns our environment with these changes. A null value removes a variable.
func environ(changes map[string]any) []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		_, changed := changes[name]
		return changed
	})
	for name, value := range changes {
		if value != nil {
			env = append(env, name+"="+mapping.Text(value))
		}
	}
	return env
}

// printed writes a program's output to the journal.
type printed struct {
	s      *Session
	stream string
	joiner textJoiner
}

func (w *printed) Write(p []byte) (int, error) {
	if text := w.joiner.join(w.stream, string(p)); text != "" {
		w.s.printed(w.stream, text)
	}
	return len(p), nil
}

// child is the start request of a session that an adapter asked for. Only the adapter understands the configuration.
type child struct {
	parent        string
	request       string // launch or attach
	configuration map[string]any
	opened        chan error // takes one result: how the debugger was reached, or why the start failed
}

// tell gives the result to who waits for it. Only the first one counts.
func (c *child) tell(err error) {
	select {
	case c.opened <- err:
	default:
	}
}

// startDebugging begins a child session (DAP, StartDebugging request). It returns when the child's adapter can be
// reached. The result of the start is journalled.
func (s *Session) startDebugging(raw json.RawMessage) error {
	var args dap.StartDebuggingRequestArguments
	if err := json.Unmarshal(raw, &args); err != nil {
		return fmt.Errorf("read the arguments of startDebugging: %w", err)
	}
	if args.Request != "launch" && args.Request != "attach" {
		return fmt.Errorf("startDebugging wants %q, which is neither launch nor attach", args.Request)
	}
	if args.Request == "launch" {
		if err := s.manager.mayStartChild(s.backend, args.Configuration); err != nil {
			return err
		}
	}
	done, err := s.granted("startDebugging")
	if err != nil {
		return err
	}
	return s.startChild(child{parent: s.id, request: args.Request, configuration: args.Configuration}, done)
}

// startChild starts a child session. It calls done when the child has ended or did not start.
func (s *Session) startChild(c child, done func()) error {
	if s.backend.Replayed {
		done()
		return errors.New("a recording holds one session; there is no second one to open")
	}
	select {
	case s.manager.children <- struct{}{}:
	case <-s.life.ctx.Done():
		done()
		return errors.New("the session is over")
	}
	c.opened = make(chan error, 1)
	b := *s.backend
	b.Exe, b.Why = "", "asked for by the debugger of "+s.id
	if address := connectTo(c.configuration); address != "" {
		b.Open = dialed(address)
	} else if b.Child != nil {
		b.Open = b.Child
	}
	from, info := origin{child: &c}, Snapshot{Parent: s.id, Family: s.Snapshot().Family}
	info.Program, _ = c.configuration["program"].(string)
	if c.request == "attach" {
		pid, _ := strconv.Atoi(mapping.Text(firstOf(c.configuration, "subProcessId", "processId", "pid")))
		from.attach = &AttachParams{AttachRequest: AttachRequest{Pid: pid, JustMyCode: true}, Timeout: childTimeout}
		info.Attached = true
	} else {
		from.launch = &LaunchParams{LaunchRequest: LaunchRequest{Program: info.Program, JustMyCode: true},
			Timeout: childTimeout}
	}
	next, err := s.manager.newSession(&b, from, info)
	if err != nil {
		<-s.manager.children
		done()
		return fmt.Errorf("no child session: %w", err)
	}
	context.AfterFunc(next.life.ctx, done)
	over := make(chan struct{})
	s.manager.background.Go(func() {
		defer close(over)
		ctx, cancel := timed(s.manager.ctx, childTimeout)
		defer cancel()
		err := s.manager.start(ctx, next)
		<-s.manager.children
		c.tell(err) // when the start failed before the adapter was reached
		if err != nil {
			s.problem("", fault.Errorf(fault.CodeOf(err), "child session %s, which the debugger asked for, did not start: %s",
				next.id, fault.AsError(err).Message))
		}
	})
	if err := <-c.opened; err != nil {
		<-over // the session has ended when the debugger gets the answer
		return fmt.Errorf("the debugger of the child session could not be opened: %w", err)
	}
	s.note(journal.TypeProcess, "", &ProcessEvent{Name: "child session", ChildSessionID: next.id})
	return nil
}

// firstOf returns the first of these members that is present.
func firstOf(values map[string]any, names ...string) any {
	for _, name := range names {
		if v := values[name]; v != nil {
			return v
		}
	}
	return nil
}

// connectTo returns the address of a child's adapter, when its configuration has one: {"connect":{"host","port"}}.
func connectTo(configuration map[string]any) string {
	to, ok := configuration["connect"].(map[string]any)
	if !ok || to["port"] == nil {
		return ""
	}
	host, _ := to["host"].(string)
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, mapping.Text(to["port"]))
}

// onAttachWanted handles debugpy's event in place of startDebugging. A child process of the program waits for it.
func (s *Session) onAttachWanted(m *dapclient.Message) {
	var configuration map[string]any
	if json.Unmarshal(m.Body, &configuration) != nil {
		return
	}
	done, err := s.granted("the attach to another program")
	if err != nil {
		return
	}
	s.manager.background.Go(func() {
		if err := s.startChild(child{parent: s.id, request: "attach", configuration: configuration}, done); err != nil {
			s.problem("", fault.Errorf(fault.NotSupported, "the program has started another one that is not debugged: %v", err))
		}
	})
}
