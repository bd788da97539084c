package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine limits one line; a frame has at most dapclient.DefaultMaxFrame, 256 MiB.
const maxLine = 300 << 20

// Reader reads a recording line by line. An invalid line is a *LineError.
type Reader struct {
	r       *bufio.Reader
	lineNo  int
	start   int64 // offset of the last line, without the space before it
	end     int64 // offset after it
	header  Header
	long    []byte // holds a line longer than the buffer of r
	pending []byte // the first line, when it is not a header
	err     error
}

// NewReader reads the header, if there is one.
func NewReader(r io.Reader) (*Reader, error) {
	t := &Reader{r: bufio.NewReaderSize(r, 256<<10)}
	line, err := t.readLine()
	if errors.Is(err, io.EOF) {
		return nil, &LineError{1, "the recording is empty"}
	}
	if err != nil {
		return nil, err
	}
	h, ok, err := parseHeader(line)
	switch {
	case err != nil:
		return nil, &LineError{t.lineNo, err.Error()}
	case ok:
		t.header = h
	default:
		t.pending = line
	}
	return t, nil
}

// Header returns the header. Its Version is 0 when there is none.
func (t *Reader) Header() Header { return t.header }

// Next reads the next message into e. Body is valid until the next call. At the end it returns io.EOF; after an error
// it returns the same error again.
func (t *Reader) Next(e *Entry) error {
	if t.err != nil {
		return t.err
	}
	line := t.pending
	t.pending = nil
	if line == nil {
		if line, t.err = t.readLine(); t.err != nil {
			return t.err
		}
	}
	e.Line, e.Offset, e.Length = t.lineNo, t.start, len(line)
	if err := parseLine(line, e); err != nil {
		t.err = &LineError{t.lineNo, err.Error()}
	}
	return t.err
}

// readLine returns the next line that is not blank, without surrounding space.
func (t *Reader) readLine() ([]byte, error) {
	for {
		line, err := t.rawLine()
		if err != nil {
			return nil, err
		}
		t.lineNo++
		t.start = t.end
		t.end += int64(len(line))
		text := bytes.TrimLeft(line, " \t\r\n")
		t.start += int64(len(line) - len(text))
		if text = bytes.TrimRight(text, " \t\r\n"); len(text) > 0 {
			return text, nil
		}
	}
}

// rawLine returns one line with its line end; the last line may have none.
func (t *Reader) rawLine() ([]byte, error) {
	t.long = t.long[:0]
	for {
		part, err := t.r.ReadSlice('\n')
		if err == nil && len(t.long) == 0 {
			return part, nil
		}
		if len(t.long)+len(part) > maxLine {
			return nil, &LineError{t.lineNo + 1, "longer than any message can be"}
		}
		t.long = append(t.long, part...)
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(t.long) > 0:
			return t.long, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		default:
			return nil, fmt.Errorf("read the recording after line %d: %w", t.lineNo, err)
		}
	}
}
