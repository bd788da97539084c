// Package daptest is a scripted fake debug adapter for tests: a debugger and the program it
// debugs, simulated in the process of the test. It can send any message, in any order,
// and fail in any way, and it never sleeps.
//
// A Shape says how the adapter behaves on the wire; Netcoredbg, Delve, LLDB and Debugpy are the
// four that were measured, and every field can be changed. A Program is the
// simulated debuggee: threads, each a list of lines that it will pass. Adapter
// joins both and is reached through Stream (in memory) or Serve (any stream, for
// a test binary that plays the adapter's process).
//
// # Goroutines and ordering
//
// One goroutine reads requests. The engine belongs to whoever finds it idle: that goroutine, or one
// that waited for a gate; never two at a time. Requests are answered one after the other, in
// the order received, as the real adapters do; an answer held by a gate holds all
// requests behind it (but see Action.Aside). All messages that one request causes leave in one write.
// Everything that came in one write of the client is queued before the first of it is handled, so
// what a resume cancels does not depend on scheduling.
//
// The debuggee runs instantly: a resume is answered and the next stop sent in the same write,
// unless a gate blocks a line. Threads advance one line each, round robin, in the order of
// Program.Threads; those that reach a breakpoint in the same round hit it at the same time.
package daptest
