package transcript_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const root = "../../fixtures/transcripts"

var backends = []string{"netcoredbg", "dlv", "debugpy", "lldb-dap"}

// underRace omits the largest recordings with the race detector, because they take seconds and add no cases.
var underRace bool

func recordings(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "*", "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "no recordings in %s", root)
	if !underRace {
		return files
	}
	return slices.DeleteFunc(files, func(path string) bool {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Size() > 300_000
	})
}

func nameOf(path string) string {
	return filepath.Base(filepath.Dir(path)) + "/" + strings.TrimSuffix(filepath.Base(path), ".jsonl")
}

func tour(backend string) string { return filepath.Join(root, backend, "tour-loop.jsonl") }

func open(t testing.TB, path string) *transcript.Recording {
	t.Helper()
	rec, err := transcript.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, rec.Close()) })
	return rec
}

// message is a recorded message; raw bodies have no Kind.
type message struct {
	dir dapclient.Direction
	*dapclient.Message
}

func read(t testing.TB, path string) []message {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	r, err := transcript.NewReader(f)
	require.NoError(t, err)
	var all []message
	for {
		var e transcript.Entry
		err := r.Next(&e)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		body := append([]byte(nil), e.Body...)
		m, err := dapclient.Decode(body)
		if err != nil {
			m = &dapclient.Message{Raw: body}
		}
		all = append(all, message{e.Dir, m})
	}
}

// driver sends requests to a replay and keeps its messages.
type driver struct {
	t      testing.TB
	conn   *dapclient.Conn
	player *transcript.Player
	events *dapclient.Queue[*dapclient.Message]
	told   []*dapclient.Message
}

func drive(t testing.TB, rec *transcript.Recording, opts transcript.PlayOptions) *driver {
	d := &driver{t: t, player: rec.Play(opts), events: dapclient.NewQueue[*dapclient.Message]()}
	d.conn = dapclient.NewConn(d.player, dapclient.Options{OnEvent: func(m *dapclient.Message) { d.events.Push(m) }})
	t.Cleanup(d.close)
	return d
}

func (d *driver) close() {
	d.player.Close()
	<-d.conn.Done()
}

// call sends one request. A failed response is returned as a message, not as an error.
func (d *driver) call(command, args string) *dapclient.Message {
	d.t.Helper()
	got := <-d.send(command, args)
	require.NotNil(d.t, got, "%s %s was not answered", command, args)
	return got
}

// send sends one request and returns a channel for its answer, which gives nil when the connection ends.
func (d *driver) send(command, args string) <-chan *dapclient.Message {
	d.t.Helper()
	answer := make(chan *dapclient.Message, 1)
	r := dapclient.Request{Command: command, Done: func(m *dapclient.Message, _ error) { answer <- m }}
	if args != "" {
		r.Args = json.RawMessage(args)
	}
	_, err := d.conn.Send(r)
	require.NoError(d.t, err)
	return answer
}

// sync waits until everything sent is answered, so that all events have come too.
func (d *driver) sync() {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, _ = d.conn.Call(ctx, 0, "cancel", nil)
	require.NoError(d.t, ctx.Err())
	d.told = append(d.told, d.events.Take(nil)...)
}

// last returns the latest event with a name, nil when there is none.
func (d *driver) last(event string) *dapclient.Message {
	d.t.Helper()
	d.sync()
	for i := len(d.told) - 1; i >= 0; i-- {
		if d.told[i].Name == event {
			return d.told[i]
		}
	}
	return nil
}

// plain returns a body for comparison: compact, without what a replay may change (ids of breakpoints and of
// children).
func plain(t testing.TB, raw json.RawMessage) string {
	t.Helper()
	if len(raw) == 0 {
		return ""
	}
	var v any
	require.NoError(t, json.Unmarshal(raw, &v))
	var walk func(v any, breakpoint bool)
	walk = func(v any, breakpoint bool) {
		switch v := v.(type) {
		case map[string]any:
			if breakpoint {
				delete(v, "id")
			}
			if _, ok := v["hitBreakpointIds"]; ok {
				v["hitBreakpointIds"] = true
			}
			if ref, ok := v["variablesReference"].(float64); ok && ref > 0 {
				v["variablesReference"] = true
			}
			for key, one := range v {
				walk(one, key == "breakpoints" || key == "breakpoint")
			}
		case []any:
			for _, one := range v {
				walk(one, breakpoint)
			}
		}
	}
	walk(v, false)
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// TestSameRequests sends all recorded requests of all recordings in order, and expects the recorded answers and the
// recorded events in order.
func TestSameRequests(t *testing.T) {
	for _, path := range recordings(t) {
		t.Run(nameOf(path), func(t *testing.T) {
			all := read(t, path)
			answers := map[int]*dapclient.Message{}
			var events []string
			for _, m := range all {
				switch {
				case m.dir == dapclient.Received && m.Kind == dapclient.KindResponse:
					answers[m.RequestSeq] = m.Message
				case m.dir == dapclient.Received && m.Kind == dapclient.KindEvent:
					events = append(events, m.Name+" "+plain(t, m.Body))
				}
			}
			d := drive(t, open(t, path), transcript.PlayOptions{})
			type open struct {
				ask message
				got <-chan *dapclient.Message
			}
			var sent []open
			for _, m := range all {
				if m.dir == dapclient.Sent && m.Kind == dapclient.KindRequest {
					sent = append(sent, open{m, d.send(m.Name, string(m.Arguments))})
				}
			}
			for _, o := range sent {
				got, want := <-o.got, answers[o.ask.Seq]
				if want == nil {
					continue // killed meanwhile
				}
				require.NotNil(t, got, "no answer to %s", o.ask.Raw)
				assert.Equal(t, want.Success, got.Success, "%s", o.ask.Raw)
				assert.Equal(t, want.Text, got.Text, "%s", o.ask.Raw)
				same := func(other open) bool { // Delve numbers the frames of each answer anew
					return other.ask.Name == o.ask.Name && bytes.Equal(other.ask.Arguments, o.ask.Arguments) &&
						answers[other.ask.Seq] != nil && bytes.Equal(answers[other.ask.Seq].Body, got.Body)
				}
				if !bytes.Equal(want.Body, got.Body) && !slices.ContainsFunc(sent, same) {
					assert.Equal(t, plain(t, want.Body), plain(t, got.Body), "%s", o.ask.Raw)
				}
			}
			d.close()
			d.told = append(d.told, d.events.Take(nil)...)
			var told []string
			for _, m := range d.told {
				told = append(told, m.Name+" "+plain(t, m.Body))
			}
			if strings.HasPrefix(nameOf(path), "js-debug/") {
				// js-debug repeats each answer about a breakpoint as an event. The player leaves it out while the client
				// has not set the breakpoint, and here the events come before the requests are read.
				repeats := func(e string) bool { return strings.HasPrefix(e, "breakpoint ") }
				events, told = slices.DeleteFunc(events, repeats), slices.DeleteFunc(told, repeats)
			}
			assert.Equal(t, events, told)
			require.NoError(t, d.player.Err())
		})
	}
}

// TestStrict sends the same in strict mode: answers are the recorded bytes except request_seq.
func TestStrict(t *testing.T) {
	for _, path := range recordings(t) {
		t.Run(nameOf(path), func(t *testing.T) {
			d := drive(t, open(t, path), transcript.PlayOptions{Strict: true})
			var got []<-chan *dapclient.Message
			for _, m := range read(t, path) {
				if m.dir == dapclient.Sent && m.Kind == dapclient.KindRequest {
					got = append(got, d.send(m.Name, string(m.Arguments)))
				}
			}
			d.player.End.Out.CloseBuffer(false) // nothing more comes
			for _, c := range got {
				<-c
			}
			<-d.player.Done()
			require.NoError(t, d.player.Err())
		})
	}
}

func TestStrictTellsTheDifference(t *testing.T) {
	d := drive(t, open(t, tour("dlv")), transcript.PlayOptions{Strict: true})
	all := read(t, tour("dlv"))
	assert.True(t, d.call("initialize", string(all[0].Arguments)).Success)
	got := d.call("launch", `{"mode":"debug"}`)
	assert.False(t, got.Success)
	assert.Contains(t, got.Text, `line 3 of the recording: want launch {"args":["150","panic"]`)
	assert.Contains(t, got.Text, `got launch {"mode":"debug"}`)
	require.ErrorContains(t, d.player.Err(), "line 3")
	assert.Equal(t, got.Text, d.call("configurationDone", "").Text, "the first difference stays")
}

// TestReadsInAnyOrder replays the tours of all backends to the end. At each stop the recorded questions are sent
// twice and in reverse order.
func TestReadsInAnyOrder(t *testing.T) {
	for _, backend := range backends {
		t.Run(backend, func(t *testing.T) {
			all := read(t, tour(backend))
			answers := map[int]*dapclient.Message{}
			for _, m := range all {
				if m.dir == dapclient.Received && m.Kind == dapclient.KindResponse {
					answers[m.RequestSeq] = m.Message
				}
			}
			d := drive(t, open(t, tour(backend)), transcript.PlayOptions{})
			var questions []message
			asked := 0
			ask := func() {
				for range 2 {
					for i := len(questions) - 1; i >= 0; i-- {
						q := questions[i]
						got, want := d.call(q.Name, string(q.Arguments)), answers[q.Seq]
						require.Equal(t, want.Success, got.Success, "%s: %s", q.Raw, got.Text)
						if q.Name != "setVariable" {
							require.Equal(t, plain(t, want.Body), plain(t, got.Body), "%s", q.Raw)
						}
						asked++
					}
				}
				questions = nil
			}
			for _, m := range all {
				if m.dir != dapclient.Sent {
					continue
				}
				switch m.Name {
				case "stackTrace", "scopes", "variables", "evaluate", "threads", "exceptionInfo", "setVariable":
					questions = append(questions, m)
					continue
				}
				ask()
				answer := d.send(m.Name, string(m.Arguments))
				if m.Name != "launch" || backend != "debugpy" { // answered after configurationDone
					assert.True(t, (<-answer).Success, "%s", m.Raw)
				}
			}
			<-d.player.Done()
			<-d.conn.Done()
			assert.Greater(t, asked, 60)
		})
	}
}

// raw returns JSON as arguments.
func raw(args string) json.RawMessage { return json.RawMessage(args) }
