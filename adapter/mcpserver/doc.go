// Package mcpserver is the MCP side of breakwire: tools, resources and notifications over stdio and HTTP, on top of
// mcp-go's MCPServer. The library parses and answers the protocol. This package adds what a debugger needs: ordered
// messages, bounded memory, cancellation, checked arguments with errors that a model can act on, and results in one
// shape.
//
// # Stdio
//
// ServeStdio replaces the library's own loop. Its goroutines are
//
//   - the reader, which reads lines and waits only for room in the outbox;
//   - one for each request, so that a hundred blocked waits do not delay the next call;
//   - the writer, the only one that writes to the output.
//
// The writer pulls. Responses and the few notifications that are not in the journal (progress, resource updates) come
// from the outbox, list changes from mcp-go's channel, and hits and state changes directly from the journal, through
// a cursor. No event is queued for a client: a client that stops reading costs only the journal's bounded rings, and
// is later told how many events it missed.
//
// # Guarantees
//
// Every item of the outbox carries the journal's last seq at the time it was queued. The writer writes all events up
// to that seq first, so the notifications that a call caused precede its response. Events come in seq order. A
// cancelled request gets no response, not even one that is ready to be written. Nothing is sent before the client has
// finished its side of the handshake; then the held lines are sent. At the end of the input all answers are still
// written.
package mcpserver
