package adapter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"breakwire/adapter/breakpoint"
	"breakwire/dapclient"
	"breakwire/mapping/portablepdb"
)

// flaw is a reason why breakpoints in a module are not hit.
type flaw struct {
	module    string // the name of its file
	path      string // "" when it is not known
	optimised bool   // else it has no symbols
}

// maxFlaws is how many modules an answer names.
const maxFlaws = 3

// lacksSymbols takes that the debugger has found no symbols of a module.
func (s *Session) lacksSymbols(m Module) {
	if s.profile.Language != dapclient.DotNet || m.SymbolStatus != "not_found" || m.System() {
		return
	}
	s.addFlaw(flaw{module: m.Name, path: m.Path})
	s.rebind()
}

// leavesOut reports whether an output is about a module that was built with optimisation, and takes the module that
// just_my_code leaves out.
func (s *Session) leavesOut(output string) bool {
	if s.profile.OptimisedText == nil {
		return false
	}
	m := s.profile.OptimisedText.Regexp().FindStringSubmatch(output)
	if len(m) > 1 && m[1] != "" {
		s.addFlaw(flaw{module: m[1], optimised: true})
		s.rebind()
	}
	return m != nil
}

func (s *Session) addFlaw(f flaw) {
	y := &s.sources.symbols
	y.mu.Lock()
	defer y.mu.Unlock()
	if !slices.Contains(y.flaws, f) {
		y.flaws = append(y.flaws, f)
	}
}

// learnSymbols finds out whether the program itself has symbols, before it may be over. It reads the disk, so the loop
// must not call it.
func (s *Session) learnSymbols() {
	if s.profile.Language != dapclient.DotNet || !s.backend.Local || s.origin.launch == nil {
		return
	}
	module := programModules(s.origin.launch.Program)[0]
	if _, err := s.manager.symbolCache.read(module); err != nil {
		s.sources.symbols.mu.Lock()
		defer s.sources.symbols.mu.Unlock()
		s.sources.symbols.explain(module, err)
	}
}

// explain keeps why a module has no symbols. y.mu is held.
func (y *symbols) explain(module string, err error) {
	if y.lack == nil {
		y.lack = map[string]string{}
	}
	pdb := strings.TrimSuffix(filepath.Base(module), filepath.Ext(module)) + ".pdb"
	why := pdb + " cannot be read"
	switch {
	case errors.Is(err, portablepdb.ErrMismatch):
		why = pdb + " is of another build"
	case errors.Is(err, portablepdb.ErrNoSymbols):
		why = "there is no " + pdb + " beside it"
		if _, err := os.Stat(filepath.Join(filepath.Dir(module), pdb)); err == nil {
			why = pdb + " is not a portable one"
		}
	}
	y.lack[module] = why
}

// flaws returns why breakpoints are not hit in the program itself or in optimised modules.
func (s *Session) flaws() []string {
	y := &s.sources.symbols
	y.mu.Lock()
	defer y.mu.Unlock()
	return s.tellFlaws(func(f flaw) bool { return f.optimised || s.isProgram(f.module) })
}

// flawAt returns why a breakpoint may never be hit, "" when nothing is known.
func (s *Session) flawAt(spec breakpoint.Spec) string {
	y := &s.sources.symbols
	y.mu.Lock()
	defer y.mu.Unlock()
	documents := y.documents[fileKey(s.clientPath(s.fileOf(spec)))]
	return strings.Join(s.tellFlaws(func(f flaw) bool {
		if len(documents) == 0 {
			return true // it may be in any module
		}
		return f.optimised && slices.ContainsFunc(documents, func(d document) bool {
			return filepath.Base(d.module) == f.module
		})
	}), "; ")
}

// isProgram reports whether a module is the one that was launched, also by its native executable.
func (s *Session) isProgram(module string) bool {
	stem := func(path string) string {
		name := filepath.Base(strings.ReplaceAll(path, `\`, "/"))
		return strings.TrimSuffix(strings.TrimSuffix(name, ".dll"), ".exe")
	}
	return stem(s.Snapshot().Program) == stem(module)
}

// tellFlaws describes the flaws that matter, the program's own first. y.mu is held.
func (s *Session) tellFlaws(matters func(flaw) bool) []string {
	y := &s.sources.symbols
	var told []string
	for _, own := range []bool{true, false} {
		for _, f := range y.flaws {
			if matters(f) && s.isProgram(f.module) == own && len(told) < maxFlaws {
				told = append(told, f.text(y.lack[f.path], s.origin.attach != nil))
			}
		}
	}
	return told
}

func (f flaw) text(lack string, attached bool) string {
	switch {
	case !f.optimised && lack != "":
		return fmt.Sprintf("no symbols for %s: %s; without them no breakpoint in it is hit and there is no stop at its "+
			"entry: build it with DebugType portable and put the .pdb beside it", f.module, lack)
	case !f.optimised:
		return fmt.Sprintf("no symbols for %s were found; without them no breakpoint in it is hit and there is no stop at "+
			"its entry: put the .pdb of the same build beside it", f.module)
	case attached:
		return fmt.Sprintf("%s is an optimised (Release) build, so no breakpoint in it is hit: attach to a Debug build, or "+
			"launch the program with just_my_code=false", f.module)
	}
	return fmt.Sprintf("%s is an optimised (Release) build, so no breakpoint in it is hit: launch it with "+
		"just_my_code=false, or build it for Debug", f.module)
}
