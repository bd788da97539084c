package adapter

import (
	"context"
	"strconv"
	"sync"
)

// mostFunctions is how many functions' values are remembered, to tell which have changed at the next stop.
const mostFunctions = 64

// stopLocals are the locals of the newest stop that an answer had. Any goroutine may use them.
type stopLocals struct {
	mu     sync.Mutex
	newest *localsRead
	before map[string]map[string]string // by thread and function: values by name, at the last stop there
}

// localsRead is the read of the locals of one stop.
type localsRead struct {
	seq     uint64
	over    chan struct{} // closed when shown and omitted are set
	shown   Locals        // nil when they could not be read
	omitted int
}

// begin returns the read of a stop; mine says that the caller has to make it. It returns nil for a stop before the
// newest one.
func (l *stopLocals) begin(seq uint64) (r *localsRead, mine bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.newest == nil || l.newest.seq < seq:
		l.newest = &localsRead{seq: seq, over: make(chan struct{})}
		return l.newest, true
	case l.newest.seq == seq:
		return l.newest, false
	}
	return nil, false
}

// kept returns the read of a stop when it is over, else nil.
func (l *stopLocals) kept(seq uint64) *localsRead {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.newest != nil && l.newest.seq == seq {
		select {
		case <-l.newest.over:
			return l.newest
		default:
		}
	}
	return nil
}

// forget drops what was read when values may have changed although the program has not run.
func (l *stopLocals) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.newest = nil
}

// remember replaces the values of a function in a thread, and returns those of the last stop there.
func (l *stopLocals) remember(thread int, function string, now map[string]string) (before map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := strconv.Itoa(thread) + " " + function
	before = l.before[key]
	if l.before == nil || before == nil && len(l.before) >= mostFunctions {
		l.before = map[string]map[string]string{}
	}
	l.before[key] = now
	return before
}

// with returns the stop with the locals that were read.
func (stop *Stop) with(r *localsRead) *Stop {
	if r == nil || r.shown == nil {
		return stop
	}
	full := *stop
	full.Locals, full.LocalsOmitted = r.shown, r.omitted
	return &full
}

// WithLocals returns a stop with the arguments and locals of its frame. They are read once for each stop, in
// LocalsTimeout at most. The stop has none when that fails or the program is resumed meanwhile. stop may be nil.
func (s *Session) WithLocals(ctx context.Context, stop *Stop) *Stop {
	if stop == nil {
		return nil
	}
	r, mine := s.inspection.locals.begin(stop.Seq)
	switch {
	case mine:
		defer close(r.over)
		r.shown, r.omitted = s.readLocals(ctx, stop)
	case r != nil:
		<-r.over
	}
	return stop.with(r)
}

// KeptLocals returns a stop with its locals when an answer has had them. It never waits. stop may be nil.
func (s *Session) KeptLocals(stop *Stop) *Stop {
	if stop == nil {
		return nil
	}
	return stop.with(s.inspection.locals.kept(stop.Seq))
}

// readLocals reads the locals of the frame that a stop names. They are nil when that fails. Other calls get them too,
// so the end of the caller's request does not end the read.
func (s *Session) readLocals(ctx context.Context, stop *Stop) (shown Locals, omitted int) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.manager.opts.LocalsTimeout)
	defer cancel()
	v, end, err := s.view(ctx)
	if err != nil {
		return nil, 0
	}
	defer end()
	v.plain = true
	if v.seq() != stop.Seq || v.choose(stop.ThreadID, stop.FrameIndex) != nil {
		return nil, 0
	}
	l, err := v.scoped("all")
	if err != nil {
		return nil, 0
	}
	items, err := l.at(0, l.total)
	if err != nil {
		return nil, 0
	}
	all := make([]Local, len(items))
	for i, it := range items {
		x := v.show(it)
		all[i] = Local{it.name, localText(x, it.Variable, s.profile.Language), x.Value}
	}
	before := s.inspection.locals.remember(stop.ThreadID, v.here.Name, valuesOf(all))
	return shownLocals(all, before)
}
