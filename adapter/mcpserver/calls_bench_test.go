package mcpserver_test

import (
	"testing"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// stopCalls are the calls of a client at a stop.
var stopCalls = []struct{ tool, args string }{
	{"debug_state", `{}`},
	{"breakpoint_list", `{}`},
	{"evaluate", `{"expression":"i"}`},
	{"stacktrace_get", `{}`},
	{"variables_get", `{}`},
	{"debug_step", `{"mode":"over"}`},
	{"debug_continue", `{"wait":true}`},
	{"debug_continue", `{"wait":true,"locals":false}`},
}

// BenchmarkCall measures one tool call through both pipes with a fake adapter that answers at once: the time that
// breakwire adds to a debugger's own.
func BenchmarkCall(b *testing.B) {
	for _, call := range stopCalls {
		b.Run(call.tool, func(b *testing.B) {
			m, _ := mcptest.Fake(b, "netcoredbg", daptest.Netcoredbg(), loop(daptest.Forever))
			w := mcptest.WireServe(b, m)
			w.Call("breakpoint_set", `{"file":"`+source+`","line":10}`)
			w.Call("debug_launch", `{"program":"`+program+`","stop_at_entry":false}`)
			mcptest.TimeCalls(b, func() { w.Call(call.tool, call.args) })
		})
	}
}
