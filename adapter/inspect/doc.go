// Package inspect reads a stopped program: frames, variables, expressions, collections, exceptions. It also sets
// variables. A View is one read of one stop. It asks the debugger through an interface and knows nothing of sessions.
//
// The files dotnet_*, python_*, go_* and native_* have what one language needs.
package inspect
