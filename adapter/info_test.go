package adapter

import (
	"breakwire/tracepoints"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMergedStates(t *testing.T) {
	bp := &Breakpoint{ID: "tp-1", Enabled: true, Spec: Spec{Kind: Tracepoint, File: "/src/b.go", Line: 5,
		Strategy: "auto"}}
	in := func(session, state string, hits int) sessionBinding {
		b := &Binding{State: state, counts: &tracepoints.State{}}
		if state == BreakpointBound {
			b.BoundLine = 6
		}
		if state == BreakpointFailed {
			b.Message = "could not find file"
		}
		for range hits {
			b.counts.Hit()
		}
		return sessionBinding{session, b}
	}
	for _, c := range []struct {
		name  string
		in    []sessionBinding
		ended pastHits
		state string
		hits  uint64
		own   int
	}{
		{"no session", nil, pastHits{}, BreakpointPending, 0, 0},
		{"one session", []sessionBinding{in("s1", BreakpointBound, 2)}, pastHits{}, BreakpointBound, 2, 0},
		{"bound in the second", []sessionBinding{in("s1", BreakpointFailed, 0), in("s2", BreakpointBound, 1)}, pastHits{},
			BreakpointBound, 1, 2},
		{"may come in the first", []sessionBinding{in("s1", BreakpointPending, 0), in("s2", BreakpointFailed, 0)}, pastHits{},
			BreakpointPending, 0, 2},
		{"alike", []sessionBinding{in("s1", BreakpointBound, 1), in("s2", BreakpointBound, 1)}, pastHits{}, BreakpointBound,
			2, 0},
		{"counts differ", []sessionBinding{in("s1", BreakpointBound, 0), in("s2", BreakpointBound, 3)}, pastHits{4, 4},
			BreakpointBound, 7, 2},
		{"all refuse", []sessionBinding{in("s1", BreakpointFailed, 0), in("s2", BreakpointFailed, 0)}, pastHits{},
			BreakpointFailed, 0, 0},
	} {
		info := bp.merged(c.in, c.ended)
		require.Equal(t, c.state, info.State, c.name)
		require.Equal(t, c.state == BreakpointBound, info.Verified, c.name)
		require.Equal(t, c.hits, info.HitCount, c.name)
		require.Equal(t, c.hits, *info.NotificationsSent, c.name)
		require.Len(t, info.Sessions, c.own, c.name)
		if c.state == BreakpointBound {
			require.Empty(t, info.Message, c.name)
		}
	}
}
