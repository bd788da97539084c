package mcpserver

import (
	"container/list"
	"context"
	"sync"
)

// What calls hold of the budget, in bytes.
const (
	answerBytes  = 4 << 20         // the most that one answer has on the wire
	buildBytes   = 2 * answerBytes // while an answer is built: its line, and what the line is made of
	lookBytes    = 512 << 10       // a call that holds a page of values while it waits for its turn to build
	listBytes    = 256 << 10       // the lists of the protocol
	startBytes   = 16 << 10        // every call that runs
	keptBytes    = 512             // what is kept beside the bytes of a request or an answer
	unwrittenMax = 32 << 20        // StdioOptions.AnswerBytes
	requestsMax  = 16 << 20        // StdioOptions.RequestBytes
)

// budget bounds what the answers of all clients take, from before they are built until they are written. It is a
// weighted semaphore: what does not fit waits, first come first served among the calls of one client. Of several
// clients that wait, the one that holds least goes first.
//
// A client may always build one answer, and start a few calls, however much others hold. So no client starves
// another, and calls that only wait for the program cannot hold up the one that would let them end.
type budget struct {
	limit int

	mu      sync.Mutex
	used    int
	waiting map[*account]struct{}
}

// account is the part of one client. Its fields belong to the budget's lock.
type account struct {
	budget      *budget
	maxRequests int

	used     int // by all calls
	answers  int // calls that build an answer, or whose answer is not yet written
	requests int // bytes of requests that have been read, and whose calls have not ended
	closed   bool
	builds   list.List // of *hold: calls that run, and wait to build
	starts   list.List // of *hold: calls that wait to start
}

// hold is what one call has of the budget. The zero hold, without an account, is never refused anything.
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

// claim is what a call wants to hold. The answer is to be built with it, not only the call to be started.
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

// take counts a request in. One that is beyond the limit is refused, but a single large one passes beside ordinary
// traffic.
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

// give counts the request out. settle and release do it too: who has read the answer finds its place free.
func (h *hold) give() {
	a := h.account
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	a.requests -= h.request
	h.request = 0
}

// close refuses what waits, and all that comes later.
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

// start claims what a call needs before it runs, and reports true when it may run at once. Else ready is told later,
// with false when the account is closed. It must not wait, and with true it must not use the budget.
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

// await claims more, or waits for it. A call that cannot have it ends with an error.
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

// claim is called with the lock held.
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
	a.budget.dispatch() // it may be the first of its client, which has a right to one
	return false
}

// fits reports whether a call of the account can have what it waits for.
func (a *account) fits(h *hold) bool {
	more := max(h.want.bytes-h.bytes, 0)
	return a.budget.used+more <= a.budget.limit ||
		a.used == 0 || a.used+more <= a.budget.limit/32 ||
		h.want.answer && a.answers == 0
}

// grant is called with the lock held.
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

// leave takes a hold out of its queue. It is called with the lock held.
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

// dispatch lets go on what fits now. It is called with the lock held.
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

// withdraw gives up waiting.
func (h *hold) withdraw() {
	b := h.account.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.place != nil {
		h.leave()
		b.dispatch()
	}
}

// withdrawStart gives up a call that has not started. It reports false when it has.
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

// settle says how large the answer has become. It counts as unwritten from here on.
func (h *hold) settle(bytes int) { h.become(bytes, true) }

// release gives everything back: the answer is written, or there is none.
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
