package mcpserver

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"time"

	"breakwire/adapter"
)

// freeTimeout limits the end of a session whose last client has gone. The session's own limits are shorter.
const freeTimeout = 15 * time.Second

// holds records which client uses which debugging session, where clients come and go. It ends a session that no
// client uses any more, so that a paused program does not stay paused for ever. A client uses a session from the
// first answer that names it.
type holds struct {
	manager *adapter.Manager
	log     *slog.Logger

	mu        sync.Mutex
	bySession map[string]map[string]bool // session to clients
}

func newHolds(m *adapter.Manager, log *slog.Logger) *holds {
	return &holds{manager: m, log: log, bySession: map[string]map[string]bool{}}
}

// answered records the session that a tool's answer names as used by the client. A session that nobody uses becomes
// the caller's too: a cancelled start may have left it.
func (h *holds) answered(client string, result []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	live := map[string]bool{}
	for _, s := range h.manager.Sessions() {
		live[s.ID()] = true
		if len(h.bySession[s.ID()]) == 0 {
			h.bySession[s.ID()] = map[string]bool{client: true}
		}
	}
	for id := range h.bySession {
		if !live[id] {
			delete(h.bySession, id)
		}
	}
	if id := sessionOf(result); live[id] {
		h.bySession[id][client] = true
	}
}

// leave ends the sessions that only this client used, and returns when they have ended.
func (h *holds) leave(client string) {
	var free []*adapter.Session
	h.mu.Lock()
	for _, s := range h.manager.Sessions() {
		users := h.bySession[s.ID()]
		if users[client] && len(users) == 1 {
			free = append(free, s)
		}
		delete(users, client)
	}
	h.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range free {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), freeTimeout)
			defer cancel()
			h.log.Info("the last client of a session is gone: it is ended", "session", s.ID())
			if _, err := s.Disconnect(ctx, nil); err != nil {
				h.log.Warn("end a session whose client is gone", "session", s.ID(), "error", err)
			}
		})
	}
	wg.Wait()
}

// sessionOf returns the first session id in a result.
func sessionOf(result []byte) string {
	_, rest, ok := bytes.Cut(result, []byte(`"sessionId":"`))
	if !ok {
		return ""
	}
	id, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(id)
}
