//go:build unix

package main

import (
	"testing"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// BenchmarkBinaryCall measures one call of the built binary at a stop of a recording, over both transports. Server
// and client are two processes, so that the memory of one does not affect the other. nothing is HTTP without MCP,
// ping is MCP without a session; the rest is the cost of a call, including the search in the recording.
func BenchmarkBinaryCall(b *testing.B) {
	flags := []string{"--backend", "replay", "--transcript", fixtures.Transcript("netcoredbg", "tour-loop")}
	type peer interface {
		Request(method, params string) []byte
		Call(tool, args string)
	}
	for _, transport := range []struct {
		name    string
		connect func(b *testing.B) peer
	}{
		{"stdio", func(b *testing.B) peer { return mcptest.WireRun(b, fixtures.Breakwire(b), flags...) }},
		{"http", func(b *testing.B) peer {
			b.Setenv("XDG_RUNTIME_DIR", b.TempDir()) // for the token
			s := startHTTP(b, flags...)
			return mcptest.WireHTTP(b, s.url, s.token())
		}},
	} {
		if transport.name == "http" {
			b.Run("http/nothing", func(b *testing.B) {
				mcptest.TimeCalls(b, transport.connect(b).(*mcptest.HTTPWire).Nothing)
			})
		}
		b.Run(transport.name+"/ping", func(b *testing.B) {
			p := transport.connect(b)
			mcptest.TimeCalls(b, func() { p.Request("ping", `{}`) })
		})
		for _, call := range []struct{ tool, args string }{
			{"debug_state", `{}`}, {"stacktrace_get", `{}`}, {"variables_get", `{}`}, {"evaluate", `{"expression":"i"}`},
		} {
			b.Run(transport.name+"/"+call.tool, func(b *testing.B) {
				p := transport.connect(b)
				p.Call("breakpoint_set", `{"file":"/src/LoopApp/Program.cs","line":21}`)
				p.Call("debug_launch", `{"program":"LoopApp.dll","stop_at_entry":false}`)
				mcptest.TimeCalls(b, func() { p.Call(call.tool, call.args) })
			})
		}
	}
}
