package dapclient

import (
	"cmp"
	"maps"
	"os"
	"runtime"
)

// debugpy is Microsoft's Python debugger. Measured against 1.6 on Python 3.11.
var debugpy = &Profile{
	Name: "debugpy", AdapterID: "python", Language: Python,
	Sources:     []string{".py", ".pyw", ".pyi"},
	Executables: []string{"python3", "python"}, PathEnv: "DEBUGPY_PYTHON",
	WellKnown: []string{"/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3",
		"~/.pyenv/versions/*/bin/python3"},
	Args:    []string{"-m", "debugpy.adapter"},
	Install: "pip install debugpy, or Debian's python3-debugpy",
	Launch: func(r LaunchRequest) map[string]any {
		a := map[string]any{
			"type": "python", "request": "launch", "program": r.Program, "args": args(r.Args),
			"console": "internalConsole", "redirectOutput": true,
			"stopOnEntry": r.StopAtEntry, "justMyCode": r.JustMyCode,
			"showReturnValue": true,
		}
		if r.Cwd != "" {
			a["cwd"] = r.Cwd
		}
		if len(r.Env) > 0 {
			a["env"] = withPythonPath(r.Env, r.PythonPath)
		}
		python := cmp.Or(r.Python, r.Adapter)
		if r.Python != "" {
			a["python"] = []string{python}
			a["debugLauncherPython"] = r.Adapter
		}
		if r.Stdin != "" && r.Adapter != "" && runtime.GOOS != "windows" {
			// A list is taken as the interpreter's command. The launcher, a separate process, must not read the pipe.
			a["python"] = []string{r.Adapter, "-I", "-S", "-c", withInput, r.Stdin, python}
			a["debugLauncherPython"] = r.Adapter
		}
		return a
	},
	Attach: func(r AttachRequest) map[string]any {
		a := map[string]any{"type": "python", "request": "attach", "justMyCode": r.JustMyCode, "showReturnValue": true}
		if !r.Reached { // an adapter that listens would attach to its own program a second time
			a["processId"] = r.Pid
		}
		return a
	},
	HoldsProgram: true, Returns: "debugpy",
	Harmless: among("subProcess", "showReturnValue", "django", "flask", "jinja", "pyramid",
		"steppingResumesAllThreads"),
	OutlivesAttached: true, AttachOutputIsOwn: true,
	// pydevd's warnings in a child that multiprocessing starts anew, on the program's standard error.
	OwnOutput: &Pattern{Text: `^(?:\d+\.\d\ds - (?:Debugger warning: (?:It seems th|The os\.path\.realpath)|` +
		`make the debugger miss breakpoints|to python to disable frozen modules|is not absolute, which may make|` +
		`Note: Debugging will proceed\. Set PYDEVD_)[^\n]*\n?)+$`},
	TakesStdin: true, NoConditions: true, BareFunctions: true, HitDropsStep: true, LogPoints: "debugpy",
	ExitException: "SystemExit",
	Conditions:    "debugpy",
	LocalSources:  true, Statements: true,
	Probe: "None", // exit() raises an exception to which debugpy does not respond
}

// withInput opens its first argument as standard input and becomes the program of the others. A shell would not: some
// drop variables with names such as "A.B" from the environment.
const withInput = "import os,sys;os.dup2(os.open(sys.argv[1],os.O_RDONLY),0);os.execvp(sys.argv[2],sys.argv[2:])"

// withPythonPath prepends a folder to the PYTHONPATH of the program's environment, which replaces the one that the
// adapter passes on.
func withPythonPath(env map[string]*string, folder string) map[string]*string {
	own, given := env["PYTHONPATH"]
	if !given || folder == "" {
		return env
	}
	env = maps.Clone(env)
	path := folder
	if own != nil && *own != "" {
		path += string(os.PathListSeparator) + *own
	}
	env["PYTHONPATH"] = &path
	return env
}
