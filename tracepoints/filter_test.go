package tracepoints

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStateHit(t *testing.T) {
	tests := []struct {
		name   string
		filter Filter
		hits   int
		notify []int // numbers of the reported hits
		// exhausted is the hit at which the tracepoint is exhausted, 0 for never.
		exhausted int
		counted   uint64
	}{
		{"every hit", Filter{}, 5, []int{1, 2, 3, 4, 5}, 0, 5},
		{"multiple 1 is every hit", Filter{Multiple: 1}, 3, []int{1, 2, 3}, 0, 3},
		{"every third", Filter{Multiple: 3}, 10, []int{3, 6, 9}, 0, 10},
		{"at most two", Filter{Max: 2}, 5, []int{1, 2}, 2, 2},
		{"one shot", Filter{Max: 1}, 3, []int{1}, 1, 1},
		{"every second, at most three", Filter{Multiple: 2, Max: 3}, 10, []int{2, 4, 6}, 6, 6},
		{"multiple beyond the hits", Filter{Multiple: 100, Max: 1}, 10, nil, 0, 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := State{Filter: tt.filter}
			var told []int
			for i := 1; i <= tt.hits; i++ {
				would := s.WouldNotify()
				_, notify, exhausted := s.Hit()
				assert.Equal(t, would, notify)
				if notify {
					told = append(told, i)
				}
				assert.Equal(t, tt.exhausted > 0 && i >= tt.exhausted, exhausted, "hit %d", i)
				assert.Equal(t, exhausted, s.Exhausted())
			}
			assert.Equal(t, tt.notify, told)
			assert.Equal(t, tt.counted, s.Hits(), "hits after the limit are not counted")
			assert.EqualValues(t, len(tt.notify), s.Told())
		})
	}
}

func TestStateRearm(t *testing.T) {
	s := State{Filter: Filter{Multiple: 2, Max: 1}}
	s.Hit()
	s.Hit()
	assert.True(t, s.Exhausted())
	s.Rearm()
	_, notify, exhausted := s.Hit()
	assert.False(t, notify, "the third hit")
	assert.False(t, exhausted)
	_, notify, exhausted = s.Hit()
	assert.True(t, notify, "the fourth")
	assert.True(t, exhausted)
	assert.EqualValues(t, 4, s.Hits())
}
