package mcpserver

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"breakwire/adapter"
	"breakwire/adapter/journal"
)

// updateInterval is the least time between two updates of one resource for one client.
const updateInterval = 250 * time.Millisecond

// subscriber is a client with subscriptions.
type subscriber interface {
	// Subscriptions returns the subscribed URIs, each with the journal's last seq at that time.
	Subscriptions() map[string]uint64
	// Updated sends an update. It must not wait.
	Updated(uri string)
}

// pump notifies subscribers of changed resources. It has one cursor on the journal and one goroutine for all of them;
// the goroutine runs while there is a client. Without subscriptions the cursor is closed.
//
// Each journal entry changes resources of certain kinds. A subscriber is notified at once if its last update of that
// resource is old enough, else as soon as it is. The state changes before its entry is written, so a client that
// reads after each update has read the last state.
type pump struct {
	manager *adapter.Manager
	nudge   chan struct{} // holds a token when sessions or subscriptions have changed

	mu      sync.Mutex
	clients map[subscriber]struct{}
	stop    chan struct{} // nil while the goroutine does not run
	ended   chan struct{}
}

func newPump(m *adapter.Manager) *pump {
	return &pump{manager: m, nudge: make(chan struct{}, 1), clients: map[subscriber]struct{}{}}
}

// attach adds a client and detach removes it. Removing the last one waits for the end of the goroutine.
func (p *pump) attach(c subscriber) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clients[c] = struct{}{}
	if p.stop == nil {
		p.stop, p.ended = make(chan struct{}), make(chan struct{})
		go p.run(p.stop, p.ended)
	}
	p.wake()
}

func (p *pump) detach(c subscriber) {
	p.mu.Lock()
	delete(p.clients, c)
	var ended chan struct{}
	if len(p.clients) == 0 && p.stop != nil {
		close(p.stop)
		ended = p.ended
		p.stop = nil
	}
	p.mu.Unlock()
	if ended != nil {
		<-ended
	}
}

// wake makes the pump read sessions and subscriptions again.
func (p *pump) wake() {
	select {
	case p.nudge <- struct{}{}:
	default:
	}
}

// subscription is one URI of one client.
type subscription struct {
	resource
	since  uint64    // changes up to here are not reported
	sent   time.Time // time of the last update
	dirty  bool
	client subscriber
	uri    string
}

type subscriptionKey struct {
	client subscriber
	uri    string
}

// round is the state of the pump's goroutine.
type round struct {
	p      *pump
	cursor *journal.Cursor // nil without subscriptions
	buf    []journal.Entry
	subs   map[subscriptionKey]*subscription
	oldest string            // the session that URIs without a session mean
	totals map[string]uint64 // hit counts by session
}

func (p *pump) run(stop, ended chan struct{}) {
	defer close(ended)
	r := &round{p: p, buf: make([]journal.Entry, 0, eventBatch), subs: map[subscriptionKey]*subscription{},
		totals: map[string]uint64{}}
	defer r.close()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		r.refresh()
		more := r.drain()
		counting := r.countsMove()
		wait, pending := r.send(time.Now())
		if more {
			select {
			case <-stop:
				return
			default:
				continue
			}
		}
		if counting {
			wait, pending = min(wait, updateInterval), true
		}
		var ready <-chan struct{}
		if r.cursor != nil {
			ready = r.cursor.Ready()
		}
		var due <-chan time.Time
		if pending {
			timer.Reset(wait)
			due = timer.C
		}
		select {
		case <-stop:
			return
		case <-p.nudge:
		case <-ready:
		case <-due:
		}
	}
}

func (r *round) close() {
	if r.cursor != nil {
		r.cursor.Close()
		r.cursor = nil
	}
}

// refresh reads the clients' current subscriptions and which session is the oldest.
func (r *round) refresh() {
	r.p.mu.Lock()
	clients := make([]subscriber, 0, len(r.p.clients))
	for c := range r.p.clients {
		clients = append(clients, c)
	}
	r.p.mu.Unlock()
	var read uint64 // the seq up to which the journal has been read for the subscriptions so far
	if r.cursor != nil {
		read = r.cursor.Examined()
	}
	next := make(map[subscriptionKey]*subscription, len(r.subs))
	first := uint64(math.MaxUint64) // the seq at which the earliest of the new subscriptions was made
	for _, c := range clients {
		for uri, since := range c.Subscriptions() {
			key := subscriptionKey{c, uri}
			sub := r.subs[key]
			if sub == nil {
				what, err := parseURI(uri)
				if err != nil {
					continue // not one of our URIs: it never changes
				}
				sub = &subscription{resource: what, client: c, uri: uri, since: since}
				first = min(first, since)
			} else {
				sub.since = max(sub.since, read)
			}
			next[key] = sub
		}
	}
	r.subs = next
	oldest := ""
	if live := r.p.manager.Live(); len(live) > 0 {
		oldest = live[0].ID()
	}
	began := false
	switch {
	case len(next) == 0:
		r.close()
	case r.cursor == nil:
		r.cursor, began = r.p.manager.Journal().Cursor(first, journal.Filter{}), true
		clear(r.totals)
	case first < read: // the last batch was read without a subscription that it concerns: read it again for that one
		r.close()
		r.cursor = r.p.manager.Journal().Cursor(first, journal.Filter{})
	}
	if oldest != r.oldest && oldest != "" && !(began && r.oldest == "") {
		for _, sub := range r.subs {
			// it means another session now, even for a subscription made just before
			sub.dirty = sub.dirty || sub.session == ""
		}
	}
	if oldest != "" || r.cursor == nil {
		r.oldest = oldest // the last entries of an ended session may still be unread
	}
}

// drain reads a batch of the journal, and reports whether there may be more.
func (r *round) drain() (more bool) {
	if r.cursor == nil {
		return false
	}
	got, missed := r.cursor.Next(r.buf[:0])
	for i := range got {
		e := &got[i]
		for _, sub := range r.subs {
			if !sub.dirty && e.Seq > sub.since && r.concerns(sub, e) {
				sub.dirty = true
			}
		}
	}
	if missed > 0 { // entries that were dropped unread may have changed anything
		for _, sub := range r.subs {
			sub.dirty = sub.dirty || sub.kind != kindSource
		}
	}
	clear(got)
	return len(got) == cap(r.buf)
}

// concerns reports whether an entry changes the resource of a subscription.
func (r *round) concerns(sub *subscription, e *journal.Entry) bool {
	session := sub.session
	if session == "" {
		session = r.oldest
	}
	return (e.Session == "" || e.Session == session) && slices.Contains(changedBy(e.Type), sub.kind)
}

// changedBy returns the kinds of resources that an event changes.
func changedBy(event string) []string {
	switch event {
	case journal.TypeState:
		return []string{kindSession, kindThreads, kindEvents}
	case journal.TypeHit, journal.TypeTracepoint, journal.TypeBreakpoint:
		return []string{kindBreakpoints, kindEvents}
	case journal.TypeThread:
		return []string{kindThreads, kindEvents}
	case journal.TypeModule:
		return []string{kindModules, kindEvents}
	case journal.TypeOutput:
		return []string{kindOutput, kindEvents}
	case journal.TypeProcess, journal.TypeError:
		return []string{kindSession, kindEvents}
	}
	return []string{kindEvents}
}

// send sends the updates that are due, and returns the time until the next.
func (r *round) send(now time.Time) (wait time.Duration, pending bool) {
	wait = time.Hour
	for _, sub := range r.subs {
		if !sub.dirty {
			continue
		}
		if left := updateInterval - now.Sub(sub.sent); !sub.sent.IsZero() && left > 0 {
			wait, pending = min(wait, left), true
			continue
		}
		sub.dirty, sub.sent = false, now
		sub.client.Updated(sub.uri)
	}
	return wait, pending
}

// countsMove finds hits that have no entry because a hit filter or a hit condition suppressed them. It reports
// whether the check must be repeated.
func (r *round) countsMove() (again bool) {
	for _, sub := range r.subs {
		if sub.kind != kindBreakpoints {
			continue
		}
		id := sub.session
		if id == "" {
			id = r.oldest
		}
		session, err := r.p.manager.Session(id)
		if err != nil || session.Snapshot().State != adapter.Running {
			continue
		}
		again = true
		total := session.HitTotal()
		if old, known := r.totals[id]; known && old != total {
			for _, other := range r.subs {
				other.dirty = other.dirty || other.kind == kindBreakpoints &&
					(other.session == id || other.session == "" && r.oldest == id)
			}
		}
		r.totals[id] = total
	}
	return again
}

// addSubscriptions follows clients that come, subscribe and go. A Client keeps its own subscriptions; for the
// library's sessions guests keeps them.
func (s *Server) addSubscriptions(hooks *server.Hooks) {
	guests := &guests{server: s, byID: map[string]*guest{}}
	hooks.AddOnRegisterSession(func(_ context.Context, session server.ClientSession) {
		if c, ok := session.(*Client); ok {
			s.pump.attach(c)
		}
	})
	hooks.AddOnUnregisterSession(func(_ context.Context, session server.ClientSession) {
		if c, ok := session.(*Client); ok {
			s.pump.detach(c)
		} else {
			guests.leave(session.SessionID())
		}
	})
	hooks.AddAfterSubscribe(func(ctx context.Context, _ any, request *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		guests.subscribe(ctx, request.Params.URI)
		s.pump.wake()
	})
	hooks.AddAfterUnsubscribe(func(ctx context.Context, _ any, request *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		guests.unsubscribe(ctx, request.Params.URI)
		s.pump.wake()
	})
	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, id any, request *mcp.SubscriptionsListenRequest) {
		guests.listen(ctx, id, request.Params.Notifications.ResourceSubscriptions)
		s.pump.wake()
	})
}
