package adapter

import (
	"errors"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/program"
	"breakwire/dapclient"
	"breakwire/mapping"
	"breakwire/mapping/expression"
)

// Permissions restrict what clients may do. The zero value forbids nothing: whoever debugs a program can do all that
// the program can.
type Permissions struct {
	// ReadOnly forbids everything that changes a program: expressions with side effects anywhere, setting variables,
	// writing to its input, ending a program that was attached to, and starting or attaching to a program that Programs
	// does not name.
	ReadOnly bool

	// Programs are patterns of the programs that may be started and attached to (path.Match, and DIR/** for everything
	// below). No pattern means all programs, or none when ReadOnly. On this machine, symbolic links on both sides are
	// followed first; the program of a remote backend is compared as written.
	Programs []string
}

func (p *Permissions) restricted() bool { return p.ReadOnly || len(p.Programs) > 0 }

func denied(format string, args ...any) *fault.Error {
	return fault.Errorf(fault.PermissionDenied, format, args...)
}

// harmlessMembers are the members of a launch configuration that breakwire handles itself or that only affect an
// editor. None runs anything. The variables of env and environment are checked one by one.
var harmlessMembers = []string{
	"name", "type", "request", "program", "args", "cwd", "env", "environment", "stopAtEntry", "stopOnEntry",
	"justMyCode",
	"console", "internalConsoleOptions", "terminal", "externalConsole", "presentation", "redirectOutput", "outputMode",
	"logging",
	"MIMode", "suppressMultipleSessionWarning", "windows", "linux", "osx",
}

// mayConfigure checks the members of a launch configuration. A member that is not known to be harmless may run a
// command or load code.
func mayConfigure(b *Backend, p *LaunchParams) error {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.Members,
		slices.Collect(maps.Keys(p.Extra)))))) {
		if slices.Contains(harmlessMembers, name) || strings.HasPrefix(name, "$") {
			continue
		}
		value, sent := p.Extra[name]
		if name == "mode" && !sent || b.Profile.Harmless != nil && b.Profile.Harmless(name, value, p.Program) {
			continue // mode auto is our own choice
		}
		return denied("this server starts only programs that it was told to (--read-only, --allow-program), "+
			"and %q of the launch configuration could run "+
			"or load something else; give program, args and cwd in the call instead", name).With("key",
			name).With("backend", b.Profile.Name)
	}
	return nil
}

// mayStart checks a launch. It replaces the program by the path that was checked, since the given one may be a link
// that changes.
func (m *Manager) mayStart(b *Backend, p *LaunchParams) error {
	perm := &m.opts.Permissions
	if !perm.restricted() || b.Replayed || p.allowed {
		return nil
	}
	if err := mayConfigure(b, p); err != nil {
		return err
	}
	executable := p.Program
	if dapclient.IsPage(executable) {
		return denied("this server starts only programs that it was told to (--read-only, --allow-program), and a page is "+
			"shown by a browser, which runs any; ask the user to start it without").With("program", executable)
	}
	if b.Local {
		var err error
		if executable, err = filepath.EvalSymlinks(executable); err != nil {
			return fault.Errorf(fault.InvalidPath, "program %s: %v; give the path of the program to debug", p.Program,
				program.PathReason(err)).With("path", p.Program)
		}
	}
	if !perm.names(executable, b.Local) {
		return perm.refuse(executable)
	}
	if err := mayNotSet(p.Env); err != nil {
		return err
	}
	p.Program = executable
	return nil
}

// mayNotSet refuses variables: one is enough to make a program load any code, and so is a missing one.
func mayNotSet(env map[string]*string) error {
	if len(env) == 0 {
		return nil
	}
	name := slices.Min(slices.Collect(maps.Keys(env)))
	return denied("this server starts only programs that it was told to (--allow-program), "+
		"and with its own environment; leave %s out of env", name).
		With("variable", name)
}

// mayOpenCore checks a core file and the program that is said to have left it. Under restrictions it returns them
// without links, and patterns must name both: a core file may hold the memory of any other program.
func (m *Manager) mayOpenCore(exe, core string) (string, string, error) {
	perm := &m.opts.Permissions
	for _, file := range []*string{&exe, &core} {
		if !perm.restricted() {
			break
		}
		real, err := filepath.EvalSymlinks(*file)
		if err != nil || !perm.names(real, true) {
			return "", "", denied("this server debugs only programs that it was told to (--read-only, --allow-program), and a "+
				"core file holds the memory of any; ask the user to start it with --allow-program for %s too", *file).
				With("parameter", "core")
		}
		*file = real
	}
	for parameter, file := range map[string]string{"core": core, "program": exe} {
		if !program.IsFile(file) {
			return "", "", fault.Errorf(fault.InvalidPath, "%s %s is no file; give the core file, and the program that left it",
				parameter, file).With("path", file)
		}
	}
	return exe, core, nil
}

// mayRunBuilt checks the assembly of an allowed .NET program: a pattern must name it, or it must be below the program's
// own folder.
func (m *Manager) mayRunBuilt(executable string, p *LaunchParams) error {
	perm := &m.opts.Permissions
	if !perm.restricted() || p.Program == executable {
		return nil
	}
	built, err := filepath.EvalSymlinks(p.Program)
	if err != nil {
		return fault.Errorf(fault.InvalidPath, "program %s: %v", p.Program, program.PathReason(err)).With("path", p.Program)
	}
	folder := filepath.Dir(executable)
	if info, err := os.Stat(executable); err == nil && info.IsDir() {
		folder = executable
	}
	if inside, err := filepath.Rel(folder, built); (err != nil || !filepath.IsLocal(inside)) && !perm.names(built,
		true) {
		return perm.refuse(built)
	}
	p.Program = built
	return nil
}

// mayStartChild checks a launch that an adapter asks for.
func (m *Manager) mayStartChild(b *Backend, configuration map[string]any) error {
	p := LaunchParams{}
	p.Program, _ = configuration["program"].(string)
	p.Extra = configuration
	for _, member := range []string{"env", "environment"} {
		if v := configuration[member]; v != nil && m.opts.Permissions.restricted() {
			return denied("a launch that the debugger asks for sets its own environment").With("key", member)
		}
	}
	return m.mayStart(b, &p)
}

// mayInterpret reports whether an interpreter found beside a program may run it. Links of its folder are followed, but
// not of the interpreter itself, which is a link in virtual environments.
func (m *Manager) mayInterpret(exe string) bool {
	perm := &m.opts.Permissions
	if !perm.restricted() {
		return true
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(exe))
	return err == nil && perm.names(filepath.Join(folder, filepath.Base(exe)), true)
}

// mayAttach checks an attach by the executable of the process: it must exist and match a pattern.
func (m *Manager) mayAttach(backend string, pid int) error {
	perm := &m.opts.Permissions
	if _, ok := m.opts.Backends.replay(); ok {
		return nil
	}
	exe := ""
	if m.opts.Backends.local(backend) {
		info, err := dapclient.FindProcess(pid)
		if errors.Is(err, dapclient.ErrNoProcess) {
			return fault.Errorf(fault.ProcessNotFound, "there is no process %d", pid).With("processId", pid)
		}
		if err == nil {
			exe, _ = filepath.EvalSymlinks(info.Exe)
		}
	}
	if !perm.restricted() {
		return nil
	}
	if exe == "" || !perm.names(exe, true) {
		return perm.refuse(exe).With("processId", pid)
	}
	return nil
}

func (p *Permissions) refuse(program string) *fault.Error {
	if program == "" {
		program = "what cannot be told"
	}
	return denied("this server may not debug %s: it was started with --read-only or --allow-program, and no "+
		"--allow-program names it; ask the user to start it with one that does", program).
		With("program", program)
}

// names reports whether a pattern matches the path of a program. local means that the program is on this machine.
func (p *Permissions) names(program string, local bool) bool {
	program = slashed(program)
	for _, pattern := range p.Programs {
		if local || !mapping.IsAbs(pattern) {
			pattern = resolvePattern(pattern)
		}
		if matches(slashed(pattern), program) {
			return true
		}
	}
	return false
}

// matches reports whether a pattern is one of a path.
func matches(pattern, name string) bool {
	if dir, all := strings.CutSuffix(pattern, "/**"); all {
		rest, ok := strings.CutPrefix(name, dir)
		return ok && strings.HasPrefix(rest, "/")
	}
	ok, _ := path.Match(pattern, name)
	return ok
}

// namesAt reports whether a pattern PLACE:PATTERN names something elsewhere: a program in a container (docker:NAME,
// pod:NAME), or an address (connect).
func (p *Permissions) namesAt(place, name string) bool {
	return name != "" && slices.ContainsFunc(p.Programs, func(pattern string) bool {
		pattern, ok := strings.CutPrefix(pattern, place+":")
		return ok && matches(pattern, name)
	})
}

// namesAnyAt reports whether a pattern names anything at a place.
func (p *Permissions) namesAnyAt(place string) bool {
	return slices.ContainsFunc(p.Programs, func(pattern string) bool { return strings.HasPrefix(pattern, place+":") })
}

// slashed returns a path in the form in which patterns are compared: with slashes, also for Windows.
func slashed(name string) string {
	name = mapping.Clean(name)
	if mapping.IsWindowsPath(name) {
		name = strings.ReplaceAll(name, `\`, "/")
	}
	return name
}

// CheckPattern returns an error for a malformed pattern.
func CheckPattern(pattern string) error {
	_, err := filepath.Match(pattern, "")
	return err
}

// resolvePattern makes a pattern absolute and follows the links in the part before its first special character.
func resolvePattern(pattern string) string {
	if abs, err := filepath.Abs(pattern); err == nil {
		pattern = abs
	}
	fixed := pattern
	if i := strings.IndexAny(pattern, "*?["); i >= 0 {
		fixed = pattern[:strings.LastIndexByte(pattern[:i], os.PathSeparator)+1]
	}
	resolved, err := filepath.EvalSymlinks(fixed)
	if err != nil {
		return pattern
	}
	if rest := pattern[len(fixed):]; rest != "" {
		return strings.TrimSuffix(resolved, string(filepath.Separator)) + string(filepath.Separator) + rest
	}
	return resolved
}

// mayWatch checks the expressions of a breakpoint, which are evaluated in the program at each hit.
func (m *Manager) mayWatch(spec breakpoint.Spec) error {
	if !m.opts.Permissions.ReadOnly {
		return nil
	}
	if !typeName().MatchString(spec.ExceptionType) {
		return fault.Errorf(fault.EvalRejected, "%s is no name of a type, and breakwire is read-only; give the full name",
			spec.ExceptionType).
			With("category", string(expression.ParseError)).With("offending", spec.ExceptionType)
	}
	for _, lang := range languagesOf(spec.File) {
		if text, r := effect(&spec, lang); r != nil {
			return fault.Errorf(fault.EvalRejected, "%s: %s is not allowed while breakwire is read-only (%s); allowed are %s",
				text, r.Offending, r.Reason(), expression.Allowed).
				With("category", string(r.Category)).With("offending", r.Offending).With("expression", text)
		}
	}
	return nil
}

// typeName is what an exception breakpoint may name under --read-only, because some debuggers evaluate it as a
// condition.
var typeName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:[\\pL\\pN_.+:<>, *]|`[0-9]+)*$") })

// effect returns the first expression of a breakpoint that may change a program of a language.
func effect(spec *breakpoint.Spec, lang expression.Language) (text string, r *expression.Rejection) {
	for _, text := range spec.Expressions() {
		if r := expression.Safe(lang, text); r != nil {
			return text, r
		}
	}
	return "", nil
}

// harmless leaves out breakpoints that may change the program in the session's language. A file name may have suggested
// another language.
func (s *Session) harmless(all []*breakpoint.Breakpoint) []*breakpoint.Breakpoint {
	if !s.manager.opts.Permissions.ReadOnly {
		return all
	}
	return slices.DeleteFunc(all, func(bp *breakpoint.Breakpoint) bool {
		_, r := effect(&bp.Spec, expression.Language(s.profile.Language))
		return r != nil
	})
}

// languagesOf returns the languages in which a breakpoint's expressions may be read. They follow from the file name,
// since there may be no session yet.
func languagesOf(file string) []expression.Language {
	byName := map[string]dapclient.Language{
		".cs": dapclient.DotNet, ".vb": dapclient.DotNet, ".fs": dapclient.DotNet, ".go": dapclient.Go,
		".py": dapclient.Python,
		".c":  dapclient.C, ".h": dapclient.C, ".cc": dapclient.C, ".cpp": dapclient.C, ".hpp": dapclient.C,
		".rs": dapclient.C,
	}
	if lang, ok := byName[strings.ToLower(filepath.Ext(file))]; ok {
		return []expression.Language{expression.Language(lang)}
	}
	all := []expression.Language{""} // none of these
	for _, lang := range []dapclient.Language{dapclient.DotNet, dapclient.Go, dapclient.Python, dapclient.C,
		dapclient.JavaScript} {
		all = append(all, expression.Language(lang))
	}
	return all
}

// mayChange refuses what changes the program directly, when read-only.
func (s *Session) mayChange(what string) error {
	if err := s.needsLife(what); err != nil {
		return err
	}
	if s.manager.opts.Permissions.ReadOnly {
		return denied("breakwire is read-only (--read-only): %s would change the program", what).With("sessionId", s.id)
	}
	return nil
}

// mayTerminate refuses to end a program that was attached to, when read-only.
func (s *Session) mayTerminate(terminate *bool) error {
	if s.public.info.Attached && terminate != nil && *terminate {
		return s.mayChange("ending a program that breakwire did not start")
	}
	return nil
}
