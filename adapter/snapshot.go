package adapter

import (
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/inspect"
	"breakwire/adapter/journal"

	"github.com/google/go-dap"
)

// State is the public state of a session.
type State string

// A session that serves a tracepoint is Running. Disconnected is also the state when there never was a session.
const (
	Starting     State = "starting"
	Running      State = "running"
	Paused       State = "paused"
	Terminated   State = "terminated"
	Disconnected State = "disconnected"
)

// Live reports whether there is a program to debug.
func (s State) Live() bool { return s == Starting || s == Running || s == Paused }

// EndReason says how a session ended.
type EndReason string

// End reasons.
const (
	EndExited        EndReason = "exited"
	EndUnhandled     EndReason = "unhandled_exception"
	EndSignal        EndReason = "signal" // the program died by a signal that the session did not send
	EndKilled        EndReason = "killed"
	EndDisconnected  EndReason = "disconnected"
	EndBackendExited EndReason = "backend_exited"
	EndStartFailed   EndReason = "start_failed"
)

// Snapshot is everything known about a session at one moment. It is immutable: readers may keep it, and never wait for
// the debugger.
type Snapshot struct {
	ID        string
	State     State
	Backend   string
	Process   Process
	Attached  bool   // by debug_attach, not debug_launch
	Parent    string // the session whose debugger asked for this one
	Family    string // the session that the user started, from which this one descends; else its own id
	StartedAt time.Time
	Program   string
	Args      []string
	Cwd       string

	Stop         *Stop
	left         *Stop // the stop that was left last
	Threads      []Thread
	ThreadsStale bool
	ThreadsAt    time.Time
	Modules      []Module
	Wedged       bool
	Fatal        string // the runtime has given up, and the debugger has told nothing since
	HitsLost     bool   // the end has cut off hits of tracepoints
	Capabilities map[string]string
	Bindings     map[string]*breakpoint.Binding // by breakpoint id

	ExitCode  *int
	Signal    string // the name of the signal that ended the program
	EndReason EndReason
	EndText   string // what is known about the end, as text
	EndSeq    uint64 // sequence number of the state event of the end

	dap *dap.Capabilities // what the debugger announced
}

// advertised returns the capabilities that the debugger announced.
func (s *Snapshot) advertised() dap.Capabilities {
	if s.dap == nil {
		return dap.Capabilities{}
	}
	return *s.dap
}

// SessionInfo is the session object of docs/contract.md.
type SessionInfo struct {
	SessionID        string            `json:"sessionId,omitempty"`
	State            State             `json:"state"`
	Backend          string            `json:"backend,omitempty"`
	BackendReason    string            `json:"backendReason,omitempty"`
	ParentSessionID  string            `json:"parentSessionId,omitempty"`
	ProcessID        int               `json:"processId,omitempty"`
	ProcessName      string            `json:"processName,omitempty"`
	ExecutablePath   string            `json:"executablePath,omitempty"`
	RuntimeVersion   string            `json:"runtimeVersion,omitempty"`
	LaunchMode       string            `json:"launchMode,omitempty"`
	AttachedAt       string            `json:"attachedAt,omitempty"`
	PauseReason      string            `json:"pauseReason,omitempty"`
	Location         *inspect.Location `json:"location,omitempty"`
	ActiveThreadID   int               `json:"activeThreadId,omitempty"`
	CommandLineArgs  []string          `json:"commandLineArgs,omitempty"`
	WorkingDirectory string            `json:"workingDirectory,omitempty"`
	Wedged           bool              `json:"wedged,omitempty"`
	Fatal            string            `json:"fatal,omitempty"`
	HitsLost         bool              `json:"hitsLost,omitempty"`
	ExitCode         *int              `json:"exitCode,omitempty"`
	Signal           string            `json:"signal,omitempty"`
	EndReason        EndReason         `json:"endReason,omitempty"`
	LastSeq          uint64            `json:"lastSeq"`
	Capabilities     map[string]string `json:"capabilities,omitempty"`
}

// Info returns the full session object.
func (s *Snapshot) Info(lastSeq uint64) SessionInfo {
	info := s.Brief(lastSeq)
	info.Backend, info.ParentSessionID = s.Backend, s.Parent
	info.ProcessID, info.ProcessName = s.Process.Pid, s.Process.Name
	info.ExecutablePath, info.RuntimeVersion = s.Process.Exe, s.Process.Runtime
	info.LaunchMode = "launch"
	if s.Attached {
		info.LaunchMode = "attach"
	}
	info.AttachedAt = journal.Timestamp(s.StartedAt)
	if s.Stop != nil {
		info.PauseReason, info.Location, info.ActiveThreadID = s.Stop.Reason, s.Stop.Location, s.Stop.ThreadID
	}
	info.CommandLineArgs, info.WorkingDirectory = s.Args, s.Cwd
	info.Capabilities = s.Capabilities
	return info
}

// Started returns the session object of an answer that has the stop beside it. Of an attached program it says which
// process it is; of a launched one the client knows.
func (s *Snapshot) Started(lastSeq uint64) SessionInfo {
	info := s.Brief(lastSeq)
	all := s.Info(lastSeq)
	info.Backend, info.ParentSessionID, info.LaunchMode = all.Backend, all.ParentSessionID, all.LaunchMode
	info.ProcessID, info.RuntimeVersion = all.ProcessID, all.RuntimeVersion
	if s.Attached {
		info.ProcessName, info.ExecutablePath = all.ProcessName, all.ExecutablePath
		info.CommandLineArgs, info.WorkingDirectory = all.CommandLineArgs, all.WorkingDirectory
	}
	return info
}

// Brief returns the short session object, for results that are not about the session.
func (s *Snapshot) Brief(lastSeq uint64) SessionInfo {
	return SessionInfo{
		SessionID: s.ID, State: s.State, LastSeq: lastSeq, ExitCode: s.ExitCode, Signal: s.Signal,
		EndReason: s.EndReason, Wedged: s.Wedged, Fatal: s.Fatal, HitsLost: s.HitsLost,
	}
}
