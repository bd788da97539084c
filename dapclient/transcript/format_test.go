package transcript_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
)

func TestOpenAllRecordings(t *testing.T) {
	for _, path := range recordings(t) {
		t.Run(nameOf(path), func(t *testing.T) {
			rec := open(t, path)
			assert.Positive(t, rec.Len())
			assert.Equal(t, filepath.Base(filepath.Dir(path)), rec.Backend)
			assert.LessOrEqual(t, rec.Header.Version, 1, "0: older than the header")
		})
	}
	assert.Equal(t, "/src/LoopApp/LoopApp.dll", open(t, tour("netcoredbg")).Program)
	assert.Equal(t, "/src/go/loop", open(t, tour("dlv")).Program)
}

func TestGuessBackend(t *testing.T) {
	cases := map[string]string{
		`"clientID":"x","adapterID":"coreclr"`: "netcoredbg", `"adapterID":"go"`: "dlv", `"adapterID":"python"`: "debugpy",
		`"adapterID":"lldb"`: "lldb-dap", `"adapterID":"other"`: "", `"adapterID":7`: "",
	}
	for args, want := range cases {
		rec := load(t, `> {"seq":1,"type":"request","command":"initialize","arguments":{`+args+`}}`)
		assert.Equal(t, want, rec.Backend, args)
	}
}

func TestRefusedFiles(t *testing.T) {
	good := `{"t":0.1,"dir":"send","msg":{"seq":1,"type":"request","command":"initialize"}}` + "\n"
	cases := []struct{ name, text, want string }{
		{"empty", "", "line 1: the recording is empty"},
		{"blank", "\n \n", "line 1: the recording is empty"},
		{"foreign text", "hello\n", "line 1: damaged: not JSON"},
		{"foreign JSON", `{"version":"1.0"}` + "\n", `line 1: not a recorded message: no "dir"`},
		{"foreign array", "[]\n", "line 1: not a recorded message: not a JSON object"},
		{"binary", "\x7fELF\x00\x01\n", "line 1: damaged"},
		{"cut in a line", good + `{"t":0.2,"dir":"recv","msg":{"seq":1,`, "line 2: damaged: the line is cut off"},
		{"cut in a string", good + good + `{"t":0.2,"dir":"re`, "line 3: damaged: the line is cut off"},
		{"damaged in the middle", good + "{]\n" + good, "line 2: damaged: not JSON"},
		{"two on a line", strings.TrimSpace(good) + good, "line 1: damaged"},
		{"strange direction", `{"t":1,"dir":"up","msg":{}}`, `line 1: "dir" is "up", not "send" or "recv"`},
		{"no message", good + `{"t":1,"dir":"send"}`, `line 2: neither "msg" nor "raw"`},
		{"both", `{"t":1,"dir":"send","msg":{},"raw":"x"}`, `line 1: both "msg" and "raw"`},
		{"message no object", `{"t":1,"dir":"send","msg":[1]}`, `line 1: "msg" is [1], not an object`},
		{"raw no string", `{"t":1,"dir":"send","raw":{}}`, `line 1: "raw" is {}, not a string`},
		{"time no number", `{"t":"x","dir":"send","msg":{}}`, `line 1: "t" is "x", not a number`},
		{"newer", `{"breakwire":2}` + "\n" + good, "line 1: written by a newer breakwire (format 2, this one reads 1)"},
		{"strange version", `{"breakwire":"one"}` + "\n" + good, `line 1: "breakwire" is "one", not a version`},
		{"header alone", `{"breakwire":1}` + "\n", "not a recording of a debug adapter"},
		{"no DAP", `{"t":1,"dir":"send","msg":{"jsonrpc":"2.0"}}`, "not a recording of a debug adapter"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := strings.NewReader(c.text)
			_, err := transcript.Load(r, r.Size())
			require.ErrorContains(t, err, c.want)
			var line *transcript.LineError
			require.ErrorAs(t, err, &line)

			path := filepath.Join(t.TempDir(), "x.jsonl")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			_, err = transcript.Open(path)
			require.ErrorContains(t, err, path)
		})
	}
	_, err := transcript.Open(filepath.Join(t.TempDir(), "none.jsonl"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestReaderIsTolerant(t *testing.T) {
	text := "\r\n" + `  {"breakwire":1,"backend":"mine","program":"/p","time":"2026-11-27T10:00:00Z","more":[1]}` +
		"\r\n\n" +
		`{"extra":{"dir":"x"},"msg":{"type":"event","event":"e"},"dir":"recv","t":1.5}` + "\r\n" +
		`{"dir":"send","raw":"a\u0000\n"}`
	r, err := transcript.NewReader(strings.NewReader(text))
	require.NoError(t, err)
	assert.Equal(t, transcript.Header{Version: 1, Backend: "mine", Program: "/p",
		Time: time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)}, r.Header())
	var e transcript.Entry
	require.NoError(t, r.Next(&e))
	assert.Equal(t, 4, e.Line)
	assert.Equal(t, 1500*time.Millisecond, e.Time)
	assert.Equal(t, dapclient.Received, e.Dir)
	assert.Equal(t, `{"type":"event","event":"e"}`, string(e.Body))
	assert.Equal(t, text[e.Offset:e.Offset+int64(e.Length)],
		`{"extra":{"dir":"x"},"msg":{"type":"event","event":"e"},"dir":"recv","t":1.5}`)
	require.NoError(t, r.Next(&e))
	assert.True(t, e.Raw)
	assert.Equal(t, "a\x00\n", string(e.Body))
	assert.ErrorIs(t, r.Next(&e), io.EOF)
	assert.ErrorIs(t, r.Next(&e), io.EOF)
}

func TestWriterKeepsBytes(t *testing.T) {
	bodies := []struct {
		name, body string
		raw        bool
	}{
		{"compact", `{"seq":1,"type":"event","event":"x"}`, false},
		{"spaces and order stay", `{ "type" : "event",  "seq":"7", "event":"x" }`, false},
		{"unicode and escapes stay", `{"a":"\u00e9é</&\/"}`, false},
		{"not UTF-8", "{\"a\":\"\xff\"}", false},
		{"pretty", "{\n  \"seq\": 1\n}", true},
		{"carriage return", "{\"seq\":\r1}", true},
		{"control character in a string", "{\"a\":\"\x01\"}", true},
		{"not JSON", "stray line", true},
		{"not UTF-8 and not JSON", "\xff\xfe{", true},
		{"a number", "17", true},
		{"cut", `{"seq":1`, true},
		{"empty", "", true},
	}
	var file bytes.Buffer
	w, err := transcript.NewWriter(&file, transcript.Header{Backend: "dlv", Program: "/p"})
	require.NoError(t, err)
	for _, b := range bodies {
		w.Record(dapclient.Received, []byte(b.body))
	}
	require.NoError(t, w.Close())
	require.NoError(t, w.Close(), "twice is fine")
	w.Record(dapclient.Received, []byte(`{}`))

	r, err := transcript.NewReader(bytes.NewReader(file.Bytes()))
	require.NoError(t, err)
	assert.Equal(t, "dlv", r.Header().Backend)
	assert.WithinDuration(t, time.Now(), r.Header().Time, time.Minute)
	for _, b := range bodies {
		var e transcript.Entry
		require.NoError(t, r.Next(&e), b.name)
		assert.Equal(t, b.body, string(e.Body), b.name)
		assert.Equal(t, b.raw, e.Raw, b.name)
	}
	var e transcript.Entry
	assert.ErrorIs(t, r.Next(&e), io.EOF)
}

func TestRedaction(t *testing.T) {
	launch := func(args string) string {
		return `{"seq":2,"type":"request","command":"launch","arguments":` + args + `}`
	}
	cases := []struct {
		name      string
		dir       dapclient.Direction
		body      string
		want      string // "" means unchanged
		forbidden string
	}{
		{"object", dapclient.Sent, launch(`{"env": {"A":"secret", "B" : null,"C":""},"args":["x"]}`),
			launch(`{"env": {"A":"<redacted>", "B" : null,"C":"<redacted>"},"args":["x"]}`), "secret"},
		{"list of assignments", dapclient.Sent, launch(`{"env":["A=secret","B"]}`),
			launch(`{"env":["A=<redacted>","<redacted>"]}`), "secret"},
		{"list of objects", dapclient.Sent, launch(`{"environment":[{"name":"A","value":"secret"}]}`),
			launch(`{"environment":[{"name":"A","value":"<redacted>"}]}`), "secret"},
		{"strange types", dapclient.Sent, launch(`{"env":"A=secret"}`), launch(`{"env":"<redacted>"}`), "secret"},
		{"nested values", dapclient.Sent, launch(`{"env":{"A":{"x":"secret"},"B":["secret"]}}`),
			launch(`{"env":{"A":"<redacted>","B":"<redacted>"}}`), "secret"},
		{"key with escapes", dapclient.Sent, launch(`{"\u0065nv":{"A":"secret"}}`),
			launch(`{"\u0065nv":{"A":"<redacted>"}}`), "secret"},
		{"both keys, twice", dapclient.Sent, launch(`{"env":{"A":"secret"},"env":{"A":"secret"}}`),
			launch(`{"env":{"A":"<redacted>"},"env":{"A":"<redacted>"}}`), "secret"},
		{"attach", dapclient.Sent, `{"type":"request","command":"attach","arguments":{"env":{"A":"secret"}}}`,
			`{"type":"request","command":"attach","arguments":{"env":{"A":"<redacted>"}}}`, "secret"},
		{"restart", dapclient.Sent,
			`{"type":"request","command":"restart","arguments":{"arguments":{"env":{"A":"secret"}}}}`,
			`{"type":"request","command":"restart","arguments":{"arguments":{"env":{"A":"<redacted>"}}}}`, "secret"},
		{"terminal", dapclient.Received,
			`{"type":"request","command":"runInTerminal","arguments":{"env":{"A":"secret"},"args":["a"]}}`,
			`{"type":"request","command":"runInTerminal","arguments":{"env":{"A":"<redacted>"},"args":["a"]}}`, "secret"},
		{"null and empty", dapclient.Sent, launch(`{"env":null,"x":1}`), "", ""},
		{"empty list", dapclient.Sent, launch(`{"env":[ ]}`), "", ""},
		{"no environment", dapclient.Sent, launch(`{"args":["--env","x"]}`), "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var file bytes.Buffer
			w, err := transcript.NewWriter(&file, transcript.Header{})
			require.NoError(t, err)
			w.Record(c.dir, []byte(c.body))
			require.NoError(t, w.Close())
			if c.want == "" {
				c.want = c.body
			}
			assert.Contains(t, file.String(), `"msg":`+c.want+"}\n")
			if c.forbidden != "" {
				assert.NotContains(t, file.String(), c.forbidden)
			}
		})
	}
}

func TestRedactionOfManyLines(t *testing.T) {
	var file bytes.Buffer
	w, err := transcript.NewWriter(&file, transcript.Header{})
	require.NoError(t, err)
	w.Record(dapclient.Sent,
		[]byte("{\n \"command\": \"launch\", \"type\":\"request\",\n \"arguments\": {\"env\": {\"A\": \"secret\"}}\n}"))
	require.NoError(t, w.Close())
	assert.NotContains(t, file.String(), "secret")
	assert.Contains(t, file.String(), `"raw":`)
}

func TestWriterFlushesByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var file safeBuffer
		w, err := transcript.NewWriter(&file, transcript.Header{})
		require.NoError(t, err)
		for i := range 3 {
			w.Record(dapclient.Sent, fmt.Appendf(nil, `{"seq":%d}`, i))
			assert.NotContains(t, file.String(), fmt.Sprintf(`{"seq":%d}`, i))
			time.Sleep(time.Second) // virtual
			synctest.Wait()
			assert.Contains(t, file.String(), fmt.Sprintf(`{"t":%d.000000,"dir":"send","msg":{"seq":%d}}`, i, i))
		}
		require.NoError(t, w.Close())
	})
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

type fullDisk struct{ left int }

var errFull = errors.New("disk full")

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriterOnAFullDisk(t *testing.T) {
	_, err := transcript.NewWriter(&fullDisk{}, transcript.Header{})
	require.ErrorIs(t, err, errFull)
	w, err := transcript.NewWriter(&fullDisk{left: 1000}, transcript.Header{})
	require.NoError(t, err)
	body := []byte(`{"a":"` + strings.Repeat("x", 70_000) + `"}`)
	for range 3 {
		w.Record(dapclient.Sent, body) // does not block, does not panic
	}
	require.ErrorIs(t, w.Close(), errFull)
}

func TestRecordAndReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := transcript.Create(path, transcript.Header{Backend: "dlv"})
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	var wg sync.WaitGroup
	for _, dir := range []dapclient.Direction{dapclient.Sent, dapclient.Received} {
		wg.Go(func() {
			for range 500 {
				w.Record(dir, []byte(`{"type":"event","event":"x"}`))
			}
		})
	}
	wg.Wait()
	require.NoError(t, w.Close())
	rec := open(t, path)
	assert.Equal(t, 1000, rec.Len())
	assert.Equal(t, "dlv", rec.Backend)
	_, err = transcript.Create(filepath.Join(path, "x"), transcript.Header{})
	require.Error(t, err)
}

// FuzzReader checks that any bytes are read or refused without a panic, and that what is read can be replayed.
func FuzzReader(f *testing.F) {
	for _, backend := range backends {
		text, err := os.ReadFile(tour(backend))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text[:min(len(text), 8_000)])
	}
	f.Add([]byte(`{"breakwire":1}` + "\n" + `{"dir":"recv","raw":"\ud800"}`))
	f.Add([]byte(`{"dir":"send","msg":{"seq":1,"type":"request","command":"next"}}` + "\n" +
		`{"dir":"recv","msg":{"type":"response","request_seq":1,"success":true,"command":"next","body":[]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		rec, err := transcript.Load(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return
		}
		p := rec.Play(transcript.PlayOptions{})
		for _, body := range []string{
			`{"seq":1,"type":"request","command":"initialize"}`, `{"seq":2,"type":"request","command":"launch"}`,
			`{"seq":3,"type":"request","command":"setBreakpoints","arguments":{"source":{"path":"/src/go/main.go"},` +
				`"breakpoints":[{"line":12},{}]}}`,
			`{"seq":4,"type":"request","command":"configurationDone"}`, `{"seq":5,"type":"request","command":"threads"}`,
			`{"seq":6,"type":"request","command":"stackTrace","arguments":{"threadId":1,"levels":1}}`,
			`{"seq":7,"type":"request","command":"next"}`,
			`{"seq":8,"type":"request","command":"variables","arguments":{"variablesReference":1,"count":1}}`,
			`{"seq":9,"type":"request","command":"disconnect"}`,
		} {
			if _, err := p.Write(dapclient.AppendFrame(nil, []byte(body))); err != nil {
				break
			}
		}
		<-p.Done()
		p.Close()
		if err := p.Err(); err != nil {
			t.Error(err)
		}
	})
}

// big is a recording of n messages, as of a tracepoint.
func big(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"t":0,"dir":"send","msg":{"seq":1,"type":"request","command":"configurationDone"}}` + "\n" +
		`{"t":0,"dir":"recv","msg":{"seq":1,"type":"response","request_seq":1,"success":true,` +
		`"command":"configurationDone"}}` + "\n")
	for seq := 2; seq*5/2 < n; seq += 2 {
		fmt.Fprintf(&b, `{"t":1.5,"dir":"recv","msg":{"body":{"allThreadsStopped":true,"reason":"breakpoint",`+
			`"threadId":3139},"event":"stopped","seq":"%d","type":"event"}}`+"\n", seq)
		fmt.Fprintf(&b, `{"t":1.5,"dir":"send","msg":{"seq":%d,"type":"request","command":"stackTrace",`+
			`"arguments":{"threadId":3139,"startFrame":0,"levels":1}}}`+"\n", seq)
		fmt.Fprintf(&b, `{"t":1.5,"dir":"recv","msg":{"body":{"stackFrames":[{"column":17,"endColumn":33,`+
			`"endLine":21,"id":%d,"line":21,"moduleId":"45079f98-b3c9-4fab-8d2a-9a12fd4bf0be",`+
			`"name":"LoopApp.Program.Main()","source":{"name":"Program.cs","path":"/src/LoopApp/Program.cs"}}],`+
			`"totalFrames":1},"command":"stackTrace","request_seq":%d,"seq":"67","success":true,"type":"response"}}`+
			"\n", seq, seq)
		fmt.Fprintf(&b, `{"t":1.5,"dir":"send","msg":{"seq":%d,"type":"request","command":"continue",`+
			`"arguments":{"threadId":3139}}}`+"\n", seq+1)
		fmt.Fprintf(&b, `{"t":1.5,"dir":"recv","msg":{"body":{"allThreadsContinued":true,"threadId":3139},`+
			`"command":"continue","request_seq":%d,"seq":"41","success":true,"type":"response"}}`+"\n", seq+1)
	}
	return b.Bytes()
}

func BenchmarkOpen100k(b *testing.B) {
	text := big(100_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := transcript.Load(bytes.NewReader(text), int64(len(text))); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplayHit measures one cycle of a replay: stackTrace and continue to the next stop, in a recording of
// 20,000 hits.
func BenchmarkReplayHit(b *testing.B) {
	text := big(100_000)
	rec, err := transcript.Load(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		b.Fatal(err)
	}
	play := func() *driver {
		d := &driver{t: b, player: rec.Play(transcript.PlayOptions{}), events: dapclient.NewQueue[*dapclient.Message]()}
		d.conn = dapclient.NewConn(d.player, dapclient.Options{})
		d.call("configurationDone", "")
		return d
	}
	d, left := play(), 15_000
	b.ReportAllocs()
	for b.Loop() {
		if left--; left == 0 {
			d.close()
			d, left = play(), 15_000
		}
		d.call("stackTrace", `{"threadId":3139,"startFrame":0,"levels":1}`)
		if !d.call("continue", `{"threadId":3139}`).Success {
			b.Fatal("the recording has ended")
		}
	}
	d.close()
}

func BenchmarkRecord(b *testing.B) {
	w, err := transcript.NewWriter(io.Discard, transcript.Header{})
	if err != nil {
		b.Fatal(err)
	}
	body := []byte(`{"body":{"stackFrames":[{"column":17,"endColumn":33,"endLine":21,"id":1,"line":21,` +
		`"moduleId":"45079f98-b3c9-4fab-8d2a-9a12fd4bf0be","name":"LoopApp.Program.Main()",` +
		`"source":{"name":"Program.cs","path":"/src/LoopApp/Program.cs"}}],"totalFrames":1},"command":"stackTrace",` +
		`"request_seq":8,"seq":"67","success":true,"type":"response"}`)
	b.ReportAllocs()
	for b.Loop() {
		w.Record(dapclient.Received, body)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}
