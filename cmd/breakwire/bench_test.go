package main

import (
	"bufio"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

// BenchmarkColdStart is from the start of the process to the answer to initialize, and what memory it has then.
func BenchmarkColdStart(b *testing.B) {
	exe := fixtures.Breakwire(b)
	const line = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}` + "\n"
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
			resident = append(resident, float64(statusOf(b, cmd.Process.Pid, "VmRSS"))/1024)
		}
		in.Close()
		require.NoError(b, cmd.Wait())
	}
	report(b, "answer-ms", took)
	if len(resident) > 0 {
		report(b, "resident-MiB", resident)
	}
}

// report gives the median and the range of what was measured.
func report(b *testing.B, unit string, values []float64) float64 {
	slices.Sort(values)
	median := values[len(values)/2]
	b.ReportMetric(median, unit)
	b.ReportMetric(values[0], "min-"+unit)
	b.ReportMetric(values[len(values)-1], "max-"+unit)
	return median
}
