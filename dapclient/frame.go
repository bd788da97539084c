package dapclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// DefaultMaxFrame is the largest body accepted, in bytes, when Options.MaxFrame is zero. No debugger sends so much on
// purpose: a longer length means that the stream is out of step.
const DefaultMaxFrame = 256 << 20

// maxHeader limits the bytes of one header block, so that a peer without line ends cannot make us buffer without
// limit.
const maxHeader = 16 << 10

var contentLength = []byte("Content-Length")

// ErrFrame is wrapped by every error after which the stream is out of step and the connection must end.
var ErrFrame = errors.New("not a DAP frame")

// ReadFrame reads one Content-Length frame (DAP, Base Protocol) and returns its body in a new slice.
//
// The header may have names in any case, further headers, any spaces after the colon, and lines that end in LF alone.
// A missing length, a length above max and an invalid line are an ErrFrame. An end between two frames is io.EOF, an
// end inside a frame io.ErrUnexpectedEOF.
func ReadFrame(r *bufio.Reader, max int) ([]byte, error) {
	if max <= 0 {
		max = DefaultMaxFrame
	}
	length, seen := -1, 0
	for {
		line, err := readHeaderLine(r, maxHeader-seen)
		if err != nil {
			if errors.Is(err, io.EOF) && (seen > 0 || len(line) > 0) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		seen += len(line)
		header := bytes.TrimRight(line, "\r\n")
		if len(header) == 0 {
			if length < 0 {
				if seen == len(line) {
					// Blank lines between frames are harmless.
					seen = 0
					continue
				}
				return nil, fmt.Errorf("%w: a header without Content-Length", ErrFrame)
			}
			break
		}
		name, value, found := bytes.Cut(header, []byte{':'})
		if !found {
			return nil, fmt.Errorf("%w: stray line %s", ErrFrame, clip(string(header)))
		}
		if !bytes.EqualFold(bytes.TrimSpace(name), contentLength) {
			continue
		}
		n, err := strconv.Atoi(string(bytes.TrimSpace(value)))
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%w: Content-Length %s", ErrFrame, clip(string(value)))
		}
		if n > max {
			return nil, fmt.Errorf("%w: a body of %d bytes, the limit is %d", ErrFrame, n, max)
		}
		length = n
	}
	return readBody(r, length)
}

// readBody reads n bytes. It reads a large body in pieces, so that a wrong length allocates only for the bytes that
// arrive.
func readBody(r *bufio.Reader, n int) ([]byte, error) {
	const piece = 1 << 20
	if n <= piece {
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			return nil, unexpected(err)
		}
		return body, nil
	}
	var buf bytes.Buffer
	if _, err := io.CopyN(&buf, r, int64(n)); err != nil {
		return nil, unexpected(err)
	}
	return buf.Bytes(), nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readHeaderLine returns one line with its end, at most limit bytes.
func readHeaderLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return line, fmt.Errorf("%w: a header of more than %d bytes", ErrFrame, maxHeader)
		}
		if err == nil && line == nil {
			return part, nil // the common case, without a copy
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func clip(s string) string {
	const most = 80
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}

// AppendFrame appends body as a frame to dst.
func AppendFrame(dst, body []byte) []byte {
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(body)), 10)
	dst = append(dst, "\r\n\r\n"...)
	return append(dst, body...)
}
