package mcpserver

import (
	"time"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/journal"

	"github.com/mark3labs/mcp-go/mcp"
)

// Log messages (MCP, Logging) repeat some events: hits at level info, warnings and errors. Clients show them to
// people, so their rate is limited. What the limit holds back is counted, and all of it is in the journal.
const (
	messageBurst = 500 // at once
	messageRate  = 100 // per second, after that
	loggerName   = "debugger"
)

// messages limits the log messages of one client. The writer's goroutine owns it.
type messages struct {
	now     func() time.Time // nil is time.Now
	tokens  float64
	filled  time.Time
	skipped uint64
}

// allow counts one message, and reports whether it may be sent now.
func (m *messages) allow() bool {
	now := time.Now
	if m.now != nil {
		now = m.now
	}
	at := now()
	if m.filled.IsZero() {
		m.tokens = messageBurst
	} else {
		m.tokens = min(messageBurst, m.tokens+messageRate*at.Sub(m.filled).Seconds())
	}
	m.filled = at
	if m.tokens < 1 {
		m.skipped++
		return false
	}
	m.tokens--
	return true
}

// logged holds the params of notifications/message.
type logged struct {
	Level  mcp.LoggingLevel `json:"level"`
	Logger string           `json:"logger"`
	Data   any              `json:"data"`
}

// note is the data of a message that is not a hit.
type note struct {
	Seq          uint64     `json:"seq,omitempty"`
	SessionID    string     `json:"sessionId,omitempty"`
	BreakpointID string     `json:"breakpointId,omitempty"`
	Code         fault.Code `json:"code,omitempty"`
	Message      string     `json:"message"`
	Skipped      uint64     `json:"skipped,omitempty"`
}

// appendMessage appends a log message, if the client asked for its level and it is within the limit.
func (s *Server) appendMessage(c *Client, dst []byte, level mcp.LoggingLevel, data any) []byte {
	if c == nil || !c.Wants(level) || !c.messages.allow() {
		return dst
	}
	return appendLine(s.appendSkipped(c, dst), "notifications/message", logged{level, loggerName, data})
}

// appendSkipped reports the number of messages that the limit held back, with the next message or change of state.
func (s *Server) appendSkipped(c *Client, dst []byte) []byte {
	if c == nil || c.messages.skipped == 0 || !c.Wants(mcp.LoggingLevelNotice) {
		return dst
	}
	n := c.messages.skipped
	c.messages.skipped = 0
	return appendLine(dst, "notifications/message", logged{mcp.LoggingLevelNotice, loggerName, note{
		Message: "more hits than can be shown as messages; events_query has them all", Skipped: n,
	}})
}

// renderProblem renders the message of an error event.
func (s *Server) renderProblem(c *Client, dst []byte, e *journal.Entry, p *adapter.Problem) []byte {
	level := mcp.LoggingLevelWarning
	if p.Code == fault.BackendExited || p.Code == fault.Internal {
		level = mcp.LoggingLevelError
	}
	return s.appendMessage(c, dst, level, note{e.Seq, e.Session, e.BreakpointID, p.Code, p.Message, 0})
}

// renderLost renders the message of a lost event.
func (s *Server) renderLost(c *Client, dst []byte, e *journal.Entry, l *adapter.Lost) []byte {
	message := "the program wrote more than could be kept: " + l.What + " was lost"
	if e.BreakpointID != "" || l.Count == 0 {
		message = "the program's end has cut off hits of tracepoints: the debugger had not passed them on"
	}
	return s.appendMessage(c, dst, mcp.LoggingLevelWarning, note{
		Seq: e.Seq, SessionID: e.Session, BreakpointID: e.BreakpointID, Message: message, Skipped: l.Count,
	})
}
