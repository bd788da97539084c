package mapping

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNear(t *testing.T) {
	tests := []string{"Cart", "Cart when empty", "A, quote's async one", "A", "math add adds negatives",
		"math add adds zero", "TestCart/empty", "pkg.TestTotal"}
	for word, want := range map[string][]string{
		"adds negativs": {"math add adds negatives"}, "async on": {"A, quote's async one"},
		"emtpy": {"Cart when empty", "TestCart/empty"}, "TestTotl": {"pkg.TestTotal"}, "xyzzyplugh": nil,
	} {
		got := Near(word, tests)
		if want == nil {
			want = got
			require.Len(t, got, len(tests), "all, when none is near")
		}
		require.Equal(t, want, got, word)
	}
	require.Empty(t, Near("x", nil))
}
