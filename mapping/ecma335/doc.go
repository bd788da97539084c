// Package ecma335 reads the container formats of .NET: the headers of a module, which is a PE file, and the metadata
// in modules and portable PDBs (ECMA-335 II.24): streams, heaps and the rows of tables. The packages that use it
// interpret the rows.
//
// File contents are not trusted: each offset and count is checked before memory is allocated for it. The package
// starts no goroutine.
package ecma335

import "errors"

var (
	// ErrFormat is wrapped by errors about invalid bytes.
	ErrFormat = errors.New("malformed")
	// ErrNotPE is wrapped when a file is not a PE file.
	ErrNotPE = errors.New("not a PE file")
)
