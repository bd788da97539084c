package daptest

import (
	"io"
	"strconv"
	"sync"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// wire encodes answers and events as frames. It has its own lock, so that a test can send between the messages of the
// engine.
type wire struct {
	style     SeqStyle
	bodyFirst bool

	mu      sync.Mutex
	w       io.Writer
	seq     int
	scratch []byte
	out     []byte
	err     error
}

// seqValue appends the next seq, as a string where the style requires it.
func (w *wire) seqValue(dst []byte, output bool) []byte {
	w.seq++
	switch {
	case w.style == SeqZero:
		return append(dst, '0')
	case w.style == SeqString && !output:
		dst = append(dst, '"')
		dst = strconv.AppendInt(dst, int64(w.seq), 10)
		return append(dst, '"')
	}
	return strconv.AppendInt(dst, int64(w.seq), 10)
}

// event queues an event; body may be empty.
func (w *wire) event(name string, body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.scratch[:0]
	output := name == "output"
	switch {
	case w.bodyFirst && !(output && w.style == SeqString):
		b = append(b, '{')
		if len(body) > 0 {
			b = append(b, `"body":`...)
			b = append(b, body...)
			b = append(b, ',')
		}
		b = append(b, `"event":"`...)
		b = append(b, name...)
		b = append(b, `","seq":`...)
		b = w.seqValue(b, output)
		b = append(b, `,"type":"event"}`...)
	default:
		b = append(b, `{"seq":`...)
		b = w.seqValue(b, output)
		b = append(b, `,"type":"event","event":"`...)
		b = append(b, name...)
		b = append(b, '"')
		if len(body) > 0 {
			b = append(b, `,"body":`...)
			b = append(b, body...)
		}
		b = append(b, '}')
	}
	w.scratch = b
	w.out = dapclient.AppendFrame(w.out, b)
}

// response queues an answer to m. message is for failures.
func (w *wire) response(m *dapclient.Message, success bool, message string, body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scratch = w.appendResponse(w.scratch[:0], m, success, message, body)
	w.out = dapclient.AppendFrame(w.out, w.scratch)
}

func (w *wire) appendResponse(b []byte, m *dapclient.Message, success bool, message string, body []byte) []byte {
	if w.bodyFirst {
		b = append(b, '{')
		if len(body) > 0 {
			b = append(b, `"body":`...)
			b = append(b, body...)
			b = append(b, ',')
		}
		b = append(b, `"command":`...)
		b = rawjson.AppendString(b, m.Name)
		if !success {
			b = append(b, `,"message":`...)
			b = rawjson.AppendString(b, message)
		}
		b = append(b, `,"request_seq":`...)
		b = strconv.AppendInt(b, int64(m.Seq), 10)
		b = append(b, `,"seq":`...)
		b = w.seqValue(b, false)
		b = append(b, `,"success":`...)
		b = strconv.AppendBool(b, success)
		return append(b, `,"type":"response"}`...)
	}
	b = append(b, `{"seq":`...)
	b = w.seqValue(b, false)
	b = append(b, `,"type":"response","request_seq":`...)
	b = strconv.AppendInt(b, int64(m.Seq), 10)
	b = append(b, `,"success":`...)
	b = strconv.AppendBool(b, success)
	b = append(b, `,"command":`...)
	b = rawjson.AppendString(b, m.Name)
	if !success {
		b = append(b, `,"message":`...)
		b = rawjson.AppendString(b, message)
	}
	if len(body) > 0 {
		b = append(b, `,"body":`...)
		b = append(b, body...)
	}
	return append(b, '}')
}

// body queues a body from the test, framed.
func (w *wire) body(body []byte) {
	w.mu.Lock()
	w.out = dapclient.AppendFrame(w.out, body)
	w.mu.Unlock()
}

// bytes queues bytes unchanged.
func (w *wire) bytes(p []byte) {
	w.mu.Lock()
	w.out = append(w.out, p...)
	w.mu.Unlock()
}

// cut removes all but the first n bytes that were queued after mark.
func (w *wire) cut(mark, n int) {
	w.mu.Lock()
	if keep := mark + n; keep < len(w.out) {
		w.out = w.out[:keep]
	}
	w.mu.Unlock()
}

func (w *wire) queued() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.out)
}

// flush sends the queued bytes in one write.
func (w *wire) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.out) == 0 {
		return
	}
	if w.err == nil {
		_, w.err = w.w.Write(w.out)
	}
	if w.out = w.out[:0]; cap(w.out) > 1<<20 {
		w.out = nil
	}
}
