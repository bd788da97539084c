package transcript

import (
	"bytes"
	"strconv"

	"breakwire/dapclient"
)

// Tap records one direction of a connection from its bytes, which may come in pieces of any length. Bytes that are
// not a frame are recorded unchanged, and the next frame is found after them. One goroutine uses a Tap.
type Tap struct {
	to  dapclient.Recorder
	dir dapclient.Direction
	buf []byte
}

// NewTap returns a Tap that records to a Recorder, such as a Writer.
func NewTap(to dapclient.Recorder, dir dapclient.Direction) *Tap { return &Tap{to: to, dir: dir} }

// Write takes the next bytes. It never fails.
func (t *Tap) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	done := 0
	for {
		n := t.take(t.buf[done:])
		if n == 0 {
			break
		}
		done += n
	}
	if done == len(t.buf) && cap(t.buf) > 1<<20 {
		t.buf = nil
	} else {
		t.buf = append(t.buf[:0], t.buf[done:]...)
	}
	return len(p), nil
}

// Flush records the rest: a truncated frame.
func (t *Tap) Flush() {
	if len(t.buf) > 0 {
		t.to.Record(t.dir, t.buf)
		t.buf = nil
	}
}

// stray records bytes that are not a frame, except blank lines.
func (t *Tap) stray(b []byte) {
	if b = bytes.TrimRight(b, "\r\n"); len(b) > 0 {
		t.to.Record(t.dir, b)
	}
}

// maxTapHeader limits the bytes that may still become a header.
const maxTapHeader = 16 << 10

// take records the beginning of b and returns its length: a frame, or the bytes before one. 0 means that more bytes
// are needed.
func (t *Tap) take(b []byte) int {
	head, body, ok := headerEnd(b)
	if !ok {
		if len(b) > maxTapHeader {
			t.to.Record(t.dir, b)
			return len(b)
		}
		return 0
	}
	start, length := frameHeader(b[:head])
	if length < 0 {
		t.stray(b[:head])
		return body
	}
	if len(b)-body < length {
		return 0
	}
	t.stray(b[:start])
	t.to.Record(t.dir, b[body:body+length])
	return body + length
}

// headerEnd finds the blank line. It returns where the header ends and where the body begins.
func headerEnd(b []byte) (head, body int, ok bool) {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			return 0, 0, false
		}
		at := from + i + 1
		switch {
		case bytes.HasPrefix(b[at:], []byte("\r\n")):
			return from + i, at + 2, true
		case bytes.HasPrefix(b[at:], []byte("\n")):
			return from + i, at + 1, true
		case from == 0 && len(bytes.TrimRight(b[:i], "\r")) == 0:
			return 0, at, true // a blank line with nothing before it
		}
		from = at
	}
}

// frameHeader parses the lines before a blank one. start is where the header begins, after any other text. length is
// -1 without a valid Content-Length.
func frameHeader(block []byte) (start, length int) {
	length = -1
	for at := 0; at < len(block); {
		end := at + bytes.IndexByte(block[at:], '\n') + 1
		if end == at {
			end = len(block)
		}
		name, value, isHeader := bytes.Cut(block[at:end], []byte{':'})
		switch n, err := strconv.Atoi(string(bytes.TrimSpace(value))); {
		case isHeader && bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")) && err == nil && n >= 0 &&
			n <= dapclient.DefaultMaxFrame:
			if length < 0 {
				length = n
			}
		case !isHeader || bytes.ContainsAny(bytes.TrimSpace(name), " \t{}[]\""):
			start, length = end, -1 // other text: the header can only begin after it
		}
		at = end
	}
	return start, length
}
