// Package jsonrpc reads and writes the lines of JSON-RPC 2.0 as MCP uses it. It knows no tool and no session.
package jsonrpc
