package mcpserver

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/journal"
)

// A client that does not read costs only the journal's rings and the pipe, however long it does not read.
func TestMemoryIsBoundedForAClientThatDoesNotRead(t *testing.T) {
	r := newRig()
	r.journal = journal.NewWithLimits(journal.Limits{TraceEntries: 1000})
	p := ready(t, r)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	r.hits(10_000)
	before := heap()
	r.hits(300_000)
	after := heap()
	assert.Less(t, after, before+1<<20, "%d KiB before, %d KiB after", before>>10, after>>10)

	// It reads again: the received events and the reported missed ones add up.
	got, missed, last := uint64(0), uint64(0), uint64(0)
	for last < 310_000 {
		l := p.notification("debugger/breakpointHit")
		require.Greater(t, l.Params.Seq, last)
		got, missed, last = got+1, missed+l.Params.Missed, l.Params.Seq
	}
	assert.EqualValues(t, 310_000, got+missed)
}
