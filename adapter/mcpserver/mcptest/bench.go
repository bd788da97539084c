package mcptest

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TimeCalls repeats a call and reports the 99th percentile of its time.
func TimeCalls(b *testing.B, call func()) {
	call() // work that is done only once
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

// ReportSizes continues to a breakpoint, inspects the stop (stack, variables, one evaluation) and reports the bytes
// of the answers' text.
func ReportSizes(b *testing.B, c *Client) {
	b.Helper()
	r := c.Do("debug_continue", Args{"wait": true})
	require.Equal(b, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	var answer struct{ Stop json.RawMessage }
	r.Into(&answer)
	look := 0
	for tool, args := range map[string]Args{"stacktrace_get": nil, "variables_get": nil, "evaluate": {"expression": "i"}} {
		look += len(c.Do(tool, args).Raw)
	}
	NothingToTime(b)
	b.ReportMetric(float64(len(r.Raw)), "B/continue")
	b.ReportMetric(float64(len(answer.Stop)), "B/stop")
	b.ReportMetric(float64(look), "B/look")
}

// NothingToTime is the loop of a benchmark that does not measure time.
func NothingToTime(b *testing.B) {
	for b.Loop() {
	}
	b.ReportMetric(0, "ns/op")
}
