package adapter

import (
	"sync/atomic"
	"unicode/utf8"

	"breakwire/adapter/journal"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// textJoiner keeps the tail of a chunk that was cut inside a character, for each stream.
type textJoiner struct{ rest map[string]string }

// join returns text with what was kept before it, and keeps a cut character at its end.
func (t *textJoiner) join(stream, text string) string {
	text = t.rest[stream] + text
	delete(t.rest, stream)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if b := text[len(text)-n]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRuneInString(text[len(text)-n:]) {
				if t.rest == nil {
					t.rest = map[string]string{}
				}
				t.rest[stream] = text[len(text)-n:]
				return text[:len(text)-n]
			}
			break
		}
	}
	return text
}

// output is what is on its way from the program to the journal.
type output struct {
	queued atomic.Int64  // bytes of output events in the inbox
	lost   atomic.Uint64 // output events that were dropped because of that
	text   textJoiner    // owned by run
}

// onOutput takes an output event (DAP, Output): log point records are hits, the program's text is kept in the journal,
// the adapter's own words go to the log.
func (s *Session) onOutput(m *dapclient.Message) {
	if n := s.output.lost.Swap(0); n > 0 {
		s.note(journal.TypeLost, "", &Lost{What: "output", Count: n})
	}
	body, err := dapclient.DecodeBody[dap.OutputEventBody](m)
	if err != nil {
		return
	}
	if s.nativeHit(body) {
		return
	}
	stream := body.Category
	switch stream {
	case "stdout", "stderr":
	default: // console, important, telemetry, none: what the adapter says
		s.log.Debug("debugger says", "category", stream, "text", body.Output)
		s.consoleText(body)
		return
	}
	if s.profile.OwnOutput != nil && s.profile.OwnOutput.MatchString(body.Output) {
		s.log.Info("debugger says", "text", body.Output)
		s.consoleText(body)
		return
	}
	text := s.output.text.join(stream, body.Output)
	if text == "" {
		return
	}
	s.printed(stream, text)
}

// outputPiece bounds the text of one output event in the journal: what is kept and what a query answers is counted in
// events and bytes.
const outputPiece = 16 << 10

// printed adds the program's text to the journal.
func (s *Session) printed(stream, text string) {
	for len(text) > 0 {
		piece := text
		if len(piece) > outputPiece {
			end := outputPiece
			for end > outputPiece-utf8.UTFMax && !utf8.RuneStart(text[end]) {
				end--
			}
			piece = text[:end]
		}
		text = text[len(piece):]
		s.journal.Add(journal.Entry{
			Session: s.id, Class: journal.Output, Type: journal.TypeOutput, Stream: stream,
			Data: &Output{Stream: stream, Text: piece}, Size: len(piece) + 64,
		})
	}
}

// consoleText keeps the last words of the adapter, for the error of a start that fails.
func (s *Session) consoleText(body dap.OutputEventBody) {
	if s.profile.HeldStepText != nil && s.profile.HeldStepText.MatchString(body.Output) {
		s.steps.held.now = true
	}
	if s.start.run != nil && body.Category != "telemetry" {
		s.start.run.said = append(s.start.run.said, body.Output)
	}
}

// Lost is the data of a lost event.
type Lost struct {
	What  string `json:"what"`
	Count uint64 `json:"count"`
}
