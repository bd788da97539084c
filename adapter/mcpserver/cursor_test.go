package mcpserver

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStopCursor(t *testing.T) {
	var s stopCursor
	before := s.Cursor()
	s.Deliver(nil)
	s.Deliver(&carried{"s2", 20})
	require.Zero(t, s.Cursor()("s1"), "the stop of s1 with seq 10 was not given")
	s.Deliver(&carried{"s1", 10})
	s.Deliver(&carried{"s2", 15})
	require.Equal(t, uint64(10), s.Cursor()("s1"))
	require.Equal(t, uint64(20), s.Cursor()("s2"), "never back")
	require.Zero(t, before("s2"), "as it was when the call arrived")
	for i := range 2 * maxCursors {
		s.Deliver(&carried{fmt.Sprintf("t%d", i), uint64(100 + i)})
	}
	require.Len(t, s.seqs, maxCursors)
	require.Zero(t, s.Cursor()("s1"))
}
