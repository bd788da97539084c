// Package jsdebug makes an ordinary debug adapter of js-debug, the JavaScript debugger of VS Code. js-debug speaks over
// several connections, of which the first has no program; it tells no process, no exit code and no failed start. A
// bridge stands between: the session sees one connection with one program.
//
// The bridge starts the program itself and lets js-debug attach to it. So it has the program's output, its exit code
// and its first line, and the connection to Node's inspector goes through a relay that keeps it fast.
//
// # Goroutines
//
// A bridge has one reader for the session's requests, and those of its connections to js-debug. A start runs on a
// goroutine of its own. Messages of one connection keep their order. The fields of a bridge are guarded by its mutex,
// which is never held while something is waited for.
package jsdebug
