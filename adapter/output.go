package adapter

import (
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"breakwire/adapter/journal"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// textJoiner keeps, for each stream, the tail of a chunk that was cut inside a character or a line end.
type textJoiner struct{ rest map[string]string }

// lines undoes what a terminal does to line ends, in a text with the kept tail before it.
func (t *textJoiner) lines(stream, text string) string {
	text = strings.ReplaceAll(t.rest[stream]+text, "\r\n", "\n")
	delete(t.rest, stream)
	if start, cut := strings.CutSuffix(text, "\r"); cut {
		t.keep(stream, "\r")
		return start
	}
	return text
}

func (t *textJoiner) keep(stream, tail string) {
	if t.rest == nil {
		t.rest = map[string]string{}
	}
	t.rest[stream] = tail
}

// join returns text with the kept tail before it, and keeps a cut character at its end.
func (t *textJoiner) join(stream, text string) string {
	text = t.rest[stream] + text
	delete(t.rest, stream)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if b := text[len(text)-n]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRuneInString(text[len(text)-n:]) {
				t.keep(stream, text[len(text)-n:])
				return text[:len(text)-n]
			}
			break
		}
	}
	return text
}

// output is the state of the program's output before it reaches the journal.
type output struct {
	queued atomic.Int64  // bytes of output events in the inbox
	lost   atomic.Uint64 // output events dropped because of maxQueuedOutput
	text   textJoiner    // owned by run
	ends   textJoiner    // the same, for line ends of a terminal
}

// onOutput handles an output event (DAP, Output event): log point records become hits, the program's text is
// journalled, the adapter's own text is logged.
func (s *Session) onOutput(m *dapclient.Message) {
	if n := s.output.lost.Swap(0); n > 0 {
		s.note(journal.TypeLost, "", &Lost{What: "output", Count: n})
	}
	body, err := dapclient.DecodeBody[dap.OutputEventBody](m)
	if err != nil {
		return
	}
	if s.nativeHit(body) || s.passed(body.Output) || s.takeSent(body.Output) {
		return
	}
	stream := body.Category
	switch stream {
	case "stdout", "stderr":
	default: // console, important, telemetry, none: the adapter's own text
		s.log.Debug("debugger says", "category", stream, "text", body.Output)
		if pid, err := strconv.Atoi(s.profile.LaunchedText.Find(body.Output)); err == nil {
			s.takeProcess(pid)
			s.publish()
		}
		s.consoleText(body)
		return
	}
	if s.profile.OwnOutput != nil && s.profile.OwnOutput.MatchString(body.Output) {
		s.log.Info("debugger says", "text", body.Output)
		s.consoleText(body)
		return
	}
	if s.saysItself(body) || stream == journal.Stderr && s.leavesOut(body.Output) {
		s.log.Info("debugger says", "text", body.Output)
		s.consoleText(body)
		s.journal.Add(journal.Entry{
			Session: s.id, Class: journal.Output, Type: journal.TypeOutput, Stream: "debugger",
			Data: &OwnText{Stream: "debugger", Text: cutText(body.Output, outputPiece)}, Size: len(body.Output) + 64,
		})
		return
	}
	text := body.Output
	if s.profile.TerminalOutput {
		text = s.output.ends.lines(stream, text)
	}
	s.wrote(stream, text)
	if stream == journal.Stderr {
		s.seesFatal(text)
	}
}

// saysItself reports whether text of the program's streams is the adapter's own.
func (s *Session) saysItself(body dap.OutputEventBody) bool {
	return s.profile.StderrIsOwn && body.Category == journal.Stderr ||
		s.profile.AttachOutputIsOwn && s.origin.attach != nil && body.Source == nil
}

// wrote appends a piece of a stream of the program to the journal.
func (s *Session) wrote(stream, text string) {
	if text = s.output.text.join(stream, text); text != "" {
		s.printed(stream, text)
	}
}

// outputPiece bounds the bytes of one output event in the journal: the journal and queries count both events and bytes.
const outputPiece = 16 << 10

// printed appends the program's text to the journal.
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

// consoleText keeps the adapter's text for the error of a failed start. It notes when the debugger says that it holds a
// step.
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
	What    string `json:"what"`
	Count   uint64 `json:"count"` // 0: nobody knows
	Message string `json:"message,omitempty"`
}
