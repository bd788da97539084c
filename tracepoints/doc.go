// Package tracepoints turns a hit into a message: message templates, hit conditions, notification
// filters, the display of values, and the recipes by which some debuggers' own log points can do
// the work (facts measured with each of them are in the doc comments).
//
// It knows nothing of MCP or DAP, starts no goroutine and does no input or output. A Template, a
// HitCondition and a recipe are immutable and safe to share; a State belongs to whoever counts.
package tracepoints
