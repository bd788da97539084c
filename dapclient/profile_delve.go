package dapclient

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
)

// delve is `dlv dap`, for Go. Measured against 1.27.2.
var delve = &Profile{
	Name: "dlv", AdapterID: "go", Language: Go,
	Executables: []string{"dlv"}, PathEnv: "DLV_PATH",
	WellKnown: []string{"~/go/bin/dlv", "/usr/local/go/bin/dlv"},
	Args:      []string{"dap", "--listen=127.0.0.1:0"},
	Announce:  regexp.MustCompile(`DAP server listening at: (\S+)`),
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
			a["env"] = r.Env // Delve reads null as "unset"
		}
		if r.Stdin != "" {
			a["stdinFrom"] = r.Stdin
		}
		if mode == "debug" || mode == "test" {
			// Delve builds where it stands: that must be in the program's module, and the binary not in the user's folder.
			a["dlvCwd"] = goFolder(r.Program)
			a["output"] = filepath.Join(buildFolder(r), fmt.Sprintf("__debug_bin_%d_%d%s", os.Getpid(), goBuilds.Add(1), exeSuffix()))
		}
		if mode == "test" {
			a["program"] = goFolder(r.Program) // a package, not one file of it
		}
		return a
	},
	Attach: func(r AttachRequest) map[string]any {
		return map[string]any{"mode": "local", "processId": r.Pid, "stopOnEntry": r.StopOnEntry, "stackTraceDepth": 200}
	},
	EntryFunction: "main.main", TakesStdin: true, StdinAtLaunch: true, LogPoints: "delve",
	ExceptionTypes: []string{"panic", "fatal error"}, PanicFunction: "runtime.gopanic",
	SweepStops: true, GoScheduler: true, HitDropsStep: true, DetachKeepsStep: true, PipelineHits: true, FinalRefusal: true, LocalSources: true,
	ConditionErrorText: regexp.MustCompile(`^error evaluating expression: `),
	HeldStepText:       regexp.MustCompile(`^Step interrupted by a breakpoint\.`),
	HeldStepRefusal:    regexp.MustCompile(`^Unable to step while the previous step is interrupted`),
	TakenText:          regexp.MustCompile(`^Breakpoint exists at (.+):(\d+) at `),
	OwnOutput:          regexp.MustCompile(`^(Type 'dlv help' for list of commands\.|Detaching|Detached|Building |Process \d+ has exited)`),
	ThreadOnCPU:        regexp.MustCompile(`\(Thread \d+\)$`),
	TempPipes:          regexp.MustCompile(`^[0-9a-f]{8}$`),
	CurrentThread:      regexp.MustCompile(`^\* `),
	DummyThread:        regexp.MustCompile(`^(Dummy|Current)$`),
}

// buildFolder is where Delve builds a program: in the session's folder, since a Delve that is killed leaves it behind.
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

// goFolder is the package of a program that is given as source.
func goFolder(program string) string {
	if isDir(program) {
		return program
	}
	return filepath.Dir(program)
}

// goMode tells a package or source, which Delve builds, from a built binary.
func goMode(program string) string {
	switch {
	case strings.HasSuffix(program, "_test.go"):
		return "test"
	case strings.HasSuffix(program, ".go"), isDir(program):
		return "debug"
	}
	return "exec"
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
