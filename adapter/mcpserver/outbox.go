package mcpserver

import (
	"fmt"
	"sync"

	"breakwire/adapter/mcpserver/jsonrpc"
)

// noteBytes limits the bytes of the notifications in the outbox. There is at most one for each resource and each
// waiting call, so the limit is not reached in practice.
const noteBytes = 1 << 20

// refuseBytes limits the bytes of refusals that wait to be written.
const refuseBytes = 1 << 20

// item is one line that waits to be written.
type item struct {
	line []byte // with its newline
	tag  uint64 // the journal's last seq when it was queued: events up to it are written first
	call *call  // the call of this response or progress, nil for none
	note bool   // a notification, not a response
	no   bool   // a refusal: the response to a request that was not accepted
	open bool   // nothing to write: from here on the client gets notifications
}

// outbox is the queue of the writer: responses, and notifications that are not in the journal. Adding an item never
// waits. The budget limits the responses of calls, and refuseBytes those of refused requests. Of the notifications
// with one key only the newest is kept.
type outbox struct {
	wake chan struct{} // holds a token when there is something new

	mu       sync.Mutex
	items    []item
	keys     map[string]int // keys of the notifications in items, with their index
	notes    int            // bytes of notifications in items
	refusals int            // bytes of refusals not yet written
	dropped  int            // refusals for which there was no room
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

// refuse queues the response to a request that was not accepted. When the client leaves too many unread, further ones
// are only counted, and one line reports their number.
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

// open marks the place, after the responses already queued, from which on the client gets notifications.
func (o *outbox) open() {
	o.mu.Lock()
	o.items = append(o.items, item{open: true})
	o.mu.Unlock()
	o.signal()
}

// notify queues a notification. It replaces a queued one with the same key. It reports false when it drops the
// notification because the client does not read.
func (o *outbox) notify(key string, line []byte, tag uint64, c *call) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i, ok := o.keys[key]; ok && key != "" {
		o.notes += len(line) - len(o.items[i].line)
		o.items[i].line = line // the item keeps its place and its tag
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

// take returns all items. spare, emptied, becomes the next queue.
func (o *outbox) take(spare []item) (items []item, closed bool) {
	clear(spare)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dropped > 0 && o.refusals < refuseBytes/2 {
		line := (&jsonrpc.Error{Code: jsonrpc.TooManyRequests, Message: fmt.Sprintf(
			"%d more requests were refused, whose ids are not kept: too many refusals were not read", o.dropped)}).Line()
		o.items = append(o.items, item{line: line, no: true})
		o.refusals, o.dropped = o.refusals+len(line), 0
	}
	items, o.items = o.items, spare[:0]
	clear(o.keys)
	o.notes = 0
	return items, o.closed
}

// refused subtracts a written refusal of n bytes.
func (o *outbox) refused(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refusals -= n
}

// close makes the writer end once it has written everything.
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
