package inspect

import (
	"os"
	"strings"

	programsymbols "breakwire/mapping/symbols"

	"github.com/google/go-dap"
)

// Delve lists the variables of a package only when it is told to, for the package of the thread's top frame, and reads
// those of all packages for it. So the names come from the program's symbols where the program is on this disk, and the
// values are evaluated.

// goGlobals lists the variables of the package of the current frame. It reports false when the program's symbols do not
// have them.
func (v *View) goGlobals() (listing, bool) {
	lists := v.Cache.globals.of(v.Here.Name, func() [][]string { return v.lookGlobals(v.Here.Name) })
	if len(lists) == 0 {
		return listing{}, false
	}
	names := lists[0]
	return listing{total: len(names), at: func(start, count int) ([]item, error) {
		var items []item
		for _, full := range names[min(start, len(names)):min(start+count, len(names))] {
			path, name := globalPath(full)
			it := item{name: name, scope: "global", path: path, node: node{Variable: dap.Variable{Name: name}}}
			if body, err := v.evaluate(v.Here, path, evaluateTimeout); err != nil {
				it.Value = "<error: " + err.Error() + ">"
			} else {
				it.node = evaluatedNode(path, body)
			}
			items = append(items, it)
		}
		return items, nil
	}}, true
}

// lookGlobals reads the full names of a package's variables from the program; nil when it cannot be read.
func (v *View) lookGlobals(function string) [][]string {
	if !v.Local {
		return nil
	}
	program, err := os.Open(v.Debugger.Executable())
	if err != nil {
		return nil
	}
	defer program.Close()
	names, err := programsymbols.GoGlobals(program, function)
	if err != nil || names == nil {
		v.Log.Debug("globals are not known", "function", function, "error", err)
		return nil
	}
	return [][]string{names}
}

// globalPath returns the expression for a variable with this full name, and its name in the package. Delve takes the
// path of a package in quotes.
func globalPath(full string) (path, name string) {
	dot := strings.LastIndexByte(full, '.')
	pkg, name := full[:dot], full[dot+1:]
	if strings.ContainsAny(pkg, "/.-") {
		pkg = `"` + pkg + `"`
	}
	return pkg + "." + name, name
}

// showGoGlobals makes Delve list the variables of packages, or no longer.
func (v *View) showGoGlobals(on bool) {
	command := "dlv config showGlobalVariables false"
	if on {
		command = "dlv config showGlobalVariables true"
	}
	_, _ = v.evaluateAs("repl", v.Here, command, evaluateTimeout) // without it the list stays empty
}
