package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// A hit costs at most 130 bytes besides its message, 60 as a line, and its place stands once.
func TestEventSizes(t *testing.T) {
	const hits, message = 300, "Work has square"
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, loop(hits))
		id := s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 10, "log_message": message, "strategy": "stop"}).
			String("breakpoint.id")
		s.Settled(s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false}))
		query := mcptest.Args{"types": []string{"tracepoint"}, "max_bytes": 1 << 18, "limit": 2000}
		r := s.Do("events_query", query)
		require.Equal(t, hits, r.Len("events"), "%s", r.Raw)
		require.Less(t, len(r.Raw)/hits, 130+len(message))
		require.Equal(t, 1, strings.Count(string(r.Raw), source))
		require.Equal(t, 10, r.Int("places."+id+".line"))
		require.Equal(t, "s1", r.String("sessionId"))
		for _, field := range []string{"sessionId", "data", "location"} {
			require.False(t, r.Has("events.0."+field), field)
		}
		require.Equal(t, hits, r.Int("events.299.hitCount"))
		require.Equal(t, message, r.String("events.299.logMessage"))

		delete(query, "limit")
		query["format"] = "lines"
		r = s.Do("events_query", query)
		require.Equal(t, hits, r.Len("lines"))
		require.Less(t, len(r.Raw)/hits, 60+len(message))
		require.True(t, strings.HasSuffix(r.String("lines.299"), " "+message), r.String("lines.299"))
		require.True(t, strings.HasPrefix(r.String("lines.299"), "#"))
		require.Equal(t, 10, r.Int("places."+id+".line"))
	})
}

// A page ends before max_bytes. The next one begins where it ended.
func TestEventPages(t *testing.T) {
	const hits = 500
	s := serve(t, "dlv", daptest.Delve(), loop(hits))
	s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 10, "log_message": "i={i}"})
	s.Settled(s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false}))
	for _, format := range []string{"objects", "lines"} {
		list := map[string]string{"objects": "events", "lines": "lines"}[format]
		for _, bytes := range []int{0, 300, 1000, 8192, 1 << 18} {
			args := mcptest.Args{"types": []string{"tracepoint"}, "format": format}
			if bytes > 0 {
				args["max_bytes"] = bytes
			} else {
				bytes = 8192
			}
			seen := 0
			for {
				r := s.Do("events_query", args)
				require.Positive(t, r.Len(list), "%s", r.Raw)
				require.LessOrEqual(t, len(r.Raw), max(bytes, 450), "%d", bytes)
				seen += r.Len(list)
				args["after_seq"] = r.Int("lastSeq")
				if !r.Bool("more") {
					break
				}
			}
			require.Equal(t, hits, seen, "%s %d", format, bytes)
		}
	}
}

// Long values are cut in an answer and whole on request.
func TestEventLongMessage(t *testing.T) {
	p := loop(1)
	long := strings.Repeat("x", 3000)
	p.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
		return daptest.Var{Value: long, Type: "text"}, call.Expression == "big"
	}
	s := serve(t, "debugpy", daptest.Debugpy(), p)
	s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 10, "log_message": "{big}", "strategy": "stop"})
	s.Settled(s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false}))
	query := mcptest.Args{"types": []string{"tracepoint"}}
	r := s.Do("events_query", query)
	require.Less(t, len(r.Raw), 1500)
	require.True(t, r.Bool("events.0.truncated"), "%s", r.Raw)
	query["full"] = true
	r = s.Do("events_query", query)
	require.False(t, r.Bool("events.0.truncated"))
	require.Contains(t, r.String("events.0.logMessage"), long)
}
