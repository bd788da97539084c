package dapclient

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// What a tail keeps: enough for a stack trace or a usage text, and little enough for an error message.
const (
	tailBytes = 8 << 10
	tailLines = 40
	// maxLogLine is the longest piece of a line that is kept or logged at once.
	maxLogLine = 2 << 10
)

// tail keeps the last lines that a process wrote. Each stream has its own unfinished line, so that two streams never
// mix within a line.
type tail struct {
	mu    sync.Mutex
	lines []string
	size  int
	open  map[string]string // the unfinished line of each stream
}

// line appends one finished line.
func (t *tail) line(stream, s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, stream)
	t.lines = append(t.lines, s)
	t.size += len(s) + 1
	for len(t.lines) > tailLines || t.size > tailBytes {
		t.size -= len(t.lines[0]) + 1
		t.lines = t.lines[1:]
	}
}

// unfinished replaces the unfinished line of a stream, so that a prompt or a last line without a line end is shown
// too.
func (t *tail) unfinished(stream, s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		t.open = make(map[string]string)
	}
	t.open[stream] = s
}

// String returns the kept lines, oldest first, without a line end at the end.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.lines[:len(t.lines):len(t.lines)]
	for _, stream := range []string{streamStdout, streamStderr} {
		if s := t.open[stream]; s != "" {
			all = append(all, s)
		}
	}
	return strings.Join(all, "\n")
}

// Names of the streams in the log.
const (
	streamStdout = "stdout"
	streamStderr = "stderr"
)

// drain reads r to its end, so that its writer never waits for us. It passes on every line as valid UTF-8, without
// its line end. Lines longer than maxLogLine come in pieces.
func drain(r io.Reader, t *tail, stream string, each func(line string)) {
	var pending []byte
	finish := func(line []byte) {
		s := strings.ToValidUTF8(string(bytes.TrimRight(line, "\r")), "\uFFFD")
		t.line(stream, s)
		each(s)
	}
	buf := make([]byte, 4<<10)
	for {
		n, err := r.Read(buf)
		pending = append(pending, buf[:n]...)
		for {
			line, rest, found := bytes.Cut(pending, []byte{'\n'})
			if !found && len(pending) <= maxLogLine {
				break
			}
			if len(line) > maxLogLine || !found {
				line = pending[:runeBoundary(pending, maxLogLine)]
				rest = pending[len(line):]
			}
			finish(line)
			pending = rest
		}
		if err != nil {
			if len(pending) > 0 {
				finish(pending)
			}
			return
		}
		if len(pending) > 0 {
			t.unfinished(stream, strings.ToValidUTF8(string(pending), "\uFFFD"))
		}
	}
}

// runeBoundary returns the largest cut of b that is at most at and does not split a UTF-8 sequence. It returns at
// when the bytes there are not UTF-8. b is longer than at.
func runeBoundary(b []byte, at int) int {
	for back := 0; back < 4 && at-back > 0; back++ {
		if b[at-back]&0xC0 != 0x80 { // not a continuation byte: a sequence starts here
			return at - back
		}
	}
	return at
}
