package breakpoint

import "slices"

// Info is the breakpoint object of docs/contract.md.
type Info struct {
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

// Info returns a breakpoint with its state in one session. b may be nil.
func (bp *Breakpoint) Info(b *Binding) Info {
	s := bp.Spec
	info := Info{
		ID: bp.ID, Type: s.Kind, File: s.File, Line: s.Line, Column: s.Column,
		Function: s.Function, ExceptionType: s.ExceptionType, Expression: s.Expression, Access: s.Access,
		Enabled: bp.Enabled, State: Pending,
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
		info.HitCount, info.FalsePasses = b.Counts.Hits(), b.Counts.Missed()
		info.HitCountAtLeast = b.Counts.AtLeast()
		if info.Elsewhere = b.Elsewhere != "" && info.HitCount == 0; info.Elsewhere && info.Message == "" {
			info.Message = b.Elsewhere
		}
		if s.Kind == Tracepoint {
			*info.NotificationsSent = b.Counts.Told()
			if b.Strategy != "" {
				info.Strategy = b.Strategy
			}
		}
	}
	if !bp.Enabled {
		info.State = Disabled
		if b == nil || b.State != Disabled {
			info.BoundLine = 0
		}
	}
	info.Verified = info.State == Bound
	return info
}

// OwnState is the state of a breakpoint in one of several sessions.
type OwnState struct {
	SessionID string `json:"sessionId"`
	State     string `json:"state"`
	BoundLine int    `json:"boundLine,omitempty"`
	HitCount  uint64 `json:"hitCount"`
	Message   string `json:"message,omitempty"`
}

// In is the state of one breakpoint in one session.
type In struct {
	Session string
	Binding *Binding
}

// Past are the hits of sessions that have ended and of which nothing else is kept.
type Past struct{ Hits, Told uint64 }

// Merged returns a breakpoint with the best state of several sessions, and the sums of their counts. Where the
// sessions differ, each has its own state in it.
func (bp *Breakpoint) Merged(in []In, ended Past) Info {
	rank := func(state string) int {
		return slices.Index([]string{Failed, Pending, Disabled, Bound}, state)
	}
	info := bp.Info(nil)
	var own []OwnState
	hits, told, wasBound, atLeast := ended.Hits, ended.Told, false, false
	for i, x := range in {
		one := bp.Info(x.Binding)
		if i == 0 || rank(one.State) > rank(info.State) {
			info = one
		}
		hits, told, wasBound = hits+x.Binding.Counts.Hits(), told+x.Binding.Counts.Told(), wasBound || one.WasBound
		atLeast = atLeast || one.HitCountAtLeast
		own = append(own, OwnState{x.Session, one.State, one.BoundLine, one.HitCount, one.Message})
	}
	info.HitCount, info.WasBound, info.HitCountAtLeast = hits, wasBound, atLeast
	if info.NotificationsSent != nil {
		*info.NotificationsSent = told
	}
	if differ(own) {
		info.Sessions = own
	}
	return info
}

// differ reports whether sessions differ in more than their ids.
func differ(own []OwnState) bool {
	return slices.ContainsFunc(own, func(o OwnState) bool {
		o.SessionID = own[0].SessionID
		return o != own[0]
	})
}

// Change is the data of a breakpoint event in the journal.
type Change struct {
	Change     string `json:"change"` // added, removed, changed
	Breakpoint Info   `json:"breakpoint"`
}
