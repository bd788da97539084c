package mcpserver

import (
	"container/list"
	"context"
	"sync"
)

// What calls hold of the budget, in bytes.
const (
	answerBytes  = 4 << 20         // the largest answer on the wire
	buildBytes   = 2 * answerBytes // while an answer is built: its line, and what the line is made from
	lookBytes    = 512 << 10       // a call that holds a page of values while it waits to build its answer
	listBytes    = 256 << 10       // the lists of the protocol
	startBytes   = 16 << 10        // every running call
	keptBytes    = 512             // kept in addition to the bytes of a request or an answer
	unwrittenMax = 32 << 20        // StdioOptions.AnswerBytes
	requestsMax  = 16 << 20        // StdioOptions.RequestBytes
)

// budget bounds the memory of the answers of all clients, from before they are built until they are written. It is a
// weighted semaphore. The waiting calls of one client are served first come, first served; among waiting clients, the
// one that holds least goes first.
//
// A client may always build one answer and start a few calls, however much others hold. So no client starves another,
// and calls that only wait for the program cannot block the call that would end their wait.
type budget struct {
	limit int

	mu      sync.Mutex
	used    int
	waiting map[*account]struct{}
}

// account is one client's part of the budget. The budget's lock guards its fields.
type account struct {
	budget      *budget
	maxRequests int

	used     int // by all calls
	answers  int // calls that build an answer, or whose answer is not yet written
	requests int // bytes of requests that were read and whose calls have not ended
	closed   bool
	builds   list.List // of *hold: running calls that wait to build
	starts   list.List // of *hold: calls that wait to start
}

// hold is one call's part of the budget. The zero hold has no account and is never refused.
type hold struct {
	account *account
	request int // bytes, in account.requests
	bytes   int
	answer  bool // counted in account.answers

	// While it waits:
	want  claim
	ready func(ok bool)
	queue *list.List
	place *list.Element
}

// claim is what a call wants to hold. answer is true when the call wants to build its answer, not only to start.
type claim struct {
	bytes  int
	answer bool
}

// building is the claim of a call that builds its answer.
var building = claim{buildBytes, true}

func newBudget(limit int) *budget {
	return &budget{limit: limit, waiting: map[*account]struct{}{}}
}

func (b *budget) open(maxRequests int) *account { return &account{budget: b, maxRequests: maxRequests} }

// take counts a request. It refuses one beyond the limit, except a single large request beside ordinary traffic.
func (h *hold) take(bytes int) bool {
	a := h.account
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	if a.requests+bytes > a.maxRequests && a.requests > a.maxRequests/16 {
		return false
	}
	a.requests += bytes
	h.request += bytes
	return true
}

// give uncounts the request. settle and release do so too: a client that has read the answer finds the room free.
func (h *hold) give() {
	a := h.account
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	a.requests -= h.request
	h.request = 0
}

// close refuses waiting calls and all later ones.
func (a *account) close() {
	var refused []*hold
	a.budget.mu.Lock()
	a.closed = true
	for _, queue := range []*list.List{&a.builds, &a.starts} {
		for queue.Len() > 0 {
			h := queue.Front().Value.(*hold)
			h.leave()
			refused = append(refused, h)
		}
	}
	a.budget.mu.Unlock()
	for _, h := range refused {
		h.ready(false)
	}
}

// start claims what a call needs before it runs, and reports true when the call may run at once. Otherwise it calls
// ready later, with false when the account is closed. ready must not wait; when called with true it must not use the
// budget.
func (h *hold) start(want claim, ready func(ok bool)) bool {
	b := h.account.budget
	b.mu.Lock()
	if h.account.closed {
		b.mu.Unlock()
		ready(false)
		return false
	}
	defer b.mu.Unlock()
	return h.claim(want, &h.account.starts, ready)
}

// await claims more and waits for it. When it cannot get it, it returns an error.
func (h *hold) await(ctx context.Context, want claim) error {
	if h.account == nil {
		return nil
	}
	b := h.account.budget
	b.mu.Lock()
	if h.account.closed {
		b.mu.Unlock()
		return errClosing
	}
	if h.bytes >= want.bytes && (h.answer || !want.answer) {
		b.mu.Unlock()
		return nil
	}
	queue := &h.account.builds
	if h.bytes == 0 {
		queue = &h.account.starts
	}
	got := make(chan bool, 1)
	if h.claim(want, queue, func(ok bool) { got <- ok }) {
		b.mu.Unlock()
		return nil
	}
	b.mu.Unlock()
	select {
	case ok := <-got:
		if !ok {
			return errClosing
		}
		return nil
	case <-ctx.Done():
		h.withdraw()
		return ctx.Err()
	}
}

// claim needs the lock held.
func (h *hold) claim(want claim, queue *list.List, ready func(ok bool)) bool {
	h.want, h.queue = want, queue
	a := h.account
	if queue.Len() == 0 && a.builds.Len() == 0 && a.fits(h) {
		h.grant()
		return true
	}
	h.ready, h.place = ready, queue.PushBack(h)
	if len(a.budget.waiting) == 0 {
		memory.short(true)
	}
	a.budget.waiting[a] = struct{}{}
	a.budget.dispatch() // it may be the client's first, which is always allowed
	return false
}

// fits reports whether h, a waiting call of the account, can have what it wants.
func (a *account) fits(h *hold) bool {
	more := max(h.want.bytes-h.bytes, 0)
	return a.budget.used+more <= a.budget.limit ||
		a.used == 0 || a.used+more <= a.budget.limit/32 ||
		h.want.answer && a.answers == 0
}

// grant needs the lock held.
func (h *hold) grant() {
	a := h.account
	more := max(h.want.bytes-h.bytes, 0)
	h.bytes += more
	a.used += more
	a.budget.used += more
	if h.want.answer && !h.answer {
		h.answer = true
		a.answers++
	}
}

// leave removes a hold from its queue. It needs the lock held.
func (h *hold) leave() {
	h.queue.Remove(h.place)
	h.place = nil
	if a := h.account; a.builds.Len()+a.starts.Len() == 0 {
		delete(a.budget.waiting, a)
		if len(a.budget.waiting) == 0 {
			memory.short(false)
		}
	}
}

// dispatch resumes the calls that fit now. It needs the lock held.
func (b *budget) dispatch() {
	for {
		var next *hold
		for a := range b.waiting {
			queue := &a.builds // first: they end, and free what the others wait for
			if queue.Len() == 0 {
				queue = &a.starts
			}
			h := queue.Front().Value.(*hold)
			if a.fits(h) && (next == nil || a.used < next.account.used) {
				next = h
			}
		}
		if next == nil {
			return
		}
		next.leave()
		next.grant()
		next.ready(true)
	}
}

// withdraw stops waiting.
func (h *hold) withdraw() {
	b := h.account.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.place != nil {
		h.leave()
		b.dispatch()
	}
}

// withdrawStart withdraws a call that has not started. It reports false when the call has started.
func (h *hold) withdrawStart() bool {
	b := h.account.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.place == nil || h.queue != &h.account.starts {
		return false
	}
	h.leave()
	b.dispatch()
	return true
}

// settle sets the size of the finished answer, in bytes. From here on the answer counts as unwritten.
func (h *hold) settle(bytes int) { h.become(bytes, true) }

// release returns everything: the answer is written, or there is none.
func (h *hold) release() { h.become(0, false) }

func (h *hold) become(bytes int, answer bool) {
	a := h.account
	if a == nil {
		return
	}
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	a.requests -= h.request
	h.request = 0
	a.used += bytes - h.bytes
	b.used += bytes - h.bytes
	h.bytes = bytes
	if answer != h.answer {
		h.answer = answer
		if answer {
			a.answers++
		} else {
			a.answers--
		}
	}
	b.dispatch()
}
