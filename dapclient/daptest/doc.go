// Package daptest is a scripted fake debug adapter for tests: a debugger and its debuggee, simulated in the test's
// process. It can send any message in any order and fail in any way, and it never sleeps.
//
// A Shape is the adapter's behaviour on the wire. Netcoredbg, Delve, LLDB and Debugpy are the four that were
// measured; every field can be changed. A Program is the simulated debuggee: threads, each with the lines that it
// will pass. An Adapter joins both. It is reached through Stream (in memory) or Serve (any stream, for a test binary
// that runs as the adapter's process).
//
// # Goroutines and ordering
//
// One goroutine reads requests. The engine is owned by the goroutine that finds it idle: the reader, or one that
// waited for a gate; never two at a time. Requests are answered one after the other in the order received, as by the
// real adapters. An answer held by a gate holds all later requests (but see Action.Aside). All messages that one
// request causes leave in one write. All requests of one write of the client are queued before the first is handled,
// so what a resume cancels does not depend on scheduling.
//
// The debuggee runs instantly: a resume is answered and the next stop is sent in the same write, unless a gate blocks
// a line. Threads advance one line each, round robin, in the order of Program.Threads. Threads that reach a
// breakpoint in the same round hit it at the same time.
package daptest
