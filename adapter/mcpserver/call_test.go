package mcpserver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The answer frees the place of its call, not the end of its goroutine, which the client cannot see.
func TestAnswerFreesItsPlace(t *testing.T) {
	table := newCalls(1, func(*call) {})
	first := &call{key: "n1"}
	_, ok := table.start(first)
	require.True(t, ok)
	refused, ok := table.start(&call{key: "n2"})
	require.False(t, ok)
	require.Equal(t, codeTooManyRequests, refused.code)
	table.answer(first, func() {})
	_, ok = table.start(&call{key: "n3"})
	require.True(t, ok)
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
