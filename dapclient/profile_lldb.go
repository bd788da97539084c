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
		before := formatterCommands(r.RustFormatters)
		if r.Stdin != "" {
			before = append(before, "settings set target.input-path \""+r.Stdin+"\"")
		}
		if r.Stderr != "" {
			before = append(before, "settings set target.error-path \""+r.Stderr+"\"")
		}
		a["initCommands"] = before
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
		a["initCommands"] = formatterCommands(r.RustFormatters)
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

// formatterCommands corrects LLDB's formatters of the C++ library, and loads those of rustc.
func formatterCommands(rust string) []any {
	commands := []any{quietly + "script exec(" + strconv.Quote(stdCorrections) + ")"}
	if rust == "" {
		return commands
	}
	return append(commands,
		"command script import \""+filepath.Join(rust, "lldb_lookup.py")+"\"",
		"command source -s 1 \""+filepath.Join(rust, "lldb_commands")+"\"",
		quietly+rustCorrection(),
	)
}

// quietly is lldb-dap's prefix of a command that is only printed when it fails.
const quietly = "?"

func rustCorrection() string { return "script exec(" + strconv.Quote(rustCorrections) + ")" }

// stdCorrections makes two corrections of LLDB's formatters of libstdc++. An unordered container is shown as empty
// where the type of its allocator is not described, as GCC leaves it. And a std::string ends at its first NUL.
const stdCorrections = `
try:
    import lldb
    import lldb.formatters.cpp.gnu_libstdcpp as std
    unordered = std.StdUnorderedMapSynthProvider
    by_allocator = unordered.extract_type
    def extract_type(self):
        found = by_allocator(self)
        if found and found.IsValid() and found.GetByteSize() > 0:
            return found
        return self.valobj.GetChildMemberWithName("_M_h").GetType().GetTemplateArgumentType(1)
    unordered.extract_type = extract_type
    def string_summary(value, _):
        raw = value.GetNonSyntheticValue()
        size = raw.GetChildMemberWithName("_M_string_length").GetValueAsUnsigned()
        text = raw.GetChildMemberWithName("_M_dataplus").GetChildMemberWithName("_M_p")
        shown = text.GetSummary() or ""
        if not 0 < size <= 1024:
            return shown
        error = lldb.SBError()
        data = value.GetProcess().ReadMemory(text.GetValueAsUnsigned(), size, error)
        if not error.Success() or data is None or b"\0" not in data:
            return shown
        parts = (chr(c) if 32 <= c < 127 and c not in (34, 92) else "\\%s" % chr(c) if c in (34, 92) else
                 "\\0" if c == 0 else "\\x%02x" % c for c in data)
        return '"' + "".join(parts) + '"'
    std.breakwire_string = string_summary
    lldb.debugger.HandleCommand("type summary add -F lldb.formatters.cpp.gnu_libstdcpp.breakwire_string "
        "-x '^std::(__cxx11::)?basic_string<char(, std::char_traits<char>, std::allocator<char> ?)?>$'")
except Exception:
    pass
`

// rustCorrections makes three corrections of rustc's formatters. LLDB keeps 32 bits of a variant's discriminant in its
// name, so that None of an Option<String> was taken for Some. And a String that is not set yet has any length: reading
// it took the debugger's memory and time. And LLDB cuts a summary at its first NUL.
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
        return whole(original(value, _))
    def whole(text):
        return text.replace("\0", "\\0") if text else text
    def str_summary(value, _):
        return whole(original_str(value, _))
    original = lldb_lookup.StdStringSummaryProvider
    lldb_lookup.StdStringSummaryProvider = string_summary
    original_str = lldb_lookup.StdStrSummaryProvider
    lldb_lookup.StdStrSummaryProvider = str_summary
except Exception:
    pass
`
