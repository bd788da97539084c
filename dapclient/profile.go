package dapclient

import (
	"path/filepath"
	"slices"
	"strings"
)

// Language decides how values are read: which are true, how strings are quoted, how a failed evaluation is named.
type Language string

// Languages of the profiles.
const (
	DotNet Language = "csharp" // also Visual Basic and F#: netcoredbg writes values as in C#
	Go     Language = "go"
	Python Language = "python"
	C      Language = "c"
	// JavaScript is also TypeScript.
	JavaScript Language = "javascript"
)

// Profile describes one debug adapter. The session checks the adapter's capabilities (DAP, Capabilities) first and
// the profile's flags second: a flag overrides a capability that the adapter advertises but does not fulfil, or
// describes a behaviour of its own. A profile in use is never changed.
type Profile struct {
	Name      string   // the session's backend field: netcoredbg, dlv, debugpy, lldb-dap
	AdapterID string   // adapterID of initialize
	Language  Language // of the programs that it debugs
	// Sources are the extensions of the source files that it may know. Nil: any.
	Sources []string

	// Names of executables, the variable that overrides them, and further places to look.
	Executables []string
	PathEnv     string
	WellKnown   []string
	Args        []string // arguments that make it speak DAP
	// Announce is set for an adapter that listens on TCP and prints its address on stdout.
	Announce *Pattern
	// Bridge names the recipe (js-debug) by which several connections of the adapter become one. Empty: none.
	Bridge string
	// Install is one sentence on how to install it.
	Install string

	// Launch and Attach make the arguments of the start request (DAP, Launch and Attach).
	Launch func(LaunchRequest) map[string]any
	Attach func(AttachRequest) map[string]any
	// HoldsProgram: an adapter that listens has a program already, so an attach names no process.
	HoldsProgram bool
	// ConnectsItself: AttachRequest.Address works.
	ConnectsItself bool
	// StaysHalted: an adapter that serves several clients leaves a paused program halted at a disconnect.
	StaysHalted bool
	// Harmless reports whether a member of a launch configuration neither makes this adapter run or load anything nor
	// opens a file. It is used where only certain programs may be started. Nil: every member may do so.
	Harmless func(name string, value any, program string) bool

	// TakesStdin: LaunchRequest.Stdin works.
	TakesStdin bool
	// StdinAtLaunch: the adapter opens the program's input before it answers the launch. After that the file may be
	// removed.
	StdinAtLaunch bool
	// TakesStderr: LaunchRequest.Stderr works. Without it, standard error comes as standard output.
	TakesStderr bool
	// RustFormatters: LaunchRequest.RustFormatters and AttachRequest.RustFormatters work.
	RustFormatters bool
	// StderrIsOwn: output events of category stderr are the adapter's own text, not the program's.
	StderrIsOwn bool
	// AttachOutputIsOwn: in a session that attached, output events without a source are the adapter's own text.
	AttachOutputIsOwn bool
	// TerminalOutput: the program's output has passed through a terminal, which makes CR LF of each line end.
	TerminalOutput bool
	// LaunchArgs returns further arguments of the adapter's command for one launch.
	LaunchArgs func(LaunchRequest) ([]string, error)

	// EntryFunction is the function whose first line is the program's entry, where the adapter's own entry stop is
	// before any user code. Empty: StopOnEntry of the launch request is used.
	EntryFunction string
	// EntryBefore is a function that runs before EntryFunction, for programs without symbols of their own.
	EntryBefore string

	// SweepStops: a stop names one thread although others are at breakpoints too, so every thread is asked before a
	// resume.
	SweepStops bool
	// GoScheduler: threads are goroutines, and evaluate reads the variables of the Go runtime. These show whether
	// only one goroutine runs; then the sweep is not needed.
	GoScheduler bool
	// PipelineHits: requests about a stop may be sent in one write, before its place is known.
	PipelineHits bool
	// HitDropsStep: a breakpoint hit during a step ends the step.
	HitDropsStep bool
	// HeldStepText matches the adapter's console output at a stop during which it holds a step, because a hit of
	// another thread interrupted it. It accepts no other step before that one ends, and continue resumes it.
	// HeldStepRefusal matches the stop that answers another step.
	HeldStepText, HeldStepRefusal *Pattern
	// SystemThreads: thread ids are those of the operating system, and the end of a thread may go unreported.
	SystemThreads bool
	// EndFunction is the function in which each thread ends; a step from there has no end.
	EndFunction string
	// ListsRaw: the children of a value end with "[raw]", the value itself without a formatter.
	ListsRaw bool
	// GuessesFrameTotal: the total number of a stack's frames is a guess until its end has been read.
	GuessesFrameTotal bool
	// PanicFunction is called by each panic. The adapter reports only panics that are not recovered.
	PanicFunction string
	// RepeatsStops: a stop is reported once for each thread that has a reason, and one of them has the focus. This
	// includes threads that have not moved since the last stop, because only the stepping thread ran. Some reports
	// come late. A continued event separates two stops.
	RepeatsStops bool
	// StepHidesHits: a step that ends at a breakpoint is reported as a step; the hit is not reported.
	StepHidesHits bool
	// FinalRefusal: a breakpoint that is not verified in the response never will be.
	FinalRefusal bool
	// NoCodeText matches the refusal of a line without code. Its groups are the file, as the program's symbols name it,
	// and the line.
	NoCodeText *Pattern
	// UnknownFileText matches the refusal of a line in a file that the program's symbols do not name. Its group is the
	// file.
	UnknownFileText *Pattern
	// NoSymbolsText matches the failure to read variables of a program without debug information.
	NoSymbolsText *Pattern
	// TakenText matches the refusal of a breakpoint whose instruction has one already. Its groups are the file and
	// line.
	TakenText *Pattern
	// BareFunctions: a function breakpoint whose name has a dot is never hit.
	BareFunctions bool
	// NoConditions: advertised conditions do not work, without an error, so the session evaluates them.
	NoConditions bool
	// Conditions names the recipe (debugpy) by which conditions and hit conditions are tested in the program, with errors
	// and counts reported. Empty: none.
	Conditions string
	// RecheckConditions: a condition that cannot be evaluated stops like an ordinary hit. The session evaluates it
	// again to find out.
	RecheckConditions bool
	// DetachKillsLaunched: disconnect with terminateDebuggee false kills a launched program all the same.
	DetachKillsLaunched bool
	// DetachKeepsStep: disconnect leaves the breakpoints of a running or held step in the code of an attached
	// program.
	DetachKeepsStep bool
	// OutlivesInput: the adapter may run on after the end of its input, so it must be ended when we are killed.
	OutlivesInput bool
	// OutlivesAttached: after the end of its input the adapter runs on while an attached program lives.
	OutlivesAttached bool
	// LeavesForks: a child that the program forks runs on without the debugger.
	LeavesForks bool
	// PauseNeedsThread: pause with a thread that does not exist fails, or worse.
	PauseNeedsThread bool
	// NoJustMyCodeOnAttach: only launch accepts just_my_code.
	NoJustMyCodeOnAttach bool
	// NegativeSignals: an exit code below zero is the number of the signal that ended the program.
	NegativeSignals bool
	// NoEnvNull: the environment of launch cannot unset variables.
	NoEnvNull bool
	// FunctionsUnordered: the response to function breakpoints is not in the order of the request.
	FunctionsUnordered bool
	// NamesOneHit: a stop names only one of several breakpoints at one instruction.
	NamesOneHit bool
	// ExceptionTypes are the only exception types that the adapter reports; nil: it reports the real types.
	ExceptionTypes []string
	// ExitException is the exception that ends a program in an orderly way; the adapter reports it like any that
	// nobody caught.
	ExitException string
	// CppExceptions: an exception is reported by the filter that it was stopped for. Type and message of one of C++ are
	// read from memory.
	CppExceptions bool
	// SignalType is the exception type of a signal. No filter selects signals; they always stop.
	SignalType string
	// AssignByExpression: setVariable accepts only numbers; other values need an assignment that is evaluated.
	AssignByExpression bool
	// NoColumns: the column of a breakpoint is ignored.
	NoColumns bool
	// ModuleEvents: loaded modules are reported by events, whatever is advertised.
	ModuleEvents bool
	// ExceptionThrown and ExceptionUnhandled match the text of a stop at an exception that may still be caught, and at
	// one that nobody caught. Their group is the full type.
	ExceptionThrown    *Pattern
	ExceptionUnhandled *Pattern
	// OwnOutput matches output events of the adapter itself, not of the program.
	OwnOutput *Pattern
	// NoCondition is the condition of breakpoints without one, for an adapter that else keeps the one that the line had.
	NoCondition string
	// Locations matches the message of a breakpoint in which the adapter counts its locations. Its group is the number.
	// Without one the breakpoint is not bound, whatever the adapter says.
	Locations *Pattern
	// LaunchedText matches the output that names the launched process, of an adapter that has no event for it. Its group
	// is the process id.
	LaunchedText *Pattern
	// OptimisedText matches what the adapter says of a module that was built with optimisation. If it has a group, the
	// group is the module, and just_my_code leaves out everything in it.
	OptimisedText *Pattern
	// FatalText matches output with which the runtime gives up. The program is not resumed, and the adapter tells nothing
	// more of it.
	FatalText *Pattern
	// UnhandledText matches the text of a stop at an exception that ends the program. The exit code 1 of such a program
	// is invented.
	UnhandledText *Pattern
	// CallsHideHits: breakpoints that threads reach while an expression is evaluated are passed without a report. The
	// threads that ran before stand still meanwhile.
	CallsHideHits bool
	// PauseText matches the description of a pause that is reported as an exception stop, with its signal.
	PauseText *Pattern
	// HitText matches the description of an exception stop that is the hit of a breakpoint, if there is one: the
	// adapter was still setting it.
	HitText *Pattern
	// GaveUp matches the response to a request that the adapter no longer waits for. The work goes on and blocks all
	// later requests.
	GaveUp *Pattern
	// LeavesEvaluations: an evaluation that hangs is answered with an error, but its thread stays in the called function.
	LeavesEvaluations bool
	// EvalCutOff matches the error of an evaluation that the debugger itself ended because it took too long.
	EvalCutOff *Pattern
	// CallPrefix stands before an expression that calls functions of the program. CallRefused matches the refusal of
	// such an expression without it, before anything has run.
	CallPrefix  string
	CallRefused *Pattern
	// CallInterrupted matches the failure of such a call that a stop has interrupted; the program then stands elsewhere.
	CallInterrupted *Pattern
	// Statements: evaluate in the context repl also runs statements of the language.
	Statements bool
	// Cores is the request (launch, attach) that opens a core file. Empty: none.
	Cores string
	// Returns names the recipe (delve, debugpy, lldb, js-debug) by which the value is read that a function has
	// returned at the end of a step. Empty: none.
	Returns string
	// Watches names the recipe (delve, lldb) by which watched memory is found and read again, and the end of a local's
	// frame is noticed. Empty: by the expression alone.
	Watches string
	// WatchText matches the description of a stop at watched memory that has the reason of a breakpoint.
	WatchText *Pattern
	// Probe is an expression without cost, for an adapter that evaluates one after the other and does not answer
	// some. Its answer shows that the evaluation before it is over.
	Probe string
	// ConditionErrorText matches an exception stop for a condition that could not be evaluated.
	ConditionErrorText *Pattern
	// LogPoints names the recipe (delve, debugpy, lldb) by which native log points carry values and thread. Empty:
	// none, so tracepoints stop, evaluate and resume.
	LogPoints string
	// ChangeRepeatsHit: the hit of a log point may be reported twice when breakpoints change while the program runs.
	ChangeRepeatsHit bool
	// LogPointsOnDemand: native log points only with strategy native. They would lose something, so auto stops.
	LogPointsOnDemand bool
	// TempPipes matches the names of named pipes that the adapter makes in the folder for temporary files and has
	// open when a launch is answered.
	TempPipes *Pattern
	// LocalSources: the source files are on this disk, so a missing one can be refused.
	LocalSources bool
	// Env is added to the adapter's environment.
	Env map[string]string
	// NoAttachedExit: the exit code of a program that was attached to is invented.
	NoAttachedExit bool
	// AttachEnv names variables of which the adapter needs the values that the process has to which it attaches.
	AttachEnv []string
	// ThreadOnCPU matches the names of threads that can be at a breakpoint; nil: all can.
	ThreadOnCPU *Pattern
	// CurrentThread matches the name of the thread of a stop without threadId.
	CurrentThread *Pattern
	// DummyThread matches names of entries in the thread list that are not threads.
	DummyThread *Pattern
}

// LaunchRequest is a launch, independent of the adapter.
type LaunchRequest struct {
	Program     string
	Args        []string
	Cwd         string
	Env         map[string]*string // nil value: unset the variable
	StopAtEntry bool
	JustMyCode  bool
	// Extra are arguments for this adapter only, such as those of a launch configuration. They override the
	// profile's; a list is appended to the profile's list.
	Extra map[string]any

	// Set by the session, for programs on this machine.
	Adapter    string // the adapter's executable
	Dotnet     string // the dotnet executable, for .NET programs; "": not found
	Python     string // the interpreter of the program's own environment; "": the adapter's
	PythonPath string // a folder or archive in front of PYTHONPATH, which the adapter's environment already has
	Stdin      string // the file that is the program's standard input; "": the adapter decides
	Stderr     string // the file that is the program's standard error; "": the adapter decides
	// RustFormatters is the folder with the formatters of rustc for LLDB; "": none.
	RustFormatters string
	// SourceFolders are folders with sources, and what the program's symbols call them.
	SourceFolders [][2]string
	// PrivateFile makes a file that other programs of this user can read until the program runs. nil: not possible.
	PrivateFile func(name string, data []byte) (path string, err error)
	// Folder makes a folder that is removed with the session. nil: not possible.
	Folder func() (path string, err error)
}

// AttachRequest is an attach, independent of the adapter.
type AttachRequest struct {
	Pid         int // 0: the adapter has the program already, or Address names it
	StopOnEntry bool
	JustMyCode  bool
	// Extra are arguments for this adapter only, such as those of a configuration. They override the profile's.
	Extra map[string]any

	// Set by the session.
	Reached bool   // the adapter listened already
	Address string // HOST:PORT of a debug server to which the adapter connects; "": none

	RustFormatters string // as in LaunchRequest
	SourceFolders  [][2]string
}

// cSources are the extensions of C and C++.
var cSources = []string{
	".c", ".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx", ".inl", ".m", ".mm",
}

// Profiles returns the built-in profiles, the default backend first.
func Profiles() []*Profile { return []*Profile{netcoredbg, delve, debugpy, lldb, jsDebug, codelldb} }

// MayKnow reports whether the programs of this adapter may contain a source file. A file whose extension no built-in
// profile names may belong to any.
func (p *Profile) MayKnow(file string) bool {
	ext := strings.ToLower(filepath.Ext(file))
	if p.Sources == nil || slices.Contains(p.Sources, ext) {
		return true
	}
	return !slices.ContainsFunc(Profiles(), func(o *Profile) bool { return slices.Contains(o.Sources, ext) })
}

// ProfileByName returns a built-in profile, nil for an unknown name.
func ProfileByName(name string) *Profile {
	for _, p := range Profiles() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Generic returns the profile of an adapter about which nothing is known.
func Generic(name string) *Profile {
	p := *generic
	p.Name = name
	return &p
}

var generic = &Profile{
	AdapterID: "breakwire", NoEnvNull: true, OutlivesInput: true,
	Launch: func(r LaunchRequest) map[string]any {
		a := map[string]any{"program": r.Program, "args": args(r.Args), "stopOnEntry": r.StopAtEntry}
		if r.Cwd != "" {
			a["cwd"] = r.Cwd
		}
		if e := setOnly(r.Env); len(e) > 0 {
			a["env"] = e
		}
		return a
	},
	Attach: func(r AttachRequest) map[string]any {
		return map[string]any{"pid": r.Pid, "processId": r.Pid, "stopOnEntry": r.StopOnEntry}
	},
}

// among returns a Profile.Harmless that accepts members by name.
func among(names ...string) func(string, any, string) bool {
	return func(name string, _ any, _ string) bool { return slices.Contains(names, name) }
}

// args never returns nil, because adapters refuse null for a list.
func args(a []string) []string {
	if a == nil {
		return []string{}
	}
	return a
}

// setOnly omits variables to unset, because some adapters refuse an environment with a null.
func setOnly(env map[string]*string) map[string]string {
	out := make(map[string]string, len(env))
	for k, v := range env {
		if v != nil {
			out[k] = *v
		}
	}
	return out
}
