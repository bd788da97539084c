package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/fixtures"
)

// breakwireHits returns how many hits per second of a tracepoint with k expressions reach the client's end of the
// pipe, from the first to the last reported one, and how many were not reported.
func (s specimen) breakwireHits(b *testing.B, strategy string, k, passes int) (rate float64, lost int) {
	c := mcptest.WireRun(b, fixtures.Breakwire(b), s.flags...)
	defer c.Close()
	c.Call("tracepoint_set", fmt.Sprintf(`{"file":%q,"line":%d,"log_message":%q,"strategy":%q}`, s.source, s.hit,
		message(k), strategy))
	// stop_at_entry, so that no hit is read before the time starts.
	c.Call("debug_launch", fmt.Sprintf(`{"program":%q,"args":["%d"],"backend":%q}`, s.loop, passes, s.backend))
	list := c.Request("tools/call", `{"name":"breakpoint_list","arguments":{}}`)
	require.Contains(b, string(list), fmt.Sprintf(`"strategy":%q`, strategy), "not another one in its place")
	c.BeginCall("debug_continue", `{}`) // the first hits may come before its answer
	var first, last time.Time
	told := 0
	for ended := false; told < passes && !ended; {
		line := c.Line()
		if bytes.Contains(line, []byte(`"method":"debugger/breakpointHit"`)) {
			require.NotContains(b, string(line), `"missed"`)
			last = time.Now()
			if told++; told == 1 {
				first = last
			}
		}
		ended = bytes.Contains(line, []byte(`"newState":"terminated"`))
	}
	return float64(told-1) / last.Sub(first).Seconds(), passes - told
}

// BenchmarkLiveHits compares tracepoint hits through breakwire (strategy stop) with a raw DAP client that sends the
// same requests one after the other, including `threads` where counting every hit needs it. One operation is a round
// of each.
func BenchmarkLiveHits(b *testing.B) {
	for _, name := range []string{"dlv", "netcoredbg"} {
		for _, k := range []int{0, 3} {
			b.Run(fmt.Sprintf("%s/k=%d", name, k), func(b *testing.B) {
				s := specimens[name](b)
				var raw, ours, ratios []float64
				for b.Loop() {
					r := s.rawHits(b, k, s.asksThreads)
					o, lost := s.breakwireHits(b, "stop", k, s.hits)
					require.Zero(b, lost, "hits that were not told")
					raw, ours, ratios = append(raw, r), append(ours, o), append(ratios, o/r)
				}
				report(b, "raw-hits/s", raw)
				report(b, "hits/s", ours)
				report(b, "of-floor", ratios)
			})
		}
	}
}

// nativeHits is how many hits a round of native log points has: more than with stops, because they are faster.
const nativeHits = 2000

// BenchmarkLiveNative compares native log points with three expressions with a raw client that stops, requests the
// frame and the expressions one after the other, and continues. raw-hits/s is the rate of the debugger's own log
// points for a raw client. One operation is a round of each.
func BenchmarkLiveNative(b *testing.B) {
	for _, name := range []string{"dlv", "debugpy"} {
		b.Run(name, func(b *testing.B) {
			s := specimens[name](b)
			k := len(expressions)
			var raw, logged, ours, ratios []float64
			for b.Loop() {
				r := s.rawHits(b, k, false)
				o, lost := s.breakwireHits(b, "native", k, nativeHits)
				require.Zero(b, lost, "hits that were not told")
				raw, ours, ratios = append(raw, r), append(ours, o), append(ratios, o/r)
				logged = append(logged, s.rawLogged(b, k, nativeHits))
			}
			report(b, "raw-stops/s", raw)
			report(b, "raw-hits/s", logged)
			report(b, "hits/s", ours)
			report(b, "of-floor", ratios)
		})
	}
}

// BenchmarkLiveContinue compares `debug_continue wait` without locals with a raw client's time from continue to
// stopped, the same with the questions that the answer needs (asking), and a look at the stop (stack, variables, one
// evaluation) with the same requests of a raw client. One operation is a round of each.
func BenchmarkLiveContinue(b *testing.B) {
	for _, name := range []string{"dlv", "netcoredbg"} {
		b.Run(name, func(b *testing.B) {
			s := specimens[name](b)
			var rawCycle, asking, cycle, ratio, askingRatio, rawLook, look, lookRatio []float64
			for b.Loop() {
				rc, rl := s.rawCycles(b)
				a := s.askingCycles(b)
				c, l := s.breakwireCycles(b)
				rawCycle, rawLook, cycle, look = append(rawCycle, rc), append(rawLook, rl), append(cycle, c), append(look, l)
				asking, askingRatio = append(asking, a), append(askingRatio, c/a)
				ratio, lookRatio = append(ratio, c/rc), append(lookRatio, l/rl)
			}
			report(b, "asking-ms", asking)
			report(b, "of-asking", askingRatio)
			report(b, "raw-ms", rawCycle)
			report(b, "ms", cycle)
			report(b, "of-raw", ratio)
			report(b, "raw-look-ms", rawLook)
			report(b, "look-ms", look)
			report(b, "look-of-raw", lookRatio)
		})
	}
}

// cycles is how many continues, each with a look, a round of BenchmarkLiveContinue has.
const cycles = 100

// cyclesOf runs the cycles. It returns the medians of the continues and of the looks in milliseconds.
func cyclesOf(next, look func()) (float64, float64) {
	var cycled, looked []time.Duration
	for range cycles {
		began := time.Now()
		next()
		cycled = append(cycled, time.Since(began))
		began = time.Now()
		look()
		looked = append(looked, time.Since(began))
	}
	median := func(d []time.Duration) float64 {
		slices.SortFunc(d, func(x, y time.Duration) int { return cmp.Compare(x, y) })
		return float64(d[len(d)/2].Microseconds()) / 1000
	}
	return median(cycled), median(looked)
}

// BenchmarkLiveLocals compares one `debug_continue wait`, whose answer has the locals, with a raw client that continues
// and asks for frame, scopes and variables. One operation is a round of each.
func BenchmarkLiveLocals(b *testing.B) {
	for _, name := range []string{"dlv", "netcoredbg", "debugpy"} {
		b.Run(name, func(b *testing.B) {
			s := specimens[name](b)
			var raw, ours, ratio []float64
			for b.Loop() {
				r, o := s.rawStops(b), s.breakwireStops(b)
				raw, ours, ratio = append(raw, r), append(ours, o), append(ratio, o/r)
			}
			report(b, "raw-ms", raw)
			report(b, "ms", ours)
			report(b, "of-raw", ratio)
		})
	}
}

// rawStops returns the median of continues after each of which the variables of the top frame are read.
func (s specimen) rawStops(b *testing.B) float64 {
	r := s.raw(b, cycles+10, "")
	defer r.close()
	thread := <-r.stops
	took, _ := cyclesOf(func() {
		r.must("continue", dap.ContinueArguments{ThreadId: thread})
		thread = <-r.stops
		r.locals(b, thread, 1)
	}, func() {})
	return took
}

func (s specimen) breakwireStops(b *testing.B) float64 {
	c := mcptest.WireRun(b, fixtures.Breakwire(b), s.flags...)
	defer c.Close()
	c.Call("breakpoint_set", fmt.Sprintf(`{"file":%q,"line":%d}`, s.source, s.hit))
	c.Call("debug_launch", fmt.Sprintf(`{"program":%q,"args":["%d"],"backend":%q}`, s.loop, cycles+10, s.backend))
	c.Call("debug_continue", `{"wait":true}`)
	missing := 0
	took, _ := cyclesOf(func() {
		answer := c.Request("tools/call", `{"name":"debug_continue","arguments":{"wait":true}}`)
		if !bytes.Contains(answer, []byte(`"locals":{`)) {
			missing++
		}
	}, func() {})
	require.Less(b, missing, cycles/10, "answers without locals")
	return took
}

// locals asks for a frame, its scopes and its variables, and returns the id of the frame.
func (r *rawClient) locals(b *testing.B, thread, levels int) (frame int) {
	stack, err := dapclient.DecodeBody[dap.StackTraceResponseBody](r.must("stackTrace",
		dapclient.StackTraceArguments{ThreadID: thread, Levels: levels}))
	require.NoError(b, err)
	frame = stack.StackFrames[0].Id
	scopes, err := dapclient.DecodeBody[dap.ScopesResponseBody](r.must("scopes", map[string]int{"frameId": frame}))
	require.NoError(b, err)
	r.must("variables", map[string]int{"variablesReference": scopes.Scopes[0].VariablesReference})
	return frame
}

func (s specimen) rawCycles(b *testing.B) (cycle, look float64) {
	r := s.raw(b, cycles+10, "")
	defer r.close()
	thread := <-r.stops
	return cyclesOf(func() {
		r.must("continue", dap.ContinueArguments{ThreadId: thread})
		thread = <-r.stops
	}, func() {
		frame := r.locals(b, thread, 20)
		r.must("evaluate", dapclient.EvaluateArguments{Expression: "square", FrameID: &frame, Context: "watch"})
	})
}

// askingCycles returns the median of continues of a raw client that asks what an answer of breakwire needs: where the
// stop is and, of Delve, whether other goroutines are at breakpoints too (by its name, as a client would ask that).
func (s specimen) askingCycles(b *testing.B) float64 {
	r := s.raw(b, cycles+10, "")
	defer r.close()
	thread := <-r.stops
	took, _ := cyclesOf(func() {
		r.must("continue", dap.ContinueArguments{ThreadId: thread})
		thread = <-r.stops
		r.must("stackTrace", dapclient.StackTraceArguments{ThreadID: thread, Levels: 1})
		if s.backend == "dlv" {
			r.must("evaluate", dapclient.EvaluateArguments{Expression: "runtime.gomaxprocs", Context: "watch"})
		}
	}, func() {})
	return took
}

func (s specimen) breakwireCycles(b *testing.B) (cycle, look float64) {
	c := mcptest.WireRun(b, fixtures.Breakwire(b), s.flags...)
	defer c.Close()
	c.Call("breakpoint_set", fmt.Sprintf(`{"file":%q,"line":%d}`, s.source, s.hit))
	c.Call("debug_launch", fmt.Sprintf(`{"program":%q,"args":["%d"],"backend":%q}`, s.loop, cycles+10, s.backend))
	c.Call("debug_continue", `{"wait":true}`)
	return cyclesOf(func() { c.Call("debug_continue", `{"wait":true,"locals":false}`) }, func() {
		c.Call("stacktrace_get", `{}`)
		c.Call("variables_get", `{}`)
		c.Call("evaluate", `{"expression":"square"}`)
	})
}

// BenchmarkLiveSizes measures the bytes of a stop and of a look at it, with source lines where the sources are
// available.
func BenchmarkLiveSizes(b *testing.B) {
	for _, name := range []string{"dlv", "netcoredbg", "debugpy"} {
		b.Run(name, func(b *testing.B) {
			s := specimens[name](b)
			c := mcptest.Run(b, fixtures.Breakwire(b), s.flags...)
			c.Do("breakpoint_set", mcptest.Args{"file": s.source, "line": s.hit})
			c.Do("debug_launch", mcptest.Args{"program": s.loop, "args": []string{"5"}, "backend": s.backend})
			mcptest.ReportSizes(b, c.Client)
		})
	}
}
