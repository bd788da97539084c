package adapter

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/inspect"
	"breakwire/adapter/program"
	"breakwire/dapclient"
	"breakwire/mapping"
	programsymbols "breakwire/mapping/symbols"
)

// netcoredbg finds functions by their names in metadata: Shop.Repository`1.Add, and for an async method
// <LoadAsync>d__0.MoveNext. People write Repository<T>.Add and LoadAsync. So the names of the functions are read from
// the modules, and the debugger gets those that are meant.

// maxNames is how many functions one name may mean. Beyond that it goes to the debugger as it is written.
const maxNames = 100

// functions holds the functions with code of the program's modules, as their metadata names them. Any goroutine may use
// it.
type functions struct {
	mu     sync.Mutex
	read   map[string]bool // modules, by path
	names  []string
	hidden map[string][]string // types by the members that hide one of a base class
	shown  map[string]programsymbols.Display
	tuples map[string][]string // names of elements, by member and parameter
	meant  map[string][]string // by the name that was asked for
	nearby map[string][]string // the same for names of no function
}

// readFunctions adds the functions of modules that have symbols. It reads the disk, so the loop must not call it.
func (s *Session) readFunctions(paths ...string) {
	f := &s.sources.functions
	for _, path := range paths {
		f.mu.Lock()
		known := f.read[path]
		f.mu.Unlock()
		if known || !program.IsFile(path) {
			continue
		}
		var names []string
		hidden, shown := hiddenOf(path), ofModule(path, programsymbols.CLRDisplays)
		tuples := ofModule(path, programsymbols.CLRTuples)
		if pdb, err := s.manager.symbolCache.read(path); err == nil {
			for i, name := range functionsOf(path) {
				if pdb.HasCode(i) {
					names = append(names, name)
				}
			}
		}
		f.mu.Lock()
		if f.read == nil {
			f.read, f.hidden, f.shown = map[string]bool{}, map[string][]string{}, map[string]programsymbols.Display{}
			f.tuples = map[string][]string{}
		}
		maps.Copy(f.shown, shown)
		maps.Copy(f.tuples, tuples)
		for name, types := range hidden {
			f.hidden[name] = append(f.hidden[name], types...)
		}
		f.read[path] = true
		f.names = append(f.names, names...)
		f.meant, f.nearby = map[string][]string{}, map[string][]string{}
		f.mu.Unlock()
	}
}

// functionsOf returns the functions of a module by their number, nil when it cannot be read.
func functionsOf(path string) []string { return ofModule(path, programsymbols.CLRFunctions) }

// hiddenOf returns the members of a module that hide others, and the types in which they do.
func hiddenOf(path string) map[string][]string { return ofModule(path, programsymbols.CLRHidden) }

// ofModule reads a module; the result is empty when that is not possible.
func ofModule[T any](path string, read func(io.ReaderAt, int64) (T, error)) (none T) {
	file, err := os.Open(path)
	if err != nil {
		return none
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return none
	}
	got, err := read(file, info.Size())
	if err != nil {
		return none
	}
	return got
}

// find returns the functions that a name means, and, when there are none, those that were most likely meant.
func (f *functions) find(asked string) (meant, nearby []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if meant, known := f.meant[asked]; known || len(f.names) == 0 {
		return meant, f.nearby[asked]
	}
	for _, name := range f.names {
		if mapping.SameFunction(name, asked) && !slices.Contains(meant, name) {
			meant = append(meant, name)
		}
	}
	if len(meant) == 0 {
		f.nearby[asked] = mapping.NearestFunctions(asked, f.names, 3)
	}
	f.meant[asked] = meant
	return meant, f.nearby[asked]
}

// known reports whether the functions of any module were read.
func (f *functions) known() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.names) > 0
}

// functionNames returns the names under which a function goes to the debugger. "" is the name as it is written.
func (s *Session) functionNames(asked string) []string {
	if s.profile.Language != dapclient.DotNet {
		return []string{""}
	}
	names, _ := s.sources.functions.find(asked)
	if len(names) == 0 || len(names) > maxNames {
		return []string{asked}
	}
	if at := strings.IndexByte(asked, '!'); at >= 0 {
		names = slices.Clone(names)
		for i := range names {
			names[i] = asked[:at+1] + names[i]
		}
	}
	return names
}

// hasFunctions reports whether a function breakpoint may be of this session's program.
func (s *Session) hasFunctions() bool {
	isFunction := func(bp *breakpoint.Breakpoint) bool { return bp.Spec.Kind == breakpoint.Function }
	return s.profile.Language == dapclient.DotNet && s.backend.Local &&
		slices.ContainsFunc(s.manager.registry.ForSession(s.id), isFunction)
}

// learnFunctions reads what function breakpoints need: the functions of the loaded modules and, before these are
// loaded, of the modules beside the program. It reads the disk, so the loop must not call it.
func (s *Session) learnFunctions(ctx context.Context) {
	s.learnNames(ctx)
	if !s.hasFunctions() {
		return
	}
	var paths []string
	if s.origin.launch != nil {
		paths = programModules(s.origin.launch.Program)
	}
	for _, m := range s.Snapshot().Modules {
		if m.Path != "" && m.SymbolStatus != "not_found" {
			paths = append(paths, m.Path)
		}
	}
	s.readFunctions(paths...)
}

// programModules returns the module of a program, and the modules beside it that have symbols.
func programModules(path string) []string {
	own := strings.TrimSuffix(path, filepath.Ext(path)) + ".dll"
	if strings.EqualFold(filepath.Ext(path), ".dll") {
		own = path
	} else if !program.IsFile(own) {
		own = path + ".dll" // an executable whose name has a dot
	}
	paths := []string{own}
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return paths
	}
	for _, e := range entries {
		name, isSymbols := strings.CutSuffix(e.Name(), ".pdb")
		if path := filepath.Join(folder, name+".dll"); isSymbols && path != own {
			paths = append(paths, path)
		}
	}
	return paths
}

// spellFunctions sends the function breakpoints again when modules were read in which they have other names.
func (s *Session) spellFunctions() {
	if s.profile.Language != dapclient.DotNet || !s.canSync() || s.held.Functions.Busy {
		return
	}
	wanted := s.wantedFunctions()
	if !slices.EqualFunc(wanted, s.held.Functions.Entries, (*breakpoint.Entry).Same) {
		s.begin(func(t *turn) { s.syncFunctions(t) })
	}
}

// judgeFunction fails a function breakpoint that is not bound when no module has a function of that name.
func (s *Session) judgeFunction(spec breakpoint.Spec, b *breakpoint.Binding) {
	f := &s.sources.functions
	if s.profile.Language != dapclient.DotNet || !f.known() {
		return
	}
	meant, nearby := f.find(spec.Function)
	if len(meant) > 0 {
		return
	}
	b.State = breakpoint.Failed
	b.Message = fmt.Sprintf("no function %s is in the modules that have symbols", spec.Function)
	if len(nearby) > 0 {
		b.Message += "; nearest names: " + strings.Join(nearby, ", ")
	}
}

// modulesRead reports whether a module with symbols was loaded, and none is being read.
func (s *Session) modulesRead() bool {
	y := &s.sources.symbols
	y.mu.Lock()
	defer y.mu.Unlock()
	return len(y.read) > 0 && y.idle == nil
}

// extensions returns the types of the modules with symbols that have a function of that name.
func (s *Session) extensions(function string) []string {
	s.readModules()
	f := &s.sources.functions
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, name := range f.names {
		name, _, _ = strings.Cut(name, "<")
		at := strings.LastIndexByte(name, '.')
		if at > 0 && name[at+1:] == function && !strings.Contains(name, "`") && !slices.Contains(out, name[:at]) {
			out = append(out, name[:at])
		}
	}
	return out[:min(len(out), 8)]
}

// hiding returns the types in which a member hides one of a base class.
func (s *Session) hiding(member string) []string {
	s.readModules()
	f := &s.sources.functions
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hidden[member]
}

// shownAs returns how the program wants the values of a type to be shown.
func (s *Session) shownAs(typ string) (programsymbols.Display, bool) {
	s.readModules()
	f := &s.sources.functions
	f.mu.Lock()
	defer f.mu.Unlock()
	d, ok := f.shown[typ]
	return d, ok
}

// tupleOf returns the names of the elements of the tuples in a member's type: Shop.Order.Range, Shop.Order.Find(), or
// Shop.Order.Find(range of a parameter.
func (s *Session) tupleOf(member string) []string {
	s.readModules()
	f := &s.sources.functions
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tuples[member]
}

// tupleNames returns the names of the elements of the tuples in a variable's type, at a place in the source.
func (s *Session) tupleNames(at inspect.Location, variable string) []string {
	y := &s.sources.symbols
	y.mu.Lock()
	known := y.documents[fileKey(at.File)]
	y.mu.Unlock()
	if len(known) > 0 {
		return known[0].pdb.TupleNames(known[0].path, at.Line, variable)
	}
	for _, path := range s.modulePaths() { // of a recording, or not read yet
		pdb, err := s.manager.symbolCache.read(path)
		if err != nil {
			continue
		}
		for _, d := range pdb.Documents() {
			if fileKey(s.clientPath(d.Path)) == fileKey(at.File) {
				return pdb.TupleNames(d.Path, at.Line, variable)
			}
		}
	}
	return nil
}

// readModules reads the functions of the loaded modules with symbols.
func (s *Session) readModules() { s.readFunctions(s.modulePaths()...) }

// modulePaths returns the files of the loaded modules with symbols. Of those that a recording names it returns the ones
// to which a path map leads: the others are files of another machine.
func (s *Session) modulePaths() (paths []string) {
	for _, m := range s.Snapshot().Modules {
		path := m.Path
		if s.backend.Replayed {
			if path = s.clientPath(m.Path); path == m.Path {
				continue
			}
		}
		if path != "" && m.SymbolStatus != "not_found" {
			paths = append(paths, path)
		}
	}
	return paths
}
