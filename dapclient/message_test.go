package dapclient

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecode(t *testing.T) {
	tests := []struct {
		name, in string
		want     Message
	}{
		{"event", `{"seq":3,"type":"event","event":"stopped","body":{"reason":"step"}}`,
			Message{Seq: 3, Kind: KindEvent, Name: "stopped", Body: json.RawMessage(`{"reason":"step"}`)}},
		{"event without body", `{"seq":3,"type":"event","event":"initialized"}`,
			Message{Seq: 3, Kind: KindEvent, Name: "initialized"}},
		{"null body", `{"seq":3,"type":"event","event":"initialized","body":null}`,
			Message{Seq: 3, Kind: KindEvent, Name: "initialized"}},
		{"event that nobody knows", `{"seq":3,"type":"event","event":"vendor/thing","body":[1]}`,
			Message{Seq: 3, Kind: KindEvent, Name: "vendor/thing", Body: json.RawMessage(`[1]`)}},
		{"response", `{"body":{"allThreadsContinued":true},"command":"continue","request_seq":7,"seq":"12",` +
			`"success":true,"type":"response"}`,
			Message{Seq: 12, Kind: KindResponse, Name: "continue", RequestSeq: 7, Success: true,
				Body: json.RawMessage(`{"allThreadsContinued":true}`)}},
		{"failure", `{"type":"response","seq":1,"request_seq":7,"success":false,"command":"next","message":"no \"thread\""}`,
			Message{Seq: 1, Kind: KindResponse, Name: "next", RequestSeq: 7, Text: `no "thread"`}},
		{"answer of netcoredbg to bad JSON", `{"type":"response","seq":"4","success":false,"message":"can't parse"}`,
			Message{Seq: 4, Kind: KindResponse, Text: "can't parse"}},
		{"reverse request", `{"seq":9,"type":"request","command":"runInTerminal","arguments":{"cwd":"/"}}`,
			Message{Seq: 9, Kind: KindRequest, Name: "runInTerminal", Arguments: json.RawMessage(`{"cwd":"/"}`)}},
		{"null arguments", `{"seq":9,"type":"request","command":"threads","arguments":null}`,
			Message{Seq: 9, Kind: KindRequest, Name: "threads"}},

		{"seq in a string", `{"seq":"17","type":"event","event":"x"}`, Message{Seq: 17, Kind: KindEvent, Name: "x"}},
		{"seq absent", `{"type":"event","event":"x"}`, Message{Kind: KindEvent, Name: "x"}},
		{"seq a float", `{"seq":17.0,"type":"event","event":"x"}`, Message{Seq: 17, Kind: KindEvent, Name: "x"}},
		{"seq with exponent", `{"seq":1.7e1,"type":"event","event":"x"}`, Message{Seq: 17, Kind: KindEvent, Name: "x"}},
		{"seq null", `{"seq":null,"type":"event","event":"x"}`, Message{Kind: KindEvent, Name: "x"}},
		{"seq an object", `{"seq":{"a":1},"type":"event","event":"x"}`, Message{Kind: KindEvent, Name: "x"}},
		{"seq a word", `{"seq":"first","type":"event","event":"x"}`, Message{Kind: KindEvent, Name: "x"}},
		{"seq not a number", `{"seq":"NaN","type":"event","event":"x"}`, Message{Kind: KindEvent, Name: "x"}},
		{"seq too large", `{"seq":1e300,"type":"event","event":"x"}`, Message{Kind: KindEvent, Name: "x"}},
		{"seq negative", `{"seq":-1,"type":"event","event":"x"}`, Message{Seq: -1, Kind: KindEvent, Name: "x"}},
		{"request_seq in a string", `{"type":"response","command":"x","request_seq":"5","success":true}`,
			Message{Kind: KindResponse, Name: "x", RequestSeq: 5, Success: true}},
		{"success in a string", `{"type":"response","command":"x","success":"True"}`,
			Message{Kind: KindResponse, Name: "x", Success: true}},
		{"success a number", `{"type":"response","command":"x","success":1}`, Message{Kind: KindResponse, Name: "x"}},
		{"message an object", `{"type":"response","command":"x","message":{"id":1}}`, Message{Kind: KindResponse, Name: "x"}},
		{"event name a number", `{"type":"event","event":5}`, Message{Kind: KindEvent}},
		{"type comes last", `{"event":"x","command":"y","type":"event"}`, Message{Kind: KindEvent, Name: "x"}},
		{"the last of two counts", `{"type":"event","event":"x","seq":1,"seq":2,"body":{},"body":null}`,
			Message{Seq: 2, Kind: KindEvent, Name: "x"}},
		{"escapes in names", `{"\u0074ype":"e\u0076ent","event":"x\n"}`, Message{Kind: KindEvent, Name: "x\n"}},
		{"other case is another field", `{"type":"event","event":"x","Seq":4,"BODY":1}`, Message{Kind: KindEvent, Name: "x"}},
		{"space", " {\r\n\t\"type\" : \"event\" , \"event\" : \"x\" , \"body\" :  [ ]  }\n",
			Message{Kind: KindEvent, Name: "x", Body: json.RawMessage("[ ]")}},
		{"fields of lldb-dap outside the body",
			`{"type":"event","event":"terminated","statistics":{"a":[1,{"body":2}]}}`,
			Message{Kind: KindEvent, Name: "terminated"}},
		{"bad UTF-8", "{\"type\":\"event\",\"event\":\"x\",\"body\":\"\xff\"}",
			Message{Kind: KindEvent, Name: "x", Body: json.RawMessage("\"\xff\"")}},
		{"control characters in a string",
			"{\"type\":\"event\",\"event\":\"output\",\"body\":{\"output\":\"a\x1b[0m\tb\\\"\n\"}}",
			Message{Kind: KindEvent, Name: "output", Body: json.RawMessage(`{"output":"a\u001b[0m\u0009b\"\u000a"}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Decode([]byte(tt.in))
			require.NoError(t, err)
			assert.Equal(t, tt.in, string(got.Raw))
			got.Raw = nil
			assert.Equal(t, tt.want, *got)
		})
	}
}

func TestDecodeFails(t *testing.T) {
	for _, in := range []string{
		"", "null", "[]", "1", `"event"`, "{", "{}", "this is not JSON",
		`{"type":"event","event":"x"`, `{"type":"event","event":"x"}}`, `{"type":"event",}`, `{"type":"event" "event":"x"}`,
		`{"type":"notification","method":"x"}`, `{"type":5}`, `{"jsonrpc":"2.0","id":1}`,
		"{\"type\":\"event\",\"event\":\"a\nb\"", // escaped, and still invalid
		`{"type":"event","event":"x","body":{"a":01}}`, `{"type":"event","event":"x","body":tru}`,
		`{"type":"event","event":"x","body":"\x"}`, `{"type":"event","event":"x","body":"\u12g4"}`,
	} {
		m, err := Decode([]byte(in))
		assert.Nil(t, m, in)
		assert.ErrorContains(t, err, "decode message", in)
	}
}

func TestDecodeBody(t *testing.T) {
	body := func(t *testing.T, in string) (dap.StoppedEventBody, error) {
		m, err := Decode([]byte(`{"type":"event","event":"stopped","body":` + in + `}`))
		require.NoError(t, err)
		return DecodeBody[dap.StoppedEventBody](m)
	}
	tests := []struct {
		name, in string
		want     dap.StoppedEventBody
	}{
		{"plain", `{"reason":"step","threadId":4}`, dap.StoppedEventBody{Reason: "step", ThreadId: 4}},
		{"null", `null`, dap.StoppedEventBody{}},
		{"unknown fields", `{"reason":"step","vendor":{"x":[1]}}`, dap.StoppedEventBody{Reason: "step"}},
		{"one wrong type does not spoil the others", `{"reason":"step","threadId":"4","text":"x","hitBreakpointIds":["a",7]}`,
			dap.StoppedEventBody{Reason: "step", Text: "x", HitBreakpointIds: []int{0, 7}}},
		{"float for a number", `{"threadId":4.5,"reason":"step"}`, dap.StoppedEventBody{Reason: "step"}},
		{"null fields", `{"threadId":null,"reason":null}`, dap.StoppedEventBody{}},
		{"a list for the body", `[1]`, dap.StoppedEventBody{}},
		{"a string for the body", `"stopped"`, dap.StoppedEventBody{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := body(t, tt.in)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
	t.Run("absent", func(t *testing.T) {
		got, err := DecodeBody[dap.StoppedEventBody](&Message{})
		require.NoError(t, err)
		assert.Zero(t, got)
	})
	// A Message may come from elsewhere than Decode: recordings make them too.
	t.Run("bad JSON", func(t *testing.T) {
		_, err := DecodeBody[dap.StoppedEventBody](&Message{Name: "stopped", Body: json.RawMessage(`{"reason":`)})
		assert.ErrorContains(t, err, "decode body of stopped")
	})
	t.Run("control characters", func(t *testing.T) {
		got, err := DecodeBody[dap.OutputEventBody](&Message{Body: json.RawMessage("{\"output\":\"a\nb\"}")})
		require.NoError(t, err)
		assert.Equal(t, "a\nb", got.Output)
	})
}

func TestDecodeArguments(t *testing.T) {
	got, err :=
		DecodeArguments[dap.RunInTerminalRequestArguments](&Message{Arguments: json.RawMessage(`{"cwd":"/x","args":["a"]}`)})
	require.NoError(t, err)
	assert.Equal(t, dap.RunInTerminalRequestArguments{Cwd: "/x", Args: []string{"a"}}, got)
	got, err = DecodeArguments[dap.RunInTerminalRequestArguments](&Message{})
	require.NoError(t, err)
	assert.Zero(t, got)
}

func TestTyped(t *testing.T) {
	decode := func(in string) (dap.Message, error) {
		m, err := Decode([]byte(in))
		require.NoError(t, err)
		return m.Typed()
	}
	got, err := decode(`{"seq":"12","type":"response","request_seq":"7","success":true,"command":"threads",` +
		`"body":{"threads":[{"id":1,"name":"main"}]}}`)
	require.NoError(t, err)
	response, ok := got.(*dap.ThreadsResponse)
	require.True(t, ok, "%T", got)
	assert.Equal(t, 12, response.Seq)
	assert.Equal(t, 7, response.RequestSeq)
	assert.Equal(t, "main", response.Body.Threads[0].Name)

	got, err = decode("{\"seq\":\"5\",\"type\":\"event\",\"event\":\"output\",\"body\":{\"output\":\"a\x01\"}}")
	require.NoError(t, err)
	assert.Equal(t, "a\x01", got.(*dap.OutputEvent).Body.Output)

	_, err = decode(`{"seq":"5","type":"event","event":"vendor/thing"}`)
	var unknown *dap.DecodeProtocolMessageFieldError
	assert.ErrorAs(t, err, &unknown)
}

func TestErr(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"format with variables", `"message":"failed","body":{"error":{"id":1,"format":"no {what} at {line}",` +
			`"variables":{"what":"code","line":"7"}}}`, "no code at 7"},
		{"a value that looks like a placeholder",
			`"body":{"error":{"format":"{a}{b}","variables":{"a":"{b}","b":"{a}"}}}`, "{b}{a}"},
		{"a variable that is no string", `"body":{"error":{"format":"line {n}","variables":{"n":7}}}`, "line 7"},
		{"unknown placeholder", `"body":{"error":{"format":"a {b}"}}`, "a {b}"},
		{"variables of another type", `"body":{"error":{"format":"boom","variables":["x"]}}`, "boom"},
		{"id a string", `"body":{"error":{"id":"x","format":"boom"}}`, "boom"},
		{"format no string", `"message":"short","body":{"error":{"format":5}}`, "short"},
		{"error a string", `"message":"short","body":{"error":"boom"}`, "boom"},
		{"error null", `"message":"short","body":{"error":null}`, "short"},
		{"body a string", `"message":"short","body":"x"`, "short"},
		{"message alone", `"message":"0x80070057"`, "0x80070057"},
		{"nothing", `"message":""`, "the debugger gave no reason"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Decode([]byte(`{"type":"response","command":"evaluate","success":false,` + tt.in + `}`))
			require.NoError(t, err)
			var failed *ResponseError
			require.ErrorAs(t, m.Err(), &failed)
			assert.Equal(t, tt.want, failed.Reason())
			assert.Equal(t, "evaluate: "+tt.want, failed.Error())
		})
	}
	assert.NoError(t, (&Message{Kind: KindResponse, Success: true}).Err())
	assert.NoError(t, (&Message{Kind: KindEvent}).Err())
}

// The scanner accepts exactly the objects that encoding/json accepts.
func TestScanObjectAgreesWithJSON(t *testing.T) {
	values := []string{
		`0`, `-0`, `00`, `01`, `-`, `1.`, `.5`, `1.5`, `1e5`, `1E+5`, `1e-5`, `1e`, `1e+`, `+1`, `0x1`, `1_0`,
		`-1.0e-10`, `NaN`, `Infinity`,
		`true`, `false`, `null`, `True`, `tru`, `nul`, `truex`, `undefined`,
		`""`, `"`, `"\"`, `"\\"`, `"\/\b\f\n\r\t\""`, `"\a"`, `"\u00e9"`, `"\u00E"`, `"\u00Eg"`, `"\ud800"`, `'x'`,
		"\"\t\"", "\"\x7f\"", "\"\x00\"", "\"\xff\"", `"\u`,
		`[]`, `[ ]`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `[1,2`, `[[[]]]`, `]`, `[}`,
		`{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{"a" 1}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":1`, `{1:2}`,
		`{"a":1,"a":{"b":[{}]}}`, `{]`,
		``, ` `, "\v1", "1\u00a0", "1 ", "\ufeff1", `1 1`, `//`, "1\x00",
		strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1),
		strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth),
	}
	for _, v := range values {
		in := `{"x":` + v + `}`
		assert.Equal(t, json.Valid([]byte(in)), scanObject([]byte(in), func(_, _ []byte) {}) == nil, clip(in))
		in = v
		object := strings.HasPrefix(strings.TrimLeft(v, " \t\r\n"), "{")
		assert.Equal(t, object && json.Valid([]byte(in)), scanObject([]byte(in), func(_, _ []byte) {}) == nil, clip(in))
	}
}

// A number with a fraction names no request: an answer to 1.5 is not one to 1.
func TestRequestSeqIsWhole(t *testing.T) {
	for text, want := range map[string]int{`1.5`: 0, `"1.5"`: 0, `2.0`: 2, `"3"`: 3, `-1`: -1, `null`: 0, `1e400`: 0} {
		m, err := Decode([]byte(`{"seq":1,"type":"response","request_seq":` + text + `,"command":"evaluate","success":true}`))
		require.NoError(t, err)
		require.Equal(t, want, m.RequestSeq, text)
	}
}
