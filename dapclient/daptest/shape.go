package daptest

// Shape says how an adapter behaves on the wire. Start from one of the four measured ones
// and change fields. A program starts at configurationDone, so the capabilities must announce it.
type Shape struct {
	// Family selects texts, ids, threads' names and the details that no field below covers.
	Family Family
	// Capabilities is the body of the initialize response as JSON. Requests without their capability are refused.
	Capabilities string

	// Seq is the form of "seq".
	Seq SeqStyle
	// BodyFirst writes keys in alphabetical order, as adapters with nlohmann-json do.
	BodyFirst bool

	// CapabilitiesEvent sends a capabilities event before the initialize response.
	CapabilitiesEvent bool
	// Telemetry sends two telemetry output events before the initialize response.
	Telemetry bool
	// Initialized is when the initialized event and the launch response come.
	Initialized InitializedStyle
	// LazyLaunch: launch and attach only store their arguments. The program starts, and errors are reported, in the
	// response of configurationDone.
	LazyLaunch bool

	// HitIDs: stopped events for breakpoints have hitBreakpointIds.
	HitIDs bool
	// Stops is what is reported when several threads hit at the same time.
	Stops StopStyle
	// TellsLate: with StopsTogether, the first event of a stop comes alone. The others come when one of their threads
	// is inspected; those not reported before the resume are lost.
	TellsLate bool
	// ContinuedOnResume and ContinuedOnStep place a continued event around the response.
	ContinuedOnResume, ContinuedOnStep ContinuedStyle
	// CancelsQueue: a resume, disconnect or terminate cancels the queued requests that read or evaluate.
	CancelsQueue bool
	// KeepsStep: a step survives a hit on its way, and ends later. Otherwise a hit ends it.
	KeepsStep bool
	// HoldsStep: a step that a hit of another thread interrupts is held. The next continue resumes it; until then a
	// step of any thread stops at once with an error text.
	HoldsStep bool
	// StepFirst: a step that ends at a breakpoint is reported as a step, and the hit is not reported.
	StepFirst bool
	// PauseEventFirst: the stopped event of a pause comes before the pause response.
	PauseEventFirst bool
	// PauseWithoutThread: the stopped event of a pause names no thread.
	PauseWithoutThread bool

	// Pending: breakpoints are unverified until their module loads; then a breakpoint event reports it. Otherwise
	// they are bound at once, and a breakpoint that does not bind stays unbound.
	Pending bool
	// NewIDs: each setBreakpoints assigns new ids. Otherwise the same line keeps its id.
	NewIDs bool
	// Conditions, HitConditions, LogPoints: these fields of a breakpoint work. Otherwise they are ignored without an
	// error.
	Conditions, HitConditions, LogPoints bool
	// BadCondition is the behaviour when a condition cannot be evaluated.
	BadCondition BadConditionStyle

	// StaysAfterDisconnect: the adapter answers disconnect and then waits for the end of its input.
	StaysAfterDisconnect bool
	// OneSession: after the end of the program threads fails; otherwise the answer has a dummy thread.
	OneSession bool
}

// Family is a real adapter.
type Family string

// The measured adapters.
const (
	FamilyNetcoredbg Family = "netcoredbg"
	FamilyDelve      Family = "dlv"
	FamilyLLDB       Family = "lldb-dap"
	FamilyDebugpy    Family = "debugpy"
)

// SeqStyle is the form of an adapter's seq.
type SeqStyle int

// Styles of seq.
const (
	SeqNumber SeqStyle = iota
	SeqString          // a string, except a number in output events
	SeqZero            // always 0
)

// InitializedStyle is when the initialized event comes.
type InitializedStyle int

// Times of the initialized event.
const (
	InitializedBeforeLaunchResponse InitializedStyle = iota
	InitializedAtOnce                                // directly after the initialize response
	InitializedAfterLaunchResponse
	InitializedThenLaunchResponseLast // after the launch request; the launch response comes after configurationDone's
)

// ContinuedStyle places a continued event.
type ContinuedStyle int

// Places of a continued event.
const (
	ContinuedNever ContinuedStyle = iota
	ContinuedBefore
	ContinuedAfter
)

// StopStyle is what an adapter reports when several threads hit at the same time.
type StopStyle int

// Styles of stops.
const (
	// StopsOneByOne: one stop for each thread; the next is sent directly after the resume.
	StopsOneByOne StopStyle = iota
	// StopsNameOne: one stop names one thread. The others are at their breakpoints unreported, and pass them at the
	// resume.
	StopsNameOne
	// StopsTogether: a stopped event for each thread at once; the last carries threadCausedFocus.
	StopsTogether
)

// BadConditionStyle is an adapter's behaviour for a condition that fails.
type BadConditionStyle int

// Styles of bad conditions.
const (
	BadConditionStops     BadConditionStyle = iota // with an output event that has the reason
	BadConditionReports                            // and a changed event before that, at every hit
	BadConditionException                          // stops with reason exception
	BadConditionIgnored                            // never stops
)

// Netcoredbg is the shape of netcoredbg 3.1.2.
func Netcoredbg() Shape {
	return Shape{
		Family: FamilyNetcoredbg,
		Capabilities: `{"exceptionBreakpointFilters":[{"filter":"user-unhandled","label":"user-unhandled"},` +
			`{"filter":"all","label":"all"}],` +
			`"supportTerminateDebuggee":true,"supportsCancelRequest":true,"supportsConditionalBreakpoints":true,` +
			`"supportsConfigurationDoneRequest":true,` +
			`"supportsExceptionFilterOptions":true,"supportsExceptionInfoRequest":true,` +
			`"supportsExceptionOptions":false,"supportsFunctionBreakpoints":true,` +
			`"supportsSetExpression":true,"supportsSetVariable":true,"supportsTerminateRequest":true}`,
		Seq: SeqString, BodyFirst: true,
		CapabilitiesEvent: true, Initialized: InitializedAtOnce, LazyLaunch: true,
		Stops: StopsOneByOne, ContinuedOnResume: ContinuedBefore, ContinuedOnStep: ContinuedBefore,
		StepFirst: true, CancelsQueue: true, PauseEventFirst: true,
		Pending: true, Conditions: true, BadCondition: BadConditionReports,
		OneSession: true,
	}
}

// Delve is the shape of Delve 1.27.2.
func Delve() Shape {
	return Shape{
		Family: FamilyDelve,
		Capabilities: `{"supportsConfigurationDoneRequest":true,"supportsFunctionBreakpoints":true,` +
			`"supportsConditionalBreakpoints":true,` +
			`"supportsHitConditionalBreakpoints":true,"supportsEvaluateForHovers":true,` +
			`"exceptionBreakpointFilters":[{"filter":"unrecovered-panic","label":"Unrecovered Panics","default":true},` +
			`{"filter":"runtime-fatal-throw","label":"Fatal Throws","default":true}],"supportsSetVariable":true,` +
			`"supportsRestartRequest":true,"supportsExceptionInfoRequest":true,` +
			`"supportsDelayedStackTraceLoading":true,"supportsLogPoints":true,"supportsDataBreakpoints":true,` +
			`"supportsReadMemoryRequest":true,"supportsWriteMemoryRequest":true,` +
			`"supportsDisassembleRequest":true,"supportsClipboardContext":true,"supportsSteppingGranularity":true,` +
			`"supportsInstructionBreakpoints":true}`,
		Initialized: InitializedBeforeLaunchResponse,
		HitIDs:      true, Stops: StopsNameOne, ContinuedOnStep: ContinuedBefore,
		PauseWithoutThread: true, HoldsStep: true,
		Conditions: true, HitConditions: true, LogPoints: true, BadCondition: BadConditionException,
	}
}

// LLDB is the shape of lldb-dap 19.
func LLDB() Shape {
	return Shape{
		Family: FamilyLLDB,
		Capabilities: `{"__lldb":{"version":"lldb version 19.1.7"},"completionTriggerCharacters":["."," ","\t"],` +
			`"exceptionBreakpointFilters":[{"default":false,"filter":"cpp_catch","label":"C++ Catch"},` +
			`{"default":false,"filter":"cpp_throw","label":"C++ Throw"},` +
			`{"default":false,"filter":"objc_catch","label":"Objective-C Catch"},{"default":false,` +
			`"filter":"objc_throw","label":"Objective-C Throw"}],` +
			`"supportTerminateDebuggee":true,"supportsCompletionsRequest":true,"supportsConditionalBreakpoints":true,` +
			`"supportsConfigurationDoneRequest":true,` +
			`"supportsDataBreakpoints":true,"supportsDelayedStackTraceLoading":true,` +
			`"supportsDisassembleRequest":true,"supportsEvaluateForHovers":true,` +
			`"supportsExceptionInfoRequest":true,"supportsExceptionOptions":true,"supportsFunctionBreakpoints":true,` +
			`"supportsGotoTargetsRequest":false,` +
			`"supportsHitConditionalBreakpoints":true,"supportsLoadedSourcesRequest":false,"supportsLogPoints":true,` +
			`"supportsModulesRequest":true,` +
			`"supportsProgressReporting":true,"supportsRestartFrame":false,"supportsRestartRequest":true,` +
			`"supportsRunInTerminalRequest":true,` +
			`"supportsSetVariable":true,"supportsStepBack":false,"supportsStepInTargetsRequest":true,` +
			`"supportsValueFormattingOptions":true}`,
		Seq: SeqZero, BodyFirst: true,
		Initialized: InitializedAfterLaunchResponse,
		HitIDs:      true, Stops: StopsTogether, ContinuedOnResume: ContinuedAfter, ContinuedOnStep: ContinuedAfter,
		KeepsStep:  true,
		Conditions: true, HitConditions: true, LogPoints: true, BadCondition: BadConditionStops,
	}
}

// Debugpy is the shape of debugpy 1.6.
func Debugpy() Shape {
	return Shape{
		Family: FamilyDebugpy,
		Capabilities: `{"supportsCompletionsRequest":true,"supportsConditionalBreakpoints":true,` +
			`"supportsConfigurationDoneRequest":true,"supportsDebuggerProperties":true,` +
			`"supportsDelayedStackTraceLoading":true,"supportsEvaluateForHovers":true,` +
			`"supportsExceptionInfoRequest":true,"supportsExceptionOptions":true,` +
			`"supportsFunctionBreakpoints":true,"supportsHitConditionalBreakpoints":true,"supportsLogPoints":true,` +
			`"supportsModulesRequest":true,"supportsSetExpression":true,` +
			`"supportsSetVariable":true,"supportsValueFormattingOptions":true,"supportsTerminateRequest":true,` +
			`"supportsGotoTargetsRequest":true,"supportsClipboardContext":true,` +
			`"exceptionBreakpointFilters":[{"filter":"raised","label":"Raised Exceptions","default":false,` +
			`"description":"Break whenever any exception is raised."},` +
			`{"filter":"uncaught","label":"Uncaught Exceptions","default":true,"description":"Break when the process ` +
			`is exiting due to unhandled exception."},` +
			`{"filter":"userUnhandled","label":"User Uncaught Exceptions","default":false,"description":"Break when ` +
			`exception escapes into library code."}],"supportsStepInTargetsRequest":true}`,
		Telemetry: true, Initialized: InitializedThenLaunchResponseLast,
		Stops: StopsOneByOne, ContinuedOnResume: ContinuedAfter, ContinuedOnStep: ContinuedAfter,
		NewIDs:     true,
		Conditions: true, HitConditions: true, LogPoints: true, BadCondition: BadConditionIgnored,
	}
}
