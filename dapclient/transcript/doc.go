// Package transcript records a connection to a debug adapter and plays a recording back in place of
// the adapter.
//
// # Format
//
// A recording is one JSON object a line: {"t":seconds,"dir":"send"|"recv","msg":{...}}, with
// "raw":"..." in place of msg for a body that is not one JSON object on one line. send is client to
// adapter. A first line {"breakwire":1,"backend":...,"program":...,"time":...} may
// say where it comes from; older recordings have none. Unknown fields are ignored. msg holds the bytes of
// the wire, except that the values of environment variables are written as "<redacted>" (Redact).
//
// # Goroutines and ordering
//
// A Reader belongs to one goroutine. A Writer may be given frames from any goroutine and writes them in the
// order of the calls; a timer flushes what is buffered. A Player has one goroutine that reads
// requests and writes answers and events; it ends when either side closes. A Recording is
// immutable and can be played by any number of Players at once; it keeps an index in memory, and the
// messages in its file.
package transcript
