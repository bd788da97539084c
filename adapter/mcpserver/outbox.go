package mcpserver

import "sync"

// noteBytes bounds what notifications alone may take in the outbox. They are few, at most one for
// each resource and each waiting call, so this is never reached in earnest.
const noteBytes = 1 << 20

// item is one line that waits to be written.
type item struct {
	line []byte // with its newline
	tag  uint64 // the journal's last seq when it was put here: events up to it go first
	call *call  // whose response or progress it is, nil for none
	note bool   // a notification, not a response
	open bool   // nothing to write: from here on the client gets notifications
}

// outbox is the queue in front of the writer: responses, and notifications that are not in the
// journal. Putting never waits. Responses are bounded by the reader, which takes no further request
// while they are more than the limit; notifications are kept once for each key, the newest.
type outbox struct {
	wake  chan struct{} // holds a token when there is something new
	limit int

	mu     sync.Mutex
	items  []item
	keys   map[string]int // of notifications in items, to their index
	bytes  int            // of responses not yet written
	notes  int            // bytes of notifications in items
	full   chan struct{}  // closed when there is room again; nil while there is
	closed bool
}

func newOutbox(limit int) *outbox {
	return &outbox{wake: make(chan struct{}, 1), limit: limit, keys: make(map[string]int)}
}

// respond queues a response.
func (o *outbox) respond(line []byte, tag uint64, c *call) {
	o.mu.Lock()
	o.items = append(o.items, item{line: line, tag: tag, call: c})
	o.bytes += len(line)
	if o.bytes > o.limit && o.full == nil {
		o.full = make(chan struct{})
	}
	o.mu.Unlock()
	o.signal()
}

// open marks the place from which on the client gets notifications, behind the responses already queued.
func (o *outbox) open() {
	o.mu.Lock()
	o.items = append(o.items, item{open: true})
	o.mu.Unlock()
	o.signal()
}

// notify queues a notification, in the place of one with the same key that is still there. It
// reports false when it was dropped, because the client does not read.
func (o *outbox) notify(key string, line []byte, tag uint64, c *call) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i, ok := o.keys[key]; ok && key != "" {
		o.notes += len(line) - len(o.items[i].line)
		o.items[i].line = line // its place, and so its tag, stay
		return true
	}
	if o.closed || o.notes+len(line) > noteBytes {
		return false
	}
	if key != "" {
		o.keys[key] = len(o.items)
	}
	o.items = append(o.items, item{line: line, tag: tag, call: c, note: true})
	o.notes += len(line)
	o.signal()
	return true
}

// take hands all items over and makes spare, emptied, the next queue.
func (o *outbox) take(spare []item) (items []item, closed bool) {
	clear(spare)
	o.mu.Lock()
	defer o.mu.Unlock()
	items, o.items = o.items, spare[:0]
	clear(o.keys)
	o.notes = 0
	return items, o.closed
}

// written takes a response off the account.
func (o *outbox) written(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes -= n
	if o.full != nil && o.bytes <= o.limit/2 {
		close(o.full)
		o.full = nil
	}
}

// room returns nil when there is room for another request's response, else a channel that is
// closed when there is.
func (o *outbox) room() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.full
}

// close lets the writer end once it has written everything.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
