package mcpserver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever a line contains, the server writes only lines of JSON, and answers the next request normally.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{
		``, `{`, `[]`, `null`, `12`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}`,
		`{"jsonrpc":"2.0","id":1e3,"method":"tools/list","params":{"cursor":"x"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sync"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"debugger://session"}}`,
		"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}",
		`{"jsonrpc":"2.0","id":2,"method":"server/discover",` +
			`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","id":2,"result":{}}`, `{"id":{"a":1},"method":7}`,
		`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":[]}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := ready(t, newRig())
		p.send("%s", text)
		p.send(`{"jsonrpc":"2.0","id":"the end","method":"ping"}`)
		for {
			l, ok := p.next() // fails when the line is not JSON
			require.True(t, ok, "the server ended at %q", text)
			if string(l.ID) == `"the end"` {
				return
			}
		}
	})
}
