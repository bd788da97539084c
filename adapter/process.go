package adapter

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
	"breakwire/dapclient"
)

// Process is what is known of the debugged process.
type Process struct {
	Pid     int
	Name    string
	Exe     string
	Runtime string
	Start   string // identity of the process start; "" when it cannot be checked on this machine

	ended *dapclient.Ending // set when the process has ended
}

// ProcessEvent is the data of a process event.
type ProcessEvent struct {
	Name      string `json:"name,omitempty"`
	ProcessID int    `json:"processId,omitempty"`
	// ChildSessionID is the id of the session that the debugger has asked for.
	ChildSessionID string `json:"childSessionId,omitempty"`
}

// onProcess handles a process event (DAP, Process event).
func (s *Session) onProcess(m *dapclient.Message) {
	body, err := dapclient.DecodeBody[struct {
		Name    string `json:"name"`
		Pid     int    `json:"systemProcessId"`
		IsLocal *bool  `json:"isLocalProcess"`
	}](m)
	if err != nil {
		return
	}
	s.public.info.Process.Name = body.Name
	s.public.info.Process.Pid = body.Pid
	if body.IsLocal == nil || *body.IsLocal {
		s.takeProcess(body.Pid)
	}
	s.publish()
	s.note(journal.TypeProcess, "", &ProcessEvent{Name: s.public.info.Process.Name, ProcessID: body.Pid})
}

// takeProcess reads the process from the operating system, when it runs on this machine under a debugger that we
// started.
func (s *Session) takeProcess(pid int) {
	if pid <= 1 {
		return
	}
	p := &s.public.info.Process
	p.Pid = pid
	if s.debugger.proc == nil || !s.backend.Local || s.postMortem() {
		return
	}
	info, err := dapclient.FindProcess(pid)
	if err != nil {
		return
	}
	if info.Name != "" {
		p.Name = info.Name
	}
	if info.Exe != "" {
		p.Exe = info.Exe
	}
	if len(s.public.info.Args) == 0 && s.public.info.Attached && len(info.Args) > 1 {
		s.public.info.Args = slices.Clone(info.Args[1:])
	}
	if s.public.info.Cwd == "" {
		s.public.info.Cwd = info.Cwd
	}
	if p.Runtime == "" && s.profile.Language == dapclient.DotNet {
		if version, ok, _ := dapclient.HasCLR(pid); ok {
			p.Runtime = version
		}
	}
	if p.Start != info.Start {
		p.Start = info.Start
		if s.followsForks() { // the process to debug becomes another one
			return
		}
		go s.watch(pid, info.Start)
		if s.profile.LeavesForks {
			s.held.CallsFork = dapclient.CallsFork(info.Exe)
			go s.watchForks(pid, info.Start, s.held.CallsFork)
		}
	}
}

// goneGrace is how long a debugger may take to report the program's end itself.
const goneGrace = 500 * time.Millisecond

// watch waits for the end of the process. Some debuggers do not report a program that is killed at a stop.
func (s *Session) watch(pid int, start string) {
	if how, ended := dapclient.AwaitEnd(s.life.ctx, pid, start); ended {
		s.post(func() {
			if p := &s.public.info.Process; p.Pid == pid && p.Start == start {
				p.ended = &how
			}
			s.after(goneGrace, func() { s.processGone(pid, start, how) })
		})
	}
}

// outcomeKnown reports whether the system has told how the process ended, or cannot tell it.
func (s *Session) outcomeKnown() bool {
	p := s.public.info.Process
	return p.Start == "" || p.ended != nil || s.followsForks()
}

// outcome says how a program has ended: by its own exit code, or by a signal. The debugger's exit code may be the
// number of a signal or invented, so what the system says counts more. But the system says 0 when only the first thread
// of a process had ended before a signal came.
func outcome(told *int, system *dapclient.Ending, p *dapclient.Profile) (code *int, signal string) {
	switch {
	case system != nil && system.Signal != "":
		return nil, system.Signal
	case system != nil && system.Known && (told == nil || system.Code != 0):
		return &system.Code, ""
	case told != nil && *told < 0 && p.NegativeSignals:
		if signal = dapclient.SignalName(-*told); signal != "" {
			return nil, signal
		}
	}
	return told, ""
}

// processGone ends a session that is paused when its process has ended. While the program runs, its debugger watches
// it.
func (s *Session) processGone(pid int, start string, how dapclient.Ending) {
	switch p := s.public.info.Process; {
	case s.life.ending != nil || p.Pid != pid || p.Start != start:
		return
	case s.public.state != Paused || s.resumes.going != nil:
		s.after(goneGrace, func() { s.processGone(pid, start, how) })
		return
	}
	text := fmt.Sprintf("process %d was killed or has ended while it was paused", pid)
	if how.Known {
		text = fmt.Sprintf("process %d ended while it was paused (%s)", pid, how)
	}
	s.problem("", fault.Errorf(fault.NoSession, "%s", text))
	s.finish(&ending{state: Terminated, reason: EndExited, text: text})
}

// postMortem reports whether a core dump is debugged. Its process is gone, and its pid may now belong to another
// process.
func (s *Session) postMortem() bool {
	var extra map[string]any
	switch {
	case s.origin.launch != nil:
		extra = s.origin.launch.Extra
	case s.origin.attach != nil:
		extra = s.origin.attach.Extra
	}
	for name := range extra {
		if strings.HasPrefix(name, "core") {
			return true
		}
	}
	return extra["mode"] == "core"
}

// needsLife refuses what a core file cannot do. Some debuggers answer with success and do nothing.
func (s *Session) needsLife(what string) error {
	if !s.postMortem() {
		return nil
	}
	return fault.Errorf(fault.NotSupported, "session %s is of a core file, in which nothing runs: %s needs a live "+
		"program; stacks, threads, variables and expressions without calls can be read", s.id, what).
		With("feature", what).With("missingCapability", "a live program").With("backend", s.profile.Name).
		With("hint", "launch the program with debug_launch").With("sessionId", s.id)
}
