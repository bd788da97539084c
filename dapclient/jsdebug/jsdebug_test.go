package jsdebug

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
)

// What Node says because of the debugger is no output of the program, however it is cut.
func TestNodeWords(t *testing.T) {
	const text = "Debugger listening on ws://127.0.0.1:40001/a-b\nFor help, see: https://nodejs.org/en/docs/inspector\n" +
		"mine\nDebugger attached.\nDebugger attached. said I\nx Debugger attached.\n" +
		"Debugger listening on ws://127.0.0.1:2/c\nWaiting for the debugger to disconnect...\nDebug"
	const own = "mine\nDebugger attached. said I\nx Debugger attached.\n"
	for size := 1; size <= len(text); size++ {
		w := &nodeWords{inspector: make(chan string, 1)}
		got := ""
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			got += w.without(rest[:n])
			rest = rest[n:]
		}
		require.Equal(t, own, got, "pieces of %d", size)
		require.Equal(t, "127.0.0.1:40001/a-b", <-w.inspector)
		require.Equal(t, "Debug", w.rest)
	}
	w := &nodeWords{inspector: make(chan string, 1)}
	require.Equal(t, "name? ", w.without("name? "), "a prompt comes at once")
	require.Equal(t, "Debugger attached.\n", w.without("Debugger attached.\n"), "a line that has begun is the program's")
}

// The relay reads whether an exception is caught, however the inspector's text is cut.
func TestRelaySeesUncaught(t *testing.T) {
	const caught = `{"method":"Debugger.paused","params":{"reason":"exception","data":{"uncaught":false}}}`
	const uncaught = `{"x":"\"uncaught\":false","data":{"uncaught":true}}`
	for size := 1; size <= len(caught); size++ {
		r := &relay{paused: newLatch()}
		see := r.watch()
		send := func(text string) {
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				see([]byte(rest[:n]))
				rest = rest[n:]
			}
		}
		send(uncaught)
		require.True(t, r.uncaught.Load(), "pieces of %d", size)
		send(caught)
		require.False(t, r.uncaught.Load(), "pieces of %d", size)
		send(caught + uncaught + `{"more":1}`)
		require.True(t, r.uncaught.Load(), "pieces of %d", size)
	}
}

// masked returns a text as js-debug sends it.
func masked(text string) []byte {
	frame := []byte{0x81}
	switch n := len(text); {
	case n < 126:
		frame = append(frame, 0x80|byte(n))
	case n < 1<<16:
		frame = append(frame, 0x80|126, byte(n>>8), byte(n))
	default:
		frame = append(frame, 0x80|127)
		frame = binary.BigEndian.AppendUint64(frame, uint64(n))
	}
	key := []byte{1, 2, 3, 4}
	frame = append(frame, key...)
	for i := range len(text) {
		frame = append(frame, text[i]^key[i%4])
	}
	return frame
}

// relayed is a relay with both its ends: js-debug's, and that of the inspector.
func relayed(t *testing.T, waits bool, again time.Duration) (r *relay, client, node net.Conn) {
	t.Helper()
	inspector, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer inspector.Close()
	r, err = newRelay(inspector.Addr().String(), waits, nil)
	require.NoError(t, err)
	t.Cleanup(r.close)
	r.mu.Lock()
	r.again = again
	r.mu.Unlock()
	client, err = net.Dial("tcp", r.address())
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	node, err = inspector.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { node.Close() })
	return r, client, node
}

// What js-debug sends after it has let the program run comes when the program has stopped: node 20 died of it in 2 of
// 100 starts.
func TestRelayHoldsBack(t *testing.T) {
	r, client, node := relayed(t, true, time.Hour)
	const run = `{"id":3,"method":"Runtime.runIfWaitingForDebugger","params":{}}`
	before := slices.Concat([]byte("GET /x HTTP/1.1\r\nHost: a\r\n\r\n"), masked(`{"id":1,"method":"Runtime.enable"}`),
		masked(`{"id":2,"method":"Runtime.evaluate","params":"`+strings.Repeat("x", 70_000)+`"}`),
		masked(`{"id":2,"text":"`+strings.Repeat("x", 300)+`"}`), masked(run))
	after := masked(`{"id":4,"method":"Runtime.evaluate"}`)
	_, err := client.Write(slices.Concat(before, after))
	require.NoError(t, err)
	got := make([]byte, len(before))
	_, err = io.ReadFull(node, got)
	require.NoError(t, err)
	require.Equal(t, before, got)
	require.NoError(t, node.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err = node.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "it has not stopped yet")
	require.NoError(t, node.SetReadDeadline(time.Time{}))
	_, err = node.Write(slices.Concat([]byte("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
		plain(`{"method":"Debugger.paused","params":{}}`)))
	require.NoError(t, err)
	got = make([]byte, len(after))
	_, err = io.ReadFull(node, got)
	require.NoError(t, err)
	require.Equal(t, after, got)
	<-r.paused.ch
}

// A program that was attached to may have begun: what js-debug sends comes all the same.
func TestRelayHoldsBackForAWhile(t *testing.T) {
	_, client, node := relayed(t, false, time.Hour)
	all := slices.Concat([]byte("GET /x HTTP/1.1\r\n\r\n"), masked(`{"method":"Runtime.runIfWaitingForDebugger"}`),
		masked(`{"id":4,"method":"Runtime.evaluate"}`))
	_, err := client.Write(all)
	require.NoError(t, err)
	got := make([]byte, len(all))
	_, err = io.ReadFull(node, got)
	require.NoError(t, err)
	require.Equal(t, all, got)
}

// A node that listens does not wait for a debugger yet, and what lets it run means nothing to it then.
func TestRelayTellsAgain(t *testing.T) {
	r, client, node := relayed(t, true, time.Millisecond)
	const run = `{"id":3,"method":"Runtime.runIfWaitingForDebugger","params":{}}`
	request := []byte("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
	_, err := client.Write(slices.Concat(request, masked(run)))
	require.NoError(t, err)
	got := make([]byte, len(request)+len(masked(run)))
	_, err = io.ReadFull(node, got)
	require.NoError(t, err)
	again := make([]byte, len(runText()))
	_, err = io.ReadFull(node, again)
	require.NoError(t, err)
	require.Equal(t, runText(), again)
	header, paused := "HTTP/1.1 101 Switching Protocols\r\n\r\n", plain(`{"method":"Debugger.paused","params":{}}`)
	ours, theirs := plain(`{"id":200000009,"result":{}}`), plain(`{"id":3,"result":{}}`)
	_, err = node.Write(slices.Concat([]byte(header), ours, paused, ours, theirs))
	require.NoError(t, err)
	want := slices.Concat([]byte(header), paused, theirs)
	got = make([]byte, len(want))
	_, err = io.ReadFull(client, got)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "js-debug does not get our answers")
	<-r.paused.ch
}

// Hits of native log points go past js-debug, unless they hold objects, which it shows.
func TestLoggedHit(t *testing.T) {
	console := func(args string) string {
		return `{"method":"Runtime.consoleAPICalled","params":{"type":"log","args":[` + args + `],"executionContextId":1}}`
	}
	const hit = `{"type":"string","value":"\u001eTtp-1\u001fv5\u001e"}`
	for _, test := range []struct {
		name, message string
		ok            bool
	}{
		{"a hit", console(hit), true},
		{"with an object", console(`{"type":"string","value":"\u001eTtp-1\u001f"},{"type":"object"},` +
			`{"type":"string","value":"\u001e"}`), false},
		{"output of the program", console(`{"type":"string","value":"hello"}`), false},
		{"a number", console(`{"type":"number","value":5}`), false},
		{"something else", `{"method":"Runtime.bindingCalled","params":{"args":[` + hit + `]}}`, false},
		{"no JSON", `{"method":"Runtime.consoleAPICalled",`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, ok := loggedHit([]byte(test.message))
			require.Equal(t, test.ok, ok)
			if ok {
				require.Equal(t, "\x1eTtp-1\x1fv5\x1e", text)
			}
		})
	}
}

func TestReadMessage(t *testing.T) {
	for _, text := range []string{"", "{}", strings.Repeat("x", 125), strings.Repeat("x", 126),
		strings.Repeat("x", 1<<16)} {
		for _, frame := range [][]byte{masked(text), maskedText([]byte(text))} {
			in := bufio.NewReader(bytes.NewReader(slices.Concat(frame, plain(text), frame[:len(frame)-1])))
			raw, got, err := readMessage(in)
			require.NoError(t, err)
			require.Equal(t, frame, raw)
			require.Equal(t, text, string(got))
			raw, got, err = readMessage(in)
			require.NoError(t, err)
			require.Equal(t, plain(text), raw)
			require.Equal(t, text, string(got))
			_, _, err = readMessage(in)
			require.Error(t, err, "a frame that is cut off")
		}
	}
}

func TestMended(t *testing.T) {
	const wasm = `{"id":7,"method":"Runtime.evaluate","params":{"expression":"(()=>{for(let e of r){` +
		`WebAssembly[e]=function(...n){}}})()","silent":true,"contextId":%d}}`
	const members = `{"id":8,"method":"Runtime.callFunctionOn","params":{"functionDeclaration":"function(){` +
		`let i=\"<<default preview>>\";for(let o of %s){try{s=this[o]}catch{}};n[o]=` + "`<<indescribable>>`" + `}"}}`
	for _, test := range []struct{ name, text, want string }{
		{"WebAssembly in the program's context", fmt.Sprintf(wasm, 1), ""},
		{"WebAssembly in another", fmt.Sprintf(wasm, 2), `{"id":7,"method":"Runtime.evaluate","params":{"expression":"0"}}`},
		{"the members of an object", fmt.Sprintf(members, "Object.keys(this)"), fmt.Sprintf(members,
			"Object.keys(this).filter(k=>!Object.getOwnPropertyDescriptor(this,k)?.get)")},
		{"an expression of the user", `{"id":9,"method":"Debugger.evaluateOnCallFrame",` +
			`"params":{"expression":"Object.keys(this)"}}`, ""},
		{"something else", `{"id":9,"method":"Debugger.resume"}`, ""},
	} {
		require.Equal(t, test.want, string(mended([]byte(test.text))), test.name)
		var out bytes.Buffer
		require.ErrorIs(t, passMended(&out, bufio.NewReader(bytes.NewReader(masked(test.text)))), io.EOF)
		_, got, err := readMessage(bufio.NewReader(&out))
		require.NoError(t, err)
		require.Equal(t, cmp.Or(test.want, test.text), string(got), test.name)
	}
}

func message(t *testing.T, raw string) *dapclient.Message {
	t.Helper()
	m, err := dapclient.Decode([]byte(raw))
	require.NoError(t, err)
	return m
}

func setBreakpoints(t *testing.T, entries string) *dapclient.Message {
	return message(t, `{"seq":1,"type":"request","command":"setBreakpoints","arguments":{"source":{"path":"/a.js"},`+
		`"breakpoints":`+entries+`}}`)
}

func answer(t *testing.T, held string) *dapclient.Message {
	return message(t, `{"seq":1,"type":"response","request_seq":1,"command":"setBreakpoints","success":true,`+
		`"body":{"breakpoints":`+held+`}}`)
}

// As js-debug was recorded: an unchanged list is answered with an empty one, and an event may say what an answer did
// not.
func TestBook(t *testing.T) {
	var b book
	ask := func(entries, held string) []heldBreakpoint {
		m := setBreakpoints(t, entries)
		return b.ask(m, m.Arguments)(answer(t, held))
	}
	held := ask(`[{"line":10}]`, `[{"id":1,"verified":false,"message":"breakpoint.provisionalBreakpoint"}]`)
	require.Equal(t, "no loaded script has this line yet", held[0].Message)
	again := b.again()
	require.Len(t, again, repeats, "the lists are repeated until no id comes twice")
	require.Nil(t, b.again(), "once")
	one, line := 1, 11
	b.changed(heldBreakpoint{ID: &one, Verified: true, Line: line, Column: 3})
	held = ask(`[{"line":10}]`, `[]`)
	require.True(t, held[0].Verified)
	require.Equal(t, 11, held[0].Line, "what is unchanged is as it was told last")
	held = ask(`[{"line":13},{"line":10}]`, `[{"id":2,"verified":true,"line":13},{"id":1,"verified":true,"line":11}]`)
	require.Equal(t, []int{2, 1}, []int{*held[0].ID, *held[1].ID})
	held = ask(`[{"line":10},{"line":13}]`, `[]`)
	require.Equal(t, []int{1, 2}, []int{*held[0].ID, *held[1].ID}, "in another order")
	require.Equal(t, []heldAt{{2, ""}}, b.at("/a.js", 13))
	require.Empty(t, b.at("/b.js", 13))
}

// Two breakpoints with one id: the event is about the one that can stand there.
func TestBookWithCollidingIDs(t *testing.T) {
	var b book
	m := setBreakpoints(t, `[{"line":10},{"line":13}]`)
	b.ask(m, m.Arguments)(answer(t, `[{"id":1,"verified":false},{"id":1,"verified":false}]`))
	one := 1
	b.changed(heldBreakpoint{ID: &one, Verified: true, Line: 13})
	b.changed(heldBreakpoint{ID: &one, Verified: true, Line: 11})
	held := b.files["/a.js"].held
	require.Equal(t, []int{11, 13}, []int{held[0].Line, held[1].Line})
}

func TestGuarded(t *testing.T) {
	raw := guarded(json.RawMessage(`{"breakpoints":[{"line":1},{"line":2,"condition":"a == \"}\""},` +
		`{"line":3,"condition":"a","logMessage":"log()"}]}`))
	var got struct {
		Breakpoints []wantedBreakpoint `json:"breakpoints"`
	}
	require.NoError(t, json.Unmarshal(raw, &got))
	require.Equal(t, []wantedBreakpoint{
		{Line: 1},
		{Line: 2, Condition: `(()=>{try{return eval("a == \"}\"")}catch(e){return true}})()`},
		{Line: 3, Condition: `(log(),false)`},
	}, got.Breakpoints)
}

// An entry that never stands keeps js-debug from a breakpoint of its own at the first place of a script.
func TestGuardedScript(t *testing.T) {
	for _, test := range []struct {
		name, source, list string
		want               []wantedBreakpoint
	}{
		{"a script", "/a.js", `[{"line":3}]`, []wantedBreakpoint{{Line: 3}, {Line: 1, Column: 1, Condition: "false"}}},
		{"a module", "/a.MJS", `[{"line":3}]`, []wantedBreakpoint{{Line: 3}, {Line: 1, Column: 1, Condition: "false"}}},
		{"none wanted", "/a.js", `[]`, []wantedBreakpoint{}},
		{"compiled while it loads", "/a.ts", `[{"line":3}]`, []wantedBreakpoint{{Line: 3}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			raw := guarded(json.RawMessage(`{"source":{"path":"` + test.source + `"},"breakpoints":` + test.list + `}`))
			var got request
			require.NoError(t, json.Unmarshal(raw, &got))
			require.Equal(t, test.want, got.Breakpoints)
		})
	}
}

func TestExceptionInfo(t *testing.T) {
	for _, test := range []struct {
		name, id, stack string
		uncaught        bool
		typ, message    string
		mode            string
	}{
		{"an error", "AppError: app failed", "at f", false, "AppError", "app failed", "always"},
		{"uncaught", "TypeError: x: y", "at f", true, "TypeError", "x: y", "unhandled"},
		{"without a message", "Error", "at f", false, "Error", "", "always"},
		{"of two lines", "Error: a\nb", "at f", false, "Error", "a\nb", "always"},
		{"a text", "Error: not one", "", false, "thrown value", "Error: not one", "always"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &bridge{uncaught: test.uncaught}
			details := "{}"
			if test.stack != "" {
				details = `{"stackTrace":"` + test.stack + `"}`
			}
			id, _ := json.Marshal(test.id)
			body := b.exceptionInfo(message(t, `{"type":"response","success":true,"body":{"breakMode":"all","exceptionId":`+
				string(id)+`,"details":`+details+`}}`), nil)
			raw, err := json.Marshal(body)
			require.NoError(t, err)
			var got struct {
				ExceptionID string `json:"exceptionId"`
				Description string `json:"description"`
				BreakMode   string `json:"breakMode"`
			}
			require.NoError(t, json.Unmarshal(raw, &got))
			require.Equal(t, []string{test.typ, test.message, test.mode},
				[]string{got.ExceptionID, got.Description, got.BreakMode})
		})
	}
}

func TestThreadsAreOneHigher(t *testing.T) {
	require.JSONEq(t, `{"threadId":0,"levels":1}`, string(argumentsIn(json.RawMessage(`{"threadId":1,"levels":1}`))))
	require.JSONEq(t, `{"frameId":0}`, string(argumentsIn(json.RawMessage(`{"frameId":0}`))))
	require.JSONEq(t, `{}`, string(argumentsIn(nil)), "js-debug fails without arguments")
	out, err := json.Marshal(threadsOut(message(t,
		`{"type":"response","success":true,"body":{"threads":[{"id":0,"name":"main"}]}}`)))
	require.NoError(t, err)
	require.JSONEq(t, `{"threads":[{"id":1,"name":"main"}]}`, string(out))
}

func TestCommand(t *testing.T) {
	value := "x"
	l := launch{Program: "/a.js", Args: []string{"1"}, RuntimeArgs: []string{"--import", "tsx"},
		Env: map[string]*string{"A": &value, "HOME": nil, "NODE_OPTIONS": nil}}
	c, err := l.command()
	require.NoError(t, err)
	require.Equal(t, "node", c.Path)
	require.Equal(t, []string{inspect, "--import", "tsx", "/a.js", "1"}, c.Args)
	require.Contains(t, c.Env, "A=x")
	require.False(t, strings.Contains(strings.Join(c.Env, "\n"), "\nHOME="))
	l.RuntimeExecutable = "/usr/bin/npm"
	c, err = l.command()
	require.NoError(t, err)
	require.Contains(t, c.Env, "NODE_OPTIONS="+inspect, "what is no node gets it by its environment")
	_, err = launch{RuntimeExecutable: "npm"}.command()
	require.Error(t, err)
}
