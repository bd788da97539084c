package doctor

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeptCores(t *testing.T) {
	for _, x := range []struct {
		system, pattern string
		allowed         bool
		want, next      string
	}{
		{"linux", "core\n", true, "core files: core in the program's working folder", ""},
		{"linux", "/var/crash/%e.%p\n", true, "core files: /var/crash/%e.%p", ""},
		{"linux", "core\n", false, "core files: core in the program's working folder; the limit of this user is 0, " +
			"so none is written", "ulimit -c unlimited"},
		{"linux", "|/usr/lib/systemd/systemd-coredump %P %u\n", false, "core files: kept by systemd",
			"coredumpctl dump -o core PID"},
		{"linux", "|/usr/share/apport/apport -p%p\n", true, "core files: passed to /usr/share/apport/apport", ""},
		{"linux", "", true, "core files: nobody knows where this system keeps them", ""},
		{"darwin", "", true, "core files: in /cores", ""},
		{"windows", "", true, "core files: Windows writes none; `debug_attach` with `core` reads those of other systems", ""},
	} {
		require.Equal(t, finding{fine, x.want, x.next}, keptCores(x.system, x.pattern, x.allowed), x.want)
	}
}

func TestWatching(t *testing.T) {
	require.Equal(t, fine, watching(nil).Level)
	require.Equal(t, finding{warning, "watchpoints do not work here: no traps", ""}, watching(errors.New("no traps")))
}
