package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// act does one action, allowed or not.
func (c *campaign) act() {
	switch c.r.IntN(21) {
	case 0, 1, 2, 3:
		c.call("debug_continue", mcptest.Args{"wait": true, "timeout_ms": 5000})
	case 4:
		c.call("debug_continue", nil)
		c.call("breakpoint_wait", mcptest.Args{"timeout_ms": 5000})
	case 5, 6:
		c.evaluate()
	case 7:
		c.call("stacktrace_get", nil)
	case 8:
		c.call("variables_get", nil)
	case 9:
		c.stepped = true
		c.call("debug_step", mcptest.Args{"mode": []string{"over", "in", "out"}[c.r.IntN(3)], "timeout_ms": 5000})
	case 10:
		c.call("debug_pause", nil)
	case 11:
		c.call("threads_list", nil)
	case 12: // several at once, one of them cancelled
		ids, tools := c.looks(2 + c.r.IntN(4))
		c.cancel(c.begin("breakpoint_wait", nil))
		c.awaitAll(ids, tools)
	case 13: // any call, perhaps cancelled
		id := c.anything()
		if c.one(2) {
			c.call("debug_state", nil)
		}
		c.cancel(id)
	case 14: // invalid lines
		c.c.Send(nonsense[c.r.IntN(len(nonsense))])
	case 15: // it does not read for a while, but continues to send
		c.c.PauseReading(true)
		ids, tools := c.looks(1 + c.r.IntN(10))
		if c.one(3) {
			ids, tools = append(ids, c.begin("debug_continue", nil)), append(tools, "debug_continue")
		}
		c.c.PauseReading(false)
		c.awaitAll(ids, tools)
	case 16:
		c.call("events_query", mcptest.Args{"limit": 1000})
	case 17:
		c.call("process_read_output", nil)
	case 18:
		c.call([]string{"collection_analyze", "object_summarize"}[c.r.IntN(2)], mcptest.Args{"expression": "i"})
	case 19:
		c.call("snapshot_create", mcptest.Args{"depth": c.r.IntN(3)})
		c.call("snapshot_diff", mcptest.Args{"snapshot_id_1": "snap-1", "snapshot_id_2": "snap-2"})
	case 20:
		c.call("batch_evaluate", c.batch())
	}
}

// batch asks for values at a line without breakpoints, while the program runs.
func (c *campaign) batch() mcptest.Args {
	return mcptest.Args{"timeout_ms": 5000, "experiments": []any{
		mcptest.Args{"trigger": mcptest.Args{"file": source, "line": 11}, "capture": []string{"i"},
			"max_hits": 1 + c.r.IntN(3)},
	}}
}

// nonsense are lines that no client should send.
var nonsense = []string{
	`{"jsonrpc":`, `[]`, `{"jsonrpc":"2.0","id":"x","method":"nosuch"}`, "\x00\xff",
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77777}}`,
	`{"jsonrpc":"2.0","id":"y","method":"tools/call","params":{"name":"debug_step","arguments":[1]}}`,
	`{"jsonrpc":"2.0","id":"z","result":{}}`,
	`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":"w","method":"tools/call"}`, `null`, ` `,
}

// looks begins calls without an effect.
func (c *campaign) looks(n int) (ids []int, tools []string) {
	all := []string{"stacktrace_get", "variables_get", "debug_state", "threads_list", "events_query", "breakpoint_list"}
	for range n {
		tool := all[c.r.IntN(len(all))]
		ids, tools = append(ids, c.begin(tool, nil)), append(tools, tool)
	}
	return ids, tools
}

func (c *campaign) awaitAll(ids []int, tools []string) {
	c.t.Helper()
	for i, id := range ids {
		c.await(id, tools[i])
	}
}

// anything begins a call that may take long.
func (c *campaign) anything() int {
	switch c.r.IntN(8) {
	case 0:
		return c.begin("breakpoint_wait", mcptest.Args{"timeout_ms": 5000})
	case 1:
		return c.begin("evaluate", mcptest.Args{"expression": "i"})
	case 2:
		return c.begin("debug_continue", mcptest.Args{"wait": true, "timeout_ms": 5000})
	case 3:
		c.stepped = true
		return c.begin("debug_step", mcptest.Args{"timeout_ms": 5000})
	case 4:
		return c.begin("variables_get", nil)
	case 5:
		return c.begin("debug_pause", nil)
	case 6:
		return c.begin("batch_evaluate", c.batch())
	}
	return c.begin("stacktrace_get", nil)
}

func (c *campaign) cancel(id int) {
	c.gone[id] = true
	c.c.Notify("notifications/cancelled", map[string]any{"requestId": id})
}

// evaluate sends several evaluations at once, each with a different result.
func (c *campaign) evaluate() {
	c.t.Helper()
	ids := map[int]int{}
	var order []int
	for n := range 1 + c.r.IntN(4) {
		base := 1000 * (n + 1)
		id := c.begin("evaluate", mcptest.Args{"expression": fmt.Sprintf("i + %d", base)})
		ids[id], order = base, append(order, id)
	}
	for _, id := range order {
		base := ids[id]
		r := c.await(id, "evaluate")
		if r.IsError || c.vandal.Has(daptest.FaultForged) {
			continue // then the debugger itself may answer with another result
		}
		value, err := strconv.Atoi(r.String("value"))
		require.NoError(c.t, err, "%s", r.Raw)
		require.True(c.t, value >= base && value <= base+rounds, "the answer to another question: %d for i + %d", value, base)
	}
}

// hits checks the reported hits of the blocking breakpoint.
func (c *campaign) hits() {
	count, last, exited := 0, 0, false
	for _, l := range c.c.Lines() {
		var p struct {
			Seq, HitCount int
			BreakpointID  string
			NewState      string
			EndReason     string
			Missed        int
		}
		switch l.Method {
		case "debugger/breakpointHit", "debugger/sessionStateChanged":
			require.NoError(c.t, json.Unmarshal(l.Params, &p))
			require.Zero(c.t, p.Missed)
			require.Greater(c.t, p.Seq, last, "in order")
			last = p.Seq
		}
		if l.Method == "debugger/breakpointHit" && p.BreakpointID == c.bp {
			count++
			require.Equal(c.t, count, p.HitCount, "each hit once")
		}
		exited = exited || p.NewState == "terminated" && p.EndReason == "exited"
	}
	// The debugger reports the place of a stop: when it is wrong, a hit can be lost.
	blind := c.vandal.Has(daptest.FaultForged, daptest.FaultThreads, daptest.FaultFrames, daptest.FaultBinding,
		daptest.FaultMute)
	if exited && !c.stepped && !blind {
		require.Equal(c.t, rounds, count, "no hit is lost")
	}
	// these may report a hit that did not happen
	if !c.vandal.Has(daptest.FaultThreads, daptest.FaultForged, daptest.FaultBinding) {
		require.LessOrEqual(c.t, count, rounds)
	}
}
