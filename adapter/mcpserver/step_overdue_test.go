package mcpserver_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"

	"github.com/stretchr/testify/require"
)

// together is a program with two threads at the same pace: the first passes lines 100, 101, ..., the second 10, 11,
// .... Of one round the first thread is reported first.
func together() daptest.Program {
	walk := func(from int, fn string) daptest.Code {
		return daptest.Loop(12, func(i int) daptest.Step { return daptest.Step{File: loopFile, Line: from + i, Func: fn} })
	}
	return daptest.Program{Threads: []daptest.Thread{{Code: walk(100, "LoopApp.Other()")},
		{Code: walk(10, "LoopApp.Stepped()")}}}
}

// A step ends at the same time as another thread hits a breakpoint. The hit is reported. After the next resume
// netcoredbg reports the step's end, which must not be taken for the end of a newer request.
func TestStepThatEndsWithAHitOfAnotherThread(t *testing.T) {
	begin := func(t *testing.T, hit string, args mcptest.Args) (c *mcptest.Client, stepped, other int) {
		m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), together())
		c = mcptest.Serve(t, m, mcpserver.Options{})
		start := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 12}).String("breakpoint.id")
		r := launch(c)
		require.Equal(t, 12, r.Int("stop.location.line"), "%s", r.Raw)
		stepped = r.Int("stop.threadId")
		c.Do("breakpoint_remove", mcptest.Args{"id": start})
		c.Do(hit, args)
		r = c.Do("debug_step", nil)
		if hit == "tracepoint_set" {
			require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
			require.Equal(t, 13, r.Int("stop.location.line"), "%s", r.Raw)
			require.Equal(t, stepped, r.Int("stop.threadId"), "%s", r.Raw)
			return c, stepped, 0
		}
		require.Equal(t, "hit", r.String("reason"), "%s", r.Raw)
		require.Equal(t, 103, r.Int("stop.location.line"), "%s", r.Raw)
		return c, stepped, r.Int("stop.threadId")
	}
	at103 := mcptest.Args{"file": loopFile, "line": 103}

	t.Run("continued", func(t *testing.T) {
		c, _, _ := begin(t, "breakpoint_set", at103)
		r := next(c)
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
	})
	t.Run("the other thread steps", func(t *testing.T) {
		c, _, other := begin(t, "breakpoint_set", at103)
		r := c.Do("debug_step", nil)
		require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
		require.Equal(t, 104, r.Int("stop.location.line"), "%s", r.Raw)
		require.Equal(t, other, r.Int("stop.threadId"), "%s", r.Raw)
		require.Equal(t, "exited", next(c).String("reason"))
	})
	t.Run("the same thread steps on", func(t *testing.T) {
		c, stepped, _ := begin(t, "breakpoint_set", at103)
		r := c.Do("debug_step", mcptest.Args{"thread_id": stepped})
		require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
		require.Equal(t, 14, r.Int("stop.location.line"), "%s", r.Raw)
		require.Equal(t, 1, r.Int("stepsDone"))
		require.Equal(t, "exited", next(c).String("reason"))
	})
	t.Run("behind a tracepoint", func(t *testing.T) {
		c, _, _ := begin(t, "tracepoint_set", at103)
		require.Equal(t, "exited", next(c).String("reason"))
	})
	t.Run("behind a tracepoint, several steps", func(t *testing.T) {
		c, _, _ := begin(t, "tracepoint_set", at103)
		r := c.Do("debug_step", mcptest.Args{"count": 2})
		require.Equal(t, 15, r.Int("stop.location.line"), "%s", r.Raw)
		require.Equal(t, 2, r.Int("stepsDone"))
		require.Equal(t, "exited", next(c).String("reason"))
	})
	t.Run("onto a breakpoint of its own", func(t *testing.T) {
		c, stepped, _ := begin(t, "breakpoint_set", at103)
		own := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 13}).String("breakpoint.id")
		r := next(c)
		require.Equal(t, "hit", r.String("reason"), "%s", r.Raw)
		require.Equal(t, own, r.String("stop.breakpointIds.0"), "%s", r.Raw)
		require.Equal(t, stepped, r.Int("stop.threadId"), "%s", r.Raw)
		require.Equal(t, "exited", next(c).String("reason"))
	})
}

// interruptedStep is a program in which a hit of another thread has interrupted a step. The step's line ends when
// open is called.
func interruptedStep(t *testing.T, profile string, shape daptest.Shape) (c *mcptest.Client, stepped, other int,
	open func()) {
	t.Helper()
	return interruptedStepOf(t, profile, shape, together())
}

func interruptedStepOf(t *testing.T, profile string, shape daptest.Shape, program daptest.Program) (c *mcptest.Client,
	stepped, other int, open func()) {
	t.Helper()
	gate, open := daptest.Gate()
	hold(&program.Threads[1], 2, gate)
	m, _ := mcptest.Fake(t, profile, shape, program)
	c = mcptest.Serve(t, m, mcpserver.Options{})
	start := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 12}).String("breakpoint.id")
	r := launch(c)
	require.Equal(t, 12, r.Int("stop.location.line"), "%s", r.Raw)
	stepped = r.Int("stop.threadId")
	c.Do("breakpoint_remove", mcptest.Args{"id": start})
	hit := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 104}).String("breakpoint.id")
	r = c.Do("debug_step", mcptest.Args{"thread_id": stepped})
	require.Equal(t, "hit", r.String("reason"), "%s", r.Raw)
	require.Equal(t, hit, r.String("interruptedBy"), "%s", r.Raw)
	return c, stepped, r.Int("stop.threadId"), open
}

// A stop that is not the end of that step is reported: the step was dropped, and its thread has to step again.
func TestStepDroppedByAHitOfAnotherThread(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		c, stepped, _, open := interruptedStep(t, profile, shape)
		open()
		r := c.Do("debug_step", mcptest.Args{"thread_id": stepped})
		require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
		require.Equal(t, 13, r.Int("stop.location.line"), "%s", r.Raw)
		require.Equal(t, stepped, r.Int("stop.threadId"), "%s", r.Raw)
		require.Equal(t, "exited", next(c).String("reason"))
	})
}

// The same when the program has run and a step comes to that line again.
func TestStepBackToLineOfDroppedStep(t *testing.T) {
	program := together()
	walk := program.Threads[1].Code.At
	program.Threads[1].Code.At = func(i int) daptest.Step { return walk([]int{0, 1, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8}[i]) }
	c, stepped, _, open := interruptedStepOf(t, "netcoredbg", daptest.Netcoredbg(), program)
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 106})
	open()
	require.Equal(t, 106, next(c).Int("stop.location.line"))
	for line := 12; line < 14; line++ {
		r := c.Do("debug_step", mcptest.Args{"thread_id": stepped})
		require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
		require.Equal(t, line, r.Int("stop.location.line"), "%s", r.Raw)
	}
}

// Delve holds a step that another goroutine's hit interrupted. It refuses any other step with a stop, which must not
// count as a hit, and continues the held step with the next resume, whose end must not be reported as a stop.
func TestHeldStep(t *testing.T) {
	begin := func(t *testing.T) (c *mcptest.Client, stepped, other int, open func()) {
		return interruptedStep(t, "dlv", daptest.Delve())
	}
	t.Run("continued", func(t *testing.T) {
		c, _, _, open := begin(t)
		open()
		require.Equal(t, "exited", next(c).String("reason"))
	})
	t.Run("the other thread steps", func(t *testing.T) {
		c, stepped, other, open := begin(t)
		e := c.Refused(fault.NotSupported, "debug_step", mcptest.Args{"thread_id": other})
		require.Contains(t, e.String("error.message"), "thread "+itoa(stepped))
		require.Equal(t, stepped, e.Int("error.details.steppingThreadId"))
		require.Equal(t, 1, c.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"))
		// Nothing is lost through this.
		open()
		r := c.Do("debug_step", mcptest.Args{"thread_id": stepped})
		require.Equal(t, 13, r.Int("stop.location.line"), "%s", r.Raw)
		r = c.Do("debug_step", mcptest.Args{"thread_id": other})
		require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
		require.Equal(t, other, r.Int("stop.threadId"), "%s", r.Raw)
	})
	t.Run("a pause ends it", func(t *testing.T) {
		c, stepped, other, open := begin(t)
		c.Do("debug_continue", nil)
		c.Do("debug_pause", nil)
		open()
		r := c.Do("debug_step", mcptest.Args{"thread_id": stepped})
		require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
		_ = other
	})
	t.Run("behind tracepoints", func(t *testing.T) {
		m, _ := mcptest.Fake(t, "dlv", daptest.Delve(), together())
		c := mcptest.Serve(t, m, mcpserver.Options{})
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 12})
		stepped := launch(c).Int("stop.threadId")
		for line := 103; line < 110; line++ {
			c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": line, "strategy": "stop"})
		}
		for line := 13; line < 18; line++ {
			r := c.Do("debug_step", mcptest.Args{"thread_id": stepped})
			require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
			require.Equal(t, line, r.Int("stop.location.line"), "%s", r.Raw)
			require.Equal(t, stepped, r.Int("stop.threadId"), "%s", r.Raw)
		}
		require.Equal(t, "exited", next(c).String("reason"))
		list := c.Do("breakpoint_list", nil)
		for i := 1; i < 8; i++ {
			require.Equal(t, 1, list.Int("breakpoints."+itoa(i)+".hitCount"), "%s", list.Raw)
		}
	})
}

// A debugger that keeps an interrupted step reports its end when the thread gets there. That is not the end of a
// continue, or of another thread's step.
func TestDebuggerKeepsInterruptedStep(t *testing.T) {
	t.Run("continued", func(t *testing.T) {
		m, _ := mcptest.Fake(t, "lldb-dap", daptest.LLDB(), calls())
		c := mcptest.Serve(t, m, mcpserver.Options{})
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 21})
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 5})
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 23})
		launch(c)
		r := c.Do("debug_step", nil)
		require.Equal(t, 5, r.Int("stop.location.line"), "%s", r.Raw)
		r = next(c)
		require.Equal(t, "hit", r.String("reason"), "%s", r.Raw)
		require.Equal(t, 23, r.Int("stop.location.line"), "%s", r.Raw)
	})
	begin := func(t *testing.T) (c *mcptest.Client, fake *daptest.Adapter, stepped, other int, open func()) {
		gate, open := daptest.Gate()
		program := together()
		hold(&program.Threads[1], 2, gate)
		m, fakes := mcptest.Fake(t, "lldb-dap", daptest.LLDB(), program)
		c = mcptest.Serve(t, m, mcpserver.Options{})
		start := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 12}).String("breakpoint.id")
		stepped = launch(c).Int("stop.threadId")
		c.Do("breakpoint_remove", mcptest.Args{"id": start})
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 104})
		r := c.Do("debug_step", mcptest.Args{"thread_id": stepped})
		require.Equal(t, 104, r.Int("stop.location.line"), "%s", r.Raw)
		return c, fakes.Last(), stepped, r.Int("stop.threadId"), open
	}
	resumed := func(command string, then ...string) daptest.Action {
		return daptest.Action{
			Raw:   `{"seq":0,"type":"response","request_seq":$seq,"success":true,"command":"` + command + `"}`,
			After: append([]string{`{"seq":0,"type":"event","event":"continued","body":{"allThreadsContinued":true}}`}, then...),
		}
	}
	t.Run("another thread steps", func(t *testing.T) {
		c, fake, stepped, other, open := begin(t)
		defer open()
		fake.Once("next", resumed("next", stepEnd(stepped)))
		fake.Once("continue", resumed("continue", stepEnd(other)))
		r := c.Do("debug_step", mcptest.Args{"thread_id": other})
		require.Equal(t, other, r.Int("stop.threadId"), "%s", r.Raw)
		require.Equal(t, 1, r.Int("stepsDone"))
	})
	// lldb-dap reports a thread during a step with the stops of others.
	t.Run("told of with the step of another thread", func(t *testing.T) {
		c, fake, stepped, other, open := begin(t)
		open()
		under := strings.Replace(stepEnd(stepped), `"threadCausedFocus":true,`, "", 1)
		fake.Once("next", resumed("next", under, stepEnd(other)))
		require.Equal(t, other, c.Do("debug_step", mcptest.Args{"thread_id": other}).Int("stop.threadId"))
		r := next(c)
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
	})
}

func stepEnd(thread int) string {
	return `{"seq":0,"type":"event","event":"stopped","body":{"allThreadsStopped":true,"reason":"step",` +
		`"threadCausedFocus":true,"threadId":` + itoa(thread) + `}}`
}

// hold stops a thread at its i-th line until the gate opens.
func hold(thread *daptest.Thread, i int, gate <-chan struct{}) {
	at := thread.Code.At
	thread.Code.At = func(n int) daptest.Step {
		s := at(n)
		if n == i {
			s.Gate = gate
		}
		return s
	}
}

// lldb-dap reports a thread's hit again when another thread has stepped, and may do so after a resume. It counts as
// one hit.
func TestHitsAreNotRepeatedByAStep(t *testing.T) {
	gate, open := daptest.Gate()
	program := together()
	hold(&program.Threads[1], 2, gate)
	m, fakes := mcptest.Fake(t, "lldb-dap", daptest.LLDB(), program)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	both := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 12}).String("breakpoint.id")
	other := c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 102}).String("breakpoint.id")
	r := launch(c)
	hits := func() (int, int) {
		list := c.Do("breakpoint_list", nil)
		require.Equal(t, both, list.String("breakpoints.0.id"))
		require.Equal(t, other, list.String("breakpoints.1.id"))
		return list.Int("breakpoints.0.hitCount"), list.Int("breakpoints.1.hitCount")
	}
	a, b := hits()
	require.Equal(t, []int{1, 1}, []int{a, b}, "%s", r.Raw)
	first := fakes.Last().ThreadID(0)
	held := fakes.Last().ThreadID(1)
	for line := 103; line < 106; line++ {
		r = c.Do("debug_step", mcptest.Args{"thread_id": first})
		require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
		require.Equal(t, line, r.Int("stop.location.line"), "%s", r.Raw)
		require.Equal(t, 1, r.Int("stepsDone"))
	}
	late := `{"seq":0,"type":"event","event":"stopped","body":{"allThreadsStopped":true,"hitBreakpointIds":[1],` +
		`"preserveFocusHint":true,"reason":"breakpoint","threadId":` + itoa(held) + `}}`
	fakes.Last().OnRequest("continue", func(*dapclient.Message) daptest.Action {
		return daptest.Action{Before: []string{late}}
	})
	open()
	require.Equal(t, "exited", next(c).String("reason"))
	a, b = hits()
	require.Equal(t, []int{1, 1}, []int{a, b})
}

// A thread is at a breakpoint that lldb-dap does not report, because it was set while the thread was there. The
// session waits for it once, not at each step of another thread.
func TestStepWhileUnreportedThreadAtBreakpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, open := daptest.Gate()
		p := together()
		hold(&p.Threads[0], 0, gate)
		m, _ := mcptest.Fake(t, "lldb-dap", daptest.LLDB(), p)
		defer m.Close()
		defer open()
		set := func(line int) {
			_, _, err := m.SetBreakpoint(t.Context(), breakpoint.Spec{Kind: breakpoint.Blocking, File: loopFile, Line: line})
			require.NoError(t, err)
		}
		set(12)
		s, err := m.Launch(t.Context(), "", adapter.LaunchParams{LaunchRequest: adapter.LaunchRequest{Program: "/x"},
			Timeout: time.Minute})
		require.NoError(t, err)
		time.Sleep(time.Second)
		stop := s.Snapshot().Stop
		set(100)
		var took []time.Duration
		for range 3 {
			start := time.Now()
			r, err := s.Step(t.Context(), "over", stop.ThreadID, 1, adapter.AnyStop)
			require.NoError(t, err)
			require.Equal(t, adapter.StopStep, r.Stop.Reason)
			took = append(took, time.Since(start))
		}
		require.Positive(t, took[0], "nothing stood at a breakpoint")
		require.Zero(t, took[1]+took[2])
	})
}

// A step that is refused because another one is under way does not affect that one.
func TestRefusedStepLeavesOtherStepAlone(t *testing.T) {
	gate, open := daptest.Gate()
	program := together()
	hold(&program.Threads[1], 2, gate)
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 12})
	launch(c)
	first := c.BeginCall("debug_step", nil)
	waitUntil(t, func() bool { return c.Do("debug_state", nil).String("session.state") == "running" })
	c.Refused(fault.NotPaused, "debug_step", nil)
	open()
	r := c.AwaitCall(first)
	require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
	require.Equal(t, 13, r.Int("stop.location.line"), "%s", r.Raw)
}

// lldb-dap reports the earlier hits of another thread before or after the end of a step, one by one. They are neither
// new hits nor the stop.
func TestHitsAreNotRepeatedByALateStepEnd(t *testing.T) {
	for what, held := range map[string]int{"before": 0, "behind": 1} {
		t.Run(what, func(t *testing.T) {
			gate, open := daptest.Gate()
			defer open()
			program := together()
			hold(&program.Threads[held], 2, gate)
			shape := daptest.LLDB()
			shape.TellsLate = true
			m, fakes := mcptest.Fake(t, "lldb-dap", shape, program)
			c := mcptest.Serve(t, m, mcpserver.Options{})
			c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 12})
			c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 102})
			launch(c)
			line := []int{13, 103}[held]
			for i := range 3 {
				r := c.Do("debug_step", mcptest.Args{"thread_id": fakes.Last().ThreadID(1 - held)})
				require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
				require.Equal(t, line+i, r.Int("stop.location.line"), "%s", r.Raw)
			}
			// The same where the step meets hits of its own thread.
			c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": line + 4})
			c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": line + 3, "strategy": "stop"})
			for _, reason := range []string{"step", "hit", "step"} {
				r := c.Do("debug_step", mcptest.Args{"thread_id": fakes.Last().ThreadID(1 - held)})
				require.Equal(t, reason, r.String("reason"), "%s", r.Raw)
			}
			list := c.Do("breakpoint_list", nil)
			for i := range 4 {
				require.Equal(t, 1, list.Int("breakpoints."+itoa(i)+".hitCount"), "%s", list.Raw)
			}
		})
	}
}

// A stop that is reported during the requests about a step's place, or about the beginning of the next step, is a
// stop too, and so is a pause.
func TestStopsDuringTheQuestionOfAStep(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		m, fakes := mcptest.Fake(t, profile, shape, calls())
		c := mcptest.Serve(t, m, mcpserver.Options{})
		c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 21})
		c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 9, "strategy": "stop"})
		launch(c)
		whole, late := 0, stoppedEvent("breakpoint", fakes.Last().ThreadID(0))
		fakes.Last().OnRequest("stackTrace", func(m *dapclient.Message) daptest.Action {
			args, err := dapclient.DecodeArguments[dapclient.StackTraceArguments](m)
			require.NoError(t, err)
			if args.Levels > 0 {
				return daptest.Action{}
			}
			if whole++; whole == 2 { // after the hit; the first request is at the step's beginning
				return daptest.Action{Before: []string{late}}
			}
			return daptest.Action{}
		})
		r := c.Do("debug_step", nil)
		require.Equal(t, "step", r.String("reason"), "%s", r.Raw)
		require.Equal(t, 22, r.Int("stop.location.line"), "%s", r.Raw)
		want := 2
		if profile == "lldb-dap" {
			want = 1 // a thread that has not moved since
		}
		require.Equal(t, want, c.Do("breakpoint_list", nil).Int("breakpoints.1.hitCount"), "one for each stop told")
	})
	for _, what := range []string{"hit", "pause"} {
		t.Run(what, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { stopDuringTheOrigin(t, what) }) })
	}
}

func stopDuringTheOrigin(t *testing.T, what string) {
	program := calls()
	gate, open := daptest.Gate()
	program.Threads = append(program.Threads,
		daptest.Thread{Code: daptest.Lines(daptest.Step{File: loopFile, Line: 30, Func: "LoopApp.Other()", Gate: gate})})
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	defer m.Close()
	defer open()
	for line, kind := range map[int]breakpoint.Kind{20: breakpoint.Blocking, 30: breakpoint.Blocking,
		23: breakpoint.Tracepoint} {
		_, _, err := m.SetBreakpoint(t.Context(), breakpoint.Spec{Kind: kind, File: loopFile, Line: line, Strategy: "stop"})
		require.NoError(t, err)
	}
	s, err := m.Launch(t.Context(), "", adapter.LaunchParams{LaunchRequest: adapter.LaunchRequest{Program: "/x"},
		Timeout: time.Minute})
	require.NoError(t, err)
	synctest.Wait()
	require.NoError(t, s.Continue(t.Context(), 0, adapter.AnyStop)) // to the other thread's hit
	synctest.Wait()
	origins, asked, answer := 0, make(chan struct{}), make(chan struct{})
	fakes.Last().OnRequest("stackTrace", func(m *dapclient.Message) daptest.Action {
		if args, err := dapclient.DecodeArguments[dapclient.StackTraceArguments](m); err == nil && args.Levels == 0 {
			if origins++; origins == 2 {
				close(asked)
				return daptest.Hold(answer)
			}
		}
		return daptest.Action{}
	})
	ended := make(chan adapter.StepResult)
	go func() {
		r, _ := s.Step(t.Context(), "over", fakes.Last().ThreadID(0), 2, adapter.AnyStop)
		ended <- r
	}()
	<-asked
	reason, line := adapter.StopPause, 21
	if what == "hit" {
		reason, line = adapter.StopBreakpoint, 30
		fakes.Last().Send(stoppedEvent("breakpoint", fakes.Last().ThreadID(1)))
	} else {
		go s.Pause(t.Context())
	}
	synctest.Wait()
	close(answer)
	stop := (<-ended).Stop
	require.NotNil(t, stop)
	require.Equal(t, reason, stop.Reason)
	require.Equal(t, line, stop.Location.Line)
}
