package mcpserver_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// localsOf returns the locals of the stop in a result as they were sent, "" when there are none.
func localsOf(r mcptest.Result) string {
	var answer struct {
		Stop struct{ Locals json.RawMessage }
	}
	r.Into(&answer)
	return string(answer.Stop.Locals)
}

// serveLocals is serve with a server that waits for locals however slow the machine is.
func serveLocals(t *testing.T, o mcpserver.Options, profile string, shape daptest.Shape, p daptest.Program,
	setup ...func(*daptest.Adapter)) *session {
	t.Helper()
	_, fakes := mcptest.Fake(t, profile, shape, p, setup...)
	m := adapter.NewManager(adapter.Options{Backends: fakes.Backends(profile), LocalsTimeout: mcptest.Patience})
	return &session{mcptest.Serve(t, m, o), fakes}
}

// withLocals is serveLocals on the default backend.
func withLocals(t *testing.T, p daptest.Program, setup ...func(*daptest.Adapter)) *session {
	t.Helper()
	return serveLocals(t, mcpserver.Options{}, "netcoredbg", daptest.Netcoredbg(), p, setup...)
}

// waitTo starts the program and waits for its first stop.
func (s *session) waitTo(t *testing.T, line int) mcptest.Result {
	t.Helper()
	s.breakAt(line)
	r := s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "wait": true})
	require.Equal(t, line, r.Int("stop.location.line"), "%s", r.Raw)
	return r
}

// reads returns how often the adapter was asked for scopes.
func (s *session) reads() int { return s.adapter().Count("scopes") }

// The answer with a stop has the locals of its frame, those that have changed first. They are read once, without an
// evaluation, and kept for the state and the resource.
func TestStopHasLocals(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serveLocals(t, mcpserver.Options{}, name, shape, loop(5))
		s.waitTo(t, 10)
		r := s.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, `{"i":"1","square":"1"}`, localsOf(r), "%s", r.Raw)
		require.False(t, r.Has("stop.localsOmitted"))
		read, evaluated := s.reads(), s.adapter().Count("evaluate")

		for _, tool := range []string{"debug_state", "debug_pause", "breakpoint_wait"} {
			require.Equal(t, r.Get("stop"), s.Do(tool, nil).Get("stop"), tool)
		}
		var resource struct{ Contents []struct{ Text string } }
		require.NoError(t, json.Unmarshal(s.Request("resources/read", mcptest.Args{"uri": "debugger://session"}).Result,
			&resource))
		require.Equal(t, r.Get("stop"), mcptest.NewResult(t, json.RawMessage(resource.Contents[0].Text)).Get("stop"))
		require.Equal(t, read, s.reads(), "read once")
		require.Equal(t, evaluated, s.adapter().Count("evaluate"))

		r = s.Do("debug_step", nil)
		require.Equal(t, "step", r.String("reason"))
		require.True(t, r.Has("stop.locals.square"), "%s", r.Raw)
		require.Equal(t, read+1, s.reads())
		events := s.Do("events_query", nil)
		require.NotContains(t, string(events.Raw), "locals", "events have none")
	})
}

// A value that has changed comes before those that have not.
func TestChangedLocalsFirst(t *testing.T) {
	step := func(line int, a, b string) daptest.Step {
		return daptest.Step{File: source, Line: line, Func: "F()", Vars: []daptest.Var{
			{Name: "a", Type: "int", Value: a}, {Name: "b", Type: "int", Value: b},
		}}
	}
	s := withLocals(t, daptest.Program{Threads: []daptest.Thread{{
		Code: daptest.Lines(step(10, "1", "1"), step(11, "1", "2"), step(12, "3", "2"), step(13, "3", "2")),
	}}})
	first := s.waitTo(t, 10)
	require.Equal(t, `{"a":"1","b":"1"}`, localsOf(first))
	for _, want := range []string{`{"b":"2","a":"1"}`, `{"a":"3","b":"2"}`, `{"a":"3","b":"2"}`} {
		r := s.Do("debug_step", nil)
		require.Equal(t, want, localsOf(r), "%s", r.Raw)
	}
}

// Each tool that may be the first to return a stop returns the locals, unless the call or the server leaves them out.
func TestLocalsAreLeftOut(t *testing.T) {
	calls := []struct {
		tool string
		args mcptest.Args
	}{
		{"debug_continue", mcptest.Args{"wait": true}},
		{"debug_step", mcptest.Args{}},
		{"debug_run_to", mcptest.Args{"file": source, "line": 11}},
		{"breakpoint_wait", mcptest.Args{}},
		{"debug_pause", mcptest.Args{}},
		{"debug_restart", mcptest.Args{"stop_at_entry": false, "wait": true}},
	}
	play := func(t *testing.T, o mcpserver.Options, locals, want bool) {
		s := serveLocals(t, o, "netcoredbg", daptest.Netcoredbg(), loop(20))
		s.breakAt(10)
		r := s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "wait": true, "locals": locals})
		require.Equal(t, want, r.Has("stop.locals"), "%s", r.Raw)
		for _, call := range calls {
			if call.tool == "breakpoint_wait" || call.tool == "debug_pause" {
				hits := len(s.Notifications("debugger/breakpointHit"))
				s.Do("debug_continue", nil)
				s.AwaitNotifications("debugger/breakpointHit", hits+1)
			}
			call.args["locals"] = locals
			r := s.Do(call.tool, call.args)
			require.True(t, r.Has("stop.location"), "%s: %s", call.tool, r.Raw)
			require.Equal(t, want, r.Has("stop.locals"), "%s: %s", call.tool, r.Raw)
			require.Equal(t, want, s.Do("debug_state", nil).Has("stop.locals"), "%s", call.tool)
		}
		if !want {
			require.Zero(t, s.reads())
		}
	}
	t.Run("wanted", func(t *testing.T) { play(t, mcpserver.Options{}, true, true) })
	t.Run("by the call", func(t *testing.T) { play(t, mcpserver.Options{}, false, false) })
	t.Run("by the server", func(t *testing.T) { play(t, mcpserver.Options{NoLocals: true}, true, false) })
}

// A call without locals leaves them out of its answer although they are kept.
func TestLocalsOfOneCall(t *testing.T) {
	s := withLocals(t, loop(5))
	require.True(t, s.waitTo(t, 10).Has("stop.locals"))
	require.False(t, s.Do("breakpoint_wait", mcptest.Args{"locals": false}).Has("stop.locals"))
	require.True(t, s.Do("breakpoint_wait", nil).Has("stop.locals"))
	require.Equal(t, 1, s.reads())
}

// Hits of tracepoints and stops that no answer has read nothing.
func TestNoLocalsWithoutAnAnswer(t *testing.T) {
	s := withLocals(t, loop(5))
	s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 10, "strategy": "stop"})
	s.breakAt(22)
	s.launch(t)
	s.AwaitNotifications("debugger/breakpointHit", 2)
	for _, line := range s.Lines() {
		require.False(t, line.Method != "" && strings.Contains(string(line.Raw), "locals"), "%s", line.Raw)
	}
	s.Do("debug_state", nil)
	require.LessOrEqual(t, s.reads(), 1, "at most for the answer of the launch")
}

// A set variable ends what was kept: the state has no old value, and the next wait reads again.
func TestLocalsAfterASetVariable(t *testing.T) {
	s := withLocals(t, loop(5))
	s.waitTo(t, 10)
	s.Do("variable_set", mcptest.Args{"name": "square", "value": "77"})
	require.False(t, s.Do("debug_state", nil).Has("stop.locals"))
	r := s.Do("breakpoint_wait", nil)
	require.True(t, r.Bool("alreadySeen"))
	require.Equal(t, `{"square":"77","i":"0"}`, localsOf(r), "the changed one first")
	require.Equal(t, r.Get("stop"), s.Do("debug_state", nil).Get("stop"))
}

// A debugger that does not answer in time costs the answer nothing but the locals, also later.
func TestSlowLocals(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, loop(5), func(a *daptest.Adapter) { a.Once("scopes", daptest.Hold(gate)) })
	require.False(t, s.waitTo(t, 10).Has("stop.locals"))
	require.False(t, s.Do("breakpoint_wait", nil).Has("stop.locals"))
	require.Equal(t, 1, s.reads(), "not tried again at this stop")
	open()
	s.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, 2, s.reads())
}

// A frame whose variables the debugger cannot read, and one without any.
func TestUnreadableLocals(t *testing.T) {
	s := withLocals(t, loop(5), func(a *daptest.Adapter) { a.Once("variables", daptest.Fail("no")) })
	require.False(t, s.waitTo(t, 10).Has("stop.locals"))

	s = withLocals(t, daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
		daptest.Step{File: source, Line: 10, Func: "F()"}, daptest.Step{File: source, Line: 11, Func: "F()"})}}})
	require.Equal(t, `{}`, localsOf(s.waitTo(t, 10)))
}

// A resume that comes while the locals are read gives the answer without them; the resume is not held up for long.
func TestResumeWhileLocalsAreRead(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := withLocals(t, loop(9))
	s.waitTo(t, 10)
	s.adapter().Once("scopes", daptest.Hold(gate))
	waiting := s.BeginCall("debug_continue", mcptest.Args{"wait": true})
	s.AwaitNotifications("debugger/breakpointHit", 2)
	waitUntil(t, func() bool { return s.reads() == 2 })
	s.BeginCall("debug_continue", nil)
	r := s.AwaitCall(waiting)
	require.Equal(t, 2, r.Int("stop.hitCount"), "%s", r.Raw)
	require.False(t, r.Has("stop.locals"))
}

// Where the ids of a stop's locals are those of the stops before, they are asked for together with its frame, when an
// answer will have them.
func TestEarlyLocals(t *testing.T) {
	s := serveLocals(t, mcpserver.Options{}, "dlv", daptest.Delve(), loop(9))
	s.waitTo(t, 10)
	commands := func(args mcptest.Args) (locals string, sent []string) {
		before := len(s.adapter().Commands())
		hits := len(s.Notifications("debugger/breakpointHit"))
		r := s.Do("debug_continue", args)
		s.AwaitNotifications("debugger/breakpointHit", hits+1)
		return localsOf(r), s.adapter().Commands()[before:]
	}
	wait := mcptest.Args{"wait": true}
	for _, want := range []string{`{"i":"1","square":"1"}`, `{"i":"2","square":"4"}`, `{"i":"3","square":"9"}`} {
		locals, sent := commands(wait)
		require.Equal(t, want, locals)
		require.Contains(t, sent, "scopes")
	}
	locals, sent := commands(wait)
	require.Equal(t, `{"i":"4","square":"16"}`, locals)
	at := slices.Index(sent, "stackTrace")
	require.Subset(t, sent[at:min(at+4, len(sent))], []string{"stackTrace", "scopes", "variables"}, "%s", sent)
	require.Equal(t, 1, strings.Count(strings.Join(sent, " "), "scopes"), "asked once: %s", sent)

	locals, sent = commands(mcptest.Args{"wait": true, "locals": false})
	require.Empty(t, locals)
	require.NotContains(t, sent, "scopes")
	_, sent = commands(mcptest.Args{})
	require.NotContains(t, sent, "scopes", "no answer has them")
	require.Equal(t, `{"i":"6","square":"36"}`, localsOf(s.Do("breakpoint_wait", nil)))
}
