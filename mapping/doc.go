// Package mapping has pure functions that convert between debuggers' texts and texts for people: result codes, paths
// and source URIs, compiler-made names, source excerpts, similar names. No function keeps state, starts a goroutine
// or does I/O.
package mapping
