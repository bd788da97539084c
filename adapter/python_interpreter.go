package adapter

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/fault"
	"breakwire/adapter/program"
	"breakwire/dapclient"
)

// Two interpreters take part in a Python session: the adapter's, which has debugpy, and the program's, which need not
// have it. The adapter's debugpy is loaded there (python/sitecustomize.py).

// chooseInterpreter decides in which interpreter the program runs: the one that was named, else that of the program's
// own environment, else the first on PATH when the adapter's was found behind it. path is the archive with our
// sitecustomize.
func (s *Session) chooseInterpreter(ctx context.Context, path string) error {
	launch := s.origin.launch
	if len(launch.Interpreter) > 0 {
		launch.Python = launch.Interpreter[0]
	} else {
		folder := launch.Cwd // of a module
		if launch.Program != "" {
			folder = filepath.Dir(launch.Program)
		}
		launch.Python = cmp.Or(pythonFor(folder, launch.Env, s.manager.mayInterpret), s.shellPython(ctx))
	}
	own := launch.Python
	if own == "" || own == s.backend.Exe || s.manager.pythons.fit(ctx, s.backend.Exe, own, path) {
		return nil
	}
	if _, err := askDebugpy(ctx, own); err == nil { // it has a debugpy of its own
		s.backend.Exe, s.backend.Open = own, Spawn(s.profile, own, s.profile.Args)
		return nil
	}
	if len(launch.Interpreter) > 0 {
		return fault.Errorf(fault.LaunchFailed, "the program could not be launched: %s, which was named to run it, "+
			"cannot load "+
			"the debugpy of %s; install debugpy there (%s -m pip install debugpy)", own, s.backend.Exe, own).
			With("python", own).With("backend", s.profile.Name)
	}
	launch.Python = ""
	s.warn(fault.Errorf(fault.BackendStartFailed, "the program runs on %s: the interpreter of its own environment, %s, "+
		"cannot load that debugpy; install debugpy there (%s -m pip install debugpy)", s.backend.Exe, own, own))
	return nil
}

// shellPython returns the interpreter that a shell would start, when the adapter's was found elsewhere because that one
// has no debugpy. It returns "" when somebody chose the adapter's.
func (s *Session) shellPython(ctx context.Context) string {
	if os.Getenv(s.profile.PathEnv) != "" || s.manager.opts.Backends.Path != "" {
		return ""
	}
	found := pythonsOnPath(s.profile.Executables)
	if len(found) == 0 || found[0] == s.backend.Exe {
		return ""
	}
	if real, err := askDebugpy(ctx, found[0]); err == nil && real == s.backend.Exe {
		return "" // a shim that leads to it
	}
	return found[0]
}

// interpreterName matches the file names of Python interpreters.
var interpreterName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:(python|pypy)(\d+(\.\d+)*)?[wt]?(-dbg)?(\.exe)?)$`)
})

// isPython reports whether a file is a Python interpreter, by its name.
func isPython(exe string) bool {
	return interpreterName().MatchString(filepath.Base(exe)) && program.IsExecutable(exe)
}

// pythonProgram takes the command line of an interpreter that was given as program apart: its options, then a module
// (-m), code (-c) or a script. These become the program.
func (p *LaunchParams) pythonProgram() error {
	if p.Program == "" || !isPython(p.Program) {
		return nil
	}
	options, args := 0, p.Args
	for options < len(args) && len(args[options]) > 1 && args[options][0] == '-' {
		option := args[options]
		if at := strings.IndexAny(option[1:], "mcXW") + 1; at > 0 && option[1] != '-' {
			value, taken := option[at+1:], 1
			if value == "" {
				if options+1 == len(args) {
					break // it has no value
				}
				value, taken = args[options+1], 2
			}
			if option[at] == 'm' || option[at] == 'c' {
				member := map[byte]string{'m': "module", 'c': "code"}[option[at]]
				leading := slices.Clone(args[:options])
				if at > 1 {
					leading = append(leading, option[:at])
				}
				return p.interpret(leading, args[options+taken:], member, value)
			}
			options += taken
			continue
		}
		if options++; option == "--check-hash-based-pycs" {
			options++
		}
	}
	if options >= len(args) || args[options] == "-" || strings.HasPrefix(args[options], "-") {
		return fault.Errorf(fault.LaunchFailed, "%s is an interpreter, and args names nothing that it runs: "+
			"give a script, -m MODULE or -c CODE in args, or the script as program", p.Program)
	}
	script := args[options]
	if !filepath.IsAbs(script) {
		script = filepath.Join(p.Cwd, script)
	}
	if _, err := os.Stat(script); err != nil {
		return fault.Errorf(fault.InvalidPath, "program %s: %v; args names it as the script for %s", script,
			program.PathReason(err), p.Program).With("path", script)
	}
	return p.interpret(args[:options], args[options+1:], "program", script)
}

// RunModule makes a launch that of a module of Python, as python -m. An interpreter as the program runs it.
func (p *LaunchParams) RunModule(name string) error {
	options := []string{}
	switch {
	case p.Program != "" && !isPython(p.Program):
		return fault.Errorf(fault.InvalidParameter, "module is run by python -m; leave program out, or give an interpreter").
			With("parameter", "module")
	case p.Program == "":
		p.Extra = maps.Clone(p.Extra)
		if p.Extra == nil {
			p.Extra = map[string]any{}
		}
		p.Extra["module"] = name
		return nil
	}
	return p.interpret(options, p.Args, "module", name)
}

// findInterpreter makes the named interpreter a path: it may be a name on PATH, or the folder of an environment. Its
// options become those of the launch.
func (p *LaunchParams) findInterpreter() error {
	if len(p.Interpreter) == 0 {
		return nil
	}
	named := p.Interpreter[0]
	exe, err := exec.LookPath(cmp.Or(venvPython(named), named))
	if err == nil {
		exe, err = filepath.Abs(exe)
	}
	if err != nil {
		var e *exec.Error
		if errors.As(err, &e) {
			err = e.Err
		}
		return fault.Errorf(fault.InvalidPath, "python %s: %v; give an interpreter that exists, or leave python out of the "+
			"configuration", named, program.PathReason(err)).With("path", named)
	}
	if options := p.Interpreter[1:]; len(options) > 0 {
		p.Extra = maps.Clone(p.Extra)
		if p.Extra == nil {
			p.Extra = map[string]any{}
		}
		more, _ := p.Extra["pythonArgs"].([]any)
		all := []any{}
		for _, option := range options {
			all = append(all, option)
		}
		p.Extra["pythonArgs"] = append(all, more...)
	}
	p.Interpreter = []string{exe}
	return nil
}

// interpret makes the interpreter's command of the launch: options, what it runs, and the program's arguments.
func (p *LaunchParams) interpret(options, args []string, member, value string) error {
	p.Interpreter = append([]string{p.Program}, options...)
	p.Program, p.Args = "", slices.Clone(args)
	if member == "program" {
		p.Program = value
		return nil
	}
	extra := maps.Clone(p.Extra)
	if extra == nil {
		extra = map[string]any{}
	}
	extra[member] = value
	p.Extra = extra
	return nil
}

// pythonsOnPath returns the interpreters with one of the names in the folders of PATH, in its order. A second name of
// one in the same folder is left out.
func pythonsOnPath(names []string) []string {
	var patterns []string
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		for _, name := range names {
			if folder != "" {
				patterns = append(patterns, filepath.Join(folder, name))
			}
		}
	}
	return interpreters(patterns)
}

// interpreters returns the executables of a list of paths. ~ and a * for a folder's name are understood.
func interpreters(paths []string) []string {
	var found []string
	seen := map[string]bool{}
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				continue
			}
			path = filepath.Join(home, rest)
		}
		some := []string{path}
		if strings.Contains(path, "*") {
			some, _ = filepath.Glob(path)
			slices.Reverse(some) // the newest version first
		}
		for _, one := range some {
			exe, err := exec.LookPath(one)
			if err != nil {
				continue
			}
			if abs, err := filepath.Abs(exe); err == nil {
				exe = abs
			}
			// Links of the folder and of the file lead to one program, but each folder is an environment of its own.
			folder, _ := filepath.EvalSymlinks(filepath.Dir(exe))
			file, _ := filepath.EvalSymlinks(exe)
			if key := folder + "\x00" + file; !seen[key] {
				seen[key] = true
				found = append(found, exe)
			}
		}
	}
	return found
}

// findDebugpy returns the first interpreter that has debugpy: on PATH, then in well-known places.
func findDebugpy(ctx context.Context, p *dapclient.Profile) (string, error) {
	looked, silent := []string{}, ""
	for _, exe := range append(pythonsOnPath(p.Executables), interpreters(p.WellKnown)...) {
		if slices.Contains(looked, exe) {
			continue
		}
		looked = append(looked, exe)
		real, err := askDebugpy(ctx, exe)
		if err == nil {
			return real, nil
		}
		if silent == "" && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
			silent = " (" + exe + " does not say whether it has it)"
		}
		if ctx.Err() != nil {
			break // no time is left for others
		}
	}
	where := "there is no Python on PATH"
	if len(looked) > 0 {
		where = "neither of these has it: " + strings.Join(looked, ", ")
		if len(looked) == 1 {
			where = looked[0] + " does not have it"
		}
	} else {
		looked = slices.Concat(p.Executables, p.WellKnown)
	}
	return "", fault.Errorf(fault.BackendNotFound, "%s was not found%s: %s; %s, or set %s", p.Name, silent, where,
		p.Install,
		p.PathEnv).
		With("backend", p.Name).With("looked", looked)
}

// pythonFor returns the interpreter of the program's own environment: a .venv or venv in its folder or a folder above,
// else the environment (venv or conda) that is active here or in the launch. It returns "" when there is none; the
// adapter's interpreter is then used. may reports whether an interpreter that was found in a folder may be run.
func pythonFor(folder string, env map[string]*string, may func(exe string) bool) string {
	home, _ := os.UserHomeDir()
	for ; ; folder = filepath.Dir(folder) {
		for _, name := range []string{".venv", "venv"} {
			if exe := venvPython(filepath.Join(folder, name)); exe != "" && may(exe) {
				return exe
			}
		}
		if folder == home || folder == filepath.Dir(folder) {
			break
		}
	}
	for _, variable := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		active := os.Getenv(variable)
		if value, given := env[variable]; given && value == nil {
			active = ""
		} else if given {
			active = *value
		}
		if exe := venvPython(active); exe != "" {
			return exe
		}
	}
	return ""
}

// pythons caches which interpreters can run programs under which adapter.
type pythons struct{ known sync.Map } // [2]string to bool

// pythonPatience bounds a cold start of an interpreter.
const pythonPatience = 10 * time.Second

// python returns the command for a short run of an interpreter.
func python(ctx context.Context, exe string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.WaitDelay = 100 * time.Millisecond // for processes that it left running with its output open
	return cmd
}

// askDebugpy asks an interpreter for its own path and for debugpy. A shim of a version manager answers with the path
// that it leads to. The error is the context's when there was no answer.
func askDebugpy(ctx context.Context, exe string) (real string, err error) {
	ctx, cancel := context.WithTimeout(ctx, pythonPatience)
	defer cancel()
	out, err := python(ctx, exe, "-c", "import debugpy, sys; print(sys.executable)").Output()
	if err != nil {
		return "", cmp.Or(ctx.Err(), err)
	}
	if real = strings.TrimSpace(string(out)); !program.IsExecutable(real) || !filepath.IsAbs(real) {
		real = exe
	}
	return real, nil
}

// fit reports whether an interpreter can load the debugpy of the adapter's, with our sitecustomize in the archive path.
func (p *pythons) fit(ctx context.Context, adapter, own, path string) bool {
	if ok, found := p.known.Load([2]string{adapter, own}); found {
		return ok.(bool)
	}
	file, err := python(ctx, adapter, "-c", "import debugpy; print(debugpy.__file__)").Output()
	ok := err == nil
	if ok {
		cmd := python(ctx, own, filepath.Dir(strings.TrimSpace(string(file))), "--version")
		if path != "" {
			cmd.Env = program.SetEnv(os.Environ(), "PYTHONPATH", beforePythonPath(path))
		}
		ok = cmd.Run() == nil
	}
	if ctx.Err() == nil {
		p.known.Store([2]string{adapter, own}, ok)
	}
	return ok
}

// venvPython returns the interpreter of a virtual or conda environment, "" when the folder is none.
func venvPython(folder string) string {
	if folder == "" {
		return ""
	}
	exe := filepath.Join(folder, "bin", "python")
	conda, _ := os.Stat(filepath.Join(folder, "conda-meta"))
	switch venv := program.IsFile(filepath.Join(folder, "pyvenv.cfg")); {
	case !venv && (conda == nil || !conda.IsDir()):
		return ""
	case runtime.GOOS == "windows" && venv:
		exe = filepath.Join(folder, "Scripts", "python.exe")
	case runtime.GOOS == "windows":
		exe = filepath.Join(folder, "python.exe")
	}
	if !program.IsExecutable(exe) {
		return ""
	}
	return exe
}
