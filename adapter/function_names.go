package adapter

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/program"
	"breakwire/adapter/python"
	"breakwire/dapclient"
	"breakwire/mapping"
	programsymbols "breakwire/mapping/symbols"
)

// What a debugger says of a function that does not exist differs: Delve refuses it, lldb-dap waits for a library that
// has it, debugpy calls it verified. So the names are looked up in the program's executables, or in its Python sources.

// functionNames are the functions of a program's executables or sources. Any goroutine may use it.
type functionNames struct {
	mu      sync.Mutex
	read    map[string]bool // files and folders, by path
	own     []string
	library []string // functions of the language's library
	python  python.Sources
	known   map[string]knownFunction // by the name that was asked for
}

// knownFunction is what is known of a name that was asked for.
type knownFunction struct {
	exists  bool
	similar []string // the functions that were most likely meant
}

// mostSimilar is how many similar names an answer has.
const mostSimilar = 3

// lookUp looks the names of function breakpoints up. bare: the debugger knows functions by their last names.
func (f *functionNames) lookUp(asked []string, bare bool) {
	f.mu.Lock()
	own, library, known := f.own, f.library, maps.Clone(f.known)
	f.mu.Unlock()
	if len(own)+len(library) == 0 {
		return
	}
	if known == nil {
		known = map[string]knownFunction{}
	}
	for _, given := range asked {
		name := given
		if bare {
			name = given[strings.LastIndexByte(given, '.')+1:]
		}
		known[given] = knownFunction{
			exists:  mapping.HasFunction(name, own) || mapping.HasFunction(name, library),
			similar: mapping.SimilarFunctions(name, own, library, mostSimilar),
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known = known
}

// of returns what is known of a name.
func (f *functionNames) of(asked string) (k knownFunction, sources python.Sources) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known[asked], f.python
}

// readPython adds the functions of Python files, and of the files in folders.
func (f *functionNames) readPython(files, folders []string) {
	f.mu.Lock()
	before := f.python
	f.mu.Unlock()
	sources, functions := before.Read(files, folders, f.once)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.python, f.own = sources, append(slices.Clip(f.own), functions...)
}

// once reports whether a file or folder was not read yet.
func (f *functionNames) once(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.read == nil {
		f.read = map[string]bool{}
	}
	first := !f.read[path]
	f.read[path] = true
	return first
}

// readProgram adds the functions of an executable or library.
func (f *functionNames) readProgram(path string, goes bool) {
	if path == "" || !program.IsFile(path) || !f.once(path) {
		return
	}
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	symbols, err := programsymbols.Functions(file)
	if err != nil {
		return
	}
	module := ""
	if goes {
		if build, err := programsymbols.ReadGoBuild(file); err == nil && len(build.Modules) > 0 {
			module = build.Modules[0].Path
		}
	}
	var own, library []string
	for _, symbol := range symbols {
		name, mine := mapping.NativeFunction(symbol)
		if goes {
			name = symbol
			var written bool
			if written, mine = mapping.OwnGoFunction(symbol, module); !written {
				continue
			}
		}
		if mine {
			own = append(own, name)
		} else if name != "" {
			library = append(library, name)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.own, f.library = append(slices.Clip(f.own), own...), append(slices.Clip(f.library), library...)
}

// learnNames looks the names of function breakpoints up in the program. It reads the disk, so the loop must not call
// it. It never does so for a recording or a program elsewhere, whose files are not here.
func (s *Session) learnNames(ctx context.Context) {
	if a := s.origin.attach; !s.backend.Local || a != nil && a.Connect != "" {
		return
	}
	var asked []string
	for _, bp := range s.manager.registry.ForSession(s.id) {
		if bp.Spec.Kind == breakpoint.Function {
			asked = append(asked, bp.Spec.Function)
		}
	}
	if len(asked) == 0 {
		return
	}
	names := &s.sources.names
	launched := ""
	if s.origin.launch != nil {
		launched = s.origin.launch.Program
	}
	switch s.profile.Language {
	case dapclient.Go:
		names.readProgram(launched, true)
		names.readProgram(s.goBinary(), true)
	case dapclient.C:
		names.readProgram(launched, false)
		names.readProgram(s.goBinary(), false)
		for _, m := range s.loadedModules(ctx) {
			if !m.System() {
				names.readProgram(m.Path, false)
			}
		}
	case dapclient.Python:
		names.readPython(s.pythonPlaces(ctx, launched))
	default:
		return
	}
	names.lookUp(asked, s.profile.BareFunctions)
}

// loadedModules asks for the program's modules; none when the debugger does not tell them soon.
func (s *Session) loadedModules(ctx context.Context) []Module {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	list, _ := s.ListModules(ctx)
	return list
}

// pythonPlaces returns the files and folders in which the functions of a Python program can be.
func (s *Session) pythonPlaces(ctx context.Context, script string) (files, folders []string) {
	if script != "" {
		files, folders = append(files, script), append(folders, filepath.Dir(script))
	}
	for _, m := range s.loadedModules(ctx) {
		files = append(files, m.Path)
	}
	return files, append(folders, s.manager.opts.ProjectRoot)
}

// explainFunctions completes what lists say of function breakpoints, when the program runs. It reads the disk, so the
// loop must not call it.
func (s *Session) explainFunctions(ctx context.Context) {
	bindings := s.Snapshot().Bindings
	unclear := func(bp *breakpoint.Breakpoint) bool {
		b := bindings[bp.ID]
		return bp.Spec.Kind == breakpoint.Function && b != nil && (b.State != breakpoint.Bound || s.profile.BareFunctions)
	}
	if s.profile.Language == dapclient.DotNet || !slices.ContainsFunc(s.manager.registry.ForSession(s.id), unclear) {
		return
	}
	s.learnNames(ctx)
	_, _ = onLoop(ctx, s, func(done func(struct{}, error)) {
		if s.life.ending == nil {
			s.rebind()
		}
		done(struct{}{}, nil)
	})
}

// judgeName says of a function breakpoint whose name the program does not have that it has none, and which names are
// near.
func (s *Session) judgeName(spec breakpoint.Spec, b *breakpoint.Binding) {
	k, sources := s.sources.names.of(spec.Function)
	near, resumed := "", sources.Resumed(spec.Function)
	if len(k.similar) > 0 {
		near = "; nearest names: " + strings.Join(k.similar, ", ")
	}
	switch {
	case b.State == breakpoint.Failed && !k.exists:
		b.Message += near
	case b.State == breakpoint.Failed && s.profile.Language == dapclient.Go && strings.Contains(spec.Function, "["):
		b.Message += fmt.Sprintf("; %s takes a generic function without type arguments, for all its instances: %s",
			s.profile.Name, mapping.WrittenFunction(spec.Function))
	case b.State == breakpoint.Pending && slices.Contains(k.similar, spec.Function):
		b.Message = fmt.Sprintf("%s finds no function by this name, although the program's symbols have it (as generic "+
			"functions of Rust): set a breakpoint on a line of it", s.profile.Name)
	case b.State == breakpoint.Pending && s.profile.Language == dapclient.C:
		b.Message = "no function of this name is in the program and its libraries so far" + near
	case b.State == breakpoint.Bound && s.profile.BareFunctions && sources.Misses(spec.Function) && b.Counts.Hits() == 0:
		// It verifies every name.
		b.State = breakpoint.Pending
		b.Message = fmt.Sprintf("no def of this name is in %s of the program; only a function of another module, or one "+
			"that is made at run time, can hit it", sources.String()) + near
	case b.State == breakpoint.Bound && s.profile.BareFunctions && resumed != "" && b.Counts.Hits() == 0:
		b.State = breakpoint.Pending
		b.Message = fmt.Sprintf("a coroutine (async def) or generator of this name begins at %s, and %s does not stop "+
			"where one begins: set a breakpoint on a line of it", resumed, s.profile.Name)
	}
}
