package mcpserver

import (
	"fmt"
	"sync"

	"breakwire/adapter"
)

// handles are the ids that the older protocol has for what the tools name by thread, index and path: frame-N and
// var-ref-N. They belong to the stop at which they were given. After it they are refused, and never given again.
type handles struct {
	mu       sync.Mutex
	frames   table[frameRef]
	vars     table[varRef]
	selected frameRef // the thread that debug.selectThread chose; its frame counts for nothing
}

// frameRef is a frame of a stop.
type frameRef struct {
	session string
	stop    uint64 // seq of the stop
	thread  int
	index   int
}

// varRef is a value with children in a frame.
type varRef struct {
	frameRef
	path string
}

// table gives out ids. The same value has the same id.
type table[T comparable] struct {
	next int
	ids  map[T]string
	byID map[string]T
}

func (t *table[T]) id(prefix string, of T) string {
	if id, ok := t.ids[of]; ok {
		return id
	}
	if t.ids == nil {
		t.ids, t.byID = map[T]string{}, map[string]T{}
	}
	t.next++
	id := fmt.Sprintf("%s%d", prefix, t.next)
	t.ids[of], t.byID[id] = id, of
	return id
}

// forget drops all that does not belong to a stop.
func (t *table[T]) forget(stale func(T) bool) {
	for of, id := range t.ids {
		if stale(of) {
			delete(t.ids, of)
			delete(t.byID, id)
		}
	}
}

// frame gives a frame its id. Those of earlier stops of the session are dropped.
func (h *handles) frame(f frameRef) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	stale := func(old frameRef) bool { return old.session == f.session && old.stop != f.stop }
	h.frames.forget(stale)
	h.vars.forget(func(v varRef) bool { return stale(v.frameRef) })
	return h.frames.id("frame-", f)
}

// variable gives a value its id.
func (h *handles) variable(v varRef) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.vars.id("var-ref-", v)
}

// frameOf finds a frame that belongs to the session's current stop.
func (h *handles) frameOf(session *adapter.Session, id string) (frameRef, error) {
	h.mu.Lock()
	f, ok := h.frames.byID[id]
	h.mu.Unlock()
	if !ok || !current(session, f) {
		return frameRef{}, adapter.Errorf(adapter.InvalidFrame,
			"%s is not a frame of this stop: ids end when the program goes on; ask debug.getStackTrace", clip(id)).
			With("frameId", id)
	}
	return f, nil
}

// variableOf finds a value that belongs to the session's current stop.
func (h *handles) variableOf(session *adapter.Session, id string) (varRef, error) {
	h.mu.Lock()
	v, ok := h.vars.byID[id]
	h.mu.Unlock()
	if !ok || !current(session, v.frameRef) {
		return varRef{}, adapter.Errorf(adapter.InvalidParameter,
			"%s is not a value of this stop: ids end when the program goes on; ask debug.getVariables", clip(id)).
			With("variablesReference", id)
	}
	return v, nil
}

// current tells whether a frame's stop is still the session's.
func current(session *adapter.Session, f frameRef) bool {
	stop := session.Snapshot().Stop
	return stop != nil && f.session == session.ID() && f.stop == stop.Seq
}

// choose makes a thread of this stop the one that is meant when none is named.
func (h *handles) choose(f frameRef) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.selected = f
}

// chosen is the thread that is meant when none is named: the selected one, else the stopped one; 0 while the program
// runs.
func (h *handles) chosen(session *adapter.Session) int {
	h.mu.Lock()
	f := h.selected
	h.mu.Unlock()
	if current(session, f) {
		return f.thread
	}
	if stop := session.Snapshot().Stop; stop != nil {
		return stop.ThreadID
	}
	return 0
}
