package mcpserver_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// Several sessions at once: each must be named, and the end of one does not affect the others.
func TestSeveralSessions(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	_, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), sleeper(gate))
	m := adapter.NewManager(adapter.Options{Backends: fakes.Backends("netcoredbg"), MaxSessions: 2})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	list := c.Do("sessions_list", nil)
	require.Equal(t, 0, list.Int("count"))
	require.Equal(t, []any{}, list.Get("sessions"))

	launch := mcptest.Args{"program": program, "stop_at_entry": false}
	first := c.Do("debug_launch", launch).String("session.sessionId")
	firstAdapter := fakes.Last()
	require.Equal(t, first, c.Do("debug_pause", nil).String("session.sessionId"), "the only one needs no name")
	attached := c.Do("debug_attach", mcptest.Args{"pid": 77})
	second := attached.String("session.sessionId")
	require.Contains(t, attached.String("warning"), first+" (LoopApp.dll, paused)")
	require.NotEqual(t, first, second)

	list = c.Do("sessions_list", nil)
	require.Equal(t, 2, list.Int("count"))
	require.Equal(t, first, list.String("sessions.0.sessionId"))
	require.Equal(t, "paused", list.String("sessions.0.state"))
	require.Equal(t, "netcoredbg", list.String("sessions.0.backend"))
	require.Equal(t, program, list.String("sessions.0.program"))
	require.NotZero(t, list.Int("sessions.0.processId"))
	require.Equal(t, "running", list.String("sessions.1.state"))
	require.Equal(t, 77, list.Int("sessions.1.processId"))

	for _, tool := range []string{"debug_state", "debug_continue", "debug_pause", "debug_step", "threads_list",
		"stacktrace_get", "variables_get", "debug_disconnect", "process_read_output"} {
		r := c.Refused(fault.SessionAmbiguous, tool, nil)
		require.Equal(t, 2, r.Len("error.details.sessions"), "%s", r.Raw)
		require.Equal(t, second, r.String("error.details.sessions.1.sessionId"))
	}
	c.Refused(fault.SessionLimit, "debug_launch", launch)
	c.Refused(fault.NoSession, "debug_state", mcptest.Args{"session_id": "s99"})

	// A breakpoint of a session applies to that session, other breakpoints to all.
	own := c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 3, "session_id": first}).String("breakpoint.id")
	c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 1})
	require.Equal(t, 2, c.Do("breakpoint_list", mcptest.Args{"session_id": first}).Int("count"))
	require.Equal(t, 1, c.Do("breakpoint_list", mcptest.Args{"session_id": second}).Int("count"))

	done := c.Do("debug_disconnect", mcptest.Args{"session_id": second})
	require.Equal(t, second, done.String("session.sessionId"))
	require.Equal(t, daptest.FateDetached, fakes.Last().Fate())
	require.Equal(t, daptest.FateNone, firstAdapter.Fate(), "the other goes on")
	require.Equal(t, 1, c.Do("sessions_list", nil).Int("count"))
	require.Equal(t, "paused", c.Do("debug_state", nil).String("session.state"))
	c.Do("debug_continue", nil)
	open()
	r := c.Do("breakpoint_wait", nil)
	require.Equal(t, own, r.String("breakpointId"), "%s", r.Raw)
	require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
	require.Equal(t, 0, c.Do("sessions_list", nil).Int("count"))
}

// serveTwo is a server with two backends, each with a program in a file of its own.
func serveTwo(t *testing.T, one, other string, gate <-chan struct{}) (c *mcptest.Client, folder string) {
	folder = t.TempDir()
	shape := map[string]daptest.Shape{}
	for _, s := range shapes {
		shape[s.name] = s.shape
	}
	backend := func(name, file string) adapter.Backend {
		file = filepath.Join(folder, file)
		require.NoError(t, os.WriteFile(file, []byte("one\ntwo\n"), 0o600))
		_, fakes := mcptest.Fake(t, name, shape[name], daptest.Program{
			Sources: map[string][]int{file: {1, 2}}, Threads: []daptest.Thread{{Code: daptest.Lines(
				daptest.Step{File: file, Line: 1, Func: "main.main", Gate: gate},
				daptest.Step{File: file, Line: 2, Func: "main.main"},
			)}},
		})
		b := fakes.Backends(name).Custom["fake"]
		b.Profile = dapclient.ProfileByName(name)
		return b
	}
	fileOf := map[string]string{"dlv": ".go", "debugpy": ".py", "netcoredbg": ".cs"}
	m := adapter.NewManager(adapter.Options{Backends: adapter.BackendOptions{Custom: map[string]adapter.Backend{
		"one": backend(one, "one"+fileOf[one]), "other": backend(other, "other"+fileOf[other]),
	}}})
	return mcptest.Serve(t, m, mcpserver.Options{}), folder
}

// A debugger that refuses a file for good decides nothing for the sessions of others.
func TestBreakpointOfSeveralSessions(t *testing.T) {
	start := func(c *mcptest.Client, backend string) string {
		return c.Do("debug_launch", mcptest.Args{"program": "/src/" + backend, "stop_at_entry": false, "backend": backend}).
			String("session.sessionId")
	}
	t.Run("two Go programs", func(t *testing.T) {
		gate, open := daptest.Gate()
		defer open()
		c, folder := serveTwo(t, "dlv", "dlv", gate)
		at := mcptest.Args{"file": filepath.Join(folder, "other.go"), "line": 2}
		c.Do("breakpoint_set", at)
		first := start(c, "one")
		require.Equal(t, "failed", c.Do("breakpoint_list", nil).String("breakpoints.0.state"),
			"the only session has no such file")
		second := start(c, "other")
		list := c.Do("breakpoint_list", nil)
		require.Equal(t, "bound", list.String("breakpoints.0.state"), "%s", list.Raw)
		require.Equal(t, first, list.String("breakpoints.0.sessions.0.sessionId"))
		require.Equal(t, "failed", list.String("breakpoints.0.sessions.0.state"))
		require.Equal(t, second, list.String("breakpoints.0.sessions.1.sessionId"))
		c.Do("breakpoint_remove", mcptest.Args{"all": true})
		set := c.Do("breakpoint_set", at)
		require.Equal(t, "bound", set.String("breakpoint.state"), "%s", set.Raw)
		require.Equal(t, 2, set.Len("breakpoint.sessions"), "%s", set.Raw)
		r := c.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": filepath.Join(folder, "none.go"), "line": 2})
		require.Equal(t, first, r.String("error.details.sessionId"), "all refuse")
		c.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": filepath.Join(folder, "other.go"),
			"line": 2, "session_id": first})
		open()
		require.Equal(t, "hit", c.Do("breakpoint_wait", mcptest.Args{"session_id": second}).String("reason"))
		list = c.Do("breakpoint_list", nil)
		require.Equal(t, 1, list.Int("breakpoints.0.hitCount"), "%s", list.Raw)
	})
	t.Run("Go and Python", func(t *testing.T) {
		gate, open := daptest.Gate()
		defer open()
		c, folder := serveTwo(t, "dlv", "debugpy", gate)
		start(c, "one")
		at := mcptest.Args{"file": filepath.Join(folder, "other.py"), "line": 2}
		set := c.Do("breakpoint_set", at)
		require.Equal(t, "pending", set.String("breakpoint.state"), "%s", set.Raw)
		require.Empty(t, set.String("breakpoint.message"), "%s", set.Raw)
		second := start(c, "other")
		set = c.Do("breakpoint_set", at)
		require.Equal(t, "bound", set.String("breakpoint.state"), "%s", set.Raw)
		require.Equal(t, 0, set.Len("breakpoint.sessions"), "%s", set.Raw)
		c.Do("debug_disconnect", mcptest.Args{"session_id": second})
		require.Equal(t, "pending", c.Do("breakpoint_list", nil).String("breakpoints.0.state"), "it may come again")
	})
	t.Run("what one debugger cannot do", func(t *testing.T) {
		gate, open := daptest.Gate()
		defer open()
		c, folder := serveTwo(t, "netcoredbg", "dlv", gate)
		first := start(c, "one")
		column := mcptest.Args{"file": filepath.Join(folder, "page.html"), "line": 2, "column": 3}
		c.Refused(fault.NotSupported, "breakpoint_set", column)
		start(c, "other")
		r := c.Refused(fault.NotSupported, "breakpoint_set",
			mcptest.Args{"file": filepath.Join(folder, "one.cs"), "line": 2, "column": 3})
		require.Equal(t, first, r.String("error.details.sessionId"), "the other has no C#")
		require.Equal(t, "bound",
			c.Do("breakpoint_set", mcptest.Args{"file": filepath.Join(folder, "other.go"), "line": 2, "column": 3}).
				String("breakpoint.state"))
	})
}

// A wait over a program that stands at a known stop and one that runs names the one that stands: the other may wait
// for it.
func TestWaitNamesWhoStands(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	c, folder := serveTwo(t, "dlv", "debugpy", gate)
	c.Do("breakpoint_set", mcptest.Args{"file": filepath.Join(folder, "one.go"), "line": 1})
	start := func(backend string, wait bool) string {
		return c.Do("debug_launch", mcptest.Args{"program": "/src/" + backend, "stop_at_entry": false, "backend": backend,
			"wait": wait}).String("session.sessionId")
	}
	standing, running := start("one", true), start("other", false)
	r := c.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 0})
	require.Equal(t, "timeout", r.String("reason"), "%s", r.Raw)
	require.Equal(t, "at a stop that you know: "+standing+"; the running programs may wait for them", r.String("note"))
	r = c.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 0, "session_id": running})
	require.Equal(t, "timeout", r.String("reason"), "%s", r.Raw)
	require.False(t, r.Has("note"), "the caller has chosen")
}

// A wait without a session is over all of them, and an older stop of one is not lost behind a newer one of another.
func TestWaitForAnySession(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	c, folder := serveTwo(t, "dlv", "debugpy", gate)
	start := func(backend string) string {
		return c.Do("debug_launch", mcptest.Args{"program": "/src/" + backend, "stop_at_entry": false, "backend": backend}).
			String("session.sessionId")
	}
	first, second := start("one"), start("other")
	c.Do("breakpoint_set", mcptest.Args{"file": filepath.Join(folder, "one.go"), "line": 2})
	c.Do("breakpoint_set", mcptest.Args{"file": filepath.Join(folder, "other.py"), "line": 2})
	require.Equal(t, "timeout", c.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 0}).String("reason"))
	open()
	stopped := map[string]bool{}
	for len(stopped) < 2 {
		n := c.AwaitNotification("debugger/breakpointHit", func(r mcptest.Result) bool {
			return !stopped[r.String("sessionId")]
		})
		stopped[n.String("sessionId")] = true
	}
	newer := first
	if c.Do("debug_state", mcptest.Args{"session_id": second}).Int("stop.seq") >
		c.Do("debug_state", mcptest.Args{"session_id": first}).Int("stop.seq") {
		newer = second
	}
	require.True(t, c.Do("breakpoint_wait", nil).Bool("alreadySeen"), "all stand at stops that the client was given")

	c.Do("debug_continue", mcptest.Args{"session_id": newer})
	ended := c.Do("breakpoint_wait", nil)
	require.Equal(t, newer, ended.String("session.sessionId"), "%s", ended.Raw)
	require.Equal(t, "exited", ended.String("reason"), "%s", ended.Raw)
}

// A process that is debugged already is not attached to again, and the session that has it is named.
func TestAttachTwice(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		gate, open := daptest.Gate()
		defer open()
		program := sleeper(gate)
		program.PID = os.Getppid()
		_, fakes := mcptest.Fake(t, name, shape, program)
		b := fakes.Backends(name).Custom["fake"]
		b.Local = true
		profile := *b.Profile
		profile.Language = "" // our parent runs no .NET
		b.Profile = &profile
		m := adapter.NewManager(adapter.Options{Backends: adapter.BackendOptions{
			Default: "fake", Custom: map[string]adapter.Backend{"fake": b},
		}})
		c := mcptest.Serve(t, m, mcpserver.Options{})
		attach := mcptest.Args{"pid": os.Getppid()}
		first := c.Do("debug_attach", attach).String("session.sessionId")
		r := c.Refused(fault.AttachFailed, "debug_attach", attach)
		require.Equal(t, first, r.String("error.details.sessionId"))
		require.Contains(t, r.String("error.message"), "session "+first)
		require.Equal(t, 1, c.Do("sessions_list", nil).Int("count"))
		c.Do("debug_disconnect", nil)
		c.Do("debug_attach", attach)
	})
}

// The exit code of an attached program is left out where the debugger invents it.
func TestExitCodeOfAttached(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		for _, way := range []string{"debug_attach", "debug_launch"} {
			gate, open := daptest.Gate()
			defer open()
			s := serve(t, name, shape, sleeper(gate))
			if way == "debug_attach" {
				s.Do(way, mcptest.Args{"pid": 77})
			} else {
				s.launch(t)
			}
			open()
			end := s.Do("breakpoint_wait", nil)
			require.Equal(t, "exited", end.String("reason"), "%s", end.Raw)
			invented := name == "netcoredbg" && way == "debug_attach"
			require.Equal(t, !invented, end.Has("exitCode"), "%s", end.Raw)
			state := s.Do("debug_state", nil)
			require.Equal(t, !invented, state.Has("session.exitCode"), "%s", state.Raw)
			if !invented {
				require.Equal(t, 7, end.Int("exitCode"))
			}
		}
	})
}
