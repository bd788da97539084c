package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// Under debugpy the program tests conditions and hit conditions itself: it stops only for what is shown, and what it
// passed is counted in lists and in the answers of waits that time out.
func TestConditionsInTheProgram(t *testing.T) {
	for _, tt := range []struct {
		name       string
		args       mcptest.Args
		stops      []int // hitCount of each
		hits, miss int
		errors     string // conditionError of the first stop
		each       bool   // the program stops at each pass
	}{
		{name: "condition", args: mcptest.Args{"condition": "i == 4"}, stops: []int{1}, hits: 1, miss: 5},
		{name: "never true", args: mcptest.Args{"condition": "i == 99"}, hits: 0, miss: 6},
		{name: "hit condition", args: mcptest.Args{"hit_condition": ">=5"}, stops: []int{5, 6}, hits: 6},
		{name: "both", args: mcptest.Args{"condition": "i >= 2", "hit_condition": "%2"}, stops: []int{2, 4}, hits: 4,
			miss: 2},
		{name: "an error", args: mcptest.Args{"condition": "nosuch > 1", "hit_condition": "9"},
			stops: []int{1, 2, 3, 4, 5, 6}, hits: 6, errors: "nosuch"},
		{name: "two at one place", args: mcptest.Args{"condition": "i == 4"}, stops: []int{1}, hits: 1, miss: 5, each: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gate, open := daptest.Gate()
			p := loop(6)
			last := daptest.Step{File: loopFile, Line: 30, Func: "LoopApp.Program.Main()", Gate: gate}
			p.Threads[0].Code = daptest.Seq(p.Threads[0].Code, daptest.Lines(last))
			m, fakes := mcptest.Fake(t, "debugpy", daptest.Debugpy(), p)
			c := mcptest.Serve(t, m, mcpserver.Options{})
			tt.args["file"], tt.args["line"] = loopFile, 10
			id := c.Do("breakpoint_set", tt.args).String("breakpoint.id")
			if tt.each {
				c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 10, "log_message": "here"})
			}
			r := start(c)
			if len(tt.stops) > 0 {
				r = c.Settled(r)
			}
			for i, count := range tt.stops {
				require.Equal(t, count, r.Int("stop.hitCount"), "%s", r.Raw)
				require.Equal(t, id, r.String("stop.breakpointIds.0"))
				if i == 0 {
					require.Contains(t, r.String("stop.conditionError"), tt.errors)
				}
				wait := mcptest.Args{"wait": true}
				if i == len(tt.stops)-1 {
					wait["timeout_ms"] = 50
				}
				r = c.Do("debug_continue", wait)
			}
			if len(tt.stops) == 0 {
				r = c.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 50})
			}
			require.Equal(t, "timeout", r.String("reason"), "%s", r.Raw)
			require.Eventually(t, func() bool {
				b := c.Do("breakpoint_list", nil)
				return b.Int("breakpoints.0.falsePasses") == tt.miss && b.Int("breakpoints.0.hitCount") == tt.hits
			}, mcptest.Patience, 1e6)
			r = c.Do("breakpoint_wait", mcptest.Args{"timeout_ms": 0})
			if tt.miss > 0 {
				require.Equal(t, id, r.String("conditions.0.breakpointId"), "%s", r.Raw)
				require.Equal(t, tt.miss, r.Int("conditions.0.falsePasses"))
				require.Equal(t, tt.hits, r.Int("conditions.0.hitCount"))
			}
			resumes := len(tt.stops)
			if tt.each {
				resumes = 6
			}
			require.Equal(t, resumes, fakes.Last().Count("continue"), "silent passes do not stop the program")
			require.Zero(t, c.Do("process_read_output", nil).Len("output"), "reports are no output of the program")
			open()
		})
	}
}

// A breakpoint of a function has its condition tested there too. Counts go on when the list is sent again.
func TestConditionsOfFunctionsInTheProgram(t *testing.T) {
	m, fakes := mcptest.Fake(t, "debugpy", daptest.Debugpy(), loop(6))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set_function", mcptest.Args{"function": "Work", "condition": "i % 3 == 1"})
	r := c.Settled(start(c))
	require.Equal(t, 1, r.Int("stop.hitCount"), "%s", r.Raw)
	c.Do("breakpoint_set_function", mcptest.Args{"function": "Other"})
	r = next(c)
	require.Equal(t, 2, r.Int("stop.hitCount"), "%s", r.Raw)
	require.Equal(t, "exited", next(c).String("reason"))
	require.Equal(t, 4, c.Do("breakpoint_list", nil).Int("breakpoints.0.falsePasses"))
	require.Equal(t, 2, fakes.Last().Count("continue"))
}
