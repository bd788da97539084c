package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// waitingThreads is a program of n threads that wait for one thing, three that wait for another, and one in its own
// code.
func waitingThreads(gate <-chan struct{}, n int) daptest.Program {
	waits := func(inside string, line int) daptest.Code {
		return daptest.Lines(daptest.Step{Func: "runtime.gopark", Gate: gate, Callers: []daptest.Frame{
			{Func: inside}, {File: source, Line: line, Func: "main.worker"}}})
	}
	p := daptest.Program{
		Threads: []daptest.Thread{{ID: 1, Code: daptest.Lines(daptest.Step{File: source, Line: 10, Func: "main.main",
			Gate: gate})}},
		Eval: func(call daptest.EvalCall) (daptest.Var, bool) {
			if call.Expression != "runtime.curg.waitreason" {
				return daptest.Var{}, false
			}
			reason := "waitReasonChanReceive (19) = 0x13"
			if strings.HasPrefix(call.Step.Callers[0].Func, "sync") {
				reason = "waitReasonSyncMutexLock (22) = 0x16"
			}
			return daptest.Var{Value: reason, Type: "runtime.waitReason"}, true
		},
	}
	for i := range n {
		p.Threads = append(p.Threads, daptest.Thread{ID: 100 + i, Code: waits("runtime.chanrecv", 20)})
	}
	for i := range 3 {
		p.Threads = append(p.Threads, daptest.Thread{ID: 900 + i, Code: waits("sync.lock", 20)})
	}
	return p
}

// More than 40 threads are grouped by where they are and what they wait for. A filter and pages list the threads.
func TestManyThreads(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		gate, open := daptest.Gate()
		defer open()
		s := serve(t, name, shape, waitingThreads(gate, 500))
		s.launchTo(t, 10)
		r := s.Do("threads_list", nil)
		require.Less(t, len(r.Raw), 2048)
		require.Equal(t, 504, r.Int("total"), "%s", r.Raw)
		require.Equal(t, 1, r.Len("threads"), "the current one")
		require.Equal(t, 500, r.Int("groups.0.count"), "%s", r.Raw)
		require.Equal(t, 3, r.Len("groups.0.ids"))
		require.Equal(t, 20, r.Int("groups.0.location.line"))
		require.Equal(t, 3, r.Int("groups.1.count"))
		if name == "dlv" {
			require.Equal(t, "chan receive", r.String("groups.0.waitsFor"), "%s", r.Raw)
			require.Equal(t, "sync mutex lock", r.String("groups.1.waitsFor"))
		} else {
			require.Equal(t, "runtime.chanrecv", r.String("groups.0.waitsFor"), "what the program has called: %s", r.Raw)
		}
		require.False(t, r.Has("groups.2.waitsFor"), "it is in its own code")

		seen := 0
		for start := 0; ; {
			r = s.Do("threads_list", mcptest.Args{"start": start, "count": 200})
			require.False(t, r.Has("groups"))
			seen += r.Len("threads")
			if start = r.Int("nextStart"); start == 0 {
				break
			}
		}
		require.Equal(t, 504, seen)
		r = s.Do("threads_list", mcptest.Args{"thread_filter": "MAIN.main"})
		require.Equal(t, 1, r.Len("threads"), "%s", r.Raw)
		require.Equal(t, 10, r.Int("threads.0.location.line"))
		require.Equal(t, 0, s.Do("threads_list", mcptest.Args{"thread_filter": "nosuch"}).Len("threads"))
	})
}

func TestFewThreadsAreListed(t *testing.T) {
	gate, open := daptest.Gate()
	defer open()
	s := serve(t, "dlv", daptest.Delve(), waitingThreads(gate, 36))
	s.launchTo(t, 10)
	r := s.Do("threads_list", nil)
	require.Equal(t, 40, r.Len("threads"), "%s", r.Raw)
	require.False(t, r.Has("groups"))
	require.Equal(t, 39, s.Do("threads_list", mcptest.Args{"thread_filter": "worker"}).Len("threads"))
}
