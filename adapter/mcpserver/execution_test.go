package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

func TestStepping(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, loop(5))
		id := s.breakAt(21)
		s.launch(t)
		for _, step := range []struct {
			args   mcptest.Args
			line   int
			reason string
			done   int
		}{
			{mcptest.Args{"mode": "in"}, 9, "step", 1},
			{nil, 10, "step", 1},
			{mcptest.Args{"mode": "out"}, 22, "step", 1},
			{nil, 21, "hit", 0}, // the breakpoint wins
			{mcptest.Args{"mode": "over"}, 22, "step", 1},
		} {
			r := s.Do("debug_step", step.args)
			require.Equal(t, step.line, r.Int("stop.location.line"), "%v: %s", step.args, r.Raw)
			require.Equal(t, step.reason, r.String("reason"))
			require.Equal(t, "paused", r.String("session.state"))
			if step.reason == "hit" {
				require.Equal(t, id, r.String("interruptedBy"), "%s", r.Raw)
			} else {
				require.Equal(t, step.done, r.Int("stepsDone"))
				require.False(t, r.Has("interruptedBy"), "%s", r.Raw)
			}
		}
		// Several steps in one call, past the end of the program.
		s.Do("breakpoint_remove", mcptest.Args{"id": id})
		r := s.Do("debug_step", mcptest.Args{"count": 3})
		require.Equal(t, 3, r.Int("stepsDone"))
		r = s.Do("debug_step", mcptest.Args{"count": 100})
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
		require.Equal(t, "terminated", r.String("session.state"))
	})
}

// A step that exceeds its time limit leaves the program stepping; its end is an ordinary stop.
func TestStepTimesOut(t *testing.T) {
	gate, open := daptest.Gate()
	s := netcoredbg(t, sleeper(gate))
	s.launchTo(t, 2)
	r := s.Do("debug_step", mcptest.Args{"timeout_ms": 50})
	require.True(t, r.Bool("timedOut"))
	require.Equal(t, "timeout", r.String("reason"))
	require.Equal(t, 0, r.Int("stepsDone"))
	require.Equal(t, "running", r.String("session.state"))
	open()
	r = s.Do("breakpoint_wait", nil)
	require.Equal(t, "step", r.String("reason"))
	require.Equal(t, 3, r.Int("stop.location.line"))
}

func TestContinueTimesOut(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, sleeper(gate))
	s.launchTo(t, 2)
	r := s.Do("debug_continue", mcptest.Args{"wait": true, "timeout_ms": 30})
	require.True(t, r.Bool("timedOut"))
	require.Equal(t, "running", r.String("session.state"))
	require.False(t, r.Has("stop"))
}

// The notifications of a hit come before the response of the call that caused it.
func TestNotificationsComeFirst(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, loop(20))
		s.launchTo(t, 10)
		for i := 2; i <= 20; i++ {
			r := s.Do("debug_continue", mcptest.Args{"wait": true})
			require.Equal(t, i, r.Int("stop.hitCount"))
			hits := s.Notifications("debugger/breakpointHit")
			require.Len(t, hits, i)
			require.Equal(t, r.Int("stop.seq"), hits[i-1].Int("seq"))
			changes := s.changes()
			require.Equal(t, "running paused", changes[len(changes)-1])
		}
	})
}

// A stop needs as few requests as possible. On Delve, where each stop requests the threads, this is one.
func TestQuestionsOfAStop(t *testing.T) {
	s := serve(t, "dlv", daptest.Delve(), loop(5))
	s.launchTo(t, 10)
	// The threads are requested shortly after a stop without reads, and at the latest before a resume.
	swept := func(n int) {
		require.Eventually(t, func() bool { return s.adapter().Count("threads") >= n }, mcptest.Patience, time.Millisecond)
	}
	swept(1)
	for range 3 {
		s.Do("debug_continue", mcptest.Args{"wait": true})
	}
	swept(4)
	r := s.Do("debug_pause", nil) // one more round trip through the session
	require.True(t, r.Bool("alreadyPaused"))
	require.Equal(t, 4, s.adapter().Count("threads"))
	list := s.Do("threads_list", nil)
	require.False(t, list.Bool("stale"))
	require.True(t, list.Bool("threads.0.isCurrent"))
	require.Equal(t, 10, list.Int("threads.0.location.line"))
}

// Requests sent while another waits are all answered; two continues resume once.
func TestTwoContinues(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, loop(3))
	s.launchTo(t, 10)
	s.adapter().Once("continue", daptest.Hold(gate))
	first := s.BeginCall("debug_continue", nil)
	s.adapter().WaitFor("continue")
	second := s.Do("debug_continue", nil)
	require.False(t, second.IsError)
	open()
	require.False(t, s.AwaitCall(first).IsError)
	r := s.Do("breakpoint_wait", nil)
	require.Equal(t, 2, r.Int("stop.hitCount"))
	require.Equal(t, 1, s.adapter().Count("continue"))
}

// While a step determines where it begins, no other request may resume the program.
func TestTwoSteps(t *testing.T) {
	for _, test := range []struct {
		tool string
		args mcptest.Args
	}{{"debug_step", nil}, {"debug_continue", nil}} {
		t.Run(test.tool, func(t *testing.T) {
			gate, open := daptest.Gate()
			defer open()
			s := netcoredbg(t, loop(3))
			s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 22, "strategy": "stop"})
			s.launchTo(t, 10)
			s.adapter().Once("stackTrace", daptest.Hold(gate))
			asked := s.adapter().Count("stackTrace")
			first := s.BeginCall("debug_step", nil)
			waitUntil(t, func() bool { return s.adapter().Count("stackTrace") > asked })
			second := s.BeginCall(test.tool, test.args)
			s.Do("debug_state", nil)
			open()
			r := s.AwaitCall(first)
			require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
			require.Equal(t, 11, r.Int("stop.location.line"))
			r = s.AwaitCall(second)
			if r.IsError { // it came while the first was under way
				require.Equal(t, "NOT_PAUSED", r.String("error.code"), "%s", r.Raw)
			}
		})
	}
}

// A failed resume leaves the stop unchanged: paused and readable.
func TestContinueFails(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, loop(3))
		s.launchTo(t, 10)
		for command, tool := range map[string]string{"continue": "debug_continue", "next": "debug_step"} {
			s.adapter().Once(command, daptest.Fail("Failed command '"+command+"' : 0x80004005"))
			r := s.Call(tool, nil)
			require.True(t, r.IsError, tool)
			require.Contains(t, string(r.Raw), "0x80004005")
			require.Equal(t, "paused", s.state())
			require.Equal(t, "0", s.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
		}
		require.Equal(t, 2, s.Do("debug_continue", mcptest.Args{"wait": true}).Int("stop.hitCount"), "and the next one works")
	})
}

// stoppedEvent is a stopped event that the test sends.
func stoppedEvent(reason string, thread int) string {
	return fmt.Sprintf(`{"seq":0,"type":"event","event":"stopped","body":{"reason":%q,"threadId":%d,`+
		`"allThreadsStopped":true}}`, reason, thread)
}

// The stop after a continue may be reported before the continue's response.
func TestStopBeforeTheContinueResponse(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, loop(3))
		s.launchTo(t, 10)
		s.adapter().Once("continue", daptest.Action{
			Before: []string{stoppedEvent("breakpoint", s.adapter().ThreadID(0))},
			Raw:    `{"seq":0,"type":"response","request_seq":$seq,"success":true,"command":"continue"}`,
		})
		r := s.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, "hit", r.String("reason"))
		require.Equal(t, 2, r.Int("stop.hitCount"))
		require.Equal(t, "paused", s.state())
		require.Equal(t, []string{"paused running", "running paused"}, s.changes()[len(s.changes())-2:])
		require.Equal(t, "0", s.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"))
		require.Equal(t, 3, s.Do("debug_continue", mcptest.Args{"wait": true}).Int("stop.hitCount"))
	})
}

// The end may be reported before it too.
func TestEndBeforeTheContinueResponse(t *testing.T) {
	for _, call := range []struct {
		command, tool string
		args          mcptest.Args
	}{{"continue", "debug_continue", mcptest.Args{"wait": true}}, {"next", "debug_step", nil}} {
		eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
			s := serve(t, name, shape, loop(3))
			s.launchTo(t, 10)
			s.adapter().Once(call.command, daptest.Action{
				Before: []string{`{"seq":0,"type":"event","event":"exited","body":{"exitCode":5}}`,
					`{"seq":0,"type":"event","event":"terminated"}`},
				Raw: `{"seq":0,"type":"response","request_seq":$seq,"success":true,"command":"` + call.command + `"}`,
			})
			r := s.Do(call.tool, call.args)
			require.Equal(t, "exited", r.String("reason"))
			require.Equal(t, 5, r.Int("session.exitCode"))
			require.Equal(t, []string{"paused running", "running terminated"}, s.changes()[len(s.changes())-2:])
		})
	}
}

// A second stopped event while the program is paused has no effect.
func TestStopWhilePaused(t *testing.T) {
	s := netcoredbg(t, loop(3))
	first := s.launchTo(t, 10)
	s.adapter().Send(stoppedEvent("pause", s.adapter().ThreadID(0)))
	s.Do("evaluate", mcptest.Args{"expression": "i"}) // answered after the event
	r := s.Do("debug_state", nil)
	require.Equal(t, first.Get("stop"), r.Get("stop"))
	require.Len(t, s.Notifications("debugger/breakpointHit"), 1)
	require.Equal(t, 2, s.Do("debug_continue", mcptest.Args{"wait": true}).Int("stop.hitCount"))
}

// crowd is a program whose threads pass line 5 at the same time.
func crowd(threads, passes int) daptest.Program {
	var p daptest.Program
	for w := range threads {
		at := func(line int) func(i int) daptest.Step {
			return func(i int) daptest.Step {
				return daptest.Step{File: source, Line: line, Func: "main.work", Vars: []daptest.Var{
					{Name: "i", Value: itoa(i), Type: "int"}, {Name: "w", Value: itoa(w), Type: "int"},
				}}
			}
		}
		p.Threads = append(p.Threads, daptest.Thread{Code: daptest.Loop(passes, at(4), at(5))})
	}
	return p
}

// Simultaneous hits of several threads are all counted, whatever the adapter reports.
func TestHitsOfSeveralThreads(t *testing.T) {
	const threads, passes = 3, 5
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, crowd(threads, passes))
		id := s.breakAt(5)
		r := s.Settled(s.launch(t))
		for r.String("session.state") == "paused" {
			require.Equal(t, id, r.String("stop.breakpointIds.0"))
			w := s.Do("evaluate", mcptest.Args{"expression": "w"}).String("value")
			require.Equal(t, s.adapter().ThreadID(int(w[0]-'0')), r.Int("stop.threadId"),
				"values are those of the thread that is named")
			r = s.Do("debug_continue", mcptest.Args{"wait": true})
		}
		require.Equal(t, "exited", r.String("reason"))
		require.Equal(t, threads*passes, s.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"))
		hits := s.Notifications("debugger/breakpointHit")
		require.Len(t, hits, threads*passes, "each is told")
		for i, hit := range hits {
			require.Equal(t, i+1, hit.Int("hitCount"))
		}
	})
}

// lldb-dap reports a stop thread by thread, and no more of it after a resume: the session waits for all.
func TestHitsReportedLate(t *testing.T) {
	shape := daptest.LLDB()
	shape.TellsLate = true
	for _, tool := range []string{"breakpoint_set", "tracepoint_set"} {
		t.Run(tool, func(t *testing.T) {
			s := serve(t, "lldb-dap", shape, crowd(3, 5))
			args := mcptest.Args{"file": source, "line": 5}
			if tool == "tracepoint_set" {
				args["log_message"], args["strategy"] = "{i}", "stop"
			}
			s.Do(tool, args)
			r := s.Settled(s.launch(t))
			for r.String("session.state") == "paused" {
				r = s.Do("debug_continue", mcptest.Args{"wait": true})
			}
			waitUntil(t, func() bool { return s.state() == "terminated" })
			require.Equal(t, 15, s.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"))
			require.Len(t, s.Notifications("debugger/breakpointHit"), 15)
		})
	}
}

// A thread at a breakpoint that is being removed is reported after the resume. This is not a stop.
func TestRemovedWhileAnotherThreadStandsThere(t *testing.T) {
	s := netcoredbg(t, crowd(3, 2))
	id := s.breakAt(5)
	require.Equal(t, "paused", s.Settled(s.launch(t)).String("session.state"))
	s.Do("breakpoint_remove", mcptest.Args{"id": id})
	r := s.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
}

// A stop reported while another is served is served next, before a resume.
func TestLateStop(t *testing.T) {
	s := serve(t, "lldb-dap", daptest.LLDB(), loop(2))
	s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 10, "strategy": "stop", "log_message": "{i}"})
	s.breakAt(21)
	s.launch(t)
	a := s.adapter()
	resumes := a.Count("continue")
	a.Once("evaluate", daptest.Action{Before: []string{stoppedEvent("breakpoint", a.ThreadID(0))}})
	r := s.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, 21, r.Int("stop.location.line"))
	require.Len(t, s.events("tracepoint"), 2, "one for each stop told")
	require.Equal(t, 2, a.Count("continue")-resumes, "the user's, and one for both hits")
}

// A pause at the same time as a hit returns the hit.
func TestPauseMeetsAHit(t *testing.T) {
	gate, open := daptest.Gate()
	s := netcoredbg(t, sleeper(gate))
	s.breakAt(3)
	s.launch(t)
	hold, release := daptest.Gate()
	s.adapter().OnRequest("pause", func(*dapclient.Message) daptest.Action {
		return daptest.Action{Until: hold, Aside: true}
	})
	pause := s.BeginCall("debug_pause", nil)
	s.adapter().WaitFor("pause")
	open()
	r := s.AwaitCall(pause)
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	require.Equal(t, 3, r.Int("stop.location.line"))
	release()
	require.Equal(t, "paused", s.state())
	require.Equal(t, "exited", s.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
}

// A pause during a resume without a response comes after it.
func TestPauseDuringAContinue(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, sleeper(gate))
	s.launchTo(t, 2)
	hold, release := daptest.Gate()
	s.adapter().Once("continue", daptest.Hold(hold))
	resume := s.BeginCall("debug_continue", nil)
	s.adapter().WaitFor("continue")
	pause := s.BeginCall("debug_pause", nil)
	s.Do("debug_state", nil)
	release()
	require.False(t, s.AwaitCall(resume).IsError)
	require.Equal(t, "pause", s.AwaitCall(pause).String("stop.reason"))
}

// Adapters of this shape cancel queued requests when a resume arrives, so a resume waits for running reads.
func TestResumeWaitsForReads(t *testing.T) {
	for _, tool := range []string{"debug_continue", "debug_step"} {
		t.Run(tool, func(t *testing.T) {
			gate, open := daptest.Gate()
			defer open()
			s := netcoredbg(t, loop(3))
			s.launchTo(t, 10)
			s.Do("stacktrace_get", nil)
			stacks, scopes := s.adapter().Count("stackTrace"), s.adapter().Count("scopes")
			s.adapter().Once("evaluate", daptest.Hold(gate))
			reads := []int{s.BeginCall("evaluate", mcptest.Args{"expression": "i"})}
			s.adapter().WaitFor("evaluate")
			for range 5 {
				reads = append(reads, s.BeginCall("evaluate", mcptest.Args{"expression": "square"}),
					s.BeginCall("variables_get", nil), s.BeginCall("stacktrace_get", nil))
			}
			waitUntil(t, func() bool { return s.adapter().Count("evaluate") == 6 })
			waitUntil(t, func() bool { return s.adapter().Count("scopes") == scopes+5 })
			waitUntil(t, func() bool { return s.adapter().Count("stackTrace") == stacks+5 })
			// The second of the two is answered at once, so then the first waits.
			resume, other := s.BeginCall(tool, nil), s.BeginCall(tool, nil)
			waitUntil(t, func() bool { return s.Answered(resume) || s.Answered(other) })
			if s.Answered(resume) {
				resume = other
			}
			require.Zero(t, s.adapter().Count("continue")+s.adapter().Count("next"), "not written yet")
			open()
			for _, id := range reads {
				r := s.AwaitCall(id)
				require.False(t, r.IsError, "a read that was asked for in time is answered: %s", r.Raw)
			}
			require.False(t, s.AwaitCall(resume).IsError)
		})
	}
}

// A read that takes too long does not hold the resume for ever: the read is given up.
func TestResumeGivesUpReads(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := netcoredbg(t, loop(3))
	s.launchTo(t, 10)
	s.adapter().Once("evaluate", daptest.Hold(gate))
	read := s.BeginCall("evaluate", mcptest.Args{"expression": "i"})
	s.adapter().WaitFor("evaluate")
	resume := s.BeginCall("debug_continue", mcptest.Args{"wait": true})
	r := s.AwaitCall(read)
	require.Equal(t, "CANCELLED", r.String("error.code"), "%s", r.Raw)
	require.Contains(t, r.String("error.message"), "resumed")
	s.adapter().WaitFor("continue")
	open()
	require.Equal(t, 2, s.AwaitCall(resume).Int("stop.hitCount"))
	require.Equal(t, "1", s.Do("evaluate", mcptest.Args{"expression": "i"}).String("value"), "nothing is left of it")
}

// A continued event without a request of ours: someone else has resumed the program.
func TestContinuedEventWithoutRequest(t *testing.T) {
	s := netcoredbg(t, loop(3))
	s.launchTo(t, 10)
	s.adapter().Event("continued", `{"threadId":1,"allThreadsContinued":true}`)
	waitUntil(t, func() bool { return s.state() == "running" })
	s.Refused(fault.NotPaused, "evaluate", mcptest.Args{"expression": "i"})
}

// A client that stops reading does not slow the program: 10,000 hits pass, the lost notifications are counted, and
// the journal has the hits.
func TestBurstAtAClientThatDoesNotRead(t *testing.T) {
	const hits = 10_000
	gate, open := daptest.Gate()
	p := sleeper(gate)
	p.Threads[0].Code = daptest.Seq(p.Threads[0].Code, loop(hits).Threads[0].Code)
	s := netcoredbg(t, p)
	id := s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 10, "log_message": "i is {i}",
		"strategy": "stop"}).String("breakpoint.id")
	s.launch(t)
	s.PauseReading(true)
	open()
	<-s.adapter().Done()
	require.Equal(t, daptest.FateExited, s.adapter().Fate(), "the program ran to its end")
	s.PauseReading(false)

	r := s.Do("events_query", mcptest.Args{"types": []string{"tracepoint"}, "breakpoint_id": id, "limit": 1000})
	require.Equal(t, 0, r.Int("dropped"))
	seen, after := r.Len("events"), r.Int("lastSeq")
	for r.Bool("more") {
		r = s.Do("events_query", mcptest.Args{"types": []string{"tracepoint"}, "breakpoint_id": id, "limit": 1000,
			"after_seq": after})
		seen, after = seen+r.Len("events"), r.Int("lastSeq")
	}
	require.Equal(t, hits, seen)

	notes := s.Notifications("debugger/breakpointHit")
	told, missed, last := 0, 0, 0
	for _, n := range notes {
		hit := note(n)
		told++
		missed += hit.Missed
		require.Greater(t, hit.HitCount, last, "in order")
		last = hit.HitCount
		require.Equal(t, fmt.Sprintf("i is %d", last-1), hit.LogMessage)
	}
	for _, n := range s.Notifications("debugger/sessionStateChanged") {
		missed += n.Int("missed")
	}
	require.Equal(t, hits, told+missed, "told %d, missed %d", told, missed)
	require.Equal(t, hits, s.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"))
}

// hitNote has the members that the tests of many hits read.
type hitNote struct {
	HitCount, Missed int
	LogMessage       string
}

func note(r mcptest.Result) (n hitNote) {
	r.Into(&n)
	return n
}

// A client that reads gets the same burst completely.
func TestBurst(t *testing.T) {
	const hits = 10_000
	s := netcoredbg(t, loop(hits))
	s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 10, "strategy": "stop"})
	s.launch(t)
	notes := s.AwaitNotifications("debugger/breakpointHit", hits)
	require.Len(t, notes, hits)
	for i, n := range notes {
		hit := note(n)
		if hit.HitCount != i+1 || hit.Missed != 0 {
			t.Fatalf("notification %d is %s", i+1, n.Raw)
		}
	}
	s.AwaitNotification("debugger/sessionStateChanged", func(r mcptest.Result) bool {
		return r.String("newState") == "terminated"
	})
	for _, change := range s.changes() {
		require.False(t, strings.Contains(change, "paused"), "a tracepoint does not show: %v", s.changes())
	}
}

func TestOutput(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		line := func(n int, out, err string) daptest.Step {
			return daptest.Step{File: source, Line: n, Func: "main.main", Stdout: out, Stderr: err}
		}
		s := serve(t, name, shape, daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
			line(1, "one\n", ""), line(2, "", "two\n"), line(3, "three\nfour", ""), line(4, " and five\n", ""), line(5, "", ""),
		)}}})
		s.breakAt(5)
		s.launch(t)
		read := func(args mcptest.Args) mcptest.Result { return s.Do("process_read_output", args) }
		text := func(r mcptest.Result, stream string) string {
			var all strings.Builder
			for i := range r.Len("output") {
				if o := r.At("output." + itoa(i)); stream == "" || o.String("stream") == stream {
					all.WriteString(o.String("text"))
				}
			}
			return all.String()
		}
		stdout, stderr := "one\nthree\nfour and five\n", "two\n"
		if name == "lldb-dap" { // both come through one terminal
			stdout, stderr = "one\ntwo\nthree\nfour and five\n", ""
		}
		all := read(nil)
		require.Equal(t, stdout, text(all, "stdout"), "%s", all.Raw)
		require.Equal(t, stderr, text(all, "stderr"))
		require.Equal(t, stdout, text(read(mcptest.Args{"stream": "stdout"}), ""))
		require.Equal(t, stderr, text(read(mcptest.Args{"stream": "stderr"}), ""))
		require.Equal(t, 0, read(mcptest.Args{"after_seq": all.Int("lastSeq")}).Len("output"),
			"passed on, it reads what is new")
		require.False(t, all.Bool("more"))

		// In pieces.
		var pieces strings.Builder
		after := 0
		for range 20 {
			r := read(mcptest.Args{"after_seq": after, "max_bytes": 6, "stream": "stdout"})
			pieces.WriteString(text(r, ""))
			after = r.Int("lastSeq")
			if !r.Bool("more") {
				break
			}
		}
		require.Contains(t, stdout, pieces.String()[:4])

		tail := read(mcptest.Args{"tail_lines": 1})
		require.Equal(t, "four and five\n", tail.String("stdout"))
		require.Equal(t, stderr, tail.String("stderr"))
		require.False(t, tail.Has("output"))
		require.Equal(t, "three\n", text(read(mcptest.Args{"pattern": "^th"}), ""))

		r := s.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, "exited", r.String("reason"))
		require.Equal(t, stdout, text(read(nil), "stdout"), "also after the end")
	})
}
