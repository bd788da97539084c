package dapclient

import (
	"slices"
)

// lldb is lldb-dap, for C, C++, Rust and whatever else LLVM compiles. Measured against 19.1.
var lldb = &Profile{
	Name: "lldb-dap", AdapterID: "lldb-dap", Language: C,
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
		if r.Stdin != "" {
			// before the target exists, so that the target gets it
			a["initCommands"] = []any{"settings set target.input-path \"" + r.Stdin + "\""}
		}
		return a
	},
	Attach: func(r AttachRequest) map[string]any {
		return map[string]any{"pid": r.Pid, "stopOnEntry": r.StopOnEntry}
	},
	Harmless: among("disableASLR", "enableAutoVariableSummaries", "enableSyntheticChildDebugging",
		"enableDisplayExtendedBacktrace",
		"displayExtendedBacktrace"),
	OwnOutput:     &Pattern{Text: `^error: stopped due to an error evaluating condition`},
	PauseText:     &Pattern{Text: `signal SIGSTOP`},
	HitText:       &Pattern{Text: `signal SIGTRAP`},
	EntryFunction: "main", EntryBefore: "__libc_start_main", TakesStdin: true, StdinAtLaunch: true, LogPoints: "lldb",
	LogPointsOnDemand: true,
	RecheckConditions: true, NoEnvNull: true, OutlivesInput: true, AssignByExpression: true, FunctionsUnordered: true,
	NamesOneHit: true, RepeatsStops: true, LocalSources: true, SystemThreads: true,
	ExceptionTypes: []string{"cpp_throw", "cpp_catch", "objc_throw", "objc_catch", "signal"}, SignalType: "signal",
}
