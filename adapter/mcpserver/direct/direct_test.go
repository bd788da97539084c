package direct

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/jsonrpc"
)

// fake is a server whose tools answer from a table, and only when they may.
type fake struct {
	results map[string]string
	wait    map[string]chan struct{}
	limit   int
}

func (f *fake) Version() string          { return "1" }
func (f *fake) Live() []*adapter.Session { return nil }
func (f *fake) Session(string) (*adapter.Session, error) {
	return nil, fault.Errorf(fault.NoSession, "none")
}
func (f *fake) Run(_ string, run func() (any, error)) (any, error) { return run() }
func (f *fake) Answer(context.Context) error                       { return nil }

func (f *fake) TooLarge(method string, bytes int) *fault.Error {
	if f.limit == 0 || bytes <= f.limit {
		return nil
	}
	return fault.Errorf(fault.AnswerTooLarge, "%s is too large", method).With("bytes", bytes)
}

func (f *fake) Call(_ context.Context, tool string, _ map[string]any, result any) error {
	if wait := f.wait[tool]; wait != nil {
		<-wait
	}
	return json.Unmarshal([]byte(f.results[tool]), result)
}

// ask starts a request and returns the channel of its answer.
func ask(t *testing.T, d *Methods, line string) <-chan string {
	t.Helper()
	m, refused := jsonrpc.Parse([]byte(line))
	require.Nil(t, refused)
	serve := d.Take(m)
	require.NotNil(t, serve, line)
	answer := make(chan string, 1)
	go func() {
		answer <- string(serve(t.Context()))
		m.Over()
	}()
	return answer
}

// A breakpoint waits for the launch before it. A pause waits for earlier requests too, but not longer than a second:
// it may be meant to end them.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		launched, continued := make(chan struct{}), make(chan struct{})
		d := New(&fake{results: map[string]string{
			"debug_launch":   `{"session":{"sessionId":"s1","state":"running"}}`,
			"debug_state":    `{"session":{"sessionId":"s1","state":"running"}}`,
			"debug_continue": `{}`,
			"debug_pause":    `{"session":{"state":"paused"}}`,
			"breakpoint_set": `{"breakpoint":{"id":"bp-1","file":"a.cs","line":3,"verified":true}}`,
		}, wait: map[string]chan struct{}{"debug_launch": launched, "debug_continue": continued}})
		launch := ask(t, d, `{"jsonrpc":"2.0","id":1,"method":"debug.launch","params":{"program":"a"}}`)
		set := ask(t, d, `{"id":2,"method":"debug.setBreakpoint","params":{"file":"a.cs","line":3}}`)
		<-time.After(time.Hour)
		require.Empty(t, set)
		close(launched)
		require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"success":true,"data":{"sessionId":"s1","capabilities":`+
			string(mustMarshal(t, capabilities(nil)))+`,"status":"launched"},"message":null}}`, <-launch)
		require.Equal(t, `{"id":2,"success":true,"result":{"id":"bp-1","file":"a.cs","line":3,"verified":true},`+
			`"message":null}`, <-set)
		resumed := ask(t, d, `{"jsonrpc":"2.0","id":3,"method":"debug.continue"}`)
		began := time.Now()
		paused := ask(t, d, `{"jsonrpc":"2.0","id":4,"method":"debug.pause"}`)
		require.Contains(t, <-paused, `"status":"paused"`)
		require.Equal(t, patience, time.Since(began))
		require.Empty(t, resumed)
		close(continued)
		require.Contains(t, <-resumed, `"allThreadsContinued":true`)
	})
}

func mustMarshal(t *testing.T, v any) []byte {
	raw, err := jsonrpc.Marshal(v)
	require.NoError(t, err)
	return raw
}

func TestErrorsHaveTheFormOfTheRequest(t *testing.T) {
	d := New(&fake{limit: 10})
	for _, tc := range []struct{ line, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"debug.fly"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,` +
			`"message":"there is no method debug.fly","data":{"mcpCode":"METHOD_NOT_FOUND","details":null}}}` + "\n"},
		{`{"id":"a","method":"debug.fly"}`, `{"id":"a","success":false,"error":{"code":"METHOD_NOT_FOUND",` +
			`"message":"there is no method debug.fly","details":null},"message":"there is no method debug.fly"}`},
		{`{"jsonrpc":"2.0","id":1,"method":"health"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,` +
			`"message":"health is too large","data":{"mcpCode":"DEBUG_EXECUTION_FAILED",` +
			`"details":{"bytes":24,"code":"ANSWER_TOO_LARGE"}}}}` + "\n"},
		{`{"id":2,"method":"debug.getStackTrace"}`, `{"id":2,"success":false,"error":{"code":"DEBUG_SESSION_NOT_FOUND",` +
			`"message":"none","details":{"code":"NO_SESSION"}},"message":"none"}`},
	} {
		require.Equal(t, tc.want, <-ask(t, d, tc.line))
	}
}

// A line that is MCP is not taken.
func TestTakesNoMCP(t *testing.T) {
	d := New(&fake{})
	for _, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`} {
		m, refused := jsonrpc.Parse([]byte(line))
		require.Nil(t, refused)
		require.Nil(t, d.Take(m), line)
	}
}
