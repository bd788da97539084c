package dapclient

import "sync"

// Queue is an unbounded first-in first-out queue for one consumer: producers never wait.
// The consumer waits on Ready and takes everything with Take.
type Queue[T any] struct {
	mu     sync.Mutex
	items  []T
	ready  chan struct{}
	closed bool
}

// NewQueue returns an empty queue.
func NewQueue[T any]() *Queue[T] { return &Queue[T]{ready: make(chan struct{}, 1)} }

// Push appends an item. It reports false, and drops the item, after Close.
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

// Ready receives after a Push. A receive may find nothing new in Take.
func (q *Queue[T]) Ready() <-chan struct{} { return q.ready }

// Take returns all items and empties the queue. The slice given, which must no longer be in use,
// becomes the queue's next buffer.
func (q *Queue[T]) Take(reuse []T) []T {
	clear(reuse)
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items = reuse[:0]
	return items
}

// Close makes further pushes fail. What is queued can still be taken.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
}
