// Package breakpoint holds what the user set and what one debugger holds of it.
//
// A Breakpoint is what the user set; the Registry has those of all sessions. An Entry is one breakpoint as a debugger
// holds it, for all Breakpoints at its place. Held has the entries of a session, in a Set for each file, and finds
// those at which a thread has stopped. A Binding is the state of a Breakpoint in one session, and an Info is what
// clients read.
//
// Nothing here asks a debugger: the session sends what is wanted (adapter/bind.go) and hands over the answers.
package breakpoint
