package main

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// BenchmarkColdStart measures the time from the process's start to the answer to initialize, and its memory then.
func BenchmarkColdStart(b *testing.B) {
	exe := fixtures.Breakwire(b)
	const line = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"b","version":"1"}}}` + "\n"
	var took, resident []float64
	for b.Loop() {
		cmd := exec.Command(exe)
		in, err := cmd.StdinPipe()
		require.NoError(b, err)
		out, err := cmd.StdoutPipe()
		require.NoError(b, err)
		began := time.Now()
		require.NoError(b, cmd.Start())
		_, err = in.Write([]byte(line))
		require.NoError(b, err)
		_, err = bufio.NewReaderSize(out, 1<<16).ReadSlice('\n')
		require.NoError(b, err)
		took = append(took, float64(time.Since(began).Microseconds())/1000)
		if runtime.GOOS == "linux" {
			resident = append(resident, mib(statusOf(b, cmd.Process.Pid, "VmRSS")))
		}
		in.Close()
		require.NoError(b, cmd.Wait())
	}
	report(b, "answer-ms", took)
	if len(resident) > 0 {
		report(b, "resident-MiB", resident)
	}
}

// BenchmarkBinary measures the size of the binary of `make build`.
func BenchmarkBinary(b *testing.B) {
	info, err := os.Stat(fixtures.Breakwire(b))
	require.NoError(b, err)
	mcptest.NothingToTime(b)
	b.ReportMetric(mib(int(info.Size()>>10)), "MiB")
}

// BenchmarkIdle measures the memory of an idle server: after the handshake, after a client has read all lists, and
// after a debugging session on Delve has ended. private excludes the pages of the executable, which all its processes
// share.
func BenchmarkIdle(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("memory is read in /proc")
	}
	d := goDebuggee(b)
	values := map[string][]float64{}
	for b.Loop() {
		c := mcptest.Run(b, fixtures.Breakwire(b))
		measure := func(when string) {
			resident, private := settled(b, c.Pid())
			values[when+"-MiB"] = append(values[when+"-MiB"], resident)
			values[when+"-private-MiB"] = append(values[when+"-private-MiB"], private)
		}
		measure("started")
		for _, list := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
			c.Request(list, map[string]any{})
		}
		c.Do("debug_state", nil)
		measure("listed")
		c.Do("breakpoint_set", mcptest.Args{"file": d.source, "line": d.hit})
		c.Do("debug_launch", mcptest.Args{"program": d.loop, "args": []string{"20"}, "backend": d.backend})
		for range 10 {
			c.Do("debug_continue", mcptest.Args{"wait": true})
			c.Do("stacktrace_get", nil)
			c.Do("variables_get", nil)
		}
		c.Do("debug_disconnect", nil)
		measure("debugged")
		c.Close()
	}
	b.ReportMetric(0, "ns/op")
	for unit, v := range values {
		report(b, unit, v)
	}
}

// settled returns the memory of a process when it has not changed for three seconds, because the runtime returns
// memory gradually. After 15 s it returns the current value.
func settled(b *testing.B, pid int) (resident, private float64) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	kib, same := 0, 0
	for n := 0; same < 12 && n < 60; n++ {
		<-tick.C
		now := statusOf(b, pid, "VmRSS")
		if same++; now != kib {
			kib, same = now, 0
		}
	}
	return mib(kib), mib(statusOf(b, pid, "RssAnon"))
}

func mib(kib int) float64 { return float64(kib) / 1024 }

// report reports the median and the range of the values.
func report(b *testing.B, unit string, values []float64) float64 {
	slices.Sort(values)
	median := values[len(values)/2]
	b.ReportMetric(median, unit)
	b.ReportMetric(values[0], "min-"+unit)
	b.ReportMetric(values[len(values)-1], "max-"+unit)
	return median
}
