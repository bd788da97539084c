// Package ecma335 reads the container formats of .NET: the headers of a module, which is a PE file, and the metadata in
// modules and in portable PDBs (ECMA-335 II.24): streams, heaps, and the rows of tables. What the rows mean is for the
// packages that use it.
//
// Nothing in a file is believed: each offset and count is checked before anything is allocated for it. There are no
// goroutines.
package ecma335

import "errors"

var (
	// ErrFormat is wrapped by errors about bytes that are not what they should be.
	ErrFormat = errors.New("malformed")
	// ErrNotPE is wrapped when a file is no PE file at all.
	ErrNotPE = errors.New("not a PE file")
)
