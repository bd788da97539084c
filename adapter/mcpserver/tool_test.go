package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/fixtures/schematest"
)

func TestSuccessJSON(t *testing.T) {
	type result struct {
		Text string `json:"text,omitempty"`
		N    uint64 `json:"n,omitempty"`
	}
	var none *result
	for _, tc := range []struct {
		name string
		in   any
		want string // "" is an error
	}{
		{"nil", nil, `{"success":true}`},
		{"nil pointer", none, `{"success":true}`},
		{"empty", result{}, `{"success":true}`},
		{"struct", result{Text: "List<int> & \"x\"", N: 1<<64 - 1},
			`{"success":true,"text":"List<int> & \"x\"","n":18446744073709551615}`},
		{"pointer", &result{N: 1}, `{"success":true,"n":1}`},
		{"raw", json.RawMessage(`{"a": 1}`), `{"success":true,"a":1}`},
		{"list", []int{1}, ``},
		{"channel", map[string]any{"c": make(chan int)}, ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := successJSON(tc.in)
			if tc.want == "" {
				assert.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, string(got))
		})
	}
}

func TestFailureJSON(t *testing.T) {
	assert.Equal(t, `{"success":false,"error":{"code":"TIMEOUT","message":"a \"b\"\n<c>"}}`,
		string(failureJSON(&fault.Error{Code: fault.Timeout, Message: "a \"b\"\n<c>"})))
	assert.Equal(t, `{"success":false,"error":{"code":"TIMEOUT","message":"m","details":{"a":1,"b":"<x>"}}}`,
		string(failureJSON(fault.Errorf(fault.Timeout, "m").With("b", "<x>").With("a", 1))))
	assert.Equal(t, `{"success":false,"error":{"code":"TIMEOUT","message":"m"}}`,
		string(failureJSON(fault.Errorf(fault.Timeout, "m").With("c", make(chan int)))))
}

func TestOutputSchemas(t *testing.T) {
	failed := failureJSON(fault.Errorf(fault.NoSession, "none").With("sessionId", "s1"))
	total := 0
	for name, out := range outputs() {
		t.Run(name, func(t *testing.T) {
			s := schematest.Compile(t, out.json())
			assert.NoError(t, schematest.Validate(t, s, []byte(`{"success":true}`)))
			assert.NoError(t, schematest.Validate(t, s, failed), "failures are valid too")
			assert.Error(t, schematest.Validate(t, s, []byte(`{}`)))
			assert.NotContains(t, string(out), `"type":[`, "no unions")
			total += len(out)
		})
	}
	t.Logf("%d output schemas, %d bytes", len(outputs()), total)
	assert.Greater(t, len(outputs()), 25)
}

// The types of package adapter are valid by the schemas of their tools.
func TestOutputSchemasTakeRealObjects(t *testing.T) {
	wait := schematest.Compile(t, outputs()["breakpoint_wait"].json())
	assert.NoError(t,
		schematest.Validate(t, wait,
			[]byte(`{"success":true,"session":{"sessionId":"s1","state":"paused","lastSeq":41},"hit":true,"reason":"hit",`+
				`"stop":{"seq":41,"reason":"breakpoint","threadId":7,"breakpointIds":["bp-1"],"hitCount":1,`+
				`"location":{"file":"/p.cs","line":3},"source":["> 3 x"]},"lastSeq":41,"state":"paused"}`)))
	assert.Error(t,
		schematest.Validate(t, wait,
			[]byte(`{"success":true,"stop":{"seq":41,"reason":"breakpoint","threadId":7,"breakpointIds":null}}`)),
		"a nil slice must not become null")
	list := schematest.Compile(t, outputs()["breakpoint_list"].json())
	assert.NoError(t,
		schematest.Validate(t, list,
			[]byte(`{"success":true,"count":1,"breakpoints":[{"id":"tp-2","type":"tracepoint","enabled":true,`+
				`"state":"bound","verified":true,"hitCount":0,"notificationsSent":0}]}`)))
	assert.Panics(t, func() { outputOf("a:nothing") })
}

func TestToolIsListedWhole(t *testing.T) {
	p := ready(t, newRig())
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	l := p.response(1)
	assert.Contains(t, l.raw, `{"annotations":{"title":"Echo","readOnlyHint":true,"destructiveHint":false,`+
		`"idempotentHint":false,"openWorldHint":false},`+
		`"description":"Echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},`+
		`"required":["text"]},"name":"echo",`+
		`"outputSchema":{"type":"object","properties":{"success":{"type":"boolean"},"error":`)
	assert.Contains(t, l.raw, `"title":"Echo"}`)
}

func TestUnknownErrorsAndCauses(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errClosing)
	for _, tc := range []struct {
		name string
		err  error
		want string
	}{
		{"unknown", errors.New("boom"), `"code":"INTERNAL","message":"boom"`},
		{"cancelled says why", context.Canceled, `"code":"CANCELLED","message":"the call was cancelled before it ` +
			`ended: breakwire is closing"`},
		{"own", fault.Errorf(fault.EvalFailed, "no x"), `"code":"EVAL_FAILED","message":"no x"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			raw, failed := callTool(ctx, "t", func() (any, error) { return nil, tc.err })
			assert.True(t, failed)
			assert.Contains(t, string(raw), tc.want)
		})
	}
	raw, failed := callTool(ctx, "t", func() (any, error) { return []int{}, nil })
	assert.True(t, failed)
	assert.Contains(t, string(raw), "is not an object")
}

// A tool works without our transport too: with decoded arguments only, and without a client.
func TestToolWithoutStdio(t *testing.T) {
	r := newRig()
	resp := r.server.HandleMessage(context.Background(),
		json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"carry","arguments":{"seq":1}}}`))
	raw, err := json.Marshal(resp)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"structuredContent":{"success":true,"cursor":0}`)

	tool := r.server.GetTool("echo")
	require.NotNil(t, tool)
	var req mcp.CallToolRequest
	req.Params.Arguments = map[string]any{"text": "<x>"}
	result, err := tool.Handler(context.Background(), req)
	require.NoError(t, err)
	assert.Equal(t, `{"success":true,"text":"<x>"}`, string(result.RawStructuredContent))
	req.Params.Arguments = map[string]any{"text": make(chan int)}
	result, err = tool.Handler(context.Background(), req)
	require.NoError(t, err)
	assert.True(t, result.IsError)
	var _ server.ToolHandlerFunc = tool.Handler
}
