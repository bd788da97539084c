package mcpserver

import (
	"breakwire/adapter"
	"breakwire/adapter/journal"
	"breakwire/adapter/mcpserver/jsonrpc"

	"github.com/mark3labs/mcp-go/mcp"
)

// Methods of the debugger's own notifications.
const (
	methodHit   = "debugger/breakpointHit"
	methodState = "debugger/sessionStateChanged"
)

// render renders the notifications of one event. missed is how many notifications this client lost just before it.
func (s *Server) render(c *Client, dst []byte, e *journal.Entry, missed uint64) []byte {
	if s.opts.Notify == NotifyNone {
		return dst
	}
	switch data := e.Data.(type) {
	case *adapter.Hit:
		return s.renderHit(c, dst, data, missed)
	case *adapter.HitEvent:
		return s.renderHit(c, dst, &data.Hit, missed)
	case *adapter.Problem:
		return s.renderProblem(c, dst, e, data)
	case *adapter.Lost:
		return s.renderLost(c, dst, e, data)
	case *adapter.StateChange:
		dst = s.appendSkipped(c, dst)
		if s.opts.Notify != NotifyAll {
			return dst
		}
		if missed > 0 {
			withMissed := *data
			withMissed.Missed = missed
			data = &withMissed
		}
		return appendLine(dst, methodState, data)
	}
	return dst
}

// renderHit renders the debugger's own notification, and repeats the hit as a log message for clients that asked for
// that level.
func (s *Server) renderHit(c *Client, dst []byte, hit *adapter.Hit, missed uint64) []byte {
	if missed > 0 {
		withMissed := *hit
		withMissed.Missed = missed
		hit = &withMissed
	}
	if s.opts.Notify == NotifyAll {
		dst = append(appendHit(beginLine(dst, methodHit), hit), '}')
	}
	return s.appendMessage(c, dst, mcp.LoggingLevelInfo, hit)
}

// appendLine appends one notification without its line end, after the previous one. dst is empty or ends with a line
// end when the rendering of the event begins.
func appendLine(dst []byte, method string, params any) []byte {
	raw, err := jsonrpc.Marshal(params)
	if err != nil {
		return dst
	}
	return append(append(beginLine(dst, method), raw...), '}')
}

// beginLine appends the part of a notification before its params.
func beginLine(dst []byte, method string) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '\n' {
		dst = append(dst, '\n')
	}
	dst = append(dst, `{"jsonrpc":"2.0","method":"`...)
	dst = append(dst, method...)
	return append(dst, `","params":`...)
}
