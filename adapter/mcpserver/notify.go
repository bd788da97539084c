package mcpserver

import (
	"breakwire/adapter"
	"breakwire/adapter/journal"

	"github.com/mark3labs/mcp-go/mcp"
)

// Methods of the debugger's own notifications.
const (
	methodHit   = "debugger/breakpointHit"
	methodState = "debugger/sessionStateChanged"
)

// render makes the notifications of one event. missed is how many notifications this client lost just before it.
func (s *Server) render(c *Client, dst []byte, e *journal.Entry, missed uint64) []byte {
	if s.opts.Notify == NotifyNone {
		return dst
	}
	switch data := e.Data.(type) {
	case *adapter.Hit:
		return s.renderHit(c, dst, data, missed)
	case *adapter.HitEvent:
		return s.renderHit(c, dst, &data.Hit, missed)
	case *adapter.StateChange:
		if s.opts.Notify != NotifyAll {
			return dst
		}
		if missed > 0 {
			withMissed := *data
			withMissed.Missed = missed
			data = &withMissed
		}
		return appendNotification(dst, methodState, data)
	}
	return dst
}

// renderHit makes the debugger's own notification, and repeats the hit as a log message for clients that asked for that level.
func (s *Server) renderHit(c *Client, dst []byte, hit *adapter.Hit, missed uint64) []byte {
	if missed > 0 {
		withMissed := *hit
		withMissed.Missed = missed
		hit = &withMissed
	}
	if s.opts.Notify == NotifyAll {
		dst = appendNotification(dst, methodHit, hit)
	}
	if c != nil && c.Wants(mcp.LoggingLevelInfo) {
		if len(dst) > 0 && s.opts.Notify == NotifyAll {
			dst = append(dst, '\n')
		}
		dst = appendNotification(dst, "notifications/message", logged{"info", "debugger", hit})
	}
	return dst
}

// logged is the params of notifications/message.
type logged struct {
	Level  string `json:"level"`
	Logger string `json:"logger"`
	Data   any    `json:"data"`
}

// appendNotification appends one notification without a line end.
func appendNotification(dst []byte, method string, params any) []byte {
	raw, err := marshal(params)
	if err != nil {
		return dst
	}
	dst = append(dst, `{"jsonrpc":"2.0","method":"`...)
	dst = append(dst, method...)
	dst = append(dst, `","params":`...)
	dst = append(dst, raw...)
	return append(dst, '}')
}
