package dapclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readAll reads frames until an error, which it returns too.
func readAll(r io.Reader, max int) (bodies []string, err error) {
	br := bufio.NewReaderSize(r, 16) // the smallest size: lines do not fit
	for {
		body, err := ReadFrame(br, max)
		if err != nil {
			return bodies, err
		}
		bodies = append(bodies, string(body))
	}
}

func TestReadFrame(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
		err      error
	}{
		{"nothing", "", nil, io.EOF},
		{"one", "Content-Length: 2\r\n\r\n{}", []string{"{}"}, io.EOF},
		{"two in one read", "Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]", []string{"{}", "[1]"}, io.EOF},
		{"empty body", "Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}", []string{"", "{}"}, io.EOF},
		{"lower case", "content-length: 2\r\n\r\n{}", []string{"{}"}, io.EOF},
		{"no space", "Content-Length:2\r\n\r\n{}", []string{"{}"}, io.EOF},
		{"more spaces", "Content-Length : \t 2 \r\n\r\n{}", []string{"{}"}, io.EOF},
		{"line feeds alone", "Content-Length: 2\n\n{}", []string{"{}"}, io.EOF},
		{"line ends mixed", "Content-Length: 2\r\n\n{}", []string{"{}"}, io.EOF},
		{"header before", "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
			[]string{"{}"}, io.EOF},
		{"header after", "Content-Length: 2\r\nContent-Type: x\r\n\r\n{}", []string{"{}"}, io.EOF},
		{"blank lines between", "\r\n\nContent-Length: 2\r\n\r\n{}\r\n\r\nContent-Length: 2\r\n\r\n[]\n",
			[]string{"{}", "[]"}, io.EOF},
		{"a line with a colon, as of a logger", "warning: no symbols\nContent-Length: 2\r\n\r\n{}", []string{"{}"}, io.EOF},
		{"body that looks like a header", "Content-Length: 21\r\n\r\nContent-Length: 2\r\n\r\n",
			[]string{"Content-Length: 2\r\n\r\n"}, io.EOF},
		{"bytes are counted, not runes", "Content-Length: 4\r\n\r\n\"é\"", []string{`"é"`}, io.EOF},

		{"end in the name", "Content-Le", nil, io.ErrUnexpectedEOF},
		{"end after a header line", "Content-Length: 2\r\n", nil, io.ErrUnexpectedEOF},
		{"end before the body", "Content-Length: 2\r\n\r\n", nil, io.ErrUnexpectedEOF},
		{"end in the body", "Content-Length: 2\r\n\r\n{", nil, io.ErrUnexpectedEOF},
		{"end in a second frame", "Content-Length: 2\r\n\r\n{}Cont", []string{"{}"}, io.ErrUnexpectedEOF},
		{"stray line", "Hello, world\r\nContent-Length: 2\r\n\r\n{}", nil, ErrFrame},
		{"stray line between", "Content-Length: 2\r\n\r\n{}Segmentation fault\r\n", []string{"{}"}, ErrFrame},
		{"no length", "Content-Type: x\r\n\r\n{}", nil, ErrFrame},
		{"length is no number", "Content-Length: two\r\n\r\n{}", nil, ErrFrame},
		{"length is empty", "Content-Length:\r\n\r\n{}", nil, ErrFrame},
		{"length is negative", "Content-Length: -2\r\n\r\n{}", nil, ErrFrame},
		{"length is a float", "Content-Length: 2.0\r\n\r\n{}", nil, ErrFrame},
		{"length overflows", "Content-Length: 99999999999999999999\r\n\r\n{}", nil, ErrFrame},
		{"length above the limit", "Content-Length: 101\r\n\r\n{}", nil, ErrFrame},
		{"header without end", strings.Repeat("x", maxHeader+1), nil, ErrFrame},
		{"headers without end", strings.Repeat("X-Filler: 12345\r\n", maxHeader/16), nil, ErrFrame},
	}
	for _, tt := range tests {
		for _, reader := range []struct {
			name string
			wrap func(io.Reader) io.Reader
		}{
			{"merged", func(r io.Reader) io.Reader { return r }},
			{"by byte", iotest.OneByteReader},
			{"error with data", iotest.DataErrReader},
		} {
			t.Run(tt.name+"/"+reader.name, func(t *testing.T) {
				got, err := readAll(reader.wrap(strings.NewReader(tt.in)), 100)
				assert.Equal(t, tt.want, got)
				assert.ErrorIs(t, err, tt.err)
			})
		}
	}
}

func frames(bodies []string) []byte {
	var stream []byte
	for _, b := range bodies {
		stream = AppendFrame(stream, []byte(b))
	}
	return stream
}

// The frames do not depend on how the bytes are split.
func TestReadFrameSplitAnywhere(t *testing.T) {
	bodies := []string{`{"seq":1,"type":"event","event":"initialized"}`, `{}`, `{"text":"é\r\n\r\n"}`}
	stream := frames(bodies)
	for at := range len(stream) + 1 {
		r := io.MultiReader(bytes.NewReader(stream[:at]), bytes.NewReader(stream[at:]))
		got, err := readAll(r, 0)
		require.Equal(t, bodies, got, "split at %d", at)
		require.ErrorIs(t, err, io.EOF)
	}
	for at := range stream { // and truncated at any byte
		got, err := readAll(bytes.NewReader(stream[:at]), 0)
		require.Equal(t, bodies[:len(got)], append([]string{}, got...))
		between := len(got) < len(bodies) && at == len(frames(bodies[:len(got)]))
		if between {
			require.Equal(t, io.EOF, err, "cut at %d", at)
		} else {
			require.Equal(t, io.ErrUnexpectedEOF, err, "cut at %d", at)
		}
	}
}

// go-dap refuses bodies above 4 MiB.
func TestReadFrameLarge(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789abcdef"), 6<<20/16)
	frame := AppendFrame(nil, body)
	r := bufio.NewReader(bytes.NewReader(append(frame, "Content-Length: 2\r\n\r\n{}"...)))
	got, err := ReadFrame(r, 0)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(body, got))
	got, err = ReadFrame(r, 0)
	require.NoError(t, err)
	assert.Equal(t, "{}", string(got))

	_, err = ReadFrame(bufio.NewReader(bytes.NewReader(frame[:len(frame)-1])), 0)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// A wrong length must not allocate that much memory.
func TestReadFrameLyingLength(t *testing.T) {
	in := fmt.Sprintf("Content-Length: %d\r\n\r\n{}", DefaultMaxFrame)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ReadFrame(bufio.NewReader(strings.NewReader(in)), 0)
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func TestReadFramePassesErrorsOn(t *testing.T) {
	broken := errors.New("connection reset")
	for _, in := range []string{"", "Content-Le", "Content-Length: 5\r\n\r\n{"} {
		r := io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken))
		_, err := ReadFrame(bufio.NewReader(r), 0)
		assert.ErrorIs(t, err, broken)
	}
}

// A body must stay unchanged when the next frame is read.
func TestReadFrameBodyIsItsOwn(t *testing.T) {
	r := bufio.NewReader(strings.NewReader("Content-Length: 3\r\n\r\n[1]Content-Length: 3\r\n\r\n[2]"))
	one, err := ReadFrame(r, 0)
	require.NoError(t, err)
	_, err = ReadFrame(r, 0)
	require.NoError(t, err)
	assert.Equal(t, "[1]", string(one))
}

func TestAppendFrame(t *testing.T) {
	got := AppendFrame([]byte("before"), []byte(`"é"`))
	assert.Equal(t, "beforeContent-Length: 4\r\n\r\n\"é\"", string(got))
}
