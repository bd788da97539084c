package doctor

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHugePages(t *testing.T) {
	const slow = 76 * time.Millisecond
	for _, test := range []struct {
		name, setting string
		cost          time.Duration
		says          string
	}{
		{"slow", "always [madvise] never\n", slow,
			"takes about 76 ms more here: new memory is slow, and transparent huge pages are set to madvise"},
		{"slow, switched off", "always madvise [never]\n", slow, "set to never"},
		{"slow for another reason", "[always] madvise never\n", slow, ""},
		{"fast", "always [madvise] never\n", 4 * time.Millisecond, ""},
		{"not known", "always [madvise] never\n", 0, ""},
		{"another text", "", slow, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := hugePages(test.setting, test.cost)
			if test.says == "" {
				require.Empty(t, got)
				return
			}
			require.Len(t, got, 1)
			require.Equal(t, warning, got[0].Level)
			require.Contains(t, got[0].Text, test.says)
			require.Contains(t, got[0].Next, "echo always")
		})
	}
	require.Equal(t, runtime.GOOS == "linux", memoryOfStop() > 0)
}
