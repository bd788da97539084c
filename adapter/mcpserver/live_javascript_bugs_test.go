package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// mostCalls is in how many calls each planted bug is found.
const mostCalls = 6

// hunt counts the calls to a server.
type hunt struct {
	*mcptest.Client
	calls int
}

func (h *hunt) Do(tool string, args mcptest.Args) mcptest.Result {
	h.calls++
	return h.Client.Do(tool, args)
}

// launch starts a program with breakpoints, and waits for its first stop or its end.
func (h *hunt) launch(program string, breakpoints ...mcptest.Args) mcptest.Result {
	return h.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "wait": true,
		"breakpoints": breakpoints})
}

// TestLiveJavaScriptBugs walks the way to each of five planted bugs, and looks at the value that gives it away.
func TestLiveJavaScriptBugs(t *testing.T) {
	bug := func(elem ...string) string { return fixtures.Program(append([]string{"js", "bugs"}, elem...)...) }
	for _, b := range []struct {
		name, file string
		find       func(t *testing.T, h *hunt, file string)
	}{
		{"an async race", bug("race.js"), func(t *testing.T, h *hunt, file string) {
			r := h.launch(file, mcptest.Args{"file": file, "line": fixtures.MarkIn(t, file, "write"),
				"log_message": "{amount} on {before}, now {account.balance}"})
			require.Equal(t, "exited", r.String("session.endReason"), "%s", r.Raw)
			hits := h.Do("events_query", mcptest.Args{"types": []string{"tracepoint"}})
			require.Equal(t, "25 on 100, now 150", hits.String("events.1.logMessage"), "the second read too early: %s", hits.Raw)
		}},
		{"a closure", bug("closure.js"), func(t *testing.T, h *hunt, file string) {
			r := h.launch(file, mcptest.Args{"file": file, "line": fixtures.MarkIn(t, file, "press")})
			require.Equal(t, "3", r.String("stop.locals.i"), "the first button has the last index: %s", r.Raw)
			r = h.Do("variables_get", mcptest.Args{"names": []string{"i"}})
			require.Equal(t, "closure", r.String("variables.0.scope"))
		}},
		{"a throw in TypeScript", bug("dist", "orders.js"), func(t *testing.T, h *hunt, _ string) {
			source := bug("src", "orders.ts")
			r := h.launch(bug("dist", "orders.js"))
			require.Equal(t, "exception", r.String("stop.reason"), "%s", r.Raw)
			require.Equal(t, source, r.String("stop.location.file"))
			require.Equal(t, fixtures.MarkIn(t, source, "discount"), r.Int("stop.location.line"))
			require.Equal(t, "undefined", r.String("stop.locals.customer"))
			r = h.Do("evaluate", mcptest.Args{"expression": "order", "safe": true})
			require.Equal(t, "{id: 2, price: 20}", r.String("value"), "the order has no customer")
		}},
		{"a worker", bug("worker.js"), func(t *testing.T, h *hunt, file string) {
			h.Do("debug_launch", mcptest.Args{"program": file, "stop_at_entry": false, "wait": false,
				"breakpoints": []mcptest.Args{{"file": file, "line": fixtures.MarkIn(t, file, "count")}}})
			r := h.Do("breakpoint_wait", nil)
			child := r.String("session.sessionId")
			r = h.Do("evaluate", mcptest.Args{"expression": "below", "session_id": child})
			require.Equal(t, "(4) ['5', '40', '100', '200']", r.String("value"))
			r = h.Do("evaluate", mcptest.Args{"expression": "typeof limit", "session_id": child})
			require.Equal(t, "'string'", r.String("value"), "texts are compared")
		}},
		{"a test that fails", bug("totals.test.js"), func(t *testing.T, h *hunt, file string) {
			r := h.launch(file, mcptest.Args{"file": file, "line": fixtures.MarkIn(t, file, "check")})
			require.Equal(t, "0.30000000000000004", r.String("stop.locals.sum"), "%s", r.Raw)
			r = h.Do("evaluate", mcptest.Args{"expression": "Math.round(sum * 100) / 100"})
			require.Equal(t, "0.3", r.String("value"))
		}},
	} {
		t.Run(b.name, func(t *testing.T) {
			h := &hunt{Client: javascript(t)}
			b.find(t, h, b.file)
			require.LessOrEqual(t, h.calls, mostCalls)
		})
	}
}
