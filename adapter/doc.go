// Package adapter debugs programs. A Session is one program under one debug adapter. The Manager owns all sessions, and
// the breakpoints, which exist before, between and after them. The package knows DAP and, through their profiles, the
// habits of debuggers. It knows nothing of MCP.
//
// # Goroutines
//
// Each Session has one goroutine that owns its state. Frames, commands, answers and timers reach it as messages, and it
// never waits for the debugger. Methods of Session and Manager may be called from any goroutine. Those that wait take a
// context; what they began goes on after the context has ended. A few short-lived goroutines wait for processes, files
// and timers, and report to the owner. The goroutines of the connection belong to package dapclient.
//
// # Order
//
// After each change the session first publishes an immutable Snapshot, then appends the change to the journal. So a
// client that hears of a stop and asks about it sees the stop. Each fact is appended once. Frames, variables and paths
// belong to one stop and are refused after the next resume. docs/architecture.md has the rules in full.
package adapter
