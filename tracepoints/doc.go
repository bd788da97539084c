// Package tracepoints turns a hit into a message: message templates, hit conditions, notification filters, the
// display of values, and the recipes for the native log points of some debuggers. The doc comments of the recipes
// have the facts measured with each debugger.
//
// It has no dependency on MCP or DAP, starts no goroutine and does no I/O. A Template, a HitCondition and a recipe
// are immutable and safe to share. One goroutine counts with a State.
package tracepoints
