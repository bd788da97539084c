package adapter

import (
	"fmt"
	"slices"
	"sync"

	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/tracepoints"
)

// Kind is the type of a logical breakpoint.
type Kind string

// Kinds of breakpoints.
const (
	Blocking   Kind = "blocking"
	Tracepoint Kind = "tracepoint"
	Function   Kind = "function"
	Exception  Kind = "exception"
	Watchpoint Kind = "watchpoint"
)

// Spec is what a client asked a breakpoint to be. A Spec is immutable; a change replaces it.
type Spec struct {
	Kind    Kind
	Session string // "" is for all present and future sessions
	File    string // client-side path
	Line    int
	Column  int

	Function string

	ExceptionType   string // full name or "*"
	FirstChance     bool
	SecondChance    bool
	IncludeSubtypes bool

	Condition    string
	HitCondition string
	LogMessage   string // of a tracepoint; "" means no message
	Multiple     int    // hit_count_multiple
	Max          int    // max_notifications
	Strategy     string // auto, native, stop

	Expression string // of a watchpoint, as the client wrote it
	Access     string // write, read, readwrite

	real       string      // File without symbolic links; "" when it is not on this disk
	experiment *experiment // of batch_evaluate: receives the values of its hits
	watch      *inspect.Watched
}

// identity returns the settings that make two breakpoints the same: the place of a blocking one, all settings of a
// tracepoint.
func (s Spec) identity() Spec {
	switch s.Kind {
	case Tracepoint:
		s.real = "" // follows from File
		return s
	case Function:
		return Spec{Kind: s.Kind, Session: s.Session, Function: s.Function}
	case Exception:
		return Spec{Kind: s.Kind, Session: s.Session, ExceptionType: s.ExceptionType}
	}
	if s.Kind == Watchpoint {
		return Spec{Kind: s.Kind, Session: s.Session, Expression: s.watch.Key}
	}
	return Spec{Kind: s.Kind, Session: s.Session, File: s.File, Line: s.Line, Column: s.Column}
}

// traces reports whether hits are logged and do not stop the program.
func (s Spec) traces() bool {
	return s.Kind == Tracepoint || s.Kind == Watchpoint && s.LogMessage != ""
}

// Breakpoint is one logical breakpoint. It has an id and is independent of what a debugger holds. It is immutable; the
// registry holds the current version.
type Breakpoint struct {
	ID      string
	Spec    Spec
	Enabled bool

	hitCondition *tracepoints.HitCondition
	template     *tracepoints.Template
	temporary    bool   // of run_to and entry: never listed, never notified
	stopReason   string // of a temporary one
}

// registry holds the logical breakpoints of the process, in the order in which they were set.
type registry struct {
	mu     sync.Mutex
	nextID int
	list   []*Breakpoint
	byID   map[string]*Breakpoint
}

// lookup returns the current version of a breakpoint, nil when there is none.
func (r *registry) lookup(id string) *Breakpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

// set adds a breakpoint, or changes the settings of one with the same identity. It parses the hit condition and the
// message.
func (r *registry) set(spec Spec) (bp *Breakpoint, duplicate bool, err error) {
	bp = &Breakpoint{Spec: spec, Enabled: true}
	if spec.HitCondition != "" {
		hc, err := tracepoints.ParseHitCondition(spec.HitCondition)
		if err != nil {
			return nil, false, fault.Errorf(fault.InvalidCondition, "hit_condition %q: %v", spec.HitCondition, err)
		}
		bp.hitCondition = &hc
	}
	if spec.LogMessage != "" {
		if bp.template, err = tracepoints.Parse(spec.LogMessage); err != nil {
			return nil, false, fault.Errorf(fault.InvalidParameter, "log_message: %v", err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, old := range r.list {
		if old.Spec.identity() == spec.identity() {
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

// same returns the breakpoint that setting spec would change, nil for none.
func (r *registry) same(spec Spec) *Breakpoint {
	spec.real = realPath(spec.File)
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.list, func(have *Breakpoint) bool { return have.Spec.identity() == spec.identity() })
	if i < 0 {
		return nil
	}
	return r.list[i]
}

// restore gives a breakpoint its earlier settings. It reports false when it has been removed.
func (r *registry) restore(bp *Breakpoint) bool {
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

// enable sets the state of a breakpoint. It returns the breakpoint and whether the state has changed.
func (r *registry) enable(id string, enabled bool) (bp *Breakpoint, changed bool, err error) {
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

// remove removes breakpoints and returns them. id "" means all.
func (r *registry) remove(id string, session string) ([]*Breakpoint, error) {
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

func (r *registry) get(id string) (*Breakpoint, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.index(id); i >= 0 {
		return r.list[i], nil
	}
	return nil, r.notFound(id)
}

// index returns the position of an id, -1 for none. r.mu is held.
func (r *registry) index(id string) int {
	for i, bp := range r.list {
		if bp.ID == id {
			return i
		}
	}
	return -1
}

func (r *registry) notFound(id string) *fault.Error {
	ids := make([]string, len(r.list))
	for i, bp := range r.list {
		ids[i] = bp.ID
	}
	e := fault.Errorf(fault.BreakpointNotFound, "there is no breakpoint %s; breakpoint_list shows the ones there are", id)
	return e.With("breakpointId", id).With("known", ids)
}

// forSession returns the breakpoints that apply to a session, enabled or not.
func (r *registry) forSession(session string) []*Breakpoint {
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

// BreakpointInfo is the breakpoint object of docs/contract.md.
type BreakpointInfo struct {
	ID                string  `json:"id"`
	Type              Kind    `json:"type"`
	File              string  `json:"file,omitempty"`
	Line              int     `json:"line,omitempty"`
	Column            int     `json:"column,omitempty"`
	BoundLine         int     `json:"boundLine,omitempty"`
	WasBound          bool    `json:"-"` // it was bound when the session ended
	Elsewhere         bool    `json:"-"` // it was not hit, and may have been in a process that is not debugged
	Function          string  `json:"function,omitempty"`
	ExceptionType     string  `json:"exceptionType,omitempty"`
	Expression        string  `json:"expression,omitempty"`
	Access            string  `json:"access,omitempty"`
	Enabled           bool    `json:"enabled"`
	State             string  `json:"state"` // pending, bound, disabled, failed
	Verified          bool    `json:"verified"`
	Condition         string  `json:"condition,omitempty"`
	HitCondition      string  `json:"hitCondition,omitempty"`
	HitCount          uint64  `json:"hitCount"`
	HitCountAtLeast   bool    `json:"hitCountAtLeast,omitempty"` // hits may be missing
	FalsePasses       uint64  `json:"falsePasses,omitempty"`
	Message           string  `json:"message,omitempty"`
	LogMessage        string  `json:"logMessage,omitempty"`
	HitCountMultiple  int     `json:"hitCountMultiple,omitempty"`
	MaxNotifications  int     `json:"maxNotifications,omitempty"`
	NotificationsSent *uint64 `json:"notificationsSent,omitempty"`
	Strategy          string  `json:"strategy,omitempty"`
	SessionID         string  `json:"sessionId,omitempty"`

	Sessions []OwnState `json:"sessions,omitempty"` // of several sessions that differ, in their order
}

// info returns a breakpoint with its state in one session. b may be nil.
func (bp *Breakpoint) info(b *Binding) BreakpointInfo {
	s := bp.Spec
	info := BreakpointInfo{
		ID: bp.ID, Type: s.Kind, File: s.File, Line: s.Line, Column: s.Column,
		Function: s.Function, ExceptionType: s.ExceptionType, Expression: s.Expression, Access: s.Access,
		Enabled: bp.Enabled, State: BreakpointPending,
		Condition: s.Condition, HitCondition: s.HitCondition, LogMessage: s.LogMessage,
		HitCountMultiple: s.Multiple, MaxNotifications: s.Max, SessionID: s.Session,
	}
	if s.Kind == Tracepoint {
		info.Strategy = s.Strategy
		info.NotificationsSent = new(uint64)
	}
	if b != nil {
		info.State, info.Message, info.BoundLine = b.State, b.Message, b.BoundLine
		info.WasBound = b.WasBound
		info.HitCount, info.FalsePasses = b.counts.Hits(), b.counts.Missed()
		info.HitCountAtLeast = b.counts.AtLeast()
		if info.Elsewhere = b.Elsewhere != "" && info.HitCount == 0; info.Elsewhere && info.Message == "" {
			info.Message = b.Elsewhere
		}
		if s.Kind == Tracepoint {
			*info.NotificationsSent = b.counts.Told()
			if b.Strategy != "" {
				info.Strategy = b.Strategy
			}
		}
	}
	if !bp.Enabled {
		info.State = BreakpointDisabled
		if b == nil || b.State != BreakpointDisabled {
			info.BoundLine = 0
		}
	}
	info.Verified = info.State == BreakpointBound
	return info
}
