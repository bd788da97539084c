package dapclient

import "slices"

// Language decides how values are read: what is true, how a string is quoted, how a
// failed evaluation is named.
type Language string

// Languages of the profiles.
const (
	DotNet Language = "csharp" // and Visual Basic, F#: the names of values are C#'s
	Go     Language = "go"
	Python Language = "python"
	C      Language = "c"
)

// Profile is all that is particular to one debug adapter. The session asks capabilities first
// and a profile's flags second: a flag vetoes what an adapter advertises and does not keep, or names
// a habit of its own. A profile is never changed once it is in use.
type Profile struct {
	Name      string   // as in the session's backend field: netcoredbg, dlv, debugpy, lldb-dap
	AdapterID string   // initialize's adapterID
	Language  Language // of the programs that it debugs

	// Executable names looked for, the variable that overrides them, and where else to look.
	Executables []string
	PathEnv     string
	WellKnown   []string
	Args        []string // arguments that make it speak DAP
	// Announce is set for an adapter that listens on TCP and says where on its stdout.
	Announce *Pattern
	// Install says in one sentence how to get it.
	Install string

	// Launch and Attach shape the arguments of the start request.
	Launch func(LaunchRequest) map[string]any
	Attach func(AttachRequest) map[string]any
	// Harmless reports whether a member of a launch configuration neither makes this adapter run or load anything
	// nor opens a file. It is asked where only certain programs may be started. Nil: no member is known to be.
	Harmless func(name string, value any, program string) bool

	// TakesStdin: the program can be made to read LaunchRequest.Stdin.
	TakesStdin bool
	// StdinAtLaunch: the adapter opens the program's input before it answers the launch, so that it needs no name any
	// more then.
	StdinAtLaunch bool
	// LaunchArgs are further arguments of the adapter for one launch, where it is started for it.
	LaunchArgs func(LaunchRequest) ([]string, error)

	// EntryFunction is the function whose first line stands for the program's entry, where the
	// adapter's own entry stop is of no use (before any code of the user's); empty: StopOnEntry of
	// the launch request.
	EntryFunction string
	// EntryBefore is a function that runs before it, for programs without symbols of their own.
	EntryBefore string

	// SweepStops: a stop names one thread although others stand at breakpoints too, so every
	// thread is asked before any resume.
	SweepStops bool
	// GoScheduler: threads are goroutines, and evaluate reads the variables of the Go runtime. They can tell that only
	// one goroutine runs, which spares the sweep.
	GoScheduler bool
	// PipelineHits: questions about a stop may be sent before it is known where it is, in one write.
	PipelineHits bool
	// HitDropsStep: a breakpoint hit inside a step ends the step.
	HitDropsStep bool
	// HeldStepText matches what the adapter says on its console at a stop under which it holds a step that a hit of
	// another thread interrupted: it takes no other one before, and a continue goes on with that. HeldStepRefusal
	// matches the stop that is the answer to another one.
	HeldStepText, HeldStepRefusal *Pattern
	// PanicFunction is called by each panic, of which the adapter tells only those that nobody recovers.
	PanicFunction string
	// RepeatsStops: a stop is told once for each thread that has a reason, one of them with the focus: also for those
	// that have not moved since the last stop, because only the stepping thread ran, and some of them late. A continued
	// event parts two stops.
	RepeatsStops bool
	// StepHidesHits: a step that ends at a breakpoint is told as a step, and the breakpoint is passed without a word.
	StepHidesHits bool
	// FinalRefusal: a breakpoint that is not verified in the answer never will be.
	FinalRefusal bool
	// TakenText matches the refusal of a breakpoint whose instruction has one already; its groups are the file and line.
	TakenText *Pattern
	// BareFunctions: a function breakpoint is never hit when its name has a dot.
	BareFunctions bool
	// NoConditions: advertised conditions fail in silence, so the session evaluates them.
	NoConditions bool
	// RecheckConditions: a condition that cannot be evaluated stops like an ordinary
	// hit; the session asks again to tell.
	RecheckConditions bool
	// DetachKillsLaunched: disconnect with terminateDebuggee:false does not let a launched program go.
	DetachKillsLaunched bool
	// DetachKeepsStep: disconnect leaves the breakpoints of a step that is under way or held in the code of an attached
	// program.
	DetachKeepsStep bool
	// OutlivesInput: it may go on after the end of its input, so that somebody must end it when we are killed.
	OutlivesInput bool
	// OutlivesAttached: it goes on after the end of its input for as long as a program lives that it was attached to.
	OutlivesAttached bool
	// PauseNeedsThread: pause fails, or worse, for a thread that does not exist.
	PauseNeedsThread bool
	// NoJustMyCodeOnAttach: just_my_code is only understood by launch.
	NoJustMyCodeOnAttach bool
	// NoEnvNull: the environment of launch can set variables and not unset them.
	NoEnvNull bool
	// FunctionsUnordered: function breakpoints are answered in an order of the adapter's own.
	FunctionsUnordered bool
	// NamesOneHit: of several breakpoints at one instruction, a stop names one.
	NamesOneHit bool
	// ExceptionTypes are all that the adapter tells exceptions apart by; nil: their types.
	ExceptionTypes []string
	// SignalType is what stands for the type of an exception that is a signal. No filter asks for those; they stop always.
	SignalType string
	// AssignByExpression: setVariable takes numbers, and everything else only an assignment that is evaluated.
	AssignByExpression bool
	// NoColumns: the column of a breakpoint is ignored.
	NoColumns bool
	// ModuleEvents: loaded modules are told by events, whatever is advertised.
	ModuleEvents bool
	// OwnOutput matches output events that are the adapter's own words, not the program's.
	OwnOutput *Pattern
	// PauseText matches the description of a pause that is told as an exception stop: by its signal.
	PauseText *Pattern
	// HitText matches the description of an exception stop that is the hit of a breakpoint where there is one: the
	// adapter was still setting it.
	HitText *Pattern
	// GaveUp matches the answer to a request that the adapter has stopped waiting for, while what was asked goes on and
	// blocks everything after it.
	GaveUp *Pattern
	// Probe is an expression that costs nothing, where evaluations are answered one after the other and some never are:
	// its answer tells that the one before it is over.
	Probe string
	// ConditionErrorText matches a condition that could not be evaluated, told as an exception stop.
	ConditionErrorText *Pattern
	// LogPoints names the recipe by which native log points carry values and thread: delve, debugpy, lldb; empty: there
	// is none, so that tracepoints stop, evaluate and resume.
	LogPoints string
	// LogPointsOnDemand: only for strategy native; auto stops, because something would be missing.
	LogPointsOnDemand bool
	// TempPipes matches names of named pipes that the adapter makes in the folder for temporary files, and has open
	// once a launch is answered.
	TempPipes *Pattern
	// LocalSources: the files are on this disk, so that a missing one can be refused.
	LocalSources bool
	// Env is added to the adapter's environment.
	Env map[string]string
	// ThreadOnCPU tells from its name whether a thread can stand at a breakpoint; nil: all can.
	ThreadOnCPU *Pattern
	// CurrentThread matches the name of the thread a stop without threadId is about.
	CurrentThread *Pattern
	// DummyThread matches names of threads that are no threads.
	DummyThread *Pattern
}

// LaunchRequest is what a launch asks for, whatever the adapter.
type LaunchRequest struct {
	Program     string
	Args        []string
	Cwd         string
	Env         map[string]*string // nil value: unset
	StopAtEntry bool
	JustMyCode  bool
	// Extra are arguments that only this adapter knows, as from a launch configuration. The session puts them in the
	// place of what the profile says; a list goes on behind the profile's.
	Extra map[string]any

	// Set by the session, for programs of this machine.
	Adapter    string // the adapter's executable
	Dotnet     string // the dotnet executable, for programs of .NET; "": none was found
	Python     string // the interpreter of the program's own environment; "": the adapter's
	PythonPath string // a folder or archive in front of PYTHONPATH, in the adapter's environment already
	Stdin      string // the file that the program is to read as its standard input; "": the adapter's affair
	// PrivateFile makes a file that other programs of this user can read until the program runs; nil: none can be made.
	PrivateFile func(name string, data []byte) (path string, err error)
	// Folder makes a folder that is removed with the session; nil: none can be made.
	Folder func() (path string, err error)
}

// AttachRequest is what an attach asks for.
type AttachRequest struct {
	Pid         int
	StopOnEntry bool
	JustMyCode  bool
}

// Profiles lists the built-in profiles, the default backend first.
func Profiles() []*Profile { return []*Profile{netcoredbg, delve, debugpy, lldb} }

// ProfileByName returns a built-in profile, nil for an unknown name.
func ProfileByName(name string) *Profile {
	for _, p := range Profiles() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Generic is the profile of an adapter that nothing is known about.
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

// among is a Profile.Harmless that knows members by their names.
func among(names ...string) func(string, any, string) bool {
	return func(name string, _ any, _ string) bool { return slices.Contains(names, name) }
}

// args never returns nil: adapters refuse null for a list.
func args(a []string) []string {
	if a == nil {
		return []string{}
	}
	return a
}

// setOnly leaves out variables to unset: one null spoils the whole environment on some adapters.
func setOnly(env map[string]*string) map[string]string {
	out := make(map[string]string, len(env))
	for k, v := range env {
		if v != nil {
			out[k] = *v
		}
	}
	return out
}
