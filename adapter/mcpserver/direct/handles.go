package direct

import (
	"fmt"
	"sync"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/toolargs"
)

// handles are the ids frame-N and var-ref-N of the older protocol, for what the tools name by thread, index and path.
// They are valid during the stop at which they were given. Later they are refused, and they are never given again.
type handles struct {
	mu       sync.Mutex
	frames   table[frameRef]
	vars     table[varRef]
	selected frameRef // the thread that debug.selectThread chose; its frame is not used
}

// frameRef is a frame at a stop.
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

// table assigns ids. Equal values get the same id.
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

// forget removes the values for which stale returns true.
func (t *table[T]) forget(stale func(T) bool) {
	for of, id := range t.ids {
		if stale(of) {
			delete(t.ids, of)
			delete(t.byID, id)
		}
	}
}

// frame returns the id of a frame. It removes the frames of earlier stops of the session.
func (h *handles) frame(f frameRef) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	stale := func(old frameRef) bool { return old.session == f.session && old.stop != f.stop }
	h.frames.forget(stale)
	h.vars.forget(func(v varRef) bool { return stale(v.frameRef) })
	return h.frames.id("frame-", f)
}

// variable returns the id of a value.
func (h *handles) variable(v varRef) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.vars.id("var-ref-", v)
}

// frameOf returns a frame by its id, if it belongs to the session's current stop.
func (h *handles) frameOf(session *adapter.Session, id string) (frameRef, error) {
	h.mu.Lock()
	f, ok := h.frames.byID[id]
	h.mu.Unlock()
	if !ok || !current(session, f) {
		return frameRef{}, fault.Errorf(fault.InvalidFrame,
			"%s is not a frame of this stop: ids end when the program goes on; ask debug.getStackTrace", toolargs.Clip(id)).
			With("frameId", id)
	}
	return f, nil
}

// variableOf returns a value by its id, if it belongs to the session's current stop.
func (h *handles) variableOf(session *adapter.Session, id string) (varRef, error) {
	h.mu.Lock()
	v, ok := h.vars.byID[id]
	h.mu.Unlock()
	if !ok || !current(session, v.frameRef) {
		return varRef{}, fault.Errorf(fault.InvalidParameter,
			"%s is not a value of this stop: ids end when the program goes on; ask debug.getVariables", toolargs.Clip(id)).
			With("variablesReference", id)
	}
	return v, nil
}

// current reports whether a frame belongs to the session's current stop.
func current(session *adapter.Session, f frameRef) bool {
	stop := session.Snapshot().Stop
	return stop != nil && f.session == session.ID() && f.stop == stop.Seq
}

// choose makes a thread of this stop the default for methods that name none.
func (h *handles) choose(f frameRef) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.selected = f
}

// chosen returns the default thread: the selected one, else the stopped one, 0 while the program runs.
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
