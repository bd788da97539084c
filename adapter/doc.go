// Package adapter debugs: a Session is one program under one debug adapter, the Manager owns all sessions and the
// breakpoints, which live before, between and after them. It knows DAP and the habits of debuggers, by their profiles;
// of MCP it knows nothing.
//
// # Goroutines
//
// Each Session has one goroutine that owns its state. Frames, commands, answers and timers reach it as messages, and it
// never waits for the debugger. Methods of Session and Manager may be called from any goroutine; those that wait take a
// context, and what they began outlives it. A few short-lived goroutines wait for processes, files and the clock and
// report to the owner. The connection's own belong to package dapclient.
//
// # Order
//
// After each change the session publishes an immutable Snapshot, then appends to the journal what happened: who is told
// of a stop and asks about it sees the stop. Each fact is appended once. Frames, variables and paths belong to one stop
// and are refused after the next resume. docs/architecture.md has the rules in full.
package adapter
