package adapter

import (
	"testing"

	"breakwire/adapter/breakpoint"
	"breakwire/dapclient"
	"breakwire/tracepoints"

	"github.com/stretchr/testify/require"
)

func TestOnlyFamily(t *testing.T) {
	session := func(id, family string) *Session {
		s := &Session{id: id}
		s.snap.Store(&Snapshot{ID: id, Family: family})
		return s
	}
	s1, s2, s3, s4 := session("s1", "s1"), session("s2", "s1"), session("s3", "s1"), session("s4", "s4")
	require.Equal(t, s1, onlyFamily([]*Session{s1, s2, s3}))
	require.Equal(t, s1, onlyFamily([]*Session{s2, s1}))
	require.Nil(t, onlyFamily([]*Session{s1, s2, s4}), "two programs")
	require.Nil(t, onlyFamily([]*Session{s2, s3}), "the parent has ended")
}

// Hits of ended children count while their program lives.
func TestHitsOfEndedChildren(t *testing.T) {
	m := NewManager(Options{})
	defer m.Close()
	session := func(id, family string, hits int) *Session {
		s := &Session{id: id, profile: dapclient.Generic("x")}
		b := &breakpoint.Binding{State: breakpoint.Bound, Counts: &tracepoints.State{}}
		for range hits {
			b.Counts.Hit()
		}
		s.snap.Store(&Snapshot{ID: id, Family: family, Bindings: map[string]*breakpoint.Binding{"bp-1": b}})
		return s
	}
	parent, one, two, three := session("s1", "s1", 1), session("s2", "s1", 2), session("s3", "s1", 4),
		session("s4", "s1", 8)
	bp := &breakpoint.Breakpoint{ID: "bp-1", Enabled: true,
		Spec: breakpoint.Spec{Kind: breakpoint.Function, Function: "f"}}
	m.live = []*Session{parent, one, two, three}
	require.Equal(t, uint64(15), m.infoOf(bp).HitCount)
	for _, child := range []*Session{one, two, three} {
		m.told(child)
		require.Equal(t, uint64(15), m.infoOf(bp).HitCount, child.id)
	}
	m.told(parent)
	m.reaping = nil
	require.Equal(t, uint64(15), m.infoOf(bp).HitCount, "the program has ended and can still be read")
	m.retire(nil)
	require.Zero(t, m.infoOf(bp).HitCount, "the next program counts from zero")
	require.Empty(t, m.ended)
}
