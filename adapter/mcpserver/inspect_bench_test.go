package mcpserver_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
	"breakwire/fixtures"
)

// playedBack is a server that replays a recording.
func playedBack(tb testing.TB, backend, name string) *mcptest.Client {
	tb.Helper()
	rec, err := transcript.Open(fixtures.Transcript(backend, name))
	require.NoError(tb, err)
	tb.Cleanup(func() { rec.Close() })
	m := adapter.NewManager(adapter.Options{Backends: adapter.BackendOptions{
		Default: "recording",
		Custom: map[string]adapter.Backend{"recording": {
			Profile: dapclient.ProfileByName(backend), Replayed: true,
			Open: func(context.Context, adapter.Opening) (io.ReadWriteCloser, *dapclient.Process, error) {
				return rec.Play(transcript.PlayOptions{}), nil, nil
			},
		}},
	}})
	return mcptest.Serve(tb, m, mcpserver.Options{})
}

// BenchmarkAnswers measures the time and the size of the answers that a client gets at a stop, over recordings, so
// without a debugger's time.
func BenchmarkAnswers(b *testing.B) {
	tests := []struct {
		name, recording, file string
		line                  int
		exception             bool
		tool                  string
		args                  mcptest.Args
	}{
		{"variables", "tour-threads", "/src/ThreadsApp/Program.cs", 107, false, "variables_get", nil},
		{"object", "tour-threads", "/src/ThreadsApp/Program.cs", 107, false, "variables_get",
			mcptest.Args{"expand": "child"}},
		{"text_of_5000", "tour-threads", "/src/ThreadsApp/Program.cs", 107, false, "variables_get",
			mcptest.Args{"expand": "longText"}},
		{"threads", "tour-threads", "/src/ThreadsApp/Program.cs", 107, false, "threads_list", nil},
		{"evaluate", "evaluate-and-setvariable", "/src/ThreadsApp/Program.cs", 107, false, "evaluate",
			mcptest.Args{"expression": "count"}},
		{"evaluate_rescued", "evaluate-and-setvariable", "/src/ThreadsApp/Program.cs", 107, false, "evaluate",
			mcptest.Args{"expression": "name.Length"}},
		{"stack_of_2003", "deep-stack", "/src/DeepApp/Program.cs", 13, false, "stacktrace_get", nil},
		{"exception", "tour-exceptions", "", 0, true, "exception_get_context", nil},
		{"state", "tour-threads", "/src/ThreadsApp/Program.cs", 107, false, "debug_state", nil},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			c := playedBack(b, "netcoredbg", tt.recording)
			if tt.exception {
				c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "*"})
			} else {
				c.Do("breakpoint_set", mcptest.Args{"file": tt.file, "line": tt.line})
			}
			r := c.Do("debug_launch", mcptest.Args{"program": "/src/App/App.dll", "stop_at_entry": false})
			require.Equal(b, "paused", r.String("session.state"), "%s", r.Raw)
			var size int
			for b.Loop() {
				size = len(c.Do(tt.tool, tt.args).Raw)
			}
			b.ReportMetric(float64(size), "B/answer")
		})
	}
}
