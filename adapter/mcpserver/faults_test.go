package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// soon limits how long pending calls may take after the adapter's end. The guarantee is one second; the rest is for
// busy machines.
const soon = 3 * time.Second

func TestWrongArguments(t *testing.T) {
	s := netcoredbg(t, loop(3))
	s.launchTo(t, 10)
	for _, test := range []struct {
		tool string
		args mcptest.Args
		says string
	}{
		{"debug_continue", mcptest.Args{"waitt": true}, `did you mean \"wait\"?`},
		{"debug_continue", mcptest.Args{"wait": "perhaps"}, `\"wait\" must be true or false`},
		{"debug_step", mcptest.Args{"mode": "sideways"}, "one of over, in, out"},
		{"debug_step", mcptest.Args{"count": 101}, "from 1 to 100"},
		{"debug_step", mcptest.Args{"count": 0}, "from 1 to 100"},
		{"debug_step", mcptest.Args{"thread_id": "main"}, `\"thread_id\" must be a whole number`},
		{"debug_pause", mcptest.Args{"thread_id": 1}, `unknown parameter \"thread_id\"`},
		{"breakpoint_set", mcptest.Args{"file": source}, `\"line\" is required`},
		{"breakpoint_set", mcptest.Args{"file": source, "line": 1.5}, `\"line\" must be`},
		{"breakpoint_set", mcptest.Args{"file": []string{source}, "line": 1}, `\"file\" must be`},
		{"breakpoint_remove", mcptest.Args{}, "id"},
		{"breakpoint_remove", mcptest.Args{"id": "bp-1", "all": true}, "exclude"},
		{"breakpoint_wait", mcptest.Args{"timeout_ms": 600_001}, "from 0 to 600000"},
		{"events_query", mcptest.Args{"types": []string{"hits"}}, "hit"},
		{"events_query", mcptest.Args{"limit": 0}, "from 1 to 2000"},
		{"stacktrace_get", mcptest.Args{"max_frames": 1001}, "from 1 to 1000"},
		{"variables_get", mcptest.Args{"scope": "locale"}, "locals"},
		{"evaluate", mcptest.Args{}, `\"expression\" is required`},
		{"evaluate", mcptest.Args{"expression": "  "}, "empty"},
		{"process_read_output", mcptest.Args{"pattern": "("}, "pattern"},
		{"process_read_output", mcptest.Args{"stream": "stdin"}, "both, stdout, stderr"},
		{"debug_state", mcptest.Args{"session": "s1"}, `did you mean \"session_id\"?`},
	} {
		r := s.Refused(fault.InvalidParameter, test.tool, test.args)
		assert.Contains(t, string(r.Raw), test.says, "%s %v", test.tool, test.args)
	}
	require.Equal(t, "paused", s.state())

	// Names of earlier servers, integers as text, and null for an absent argument are accepted.
	r := s.Do("debug_step", mcptest.Args{"stepType": "over", "count": "1", "timeout": "20000", "thread_id": nil})
	require.Equal(t, "step", r.String("reason"))
}

// Calls that need a paused program are refused while it runs. Calls for a state that it already has are answered
// without a request.
func TestWhileRunning(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		gate, open := daptest.Gate()
		defer open()
		s := serve(t, name, shape, sleeper(gate))
		s.launch(t)
		for tool, args := range map[string]mcptest.Args{
			"evaluate": {"expression": "x"}, "stacktrace_get": nil, "variables_get": nil, "debug_step": nil,
		} {
			r := s.Refused(fault.NotPaused, tool, args)
			require.Contains(t, r.String("error.message"), "debug_pause", "what to do: %s", tool)
		}
		require.True(t, s.Do("threads_list", nil).Bool("stale"))
		require.Equal(t, "running", s.Do("debug_continue", nil).String("session.state"))
		require.Zero(t, s.adapter().Count("continue"), "nothing was asked of the adapter")

		first := s.Do("debug_pause", nil)
		require.Equal(t, "pause", first.String("stop.reason"), "%s", first.Raw)
		require.Equal(t, 2, first.Int("stop.location.line"))
		second := s.Do("debug_pause", nil)
		require.True(t, second.Bool("alreadyPaused"))
		require.Equal(t, first.Get("stop"), second.Get("stop"))
		require.Equal(t, 1, s.adapter().Count("pause"))
		require.Equal(t, "1", s.Do("evaluate", mcptest.Args{"expression": "x"}).String("value"))
	})
}

// Pause names an existing thread: netcoredbg fails for any other, or worse.
func TestPauseNamesAThread(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, sleeper(gate))
	s.launch(t)
	s.Do("debug_pause", nil)
	require.Contains(t, string(s.adapter().Requests("pause")[0].Arguments), fmt.Sprint(s.adapter().ThreadID(0)))
	require.Equal(t, s.adapter().ThreadID(0), s.Do("debug_state", nil).Int("stop.threadId"))
}

func TestPauseFails(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, sleeper(gate), func(a *daptest.Adapter) {
		a.Once("pause", daptest.Fail("Failed command 'pause' : 0x80004005"))
	})
	s.launch(t)
	r := s.Call("debug_pause", nil)
	require.True(t, r.IsError)
	require.Contains(t, string(r.Raw), "0x80004005")
	require.Equal(t, "running", s.state())
	require.Equal(t, "paused", s.Do("debug_pause", nil).String("session.state"), "the next one works")
}

// Frames and threads belong to one stop.
func TestStaleFrame(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, loop(3))
		s.launchTo(t, 10)
		require.Equal(t, "0", s.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
		s.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, "1", s.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"),
			"not the frame of the stop before")
		r := s.Refused(fault.InvalidFrame, "evaluate", mcptest.Args{"expression": "i", "frame_index": 40})
		require.Equal(t, 40, r.Int("error.details.frameIndex"))
		s.Refused(fault.InvalidFrame, "variables_get", mcptest.Args{"frame_index": int64(1) << 53})
		require.Zero(t, s.Do("stacktrace_get", mcptest.Args{"start_frame": int64(1) << 31}).Len("frames"))
		for _, m := range s.adapter().Requests("stackTrace") { // Delve allocates room for that many
			var args struct{ StartFrame int }
			require.NoError(t, json.Unmarshal(m.Arguments, &args))
			require.LessOrEqual(t, args.StartFrame, 1<<20)
		}
		s.Refused(fault.InvalidThread, "stacktrace_get", mcptest.Args{"thread_id": 99})
		s.Refused(fault.InvalidThread, "evaluate", mcptest.Args{"expression": "i", "thread_id": 99})
		s.Refused(fault.InvalidThread, "debug_step", mcptest.Args{"thread_id": 99})
		require.Equal(t, "paused", s.state())
	})
}

func TestDisconnectDuringAWait(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		gate, open := daptest.Gate()
		defer open()
		s := serve(t, name, shape, sleeper(gate))
		s.launch(t)
		wait := s.BeginCall("breakpoint_wait", nil)
		resume := s.BeginCall("debug_continue", mcptest.Args{"wait": true})
		s.Do("debug_state", nil)
		s.Do("debug_disconnect", nil)
		r := s.AwaitCall(wait)
		require.False(t, r.IsError, "%s", r.Raw)
		require.False(t, r.Bool("hit"))
		require.Equal(t, "disconnected", r.String("reason"))
		require.Equal(t, "disconnected", r.String("state"))
		r = s.AwaitCall(resume)
		if r.IsError {
			require.Equal(t, "NO_SESSION", r.String("error.code"), "it came after the end")
		} else {
			require.Equal(t, "disconnected", r.String("reason"))
		}
	})
}

// Two disconnects at the same time count as one.
func TestDisconnectTwice(t *testing.T) {
	gate, open := daptest.Gate()
	s := netcoredbg(t, loop(3), func(a *daptest.Adapter) {
		a.OnRequest("disconnect", func(*dapclient.Message) daptest.Action { return daptest.Hold(gate) })
	})
	s.launchTo(t, 10)
	first := s.BeginCall("debug_disconnect", nil)
	s.adapter().WaitFor("disconnect")
	second := s.BeginCall("debug_disconnect", nil)
	s.Do("debug_state", nil)
	open()
	r := s.AwaitCall(first)
	require.False(t, r.IsError, "%s", r.Raw)
	require.Equal(t, "disconnected", r.String("state"))
	if r = s.AwaitCall(second); r.IsError {
		require.Equal(t, "NO_SESSION", r.String("error.code"), "it came after the end")
	} else {
		require.Equal(t, "disconnected", r.String("state"))
	}
	require.Equal(t, 1, s.adapter().Count("disconnect"))
}

// A disconnect does not wait for running calls; it ends them.
func TestDisconnectDuringARead(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, loop(3))
	s.launchTo(t, 10)
	s.adapter().Once("evaluate", daptest.Hold(gate))
	evaluate := s.BeginCall("evaluate", mcptest.Args{"expression": "i"})
	s.adapter().WaitFor("evaluate")
	r := s.Do("debug_disconnect", nil)
	require.Equal(t, "disconnected", r.String("state"))
	r = s.AwaitCall(evaluate)
	require.Contains(t, []string{"NO_SESSION", "CANCELLED"}, r.String("error.code"), "%s", r.Raw)
}

// Calls that wait for an adapter end when it dies.
func TestAdapterDiesInTheMiddle(t *testing.T) {
	const reason, code = "reason backend_exited", "code BACKEND_EXITED"
	for _, test := range []struct {
		name string
		tool string
		args mcptest.Args
		hold string // the request that is not answered; "" waits for an event
		runs bool   // while the program runs
		want string
	}{
		{"evaluate", "evaluate", mcptest.Args{"expression": "i"}, "evaluate", false, code},
		{"stack", "stacktrace_get", nil, "stackTrace", false, code},
		{"variables", "variables_get", nil, "scopes", false, code},
		{"continue", "debug_continue", nil, "continue", false, code},
		{"step", "debug_step", nil, "next", false, reason},
		{"pause", "debug_pause", nil, "pause", true, code},
		{"continue and wait", "debug_continue", mcptest.Args{"wait": true}, "", true, reason},
		{"wait", "breakpoint_wait", nil, "", true, reason},
		{"disconnect", "debug_disconnect", nil, "disconnect", false, "state disconnected"},
	} {
		t.Run(test.name, func(t *testing.T) {
			gate, open := daptest.Gate()
			defer open()
			p := loop(3)
			p.Threads[0].Code = daptest.Seq(p.Threads[0].Code, sleeper(gate).Threads[0].Code)
			s := netcoredbg(t, p)
			if test.runs {
				s.launch(t)
			} else {
				s.launchTo(t, 10)
				s.Do("stacktrace_get", nil)
			}
			if test.hold != "" {
				s.adapter().Once(test.hold, daptest.Swallow())
			}
			before := s.adapter().Count(test.hold)
			id := s.BeginCall(test.tool, test.args)
			if test.hold != "" {
				waitUntil(t, func() bool { return s.adapter().Count(test.hold) > before })
			} else {
				s.Do("debug_state", nil)
			}
			require.False(t, s.Answered(id))
			began := time.Now()
			s.adapter().Close()
			r := s.AwaitCall(id)
			require.Less(t, time.Since(began), soon)
			got := "code " + r.String("error.code")
			if !r.IsError {
				got = "reason " + r.String("reason")
				if test.tool == "debug_disconnect" {
					got = "state " + r.String("state")
				}
			}
			if got != "code NO_SESSION" || test.hold != "" { // a call may also come after the end
				require.Equal(t, test.want, got, "%s", r.Raw)
			}
			if test.tool != "debug_disconnect" {
				r = s.Do("debug_state", nil)
				require.Equal(t, "terminated", r.String("session.state"))
				require.Equal(t, "backend_exited", r.String("session.endReason"))
				require.NotEmpty(t, s.events("error"))
			}
		})
	}
}

// A debugger that does not notice the end of its program, as when nobody reaps it, does not keep the session: after
// an unanswered request the process is checked.
func TestProgramEndNotReported(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	for _, busy := range []bool{false, true} {
		t.Run(fmt.Sprintf("busy %v", busy), func(t *testing.T) {
			s := played(t, "talk")
			s.breakAt(10)
			r := s.Do("debug_launch", mcptest.Args{"program": exe, "stop_at_entry": false})
			require.Equal(t, "paused", r.String("session.state"))
			if busy {
				s.Refused(fault.EvalTimeout, "evaluate", mcptest.Args{"expression": "slow", "timeout_ms": 100})
			}
			debuggee, err := os.FindProcess(r.Int("session.processId"))
			require.NoError(t, err)
			require.NoError(t, debuggee.Kill())
			waitUntil(t, func() bool { return !alive(debuggee.Pid) })
			r = s.Refused(fault.NoSession, "evaluate", mcptest.Args{"expression": "slow", "timeout_ms": 100})
			require.Contains(t, r.String("error.message"), "its process is gone")
			waitUntil(t, func() bool { return s.state() == "terminated" })
		})
	}
}

// The adapter and its debuggee are real processes. Killing the adapter during a call ends the call with the adapter's
// exit status, and ends the debuggee that it leaves.
func TestAdapterKilled(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	for _, paused := range []bool{true, false} {
		t.Run(fmt.Sprintf("paused %v", paused), func(t *testing.T) {
			s := played(t, "talk")
			if paused {
				s.breakAt(10)
			}
			r := s.Do("debug_launch", mcptest.Args{"program": exe, "stop_at_entry": false})
			debuggee := r.Int("session.processId")
			require.True(t, alive(debuggee))
			var id int
			if paused {
				require.Equal(t, "paused", r.String("session.state"))
				id = s.BeginCall("evaluate", mcptest.Args{"expression": "slow"})
			} else {
				require.Equal(t, "running", r.String("session.state"))
				id = s.BeginCall("breakpoint_wait", nil)
			}
			backend, err := os.FindProcess(s.adapterPid(t))
			require.NoError(t, err)
			began := time.Now()
			require.NoError(t, backend.Kill())
			r = s.AwaitCall(id)
			require.Less(t, time.Since(began), soon)
			if paused {
				require.Equal(t, "BACKEND_EXITED", r.String("error.code"), "%s", r.Raw)
				how := "signal: killed"
				if runtime.GOOS == "windows" {
					how = "exit status 1"
				}
				require.Contains(t, r.String("error.message"), how)
			} else {
				require.Equal(t, "backend_exited", r.String("reason"))
			}
			waitUntil(t, func() bool { return !alive(debuggee) })
			require.Equal(t, "terminated", s.state())
		})
	}
}
