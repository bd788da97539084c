package mcpserver_test

import (
	"slices"
	"testing"
	"time"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// BenchmarkCall is one tool call through both pipes on a fake adapter that answers at once: what breakwire adds to a debugger's own time.
func BenchmarkCall(b *testing.B) {
	for _, call := range []struct{ tool, args string }{
		{"debug_state", `{}`},
		{"breakpoint_list", `{}`},
		{"evaluate", `{"expression":"i"}`},
		{"stacktrace_get", `{}`},
		{"variables_get", `{}`},
		{"debug_step", `{"mode":"over"}`},
		{"debug_continue", `{"wait":true}`},
	} {
		b.Run(call.tool, func(b *testing.B) {
			m, _ := mcptest.Fake(b, "netcoredbg", daptest.Netcoredbg(), loop(daptest.Forever))
			w := mcptest.WireServe(b, m)
			w.Call("breakpoint_set", `{"file":"`+source+`","line":10}`)
			w.Call("debug_launch", `{"program":"`+program+`","stop_at_entry":false}`)
			timeCalls(b, func() { w.Call(call.tool, call.args) })
		})
	}
}

// timeCalls makes a call over and over, and reports the time that one in a hundred exceeds.
func timeCalls(b *testing.B, call func()) {
	call() // what is found out once is found out
	took := make([]time.Duration, 0, 1<<16)
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		call()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
