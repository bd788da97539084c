package mcpserver_test

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/dapclient/daptest"
)

// untimed takes out what a slower wire may change: the numbers of entries in the journal.
func untimed(s string) string { return goldenSeq.ReplaceAllString(s, `"seq": 0`) }

var goldenSeq = regexp.MustCompile(`"seq": \d+`)

// TestGoldenOverABadWire: frames that come in pieces and answers that come after later events change no answer and no
// notification.
func TestGoldenOverABadWire(t *testing.T) {
	wires := []daptest.ChaosOptions{
		{Seed: 1, Split: true},
		{Seed: 2, Split: true, Delay: 10 * time.Millisecond},
		{Seed: 3, Delay: 50 * time.Millisecond},
		{Seed: 4, Split: true, Delay: time.Millisecond},
	}
	for _, file := range goldens(t) {
		for _, o := range wires {
			name := fmt.Sprintf("%s/%d", strings.TrimSuffix(filepath.Base(file), ".txtar"), o.Seed)
			t.Run(name, func(t *testing.T) {
				g := readGolden(t, file)
				got := g.play(t, func(s io.ReadWriteCloser) io.ReadWriteCloser { return daptest.Chaos(s, o) })
				for i, s := range g.steps {
					require.Equal(t, untimed(s.want), untimed(got[i]), "step %d, %s %s", i+1, s.method, s.args)
				}
			})
		}
	}
}
