// Package transcript records a connection to a debug adapter, and replays a recording in place of the adapter.
//
// # Format
//
// A recording is one JSON object per line: {"t":seconds,"dir":"send"|"recv","msg":{...}}, with "raw":"..." in place
// of msg for a body that is not one JSON object on one line. send is client to adapter. A first line
// {"breakwire":1,"backend":...,"program":...,"time":...} may describe the recording; older recordings do not have it.
// Unknown members are ignored. msg has the bytes of the wire, except that the values of environment variables are
// replaced by "<redacted>" (Redact).
//
// # Goroutines and ordering
//
// One goroutine uses a Reader. Any goroutine may pass frames to a Writer, which writes them in the order of the
// calls; a timer flushes its buffer. A Player has one goroutine that reads requests and writes answers and events; it
// ends when either side closes. A Recording is immutable, and any number of Players can replay it at once. It has an
// index in memory; the messages stay in its file.
package transcript
