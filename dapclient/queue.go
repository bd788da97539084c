package dapclient

import "sync"

// Queue is an unbounded first-in first-out queue for one consumer. Producers never wait. The consumer waits on Ready
// and takes all items with Take.
type Queue[T any] struct {
	mu     sync.Mutex
	items  []T
	ready  chan struct{}
	closed bool
}

// NewQueue returns an empty queue.
func NewQueue[T any]() *Queue[T] { return &Queue[T]{ready: make(chan struct{}, 1)} }

// Push appends an item. After Close it drops the item and reports false.
func (q *Queue[T]) Push(item T) bool {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return false
	}
	q.items = append(q.items, item)
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
	return true
}

// Ready returns a channel that receives after a Push. After a receive, Take may return nothing new.
func (q *Queue[T]) Ready() <-chan struct{} { return q.ready }

// Take returns all items and empties the queue. reuse, which must no longer be in use, becomes the queue's next
// buffer.
func (q *Queue[T]) Take(reuse []T) []T {
	clear(reuse)
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items = reuse[:0]
	return items
}

// Close makes further pushes fail. Queued items can still be taken.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
}
