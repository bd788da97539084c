package main

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
)

// noise returns a stream of frames with invalid bytes between them, and the frames alone.
func noise(r *rand.Rand) (stream []byte, frames []string) {
	for i := range 200 {
		switch r.IntN(4) {
		case 0:
			junk := make([]byte, r.IntN(40))
			for i := range junk {
				junk[i] = byte(r.IntN(256))
			}
			stream = append(append(stream, bytes.ReplaceAll(junk, []byte("\n"), nil)...), '\n')
		default:
			body := `{"seq":` + strings.Repeat("1", 1+r.IntN(5)) + `,"pad":"` + strings.Repeat("x", r.IntN(3000)) + `"}`
			if i%7 == 0 {
				body = "not JSON"
			}
			frames = append(frames, body)
			stream = dapclient.AppendFrame(stream, []byte(body))
		}
	}
	return stream, frames
}

// readRecording returns the bodies of one direction; those that are not JSON are unchanged.
func readRecording(t *testing.T, file string, dir dapclient.Direction) (bodies []string) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	r, err := transcript.NewReader(f)
	require.NoError(t, err)
	var e transcript.Entry
	for r.Next(&e) == nil {
		if e.Dir == dir {
			bodies = append(bodies, string(e.Body))
		}
	}
	return bodies
}

// holds reports whether all of want occurs in have, in order.
func holds(have, want []string) bool {
	for _, h := range have {
		if len(want) > 0 && h == want[0] {
			want = want[1:]
		}
	}
	return len(want) == 0
}

func TestRecordIsFaithful(t *testing.T) {
	t.Setenv(role, "echo")
	out := filepath.Join(t.TempDir(), "s.jsonl")
	sent, frames := noise(rand.New(rand.NewPCG(1, 2)))
	var got, said bytes.Buffer
	status := run(context.Background(), []string{"record", "--out", out, "--", os.Args[0]},
		streams{in: bytes.NewReader(sent), out: &got, err: &said})
	assert.Equal(t, 7, status, "the adapter's")
	assert.True(t, bytes.Equal(sent, got.Bytes()), "every byte there and back")
	assert.Equal(t, "the echo ends\n", said.String())
	for _, dir := range []dapclient.Direction{dapclient.Sent, dapclient.Received} {
		assert.True(t, holds(readRecording(t, out, dir), frames), "all frames are recorded: %s", dir)
	}
}

func TestRecordOverTCP(t *testing.T) {
	adapter, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer adapter.Close()
	go func() {
		conn, err := adapter.Accept()
		if err == nil {
			io.Copy(conn, conn)
			conn.Close()
		}
	}()
	out := filepath.Join(t.TempDir(), "s.jsonl")
	announced, say := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- run(context.Background(), []string{"record", "--out", out, "--listen", "127.0.0.1:0", "--connect",
			adapter.Addr().String()},
			streams{in: strings.NewReader(""), out: say, err: io.Discard})
	}()
	line := make([]byte, 200)
	n, err := announced.Read(line)
	require.NoError(t, err)
	_, addr, ok := strings.Cut(strings.TrimSpace(string(line[:n])), "listening at: ")
	require.True(t, ok, "%s", line[:n])
	editor, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer editor.Close()
	sent, frames := noise(rand.New(rand.NewPCG(3, 4)))
	go func() {
		editor.Write(sent)
		editor.(*net.TCPConn).CloseWrite()
	}()
	got, err := io.ReadAll(editor)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(sent, got))
	assert.Equal(t, exitOK, <-done)
	assert.True(t, holds(readRecording(t, out, dapclient.Received), frames))
}

func TestRecordUsage(t *testing.T) {
	dir := t.TempDir()
	cases := []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"no file", []string{"record", "--", "x"}, exitUsage, "--out FILE is needed"},
		{"no adapter", []string{"record", "--out", "x"}, exitUsage, "which adapter?"},
		{"bad address", []string{"record", "--out", "x", "--connect", "nowhere"}, exitUsage, "want HOST:PORT"},
		{"no such folder", []string{"record", "--out", filepath.Join(dir, "no", "f"), "--", "x"}, exitFailure,
			"create the recording"},
		{"no such adapter", []string{"record", "--out", filepath.Join(dir, "f"), "--", filepath.Join(dir, "none")},
			exitFailure, "start "},
		{"nobody listens", []string{"record", "--out", filepath.Join(dir, "f"), "--connect", "127.0.0.1:1"},
			exitFailure, "connect to debug adapter"},
		{"flags of the adapter", []string{"record", "--out", filepath.Join(dir, "f"), filepath.Join(dir, "none"),
			"--its", "--flags"}, exitFailure, "start "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var said bytes.Buffer
			assert.Equal(t, c.status,
				run(context.Background(), c.args, streams{in: strings.NewReader(""), out: io.Discard, err: &said}))
			assert.Contains(t, said.String(), c.want)
		})
	}
}
