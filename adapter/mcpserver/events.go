package mcpserver

import (
	"fmt"
	"strings"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/adapter/journal"
	"breakwire/mapping"
)

// flatEvent is a journal entry in the form of docs/contract.md: flat, with the members of its type.
type flatEvent struct {
	Seq          uint64                `json:"seq"`
	Type         string                `json:"type"`
	SessionID    string                `json:"sessionId,omitempty"`
	BreakpointID string                `json:"breakpointId,omitempty"`
	HitCount     uint64                `json:"hitCount,omitempty"`
	ThreadID     int                   `json:"threadId,omitempty"`
	LogMessage   *string               `json:"logMessage,omitempty"`
	OldValue     *string               `json:"oldValue,omitempty"`
	NewValue     *string               `json:"newValue,omitempty"`
	Location     *inspect.Location     `json:"location,omitempty"` // when it is not the breakpoint's place
	Reason       string                `json:"reason,omitempty"`
	StopSeq      uint64                `json:"stopSeq,omitempty"` // of a hit that is not the first of its stop
	Exception    *adapter.HitException `json:"exceptionInfo,omitempty"`
	Condition    string                `json:"conditionError,omitempty"`
	Stream       string                `json:"stream,omitempty"`
	Text         string                `json:"text,omitempty"`
	OldState     adapter.State         `json:"oldState,omitempty"`
	NewState     adapter.State         `json:"newState,omitempty"`
	PauseReason  string                `json:"pauseReason,omitempty"`
	ExitCode     *int                  `json:"exitCode,omitempty"`
	Signal       string                `json:"signal,omitempty"`
	EndReason    adapter.EndReason     `json:"endReason,omitempty"`
	Change       string                `json:"change,omitempty"`
	State        string                `json:"state,omitempty"`
	BoundLine    int                   `json:"boundLine,omitempty"`
	Name         string                `json:"name,omitempty"`
	Path         string                `json:"path,omitempty"`
	SymbolStatus string                `json:"symbolStatus,omitempty"`
	ProcessID    int                   `json:"processId,omitempty"`
	ChildID      string                `json:"childSessionId,omitempty"`
	Code         fault.Code            `json:"code,omitempty"`
	What         string                `json:"what,omitempty"`
	Count        *uint64               `json:"count,omitempty"`
	Message      string                `json:"message,omitempty"`
	Data         *adapter.ThreadChange `json:"data,omitempty"` // of a thread
	Truncated    bool                  `json:"truncated,omitempty"`
	Timestamp    string                `json:"timestamp"`
}

// eventOf converts a journal entry. at is the place of a hit; a stop has its own.
func eventOf(e journal.Entry) (ev flatEvent, at *inspect.Location) {
	ev = flatEvent{Seq: e.Seq, Type: e.Type, SessionID: e.Session, BreakpointID: e.BreakpointID,
		Timestamp: e.Time.UTC().Format(timeOfDay)}
	switch d := e.Data.(type) {
	case *adapter.Hit:
		ev.HitCount, ev.ThreadID, ev.LogMessage = d.HitCount, d.ThreadID, d.LogMessage
		ev.OldValue, ev.NewValue = d.OldValue, d.NewValue
		at = &d.Location
	case *adapter.HitEvent:
		ev.HitCount, ev.ThreadID, ev.Exception = d.HitCount, d.ThreadID, d.Exception
		ev.OldValue, ev.NewValue = d.OldValue, d.NewValue
		ev.Condition, at = d.Stop.ConditionError, &d.Location
		if d.Stop.Seq != e.Seq {
			ev.StopSeq = d.Stop.Seq
		}
	case *adapter.Stop:
		ev.ThreadID, ev.Location, ev.Reason, ev.Text = d.ThreadID, d.Location, d.Reason, d.Text
		if x := d.Exception; x != nil {
			ev.Exception = &adapter.HitException{Type: x.Type, Message: x.Message, IsFirstChance: x.IsFirstChance}
		}
	case *adapter.StateChange:
		ev.OldState, ev.NewState, ev.PauseReason = d.OldState, d.NewState, d.PauseReason
		ev.ExitCode, ev.Signal, ev.EndReason = d.ExitCode, d.Signal, d.EndReason
	case *adapter.Output:
		ev.Stream, ev.Text = d.Stream, d.Text
	case *adapter.OwnText:
		ev.Stream, ev.Text = d.Stream, d.Text
	case *breakpoint.Change:
		ev.Change, ev.State, ev.BoundLine = d.Change, d.Breakpoint.State, d.Breakpoint.BoundLine
		ev.Message = d.Breakpoint.Message
		if b := d.Breakpoint; d.Change == "added" && b.File != "" {
			ev.Location = &inspect.Location{File: b.File, Line: b.Line}
		} else if d.Change == "added" {
			ev.Name = b.Function + b.ExceptionType + b.Expression
		}
	case *adapter.ThreadChange:
		ev.Data = d
	case *adapter.ModuleChange:
		ev.Reason, ev.Name, ev.Path = d.Reason, d.Module.Name, d.Module.Path
		ev.SymbolStatus = d.Module.SymbolStatus
	case *adapter.ProcessEvent:
		ev.Name, ev.ProcessID, ev.ChildID = d.Name, d.ProcessID, d.ChildSessionID
	case *adapter.Problem:
		ev.Code, ev.Message = d.Code, d.Message
	case *adapter.Lost:
		ev.What, ev.Count, ev.Message = d.What, &d.Count, d.Message
	}
	return ev, at
}

// timeOfDay is the form of the time of an event; the answer has the date.
const timeOfDay = "15:04:05.000Z"

// eventList is a page of events in which nothing stands twice.
type eventList struct {
	Date      string                       `json:"date,omitempty"` // of the first event
	SessionID string                       `json:"sessionId,omitempty"`
	Events    []flatEvent                  `json:"events,omitzero"`
	Lines     []string                     `json:"lines,omitzero"`
	Places    map[string]*inspect.Location `json:"places,omitempty"`

	day    time.Time
	trace  string // the only tracepoint of the page, "" when there are several
	shared bool   // the events are of several sessions
	full   bool
}

// newEventList prepares a page of these entries. Empty lists are encoded too.
func newEventList(entries []journal.Entry, lines, full bool) *eventList {
	l := &eventList{Places: map[string]*inspect.Location{}, full: full}
	sessions, traces := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		if e.Session != "" {
			sessions[e.Session] = true
			l.SessionID = e.Session
		}
		if e.Type == journal.TypeTracepoint {
			traces[e.BreakpointID] = true
			l.trace = e.BreakpointID
		}
	}
	if len(traces) > 1 {
		l.trace = ""
	}
	if l.shared = len(sessions) > 1; l.shared {
		l.SessionID = ""
	}
	if len(entries) > 0 {
		l.day = entries[0].Time.UTC()
		l.Date = l.day.Format(time.DateOnly)
	}
	if lines {
		l.Lines = []string{}
	} else {
		l.Events = []flatEvent{}
	}
	return l
}

// shorten returns the event of an entry as it stands in this page, and its place if the page does not have it yet.
func (l *eventList) shorten(e journal.Entry) (ev flatEvent, place *inspect.Location) {
	ev, at := eventOf(e)
	if !l.shared {
		ev.SessionID = ""
	}
	if e.Time.UTC().Format(time.DateOnly) != l.Date {
		ev.Timestamp = journal.Timestamp(e.Time)
	}
	if known := l.Places[e.BreakpointID]; at != nil && at.File != "" {
		if known == nil {
			place = at
		} else if known.File != at.File || known.Line != at.Line {
			ev.Location = at
		}
	}
	if !l.full {
		ev.cut()
	}
	return ev, place
}

// cut shortens the long text of an event.
func (ev *flatEvent) cut() {
	var text string
	if ev.LogMessage != nil {
		if text, ev.Truncated = mapping.Truncate(*ev.LogMessage); ev.Truncated {
			ev.LogMessage = &text
		}
	} else if text, ev.Truncated = mapping.Truncate(ev.Text); ev.Truncated {
		ev.Text = text
	}
}

// line is the event in one line.
func (ev *flatEvent) line(trace string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d", ev.Seq)
	word := func(format string, value any, there bool) {
		if there {
			fmt.Fprintf(&b, " "+format, value)
		}
	}
	word("%s", ev.SessionID, ev.SessionID != "")
	word("%s", ev.BreakpointID, ev.BreakpointID != "" && ev.BreakpointID != trace)
	word("t%d", ev.ThreadID, ev.ThreadID != 0)
	if ev.Type == journal.TypeTracepoint {
		if ev.LogMessage == nil {
			word("hit %d", ev.HitCount, true)
		} else {
			word("%s", *ev.LogMessage, true)
		}
	} else {
		word("%s", ev.Type, ev.Type != journal.TypeOutput)
		word("%d", ev.HitCount, ev.HitCount != 0)
		word("%s", ev.Reason+ev.Change+ev.What, ev.Reason+ev.Change+ev.What != "")
		if ev.Count != nil {
			word("%d", *ev.Count, true)
		}
		if d := ev.Data; d != nil {
			word("%s", d.Reason, true)
			word("t%d", d.ThreadID, d.ThreadID != 0)
		}
		if ev.Type == journal.TypeState {
			word("%s", string(ev.OldState)+" to "+string(ev.NewState), true)
		}
		if ev.ExitCode != nil {
			word("exitCode %d", *ev.ExitCode, true)
		}
		for _, text := range []string{ev.PauseReason, ev.Signal, string(ev.EndReason), ev.State, ev.Name, string(ev.Code),
			ev.Stream, ev.ChildID, ev.Message, ev.Condition, ev.Text} {
			word("%s", text, text != "")
		}
		word("pid %d", ev.ProcessID, ev.ProcessID != 0)
		if x := ev.Exception; x != nil {
			word("%s", x.Type+": "+x.Message, true)
		}
	}
	if ev.OldValue != nil && ev.NewValue != nil {
		word("%s", *ev.OldValue+" → "+*ev.NewValue, true)
	}
	if ev.Truncated {
		b.WriteString("…")
	}
	if at := ev.Location; at != nil {
		fmt.Fprintf(&b, " at %s:%d", at.File, at.Line)
	}
	return strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(b.String())
}

// add appends an entry if the page has room for it, in bytes. The first entry always fits.
func (l *eventList) add(e journal.Entry, room *int) bool {
	ev, place := l.shorten(e)
	var shown any = ev
	if l.Lines != nil {
		shown = ev.line(l.trace)
	}
	size := encodedLen(shown) + 1
	if place != nil {
		size += encodedLen(map[string]*inspect.Location{e.BreakpointID: place})
	}
	if *room -= size; *room < 0 && len(l.Events)+len(l.Lines) > 0 {
		return false
	}
	if place != nil {
		l.Places[e.BreakpointID] = place
	}
	if l.Lines != nil {
		l.Lines = append(l.Lines, shown.(string))
	} else {
		l.Events = append(l.Events, ev)
	}
	return true
}
