package mcpserver_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/transcript"
	"breakwire/fixtures"
)

// replayed is a manager whose only backend is a recording.
func replayed(t *testing.T, backend, name string) *adapter.Manager {
	t.Helper()
	rec, err := transcript.Open(fixtures.Transcript(backend, name))
	require.NoError(t, err)
	t.Cleanup(func() { rec.Close() })
	return adapter.NewManager(adapter.Options{Backends: adapter.OnlyReplay(adapter.Replay(rec, transcript.PlayOptions{},
		nil))})
}

// 500 hits of the real netcoredbg, with requests one after the other and in one write: 500 notifications with the
// right values, in order.
func TestRecordedTracepointHits(t *testing.T) {
	for _, name := range []string{"tracepoint-loop-500", "tracepoint-pipelined-500", "tracepoint-loop-20"} {
		t.Run(name, func(t *testing.T) {
			total := 500
			if name == "tracepoint-loop-20" {
				total = 20
			}
			c := mcptest.Serve(t, replayed(t, "netcoredbg", name), mcpserver.Options{})
			id := c.Do("tracepoint_set", mcptest.Args{
				"file": loopFile, "line": 21, "log_message": "i {i}, sum {sum}, both {i + sum}",
			}).String("breakpoint.id")
			runToEnd(t, c)
			hits := c.AwaitNotifications("debugger/breakpointHit", total)
			require.Len(t, hits, total)
			sum := 0
			for i, h := range hits {
				require.Equal(t, fmt.Sprintf("i %d, sum %d, both %d", i, sum, i+sum), h.String("logMessage"))
				require.Equal(t, i+1, h.Int("hitCount"))
				require.Equal(t, id, h.String("breakpointId"))
				require.Equal(t, "LoopApp.Program.Main()", h.String("location.functionName"))
				sum += i * i % 7
			}
		})
	}
}

// Every 100th of 500 recorded hits, and a limit of ten.
func TestRecordedTracepointFilters(t *testing.T) {
	c := mcptest.Serve(t, replayed(t, "netcoredbg", "tracepoint-loop-500"), mcpserver.Options{})
	every := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 21, "log_message": "{i}",
		"hit_count_multiple": 100}).String("breakpoint.id")
	first := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 21, "log_message": "{i}",
		"max_notifications": 10}).String("breakpoint.id")
	runToEnd(t, c)
	require.Equal(t, []string{"99", "199", "299", "399", "499"}, messages(c, every))
	require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, messages(c, first))
}
