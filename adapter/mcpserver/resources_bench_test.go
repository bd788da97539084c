package mcpserver_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// BenchmarkReads reads resources of a session with 100 breakpoints and 200 threads over pipes, and reports the 99th
// percentile.
func BenchmarkReads(b *testing.B) {
	program := loop(3)
	gate := make(chan struct{}) // never opened: the other threads wait, as in a thread pool
	for i := range 199 {
		program.Threads = append(program.Threads, daptest.Thread{
			Name: fmt.Sprintf("worker %d", i), Background: true,
			Code: daptest.Lines(daptest.Step{File: "/src/LoopApp/Worker.cs", Line: 3, Func: "Worker()", Gate: gate}),
		})
	}
	m, _ := mcptest.Fake(b, "netcoredbg", daptest.Netcoredbg(), program)
	c := mcptest.Serve(b, m, mcpserver.Options{})
	for i := range 99 {
		c.Do("tracepoint_set", mcptest.Args{"file": "/src/LoopApp/Other.cs", "line": 100 + i,
			"log_message": "i is {i} and {sum}"})
	}
	c.Do("breakpoint_set", mcptest.Args{"file": "/src/LoopApp/Program.cs", "line": 10})
	c.Do("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll", "stop_at_entry": false})
	c.Do("threads_list", nil)
	for _, uri := range shortURIs {
		b.Run(uri[len("debugger://"):], func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				began := time.Now()
				r := c.Request("resources/read", map[string]any{"uri": uri})
				times = append(times, time.Since(began))
				require.Nil(b, r.Error)
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
		})
	}
}
