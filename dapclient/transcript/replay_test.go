package transcript_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
)

const program = `"/src/LoopApp/Program.cs"`

// begin returns a replay of netcoredbg's tour at its first stop, with a breakpoint at line 21.
func begin(t *testing.T) *driver {
	t.Helper()
	d := drive(t, open(t, tour("netcoredbg")), transcript.PlayOptions{})
	for _, r := range [][2]string{
		{"initialize", `{"adapterID":"coreclr"}`}, {"launch", `{"program":"elsewhere.dll"}`},
		{"setBreakpoints", `{"source":{"path":` + program + `},"breakpoints":[{"line":21}]}`}, {"configurationDone", ""},
	} {
		require.True(t, d.call(r[0], r[1]).Success, r[0])
	}
	require.NotNil(t, d.last("stopped"))
	return d
}

func TestAsksOtherThanRecorded(t *testing.T) {
	cases := []struct {
		name, command, args string
		want                string // part of the body, or of the message
		fails               bool
	}{
		{"levels cuts", "stackTrace", `{"threadId":3139,"startFrame":0,"levels":1}`, `"totalFrames": 1`, false},
		{"all frames from fewer levels", "stackTrace", `{"threadId":3139}`, `LoopApp.Program.Main()`, false},
		{"frames past the end", "stackTrace", `{"threadId":3139,"startFrame":5,"levels":3}`, `"stackFrames": []`, false},
		{"another thread", "stackTrace", `{"threadId":99}`,
			"stackTrace (thread 99) is not in the recording, next is continue (thread 3139)", true},
		{"no frame is the top", "evaluate", `{"expression":" i + sum "}`, `"result": "0"`, false},
		{"context does not matter", "evaluate", `{"expression":"n","frameId":0,"context":"repl"}`, `"result": "30"`, false},
		{"a recorded failure", "evaluate", `{"expression":"missing","frameId":0}`, "The name 'missing' does not exist", true},
		{"never asked", "evaluate", `{"expression":"w * 3","frameId":0}`,
			`evaluate ("w * 3", frame 0) is not in the recording, next is continue`, true},
		{"a part of the variables", "variables", `{"variablesReference":1,"start":1,"count":2}`,
			`"variables": [{"evaluateName": "n"`, false},
		{"a filter", "variables", `{"variablesReference":1,"filter":"named"}`, `"name": "args"`, false},
		{"children of a value", "variables", `{"variablesReference":2}`, `"args[0]"`, false},
		{"a reference that never was", "variables", `{"variablesReference":77}`, "not in the recording", true},
		{"threads", "threads", ``, `"Main Thread"`, false},
		{"an unknown command", "goto", `{"targetId":1}`, "goto is not in the recording", true},
		{"another resume", "next", `{"threadId":3139}`,
			"next (thread 3139) is not in the recording, next is continue (thread 3139)", true},
		{"exception filters", "setExceptionBreakpoints", `{"filters":[]}`, ``, false},
		{"a line that was set later", "setBreakpoints", `{"source":{"path":` + program +
			`},"breakpoints":[{"line":21,"condition":"i == 20"}]}`, `"verified": true`, false},
		{"a line that never was", "setBreakpoints", `{"source":{"path":` + program +
			`},"breakpoints":[{"line":4},{"line":21}]}`,
			`"verified":false,"message":"This breakpoint is not in the recording."`, false},
		{"another file", "setBreakpoints", `{"source":{"path":"/x.cs"},"breakpoints":[{"line":21}]}`,
			`"line":21,"verified":false`, false},
		{"no breakpoints", "setBreakpoints", `{"source":{"path":` + program + `},"breakpoints":[]}`,
			`{"breakpoints":[]}`, false},
		{"functions", "setFunctionBreakpoints", `{"breakpoints":[{"name":"Other"}]}`, `"verified":false`, false},
		{"data breakpoints", "setDataBreakpoints", `{"breakpoints":[]}`, `{"breakpoints":[]}`, false},
		{"initialize again", "initialize", `{}`, `"supportsSetVariable": true`, false},
	}
	d := begin(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := d.call(c.command, c.args)
			assert.Equal(t, !c.fails, got.Success, "%s", got.Raw)
			if c.fails {
				assert.Contains(t, got.Text, c.want)
			} else {
				assert.Contains(t, string(got.Body), c.want)
			}
		})
	}
	require.True(t, d.call("continue", `{"threadId":1}`).Success,
		"refusals change nothing, and continue is for all threads")
}

func TestStartInOtherOrders(t *testing.T) {
	for _, backend := range backends {
		t.Run(backend, func(t *testing.T) {
			d := drive(t, open(t, tour(backend)), transcript.PlayOptions{})
			d.call("initialize", "")
			done := d.send("configurationDone", "")
			attach := d.send("attach", `{"processId":1}`) // a launch was recorded
			assert.True(t, (<-done).Success)
			got := <-attach
			assert.True(t, got.Success)
			assert.Equal(t, "attach", got.Name)
			require.NotNil(t, d.last("stopped"), "the program runs once both have come")
			d.call("disconnect", "")
			<-d.player.Done()
		})
	}
}

// TestBreakpointIDs checks that a line keeps its id in a replay, whatever ids the adapter assigned.
func TestBreakpointIDs(t *testing.T) {
	d := drive(t, open(t, tour("dlv")), transcript.PlayOptions{})
	d.call("initialize", "")
	launch := d.send("launch", `{}`)
	set := func() string {
		got := d.call("setBreakpoints", `{"source":{"path":"/src/go/main.go"},"breakpoints":[{"line":27},{"line":12}]}`)
		return plainIDs(t, got)
	}
	first := set()
	<-launch
	d.call("configurationDone", "")
	for range 5 {
		stop := d.last("stopped")
		assert.Contains(t, string(stop.Body), `"hitBreakpointIds": [1]`)
		d.call("continue", `{"threadId":1}`)
	}
	stop := d.last("stopped") // recorded with the id 2, at line 27
	assert.Contains(t, string(stop.Body), `"hitBreakpointIds": [2]`)
	assert.Equal(t, first, set())
	assert.Equal(t, "2 1", first)
}

func plainIDs(t *testing.T, m *dapclient.Message) string {
	t.Helper()
	type list struct {
		Breakpoints []struct {
			ID       int
			Verified bool
		}
	}
	body, err := dapclient.DecodeBody[list](m)
	require.NoError(t, err)
	var ids []string
	for _, b := range body.Breakpoints {
		assert.True(t, b.Verified)
		ids = append(ids, string(rune('0'+b.ID)))
	}
	return strings.Join(ids, " ")
}

// load makes a recording of messages written as "> request" and "< answer or event", in JSON.
func load(t *testing.T, lines ...string) *transcript.Recording {
	t.Helper()
	var b strings.Builder
	for _, l := range lines {
		dir := "recv"
		if l[0] == '>' {
			dir = "send"
		}
		b.WriteString(`{"t":0,"dir":"` + dir + `","msg":` + l[2:] + "}\n")
	}
	r := strings.NewReader(b.String())
	rec, err := transcript.Load(r, r.Size())
	require.NoError(t, err)
	return rec
}

// TestEventsFollowTheirAnswers: what an answer caused is sent with it, or at the end of the segment.
func TestEventsFollowTheirAnswers(t *testing.T) {
	rec := load(t,
		`> {"seq":1,"type":"request","command":"initialize"}`,
		`< {"seq":1,"type":"response","request_seq":1,"success":true,"command":"initialize"}`,
		`> {"seq":2,"type":"request","command":"configurationDone"}`,
		`< {"seq":2,"type":"response","request_seq":2,"success":true,"command":"configurationDone"}`,
		`> {"seq":3,"type":"request","command":"threads"}`,
		`< {"seq":3,"type":"response","request_seq":3,"success":true,"command":"threads","body":{"threads":[]}}`,
		`< {"seq":4,"type":"event","event":"stopped","body":{"reason":"breakpoint","threadId":7}}`,
		`< {"seq":5,"type":"event","event":"stopped","body":{"reason":"breakpoint","threadId":8,"threadCausedFocus":true}}`,
		`> {"seq":4,"type":"request","command":"evaluate","arguments":{"expression":"a"}}`,
		`< {"seq":6,"type":"response","request_seq":4,"success":true,"command":"evaluate","body":{"result":"1"}}`,
		`< {"seq":7,"type":"event","event":"output","body":{"output":"by a"}}`,
		`> {"seq":5,"type":"request","command":"evaluate","arguments":{"expression":"b"}}`,
		`< {"seq":8,"type":"response","request_seq":5,"success":true,"command":"evaluate","body":{"result":"2"}}`,
		`< {"seq":9,"type":"event","event":"output","body":{"output":"by b"}}`,
		`> {"seq":6,"type":"request","command":"continue"}`,
		`< {"seq":10,"type":"event","event":"continued"}`,
		`< {"seq":11,"type":"response","request_seq":6,"success":true,"command":"continue"}`,
		`< {"seq":12,"type":"event","event":"exited","body":{"exitCode":3}}`,
		`> {"seq":7,"type":"request","command":"pause"}`,
	)
	d := drive(t, rec, transcript.PlayOptions{})
	names := func() string {
		d.sync()
		var out []string
		for _, m := range d.told {
			text := m.Name
			if m.Name == "output" {
				text += string(m.Body)
			}
			out = append(out, text)
		}
		d.told = nil
		return strings.Join(out, " ")
	}
	d.call("initialize", "")
	d.call("configurationDone", "")
	assert.Equal(t, "stopped stopped", names(), "although the recorded client asked for threads before")
	assert.Contains(t, string(d.call("threads", "").Body), `"threads":[]`)
	d.call("evaluate", `{"expression":"b"}`)
	assert.Equal(t, `output{"output":"by b"}`, names())
	d.call("evaluate", `{"expression":"b"}`)
	assert.Empty(t, names(), "once only")
	assert.True(t, d.call("continue", `{"threadId":8}`).Success)
	assert.Equal(t, `output{"output":"by a"} continued exited`, names())
	got := d.call("pause", `{"threadId":8}`)
	assert.False(t, got.Success)
	assert.Equal(t, "the recording ends without an answer to this", got.Text)
	got = d.call("continue", "")
	assert.Equal(t, "continue is not in the recording, which ends here", got.Text)
	assert.True(t, d.call("disconnect", "").Success, "always answered")
	<-d.player.Done()
}

// TestValuesAroundAnAssignment: the same question has another answer after setVariable.
func TestValuesAroundAnAssignment(t *testing.T) {
	ask := `> {"seq":%,"type":"request","command":"evaluate","arguments":{"expression":"x","frameId":3}}`
	answer := `< {"seq":0,"type":"response","request_seq":%,"success":true,"command":"evaluate","body":{"result":"$"}}`
	at := func(form, seq, value string) string {
		return strings.NewReplacer("%", seq, "$", value).Replace(form)
	}
	rec := load(t,
		`> {"seq":1,"type":"request","command":"configurationDone"}`,
		`< {"seq":0,"type":"response","request_seq":1,"success":true,"command":"configurationDone"}`,
		`< {"seq":0,"type":"event","event":"stopped","body":{"reason":"step","threadId":7}}`,
		at(ask, "2", ""), at(answer, "2", "old"),
		`> {"seq":3,"type":"request","command":"setVariable","arguments":{"variablesReference":1,"name":"x","value":"5"}}`,
		`< {"seq":0,"type":"response","request_seq":3,"success":true,"command":"setVariable","body":{"value":"5"}}`,
		at(ask, "4", ""), at(answer, "4", "new"),
	)
	d := drive(t, rec, transcript.PlayOptions{})
	d.call("configurationDone", "")
	x := func() string { return string(d.call("evaluate", `{"expression":"x","frameId":3}`).Body) }
	assert.Equal(t, `{"result":"old"}`, x())
	assert.Equal(t, `{"result":"old"}`, x())
	d.call("setVariable", `{"variablesReference":1,"name":"x","value":"5"}`)
	assert.Equal(t, `{"result":"new"}`, x())
	got := d.call("threads", "")
	assert.JSONEq(t, `{"threads":[{"id":7,"name":"Thread 7"}]}`, string(got.Body),
		"no list was recorded: the stopped thread at least")
}

func TestReverseRequestsAreNotPlayed(t *testing.T) {
	rec := load(t,
		`> {"seq":1,"type":"request","command":"launch","arguments":{"program":"/p"}}`,
		`< {"seq":1,"type":"request","command":"runInTerminal","arguments":{"args":["rm"]}}`,
		`> {"seq":2,"type":"response","request_seq":1,"success":true,"command":"runInTerminal"}`,
		`< {"seq":2,"type":"response","request_seq":1,"success":true,"command":"launch"}`,
	)
	d := &driver{t: t, player: rec.Play(transcript.PlayOptions{}), events: dapclient.NewQueue[*dapclient.Message]()}
	d.conn = dapclient.NewConn(d.player, dapclient.Options{OnRequest: func(*dapclient.Message) (any, error) {
		t.Error("a replay must not make its client run anything")
		return nil, nil
	}})
	t.Cleanup(d.close)
	assert.True(t, d.call("launch", "").Success)
	assert.Equal(t, "/p", rec.Program)
}
