package mcpserver_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

// untimed removes what depends on the speed of the wire: the seqs of journal entries.
func untimed(s string) string { return goldenSeq.ReplaceAllString(s, `"seq": 0`) }

var goldenSeq = regexp.MustCompile(`"seq": \d+`)

// TestGoldenOverABadWire checks that frames in pieces, and answers after later events, change no answer and no
// notification.
func TestGoldenOverABadWire(t *testing.T) {
	wires := []daptest.ChaosOptions{
		{Seed: 1, Split: true},
		{Seed: 2, Split: true, Delay: 10 * time.Millisecond},
		{Seed: 3, Delay: 50 * time.Millisecond},
		{Seed: 4, Split: true, Delay: time.Millisecond},
	}
	for i, file := range goldens(t) {
		for _, o := range []daptest.ChaosOptions{wires[i%len(wires)], wires[(i+1)%len(wires)]} {
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

// TestGoldenKilled checks that after an adapter dies within a frame every call has an answer, and the session has the
// reason of its end.
func TestGoldenKilled(t *testing.T) {
	for _, name := range []string{"tour-loop-netcoredbg", "tour-loop-dlv", "tour-loop-lldb-dap", "tour-exceptions",
		"tour-attach", "conditional-logmessage", "async-step"} {
		file := filepath.Join(fixtures.Dir(), "mcp", name+".txtar")
		for seed := range uint64(6) {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				g := readGolden(t, file)
				whole := len(g.steps)
				g.steps = append(g.steps, goldenStep{method: "debug_state"}, goldenStep{method: "debug_disconnect"})
				// An adapter sends most kinds of messages in the first tenth of its bytes, so most cuts are there.
				after := 1 + rand.New(rand.NewPCG(seed, 7)).IntN(20_000*(1+int(seed%3)*3))
				got := g.play(t, func(s io.ReadWriteCloser) io.ReadWriteCloser {
					return daptest.Chaos(s, daptest.ChaosOptions{Seed: seed, Split: true, CutAfter: after})
				})
				state, last := got[whole], got[whole+1]
				require.Contains(t, last, "NO_SESSION", "there is nothing to disconnect from")
				if strings.Contains(state, `"endReason": "exited"`) ||
					strings.Contains(state, `"endReason": "unhandled_exception"`) ||
					strings.Contains(state, `"endReason": "killed"`) || strings.Contains(state, `"endReason": "disconnected"`) {
					return // it ended before
				}
				require.Contains(t, state, `"state": "terminated"`)
				require.Regexp(t, `"endReason": "(backend_exited|start_failed)"`, state)
				require.Regexp(t, "BACKEND_EXITED|BACKEND_START_FAILED|LAUNCH_FAILED|ATTACH_FAILED|backend_exited",
					strings.Join(got, ""))
			})
		}
	}
}
