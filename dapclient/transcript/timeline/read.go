package timeline

import (
	"errors"
	"io"
	"strings"

	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
)

// Read makes the timeline of a recording. An invalid line is a *transcript.LineError.
func Read(r io.Reader) (*Timeline, error) {
	reader, err := transcript.NewReader(r)
	if err != nil {
		return nil, err
	}
	head := reader.Header()
	b := newBuilder()
	b.t.Backend, b.t.Program, b.t.Started = head.Backend, head.Program, head.Time
	var e transcript.Entry
	understood := 0
	for {
		if err := reader.Next(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		b.t.Messages++
		b.now, b.line = e.Time, e.Line
		b.t.Duration = max(b.t.Duration, e.Time)
		m, err := dapclient.Decode(e.Body)
		if err != nil {
			text := clip(string(e.Body), mostText)
			if e.Dir == dapclient.Sent {
				text = "sent: " + text
			}
			b.add(Event{Kind: Failure, Name: "not DAP", Text: text})
			continue
		}
		understood++
		b.message(m, e.Dir == dapclient.Sent)
	}
	if understood == 0 {
		return nil, &transcript.LineError{Line: 1, Reason: "not a recording of a debug adapter: it holds no DAP message"}
	}
	return b.finish(), nil
}

// Limits of one text, such as a value or a line of output.
const (
	mostText   = 4000
	mostValue  = 1000
	mostValues = 100 // of one event
	mostFrames = 50
)

// clip cuts a text to most bytes, between characters. The result shares no memory with the recording.
func clip(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}

// base returns the last element of a path of any system.
func base(path string) string {
	if i := strings.LastIndexAny(path, `/\`); i >= 0 {
		return path[i+1:]
	}
	return path
}
