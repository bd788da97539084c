// Package direct serves the methods of the older DebugOps protocol on one stdio connection, beside MCP
// (docs/direct.md). Each method calls one of the tools by its name and shows a part of the result.
package direct
