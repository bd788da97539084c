package dapclient

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// netcoredbg (Samsung), for .NET Core 3.1 and later. Measured against 3.1.2 and 3.1.3.
var netcoredbg = &Profile{
	Name: "netcoredbg", AdapterID: "coreclr", Language: DotNet,
	Sources:     []string{".cs", ".csx", ".vb", ".fs", ".fsx", ".cshtml", ".razor"},
	Executables: []string{"netcoredbg"}, PathEnv: "NETCOREDBG_PATH",
	WellKnown: []string{
		"/usr/local/netcoredbg/netcoredbg", "/opt/netcoredbg/netcoredbg", "~/.local/netcoredbg/netcoredbg",
		"~/.local/share/nvim/mason/bin/netcoredbg", `C:\Program Files\netcoredbg\netcoredbg.exe`,
	},
	Args: []string{"--interpreter=vscode"},
	Install: "download netcoredbg from github.com/Samsung/netcoredbg/releases, unpack it and set NETCOREDBG_PATH to " +
		"the executable",
	Launch: func(r LaunchRequest) map[string]any {
		a := map[string]any{
			"program": r.Program, "args": args(r.Args), "stopAtEntry": r.StopAtEntry, "justMyCode": r.JustMyCode,
			// env is always sent: without it some versions fail with 0x8007000c.
			"env": setOnly(r.Env),
		}
		if r.Cwd != "" {
			a["cwd"] = r.Cwd
		}
		return a
	},
	Attach: func(r AttachRequest) map[string]any {
		return map[string]any{"processId": r.Pid}
	},
	Harmless:   among("enableStepFiltering", "requireExactSource", "suppressJITOptimizations"),
	TakesStdin: true, LaunchArgs: throughShell,
	PipelineHits: true, HitDropsStep: true, StepHidesHits: true, PauseNeedsThread: true,
	DetachKillsLaunched: true, NoJustMyCodeOnAttach: true, NoColumns: true, NoEnvNull: true, ModuleEvents: true,
	LocalSources: true, LeavesEvaluations: true,
	NoAttachedExit: true,                                           // always 0, also of a program that was killed
	AttachEnv:      []string{"TMPDIR"},                             // the runtime's debugger pipes are there
	GaveUp:         &Pattern{Text: `^Command execution timed out`}, // after 15 s
	OwnOutput:      &Pattern{Text: `^Breakpoint error: `},
	FatalText:      &Pattern{Text: `^Stack overflow\.\r?\n`},
	UnhandledText:  &Pattern{Text: `^An unhandled exception of type '`}, CallsHideHits: true,

	ExceptionThrown:    &Pattern{Text: `^Exception thrown: '([^']+)' in `},
	ExceptionUnhandled: &Pattern{Text: `^An unhandled exception of type '([^']+)' occurred in `},
	OptimisedText: &Pattern{Text: `^You are debugging a Release build of (?:(.+?)\. Using Just My Code |.+?\. Without ` +
		`Just My Code )`},
}

// throughShell makes netcoredbg start the program through a shell, which opens a standard input and then becomes the
// program. The launch request has no member for that, and a program that reads would read the debugger's own input.
// What follows -- on the command line replaces program and args of the request. The command is in a script, because
// netcoredbg changes backslashes in arguments. This also starts executables that are not a .dll, which the request
// refuses; without a shell they are on the command line themselves.
func throughShell(r LaunchRequest) ([]string, error) {
	command := []string{r.Program}
	shell := r.Stdin != "" && r.PrivateFile != nil
	if strings.EqualFold(filepath.Ext(r.Program), ".dll") {
		if _, ownPath := r.Env["PATH"]; r.Dotnet == "" && !ownPath {
			return nil, errors.New("`dotnet` was not found (netcoredbg: 0x80070002); install the .NET runtime " +
				"(https://dotnet.microsoft.com/download), " +
				"or set DOTNET_ROOT to the folder that holds it")
		}
		if !shell {
			return nil, nil
		}
		command = []string{cmp.Or(r.Dotnet, "dotnet"), r.Program}
	} else if info, err := os.Stat(r.Program); err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" &&
		info.Mode()&0o111 == 0 {
		return nil, nil // netcoredbg reports what is wrong with it
	}
	command = append(command, r.Args...)
	if !shell {
		return append([]string{"--"}, command...), nil
	}
	if odd := notShells(r.Env, os.Environ()); len(odd) > 0 {
		command = slices.Concat([]string{"/usr/bin/env", "--"}, odd, command)
	}
	text := "exec"
	for _, word := range command {
		text += " " + shellQuote(word)
	}
	text += " <" + shellQuote(r.Stdin) + "\n"
	script, err := r.PrivateFile("run", []byte(text))
	if err != nil {
		return nil, err
	}
	return []string{"--", "/bin/sh", script}, nil
}

func shellQuote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// shellName matches the names of variables that a shell hands on.
var shellName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// shellOwn are variables that shells set themselves.
var shellOwn = []string{
	"_", "BASHOPTS", "BASH_VERSION", "EUID", "IFS", "LINENO", "OLDPWD", "OPTIND", "PPID", "PS1", "PS2", "PS4", "PWD",
	"SHELLOPTS", "SHLVL", "UID",
}

// notShells returns the variables that would not come through a shell: those whose names are no identifiers, of the
// launch and of our environment, and those of the launch that shells set themselves. A name with a minus in front is
// no option of env after --.
func notShells(launch map[string]*string, inherited []string) []string {
	var odd []string
	for _, name := range slices.Sorted(maps.Keys(launch)) {
		if value := launch[name]; value != nil && (!shellName().MatchString(name) || slices.Contains(shellOwn, name)) {
			odd = append(odd, name+"="+*value)
		}
	}
	for _, variable := range inherited {
		name, _, ok := strings.Cut(variable, "=")
		if _, given := launch[name]; ok && name != "" && !given && !shellName().MatchString(name) {
			odd = append(odd, variable)
		}
	}
	return odd
}
