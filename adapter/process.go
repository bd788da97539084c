package adapter

import (
	"slices"
	"strings"

	"breakwire/adapter/journal"
	"breakwire/dapclient"
)

// Process is what is known of the debugged process.
type Process struct {
	Pid     int
	Name    string
	Exe     string
	Runtime string
	Start   string // identity of the process start, "" when it is not ours to check
}

// ProcessEvent is the data of a process event.
type ProcessEvent struct {
	Name      string `json:"name,omitempty"`
	ProcessID int    `json:"processId,omitempty"`
	// ChildSessionID names the session that the debugger has asked for beside this one.
	ChildSessionID string `json:"childSessionId,omitempty"`
}

// onProcess takes the process event (DAP, Process).
func (s *Session) onProcess(m *dapclient.Message) {
	body, err := dapclient.DecodeBody[struct {
		Name    string `json:"name"`
		Pid     int    `json:"systemProcessId"`
		IsLocal *bool  `json:"isLocalProcess"`
	}](m)
	if err != nil {
		return
	}
	s.info.Process.Name = body.Name
	s.info.Process.Pid = body.Pid
	if body.IsLocal == nil || *body.IsLocal {
		s.takeProcess(body.Pid)
	}
	s.publish()
	s.note(journal.TypeProcess, "", &ProcessEvent{Name: s.info.Process.Name, ProcessID: body.Pid})
}

// takeProcess completes what is known of the process from the operating system, when it runs on this machine under a debugger
// that we started.
func (s *Session) takeProcess(pid int) {
	if pid <= 1 {
		return
	}
	p := &s.info.Process
	p.Pid = pid
	if s.proc == nil || !s.backend.Local || s.postMortem() {
		return
	}
	info, err := dapclient.FindProcess(pid)
	if err != nil {
		return
	}
	p.Start = info.Start
	if info.Name != "" {
		p.Name = info.Name
	}
	if info.Exe != "" {
		p.Exe = info.Exe
	}
	if len(s.info.Args) == 0 && s.info.Attached && len(info.Args) > 1 {
		s.info.Args = slices.Clone(info.Args[1:])
	}
	if s.info.Cwd == "" {
		s.info.Cwd = info.Cwd
	}
	if p.Runtime == "" && s.profile.Language == dapclient.DotNet {
		if version, ok, _ := dapclient.HasCLR(pid); ok {
			p.Runtime = version
		}
	}
}

// postMortem tells that a core is looked at: its process is gone, and what has its number now is none of ours.
func (s *Session) postMortem() bool {
	if s.launch == nil {
		return false
	}
	for name := range s.launch.Extra {
		if strings.HasPrefix(name, "core") {
			return true
		}
	}
	return s.launch.Extra["mode"] == "core"
}
