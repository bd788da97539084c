package inspect

import (
	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// values is what a language does with the values that its debugger shows.
type values interface {
	// named sets the name of a value, and its path where it is not the debugger's. It returns false for a value that is
	// not shown: one of the compiler or the debugger. parent is nil for the variables of a scope.
	named(it, parent *item) bool
	// children lists the children of a value that has some.
	children(v *View, it item) (listing, error)
	// show completes a value as a person reads it.
	show(v *View, it item, out *Variable)
	// isText reports whether a value is a text of which only a part is shown; pieces lists it in parts.
	isText(n node) bool
	pieces(v *View, it item) (listing, error)
	// counted sets the number of a container's elements, where the debugger gives it for variables but not for
	// evaluations.
	counted(n node) node
	// find finds the value of a path that cannot be evaluated, or not as itself. keeps reports whether a value that was
	// shown under a path is still that of the path.
	find(v *View, path string) (it item, ok bool, err error)
	keeps(n node, path string) bool
	// assign sends a variable's new value. unchanged says why a variable may have its old value although the debugger
	// has set it: "" where that is no reason for an error.
	assign(v *View, it item, value string) (dap.SetVariableResponseBody, error)
	unchanged(it item, value string) string
}

// values returns those of the program's language.
func (v *View) values() values {
	switch v.Profile.Language {
	case dapclient.DotNet:
		return dotnetValues{}
	case dapclient.Go:
		return goValues{}
	case dapclient.Python:
		return pythonValues{}
	case dapclient.JavaScript:
		return javascriptValues{}
	case dapclient.C:
		return nativeValues{}
	}
	return plainValues{}
}

// plainValues are values as a debugger shows them.
type plainValues struct{}

func (plainValues) named(*item, *item) bool { return true }

func (plainValues) children(v *View, it item) (listing, error) {
	if it.IndexedVariables > batch {
		// The debugger pages indexed children. Named ones (a length) come first.
		return v.paged(it, it.IndexedVariables, "indexed"), nil
	}
	return v.listed(it)
}

func (plainValues) show(*View, item, *Variable) {}

func (plainValues) isText(node) bool { return false }

func (plainValues) pieces(*View, item) (listing, error) { return fixed(nil), nil }

func (plainValues) counted(n node) node { return n }

func (plainValues) find(*View, string) (item, bool, error) { return item{}, false, nil }

func (plainValues) assign(v *View, it item, value string) (dap.SetVariableResponseBody, error) {
	return v.assigned(it, value)
}

func (plainValues) unchanged(item, string) string { return "" }

func (plainValues) keeps(node, string) bool { return true }

// nativeValues are those of C, C++ and Rust.
type nativeValues struct{ plainValues }

func (nativeValues) show(v *View, it item, out *Variable) { v.showNative(it, out) }

func (nativeValues) counted(n node) node {
	if n.IndexedVariables == 0 && n.VariablesReference > 0 {
		n.IndexedVariables = mapping.SizeText(n.Value, n.Type)
	}
	return n
}
