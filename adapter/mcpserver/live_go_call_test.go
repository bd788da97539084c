package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
)

const callingGo = `package main

import "fmt"

func work(n int, wait chan int) int {
	<-wait
	m := n * 2
	return m // line 8
}

func tick(wait chan int) {
	for i := 0; ; i++ {
		wait <- i // line 13
	}
}

func none() {}

func main() {
	wait := make(chan int)
	go tick(wait)
	for k := 0; k < 3; k++ {
		fmt.Println(k, <-wait) // line 23
	}
	fmt.Println(work(1, wait))
	none()
}
`

// With the real Delve: a call that a breakpoint in the called function interrupts, one that another goroutine's
// breakpoint interrupts, and one that a tracepoint of either strategy interrupts.
func TestLiveGoCallInterrupted(t *testing.T) {
	for _, tc := range []struct {
		name, tool string
		line       int
		args       mcptest.Args
	}{
		{"called function", "breakpoint_set", 8, nil},
		{"another goroutine", "breakpoint_set", 13, nil},
		{"condition fails", "breakpoint_set", 8, mcptest.Args{"condition": "nosuch > 1"}},
		{"tracepoint", "tracepoint_set", 8, mcptest.Args{"log_message": "m={m}", "strategy": "stop"}},
		{"native tracepoint", "tracepoint_set", 8, mcptest.Args{"log_message": "m={m}", "strategy": "native"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := liveDelve(t)
			source := writeGo(t, t.TempDir(), callingGo)
			first := c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 23}).String("breakpoint.id")
			toFirstStop(c, source)
			args := mcptest.Args{"file": source, "line": tc.line}
			for key, value := range tc.args {
				args[key] = value
			}
			id := c.Do(tc.tool, args).String("breakpoint.id")
			r := c.Refused(fault.EvalFailed, "evaluate", mcptest.Args{"expression": "work(4, wait)", "timeout_ms": 60_000})
			end := c.Do("debug_state", nil)
			if tc.tool == "breakpoint_set" {
				require.Equal(t, id, r.String("error.details.interruptedBy"), "%s", r.Raw)
				require.Equal(t, tc.line, end.Int("stop.location.line"), "%s", end.Raw)
				c.Do("breakpoint_remove", mcptest.Args{"id": id})
				end = c.Do("debug_continue", mcptest.Args{"wait": true})
			} else {
				require.Equal(t, []string{"m=8"}, messages(c, id))
			}
			require.Equal(t, "call_ended", end.String("stop.reason"), "%s\n%s", r.Raw, end.Raw)
			require.Equal(t, 23, end.Int("stop.location.line"))
			require.Equal(t, "0", c.Do("evaluate", mcptest.Args{"expression": "k"}).String("value"))
			require.Equal(t, first, c.Do("breakpoint_list", nil).String("breakpoints.0.id"))
			require.Equal(t, 1, c.Do("breakpoint_list", nil).Int("breakpoints.0.hitCount"))
			require.Equal(t, "void", c.Do("evaluate", mcptest.Args{"expression": "none()"}).String("type"))
			next := c.Do("debug_continue", mcptest.Args{"wait": true})
			require.Equal(t, "hit", next.String("reason"), "%s", next.Raw)
			require.Equal(t, "1", c.Do("evaluate", mcptest.Args{"expression": "k"}).String("value"))
		})
	}
}
