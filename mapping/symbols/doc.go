// Package symbols reads the names of parameters from built programs: from the metadata of a .NET module, and from the
// DWARF of a Go program. Debuggers list arguments and locals together; this tells them apart.
//
// Input is never trusted: a file that does not fit its format gives no names.
package symbols
