package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// netcoredbg cannot pause a thread that it does not know, and knows none while the runtime is starting: the pause waits for the first one.
func TestPauseBeforeTheFirstThread(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	program := daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(
		daptest.Step{File: loopFile, Line: 1, Func: "Main"}, daptest.Step{File: loopFile, Line: 2, Func: "Main", Gate: gate})}}}
	asked := 0
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program, func(a *daptest.Adapter) {
		a.OnRequest("threads", func(m *dapclient.Message) daptest.Action {
			if asked++; asked < 4 {
				return daptest.Raw(`{"seq":"$seq","type":"response","command":"threads","success":true,"request_seq":` + itoa(m.Seq) + `,"body":{"threads":[]}}`)
			}
			return daptest.Action{}
		})
	})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	require.Equal(t, "running", start(c).String("session.state"))
	r := c.Do("debug_pause", nil)
	require.Equal(t, "pause", r.String("stop.reason"), "%s", r.Raw)
	require.Len(t, fakes.Last().Requests("pause"), 1)
	require.Contains(t, string(fakes.Last().Requests("pause")[0].Arguments), itoa(fakes.Last().ThreadID(0)))
}
