package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/journal"
	"breakwire/adapter/mcpserver/jsonrpc"
)

func TestBlockedCallsDoNotDelayOthers(t *testing.T) {
	p := ready(t, newRig())
	for i := range 100 {
		p.call(i, "block", `{}`)
	}
	for range 100 {
		await(t, p.rig.blocked)
	}
	p.call("x", "echo", `{"text":"hi"}`)
	l := p.response("x")
	assert.JSONEq(t, `{"success":true,"text":"hi"}`, string(l.Result.StructuredContent))
	assert.Equal(t, string(l.Result.StructuredContent), l.Result.Content[0].Text)
	p.rig.hits(1)
	p.notification("debugger/breakpointHit")
}

func TestBurstIsWholeAndInOrder(t *testing.T) {
	p := ready(t, newRig())
	p.call(1, "burst", `{"n":10000}`)
	for i := range 10_000 {
		l := p.notification("debugger/breakpointHit")
		require.Equal(t, uint64(i+1), l.Params.Seq)
		require.Zero(t, l.Params.Missed)
	}
	p.response(1)
}

func TestHitsPrecedeTheResponseThatTheyBelongTo(t *testing.T) {
	p := ready(t, newRig())
	seq := uint64(0)
	for i := range 2000 {
		p.call(i, "burst", `{"n":2}`)
		for range 2 {
			seq++
			require.Equal(t, seq, p.notification("debugger/breakpointHit").Params.Seq)
		}
		p.response(i)
	}
}

func TestListChangePrecedesTheResponse(t *testing.T) {
	p := ready(t, newRig())
	for i := range 200 {
		p.call(i, "add_resource", `{}`)
		p.notification("notifications/resources/list_changed")
		p.response(i)
	}
}

func TestClientThatStopsReading(t *testing.T) {
	r := newRig()
	p := ready(t, r)
	const total = 200_000
	start := time.Now()
	r.hits(total)
	t.Logf("%d appends took %v", total, time.Since(start))

	var got, missed, last uint64
	for got+missed < total {
		l := p.notification("debugger/breakpointHit")
		require.Greater(t, l.Params.Seq, last)
		require.Equal(t, l.Params.Seq-last-1, l.Params.Missed, "seq %d after %d", l.Params.Seq, last)
		got, missed, last = got+1, missed+l.Params.Missed, l.Params.Seq
	}
	assert.Equal(t, uint64(total), last)
	assert.Greater(t, missed, uint64(100_000), "what was not read is in the journal's rings only")
}

func TestClientThatStopsReadingHoldsBackItsRequests(t *testing.T) {
	p := ready(t, newRig(), func(o *StdioOptions) { o.AnswerBytes = 200_000 })
	const calls, size = 60, 50_000
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for i := range calls {
			p.call(i, "big", fmt.Sprintf(`{"n":%d}`, size))
			// Padding, so that requests do not all fit into the pipe.
			p.send(`{"jsonrpc":"2.0","method":"notifications/x","params":{"pad":%q}}`, strings.Repeat("p", 10_000))
		}
	}()
	seen := map[string]bool{}
	for range calls {
		l, ok := p.next()
		require.True(t, ok)
		seen[string(l.ID)] = true
	}
	assert.Len(t, seen, calls)
	await(t, sent)
}

func TestCancelEndsACallWithoutAResponse(t *testing.T) {
	p := ready(t, newRig())
	for i := range 200 {
		p.call(i, "block", `{}`)
		if i%2 == 0 {
			await(t, p.rig.blocked) // otherwise the cancellation comes on the next line
		}
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i)
		assert.ErrorIs(t, await(t, p.rig.causes), errClientCancelled)
		p.sync() // reads the next line: there was none for i
	}
}

func TestCancelBeforeTheResponseIsWritten(t *testing.T) {
	calls := newCalls(func(*call) {})
	c := &call{key: "n1", cancel: func(error) {}}
	_, ok := calls.start(c)
	require.True(t, ok)
	queued := 0
	calls.answer(c, func() { queued++ })
	assert.Equal(t, 1, queued)
	calls.cancelled("n1")
	assert.False(t, calls.commit(c), "cancelled while the response was in the outbox")

	d := &call{key: "n1", cancel: func(error) {}}
	_, ok = calls.start(d)
	require.True(t, ok, "the id is free again")
	assert.True(t, func() bool { calls.answer(d, func() {}); return calls.commit(d) }())
	calls.cancelled("n1") // too late, without an effect
}

func TestInitializeIsNotCancelled(t *testing.T) {
	p := connect(t, newRig())
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	assert.Equal(t, "2025-06-18", p.response(1).Result.ProtocolVersion)
}

func TestDuplicateIDs(t *testing.T) {
	p := ready(t, newRig())
	p.call(7, "block", `{}`)
	await(t, p.rig.blocked)
	p.call(7, "echo", `{"text":"x"}`)
	l := p.response(7)
	require.NotNil(t, l.Error)
	assert.Equal(t, -32600, l.Error.Code)
	p.call("7", "echo", `{"text":"x"}`) // a string is a different id
	assert.Nil(t, p.response("7").Error)
	p.call(8, "echo", `{"text":"x"}`)
	p.response(8)
	p.call(8, "echo", `{"text":"x"}`) // used again after its answer
	assert.Nil(t, p.response(8).Error)
}

func TestIDsAreRepeatedAsSent(t *testing.T) {
	p := ready(t, newRig())
	for _, id := range []string{`9007199254740993`, `-1`, `"a\"b"`, `"\u00e9"`, `1.5`, `""`} {
		p.send(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id)
		l, ok := p.next()
		require.True(t, ok)
		assert.Equal(t, id, string(l.ID))
	}
}

func TestTooManyRequests(t *testing.T) {
	p := ready(t, newRig(), func(o *StdioOptions) { o.RequestBytes = 1500 })
	p.call(1, "block", `{}`)
	p.call(2, "block", `{}`)
	await(t, p.rig.blocked)
	await(t, p.rig.blocked)
	p.call(3, "echo", `{"text":"x"}`)
	l := p.response(3)
	require.NotNil(t, l.Error)
	assert.Equal(t, jsonrpc.TooManyRequests, l.Error.Code)
}

func TestGarbage(t *testing.T) {
	long := strings.Repeat("y", 5000)
	for _, tc := range []struct {
		name, in string
		id       string
		code     int // 0: no answer
	}{
		{"not JSON", `{nope`, `null`, -32700},
		{"empty line", ``, ``, 0},
		{"spaces", "  \t\r", ``, 0},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `null`, -32600},
		{"number", `12`, `null`, -32600},
		{"null", `null`, `null`, -32600},
		{"no method", `{"jsonrpc":"2.0","id":4}`, `4`, -32600},
		{"method is a number", `{"jsonrpc":"2.0","id":4,"method":5}`, `4`, -32600},
		{"id is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `null`, -32600},
		{"id is null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `null`, -32600},
		{"no version", `{"id":4,"method":"ping"}`, `4`, -32600},
		{"other version", `{"jsonrpc":"1.0","id":4,"method":"ping"}`, `4`, -32600},
		{"result and method", `{"jsonrpc":"2.0","id":4,"method":"ping","result":{}}`, `4`, -32600},
		{"unknown method", `{"jsonrpc":"2.0","id":4,"method":"nope"}`, `4`, -32601},
		{"unknown tool", `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nope"}}`, `4`, -32602},
		{"params is a list", `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[1]}`, `4`, -32600},
		{"response of nothing", `{"jsonrpc":"2.0","id":4,"result":{}}`, ``, 0},
		{"error of nothing", `{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"x"}}`, ``, 0},
		{"unknown notification", `{"jsonrpc":"2.0","method":"notifications/x"}`, ``, 0},
		{"bad notification", `{"jsonrpc":"2.0","method":"notifications/x","params":[1]}`, ``, 0},
		{"cancel of nothing", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, ``, 0},
		{"cancel without id", `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, ``, 0},
		{"too long, id first", `{"jsonrpc":"2.0","id":4,"method":"x","params":"` + long + `"}`, `4`, -32600},
		{"too long, id last", `{"method":"x","params":{"id":3,"v":"` + long + `"},"jsonrpc":"2.0","id":"z"}`, `"z"`, -32600},
		{"too long, no id", `{"method":"x","params":"` + long + `"}`, `null`, -32600},
		{"too long, no JSON", long, `null`, -32600},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := ready(t, newRig(), func(o *StdioOptions) { o.MaxLine = 4000 })
			_, err := p.in.WriteString(tc.in + "\n")
			require.NoError(t, err)
			if tc.code != 0 {
				l, ok := p.next()
				require.True(t, ok)
				require.NotNil(t, l.Error, "%s", l.raw)
				assert.Equal(t, tc.code, l.Error.Code, "%s", l.raw)
				id := string(l.ID)
				if id == "" {
					id = "null"
				}
				assert.Equal(t, tc.id, id)
				assert.NotEmpty(t, l.Error.Message)
			}
			p.sync() // the server continues, and there was no other answer
		})
	}
}

func TestBytesThatAreNotUTF8(t *testing.T) {
	p := ready(t, newRig())
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call",` +
		`"params":{"name":"echo","arguments":{"text":"a` + "\xff" + `b"}}}`)
	assert.JSONEq(t, `{"success":true,"text":"a\ufffdb"}`, string(p.response(1).Result.StructuredContent))
	p.send("{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}")
	l, ok := p.next()
	require.True(t, ok)
	assert.Equal(t, "\"\ufffd\"", string(l.ID))
}

func TestByteOrderMarkAndWindowsLineEnds(t *testing.T) {
	p := connect(t, newRig())
	p.send("\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r")
	assert.Nil(t, p.response(1).Error)
}

func TestPanicsAndFailures(t *testing.T) {
	p := ready(t, newRig())
	p.call(1, "panic", `{}`)
	l := p.response(1)
	assert.True(t, l.Result.IsError)
	assert.Contains(t, l.raw, `"code":"INTERNAL"`)
	p.call(2, "fail", `{}`)
	l = p.response(2)
	assert.True(t, l.Result.IsError)
	want := `{"success":false,"error":{"code":"NOT_PAUSED","message":"List<int> runs & runs",` +
		`"details":{"sessionId":"s1"}}}`
	assert.Equal(t, want, string(l.Result.StructuredContent), "no HTML escaping")
	assert.Equal(t, want, l.Result.Content[0].Text)
	p.call(3, "echo", `{"txt":"x"}`)
	l = p.response(3)
	assert.True(t, l.Result.IsError)
	assert.Contains(t, l.raw, `INVALID_PARAMETER`)
}

func TestStopCursorMovesWithTheAnswer(t *testing.T) {
	p := ready(t, newRig())
	cursor := func(id any, l line) uint64 {
		var r cursorResult
		require.NoError(t, json.Unmarshal(l.Result.StructuredContent, &r))
		return r.Cursor
	}
	p.call(1, "carry", `{"seq":5}`)
	assert.EqualValues(t, 0, cursor(1, p.response(1)))
	p.call(2, "carry", `{"seq":3}`)
	assert.EqualValues(t, 5, cursor(2, p.response(2)))
	p.call(3, "carry_block", `{"seq":9}`)
	await(t, p.rig.blocked)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	await(t, p.rig.causes)
	p.call(4, "carry", `{}`)
	assert.EqualValues(t, 5, cursor(4, p.response(4)), "never back, and not by a cancelled answer")
}

func TestAllAnswersAfterEndOfInput(t *testing.T) {
	r := newRig()
	p := ready(t, r)
	for i := range 200 {
		p.call(i, "hold", `{}`)
	}
	for range 200 {
		await(t, r.blocked)
	}
	for i := range 3 {
		p.call(200+i, "burst", `{"n":1}`)
	}
	p.in.Close()
	close(r.release)
	answers, hits := 0, 0
	for _, l := range p.rest() {
		if l.ID != nil {
			answers++
			assert.False(t, l.Result.IsError)
		} else {
			hits++
		}
	}
	assert.Equal(t, 203, answers)
	assert.Equal(t, 3, hits)
	assert.NoError(t, p.result())
}

func TestLastLineWithoutNewline(t *testing.T) {
	p := ready(t, newRig())
	_, err := p.in.WriteString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	require.NoError(t, err)
	p.in.Close()
	p.response(1)
	assert.Empty(t, p.rest())
}

func TestWaitsEndAfterEndOfInput(t *testing.T) {
	p := ready(t, newRig(), func(o *StdioOptions) { o.Grace = time.Millisecond })
	p.call(1, "block", `{}`)
	await(t, p.rig.blocked)
	p.in.Close()
	l := p.response(1)
	assert.Contains(t, l.raw, `"code":"CANCELLED"`)
	assert.Contains(t, l.raw, "breakwire is closing")
	assert.ErrorIs(t, await(t, p.rig.causes), errClosing)
	assert.Empty(t, p.rest())
	assert.NoError(t, p.result())
}

func TestContextCancelled(t *testing.T) {
	p := ready(t, newRig(), func(o *StdioOptions) { o.StopGrace = time.Millisecond; o.Grace = time.Hour })
	p.call(1, "block", `{}`)
	await(t, p.rig.blocked)
	p.rig.hits(10)
	p.cancel()
	answered, hits := false, 0
	for _, l := range p.rest() {
		if l.ID != nil {
			answered = true
		} else {
			hits++
		}
	}
	assert.True(t, answered)
	assert.Equal(t, 10, hits)
	assert.NoError(t, p.result())
}

func TestCallThatNeverEnds(t *testing.T) {
	p := ready(t, newRig(), func(o *StdioOptions) { o.Grace, o.EndGrace = time.Millisecond, 50*time.Millisecond })
	p.call(1, "hold", `{}`)
	await(t, p.rig.blocked)
	p.in.Close()
	assert.NoError(t, p.result())
	close(p.rig.release)
}

func TestOutputClosedByClient(t *testing.T) {
	p := ready(t, newRig())
	p.call(1, "block", `{}`)
	await(t, p.rig.blocked)
	p.out.Close()
	p.rig.hits(1)
	assert.ErrorContains(t, p.result(), "write to the client: ")
	assert.ErrorIs(t, await(t, p.rig.causes), errClosing)
}

func TestClientThatNeverReadsAgainCannotHoldUpTheEnd(t *testing.T) {
	p := ready(t, newRig(), func(o *StdioOptions) {
		o.EndGrace = 20 * time.Millisecond
		o.Grace = time.Millisecond
		o.AnswerBytes = 1000
	})
	for i := range 3 {
		p.call(i, "big", `{"n":1000000}`)
	}
	p.rig.hits(10_000)
	p.in.Close()
	p.cancel()
	assert.ErrorContains(t, p.result(), "does not read")
}

func TestBothProtocolGenerations(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			p := connect(t, newRig())
			assert.Equal(t, version, p.handshake(version).Result.ProtocolVersion)
			p.call(1, "burst", `{}`)
			p.notification("debugger/breakpointHit")
			assert.Empty(t, p.response(1).Result.ResultType)
			p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
			assert.NotEmpty(t, p.response(2).Result.Tools)
		})
	}
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	t.Run("2026-07-28 with discovery", func(t *testing.T) {
		p := connect(t, newRig())
		p.sync()
		p.rig.hits(1)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{%s}}`, meta)
		assert.Contains(t, p.response(1).Result.SupportedVersions, "2026-07-28", "answered before what was held")
		p.notification("debugger/breakpointHit")
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"burst","arguments":{},%s}}`, meta)
		p.notification("debugger/breakpointHit")
		l := p.response(2)
		assert.Equal(t, "complete", l.Result.ResultType)
		assert.JSONEq(t, `{"success":true}`, string(l.Result.StructuredContent))
		assert.Contains(t, l.raw, `"io.modelcontextprotocol/serverInfo":{"name":"rig"`)
	})
	t.Run("2026-07-28 without", func(t *testing.T) {
		p := connect(t, newRig())
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"burst","arguments":{},%s}}`, meta)
		p.notification("debugger/breakpointHit")
		p.response(2)
	})
	t.Run("subscriptions", func(t *testing.T) {
		p := connect(t, newRig())
		p.send(`{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen",`+
			`"params":{"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["debugger://session"]},%s}}`, meta)
		// Without waiting for the acknowledgement, as the Go SDK does.
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"touch",%s}}`, meta)
		var order []string
		for range 3 {
			l, ok := p.next()
			require.True(t, ok)
			order = append(order, l.Method)
		}
		order = slices.DeleteFunc(order, func(s string) bool { return s == "" })
		assert.Equal(t, []string{"notifications/subscriptions/acknowledged", "notifications/resources/updated"}, order)
		tag := func(l line) any { return l.Params.Meta["io.modelcontextprotocol/subscriptionId"] }
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"touch",%s}}`, meta)
		l := p.notification("notifications/resources/updated")
		assert.Equal(t, "debugger://session", l.Params.URI)
		assert.EqualValues(t, 9, tag(l))
		p.response(2)
		p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add_resource",%s}}`, meta)
		assert.EqualValues(t, 9, tag(p.notification("notifications/resources/list_changed")))
		p.response(3)
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`)
		p.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add_resource",%s}}`, meta)
		p.response(4) // not subscribed to: no list change follows
	})
	t.Run("subscription at the end of input", func(t *testing.T) {
		p := connect(t, newRig(), func(o *StdioOptions) { o.Grace = time.Hour })
		p.send(`{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen",`+
			`"params":{"notifications":{"resourcesListChanged":true},%s}}`, meta)
		p.notification("notifications/subscriptions/acknowledged")
		p.in.Close()
		p.response(9)
		assert.NoError(t, p.result())
	})
}

func TestSubscribedResources(t *testing.T) {
	p := ready(t, newRig())
	p.call(1, "touch", `{}`)
	p.response(1)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"debugger://session"}}`)
	p.response(2)
	p.call(3, "touch", `{}`)
	l := p.notification("notifications/resources/updated")
	assert.Equal(t, "debugger://session", l.Params.URI)
	assert.Nil(t, l.Params.Meta)
	p.response(3)
	p.send(`{"jsonrpc":"2.0","id":4,"method":"resources/unsubscribe","params":{"uri":"debugger://session"}}`)
	p.response(4)
	p.call(5, "touch", `{}`)
	p.response(5)
}

func TestNotificationsAreHeldUntilTheClientIsReady(t *testing.T) {
	p := connect(t, newRig())
	p.sync()
	p.rig.hits(3)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}`)
	p.response(1)
	p.call(2, "add_resource", `{}`)
	p.response(2)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	var methods []string
	for range 4 {
		l, ok := p.next()
		require.True(t, ok)
		methods = append(methods, l.Method)
	}
	assert.ElementsMatch(t, []string{"notifications/resources/list_changed", "debugger/breakpointHit",
		"debugger/breakpointHit", "debugger/breakpointHit"}, methods)
}

func TestSessionInOneWrite(t *testing.T) {
	p := connect(t, newRig())
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"burst"}}`)
	p.in.Close()
	p.response(1)
	p.notification("debugger/breakpointHit")
	p.response(2)
}

func TestDirectMessages(t *testing.T) {
	p := connect(t, newRig(), func(o *StdioOptions) {
		o.Direct = func(m *jsonrpc.Message) func(context.Context) []byte {
			switch {
			case m.Method == "health" && !m.Versioned:
				return func(context.Context) []byte { return []byte(`{"success":true}`) }
			case m.Method == "health":
				return func(context.Context) []byte {
					return append(jsonrpc.AppendID([]byte(`{"jsonrpc":"2.0","result":{},"id":`), m.ID), '}')
				}
			case m.Method == "quiet":
				return func(context.Context) []byte { return nil }
			case m.Method == "panic":
				return func(context.Context) []byte { panic("on purpose") }
			}
			return nil
		}
	})
	p.send(`{"method":"health"}`)
	l, ok := p.next()
	require.True(t, ok)
	assert.Equal(t, "{\"success\":true}\n", l.raw)
	p.send(`{"jsonrpc":"2.0","id":5,"method":"health"}`)
	p.response(5)
	p.send(`{"jsonrpc":"2.0","id":6,"method":"quiet"}`)
	p.send(`{"jsonrpc":"2.0","id":7,"method":"panic"}`)
	assert.Equal(t, -32603, p.response(7).Error.Code)
	p.sync()
}

func TestPanicInRenderIsSurvived(t *testing.T) {
	p := ready(t, newRig(), func(o *StdioOptions) {
		o.Render = func(c *Client, dst []byte, e *journal.Entry, missed uint64) []byte {
			if e.Seq == 1 {
				panic("on purpose")
			}
			return renderHit(c, dst, e, missed)
		}
	})
	p.rig.hits(2)
	assert.EqualValues(t, 2, p.notification("debugger/breakpointHit").Params.Seq)
}

// In fake time, over in-memory pipes: the time of a running call after the end of the input.
func TestGraceAfterEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		addTool(r.server, Tool{Name: "slow", Title: "1.9 s"}, func(ctx context.Context, _ struct{}) (any, error) {
			select {
			case <-time.After(1900 * time.Millisecond):
				return nil, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		served := make(chan error, 1)
		go func() {
			served <- ServeStdio(context.Background(), inR, outW, r.options())
			outW.Close()
		}()
		fmt.Fprintln(inW, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`)
		fmt.Fprintln(inW, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"block"}}`)
		start := time.Now()
		inW.Close()
		lines := bufio.NewScanner(outR)
		require.True(t, lines.Scan())
		assert.Contains(t, lines.Text(), `{"success":true}`)
		assert.Equal(t, 1900*time.Millisecond, time.Since(start))
		require.True(t, lines.Scan())
		assert.Contains(t, lines.Text(), `CANCELLED`)
		assert.Equal(t, 2*time.Second, time.Since(start))
		assert.False(t, lines.Scan())
		assert.NoError(t, <-served)
	})
}
