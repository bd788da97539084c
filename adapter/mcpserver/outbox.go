package mcpserver

import (
	"fmt"
	"sync"
)

// noteBytes bounds what notifications alone may take in the outbox. They are few, at most one for
// each resource and each waiting call, so this is never reached in earnest.
const noteBytes = 1 << 20

// refuseBytes bounds the refusals that wait to be written.
const refuseBytes = 1 << 20

// item is one line that waits to be written.
type item struct {
	line []byte // with its newline
	tag  uint64 // the journal's last seq when it was put here: events up to it go first
	call *call  // whose response or progress it is, nil for none
	note bool   // a notification, not a response
	no   bool   // a refusal: the response to what was not taken
	open bool   // nothing to write: from here on the client gets notifications
}

// outbox is the queue in front of the writer: responses, and notifications that are not in the
// journal. Putting never waits. The budget bounds the responses of calls, refuseBytes those of refused requests;
// notifications are kept once for each key, the newest.
type outbox struct {
	wake chan struct{} // holds a token when there is something new

	mu       sync.Mutex
	items    []item
	keys     map[string]int // of notifications in items, to their index
	notes    int            // bytes of notifications in items
	refusals int            // bytes of refusals not yet written
	dropped  int            // refusals that had no room
	closed   bool
}

func newOutbox() *outbox {
	return &outbox{wake: make(chan struct{}, 1), keys: make(map[string]int)}
}

// respond queues the response of a call.
func (o *outbox) respond(line []byte, tag uint64, c *call) {
	o.mu.Lock()
	o.items = append(o.items, item{line: line, tag: tag, call: c})
	o.mu.Unlock()
	o.signal()
}

// refuse queues the response to what was not taken. When the client leaves too many unread, the rest is counted, and
// told in one line.
func (o *outbox) refuse(line []byte, tag uint64) {
	o.mu.Lock()
	if o.refusals+len(line) > refuseBytes {
		o.dropped++
	} else {
		o.refusals += len(line)
		o.items = append(o.items, item{line: line, tag: tag, no: true})
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
	if o.dropped > 0 && o.refusals < refuseBytes/2 {
		line := (&rpcError{code: codeTooManyRequests, message: fmt.Sprintf(
			"%d more requests were refused, whose ids are not kept: too many refusals were not read", o.dropped)}).line()
		o.items = append(o.items, item{line: line, no: true})
		o.refusals, o.dropped = o.refusals+len(line), 0
	}
	items, o.items = o.items, spare[:0]
	clear(o.keys)
	o.notes = 0
	return items, o.closed
}

// refused takes a written refusal off the account.
func (o *outbox) refused(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refusals -= n
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
