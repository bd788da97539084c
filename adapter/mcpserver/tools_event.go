package mcpserver

import (
	"context"
	"slices"
	"strings"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
	"breakwire/adapter/mcpserver/toolargs"
)

type waitArgs struct {
	Session    string  `arg:"session_id"`
	Timeout    int     `arg:"timeout_ms" default:"30000" min:"0" max:"600000" alias:"timeout"`
	Breakpoint string  `arg:"breakpoint_id" alias:"breakpointId"`
	AfterSeq   *uint64 `arg:"after_seq" alias:"afterSeq"`
	Locals     bool    `arg:"locals" default:"true"`
}

func (waitArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"breakpoint_id": "hit is true only for this one",
		"after_seq":     "Default: what you have not been given yet",
	}
}

type eventsArgs struct {
	Session    string   `arg:"session_id"`
	AfterSeq   uint64   `arg:"after_seq" default:"0" alias:"afterSeq"`
	Types      []string `arg:"types" enum:"hit,tracepoint,stop,state,output,breakpoint,thread,module,process,error,lost"`
	Breakpoint string   `arg:"breakpoint_id" alias:"breakpointId"`
	Limit      *int     `arg:"limit" min:"1" max:"2000"`
	Format     string   `arg:"format" default:"objects" enum:"objects,lines"`
	MaxBytes   int      `arg:"max_bytes" default:"8192" min:"1" max:"262144"`
	Full       bool     `arg:"full" default:"false"`
}

func (eventsArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"session_id": "Default all",
		"after_seq":  "lastSeq of the answer before",
		"limit":      "Default 100, of lines 2000",
		"format":     "lines: one line of text each",
		"full":       "Do not cut long texts",
	}
}

type waitResult struct {
	Hit          bool          `json:"hit"`
	Reason       string        `json:"reason"`
	Stop         *adapter.Stop `json:"stop,omitempty"`
	BreakpointID string        `json:"breakpointId,omitempty"`
	AlreadySeen  bool          `json:"alreadySeen,omitempty"`
	Note         string        `json:"note,omitempty"`
	ExitCode     *int          `json:"exitCode,omitempty"`
	Signal       string        `json:"signal,omitempty"`
	LastSeq      uint64        `json:"lastSeq"`
	State        adapter.State `json:"state"`
	Conditions   []condition   `json:"conditions,omitempty"`
	Breakpoints  []unbound     `json:"breakpoints,omitempty"`

	Session adapter.SessionInfo `json:"session"`
}

func (s *Server) addEventTools() {
	addTool(s.mcp, Tool{
		Name: "breakpoint_wait", Title: "Wait for the next stop", ReadOnly: true,
		Description: "Returns the next stop or end, of any session, that you have not been given yet, also from " +
			"before the call. Paused at a stop you know: it returns that one (alreadySeen).",
	}, s.wait)
	addTool(s.mcp, Tool{
		Name: "events_query", Title: "Read the event journal", ReadOnly: true, Idempotent: true,
		Description: "Hits, tracepoint hits with their messages, stops, state changes, output, oldest first.",
	}, s.events)
}

func (s *Server) wait(ctx context.Context, in waitArgs) (any, error) {
	if in.Breakpoint != "" {
		if _, err := s.manager.Breakpoint(in.Breakpoint); err != nil {
			return nil, err
		}
	}
	after := callFrom(ctx).Cursor
	if in.AfterSeq != nil {
		after = func(string) uint64 { return *in.AfterSeq }
	}
	waiting, err := s.waiting(in.Session)
	if err != nil {
		return nil, err
	}
	timeout := milliseconds(in.Timeout)
	known := in.AfterSeq == nil
	var newest *adapter.Session // the one that stopped last, of those that all stand at stops this client knows
	for _, session := range waiting {
		stop := session.Snapshot().Stop
		if known = known && stop != nil && stop.Seq <= after(session.ID()); !known {
			break
		}
		if newest == nil || newest.Snapshot().Stop == nil || stop.Seq > newest.Snapshot().Stop.Seq {
			newest = session
		}
	}
	if known {
		timeout = 0
	}
	defer stateProgress(ctx, timeout, waiting[0])()
	session := waiting[0]
	var got adapter.WaitResult
	if in.Session != "" {
		got, err = session.Wait(ctx, after(session.ID()), timeout)
	} else if session, got, err = s.manager.Wait(ctx, after, timeout); session == nil {
		session = waiting[0]
	}
	if err != nil {
		return nil, err
	}
	if known && got.Reason == adapter.WaitTimeout {
		if stop := newest.Snapshot().Stop; stop != nil {
			r := s.waitResult(ctx, newest, adapter.ResultOfStop(stop), in.Breakpoint)
			r.AlreadySeen, r.Stop = true, s.withLocals(ctx, newest, stop, in.Locals)
			return r, nil
		}
	}
	callFrom(ctx).Carries(session.ID(), got.Seq)
	got.Stop = s.withLocals(ctx, session, got.Stop, in.Locals)
	r := s.waitResult(ctx, session, got, in.Breakpoint)
	r.Breakpoints = s.silent(session, got, after(session.ID()))
	if in.Session == "" && got.Reason == adapter.WaitTimeout {
		r.Note = standing(waiting)
	}
	return r, nil
}

// standing names the sessions that stand at a stop, which is known, while others run: those may wait for them.
func standing(sessions []*adapter.Session) string {
	var ids []string
	for _, session := range sessions {
		if session.Snapshot().State == adapter.Paused {
			ids = append(ids, session.ID())
		}
	}
	if len(ids) == 0 || len(ids) == len(sessions) {
		return ""
	}
	return "at a stop that you know: " + strings.Join(ids, ", ") + "; the running programs may wait for them"
}

// waiting returns the sessions that a wait is about, at least one: the named one, else all live ones, else the one that
// ended last.
func (s *Server) waiting(id string) ([]*adapter.Session, error) {
	if live := s.manager.Live(); id == "" && len(live) > 0 {
		return live, nil
	}
	session, err := s.manager.Readable(id)
	if err == nil && session == nil {
		err = fault.Errorf(fault.NoSession, "no program is being debugged; start one with debug_launch or debug_attach")
	}
	return []*adapter.Session{session}, err
}

func (s *Server) waitResult(ctx context.Context, session *adapter.Session, got adapter.WaitResult,
	wanted string) waitResult {
	r := waitResult{
		Reason: got.Reason, Stop: got.Stop, BreakpointID: got.BreakpointID, ExitCode: got.ExitCode,
		Signal: got.Signal, Note: got.Note, Hit: got.BreakpointID != "", LastSeq: s.manager.Journal().LastSeq(),
		State:   session.Snapshot().State,
		Session: s.brief(ctx, session),
	}
	r.Conditions = s.passedBy(session, got)
	if got.Stop != nil && wanted != "" {
		if r.Hit = slices.Contains(got.Stop.BreakpointIDs, wanted); r.Hit {
			r.BreakpointID = wanted
		}
	}
	return r
}

// The numbers of events in a page when the call does not say.
const (
	eventsInPage = 100
	linesInPage  = 2000
)

// eventsHead is how many bytes of an answer are left for what is beside the events.
const eventsHead = 160

type eventsResult struct {
	*eventList
	LastSeq   uint64 `json:"lastSeq"`
	More      bool   `json:"more"`
	OldestSeq uint64 `json:"oldestSeq"`
	Dropped   uint64 `json:"dropped"`
}

func (s *Server) events(ctx context.Context, in eventsArgs) (any, error) {
	if in.Session != "" {
		if _, err := s.manager.Readable(in.Session); err != nil {
			return nil, err
		}
	}
	lines := in.Format == "lines"
	limit := eventsInPage
	if lines {
		limit = linesInPage
	}
	if in.Limit != nil {
		limit = *in.Limit
	}
	entries := s.manager.Journal().Query(in.AfterSeq, journal.Filter{
		Session: in.Session, Types: in.Types, BreakpointID: in.Breakpoint,
	}, limit)
	r := eventsResult{
		eventList: newEventList(entries.Entries, lines, in.Full), LastSeq: entries.LastSeq, More: entries.More,
		OldestSeq: entries.OldestSeq, Dropped: entries.Dropped,
	}
	room := in.MaxBytes - eventsHead
	for i, e := range entries.Entries {
		if !r.add(e, &room) {
			r.LastSeq, r.More = entries.Entries[i-1].Seq, true
			break
		}
		callFrom(ctx).namesStopOf(&e)
	}
	return r, nil
}
