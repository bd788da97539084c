package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/inspect"
	"breakwire/adapter/mcpserver/mcptest"
)

// One call runs to the next stop and has its values, on every debugger: those of variables_get, the changed ones first.
func TestLiveLocals(t *testing.T) {
	for _, b := range labs {
		t.Run(b.name, func(t *testing.T) {
			l := b.lab(t)
			c := l.connect(t, "loop")
			c.Do("breakpoint_set", mcptest.Args{"file": l.source, "line": l.hit})
			r := c.Do("debug_launch", mcptest.Args{"program": l.loop, "args": []string{"6"}, "backend": l.backend,
				"stop_at_entry": false, "wait": true})
			read := 0
			for i := range 5 {
				require.Equal(t, l.hit, r.Int("stop.location.line"), "%s", r.Raw)
				if !r.Has("stop.locals") { // on a busy machine the debugger takes longer than the answer waits
					r = c.Do("debug_continue", mcptest.Args{"wait": true})
					continue
				}
				read++
				var locals map[string]string
				require.NoError(t, json.Unmarshal([]byte(localsOf(r)), &locals), "%s", r.Raw)
				want := map[string]string{}
				var page struct{ Variables []inspect.Variable }
				c.Do("variables_get", nil).Into(&page)
				for _, v := range page.Variables {
					if v.Scope != "closure" { // those are functions here, which a stop leaves out
						want[v.Name] = v.Value
					}
				}
				require.Equal(t, want, locals)
				require.Equal(t, fmt.Sprint(i, " ", i*i), locals["i"]+" "+locals["square"])
				if read == 5 && locals["result"] != "" { // 9 % 7 is 16 % 7
					shown := localsOf(r)
					require.Greater(t, strings.Index(shown, `"result"`), strings.Index(shown, `"square"`),
						"what has changed is first: %s", shown)
				}
				r = c.Do("debug_continue", mcptest.Args{"wait": true})
			}
			require.Positive(t, read)
			require.Equal(t, r.Get("stop.locals"), c.Do("debug_state", nil).Get("stop.locals"))
			c.Do("debug_disconnect", nil)
		})
	}
}

// Values of many forms are short in a stop, and not expanded.
func TestLiveGoLocals(t *testing.T) {
	c := atValues(t)
	r := c.Do("breakpoint_wait", nil)
	locals := localsOf(r)
	require.LessOrEqual(t, len(locals), 700)
	for _, part := range []string{
		`"text":"\"argument\""`, `"number":"42"`, `"origin":"main.point {X: 1, Y: 2}"`, `"none":"*main.point nil"`,
		`"list":"[]string len: 3, cap: 3, [\"zero\",\"one\",\"two\"]"`, `"big":"[2500]int"`, `"long":"string (4000)"`,
	} {
		require.Contains(t, locals, part)
	}
	require.Positive(t, r.Int("stop.localsOmitted"), "%s", r.Raw)
}
