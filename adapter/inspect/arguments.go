package inspect

import (
	"os"
	"slices"
	"strings"
	"sync"

	"breakwire/adapter/program"
	"breakwire/dapclient"
	"breakwire/mapping"
	programsymbols "breakwire/mapping/symbols"

	"github.com/google/go-dap"
)

// parameters caches the parameter lists of functions.
type parameters struct{ known sync.Map } // function to the [][]string of its overloads

// of returns the parameter lists of a function. It calls look the first time.
func (p *parameters) of(function string, look func() [][]string) [][]string {
	if lists, ok := p.known.Load(function); ok {
		return lists.([][]string)
	}
	lists := look()
	p.known.Store(function, lists)
	return lists
}

// markArguments marks the arguments among a frame's local variables, by the program's symbols where they can be read.
// Of several overloads it takes the one whose parameters are all among the variables. It reports false when it cannot
// decide.
func (v *View) markArguments(items []item) bool {
	lists := v.Cache.params.of(v.Here.Name, func() [][]string { return v.lookParameters(v.Here) })
	best := -1
	for i, list := range lists {
		missing := slices.ContainsFunc(list, func(name string) bool {
			return name != "_" && name != "" && !hasNamed(items, name)
		})
		if !missing && (best < 0 || len(list) > len(lists[best])) {
			best = i
		}
	}
	if best < 0 {
		return false
	}
	for _, name := range lists[best] {
		for i := range items {
			// A local of the same name in an inner block comes later.
			if items[i].name == name && items[i].scope == "local" {
				items[i].scope = "argument"
				break
			}
		}
	}
	return true
}

func hasNamed(items []item, name string) bool {
	return slices.ContainsFunc(items, func(it item) bool { return it.name == name })
}

// lookParameters reads the parameter names of a frame's function from the program's symbols on this disk.
func (v *View) lookParameters(f dap.StackFrame) [][]string {
	if !v.Local {
		return nil
	}
	switch v.Profile.Language {
	case dapclient.DotNet:
		return v.clrParameters(f)
	case dapclient.Go:
		file, err := os.Open(v.Debugger.Executable())
		if err != nil {
			return nil
		}
		defer file.Close()
		lists, err := programsymbols.GoParameters(file, f.Name)
		if err != nil {
			v.Log.Debug("parameters are not known", "function", f.Name, "error", err)
		}
		return lists
	}
	return nil
}

func (v *View) clrParameters(f dap.StackFrame) [][]string {
	_, path := v.Debugger.Module(mapping.Text(f.ModuleId))
	if !program.IsFile(path) {
		return nil // opening a pipe would block
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	typeName, method := ClrMethod(f.Name)
	lists, err := programsymbols.CLRParameters(file, info.Size(), typeName, method)
	if err != nil {
		v.Log.Debug("parameters are not known", "function", f.Name, "error", err)
	}
	return lists
}

// ClrMethod returns the innermost type name and the method in a frame's name, for example ThreadsApp.Program.Inspect().
// For a state machine it returns the method in the source.
func ClrMethod(frame string) (typeName, method string) {
	if strings.HasSuffix(frame, ".MoveNext()") {
		frame = strings.TrimSuffix(mapping.LogicalFunction(frame), " lambda")
	}
	if i := strings.LastIndexByte(frame, '('); i > 0 {
		frame = frame[:i]
	}
	var parts []string
	depth, from := 0, 0
	for i := range len(frame) {
		switch frame[i] {
		case '<':
			depth++
		case '>':
			depth--
		case '.':
			if depth == 0 && i > from {
				parts = append(parts, frame[from:i])
				from = i + 1
			}
		}
	}
	method = frame[from:]
	if strings.HasSuffix(frame, "..ctor") || strings.HasSuffix(frame, "..cctor") {
		method = frame[strings.LastIndex(frame, "..")+1:]
	}
	if len(parts) > 0 {
		typeName = parts[len(parts)-1]
	}
	return bare(typeName), bare(method)
}

// bare removes type arguments from a name that does not begin with them.
func bare(name string) string {
	if i := strings.IndexByte(name, '<'); i > 0 {
		return name[:i]
	}
	return name
}
