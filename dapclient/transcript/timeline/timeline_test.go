package timeline

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient/transcript"
)

// recorded reads a recording of the fixtures.
func recorded(t *testing.T, name string) *Timeline {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "fixtures", "transcripts", filepath.FromSlash(name)+".jsonl"))
	require.NoError(t, err)
	defer f.Close()
	tl, err := Read(f)
	require.NoError(t, err)
	return tl
}

// made reads messages from its arguments: "> " is sent, "< " is received. Each line is a millisecond later than the
// previous one, or by the number after @.
func made(t *testing.T, lines ...string) *Timeline {
	t.Helper()
	tl, err := Read(strings.NewReader(jsonl(lines...)))
	require.NoError(t, err)
	return tl
}

func jsonl(lines ...string) string {
	var b strings.Builder
	at := 0.0
	for _, line := range lines {
		var extra float64
		if _, err := fmt.Sscanf(line, "@%f", &extra); err == nil {
			at += extra
			continue
		}
		at += 0.001
		dir := "recv"
		if line[0] == '>' {
			dir = "send"
		}
		fmt.Fprintf(&b, `{"t":%.3f,"dir":"%s","msg":%s}`+"\n", at, dir, line[2:])
	}
	return b.String()
}

func ofKind(tl *Timeline, kind Kind) (events []Event) {
	for _, e := range tl.Events {
		if e.Kind == kind {
			events = append(events, e)
		}
	}
	return events
}

func seriesOf(tl *Timeline, expr string) *Series {
	for i := range tl.Series {
		if tl.Series[i].Expr == expr {
			return &tl.Series[i]
		}
	}
	return nil
}

func TestRecordings(t *testing.T) {
	for _, c := range []struct {
		name          string
		backend       string
		stops, traces int // -1: any number
		expr          string
		points        int
		last          string
		lastEvent     string
	}{
		{name: "netcoredbg/tracepoint-loop-20", backend: "netcoredbg", traces: 20, expr: "i + sum", points: 20,
			last: "56", lastEvent: "disconnect"},
		{name: "netcoredbg/tracepoint-pipelined-500", backend: "netcoredbg", traces: 500, expr: "i", points: 500,
			last: "499", lastEvent: "disconnect"},
		{name: "netcoredbg/tour-exceptions", backend: "netcoredbg", stops: 3, expr: "code", points: 1, last: "17",
			lastEvent: "disconnect"},
		{name: "dlv/tour-loop", backend: "dlv", stops: 13, traces: 8, expr: "square", points: 5, last: "16",
			lastEvent: "console"},
		{name: "debugpy/tour-loop", backend: "debugpy", stops: -1, traces: -1, expr: "i", points: -1},
		{name: "lldb-dap/tour-loop", backend: "lldb-dap", stops: -1, traces: -1, expr: "i", points: -1},
		{name: "netcoredbg/bad-json", backend: "netcoredbg", stops: -1, traces: -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			tl := recorded(t, c.name)
			assert.Equal(t, c.backend, tl.Backend)
			var n [kinds]int
			for i := range tl.Events {
				n[tl.Events[i].Kind]++
			}
			if c.stops >= 0 {
				assert.Equal(t, c.stops, n[Stop], "stops")
				assert.Equal(t, c.traces, n[Trace], "traces")
			}
			if c.expr != "" {
				s := seriesOf(tl, c.expr)
				require.NotNil(t, s)
				assert.Len(t, s.Texts, len(s.Events))
				if c.points >= 0 {
					assert.Len(t, s.Events, c.points)
					assert.Equal(t, c.last, s.Texts[len(s.Texts)-1])
				} else {
					assert.Greater(t, len(s.Events), 1)
				}
			}
			if c.lastEvent != "" {
				assert.Equal(t, c.lastEvent, tl.Events[len(tl.Events)-1].Name)
			}
			consistent(t, tl)
		})
	}
}

// consistent checks what holds for every timeline.
func consistent(t *testing.T, tl *Timeline) {
	t.Helper()
	for i, e := range tl.Events {
		require.Less(t, e.Kind, kinds, i)
		require.Less(t, e.Thread, len(tl.Threads), i)
		require.Less(t, e.Place, len(tl.Places), i)
		require.Less(t, e.Stack, len(tl.Stacks), i)
		require.Positive(t, e.Line, i)
		require.LessOrEqual(t, len(e.Values), mostValues, i)
	}
	for _, stack := range tl.Stacks {
		for _, p := range stack {
			require.Less(t, p, len(tl.Places))
		}
	}
	for _, s := range tl.Series {
		require.Len(t, s.Texts, len(s.Events))
		require.Len(t, s.Failed, len(s.Events))
		for _, i := range s.Events {
			require.Equal(t, s.Place, tl.Events[i].Place)
		}
	}
}

const (
	stopAt    = `< {"type":"event","event":"stopped","body":{"reason":"breakpoint","threadId":7}}`
	askStack  = `> {"seq":1,"type":"request","command":"stackTrace","arguments":{"threadId":7}}`
	haveStack = `< {"type":"response","request_seq":1,"success":true,"command":"stackTrace",` +
		`"body":{"stackFrames":[{"id":5,"name":"main","line":3,"source":{"path":"/a.go"}},{"id":6,"name":"up",` +
		`"line":9,"source":{"path":"/a.go"}}]}}`
	goOn    = `> {"seq":9,"type":"request","command":"continue","arguments":{"threadId":7}}`
	wentOn  = `< {"type":"response","request_seq":9,"success":true,"command":"continue"}`
	refused = `< {"type":"response","request_seq":9,"success":false,"command":"continue","message":"no"}`
	stepOn  = `> {"seq":9,"type":"request","command":"next","arguments":{"threadId":7}}`
)

func ask(seq int, expr string, frame int) string {
	return fmt.Sprintf(`> {"seq":%d,"type":"request","command":"evaluate","arguments":{"expression":"%s",`+
		`"frameId":%d}}`, seq, expr, frame)
}

func answer(seq int, value string) string {
	return fmt.Sprintf(`< {"type":"response","request_seq":%d,"success":true,"command":"evaluate",`+
		`"body":{"result":"%s","type":"int"}}`, seq, value)
}

func TestStops(t *testing.T) {
	for _, c := range []struct {
		name   string
		lines  []string
		kind   Kind
		resume string
		stood  time.Duration
		values string
	}{
		{name: "served at once", lines: []string{stopAt, askStack, haveStack, ask(2, "i", 5), answer(2, "4"), goOn, wentOn},
			kind: Trace, resume: "continue", stood: 5 * time.Millisecond, values: "i=4"},
		{name: "somebody thought about it", lines: []string{stopAt, askStack, haveStack, ask(2, "i", 5), answer(2, "4"),
			"@2", goOn, wentOn},
			kind: Stop, resume: "continue", stood: 2005 * time.Millisecond, values: "i=4"},
		{name: "stepped on", lines: []string{stopAt, askStack, haveStack, stepOn}, kind: Stop, resume: "next",
			stood: 3 * time.Millisecond},
		{name: "nobody looked", lines: []string{stopAt, goOn, wentOn}, kind: Stop, resume: "continue",
			stood: time.Millisecond},
		{name: "variables were looked at", kind: Stop, resume: "continue", stood: 7 * time.Millisecond, values: "n=1",
			lines: []string{stopAt, askStack, haveStack,
				`> {"seq":2,"type":"request","command":"scopes","arguments":{"frameId":5}}`,
				`< {"type":"response","request_seq":2,"success":true,"command":"scopes",` +
					`"body":{"scopes":[{"variablesReference":40}]}}`,
				`> {"seq":3,"type":"request","command":"variables","arguments":{"variablesReference":40}}`,
				`< {"type":"response","request_seq":3,"success":true,"command":"variables",` +
					`"body":{"variables":[{"name":"n","value":"1"}]}}`,
				goOn}},
		{name: "the resume was refused", lines: []string{stopAt, askStack, haveStack, goOn, refused}, kind: Stop},
		{name: "it went on by itself",
			lines: []string{stopAt, `< {"type":"event","event":"continued","body":{"threadId":7}}`},
			kind:  Stop, resume: "continued", stood: time.Millisecond},
		{name: "asked before the stack, of no frame", kind: Trace, resume: "continue", stood: 5 * time.Millisecond,
			values: "i=4",
			lines: []string{stopAt, askStack,
				`> {"seq":2,"type":"request","command":"evaluate","arguments":{"expression":"i"}}`, haveStack,
				answer(2, "4"), goOn}},
		{name: "a value of the caller", lines: []string{stopAt, askStack, haveStack, ask(2, "i", 6), answer(2, "4"), goOn},
			kind: Trace, resume: "continue", stood: 5 * time.Millisecond, values: "i=4 of frame 1"},
		{name: "the debugger died", lines: []string{stopAt, askStack}, kind: Stop},
	} {
		t.Run(c.name, func(t *testing.T) {
			tl := made(t, c.lines...)
			e := tl.Events[0]
			assert.Equal(t, c.kind, e.Kind, e.Kind.String())
			assert.Equal(t, c.resume, e.Resume)
			if c.stood > 0 {
				assert.Equal(t, c.stood, (e.Until - e.At).Round(time.Microsecond))
			} else {
				assert.Zero(t, e.Until)
			}
			var said []string
			for _, v := range e.Values {
				text := v.Expr + "=" + v.Text
				if v.Depth > 0 {
					text += fmt.Sprintf(" of frame %d", v.Depth)
				}
				said = append(said, text)
			}
			assert.Equal(t, c.values, strings.Join(said, " "))
			consistent(t, tl)
		})
	}
}

// The next stop uses frame ids again. A late answer belongs to the stop of its request.
func TestLateAnswers(t *testing.T) {
	tl := made(t, stopAt, askStack, haveStack, ask(2, "i", 5), goOn, wentOn, stopAt, answer(2, "4"))
	require.Len(t, tl.Events, 2)
	assert.Equal(t, "4", tl.Events[0].Values[0].Text)
	assert.Empty(t, tl.Events[1].Values)
}

// Requests of breakwire itself are not shown as its client's values, whatever the answer. All requests of other
// clients are shown, and breakwire's requests about a frame.
func TestOwnQuestions(t *testing.T) {
	const facts, alone = `> {"seq":3,"type":"request","command":"evaluate",` +
		`"arguments":{"expression":"uintptr(&runtime.allp)"}}`,
		`> {"seq":4,"type":"request","command":"evaluate","arguments":{"expression":"runtime.curg.m.p != 0 && (1 == 1)"}}`
	told := func(client string) (*Timeline, []string) {
		tl := made(t, `> {"seq":1,"type":"request","command":"initialize","arguments":{"clientID":"`+client+`"}}`,
			stopAt, askStack, haveStack, ask(2, "runtime.x", 5), answer(2, "4"), facts, alone, answer(3, "5"), "@0.04",
			`< {"type":"response","request_seq":4,"success":false,"command":"evaluate","message":"error: no runtime"}`,
			"@0.02", goOn)
		assert.Empty(t, ofKind(tl, Failure))
		e := ofKind(tl, Trace)
		require.Len(t, e, 1, "the answer is waited for")
		var values []string
		for _, v := range e[0].Values {
			values = append(values, v.Expr)
		}
		return tl, values
	}
	tl, values := told("breakwire")
	assert.Equal(t, []string{"runtime.x"}, values)
	assert.Equal(t, 2, tl.Own)
	tl, values = told("vscode")
	assert.Len(t, values, 3)
	assert.Zero(t, tl.Own)
}

func TestFailures(t *testing.T) {
	tl := made(t,
		`> {"seq":1,"type":"request","command":"launch","arguments":{"program":"/p","args":["a","b"]}}`,
		`< {"type":"response","request_seq":1,"success":false,"command":"launch","message":"cannot",`+
			`"body":{"error":{"format":"cannot: no such file"}}}`,
		stopAt, `> {"seq":2,"type":"request","command":"evaluate","arguments":{"expression":"x"}}`,
		`< {"type":"response","request_seq":2,"success":false,"command":"evaluate","message":"error: no x"}`,
		`< {"type":"event","event":"output","body":{"category":"telemetry","output":"x"}}`,
		`< {"type":"event","event":"exited","body":{"exitCode":3}}`,
		`< {"type":"event","event":"terminated"}`, `< {"type":"event","event":"terminated"}`,
	)
	assert.Equal(t, "/p a b", tl.Events[0].Text)
	assert.Equal(t, "/p", tl.Program)
	failures := ofKind(tl, Failure)
	require.Len(t, failures, 1, "an expression that failed is a value, not an event")
	assert.Equal(t, "cannot: no such file", failures[0].Text)
	stop := ofKind(tl, Stop)[0]
	assert.Equal(t, Value{Expr: "x", Text: "no x", Failed: true}, stop.Values[0])
	assert.NotZero(t, stop.Until, "the program is gone")
	assert.Len(t, ofKind(tl, End), 2)
	assert.Empty(t, ofKind(tl, Output))
}

func TestBreakpoints(t *testing.T) {
	tl := made(t,
		`> {"seq":1,"type":"request","command":"setBreakpoints","arguments":{"source":{"path":"C:\\a\\b.cs"},`+
			`"breakpoints":[{"line":4,"condition":"i > 2"},{"line":9,"hitCondition":"3","logMessage":"at {i}"}]}}`,
		`< {"type":"response","request_seq":1,"success":true,"command":"setBreakpoints",`+
			`"body":{"breakpoints":[{"id":1,"verified":true,"line":5},{"id":2,"verified":false,"message":"pending"}]}}`,
		`< {"type":"event","event":"breakpoint","body":{"reason":"changed","breakpoint":{"id":2,"verified":true,"line":10}}}`,
		`> {"seq":2,"type":"request","command":"setBreakpoints","arguments":{"source":{"path":"C:\\a\\b.cs"},`+
			`"breakpoints":[]}}`,
		`> {"seq":3,"type":"request","command":"setExceptionBreakpoints","arguments":{"filters":["all"],`+
			`"filterOptions":[{"filterId":"user","condition":"X"}]}}`,
	)
	assert.Equal(t, []Mark{
		{File: `C:\a\b.cs`, Line: 5, Condition: "i > 2", Verified: true},
		{File: `C:\a\b.cs`, Line: 10, HitCondition: "3", LogMessage: "at {i}", Verified: true},
	}, tl.Marks)
	var said []string
	for _, e := range ofKind(tl, Breakpoint) {
		said = append(said, e.Text)
	}
	assert.Equal(t, []string{"b.cs:4 if i > 2, 9 at hit 3 log at {i}", "b.cs:10 verified", "b.cs: none",
		"exception: all, user X"}, said)
}

// Log points that breakwire sets in Delve, debugpy and lldb-dap are shown as hits with named values.
func TestNativeLogPoints(t *testing.T) {
	helper := `{(lambda b,g,l:(getattr(b,\"_breakwire_hit_1\",None)or(exec(\"...\"),dict(b=b)),` +
		`b._breakwire_hit_1)[1])(\"tp-3\",\"\",(\"n\",\"d['q']\",),g,l))(x)}`
	set := func(seq int, file, log string) string {
		return fmt.Sprintf(`> {"seq":%d,"type":"request","command":"setBreakpoints",`+
			`"arguments":{"source":{"path":"%s"},"breakpoints":[{"line":4,"logMessage":"%s"}]}}`, seq, file, log)
	}
	out := func(text string) string {
		return fmt.Sprintf(`< {"type":"event","event":"output","body":{"category":"stdout","output":"%s"}}`, text)
	}
	tl := made(t,
		set(1, "/a.go", `\u001eTtp-1\u001f{i}\u001f{s}\u001e`),
		set(2, "/b.c", `\u001eTtp-2\u001f{$fs_base}\u001f{k}\u001e`), set(3, "/c.py", helper),
		out(`> [Go 17]: \u001eTtp-1\u001f6\u001f\"text\"\u001e\n`),
		out(`\u001eTtp-2\u001f1234\u001f<error: error: no k\n>\u001e\n`),
		out(`\u001eTtp-3\u001f[2,\"MainThread\",null,[[1,\"5\"],[1,\"q\"]]]\u001e\n`),
		out("plain\\n"),
	)
	traces := ofKind(tl, Trace)
	require.Len(t, traces, 3)
	assert.Len(t, ofKind(tl, Output), 1)
	assert.Equal(t, []Value{{Expr: "i", Text: "6"}, {Expr: "s", Text: "text"}}, traces[0].Values)
	assert.Equal(t, "/a.go", tl.Places[traces[0].Place].File)
	assert.Equal(t, []Value{{Expr: "k", Text: "no k", Failed: true}}, traces[1].Values)
	assert.Equal(t, "/b.c", tl.Places[traces[1].Place].File)
	assert.Equal(t, []Value{{Expr: "n", Text: "5"}, {Expr: "d['q']", Text: "q"}}, traces[2].Values)
	assert.Equal(t, ThreadName{2, "MainThread"}, tl.Threads[traces[2].Thread])
	for _, e := range traces {
		assert.True(t, e.Native)
		assert.Equal(t, 1, e.Hit)
	}
}

func TestNoRecording(t *testing.T) {
	for name, text := range map[string]string{
		"empty":   "",
		"no JSON": "hello\n",
		"no DAP":  `{"t":0,"dir":"recv","raw":"x"}` + "\n",
		"cut off": `{"t":0,"dir":"recv","msg":{"type":"event","event":"initialized"}}` + "\n" + `{"t":0,"di`,
	} {
		_, err := Read(strings.NewReader(text))
		var bad *transcript.LineError
		assert.ErrorAs(t, err, &bad, name)
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"12": 12, "-3": -3, "0x1f": 31, "1.5": 1.5, "-2e3": -2000, "5 = 0x5": 5, "97 'a'": 97, "true": 1, "False": 0,
		" 7 ": 7,
	} {
		got, ok := Number(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "null", `"12"`, "{int[2]}", "NaN", "Infinity", "1e999", "12 apples", "i"} {
		_, ok := Number(text)
		assert.False(t, ok, text)
	}
}

func TestClip(t *testing.T) {
	assert.Equal(t, "abc", clip("abc", 3))
	assert.Equal(t, "ab…", clip("abcd", 2))
	assert.Equal(t, "é…", clip("éé", 3), "not within a character")
	assert.Equal(t, "a\uFFFDb", clip("a\xffb", 10))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(jsonl(stopAt, askStack, haveStack, ask(2, "i", 5), answer(2, "4"), goOn, wentOn)))
	f.Add([]byte(jsonl(`> {"seq":1,"type":"request","command":"setBreakpoints","arguments":{"breakpoints":[{"line":1,`+
		`"logMessage":"\u001eTa\u001f{i}\u001e"}]}}`,
		`< {"type":"event","event":"output","body":{"output":"> [Go 1]: \u001eTa\u001f6\u001e"}}`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		tl, err := Read(bytes.NewReader(text))
		if err == nil {
			consistent(t, tl)
		}
	})
}
