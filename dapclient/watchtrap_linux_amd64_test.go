package dapclient

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A child whose memory is not watched is never stopped. Where the processor does its part, one that is watched is.
func TestWatchTraps(t *testing.T) {
	require.ErrorIs(t, watchChild(0), errNoTrap)
	first := tryWatch()
	t.Logf("watched memory traps: %v", first)
	require.Equal(t, first, tryWatch(), "the answer does not change")
}
