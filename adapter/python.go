package adapter

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"breakwire/adapter/fault"
	"breakwire/adapter/program"
	"breakwire/adapter/python"
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
		launch.Python = cmp.Or(python.For(folder, launch.Env, s.manager.mayInterpret), s.shellPython(ctx))
	}
	own := launch.Python
	if own == "" || own == s.backend.Exe || s.manager.pythons.Fit(ctx, s.backend.Exe, own, path) {
		return nil
	}
	if _, err := python.AskDebugpy(ctx, own); err == nil { // it has a debugpy of its own
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
	found := python.OnPath(s.profile.Executables)
	if len(found) == 0 || found[0] == s.backend.Exe {
		return ""
	}
	if real, err := python.AskDebugpy(ctx, found[0]); err == nil && real == s.backend.Exe {
		return "" // a shim that leads to it
	}
	return found[0]
}

// preparePython makes the files that the processes of a Python session load at their start, and chooses the program's
// interpreter. It returns what the adapter gets in front of its PYTHONPATH, "" for nothing.
func (s *Session) preparePython(ctx context.Context) (path string, err error) {
	archive, err := python.SiteArchive()
	if err == nil {
		path, err = s.made.files.Add("sitecustomize.zip", archive, s.folder)
	}
	if s.origin.launch != nil {
		if err := s.chooseInterpreter(ctx, path); err != nil {
			return "", err
		}
	}
	if err != nil {
		s.log.Warn("debugpy will be slow", "error", err)
		return "", nil
	}
	if s.origin.launch != nil {
		s.origin.launch.PythonPath = path
	}
	return path, nil
}

// pythonProgram takes the command line of an interpreter that was given as program apart: its options, then a module
// (-m), code (-c) or a script. These become the program.
func (p *LaunchParams) pythonProgram() error {
	if p.Program == "" || !python.Is(p.Program) {
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
	case p.Program != "" && !python.Is(p.Program):
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
	exe, err := exec.LookPath(cmp.Or(python.InEnvironment(named), named))
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
