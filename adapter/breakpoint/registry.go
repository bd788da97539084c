package breakpoint

import (
	"fmt"
	"slices"
	"sync"

	"breakwire/adapter/fault"
	"breakwire/tracepoints"
)

// Registry holds the logical breakpoints of the process, in the order in which they were set.
type Registry struct {
	mu     sync.Mutex
	nextID int
	list   []*Breakpoint
	byID   map[string]*Breakpoint
}

// NewRegistry returns one without breakpoints.
func NewRegistry() *Registry { return &Registry{byID: map[string]*Breakpoint{}} }

// Lookup returns the current version of a breakpoint, nil when there is none.
func (r *Registry) Lookup(id string) *Breakpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

// Set adds a breakpoint, or changes the settings of one with the same identity. It parses the hit condition and the
// message.
func (r *Registry) Set(spec Spec) (bp *Breakpoint, duplicate bool, err error) {
	bp = &Breakpoint{Spec: spec, Enabled: true}
	if spec.HitCondition != "" {
		hc, err := tracepoints.ParseHitCondition(spec.HitCondition)
		if err != nil {
			return nil, false, fault.Errorf(fault.InvalidCondition, "hit_condition %q: %v", spec.HitCondition, err)
		}
		bp.HitCondition = &hc
	}
	if spec.LogMessage != "" {
		if bp.Template, err = tracepoints.Parse(spec.LogMessage); err != nil {
			return nil, false, fault.Errorf(fault.InvalidParameter, "log_message: %v", err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, old := range r.list {
		if old.Spec.Identity() == spec.Identity() {
			bp.ID = old.ID
			r.list[i], r.byID[bp.ID] = bp, bp
			return bp, true, nil
		}
	}
	r.nextID++
	bp.ID = fmt.Sprintf("%s-%d", prefix(spec.Kind), r.nextID)
	r.list = append(r.list, bp)
	r.byID[bp.ID] = bp
	return bp, false, nil
}

// Same returns the breakpoint that setting spec would change, nil for none.
func (r *Registry) Same(spec Spec) *Breakpoint {
	spec.Real = RealPath(spec.File)
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.list, func(have *Breakpoint) bool { return have.Spec.Identity() == spec.Identity() })
	if i < 0 {
		return nil
	}
	return r.list[i]
}

// Restore gives a breakpoint its earlier settings. It reports false when it has been removed.
func (r *Registry) Restore(bp *Breakpoint) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.index(bp.ID)
	if i >= 0 {
		r.list[i], r.byID[bp.ID] = bp, bp
	}
	return i >= 0
}

func prefix(k Kind) string {
	switch k {
	case Tracepoint:
		return "tp"
	case Exception:
		return "ebp"
	case Watchpoint:
		return "wp"
	}
	return "bp"
}

// Enable sets the state of a breakpoint. It returns the breakpoint and whether the state has changed.
func (r *Registry) Enable(id string, enabled bool) (bp *Breakpoint, changed bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.index(id)
	if i < 0 {
		return nil, false, r.notFound(id)
	}
	old := r.list[i]
	if old.Enabled == enabled {
		return old, false, nil
	}
	next := *old
	next.Enabled = enabled
	r.list[i], r.byID[id] = &next, &next
	return &next, true, nil
}

// Remove removes breakpoints and returns them. id "" means all.
func (r *Registry) Remove(id string, session string) ([]*Breakpoint, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id != "" {
		i := r.index(id)
		if i < 0 {
			return nil, r.notFound(id)
		}
		gone := r.list[i]
		delete(r.byID, id)
		r.list = append(r.list[:i:i], r.list[i+1:]...)
		return []*Breakpoint{gone}, nil
	}
	var kept, gone []*Breakpoint
	for _, bp := range r.list {
		if session == "" || bp.Spec.Session == session {
			gone = append(gone, bp)
			delete(r.byID, bp.ID)
		} else {
			kept = append(kept, bp)
		}
	}
	r.list = kept
	return gone, nil
}

// Get returns a breakpoint by id, or BREAKPOINT_NOT_FOUND with the ids that there are.
func (r *Registry) Get(id string) (*Breakpoint, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.index(id); i >= 0 {
		return r.list[i], nil
	}
	return nil, r.notFound(id)
}

// index returns the position of an id, -1 for none. r.mu is held.
func (r *Registry) index(id string) int {
	for i, bp := range r.list {
		if bp.ID == id {
			return i
		}
	}
	return -1
}

func (r *Registry) notFound(id string) *fault.Error {
	ids := make([]string, len(r.list))
	for i, bp := range r.list {
		ids[i] = bp.ID
	}
	e := fault.Errorf(fault.BreakpointNotFound, "there is no breakpoint %s; breakpoint_list shows the ones there are", id)
	return e.With("breakpointId", id).With("known", ids)
}

// ForSession returns the breakpoints that apply to a session, enabled or not.
func (r *Registry) ForSession(session string) []*Breakpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*Breakpoint
	for _, bp := range r.list {
		if bp.Spec.Session == "" || session == "" || bp.Spec.Session == session {
			out = append(out, bp)
		}
	}
	return out
}
