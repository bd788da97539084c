// Package symbols reads built programs: the names of parameters, from the metadata of a .NET module and from the DWARF
// of a Go program; of a Go program also how it was built and which lines have code; and the functions of executables by
// their symbol tables. Debuggers list arguments and
// locals together; the names separate them.
//
// Input is not trusted: a malformed file gives no names.
package symbols
