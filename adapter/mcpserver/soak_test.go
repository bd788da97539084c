package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// soaking returns how long a soak test runs: briefly in `make test`, for BREAKWIRE_SOAK in `make soak`.
func soaking(t *testing.T) (long time.Duration) {
	t.Helper()
	text := os.Getenv("BREAKWIRE_SOAK")
	if text == "" {
		return 0
	}
	long, err := time.ParseDuration(text)
	require.NoError(t, err)
	return long
}

// inUse returns the heap in MiB after a collection, and the number of goroutines.
func inUse() (mib float64, goroutines int) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20), runtime.NumGoroutine()
}

// One session with everything that a program can produce: endless tracepoint hits, much output, and large frames.
// What is kept is bounded, so memory and goroutines stay as at the start.
func TestSoakSession(t *testing.T) {
	long := soaking(t)
	hits, lines, variables := 1_000, 200, 2_000 // per round
	if long > 0 {
		hits, lines, variables = 100_000, 25_000, 10_000
	}
	many := make([]daptest.Var, variables)
	for i := range many {
		many[i] = daptest.Var{Name: "v" + strconv.Itoa(i), Value: strconv.Itoa(i), Type: "int"}
	}
	kilobyte := strings.Repeat("x", 1023) + "\n"
	step := func(line int, f func(*daptest.Step)) func(int) daptest.Step {
		return func(i int) daptest.Step {
			s := daptest.Step{File: loopFile, Line: line, Func: "Main()",
				Vars: []daptest.Var{{Name: "i", Value: strconv.Itoa(i), Type: "int"}}}
			if f != nil {
				f(&s)
			}
			return s
		}
	}
	passes := daptest.Loop(hits, step(10, nil))
	speaks := daptest.Loop(lines, step(11, func(s *daptest.Step) { s.Stdout = kilobyte }))
	round := daptest.Seq(passes, speaks, daptest.Loop(1, step(22, func(s *daptest.Step) { s.Vars = many })))
	program := daptest.Program{Threads: []daptest.Thread{{Code: daptest.Code{Len: daptest.Forever,
		At: func(i int) daptest.Step {
			return round.At(i % round.Len)
		}}}}}

	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	w := mcptest.WireServe(t, m)
	w.Call("tracepoint_set", fmt.Sprintf(`{"file":%q,"line":10,"log_message":"{i}","strategy":"stop"}`, loopFile))
	w.Call("breakpoint_set", fmt.Sprintf(`{"file":%q,"line":22}`, loopFile))
	w.Call("debug_launch", `{"program":"/x.dll","stop_at_entry":false}`)
	var atFirst float64
	var goroutines int
	began := time.Now()
	rounds := 0
	for rounds < 4 || time.Since(began) < long {
		rounds++
		w.Call("breakpoint_wait", `{"timeout_ms":300000}`)
		read := 0
		for start := 0; read < len(many); start = read {
			var page struct {
				Result struct {
					StructuredContent struct{ Variables []json.RawMessage }
				}
			}
			require.NoError(t,
				json.Unmarshal(w.Request("tools/call",
					fmt.Sprintf(`{"name":"variables_get","arguments":{"count":1000,"start":%d}}`, start)), &page))
			got := len(page.Result.StructuredContent.Variables)
			require.NotZero(t, got, "after %d variables", read)
			read += got
		}
		require.Equal(t, len(many), read)
		mib, n := inUse()
		switch {
		case rounds == 2: // now the rings of hits and output are full
			atFirst, goroutines = mib, n
		case rounds > 2:
			require.Less(t, mib, atFirst+16, "MiB after %d rounds", rounds)
			require.LessOrEqual(t, n, goroutines+2, "goroutines after %d rounds", rounds)
		}
		if long > 0 {
			t.Logf("%v: %d hits, %d MiB of output, %d variables: %.1f MiB of heap, %d goroutines", time.Since(began).
				Round(time.Second),
				rounds*hits, rounds*lines>>10, rounds*read, mib, n)
		}
		w.Call("debug_continue", `{}`)
	}
	var list struct {
		Result struct {
			StructuredContent struct {
				Breakpoints []struct{ HitCount int }
			}
		}
	}
	w.Call("debug_pause", `{}`)
	require.NoError(t, json.Unmarshal(w.Request("tools/call", `{"name":"breakpoint_list","arguments":{}}`), &list))
	require.GreaterOrEqual(t, list.Result.StructuredContent.Breakpoints[0].HitCount, rounds*hits, "not a hit is lost")
	w.Call("debug_disconnect", `{}`)
}
