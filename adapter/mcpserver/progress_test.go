package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		c := &call{
			token:  func() json.RawMessage { return json.RawMessage(`"tok<1>"`) },
			notify: func(method string, params []byte) { sent = append(sent, method+" "+string(params)) },
		}
		n := 0
		stop := Progress(withCall(t.Context(), c), 30*time.Second, func() string { n++; return fmt.Sprint("hit ", n) })
		time.Sleep(2500 * time.Millisecond)
		stop()
		stop()
		time.Sleep(time.Hour)
		assert.Equal(t, []string{
			`notifications/progress {"progressToken":"tok<1>","progress":1,"total":30,"message":"hit 1"}`,
			`notifications/progress {"progressToken":"tok<1>","progress":2,"total":30,"message":"hit 2"}`,
		}, sent)
	})
}

func TestProgressEndsWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		c := &call{token: func() json.RawMessage { return json.RawMessage(`1`) }, notify: func(string, []byte) { n++ }}
		ctx, cancel := context.WithCancel(t.Context())
		stop := Progress(withCall(ctx, c), 0, nil)
		time.Sleep(1500 * time.Millisecond)
		cancel()
		time.Sleep(time.Hour)
		stop()
		assert.Equal(t, 1, n)
	})
}

func TestProgressUnasked(t *testing.T) {
	Progress(context.Background(), 0, nil)()
	Progress(withCall(context.Background(), &call{}), 0, nil)()
	Progress(withCall(context.Background(), &call{token: func() json.RawMessage {
		return nil
	}, notify: func(string, []byte) { t.Error("unasked") }}), 0, nil)()
}

func TestProgressIsKeptOnceAndNotSentAfterTheEnd(t *testing.T) {
	o := newOutbox()
	c := &call{key: "n1"}
	require.True(t, o.notify("call:n1", []byte("1\n"), 1, c))
	require.True(t, o.notify("", []byte("x\n"), 1, nil))
	require.True(t, o.notify("call:n1", []byte("2\n"), 2, c))
	items, _ := o.take(nil)
	require.Len(t, items, 2)
	assert.Equal(t, "2\n", string(items[0].line), "the newest, in the place of the first")
	assert.False(t, o.notify("", make([]byte, noteBytes+1), 1, nil), "bounded")
}

func TestProgressOverStdio(t *testing.T) {
	r := newRig()
	addTool(r.server, Tool{Name: "progress", Title: "Progress"}, func(ctx context.Context, _ struct{}) (any, error) {
		c := callFrom(ctx)
		if token := c.token(); token != nil {
			c.notify("notifications/progress", progressParams(token, 3*time.Second, 0, ""))
		}
		return nil, nil
	})
	p := ready(t, r)
	for _, token := range []string{`9007199254740993`, `"a"`} {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress",`+
			`"_meta":{"progressToken":%s}}}`, token)
		l := p.notification("notifications/progress")
		assert.Equal(t, token, string(l.Params.ProgressToken))
		assert.EqualValues(t, 3, l.Params.Progress)
		p.response(1)
	}
	p.call(2, "progress", `{}`)
	p.response(2)
}
