package mcpserver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// Two goroutines wait for each other's mutex: the receiver of Lock, and what the function has locked before, have the
// same addresses. A third one locks its own mutex twice.
func TestWaitsOfGoroutines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(`package main

func transfer(from, to *account) {
	from.mu.Lock()
	to.mu.Lock()
}
`), 0o600))
	gate, open := daptest.Gate()
	defer open()
	blocked := daptest.Step{Func: "sync.(*Mutex).lockSlow", Gate: gate, Callers: []daptest.Frame{
		{Func: "sync.(*Mutex).Lock"}, {File: file, Line: 5, Func: "main.transfer"}}}
	threads := []daptest.Thread{{ID: 1, Code: daptest.Lines(daptest.Step{File: source, Line: 10, Func: "main.main",
		Gate: gate})}}
	for id := 7; id < 10; id++ {
		threads = append(threads, daptest.Thread{ID: id, Code: daptest.Lines(blocked)})
	}
	program := daptest.Program{Threads: threads, Eval: func(call daptest.EvalCall) (daptest.Var, bool) {
		own, other := "49312 = 0xc0a0", "49328 = 0xc0b0"
		switch call.Thread {
		case 8:
			own, other = other, own
		case 9:
			own, other = "49344 = 0xc0c0", "49344 = 0xc0c0"
		}
		value, known := map[string]string{"uintptr(m)": other, "uintptr(&from.mu)": own,
			"runtime.curg.waitreason": "waitReasonSyncMutexLock (22) = 0x16"}[call.Expression]
		return daptest.Var{Value: value, Type: "uintptr"}, known
	}}
	s := serve(t, "dlv", daptest.Delve(), program)
	s.launchTo(t, 10)
	r := s.Do("threads_list", nil)
	require.Equal(t, 3, r.Len("deadlocked"), "%s", r.Raw)
	require.Equal(t, 9, r.Int("threads.3.heldBy.0"), "it waits for itself: %s", r.Raw)
	require.Equal(t, "sync.Mutex at 0xc0b0", r.String("threads.1.waitsOn"), "%s", r.Raw)
	require.Equal(t, 8, r.Int("threads.1.heldBy.0"))
	require.True(t, r.Bool("threads.1.likely"))
	require.Equal(t, "sync mutex lock", r.String("threads.1.waitsFor"))
	require.Equal(t, 7, r.Int("threads.2.heldBy.0"), "%s", r.Raw)
	require.False(t, r.Has("threads.0.waitsFor"), "it is in its own code: %s", r.Raw)
	require.Equal(t, 3, s.Do("threads_list", mcptest.Args{"thread_filter": "sync.Mutex at"}).Len("threads"))
}

// What the program answers about tasks and locks is shown.
func TestWaitsOfPython(t *testing.T) {
	file := filepath.Join(t.TempDir(), "app.py")
	require.NoError(t, os.WriteFile(file, []byte("async def leaf():\n    pass\n"), 0o600))
	gate, open := daptest.Gate()
	defer open()
	threads := []daptest.Thread{
		{ID: 1, Name: "MainThread", Code: daptest.Lines(daptest.Step{File: file, Line: 2, Func: "leaf", Gate: gate})},
		{ID: 2, Name: "same", Code: daptest.Lines(daptest.Step{File: file, Line: 1, Func: "leaf", Gate: gate})},
		{ID: 3, Name: "same", Code: daptest.Lines(daptest.Step{File: file, Line: 1, Func: "leaf", Gate: gate})},
		{ID: 4, Name: "own", Code: daptest.Lines(daptest.Step{File: file, Line: 1, Func: "leaf", Gate: gate})},
	}
	program := daptest.Program{Threads: threads, Eval: func(call daptest.EvalCall) (daptest.Var, bool) {
		answer := ""
		switch {
		case strings.HasSuffix(call.Expression, "({'want': 'callers'})"):
			answer = `{"callers": [["Task-1 \\"it\'s\\"", "outer", "/src/app.py", 9], ["Task-1", "odd"]]}`
		case strings.HasSuffix(call.Expression, "({'want': 'places'})"):
			answer = `{"threads": [{"name": "own", "places": [["wait", "/usr/lib/python3.11/threading.py", 300],
				["work", "/src/app.py", 7]]}, {"name": "same", "places": [["work", "/src/app.py", 8]]}]}`
		case strings.HasSuffix(call.Expression, "({'want': 'waits'})"):
			answer = `{"threads": [{"name": "own", "for": "RLock.acquire", "on": "RLock at 0x10", 
				"heldBy": ["MainThread", "same"]},
				{"name": "same", "for": "lock.acquire"}],
				"tasks": [{"name": "reader", "for": "", "places": [["Queue.get", "/usr/lib/python3/asyncio/queues.py", 1],
				["reader", "/src/app.py", 5]]}], "omitted": 2}`
		}
		return daptest.Var{Value: "'" + answer + "'", Type: "str"}, answer != ""
	}}
	m, _ := mcptest.Fake(t, "debugpy", daptest.Debugpy(), program)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 2})
	toFirstStop(c, "app.py")
	r := c.Do("stacktrace_get", nil)
	require.Equal(t, 2, r.Len("frames"), "%s", r.Raw)
	require.Equal(t, "async", r.String("frames.1.kind"))
	require.Equal(t, "outer", r.String("frames.1.function"))
	require.Equal(t, `Task-1 "it's"`, r.String("frames.1.task"))
	require.Equal(t, 1, r.Int("frames.1.index"))
	r = c.Do("threads_list", nil)
	require.Equal(t, 1, r.Len("threads.3.heldBy"), "two threads have the other name: %s", r.Raw)
	require.Equal(t, 1, r.Int("threads.3.heldBy.0"))
	require.Equal(t, 7, r.Int("threads.3.location.line"), "as the program says it: %s", r.Raw)
	require.Equal(t, 1, r.Int("threads.1.location.line"), "as debugpy says it, with half a second for each")
	require.False(t, r.Has("threads.1.waitsFor"), "%s", r.Raw)
	require.Equal(t, "Queue.get", r.String("tasks.0.waitsFor"))
	require.Equal(t, 5, r.Int("tasks.0.location.line"))
	require.Equal(t, 2, r.Int("omittedTasks"))
}
