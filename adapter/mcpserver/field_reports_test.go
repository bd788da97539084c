package mcpserver_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

// TestFieldReports checks that every test named in docs/field-reports.md exists.
func TestFieldReports(t *testing.T) {
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	require.NoError(t, filepath.WalkDir(fixtures.Root(), func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			tests[string(m[1])] = true
		}
		return err
	}))
	page, err := os.ReadFile(filepath.Join(fixtures.Root(), "docs", "field-reports.md"))
	require.NoError(t, err)
	rows := 0
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| A |") && !strings.HasPrefix(line, "| F |") && !strings.HasPrefix(line, "| N |") {
			continue
		}
		rows++
		named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(line, -1)
		if !strings.HasPrefix(line, "| N |") {
			require.NotEmpty(t, named, "no test holds %s", line)
		}
		for _, m := range named {
			require.True(t, tests[m[1]], "there is no %s: %s", m[1], line)
		}
		require.Contains(t, line, "https://", "%s", line)
	}
	require.Greater(t, rows, 60)
}

// A step that the debugger refuses returns the error, and the program stays where it was.
func TestStepFails(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, loop(3))
		s.launchTo(t, 10)
		s.adapter().Once("next", daptest.Fail("Failed command 'next' : 0x80131309"))
		r := s.Call("debug_step", nil)
		require.True(t, r.IsError, "%s", r.Raw)
		require.NotContains(t, r.String("error.message"), "tepped")
		require.Equal(t, "paused", s.state())
		require.Equal(t, 10, s.Do("debug_state", nil).Int("stop.location.line"))
		require.Equal(t, 11, s.Do("debug_step", nil).Int("stop.location.line"), "and can be stepped again")
	})
}

// The first request has seq 1, and a process to attach to has the name that the debugger knows.
func TestFirstRequests(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, sleeper(gate))
	s.Do("debug_attach", mcptest.Args{"pid": 77})
	for i, m := range s.adapter().Received() {
		require.Equal(t, i+1, m.Seq)
	}
	attach := mcptest.NewResult(t, s.adapter().Requests("attach")[0].Raw)
	require.Equal(t, 77, attach.Int("arguments.processId"))
	require.False(t, attach.Has("arguments.pid"))
}

// A pause in library code: the stop names the program's own line and frame.
func TestPausedInALibrary(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(daptest.Step{
		Func: "System.Threading.Thread.Sleep()", Gate: gate,
		Callers: []daptest.Frame{{File: source, Line: 60, Func: "LoopApp.Program.Main()",
			Vars: []daptest.Var{{Name: "parcel", Value: "9", Type: "int"}}}},
	})}}})
	s.launch(t)
	r := s.Do("debug_pause", nil)
	require.Equal(t, 60, r.Int("stop.location.line"), "%s", r.Raw)
	frames := s.Do("stacktrace_get", nil)
	require.True(t, frames.Bool("frames.0.isExternal"), "%s", frames.Raw)
	require.False(t, frames.Bool("frames.1.isExternal"))
	require.Contains(t, s.Do("variables_get", mcptest.Args{"frame_index": 0}).String("note"), "frame_index 1")
	require.Equal(t, "parcel", s.Do("variables_get", mcptest.Args{"frame_index": 1}).String("variables.0.name"))
}

// Without frame_index, tools look at the frame that the stop names; of another thread, at its first frame of the
// program's own.
func TestDefaultFrame(t *testing.T) {
	own := func(line int, name, value string) daptest.Frame {
		return daptest.Frame{File: source, Line: line, Func: "main.work", Vars: []daptest.Var{{Name: name, Value: value,
			Type: "int"}}}
	}
	waits := func(gate <-chan struct{}, callers ...daptest.Frame) daptest.Code {
		return daptest.Lines(daptest.Step{Func: "runtime.wait", Gate: gate, Callers: callers})
	}
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		gate, open := daptest.Gate()
		defer open()
		s := serve(t, name, shape, daptest.Program{Threads: []daptest.Thread{
			{ID: 1, Code: waits(gate, daptest.Frame{Func: "runtime.block"}, own(60, "parcel", "9"), own(70, "caller", "1"))},
			{ID: 2, Code: waits(gate, own(80, "letter", "5"))},
		}})
		s.launch(t)
		r := s.Do("debug_pause", nil)
		index := map[int]int{60: 2, 80: 1}[r.Int("stop.location.line")]
		require.NotZero(t, index, "%s", r.Raw)
		require.Equal(t, index, r.Int("stop.frameIndex"))
		for thread, want := range map[int]struct {
			index       int
			name, value string
		}{1: {2, "parcel", "9"}, 2: {1, "letter", "5"}} {
			args := func(more mcptest.Args) mcptest.Args {
				more["thread_id"] = thread
				if thread == r.Int("stop.threadId") {
					delete(more, "thread_id")
				}
				return more
			}
			got := s.Do("variables_get", args(mcptest.Args{}))
			require.Equal(t, want.name, got.String("variables.0.name"), "%s", got.Raw)
			require.Equal(t, want.index, got.Int("frameIndex"))
			got = s.Do("evaluate", args(mcptest.Args{"expression": want.name}))
			require.Equal(t, want.value, got.String("value"), "%s", got.Raw)
			require.Equal(t, want.index, got.Int("frameIndex"))
			got = s.Do("snapshot_create", args(mcptest.Args{}))
			require.Equal(t, want.index, got.Int("snapshot.frameIndex"), "%s", got.Raw)
			s.Do("object_summarize", args(mcptest.Args{"expression": want.name}))
			got = s.Do("variables_get", args(mcptest.Args{"frame_index": 0}))
			require.False(t, got.Has("frameIndex"), "%s", got.Raw)
			require.Equal(t, 0, got.Len("variables"))
		}
		require.Equal(t, "1", s.Do("evaluate", mcptest.Args{"expression": "caller", "thread_id": 1, "frame_index": 3}).
			String("value"))
	})
}

// The same for library code with sources: a Go server that waits for a connection is in the runtime, at a line
// unrelated to the program.
func TestPausedInALibraryWithSources(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := serve(t, "dlv", daptest.Delve(), daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(daptest.Step{
		File: "/usr/local/go/src/runtime/netpoll.go", Line: 351, Func: "poll.runtime_pollWait", Gate: gate,
		Callers: []daptest.Frame{
			{File: "/usr/local/go/src/net/http/server.go", Line: 3434, Func: "http.(*Server).Serve"},
			{File: source, Line: 60, Func: "main.main"},
		},
	})}}})
	s.launch(t)
	r := s.Do("debug_pause", nil)
	require.Equal(t, 60, r.Int("stop.location.line"), "%s", r.Raw)
	frames := s.Do("stacktrace_get", mcptest.Args{"fold": false})
	require.Equal(t, "http.(*Server).Serve", frames.String("frames.1.function"))
	require.True(t, frames.Bool("frames.1.isExternal"), "%s", frames.Raw)
}
