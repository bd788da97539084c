package breakpoint

import (
	"testing"

	"breakwire/tracepoints"

	"github.com/stretchr/testify/require"
)

func TestMergedStates(t *testing.T) {
	bp := &Breakpoint{ID: "tp-1", Enabled: true, Spec: Spec{Kind: Tracepoint, File: "/src/b.go", Line: 5,
		Strategy: "auto"}}
	in := func(session, state string, hits int) In {
		b := &Binding{State: state, Counts: &tracepoints.State{}}
		if state == Bound {
			b.BoundLine = 6
		}
		if state == Failed {
			b.Message = "could not find file"
		}
		for range hits {
			b.Counts.Hit()
		}
		return In{session, b}
	}
	for _, c := range []struct {
		name  string
		in    []In
		ended Past
		state string
		hits  uint64
		own   int
	}{
		{"no session", nil, Past{}, Pending, 0, 0},
		{"one session", []In{in("s1", Bound, 2)}, Past{}, Bound, 2, 0},
		{"bound in the second", []In{in("s1", Failed, 0), in("s2", Bound, 1)}, Past{},
			Bound, 1, 2},
		{"may come in the first", []In{in("s1", Pending, 0), in("s2", Failed, 0)}, Past{},
			Pending, 0, 2},
		{"alike", []In{in("s1", Bound, 1), in("s2", Bound, 1)}, Past{}, Bound,
			2, 0},
		{"counts differ", []In{in("s1", Bound, 0), in("s2", Bound, 3)}, Past{4, 4},
			Bound, 7, 2},
		{"all refuse", []In{in("s1", Failed, 0), in("s2", Failed, 0)}, Past{},
			Failed, 0, 0},
	} {
		info := bp.Merged(c.in, c.ended)
		require.Equal(t, c.state, info.State, c.name)
		require.Equal(t, c.state == Bound, info.Verified, c.name)
		require.Equal(t, c.hits, info.HitCount, c.name)
		require.Equal(t, c.hits, *info.NotificationsSent, c.name)
		require.Len(t, info.Sessions, c.own, c.name)
		if c.state == Bound {
			require.Empty(t, info.Message, c.name)
		}
	}
}
