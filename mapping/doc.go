// Package mapping holds pure functions between what debuggers say and what people read: result codes,
// paths and source URIs, compiler-made names, excerpts of source, near misses of names. No function here
// keeps state, starts a goroutine, or reads or writes anything.
package mapping
