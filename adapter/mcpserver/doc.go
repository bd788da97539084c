// Package mcpserver is the MCP side of breakwire: tools, resources and notifications over stdio and
// HTTP, on top of mcp-go's MCPServer. The library parses and answers the protocol; what is here is
// everything that a debugger needs of it: the order of messages, bounded memory, cancellation,
// arguments that are checked with errors a model can act on, and results in one shape.
//
// # Stdio
//
// ServeStdio replaces the library's own loop. Its goroutines are
//
//   - the reader, which reads lines, and never waits but for room in the outbox;
//   - one for each request, so that a hundred blocked waits do not delay the next call;
//   - the writer, the only one that touches the output.
//
// The writer pulls. Responses and the few notifications without a place in the journal (progress,
// resource updates) come from the outbox, list changes from mcp-go's channel, and hits and state
// changes straight from the journal, through a cursor. No event is ever queued for a client: one that
// stops reading costs the journal's bounded rings and nothing more, and is told how many it missed.
//
// # What is promised
//
// Every item of the outbox carries the journal's last seq at the time it was put there, and the
// writer writes all events up to that seq first: the notifications that a call caused precede its
// response. Events come in seq order. A cancelled request gets no response, not even one that is
// ready to be written. Nothing is sent before the client has finished its side of the handshake, and
// then what was held is sent. At the end of input all that was answered is still written.
package mcpserver
