package mcpserver

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStopCursor(t *testing.T) {
	var s stopCursor
	given := func(session string, seq uint64) []carried { return []carried{{session, known{given: seq}}} }
	before := s.Cursor()
	s.Deliver(nil)
	s.Deliver(given("s2", 20))
	require.Zero(t, s.Cursor()("s1").given, "the stop of s1 with seq 10 was not given")
	s.Deliver(given("s1", 10))
	s.Deliver(given("s2", 15))
	require.Equal(t, uint64(10), s.Cursor()("s1").given)
	require.Equal(t, uint64(20), s.Cursor()("s2").given, "never back")
	require.Zero(t, before("s2").given, "as it was when the call arrived")
	for i := range 2 * maxCursors {
		s.Deliver(given(fmt.Sprintf("t%d", i), uint64(100+i)))
	}
	require.Len(t, s.known, maxCursors)
	require.Zero(t, s.Cursor()("s1"))
}
