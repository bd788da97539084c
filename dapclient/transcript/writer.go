package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// flushEvery limits how much of a recording a crash can lose.
const flushEvery = 200 * time.Millisecond

// Writer writes a recording. It is a dapclient.Recorder.
type Writer struct {
	mu      sync.Mutex
	w       *bufio.Writer
	closer  io.Closer // nil when the stream is not ours
	start   time.Time
	scratch []byte
	timer   *time.Timer // flushes; runs while the buffer is not empty
	armed   bool
	closed  bool
	err     error
}

var _ dapclient.Recorder = (*Writer)(nil)

// NewWriter writes a recording to w, which it does not close. It sets the header's version and time.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	t := &Writer{w: bufio.NewWriterSize(w, 64<<10), start: time.Now()}
	h.Version = Version
	if h.Time.IsZero() {
		h.Time = t.start.UTC().Truncate(time.Millisecond)
	}
	line, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("write the header of a recording: %w", err)
	}
	t.w.Write(append(line, '\n')) // bufio keeps the error for Flush
	if err := t.w.Flush(); err != nil {
		return nil, fmt.Errorf("write the header of a recording: %w", err)
	}
	return t, nil
}

// Create creates the file, readable only by its owner: a recording contains the values of the program's variables. It
// replaces an existing file.
func Create(path string, h Header) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the recording: %w", err)
	}
	t, err := NewWriter(f, h)
	if err != nil {
		f.Close()
		return nil, err
	}
	t.closer = f
	return t, nil
}

// Record appends one frame. After an error, and after Close, it does nothing, because a full disk must not stop the
// debugger.
func (t *Writer) Record(dir dapclient.Direction, body []byte) {
	body = Redact(body)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.err != nil {
		return
	}
	b := append(t.scratch[:0], `{"t":`...)
	b = strconv.AppendFloat(b, time.Since(t.start).Seconds(), 'f', 6, 64)
	b = append(b, `,"dir":"`...)
	b = append(b, dir...)
	if embeddable(body) {
		b = append(b, `","msg":`...)
		b = append(b, body...)
	} else {
		b = append(b, `","raw":`...)
		b = rawjson.AppendString(b, string(body))
	}
	b = append(b, "}\n"...)
	_, t.err = t.w.Write(b)
	if t.scratch = b; cap(b) > 1<<20 {
		t.scratch = nil
	}
	t.arm()
}

// embeddable reports whether body can be the value of msg unchanged.
func embeddable(body []byte) bool {
	return len(body) > 0 && body[0] == '{' && bytes.IndexByte(body, '\n') < 0 && bytes.IndexByte(body, '\r') < 0 &&
		json.Valid(body)
}

// arm starts the flush timer. It needs mu held.
func (t *Writer) arm() {
	if t.armed {
		return
	}
	t.armed = true
	if t.timer == nil {
		t.timer = time.AfterFunc(flushEvery, func() { _ = t.Flush() })
	} else {
		t.timer.Reset(flushEvery)
	}
}

// Flush writes the buffered lines.
func (t *Writer) Flush() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.flush()
}

func (t *Writer) flush() error {
	t.armed = false
	if err := t.w.Flush(); err != nil && t.err == nil {
		t.err = err
	}
	if t.err != nil {
		return fmt.Errorf("write the recording: %w", t.err)
	}
	return nil
}

// Close writes the buffered lines and ends the recording. It returns the first error of all writes.
func (t *Writer) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	if t.timer != nil {
		t.timer.Stop()
	}
	err := t.flush()
	if t.closer != nil {
		if closeErr := t.closer.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("close the recording: %w", closeErr)
		}
	}
	return err
}
