package dapclient

import (
	"net"
	"path/filepath"
	"slices"
	"strconv"
)

// lldb is lldb-dap, for C, C++, Rust and whatever else LLVM compiles. Measured against 19.1.
var lldb = &Profile{
	Name: "lldb-dap", AdapterID: "lldb-dap", Language: C,
	Sources: append([]string{".rs", ".go", ".swift", ".zig"}, cSources...),
	Executables: []string{"lldb-dap", "lldb-dap-20", "lldb-dap-19", "lldb-dap-18",
		"lldb-vscode"}, PathEnv: "LLDB_DAP_PATH",
	WellKnown: []string{"/usr/lib/llvm-20/bin/lldb-dap", "/usr/lib/llvm-19/bin/lldb-dap",
		"/opt/homebrew/opt/llvm/bin/lldb-dap"},
	Install: "install LLVM's lldb (Debian: lldb-19; macOS: brew install llvm)",
	Launch: func(r LaunchRequest) map[string]any {
		env := []string{}
		for k, v := range setOnly(r.Env) {
			env = append(env, k+"="+v)
		}
		slices.Sort(env)
		a := map[string]any{"program": r.Program, "args": args(r.Args), "env": env, "stopOnEntry": false}
		if r.Cwd != "" {
			a["cwd"] = r.Cwd
		}
		// before the target exists, so that the target gets them
		before := rustCommands(r.RustFormatters)
		if r.Stdin != "" {
			before = append(before, "settings set target.input-path \""+r.Stdin+"\"")
		}
		if r.Stderr != "" {
			before = append(before, "settings set target.error-path \""+r.Stderr+"\"")
		}
		if len(before) > 0 {
			a["initCommands"] = before
		}
		return a
	},
	Attach: func(r AttachRequest) map[string]any {
		a := map[string]any{"stopOnEntry": r.StopOnEntry}
		if host, port, err := net.SplitHostPort(r.Address); err == nil {
			number, _ := strconv.Atoi(port)
			a["gdb-remote-hostname"], a["gdb-remote-port"] = host, number
		} else if r.Pid != 0 {
			a["pid"] = r.Pid
		}
		if before := rustCommands(r.RustFormatters); len(before) > 0 {
			a["initCommands"] = before
		}
		return a
	},
	ConnectsItself: true, Returns: "lldb", Watches: "lldb", Cores: "attach",
	Harmless: among("disableASLR", "enableAutoVariableSummaries", "enableSyntheticChildDebugging",
		"enableDisplayExtendedBacktrace",
		"displayExtendedBacktrace"),
	OwnOutput: &Pattern{Text: `^error: stopped due to an error evaluating condition`},
	WatchText: &Pattern{Text: `^watchpoint \d+$`},
	PauseText: &Pattern{Text: `signal SIGSTOP`},
	// The reason is the one of the stop at which the thread stands: breakpoints do not interrupt an evaluation.
	EvalCutOff:    &Pattern{Text: `Execution was interrupted, reason: (breakpoint|step|instruction|trace|signal SIGSTOP)`},
	HitText:       &Pattern{Text: `signal SIGTRAP`},
	EntryFunction: "main", EntryBefore: "__libc_start_main", TakesStdin: true, StdinAtLaunch: true, LogPoints: "lldb",
	LogPointsOnDemand: true, TakesStderr: true, RustFormatters: true, StderrIsOwn: true, TerminalOutput: true,
	RecheckConditions: true, NoEnvNull: true, OutlivesInput: true, AssignByExpression: true, FunctionsUnordered: true,
	NamesOneHit: true, RepeatsStops: true, LocalSources: true, SystemThreads: true,
	GuessesFrameTotal: true,
	CppExceptions:     true, LeavesForks: true, SignalType: "signal",
}

// rustCommands loads the formatters of rustc.
func rustCommands(folder string) []any {
	if folder == "" {
		return []any{}
	}
	return []any{
		"command script import \"" + filepath.Join(folder, "lldb_lookup.py") + "\"",
		"command source -s 1 \"" + filepath.Join(folder, "lldb_commands") + "\"",
		"script exec(" + strconv.Quote(rustCorrections) + ")",
	}
}

// rustCorrections makes two corrections of rustc's formatters. LLDB keeps 32 bits of a variant's discriminant in its
// name, so that None of an Option<String> was taken for Some. And a String that is not set yet has any length: reading
// it took the debugger's memory and time.
const rustCorrections = `
try:
    import lldb_lookup, lldb_providers
    def variant_index(self, variants):
        other = 0
        for i in range(variants.GetNumChildren()):
            variant = variants.GetChildAtIndex(i)
            discr = variant.GetChildMemberWithName("$discr$")
            if not discr.IsValid():
                other = i
            elif variant.GetName() in ["$variant$%d" % d for d in (discr.GetValueAsUnsigned(),
                                       discr.GetValueAsUnsigned() & 0xffffffff)]:
                return i
        return other
    lldb_providers.ClangEncodedEnumProvider._getCurrentVariantIndex = variant_index
    def string_summary(value, _):
        vec = value.GetNonSyntheticValue().GetChildMemberWithName("vec").GetNonSyntheticValue()
        length = vec.GetChildMemberWithName("len").GetValueAsUnsigned()
        if length > 1 << 16:
            return "<a text of %d bytes>" % length
        return original(value, _)
    original = lldb_lookup.StdStringSummaryProvider
    lldb_lookup.StdStringSummaryProvider = string_summary
except Exception:
    pass
`
