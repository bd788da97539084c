package transcript_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
)

// heap is the memory in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestLargeRecording checks that 100,000 messages are opened quickly and replayed with the memory of their index.
// BenchmarkOpen100k and BenchmarkReplayHit measure it; the limits here are much higher.
func TestLargeRecording(t *testing.T) {
	file := filepath.Join(t.TempDir(), "big.jsonl")
	require.NoError(t, os.WriteFile(file, big(100_000), 0o600))
	before := heap()
	start := time.Now()
	rec, err := transcript.Open(file)
	require.NoError(t, err)
	defer rec.Close()
	assert.Less(t, time.Since(start), 10*time.Second)
	require.Greater(t, rec.Len(), 99_000)
	index := heap() - before
	assert.Less(t, index, uint64(8<<20), "40 bytes a message, not the messages")

	d := &driver{t: t, player: rec.Play(transcript.PlayOptions{}), events: dapclient.NewQueue[*dapclient.Message]()}
	d.conn = dapclient.NewConn(d.player, dapclient.Options{})
	defer d.close()
	d.call("configurationDone", "")
	hits := 0
	play := func(to int) uint64 {
		for ; hits < to; hits++ {
			require.True(t, d.call("stackTrace", `{"threadId":3139,"startFrame":0,"levels":1}`).Success)
			require.True(t, d.call("continue", `{"threadId":3139}`).Success)
		}
		return heap()
	}
	early := play(500)
	late := play(6_000)
	assert.Less(t, int64(late)-int64(early), int64(2<<20), "flat")
}
