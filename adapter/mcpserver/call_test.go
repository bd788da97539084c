package mcpserver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A call's place is free with its answer, not with the end of its goroutine, which the client cannot see.
func TestAnswerFreesThePlaceOfItsCall(t *testing.T) {
	account := newBudget(1 << 20).open(1600)
	first := &call{key: "n1", hold: hold{account: account}}
	require.True(t, first.hold.take(1000))
	second := &call{key: "n2", hold: hold{account: account}}
	require.False(t, second.hold.take(1000))
	first.hold.settle(10)
	require.True(t, second.hold.take(1000))

	table := newCalls(func(*call) {})
	for _, c := range []*call{first, second} {
		_, ok := table.start(c)
		require.True(t, ok)
	}
	require.True(t, table.answer(first, func() {}))
	idle := table.close()
	table.exit()
	select {
	case <-idle:
		t.Fatal("one still runs")
	default:
	}
	table.exit()
	<-idle
}
