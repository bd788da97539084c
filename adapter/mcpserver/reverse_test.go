package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// askingFake is a running session on a fake Delve, on this or another machine. The program waits at its gate.
func askingFake(t *testing.T, local bool, sessions int) *session {
	t.Helper()
	gate, open := daptest.Gate()
	t.Cleanup(open)
	_, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), sleeper(gate))
	backends := fakes.Backends("dlv")
	b := backends.Custom["fake"]
	b.Local = local
	backends.Custom["fake"] = b
	m := adapter.NewManager(adapter.Options{Backends: backends, MaxSessions: sessions})
	s := &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
	s.Do("debug_launch", mcptest.Args{"program": os.Args[0], "stop_at_entry": false})
	return s
}

// ask sends a reverse request, and returns the answer to it.
func (s *session) ask(t *testing.T, command string, arguments any) mcptest.Result {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"seq": 900, "type": "request", "command": command, "arguments": arguments})
	require.NoError(t, err)
	a := s.adapter()
	a.Send(string(raw))
	answer := mcptest.NewResult(t, a.WaitFor(command).Raw)
	require.Equal(t, "response", answer.String("type"))
	require.Equal(t, 900, answer.Int("request_seq"))
	return answer
}

// A program that the debugger asks to run is run, its output is read, and it ends with the session.
func TestRunInTerminal(t *testing.T) {
	s := askingFake(t, true, 0)
	init := mcptest.NewResult(t, s.adapter().WaitFor("initialize").Raw)
	require.True(t, init.Bool("arguments.supportsRunInTerminalRequest"))
	require.True(t, init.Bool("arguments.supportsStartDebuggingRequest"))

	t.Setenv("BREAKWIRE_TEST_UNSET", "here")
	folder := t.TempDir()
	answer := s.ask(t, "runInTerminal", map[string]any{
		"kind": "integrated", "title": "a program", "cwd": folder, "args": []string{os.Args[0], "one", "two words"},
		"env": map[string]any{mcpserver.RoleVariable: "teller", "BREAKWIRE_TEST_UNSET": nil, "BREAKWIRE_TEST_SET": "yes"},
	})
	require.True(t, answer.Bool("success"), "%s", answer.Raw)
	pid := answer.Int("body.processId")
	info, err := dapclient.FindProcess(pid)
	require.NoError(t, err)
	output := func() (text string) {
		page := s.Do("process_read_output", mcptest.Args{"tail_lines": 20})
		return page.String("stdout") + page.String("stderr")
	}
	require.Eventually(t, func() bool { // two streams, in any order
		return strings.Contains(output(), "told") && strings.Contains(output(), "complaint")
	}, mcptest.Patience, 5*time.Millisecond)
	for _, part := range []string{"args one|two words", "set yes", "unset \n", "input over", "complaint",
		"pid " + itoa(pid)} {
		require.Contains(t, output(), part)
	}
	r := s.Refused(fault.NotSupported, "debug_disconnect", mcptest.Args{"terminate": false})
	require.Equal(t, "detachLaunched", r.String("error.details.feature"))
	require.True(t, dapclient.Alive(pid, info.Start))
	s.Do("debug_disconnect", nil)
	require.False(t, dapclient.Alive(pid, info.Start), "what we ran is gone at the end")
}

// The same when the debugger dies, and when the client goes.
func TestRunInTerminalEndsWithTheDebugger(t *testing.T) {
	for name, end := range map[string]func(s *session){
		"adapter dies": func(s *session) { s.adapter().Die() },
		"client goes":  func(s *session) { s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			gate, open := daptest.Gate()
			t.Cleanup(open)
			_, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), sleeper(gate))
			backends := fakes.Backends("dlv")
			b := backends.Custom["fake"]
			b.Local = true
			backends.Custom["fake"] = b
			m := adapter.NewManager(adapter.Options{Backends: backends})
			s := &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
			s.Do("debug_launch", mcptest.Args{"program": os.Args[0], "stop_at_entry": false})
			answer := s.ask(t, "runInTerminal",
				map[string]any{"args": []string{os.Args[0]}, "env": map[string]any{mcpserver.RoleVariable: "sleeper"}})
			pid := answer.Int("body.processId")
			info, err := dapclient.FindProcess(pid)
			require.NoError(t, err)
			sessions := m.Sessions()
			end(s)
			if name == "client goes" {
				m.Close()
			}
			<-sessions[0].Ended()
			require.False(t, dapclient.Alive(pid, info.Start))
		})
	}
}

func TestReverseRequestsRefused(t *testing.T) {
	for _, test := range []struct {
		name      string
		local     bool
		command   string
		arguments any
		says      string
	}{
		{"elsewhere", false, "runInTerminal", map[string]any{"args": []string{os.Args[0]}}, "on this machine"},
		{"nothing to run", true, "runInTerminal", map[string]any{"args": []string{}}, "names no program"},
		{"no such program", true, "runInTerminal", map[string]any{"args": []string{"/nowhere/at/all"}}, "/nowhere/at/all"},
		{"no such folder", true, "runInTerminal",
			map[string]any{"args": []string{os.Args[0]}, "cwd": "/nowhere/at/all"}, "/nowhere/at/all"},
		{"broken arguments", true, "runInTerminal", map[string]any{"args": 7}, "read the arguments"},
		{"neither launch nor attach", true, "startDebugging", map[string]any{"request": "restart"},
			"neither launch nor attach"},
		{"too many", true, "startDebugging", map[string]any{"request": "launch", "configuration": map[string]any{}}, "limit"},
		{"nobody there", true, "startDebugging",
			map[string]any{"request": "attach", "configuration": map[string]any{"connect": map[string]any{"port": 1}}}, ""},
		{"unknown", true, "makeCoffee", nil, "makeCoffee is not supported"},
	} {
		t.Run(test.name, func(t *testing.T) {
			limit := 1
			if test.name == "nobody there" {
				limit = 2
			}
			s := askingFake(t, test.local, limit)
			answer := s.ask(t, test.command, test.arguments)
			require.False(t, answer.Bool("success"), "%s", answer.Raw)
			require.Contains(t, answer.String("message"), test.says)
			require.Equal(t, "running", s.state(), "the session goes on")
			require.Equal(t, 1, s.Do("sessions_list", nil).Int("count"))
		})
	}
}

// A debuggee that the debugger asks for becomes a session of its own, which names its parent.
func TestStartDebugging(t *testing.T) {
	s := askingFake(t, true, 0)
	parent := s.adapter()
	for i, request := range []string{"launch", "attach"} {
		configuration := map[string]any{"type": "go", "name": "child", "program": "/child", "odd": []any{1.0, "two"}}
		raw, err := json.Marshal(map[string]any{"seq": 900, "type": "request", "command": "startDebugging",
			"arguments": map[string]any{
				"request": request, "configuration": configuration,
			}})
		require.NoError(t, err)
		parent.Send(string(raw))
		require.True(t, mcptest.NewResult(t, parent.WaitFor("startDebugging").Raw).Bool("success"))
		start := mcptest.NewResult(t, s.adapter().WaitFor(request).Raw)
		require.Equal(t, "child", start.String("arguments.name"), "the configuration as it came")
		require.Equal(t, "two", start.String("arguments.odd.1"))
		id := fmt.Sprintf("s%d", i+2)
		require.Eventually(t, func() bool {
			return s.Do("debug_state", mcptest.Args{"session_id": id}).String("session.state") == "running"
		}, mcptest.Patience, 5*time.Millisecond)
		state := s.Do("debug_state", mcptest.Args{"session_id": id})
		require.Equal(t, "s1", state.String("session.parentSessionId"))
		require.Equal(t, request, state.String("session.launchMode"))
		list := s.Do("sessions_list", nil)
		require.Equal(t, 2, list.Int("count"))
		require.Equal(t, "s1", list.String("sessions.1.parentSessionId"))
		require.Equal(t, "/child", list.String("sessions.1.program"))
		events := s.Do("events_query", mcptest.Args{"types": []string{"process"}, "session_id": "s1"})
		require.Contains(t, string(events.Raw), `"childSessionId":"`+id+`"`)

		s.Do("debug_disconnect", mcptest.Args{"session_id": id})
		require.Equal(t, "running", s.state(), "the parent goes on")
	}
}

// A child of a child becomes a session too.
func TestStartDebuggingOfAChild(t *testing.T) {
	s := askingFake(t, true, 0)
	from := s.adapter()
	for i := 2; i <= 4; i++ {
		from.Send(fmt.Sprintf(`{"seq":900,"type":"request","command":"startDebugging","arguments":{"request":"launch",`+
			`"configuration":{"name":"child","program":"/child%d"}}}`, i))
		require.True(t, mcptest.NewResult(t, from.WaitFor("startDebugging").Raw).Bool("success"))
		from = s.adapter()
		id := fmt.Sprintf("s%d", i)
		require.Eventually(t, func() bool {
			return s.Do("debug_state", mcptest.Args{"session_id": id}).String("session.state") == "running"
		}, mcptest.Patience, 5*time.Millisecond)
		state := s.Do("debug_state", mcptest.Args{"session_id": id})
		require.Equal(t, fmt.Sprintf("s%d", i-1), state.String("session.parentSessionId"))
	}
}

// debugpy asks with an event. A child that cannot be reached is reported.
func TestAttachWantedByEvent(t *testing.T) {
	s := askingFake(t, true, 0)
	s.adapter().Event("debugpyAttach", `{"request":"attach","subProcessId":99,"connect":{"host":"127.0.0.1","port":1}}`)
	require.Eventually(t, func() bool {
		return s.Do("events_query", mcptest.Args{"types": []string{"error"}}).Len("events") > 0
	}, mcptest.Patience, 5*time.Millisecond)
	events := s.Do("events_query", mcptest.Args{"types": []string{"error"}})
	require.Contains(t, string(events.Raw), "another one that is not debugged")
	require.Equal(t, "running", s.Do("debug_state", mcptest.Args{"session_id": "s1"}).String("session.state"))
}

// The environment values of a launch, and of a program run for the debugger, are passed to the log's redactor.
func TestEnvironmentsAreHidden(t *testing.T) {
	var mu sync.Mutex
	var hidden []string
	_, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), loop(daptest.Forever))
	backends := fakes.Backends("dlv")
	b := backends.Custom["fake"]
	b.Local = true
	backends.Custom["fake"] = b
	m := adapter.NewManager(adapter.Options{Backends: backends, Hide: func(value string) {
		mu.Lock()
		defer mu.Unlock()
		hidden = append(hidden, value)
	}})
	s := &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
	s.Do("debug_launch", mcptest.Args{"program": os.Args[0], "stop_at_entry": false, "env": map[string]any{"A": "one",
		"B": nil}})
	s.ask(t, "runInTerminal", map[string]any{"args": []string{t.TempDir()}, "env": map[string]any{"C": "two"}})
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []string{"one", "two"}, hidden)
}

// An adapter with endless requests is refused, which is reported once. The session continues and ends normally.
func TestFloodOfReverseRequests(t *testing.T) {
	s := askingFake(t, true, 1)
	a := s.adapter()
	const requests = 1100
	for i := range requests {
		a.Send(fmt.Sprintf(`{"seq":%d,"type":"request","command":"startDebugging","arguments":{"request":"launch",`+
			`"configuration":{}}}`, 1000+i))
	}
	limit := 0
	for range requests {
		answer := mcptest.NewResult(t, a.WaitFor("startDebugging").Raw)
		require.False(t, answer.Bool("success"))
		if strings.Contains(answer.String("message"), "in this session, which is the limit") {
			limit++
		}
	}
	require.GreaterOrEqual(t, limit, 1)
	events := s.Do("events_query", mcptest.Args{"types": []string{"error"}})
	require.Equal(t, 1, strings.Count(string(events.Raw), "further ones"), "%s", events.Raw)
	require.Equal(t, "running", s.state())
	s.Do("debug_disconnect", nil)
}
