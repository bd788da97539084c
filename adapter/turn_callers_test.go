package adapter_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"

	"github.com/stretchr/testify/require"
)

// The turns of calls whose callers have gone end: a program that runs for a long time collects none.
func TestTurnsOfCallersThatHaveGone(t *testing.T) {
	const file = "/src/LoopApp/Program.cs"
	gate, open := daptest.Gate()
	line := func(n int) daptest.Step { return daptest.Step{File: file, Line: n, Func: "Main"} }
	held := line(2)
	held.Gate = gate
	program := daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(line(1), held, line(3))}}}
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	defer m.Close()
	defer open()
	ctx := t.Context()
	_, _, err := m.SetBreakpoint(ctx, breakpoint.Spec{Kind: breakpoint.Blocking, File: file, Line: 2})
	require.NoError(t, err)
	s, err := m.Launch(ctx, "", adapter.LaunchParams{
		LaunchRequest: dapclient.LaunchRequest{Program: "/x"}, Timeout: mcptest.Patience,
	})
	require.NoError(t, err)
	_, err = s.Wait(ctx, 0, mcptest.Patience)
	require.NoError(t, err)

	ends := func() {
		for turns := 2; turns > 1; runtime.Gosched() { // one is that of stops
			turns, err = adapter.TurnsOf(ctx, s)
			require.NoError(t, err)
			require.NoError(t, ctx.Err())
		}
	}
	gone := func(call func(ctx context.Context) error, asks string) {
		caller, leave := context.WithCancel(ctx)
		result := make(chan error, 1)
		go func() { result <- call(caller) }()
		fakes.Last().WaitFor(asks)
		leave()
		require.Error(t, <-result)
		ends()
	}
	gone(func(ctx context.Context) error { _, err := s.Step(ctx, "over", 0, 1, adapter.AnyStop); return err }, "next")
	fakes.Last().OnRequest("pause", func(m *dapclient.Message) daptest.Action { // yes, and no stop
		return daptest.Raw(fmt.Sprintf(
			`{"seq":"$seq","type":"response","command":"pause","success":true,"request_seq":%d}`, m.Seq))
	})
	gone(func(ctx context.Context) error { _, _, err := s.Pause(ctx); return err }, "pause")
}
