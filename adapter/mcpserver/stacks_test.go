package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// The stacks of all threads are one answer, equal ones once.
func TestAllStacks(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		gate, open := daptest.Gate()
		defer open()
		s := serve(t, name, shape, waitingThreads(gate, 500))
		s.launchTo(t, 10)
		r := s.Do("stacktrace_get", mcptest.Args{"all": true})
		require.Less(t, len(r.Raw), 8<<10)
		require.Equal(t, 3, r.Len("stacks"), "%s", r.Raw)
		require.Equal(t, 1, r.Int("stacks.0.count"), "the current thread's")
		require.Contains(t, r.String("stacks.0.frames.0"), "main.main "+source+":10")
		require.Equal(t, 500, r.Int("stacks.1.count"))
		require.Equal(t, 3, r.Len("stacks.1.ids"))
		require.Contains(t, r.String("stacks.1.frames.1"), "main.worker "+source+":20")
		require.Equal(t, 3, r.Int("stacks.2.count"))
		if name == "dlv" {
			require.Equal(t, "chan receive", r.String("stacks.1.waitsFor"), "%s", r.Raw)
		}
	})
}

// An answer with the stacks of all threads stays small, however different they are.
func TestAllStacksAreBounded(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	p := daptest.Program{Threads: []daptest.Thread{{ID: 1, Code: daptest.Lines(daptest.Step{File: source, Line: 10,
		Func: "main.main", Gate: gate})}}}
	for i := range 300 {
		p.Threads = append(p.Threads, daptest.Thread{ID: 100 + i, Code: daptest.Lines(daptest.Step{File: source,
			Line: 100 + i, Func: "main.worker" + itoa(i), Gate: gate})})
	}
	s := serve(t, "dlv", daptest.Delve(), p)
	s.launchTo(t, 10)
	r := s.Do("stacktrace_get", mcptest.Args{"all": true})
	require.Less(t, len(r.Raw), 8<<10)
	require.Equal(t, 301, r.Len("stacks")+r.Int("omittedThreads"), "%s", r.Raw)
	require.Positive(t, r.Int("omittedThreads"))
}

// A recursion is told once with its number, and the frames below it are there.
func TestRecursion(t *testing.T) {
	const depth = 700
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		line := daptest.Step{File: source, Line: 10, Func: "main.fib"}
		for range depth {
			line.Callers = append(line.Callers, daptest.Frame{File: source, Line: 12, Func: "main.fib"})
		}
		line.Callers = append(line.Callers, daptest.Frame{File: source, Line: 20, Func: "main.main"})
		s := serve(t, name, shape, daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(line, line)}}})
		s.launchTo(t, 10)
		r := s.Do("stacktrace_get", nil)
		require.Equal(t, 3, r.Len("frames"), "%s", r.Raw)
		require.Equal(t, depth-1, r.Int("frames.1.repeated"))
		require.Equal(t, "main.main", r.String("frames.2.function"))
		require.Equal(t, depth+1, r.Int("frames.2.index"))
		require.Equal(t, depth+2, r.Int("totalFrames"))
		require.False(t, r.Has("nextStart"))
		all := s.Do("stacktrace_get", mcptest.Args{"fold": false, "max_frames": 1000})
		require.Equal(t, depth+2, all.Len("frames"))
	})
}

// Where a debugger guesses the number of frames, it is not told before the end of the stack has been read.
func TestGuessedTotalFrames(t *testing.T) {
	line := daptest.Step{File: source, Line: 10, Func: "main.f"}
	for i := range 29 {
		line.Callers = append(line.Callers, daptest.Frame{File: source, Line: 11 + i, Func: "main.g" + itoa(i)})
	}
	s := serve(t, "dlv", daptest.Delve(), daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(line, line)}}})
	s.launchTo(t, 10)
	s.adapter().OnRequest("stackTrace", func(m *dapclient.Message) daptest.Action {
		if !strings.Contains(string(m.Arguments), `"levels":2,`) && !strings.Contains(string(m.Arguments), `"levels":2}`) {
			return daptest.Action{}
		}
		return daptest.Raw(`{"seq":9000,"type":"response","request_seq":$seq,"success":true,"command":"stackTrace",` +
			`"body":{"stackFrames":[{"id":901,"name":"main.g24"},{"id":902,"name":"main.g25"}],"totalFrames":227}}`)
	})
	r := s.Do("stacktrace_get", mcptest.Args{"start_frame": 25, "max_frames": 2})
	require.False(t, r.Has("totalFrames"), "%s", r.Raw)
	require.Equal(t, 27, r.Int("nextStart"))
	require.Equal(t, 30, s.Do("stacktrace_get", mcptest.Args{"max_frames": 100}).Int("totalFrames"))
}
