package mcpserver

import (
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
)

// rendered returns what a client with a log level gets for events, by server options.
func rendered(t *testing.T, notify Notify, level mcp.LoggingLevel, events ...any) []string {
	t.Helper()
	m := adapter.NewManager(adapter.Options{})
	defer m.Close()
	s := New(m, Options{Notify: notify})
	c := newClient(newOutbox(), func() uint64 { return 0 })
	c.SetLogLevel(level)
	var buf []byte
	for i, data := range events {
		before := len(buf)
		if buf = s.render(c, buf, &journal.Entry{Seq: uint64(i + 1), Session: "s1", Data: data}, 0); len(buf) > before {
			buf = append(buf, '\n')
		}
	}
	return strings.FieldsFunc(string(buf), func(r rune) bool { return r == '\n' })
}

func TestMessages(t *testing.T) {
	hit := &adapter.Hit{Seq: 1, BreakpointID: "tp-1"}
	problem := &adapter.Problem{Code: fault.EvalTimeout, Message: "tp-1 hangs"}
	died := &adapter.Problem{Code: fault.BackendExited, Message: "it died"}
	lost := &adapter.Lost{What: "output", Count: 3}
	for _, test := range []struct {
		name   string
		notify Notify
		level  mcp.LoggingLevel
		want   []string // parts of the lines
	}{
		{"error", NotifyAll, mcp.LoggingLevelError, []string{methodHit, `"level":"error"`}},
		{"warning", NotifyAll, mcp.LoggingLevelWarning, []string{methodHit, "tp-1 hangs", "it died", `"skipped":3`}},
		{"info", NotifyAll, mcp.LoggingLevelInfo, []string{methodHit, `"level":"info"`, `"level":"warning"`,
			`"level":"error"`, `"level":"warning"`}},
		{"standard", NotifyStandard, mcp.LoggingLevelDebug,
			[]string{`"level":"info"`, `"level":"warning"`, `"level":"error"`, `"level":"warning"`}},
		{"none", NotifyNone, mcp.LoggingLevelDebug, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := rendered(t, test.notify, test.level, hit, problem, died, lost)
			require.Len(t, lines, len(test.want), "%v", lines)
			for i, part := range test.want {
				require.Contains(t, lines[i], part)
				require.Contains(t, lines[i], `{"jsonrpc":"2.0","method":"`)
			}
		})
	}
}

func TestMessagesAreLimited(t *testing.T) {
	m := adapter.NewManager(adapter.Options{})
	defer m.Close()
	s := New(m, Options{Notify: NotifyStandard})
	c := newClient(newOutbox(), func() uint64 { return 0 })
	c.SetLogLevel(mcp.LoggingLevelInfo)
	now := time.Unix(1000, 0)
	c.messages.now = func() time.Time { return now }
	count := func(n int) (lines int) {
		for range n {
			if len(s.render(c, nil, &journal.Entry{Data: &adapter.Hit{}}, 0)) > 0 {
				lines++
			}
		}
		return lines
	}
	require.Equal(t, messageBurst, count(2*messageBurst))
	now = now.Add(time.Second)
	text := string(s.render(c, nil, &journal.Entry{Data: &adapter.Hit{}}, 0))
	require.Contains(t, text, `"skipped":500`, "what was held back is told with the next one")
	require.Equal(t, 2, strings.Count(text, "notifications/message"))
	require.Equal(t, messageRate-1, count(1000))
	text = string(s.render(c, nil, &journal.Entry{Data: &adapter.StateChange{}}, 0))
	require.Contains(t, text, `"skipped":901`, "or with a change of state")
	require.Empty(t, s.render(c, nil, &journal.Entry{Data: &adapter.StateChange{}}, 0))
}
