// Package symbols reads the names of parameters from built programs: from the metadata of a .NET module, and from the
// DWARF of a Go program. Debuggers list arguments and locals together; the names separate them.
//
// Input is not trusted: a malformed file gives no names.
package symbols
