package mcpserver_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// The methods of resource notifications.
const (
	listChanged = "notifications/resources/list_changed"
	updated     = "notifications/resources/updated"
)

// era is a protocol generation: how its clients connect, subscribe and get errors.
type era struct {
	name     string
	modern   bool
	notThere int // the error code for a missing resource
}

var eras = []era{{"2025-11-25", false, -32002}, {"2026-07-28", true, -32602}}

// with adds to params what each request of the generation has.
func (e era) with(params map[string]any) map[string]any {
	if params == nil {
		params = map[string]any{}
	}
	if e.modern {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "mcptest", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	return params
}

// peer is a client of one generation.
type peer struct {
	*mcptest.Client
	era
	t      *testing.T
	listen int // the newest subscriptions/listen
}

func (e era) call(c *mcptest.Client, method string, params map[string]any) mcptest.Response {
	return c.Request(method, e.with(params))
}

// tool calls a tool that must succeed.
func (p *peer) tool(name string, args mcptest.Args) mcptest.Result {
	p.t.Helper()
	if args == nil {
		args = mcptest.Args{}
	}
	r := p.AwaitCall(p.Begin("tools/call", p.with(map[string]any{"name": name, "arguments": args})))
	require.False(p.t, r.IsError, "%s", r.Raw)
	return r
}

// uris lists the URIs of the resources.
func (p *peer) uris() []string {
	p.t.Helper()
	var result struct {
		Resources []struct{ URI, MimeType, Name, Title, Description string }
	}
	require.NoError(p.t, json.Unmarshal(p.call(p.Client, "resources/list", nil).Result, &result))
	uris := []string{}
	for _, r := range result.Resources {
		require.NotEmpty(p.t, r.Title)
		require.NotEmpty(p.t, r.Description)
		require.Equal(p.t, "application/json", r.MimeType)
		uris = append(uris, r.URI)
	}
	return uris
}

func (p *peer) templates() []string {
	p.t.Helper()
	var result struct {
		ResourceTemplates []struct{ URITemplate string }
	}
	require.NoError(p.t, json.Unmarshal(p.call(p.Client, "resources/templates/list", nil).Result, &result))
	uris := []string{}
	for _, r := range result.ResourceTemplates {
		uris = append(uris, r.URITemplate)
	}
	return uris
}

// text reads a resource that must exist.
func (p *peer) text(uri string) string {
	p.t.Helper()
	r := p.call(p.Client, "resources/read", map[string]any{"uri": uri})
	require.Nil(p.t, r.Error, "%s", uri)
	var result struct {
		Contents []struct{ URI, MimeType, Text string }
	}
	require.NoError(p.t, json.Unmarshal(r.Result, &result))
	require.Len(p.t, result.Contents, 1)
	require.Equal(p.t, uri, result.Contents[0].URI)
	return result.Contents[0].Text
}

// read reads a JSON resource.
func (p *peer) read(uri string) mcptest.Result {
	p.t.Helper()
	return mcptest.NewResult(p.t, json.RawMessage(p.text(uri)))
}

// refused reads a resource that must fail, and returns the error's data.
func (p *peer) refused(uri, code string, rpc int) mcptest.Result {
	p.t.Helper()
	r := p.call(p.Client, "resources/read", map[string]any{"uri": uri})
	require.NotNil(p.t, r.Error, "%s: %s", uri, r.Result)
	data := mcptest.NewResult(p.t, r.Error.Data)
	require.Equal(p.t, code, data.String("code"), "%s: %s", uri, r.Error.Message)
	require.Equal(p.t, r.Error.Message, data.String("message"))
	require.True(p.t, data.Has("details"))
	require.Equal(p.t, rpc, r.Error.Code, uri)
	return data
}

// subscribe subscribes in the generation's way.
func (p *peer) subscribe(uris ...string) {
	p.t.Helper()
	if p.modern {
		acknowledged := len(p.Notifications("notifications/subscriptions/acknowledged"))
		p.listen = p.Begin("subscriptions/listen", p.with(map[string]any{
			"notifications": map[string]any{"resourcesListChanged": true, "resourceSubscriptions": uris},
		}))
		p.AwaitNotifications("notifications/subscriptions/acknowledged", acknowledged+1)
		return
	}
	for _, uri := range uris {
		require.Nil(p.t, p.Request("resources/subscribe", map[string]any{"uri": uri}).Error)
	}
}

func (e era) connect(t *testing.T, program daptest.Program, setup ...func(*daptest.Adapter)) (*peer, *mcptest.Fakes) {
	t.Helper()
	m, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program, setup...)
	if e.modern {
		return &peer{Client: mcptest.Connect(t, m, mcpserver.Options{}), era: e, t: t}, fakes
	}
	return &peer{Client: mcptest.Serve(t, m, mcpserver.Options{}), era: e, t: t}, fakes
}

func eachEra(t *testing.T, test func(t *testing.T, e era)) {
	for _, e := range eras {
		t.Run(e.name, func(t *testing.T) { test(t, e) })
	}
}

var shortURIs = []string{
	"debugger://session", "debugger://breakpoints", "debugger://threads", "debugger://modules", "debugger://output",
	"debugger://events",
}

func TestResourcesOfASession(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		p, _ := e.connect(t, loop(3))
		require.Empty(t, p.uris())
		require.Empty(t, p.templates())
		for _, uri := range append(slices.Clone(shortURIs), "debugger://source/x.cs", "debugger://sessions/s1/session") {
			p.refused(uri, "NO_SESSION", e.notThere)
		}
		p.subscribe(shortURIs...)
		tp := p.tool("tracepoint_set", mcptest.Args{"file": "/src/LoopApp/Program.cs", "line": 9,
			"log_message": "{i}"}).String("breakpoint.id")
		p.tool("breakpoint_set", mcptest.Args{"file": "/src/LoopApp/Program.cs", "line": 10})
		p.tool("breakpoint_set_exception", mcptest.Args{"exception_type": "System.Exception"})
		p.tool("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll", "stop_at_entry": false})

		require.Len(t, p.Notifications(listChanged), 1, "it precedes the answer")
		require.Equal(t, shortURIs, p.uris())
		require.Equal(t, []string{"debugger://source/{file}"}, p.templates())
		for _, uri := range shortURIs {
			p.AwaitUpdates(uri, 1)
		}
		session := p.read("debugger://session")
		require.Equal(t, "paused", session.String("session.state"))
		require.Equal(t, "netcoredbg", session.String("session.backend"))
		require.Equal(t, 10, session.Int("stop.location.line"))
		breakpoints := p.read("debugger://breakpoints")
		require.Equal(t, 2, breakpoints.Len("breakpoints"))
		require.Equal(t, tp, breakpoints.String("breakpoints.0.id"))
		require.Equal(t, 1, breakpoints.Int("breakpoints.0.hitCount"))
		require.Equal(t, "System.Exception", breakpoints.String("exceptionBreakpoints.0.exceptionType"))
		p.tool("threads_list", nil) // otherwise the list may still be requested
		threads := p.read("debugger://threads")
		require.Equal(t, 1, threads.Len("threads"))
		require.False(t, threads.Bool("stale"))
		require.NotEmpty(t, threads.String("capturedAt"))
		require.Equal(t, threads, p.read("debugger://sessions/s1/threads"), "the long URI says the same")
		modules := p.read("debugger://modules")
		require.Equal(t, modules.Len("modules"), modules.Int("count"))
		require.True(t, p.read("debugger://output").Has("stdout"))
		events := p.read("debugger://events")
		require.Equal(t, events.Int("lastSeq"), events.Int("events."+itoa(events.Len("events")-1)+".seq"))

		before := p.Updates("debugger://session")
		p.tool("debug_step", mcptest.Args{"mode": "over"})
		p.AwaitUpdates("debugger://session", before+1)
		require.Equal(t, 11, p.read("debugger://session").Int("stop.location.line"), "what an update announces is there")

		p.tool("debug_disconnect", nil)
		require.Len(t, p.Notifications(listChanged), 2)
		require.Empty(t, p.uris())
		require.Empty(t, p.templates())
		data := p.refused("debugger://session", "NO_SESSION", e.notThere)
		require.Equal(t, "killed", data.String("details.endReason"))
		for _, u := range p.Notifications(updated) {
			require.Equal(t, e.modern, u.Has("_meta"), "only a listen's updates name it: %s", u.Raw)
		}
	})
}

func TestResourcesWhileStarting(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		gate, open := daptest.Gate()
		p, _ := e.connect(t, loop(3), func(a *daptest.Adapter) {
			a.OnRequest("launch", func(*dapclient.Message) daptest.Action { return daptest.Hold(gate) })
		})
		p.subscribe("debugger://session")
		launch := p.Begin("tools/call", p.with(map[string]any{
			"name": "debug_launch", "arguments": map[string]any{"program": "/src/LoopApp/LoopApp.dll", "stop_at_entry": true},
		}))
		p.AwaitNotifications(listChanged, 1)
		require.Equal(t, shortURIs, p.uris())
		require.Equal(t, "starting", p.read("debugger://session").String("session.state"))
		threads := p.read("debugger://threads")
		require.Zero(t, threads.Len("threads"))
		require.True(t, threads.Bool("stale"))
		for _, uri := range []string{"debugger://breakpoints", "debugger://modules", "debugger://output",
			"debugger://events", "debugger://source/x"} {
			p.refused(uri, "SESSION_STARTING", -32603)
		}
		open()
		require.False(t, p.AwaitCall(launch).IsError)
		require.Equal(t, "paused", p.read("debugger://session").String("session.state"))
	})
}

func TestResourcesOfSeveralSessions(t *testing.T) {
	p, _ := eras[0].connect(t, loop(3))
	for range 2 {
		p.tool("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll"})
	}
	require.Len(t, p.Notifications(listChanged), 2)
	uris := p.uris()
	require.Len(t, uris, 18)
	require.Equal(t, shortURIs, uris[:6])
	require.Contains(t, uris, "debugger://sessions/s2/threads")
	require.Equal(t, []string{
		"debugger://source/{file}", "debugger://sessions/s1/source/{file}", "debugger://sessions/s2/source/{file}",
	}, p.templates())
	require.Equal(t, "s1", p.read("debugger://session").String("session.sessionId"))
	require.Equal(t, "s2", p.read("debugger://sessions/s2/session").String("session.sessionId"))
	require.Empty(t, p.read("debugger://sessions/s2/breakpoints").Strings("breakpoints"))

	p.subscribe("debugger://session", "debugger://sessions/s2/session", "debugger://sessions/s1/modules")
	p.tool("debug_disconnect", mcptest.Args{"session_id": "s1"})
	p.AwaitUpdates("debugger://session", 1)
	require.Equal(t, "s2", p.read("debugger://session").String("session.sessionId"), "the short URI means the next one")
	require.Zero(t, p.Updates("debugger://sessions/s2/session"), "nothing of it changed")
	require.Equal(t, shortURIs, p.uris())
	p.refused("debugger://sessions/s1/session", "NO_SESSION", -32002)
	p.refused("debugger://sessions/s9/session", "NO_SESSION", -32002)
}

func TestStrangeURIs(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		p, _ := e.connect(t, loop(3))
		p.tool("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll"})
		for _, uri := range []string{
			"foo://session", "debugger://", "debugger://nothing", "debugger://session/x", "debugger://any",
			"debugger://sessions/s1",
			"debugger://sessions//session", "debugger://sessions/s1/nothing", "debugger://source/",
			"debugger://source/a%00b", "file:///etc/passwd", "",
		} {
			p.refused(uri, "INVALID_PARAMETER", e.notThere)
		}
		require.Equal(t, "s1", p.read("DEBUGGER://session").String("session.sessionId"), "a scheme has no case")
		if !e.modern {
			r := p.Request("resources/subscribe", map[string]any{"uri": "foo://bar"})
			require.Equal(t, -32002, r.Error.Code)
		}
	})
}

// TestDisconnectInTheMiddleOfReads checks that every read is answered, with the content or with the end of the
// session.
func TestDisconnectInTheMiddleOfReads(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		attempts(t, e.disconnectInTheMiddleOfReads)
	})
}

func (e era) disconnectInTheMiddleOfReads(t *testing.T) bool {
	p, _ := e.connect(t, loop(daptest.Forever))
	p.tool("tracepoint_set", mcptest.Args{"file": "/src/LoopApp/Program.cs", "line": 9})
	p.tool("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll", "stop_at_entry": false})
	var reads []int
	begin := func() {
		for i := range 60 {
			reads = append(reads, p.Begin("resources/read", e.with(map[string]any{"uri": shortURIs[i%len(shortURIs)]})))
		}
	}
	begin()
	end := p.Begin("tools/call", e.with(map[string]any{"name": "debug_disconnect", "arguments": map[string]any{}}))
	begin()
	require.False(t, p.AwaitCall(end).IsError)
	begin()
	gone := 0
	for _, id := range reads {
		if r := p.Await(id); r.Error != nil {
			require.Equal(t, "NO_SESSION", mcptest.NewResult(t, r.Error.Data).String("code"))
			require.Equal(t, e.notThere, r.Error.Code)
			gone++
		}
	}
	require.GreaterOrEqual(t, gone, 60)
	return gone <= 120 // those sent and served before the disconnect
}

// TestBurstOfSteps checks that a thousand changes cause few updates, and that the last update comes after the last
// change.
func TestBurstOfSteps(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		p, _ := e.connect(t, loop(1000))
		p.tool("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll"})
		p.subscribe("debugger://session", "debugger://modules")
		began := time.Now()
		for range 1000 {
			p.tool("debug_step", nil)
		}
		last := p.Notifications("debugger/sessionStateChanged")
		seq := last[len(last)-1].Int("seq")
		require.GreaterOrEqual(t, seq, 2000)
		p.AwaitLines("an update after the last change", func(lines []mcptest.Line) bool {
			for _, l := range slices.Backward(lines) {
				switch {
				case l.Method == "debugger/sessionStateChanged":
					return false
				case l.Method == updated && mcptest.NewResult(t, l.Params).String("uri") == "debugger://session":
					return true
				}
			}
			return false
		})
		require.LessOrEqual(t, p.Updates("debugger://session"), 2+int(time.Since(began)/(250*time.Millisecond)))
		require.Zero(t, p.Updates("debugger://modules"))
		require.GreaterOrEqual(t, p.read("debugger://session").Int("session.lastSeq"), seq)
	})
}

// TestQuietHits checks that hits suppressed by a filter have no event but change the counts.
func TestFilteredHitsChangeCounts(t *testing.T) {
	p, _ := eras[0].connect(t, loop(daptest.Forever))
	p.tool("tracepoint_set", mcptest.Args{"file": "/src/LoopApp/Program.cs", "line": 9, "hit_count_multiple": 1_000_000})
	p.tool("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll"})
	p.subscribe("debugger://breakpoints")
	p.tool("debug_continue", nil)
	p.AwaitUpdates("debugger://breakpoints", 2)
	require.NotZero(t, p.read("debugger://breakpoints").Int("breakpoints.0.hitCount"))
	require.Empty(t, p.Notifications("debugger/breakpointHit"))
}

// TestUnsubscribe checks that no update comes afterwards, also during many changes.
func TestUnsubscribe(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		p, _ := e.connect(t, loop(daptest.Forever))
		p.tool("tracepoint_set", mcptest.Args{"file": "/src/LoopApp/Program.cs", "line": 9})
		p.tool("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll"})
		p.subscribe("debugger://breakpoints")
		p.tool("debug_continue", nil)
		p.AwaitUpdates("debugger://breakpoints", 2)
		if e.modern {
			p.Notify("notifications/cancelled", map[string]any{"requestId": p.listen})
		} else {
			p.Request("resources/unsubscribe", map[string]any{"uri": "debugger://breakpoints"})
		}
		p.tool("debug_pause", nil) // all earlier updates have come before its answer
		n := p.Updates("debugger://breakpoints")
		p.tool("debug_continue", nil)
		hits := p.AwaitNotifications("debugger/breakpointHit", 1)
		p.AwaitNotifications("debugger/breakpointHit", len(hits)+1000)
		p.tool("debug_pause", nil)
		require.Equal(t, n, p.Updates("debugger://breakpoints"))
	})
}
