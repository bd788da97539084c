package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"breakwire/adapter/journal"
	"breakwire/adapter/mcpserver/jsonrpc"
)

const (
	// A batch of flushBytes is written although there is more.
	flushBytes = 64 << 10
	// eventBatch is how many events are taken from the journal at once.
	eventBatch = 256
)

// writer is the goroutine that owns the output. It takes events from the journal, notifications from mcp-go's
// channel, and everything else from the outbox. The package comment describes the order.
type writer struct {
	out    io.Writer
	client *Client
	calls  *calls
	outbox *outbox
	cursor *journal.Cursor
	last   func() uint64
	render func(c *Client, dst []byte, e *journal.Entry, missed uint64) []byte
	log    *slog.Logger

	stop <-chan struct{}   // closed to end run; nil on stdio
	idle func(seen uint64) // called when everything up to seen is written; nil on stdio

	buf      []byte
	entries  []journal.Entry
	examined uint64 // the cursor's position
	missed   uint64 // lost, and not yet reported
	pending  uint64 // the last event that is in buf or written
	sent     uint64 // the last event that is written
	spare    []item

	progress atomic.Uint64 // rises before and after each write; an odd value means that a write is under way
}

// errStopped is the error of a run that was stopped. The next writer writes the rest.
var errStopped = errors.New("the stream was stopped")

// run writes until the outbox is closed and everything is written, it is stopped, or a write fails.
func (w *writer) run() error {
	w.entries = make([]journal.Entry, 0, eventBatch)
	gate := w.client.gate
	for {
		seen := w.last()
		items, closed := w.outbox.take(w.spare)
		// After take: what a call sent through the library before its answer is in the channel now.
		moved := w.notes() || len(items) > 0
		for i := range items {
			if err := w.item(&items[i]); err != nil {
				return err
			}
		}
		w.spare = items
		if closed {
			if err := w.eventsUpTo(w.last()); err != nil {
				return err
			}
			return w.flush()
		}
		got, err := w.events()
		if err != nil {
			return err
		}
		if moved || got {
			continue
		}
		if err := w.flush(); err != nil {
			return err
		}
		if w.idle != nil {
			w.idle(seen)
		}
		var ready <-chan struct{}
		var notes <-chan mcp.JSONRPCNotification
		if w.client.isOpen() {
			ready, notes, gate = w.cursor.Ready(), w.client.notes, nil
		}
		select {
		case <-w.outbox.wake:
		case <-ready:
		case <-gate:
		case n := <-notes:
			w.note(n)
		case <-w.stop:
			return errStopped
		}
	}
}

// item writes an item of the outbox, after the events that precede it.
func (w *writer) item(it *item) error {
	if it.open {
		w.client.Open()
		return nil
	}
	if err := w.eventsUpTo(it.tag); err != nil {
		return err
	}
	if it.note {
		if it.call != nil && w.calls.isOver(it.call) {
			return nil // progress of a call that was answered or cancelled
		}
		return w.line(it.line)
	}
	if it.no {
		defer w.outbox.refused(len(it.line))
	}
	if c := it.call; c != nil {
		defer c.hold.release()
		if !w.calls.commit(c) {
			return nil
		}
		// Before the bytes are sent: the client's next request must find the cursor moved.
		w.client.Deliver(c.told())
		if c.opens {
			defer w.client.Open()
		}
	}
	return w.line(it.line)
}

// line adds a line to the batch. A long line is written directly, without a copy.
func (w *writer) line(line []byte) error {
	if len(w.buf)+len(line) > flushBytes {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if len(line) > flushBytes {
		return w.write(line)
	}
	w.buf = append(w.buf, line...)
	return nil
}

// eventsUpTo writes the events with a seq up to tag, and maybe more.
func (w *writer) eventsUpTo(tag uint64) error {
	for w.examined < tag {
		got, err := w.events()
		if err != nil || !got {
			return err
		}
	}
	return nil
}

// events writes a batch of events if the client is ready for events, and reports whether there were any.
func (w *writer) events() (bool, error) {
	if !w.client.isOpen() {
		return false, nil
	}
	got, missed := w.cursor.Next(w.entries[:0])
	w.examined = w.cursor.Examined()
	w.missed += missed
	for i := range got {
		w.event(&got[i])
		if len(w.buf) >= flushBytes {
			if err := w.flush(); err != nil {
				return true, err
			}
		}
	}
	clear(got) // the entries may point to large values, and this buffer lives long
	return len(got) > 0, nil
}

func (w *writer) event(e *journal.Entry) {
	before := len(w.buf)
	defer func() {
		if r := recover(); r != nil {
			w.buf = w.buf[:before]
			w.log.Error("panic in a notification", "seq", e.Seq, "type", e.Type, "panic", r, "stack", string(debug.Stack()))
		}
	}()
	if buf := w.render(w.client, w.buf, e, w.missed); len(buf) > before {
		w.buf = append(buf, '\n')
		w.missed = 0
		w.pending = e.Seq
	}
}

// notes writes the notifications that mcp-go has put into the client's channel.
func (w *writer) notes() (any bool) {
	if !w.client.isOpen() {
		return false
	}
	for {
		select {
		case n := <-w.client.notes:
			w.note(n)
			any = true
		default:
			return any
		}
	}
}

func (w *writer) note(n mcp.JSONRPCNotification) {
	switch n.Method {
	case mcp.MethodNotificationResourcesListChanged, mcp.MethodNotificationToolsListChanged,
		mcp.MethodNotificationPromptsListChanged:
		for _, line := range w.client.listChanged(n.Method) {
			w.buf = append(w.buf, line...)
		}
		return
	}
	line, err := jsonrpc.Marshal(n)
	if err != nil {
		w.log.Error("encode notification", "method", n.Method, "error", err)
		return
	}
	w.buf = append(append(w.buf, line...), '\n')
	if n.Method == mcp.MethodNotificationSubscriptionsAcknowledged {
		id, _ := json.Marshal(n.Params.Meta[mcp.MetaKeySubscriptionID])
		key, _ := jsonrpc.IDKey(id)
		for _, line := range w.client.acknowledge(key) {
			w.buf = append(w.buf, line...)
		}
	}
}

func (w *writer) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	err := w.write(w.buf)
	w.buf = w.buf[:0]
	if cap(w.buf) > 4*flushBytes {
		w.buf = nil
	}
	return err
}

// stuck reports whether the client has read nothing since progress had the value since, while there was something to
// read.
func (w *writer) stuck(since uint64) bool { return since%2 == 1 && w.progress.Load() == since }

func (w *writer) write(p []byte) error {
	w.progress.Add(1)
	_, err := w.out.Write(p)
	w.progress.Add(1)
	if err != nil {
		return fmt.Errorf("write to the client: %w", err)
	}
	w.sent = max(w.sent, w.pending)
	return nil
}
