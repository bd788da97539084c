package mcpserver_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// Long names of functions are cut wherever they are shown. stacktrace_get has them whole on request.
func TestLongFunctionNames(t *testing.T) {
	long := "count<" + strings.Repeat("std::vector<int, ", 200) + ">(int)"
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		line := daptest.Step{File: source, Line: 10, Func: long,
			Callers: []daptest.Frame{{File: source, Line: 20, Func: long}}}
		s := serve(t, name, shape, daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(line, line)}}})
		short := func(shown string) {
			t.Helper()
			require.Equal(t, 120, utf8.RuneCountInString(shown))
			require.True(t, strings.HasPrefix(shown, "count<") && strings.HasSuffix(shown, ">(int)"), shown)
		}
		short(s.launchTo(t, 10).String("stop.location.functionName"))
		short(s.Do("debug_state", nil).String("session.location.functionName"))
		short(s.Do("threads_list", nil).String("threads.0.location.functionName"))
		r := s.Do("stacktrace_get", nil)
		short(r.String("frames.0.function"))
		short(r.String("frames.1.function"))
		r = s.Do("stacktrace_get", mcptest.Args{"full": true})
		require.Equal(t, long, r.String("frames.0.function"))
		require.Equal(t, long, r.String("frames.1.function"))
		require.NotContains(t, string(s.Do("events_query", nil).Raw), long)
	})
}

// An error says each text once.
func TestErrorSaysItsTextOnce(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, loop(2))
		s.launchTo(t, 10)
		r := s.Refused(fault.EvalFailed, "evaluate", mcptest.Args{"expression": "nothing_of_this_name"})
		require.Less(t, strings.Count(string(r.Raw), "nothing_of_this_name"), 3, "%s", r.Raw)
	})
}

func TestSmallAnswers(t *testing.T) {
	s := serve(t, "dlv", daptest.Delve(), loop(2))
	for i := range 40 {
		s.Do("breakpoint_set", mcptest.Args{"file": source, "line": 100 + i})
	}
	s.launchTo(t, 10)
	r := s.Do("breakpoint_remove", mcptest.Args{"all": true})
	require.Less(t, len(r.Raw), 250)
	require.Equal(t, 15, r.Len("removed"))
	require.Equal(t, 41, r.Int("count"))
	require.Less(t, len(s.Do("debug_disconnect", nil).Raw), 250)
}
