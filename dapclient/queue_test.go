package dapclient

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestQueue(t *testing.T) {
	q := NewQueue[int]()
	assert.Empty(t, q.Take(nil))
	const producers, each = 4, 1000
	var all sync.WaitGroup
	for p := range producers {
		all.Go(func() {
			for i := range each {
				assert.True(t, q.Push(p*each+i))
			}
		})
	}
	last := make([]int, producers)
	for p := range last {
		last[p] = p*each - 1
	}
	var items []int
	for got := 0; got < producers*each; {
		<-q.Ready()
		items = q.Take(items)
		got += len(items)
		for _, item := range items { // each producer's order is kept
			p := item / each
			require.Equal(t, last[p]+1, item)
			last[p] = item
		}
	}
	all.Wait()

	q.Push(7)
	q.Close()
	assert.False(t, q.Push(8))
	assert.Equal(t, []int{7}, q.Take(items))
}
