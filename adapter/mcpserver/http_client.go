package mcpserver

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
)

// errSessionEnded is the cause that ends running calls when their client has gone.
var errSessionEnded = &fault.Error{
	Code: fault.Cancelled, Message: "the call was cancelled before it ended: its MCP session has ended",
}

// tenancy ends when nothing has held it for some time.
type tenancy struct {
	lapse func() // called at the end, on a goroutine of its own

	mu     sync.Mutex
	held   int
	timer  *time.Timer
	over   bool
	rounds int // counts the timers; one of an older round does nothing
}

// hold keeps the tenancy while something is under way.
func (t *tenancy) hold() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held++
	t.disarm()
}

// release undoes hold. When nothing else holds the tenancy, it ends after d.
func (t *tenancy) release(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held--
	t.disarm()
	if t.held > 0 || t.over {
		return
	}
	round := t.rounds
	t.timer = time.AfterFunc(d, func() {
		t.mu.Lock()
		due := round == t.rounds && !t.over
		t.mu.Unlock()
		if due {
			t.lapse()
		}
	})
}

func (t *tenancy) disarm() {
	t.rounds++
	if t.timer != nil {
		t.timer.Stop()
	}
}

// stop prevents the end for good.
func (t *tenancy) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	t.disarm()
}

// httpClient is one MCP session over HTTP: a Client as on stdio, whose lines go to its open GET stream.
type httpClient struct {
	*Client
	account *account
	tenancy tenancy
	life    context.Context
	kill    context.CancelCauseFunc
	start   uint64 // the journal's last seq when it came; earlier events are not for it

	mu      sync.Mutex
	cursor  *journal.Cursor // of its notifications; the open stream reads it
	at      uint64          // all events up to here were put on a stream
	missed  uint64          // lost, and not yet reported to the client
	resumed bool            // a stream was lost; the updates that it had taken are sent again
	stream  *httpStream     // nil while none is open
}

// newClient enters a client, as the library handles its initialize.
// newClient takes the place that admit kept.
func (h *HTTP) newClient() *httpClient {
	box := newOutbox()
	last := h.Journal.LastSeq()
	c := &httpClient{Client: newClient(box, h.Journal.LastSeq), account: h.budget.open(h.RequestBytes), start: last,
		at: last}
	c.Client.id = rand.Text()
	c.cursor = h.Journal.Cursor(last, h.filter())
	c.life, c.kill = context.WithCancelCause(h.closing)
	c.tenancy.lapse = func() {
		h.Log.Info("an MCP session was idle for too long and is ended", "client", c.id)
		h.end(c, errSessionEnded)
	}
	h.mu.Lock()
	h.clients[c.id] = c
	h.joining--
	h.mu.Unlock()
	_ = h.Server.RegisterSession(c.life, c.Client) // cannot fail: the id is random
	return c
}

func (h *HTTP) filter() journal.Filter {
	return journal.Filter{Classes: journal.MaskOf(journal.Control, journal.Trace), Types: h.Types}
}

// clientOf returns the client of a request. It refuses an unknown session with 404, which tells a client to
// initialize again (MCP, Transports, Session Management).
func (h *HTTP) clientOf(w http.ResponseWriter, r *http.Request, id []byte) *httpClient {
	key := r.Header.Get(server.HeaderKeySessionID)
	if key == "" {
		refuse(w, http.StatusBadRequest, id, mcp.INVALID_REQUEST, "no "+server.HeaderKeySessionID+" header: initialize first")
		return nil
	}
	h.mu.Lock()
	c := h.clients[key]
	h.mu.Unlock()
	if c == nil {
		refuse(w, http.StatusNotFound, id, mcp.INVALID_REQUEST, "there is no such MCP session (any more): initialize again")
	}
	return c
}

// end ends a client: its calls, its stream and, through Ended, its debugging sessions.
func (h *HTTP) end(c *httpClient, cause error) {
	h.mu.Lock()
	known := h.clients[c.id] == c
	delete(h.clients, c.id)
	h.mu.Unlock()
	if !known {
		return
	}
	c.tenancy.stop()
	c.kill(cause)
	c.outbox.close() // the stream writes the rest and ends
	if s := c.current(); s != nil {
		timer := time.NewTimer(h.EndGrace)
		select {
		case <-s.ended:
		case <-timer.C:
			s.cut()
			<-s.ended
		}
		timer.Stop()
	}
	h.Server.UnregisterSession(context.WithoutCancel(c.life), c.id)
	c.mu.Lock()
	c.cursor.Close()
	c.mu.Unlock()
	h.lapsed(c.id)
}

// lapsed reports to Ended that a client has gone.
func (h *HTTP) lapsed(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over { // a call that ends late may come after the server's end
		h.background.Go(func() { h.Ended(id) })
	}
}

func (c *httpClient) current() *httpStream {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stream
}

// has reports whether a client with this id exists; "" always does.
func (h *HTTP) has(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return id == "" || h.clients[id] != nil
}

// accountOf returns the account of the client that a request names.
func (h *HTTP) accountOf(r *http.Request) *account {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.clients[r.Header.Get(server.HeaderKeySessionID)]; c != nil {
		return c.account
	}
	return h.shared
}
