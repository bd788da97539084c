package dapclient

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// peer is the adapter's end of a connection in memory. A write waits until the connection reads.
type peer struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
}

func connect(t *testing.T, opts Options) (*Conn, *peer) {
	t.Helper()
	ours, theirs := net.Pipe()
	c := NewConn(ours, opts)
	p := &peer{t, theirs, bufio.NewReader(theirs)}
	t.Cleanup(func() {
		c.Close()
		theirs.Close()
		<-c.Done()
	})
	return c, p
}

// request reads one request.
func (p *peer) request() *Message {
	p.t.Helper()
	raw, err := ReadFrame(p.r, 0)
	require.NoError(p.t, err)
	require.True(p.t, json.Valid(raw), string(raw))
	m, err := Decode(raw)
	require.NoError(p.t, err)
	return m
}

// send writes one body.
func (p *peer) send(format string, args ...any) {
	p.t.Helper()
	_, err := p.conn.Write(AppendFrame(nil, fmt.Appendf(nil, format, args...)))
	require.NoError(p.t, err)
}

func (p *peer) succeed(m *Message) {
	p.t.Helper()
	p.send(`{"seq":0,"type":"response","request_seq":%d,"command":"%s","success":true,"body":{"for":%d}}`, m.Seq,
		m.Name, m.Seq)
}

// told records the calls of a connection's functions, in order. All come from its reader.
type told struct {
	mu    sync.Mutex
	lines []string
}

func (l *told) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *told) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

func TestCall(t *testing.T) {
	c, p := connect(t, Options{})
	go func() {
		m := p.request()
		assert.Equal(t, `{"seq":1,"type":"request","command":"threads"}`, string(m.Raw))
		p.send(`{"seq":"1","type":"response","request_seq":1,"command":"threads","success":true,` +
			`"body":{"threads":[]},"vendor":7}`)
		m = p.request()
		assert.Equal(t, `{"seq":2,"type":"request","command":"evaluate","arguments":{"expression":"x"}}`, string(m.Raw))
		p.send(`{"seq":2,"type":"response","request_seq":2,"command":"evaluate","success":false,"message":"no x"}`)
	}()
	m, err := c.Call(t.Context(), patience, "threads", nil)
	require.NoError(t, err)
	assert.JSONEq(t, `{"threads":[]}`, string(m.Body))
	assert.Contains(t, string(m.Raw), `"vendor":7`, "what is not understood is kept")

	m, err = c.Call(t.Context(), patience, "evaluate", EvaluateArguments{Expression: "x"})
	var failed *ResponseError
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, "evaluate: no x", err.Error())
	assert.False(t, m.Success)
	assert.NoError(t, c.Err())
}

// Command names may come from users, so they must be encoded as JSON.
func TestCommandNameIsQuotedAsJSON(t *testing.T) {
	c, p := connect(t, Options{})
	name := "a\"b\\c\x01é\u2028\xff"
	_, err := c.Send(Request{Command: name})
	require.NoError(t, err)
	assert.Equal(t, strings.ToValidUTF8(name, "\uFFFD"), p.request().Name)
}

func TestSendMarshalError(t *testing.T) {
	c, p := connect(t, Options{})
	_, err := c.Send(Request{Command: "threads"},
		Request{Command: "evaluate", Args: func() {}, Done: func(*Message, error) {
			t.Error("called")
		}})
	require.ErrorContains(t, err, "marshal arguments of evaluate")
	seqs, err := c.Send(Request{Command: "scopes"})
	require.NoError(t, err)
	assert.Equal(t, []int{1}, seqs, "nothing was queued")
	assert.Equal(t, "scopes", p.request().Name)
	seqs, err = c.Send()
	require.NoError(t, err)
	assert.Empty(t, seqs)
}

func TestAnswersInAnyOrder(t *testing.T) {
	c, p := connect(t, Options{})
	const n = 50
	var answers sync.WaitGroup
	for i := range n {
		answers.Go(func() {
			command := fmt.Sprintf("command%d", i)
			m, err := c.Call(t.Context(), patience, command, nil)
			if assert.NoError(t, err) {
				assert.Equal(t, command, m.Name)
				assert.Equal(t, fmt.Sprintf(`{"for":%d}`, m.RequestSeq), string(m.Body))
			}
		})
	}
	var requests []*Message
	for range n {
		requests = append(requests, p.request())
	}
	for i, m := range requests {
		assert.Equal(t, i+1, m.Seq)
	}
	rand.Shuffle(n, func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
	for _, m := range requests {
		p.succeed(m)
	}
	answers.Wait()
}

// Events and responses are passed on in order, and each response reaches its own request once.
func TestOrder(t *testing.T) {
	var log told
	c, p := connect(t, Options{OnEvent: func(m *Message) { log.add("event %s", m.Name) }})
	done := make(chan struct{})
	_, err := c.Send(
		Request{Command: "pause", Done: func(m *Message, err error) { log.add("pause %v %v", m.Success, err) }},
		Request{Command: "threads", Done: func(m *Message, err error) { log.add("threads %v %v", m.Success, err) }},
		Request{Command: "scopes"}, // without a Done
		Request{Command: "last", Done: func(m *Message, err error) { close(done) }},
	)
	require.NoError(t, err)
	for range 4 {
		p.request()
	}
	p.send(`{"seq":1,"type":"event","event":"stopped"}`)
	p.send(`{"seq":2,"type":"response","request_seq":2,"command":"threads","success":true}`)
	p.send(`{"seq":3,"type":"event","event":"output"}`)
	p.send(`{"seq":4,"type":"response","request_seq":1,"command":"pause","success":false}`)
	p.send(`{"seq":5,"type":"response","request_seq":1,"command":"pause","success":true}`) // a second time
	p.send(`{"seq":5,"type":"response","request_seq":3,"command":"scopes","success":true}`)
	p.send(`{"seq":6,"type":"response","request_seq":77,"command":"threads","success":true}`) // for no request
	p.send(`{"seq":6,"type":"response","command":"threads","success":true}`)
	p.send(`{"seq":7,"type":"event","event":"thread"}`)
	p.send(`{"seq":8,"type":"response","request_seq":4,"command":"last","success":true}`)
	<-done
	assert.Equal(t, []string{"event stopped", "threads true <nil>", "event output", "pause false <nil>",
		"event thread"}, log.all())
}

// Input on which go-dap fails or panics: the stream continues after it.
func TestSurvives(t *testing.T) {
	events := []string{
		`{"seq":1,"type":"event","event":"vendor/unknown","body":{"a":1}}`,
		`{"seq":"2","type":"event","event":"stopped","body":{"threadId":"seven"}}`,
		`{"seq":1.5,"type":"event","event":"output"}`,
		`{"type":"event","event":"module"}`,
		"{\"type\":\"event\",\"event\":\"raw\",\"body\":{\"output\":\"a\x01b\"}}",
	}
	skipped := []string{`{"seq":2,"type":"event","event":`, `not JSON`, ``, `[]`, `{"type":"signal"}`, `null`}
	want := []string{"vendor/unknown", "stopped", "output", "module", "raw", "end"}

	var got []string
	ended := make(chan struct{})
	c, p := connect(t, Options{OnEvent: func(m *Message) {
		if got = append(got, m.Name); m.Name == "end" {
			close(ended)
		}
	}})
	for i, e := range events {
		p.send("%s", skipped[i])
		p.send("%s", e)
	}
	p.send("%s", skipped[len(skipped)-1])
	frame := "\r\ncontent-type: x\ncontent-length:30\n\n" + `{"type":"event","event":"end"}`
	_, err := p.conn.Write([]byte(frame))
	require.NoError(t, err)
	<-ended
	assert.Equal(t, want, got)
	assert.NoError(t, c.Err())
}

func TestLostStep(t *testing.T) {
	c, p := connect(t, Options{MaxFrame: 10})
	got := make(chan error, 1)
	_, err := c.Send(Request{Command: "threads", Done: func(m *Message, err error) { got <- err }})
	require.NoError(t, err)
	p.request()
	_, err = p.conn.Write([]byte("Content-Length: 11\r\n\r\n"))
	require.NoError(t, err)
	err = <-got
	assert.ErrorIs(t, err, ErrClosed)
	assert.ErrorIs(t, err, ErrFrame)
	<-c.Done()
	assert.ErrorIs(t, c.Err(), ErrFrame)
	_, err = c.Send(Request{Command: "threads"})
	assert.ErrorIs(t, err, ErrFrame)
}

func TestDeadlineAndLateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log told
		c, p := connect(t, Options{OnEvent: func(m *Message) { log.add("%s", m.Name) }})
		began := time.Now()
		_, err := c.Call(t.Context(), 3*time.Second, "evaluate", nil)
		require.ErrorIs(t, err, ErrDeadline)
		assert.ErrorContains(t, err, "evaluate")
		assert.ErrorContains(t, err, "3s")
		assert.NotErrorIs(t, err, ErrClosed)
		assert.Equal(t, 3*time.Second, time.Since(began))
		late := p.request()

		// The late answer is not taken for the answer to the next call.
		go func() {
			next := p.request()
			p.succeed(late)
			p.send(`{"type":"event","event":"between"}`)
			p.succeed(next)
		}()
		m, err := c.Call(t.Context(), time.Hour, "evaluate", nil)
		require.NoError(t, err)
		assert.Equal(t, 2, m.RequestSeq)
		assert.Equal(t, []string{"between"}, log.all())
	})
}

func TestCallContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, p := connect(t, Options{})
		why := errors.New("the client cancelled")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		_, err := c.Call(ctx, time.Hour, "evaluate", nil)
		assert.ErrorIs(t, err, why)

		short, done := context.WithTimeout(t.Context(), time.Second)
		defer done()
		_, err = c.Call(short, 0, "evaluate", nil)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.NotErrorIs(t, err, ErrDeadline)
		p.request()
		p.request()
	})
}

func TestReverseRequests(t *testing.T) {
	answers := map[string]func() (any, error){
		"runInTerminal":  func() (any, error) { return map[string]int{"processId": 5}, nil },
		"startDebugging": func() (any, error) { return nil, nil },
		"refused":        func() (any, error) { return nil, errors.New("not today") },
		"unmarshallable": func() (any, error) { return func() {}, nil },
	}
	_, p := connect(t, Options{OnRequest: func(m *Message) (any, error) { return answers[m.Name]() }})
	tests := []struct{ command, want string }{
		{"runInTerminal", `{"seq":1,"type":"response","request_seq":40,"command":"runInTerminal","success":true,` +
			`"body":{"processId":5}}`},
		{"startDebugging", `{"seq":2,"type":"response","request_seq":41,"command":"startDebugging","success":true}`},
		{"refused", `{"seq":3,"type":"response","request_seq":42,"command":"refused","success":false,"message":"not today"}`},
		{"unmarshallable", `{"seq":4,"type":"response","request_seq":43,"command":"unmarshallable","success":false,` +
			`"message":"json: unsupported type: func()"}`},
	}
	for i, tt := range tests {
		p.send(`{"seq":"%d","type":"request","command":"%s","arguments":{}}`, 40+i, tt.command)
		assert.Equal(t, tt.want, string(p.request().Raw))
	}
}

func TestReverseRequestWithoutHandler(t *testing.T) {
	c, p := connect(t, Options{})
	p.send(`{"seq":3,"type":"request","command":"runInTerminal"}`)
	assert.JSONEq(t, `{"seq":1,"type":"response","request_seq":3,"command":"runInTerminal","success":false,`+
		`"message":"not supported by this client"}`, string(p.request().Raw))
	go func() { p.succeed(p.request()) }()
	_, err := c.Call(t.Context(), patience, "threads", nil)
	assert.NoError(t, err, "the same counter of seq serves both")
}

// A handler may take long: the reader does not wait for it.
func TestSlowReverseRequest(t *testing.T) {
	release, got := make(chan struct{}), make(chan struct{})
	_, p := connect(t, Options{
		OnRequest: func(*Message) (any, error) { <-release; return nil, nil },
		OnEvent:   func(*Message) { close(got) },
	})
	p.send(`{"seq":3,"type":"request","command":"runInTerminal"}`)
	p.send(`{"seq":4,"type":"event","event":"stopped"}`)
	<-got
	close(release)
	assert.True(t, p.request().Success)
}

// countingWriter counts the writes of a connection.
type countingWriter struct {
	net.Conn
	mu     sync.Mutex
	writes []string
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	w.writes = append(w.writes, string(p))
	w.mu.Unlock()
	return w.Conn.Write(p)
}

func TestRequestsOfOneSendLeaveInOneWrite(t *testing.T) {
	ours, theirs := net.Pipe()
	w := &countingWriter{Conn: ours}
	c := NewConn(w, Options{})
	_, err := c.Send(Request{Command: "stackTrace", Args: StackTraceArguments{ThreadID: 1, Levels: 1}},
		Request{Command: "evaluate"}, Request{Command: "continue"})
	require.NoError(t, err)
	p := &peer{t, theirs, bufio.NewReader(theirs)}
	for i, name := range []string{"stackTrace", "evaluate", "continue"} {
		m := p.request()
		assert.Equal(t, name, m.Name)
		assert.Equal(t, i+1, m.Seq)
	}
	w.mu.Lock()
	assert.Len(t, w.writes, 1)
	w.mu.Unlock()
	theirs.Close()
	<-c.Done()
}

// recorder keeps the recorded bodies.
type recorder struct{ told }

func (r *recorder) Record(dir Direction, body []byte) { r.add("%s %s", dir, body) }

// A recording has the bodies unchanged, also those that are not JSON, and no answer before its request.
func TestRecorder(t *testing.T) {
	var rec recorder
	c, p := connect(t, Options{Recorder: &rec})
	go func() {
		p.send(`{"seq":"1",  "type":"event","event":"initialized", "vendor":[] }`)
		p.send(`not JSON`)
		for range 20 {
			p.succeed(p.request())
		}
	}()
	for range 20 {
		_, err := c.Call(t.Context(), patience, "threads", nil)
		require.NoError(t, err)
	}
	lines := rec.all()
	require.Len(t, lines, 42)
	at := func(s string) int { return slices.Index(lines, s) }
	assert.Less(t, at(`recv {"seq":"1",  "type":"event","event":"initialized", "vendor":[] }`), at("recv not JSON"))
	for seq := 1; seq <= 20; seq++ {
		question := at(fmt.Sprintf(`send {"seq":%d,"type":"request","command":"threads"}`, seq))
		answer := at(fmt.Sprintf(`recv {"seq":0,"type":"response","request_seq":%d,"command":"threads",`+
			`"success":true,"body":{"for":%d}}`, seq, seq))
		require.GreaterOrEqual(t, question, 0)
		require.Greater(t, answer, question)
	}
}

// Under load: many senders, one reader, every request answered once, over real pipes.
func TestConnUnderLoad(t *testing.T) {
	adapterIn, ourOut, err := os.Pipe()
	require.NoError(t, err)
	ourIn, adapterOut, err := os.Pipe()
	require.NoError(t, err)
	events := 0
	stream := newStdioStream(&inPipe{File: ourOut}, ourIn)
	c := NewConn(stream, Options{OnEvent: func(*Message) { events++ }})
	adapter := startFrameEcho(adapterIn, adapterOut)
	const senders, each = 8, 200
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for i := range each {
				m, err := c.Call(t.Context(), patience, "evaluate", i)
				if assert.NoError(t, err) {
					assert.Equal(t, "evaluate", m.Name)
				}
			}
		})
	}
	all.Wait()
	c.Close()
	<-c.Done()
	adapterIn.Close()
	adapterOut.Close()
	assert.Equal(t, senders*each, <-adapter)
	assert.Equal(t, senders*each, events)
}

// startFrameEcho answers each request with an event and a response, until its input ends. Then it sends the number of
// requests.
func startFrameEcho(r io.Reader, w io.Writer) <-chan int {
	count := make(chan int, 1)
	go func() {
		br, n := bufio.NewReader(r), 0
		for {
			raw, err := ReadFrame(br, 0)
			if err != nil {
				count <- n
				return
			}
			m, err := Decode(raw)
			if err != nil {
				continue
			}
			n++
			out := AppendFrame(nil, []byte(`{"type":"event","event":"output"}`))
			out = AppendFrame(out,
				fmt.Appendf(nil, `{"type":"response","request_seq":%d,"command":"%s","success":true}`, m.Seq, m.Name))
			w.Write(out)
		}
	}()
	return count
}

// Too many reverse requests are refused while earlier ones are open.
func TestTooManyReverseRequests(t *testing.T) {
	release := make(chan struct{})
	c, p := connect(t, Options{OnRequest: func(*Message) (any, error) { <-release; return nil, nil }})
	for i := range maxAnswering + 3 {
		p.send(`{"seq":%d,"type":"request","command":"startDebugging"}`, 40+i)
	}
	for range 3 {
		m := p.request()
		assert.False(t, m.Success)
		assert.Contains(t, string(m.Raw), ErrTooMany.Error())
	}
	close(release)
	for range maxAnswering {
		assert.True(t, p.request().Success)
	}
	go func() { p.succeed(p.request()) }()
	_, err := c.Call(t.Context(), patience, "threads", nil)
	assert.NoError(t, err)
}
