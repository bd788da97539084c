package daptest_test

import (
	"strings"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

func set(t *testing.T, c *client, file string, bps ...dap.SourceBreakpoint) []dap.Breakpoint {
	t.Helper()
	body, err := dapclient.DecodeBody[dap.SetBreakpointsResponseBody](c.must("setBreakpoints", lines(file, bps...)))
	require.NoError(t, err)
	return body.Breakpoints
}

// stopsAt runs to the end and returns the values of i at the stops.
func stopsAt(c *client) string {
	var at []string
	for {
		switch m := c.next(); m.Name {
		case "stopped":
			body, err := dapclient.DecodeBody[dap.StoppedEventBody](m)
			require.NoError(c.t, err)
			i, err := c.evaluate("i", c.frame(body.ThreadId).Id)
			require.NoError(c.t, err)
			at = append(at, i)
			c.must("continue", map[string]int{"threadId": body.ThreadId})
		case "exited":
			return strings.Join(at, " ")
		}
	}
}

func TestConditions(t *testing.T) {
	all := "0 1 2 3 4 5"
	cases := []struct {
		name string
		bp   dap.SourceBreakpoint
		want map[string]string // by shape; "" for all others
	}{
		{"comparison", dap.SourceBreakpoint{Condition: "i >= 4"}, map[string]string{"": "4 5"}},
		{"logic", dap.SourceBreakpoint{Condition: "i % 2 == 1 && !(i == 3)"}, map[string]string{"": "1 5"}},
		{"false", dap.SourceBreakpoint{Condition: "false"}, map[string]string{"": ""}},
		{"cannot be evaluated", dap.SourceBreakpoint{Condition: "nosuch == 1"}, map[string]string{"": all, "debugpy": ""}},
		{"not a boolean", dap.SourceBreakpoint{Condition: "i"},
			map[string]string{"": all, "debugpy": "1 2 3 4 5", "lldb-dap": "1 2 3 4 5"}},
		{"a string", dap.SourceBreakpoint{Condition: "\"x\""}, map[string]string{"": all, "debugpy": ""}},
		{"hit count", dap.SourceBreakpoint{HitCondition: "3"},
			map[string]string{"": "2", "netcoredbg": all, "lldb-dap": "2 3 4 5"}},
		{"hits divided", dap.SourceBreakpoint{HitCondition: "% 2"},
			map[string]string{"": "1 3 5", "netcoredbg": all, "lldb-dap": all}},
		{"hits from", dap.SourceBreakpoint{HitCondition: ">= 5"},
			map[string]string{"": "4 5", "netcoredbg": all, "lldb-dap": all}},
		{"log point", dap.SourceBreakpoint{LogMessage: "i={i}"}, map[string]string{"": "", "netcoredbg": all}},
	}
	eachShape(t, func(t *testing.T, s daptest.Shape) {
		for _, test := range cases {
			t.Run(test.name, func(t *testing.T) {
				c := dial(t, daptest.New(t, s, loop(6)))
				test.bp.Line = 22
				c.launch(test.bp)
				want, ok := test.want[string(s.Family)]
				if !ok {
					want = test.want[""]
				}
				assert.Equal(t, want, stopsAt(c))
			})
		}
	})
}

func TestBadConditionIsTold(t *testing.T) {
	c := dial(t, daptest.New(t, daptest.Netcoredbg(), loop(1)))
	c.launch(dap.SourceBreakpoint{Line: 22, Condition: "nosuch == 1"})
	var names []string
	for m := c.next(); ; m = c.next() {
		switch {
		case m.Name == "output" && strings.Contains(string(m.Body), "Breakpoint error"):
			names = append(names, "output")
			assert.Contains(t, string(m.Body), `"category":"stderr"`)
		case m.Name == "breakpoint" && strings.Contains(string(m.Body), "failed to execute"):
			names = append(names, "breakpoint")
		case m.Name == "stopped":
			assert.Equal(t, []string{"output", "breakpoint"}, names)
			assert.Contains(t, string(m.Body), `"reason":"breakpoint"`)
			return
		}
	}
}

func TestDelveStopsForABadCondition(t *testing.T) {
	c := dial(t, daptest.New(t, daptest.Delve(), loop(1)))
	c.launch(dap.SourceBreakpoint{Line: 22, Condition: "nosuch > 1"})
	stop := c.stopped()
	assert.Equal(t, "exception", stop.Reason)
	assert.Equal(t, "error evaluating expression: could not find symbol value for nosuch", stop.Text)
	assert.Empty(t, stop.HitBreakpointIds)
}

func TestLogPoints(t *testing.T) {
	cases := []struct {
		template string
		want     map[string]string
	}{
		{"i={i}", map[string]string{"dlv": "> [Go 1]: i=0\n", "debugpy": "i=0\n", "lldb-dap": "i=0\n"}},
		{"{i}{i + 1} 100%% {nosuch}", map[string]string{
			"dlv":     "> [Go 1]: 01 100% {eval err: &{%!e(string=could not find symbol value for nosuch)}}\n",
			"debugpy": "NameError: name 'nosuch' is not defined\n"}},
		{`{"\x7b"}`, map[string]string{"dlv": "> [Go 1]: \"{\"\n"}},
		{`\x7b{i}\x7d\\`, map[string]string{"lldb-dap": "{0}\\\n"}},
	}
	for _, test := range cases {
		for family, want := range test.want {
			t.Run(family+" "+test.template, func(t *testing.T) {
				p := loop(1)
				for i := range p.Threads {
					p.Threads[i].ID = 1
				}
				c := dial(t, daptest.New(t, shapes[family](), p))
				c.launch(dap.SourceBreakpoint{Line: 22, LogMessage: test.template})
				for {
					m := c.until("output")
					body, err := dapclient.DecodeBody[dap.OutputEventBody](m)
					require.NoError(t, err)
					if body.Output == want {
						return
					}
				}
			})
		}
	}
}

func TestBinding(t *testing.T) {
	t.Run("pending until the module loads", func(t *testing.T) {
		c := dial(t, daptest.New(t, daptest.Netcoredbg(), loop(1)))
		c.must("initialize", nil)
		c.must("launch", map[string]string{"program": "/x.dll"})
		bps := set(t, c, source, dap.SourceBreakpoint{Line: 11}, dap.SourceBreakpoint{Line: 99})
		assert.False(t, bps[0].Verified)
		assert.Contains(t, bps[0].Message, "pending")
		c.must("configurationDone", nil)
		changed, err := dapclient.DecodeBody[dap.BreakpointEventBody](c.until("breakpoint"))
		require.NoError(t, err)
		assert.Equal(t, bps[0].Id, changed.Breakpoint.Id)
		assert.Equal(t, 20, changed.Breakpoint.Line, "the next line with code")
		assert.Equal(t, 20, c.frame(c.stopped().ThreadId).Line)
		bps = set(t, c, source, dap.SourceBreakpoint{Line: 99}, dap.SourceBreakpoint{Line: 22})
		assert.Equal(t, "No symbols have been loaded for this document.", bps[0].Message)
		assert.True(t, bps[1].Verified)
	})
	t.Run("a module that loads late", func(t *testing.T) {
		p := daptest.Program{Sources: map[string][]int{source: nil}, Threads: []daptest.Thread{{Code: daptest.Lines(
			daptest.Step{File: source, Line: 1, Func: "Main",
				Loads: &daptest.Module{Path: "/lib.dll", Sources: map[string][]int{"/lib.cs": {3}}}},
			daptest.Step{File: "/lib.cs", Line: 3, Func: "Lib"},
		)}}}
		c := dial(t, daptest.New(t, daptest.Netcoredbg(), p))
		c.must("initialize", nil)
		c.must("launch", nil)
		c.must("setBreakpoints", lines("/lib.cs", dap.SourceBreakpoint{Line: 2}))
		c.must("configurationDone", nil)
		for m := c.until("module"); !strings.Contains(string(m.Body), "lib.dll"); m = c.until("module") {
			require.NotNil(t, m)
		}
		assert.Equal(t, "breakpoint", c.next().Name, "right after its module")
		assert.Equal(t, "/lib.cs", c.frame(c.stopped().ThreadId).Source.Path)
	})
	t.Run("Delve refuses for good", func(t *testing.T) {
		c := dial(t, daptest.New(t, daptest.Delve(), loop(1)))
		c.launch()
		bps := set(t, c, source, dap.SourceBreakpoint{Line: 11}, dap.SourceBreakpoint{Line: 22},
			dap.SourceBreakpoint{Line: 22}, dap.SourceBreakpoint{Line: 25, HitCondition: "abc"})
		assert.Contains(t, bps[0].Message, "could not find statement")
		assert.True(t, bps[1].Verified)
		assert.Equal(t, "breakpoint already exists", bps[2].Message)
		assert.Contains(t, bps[3].Message, "unable to parse breakpoint hit condition")
	})
	t.Run("ids", func(t *testing.T) {
		for name, again := range map[string]bool{"netcoredbg": true, "dlv": true, "lldb-dap": true, "debugpy": false} {
			c := dial(t, daptest.New(t, shapes[name](), loop(1)))
			c.launch()
			first := set(t, c, source, dap.SourceBreakpoint{Line: 22})
			second := set(t, c, source, dap.SourceBreakpoint{Line: 22})
			assert.Equal(t, again, first[0].Id == second[0].Id, name)
		}
	})
	t.Run("a list is needed", func(t *testing.T) {
		c := dial(t, daptest.New(t, daptest.Netcoredbg(), loop(1)))
		c.must("initialize", nil)
		_, err := c.call("setBreakpoints", map[string]any{"source": map[string]string{"path": source}})
		require.ErrorContains(t, err, "key 'breakpoints' not found")
	})
}

func TestFunctionBreakpoints(t *testing.T) {
	eachShape(t, func(t *testing.T, s daptest.Shape) {
		c := dial(t, daptest.New(t, s, loop(2)))
		c.must("initialize", nil)
		_, err := c.conn.Send(dapclient.Request{Command: "launch"})
		require.NoError(t, err)
		c.until("initialized")
		c.must("setFunctionBreakpoints",
			dapclient.SetFunctionBreakpointsArguments{Breakpoints: []dap.FunctionBreakpoint{{Name: "Work"},
				{Name: "NoSuchMethod"}}})
		c.must("configurationDone", nil)
		for range 2 {
			stop := c.stopped()
			assert.Equal(t, 8, c.frame(stop.ThreadId).Line)
			c.must("continue", map[string]int{"threadId": stop.ThreadId})
		}
		c.until("exited")
	})
}

func TestExceptions(t *testing.T) {
	thrown := &daptest.Exception{Type: "System.InvalidOperationException", Message: "first",
		Inner: []daptest.Exception{{Type: "System.ArgumentException", Message: "inner"}}}
	fatal := &daptest.Exception{Type: "System.NullReferenceException", Message: "last", Unhandled: true}
	p := daptest.Program{Path: "/ThrowApp.dll", Threads: []daptest.Thread{{Code: daptest.Lines(
		daptest.Step{File: source, Line: 1, Func: "Main", Throws: thrown},
		daptest.Step{File: source, Line: 2, Func: "Main", Throws: fatal},
		daptest.Step{File: source, Line: 3, Func: "Main"},
	)}}}
	cases := []struct {
		family string
		args   dapclient.SetExceptionBreakpointsArguments
		want   string // lines of the stops
		code   string
	}{
		{"netcoredbg", dapclient.SetExceptionBreakpointsArguments{Filters: []string{}}, "2", "1"},
		{"netcoredbg", dapclient.SetExceptionBreakpointsArguments{Filters: []string{"all"}}, "1 2 2", "1"},
		{"netcoredbg", dapclient.SetExceptionBreakpointsArguments{Filters: []string{},
			FilterOptions: []dap.ExceptionFilterOptions{{FilterId: "all",
				Condition: "System.InvalidOperationException"}}}, "1 2", "1"},
		{"netcoredbg", dapclient.SetExceptionBreakpointsArguments{Filters: []string{},
			FilterOptions: []dap.ExceptionFilterOptions{{FilterId: "all",
				Condition: "!System.InvalidOperationException, X"}}}, "2 2", "1"},
		{"dlv", dapclient.SetExceptionBreakpointsArguments{Filters: []string{}}, "", "2"},
		{"dlv", dapclient.SetExceptionBreakpointsArguments{Filters: []string{"unrecovered-panic"}}, "1456", "2"},
		{"debugpy", dapclient.SetExceptionBreakpointsArguments{Filters: []string{"raised", "uncaught"}}, "1 2 2", "1"},
		{"lldb-dap", dapclient.SetExceptionBreakpointsArguments{Filters: []string{}}, "2", "11"},
	}
	for _, test := range cases {
		t.Run(test.family+" "+test.want, func(t *testing.T) {
			c := dial(t, daptest.New(t, shapes[test.family](), p))
			c.must("initialize", nil)
			_, err := c.conn.Send(dapclient.Request{Command: "launch"})
			require.NoError(t, err)
			c.until("initialized")
			c.must("setExceptionBreakpoints", test.args)
			c.must("configurationDone", nil)
			var at []string
			for {
				m := c.next()
				if m.Name == "exited" {
					assert.Contains(t, string(m.Body), `:`+test.code+`}`)
					break
				}
				if m.Name != "stopped" {
					continue
				}
				assert.Contains(t, string(m.Body), `"reason":"exception"`)
				stop, err := dapclient.DecodeBody[dap.StoppedEventBody](m)
				require.NoError(t, err)
				at = append(at, strings.Split(c.where(stop.ThreadId), "/")[0])
				info := c.must("exceptionInfo", map[string]int{"threadId": stop.ThreadId})
				assert.Contains(t, string(info.Body), `"description":`)
				c.must("continue", map[string]int{"threadId": stop.ThreadId})
			}
			assert.Equal(t, test.want, strings.Join(at, " "))
		})
	}
}

func TestExceptionDetails(t *testing.T) {
	p := daptest.Program{Path: "/ThrowApp.dll", Threads: []daptest.Thread{{Code: daptest.Lines(
		daptest.Step{File: source, Line: 1, Func: "Main", Throws: &daptest.Exception{Type: "System.E", Message: "m",
			Inner: []daptest.Exception{{Type: "System.I", Message: "n"}}}},
	)}}}
	c := dial(t, daptest.New(t, daptest.Netcoredbg(), p))
	c.must("initialize", nil)
	c.must("launch", nil)
	_, err := c.call("setExceptionBreakpoints", dapclient.SetExceptionBreakpointsArguments{Filters: []string{"bogus"}})
	require.ErrorContains(t, err, "0x80070057")
	c.must("setExceptionBreakpoints", dapclient.SetExceptionBreakpointsArguments{Filters: []string{"all"}})
	c.must("configurationDone", nil)
	stop := c.stopped()
	assert.Equal(t, "Exception thrown: 'System.E' in ThrowApp.exe", stop.Text)
	body, err := dapclient.DecodeBody[dap.ExceptionInfoResponseBody](c.must("exceptionInfo",
		map[string]int{"threadId": stop.ThreadId}))
	require.NoError(t, err)
	assert.Equal(t, "CLR/System.E", body.ExceptionId)
	assert.Equal(t, dap.ExceptionBreakMode("always"), body.BreakMode)
	require.NotNil(t, body.Details)
	assert.Equal(t, "System.I", body.Details.InnerException[0].FullTypeName)
	got, err := c.evaluate("$exception.InnerException.Message", c.frame(stop.ThreadId).Id)
	require.NoError(t, err)
	assert.Equal(t, `"n"`, got)
}
