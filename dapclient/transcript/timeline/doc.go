// Package timeline makes a list of events from a recording of a debug adapter: stops with their duration, hits that
// were resumed at once, output, breakpoints, threads, modules, failures, and the values of expressions over the hits
// of a line. `breakwire view` shows it.
//
// The recording is read once, from beginning to end. A body that is not DAP, an answer without a request and a stop
// without an end are accepted, because a recording of a crash is worth viewing. The package starts no goroutine and
// reads only its input. A Timeline is plain data. Its values are text from the debugged program and must not be
// trusted.
package timeline
