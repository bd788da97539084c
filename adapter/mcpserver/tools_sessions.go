package mcpserver

import (
	"context"

	"breakwire/adapter"
)

// sessionEntry is one session of sessions_list.
type sessionEntry struct {
	adapter.SessionInfo
	Program string `json:"program,omitempty"`
}

type sessionsResult struct {
	Sessions []sessionEntry `json:"sessions"`
	Count    int            `json:"count"`
}

func (s *Server) addSessionsTool() {
	addTool(s.mcp, Tool{
		Name: "sessions_list", Title: "List the sessions", ReadOnly: true, Idempotent: true,
		Description: "The programs being debugged, oldest first. With several, tools need session_id.",
	}, s.sessions)
}

// sessions lists the live sessions. The session that ended last is in debug_state.
func (s *Server) sessions(ctx context.Context, _ struct{}) (any, error) {
	r := sessionsResult{Sessions: []sessionEntry{}}
	for _, session := range s.manager.Live() {
		snap := session.Snapshot()
		e := sessionEntry{SessionInfo: s.brief(ctx, session), Program: snap.Program}
		e.ParentSessionID = snap.Parent
		e.Backend, e.ProcessID, e.ProcessName = snap.Backend, snap.Process.Pid, snap.Process.Name
		r.Sessions = append(r.Sessions, e)
	}
	r.Count = len(r.Sessions)
	return r, nil
}
