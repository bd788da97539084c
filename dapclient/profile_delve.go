package dapclient

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
)

// delve is `dlv dap`, for Go. Measured against 1.27.2.
var delve = &Profile{
	Name: "dlv", AdapterID: "go", Language: Go,
	Sources:     append([]string{".go"}, cSources...), // it knows the C files of cgo
	Executables: []string{"dlv"}, PathEnv: "DLV_PATH",
	WellKnown: []string{"~/go/bin/dlv", "/usr/local/go/bin/dlv"},
	Args:      []string{"dap", "--listen=127.0.0.1:0"},
	Announce:  &Pattern{Text: `DAP server listening at: (\S+)`},
	Install:   "go install github.com/go-delve/delve/cmd/dlv@latest",
	Launch: func(r LaunchRequest) map[string]any {
		mode, _ := r.Extra["mode"].(string) // of a launch configuration
		if mode == "" {
			mode = goMode(r.Program)
		}
		a := map[string]any{
			"mode": mode, "program": r.Program, "args": args(r.Args),
			"stopOnEntry": false, "outputMode": "remote", "stackTraceDepth": 200,
		}
		if r.Cwd != "" {
			a["cwd"] = r.Cwd
		}
		if len(r.Env) > 0 {
			a["env"] = r.Env // Delve takes null as "unset"
		}
		if r.Stdin != "" {
			a["stdinFrom"] = r.Stdin
		}
		if mode == "debug" || mode == "test" {
			// Delve builds in its working folder: that must be in the program's module, and the binary must not be in
			// the user's folder.
			a["dlvCwd"] = goFolder(r.Program)
			a["output"] = filepath.Join(buildFolder(r), fmt.Sprintf("__debug_bin_%d_%d%s", os.Getpid(), goBuilds.Add(1),
				exeSuffix()))
			a["buildFlags"] = []any{"-trimpath=false"} // GOFLAGS may have it
		}
		if len(r.SourceFolders) > 0 {
			a["substitutePath"] = substitutes(r.SourceFolders)
		}
		if mode == "test" {
			a["program"] = goFolder(r.Program) // a package, not one of its files
		}
		return a
	},
	Attach: func(r AttachRequest) map[string]any {
		a := map[string]any{"mode": "remote", "stopOnEntry": r.StopOnEntry, "stackTraceDepth": 200}
		if r.Pid != 0 {
			a["mode"], a["processId"] = "local", r.Pid
		}
		if len(r.SourceFolders) > 0 {
			a["substitutePath"] = substitutes(r.SourceFolders)
		}
		return a
	},
	HoldsProgram: true, StaysHalted: true, Returns: "delve", Watches: "delve", Cores: "launch",
	Harmless: func(name string, value any, program string) bool {
		if name == "mode" {
			return harmlessGoMode(value, program)
		}
		return among("stackTraceDepth", "showGlobalVariables", "showRegisters", "showPprofLabels",
			"hideSystemGoroutines")(name, value, program)
	},
	EntryFunction: "main.main", TakesStdin: true, StdinAtLaunch: true, LogPoints: "delve", ChangeRepeatsHit: true,
	ExceptionTypes: []string{"panic", "fatal error"}, PanicFunction: "runtime.gopanic",
	EndFunction:       "runtime.goexit",
	GuessesFrameTotal: true,
	SweepStops:        true, GoScheduler: true, HitDropsStep: true, DetachKeepsStep: true, PipelineHits: true,
	NegativeSignals: true,
	FinalRefusal:    true, LocalSources: true,
	ConditionErrorText: &Pattern{Text: `^error evaluating expression: `},
	HeldStepText:       &Pattern{Text: `^Step interrupted by a breakpoint\.`},
	HeldStepRefusal:    &Pattern{Text: `^Unable to step while the previous step is interrupted`},
	NoCodeText:         &Pattern{Text: `^could not find statement at (.+):(\d+), `},
	UnknownFileText:    &Pattern{Text: `^could not find file (.+)$`},
	NoSymbolsText:      &Pattern{Text: `no debug information present in binary`},
	TakenText:          &Pattern{Text: `^Breakpoint exists at (.+):(\d+) at `},
	CallPrefix:         "call ", CallRefused: &Pattern{Text: `function calls not allowed without using 'call'`},
	CallInterrupted: &Pattern{Text: `call stopped$|error evaluating expression: `},
	OwnOutput: &Pattern{Text: `^(Type 'dlv help' for list of commands\.|Detaching|Detached|Building |` +
		`Process \d+ has exited)`},
	ThreadOnCPU:   &Pattern{Text: `\(Thread \d+\)$`},
	TempPipes:     &Pattern{Text: `^[0-9a-f]{8}$`},
	CurrentThread: &Pattern{Text: `^\* `},
	DummyThread:   &Pattern{Text: `^(Dummy|Current)$`},
}

// substitutes returns folders as Delve's substitutePath. It is a list to which that of a launch configuration is
// appended.
func substitutes(folders [][2]string) []any {
	var list []any
	for _, f := range folders {
		list = append(list, map[string]any{"from": f[0], "to": f[1]})
	}
	return list
}

// buildFolder is where Delve builds a program: in the session's folder, because a killed Delve leaves the binary
// behind.
func buildFolder(r LaunchRequest) string {
	if r.Folder != nil {
		if folder, err := r.Folder(); err == nil {
			return folder
		}
	}
	return os.TempDir()
}

// goBuilds numbers the binaries that Delve is told to build.
var goBuilds atomic.Int64

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// goFolder returns the package folder of a program that is given as source.
func goFolder(program string) string {
	if isDir(program) {
		return program
	}
	return filepath.Dir(program)
}

// goMode returns Delve's launch mode for a program: test or debug for source or a package, which Delve builds, exec
// for a binary.
func goMode(program string) string {
	switch {
	case strings.HasSuffix(program, "_test.go"):
		return "test"
	case strings.HasSuffix(program, ".go"), isDir(program):
		return "debug"
	}
	return "exec"
}

// harmlessGoMode reports whether a mode starts the named program and nothing else. Mode test of a binary would build
// the tests beside it; the modes core and replay read other files.
func harmlessGoMode(mode any, program string) bool {
	switch own := goMode(program); mode {
	case own:
		return true
	case "test":
		return own == "debug" && isDir(program)
	}
	return false
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
