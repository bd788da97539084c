package adapter

import (
	"math"
	"regexp"
	"strings"

	"breakwire/adapter/journal"
)

// OutputQuery selects output.
type OutputQuery struct {
	Stream   string // both, stdout, stderr
	After    uint64
	Tail     int // number of last lines, instead of what comes after After
	Pattern  *regexp.Regexp
	MaxBytes int
}

// OutputChunk is one piece of output, as the debugger sent it.
type OutputChunk struct {
	Seq    uint64 `json:"seq"`
	Stream string `json:"stream"`
	Text   string `json:"text"`
}

// OutputPage is a part of the output.
type OutputPage struct {
	Chunks         []OutputChunk
	Stdout, Stderr string // set by a query with Tail
	Last           uint64
	More           bool
	Dropped        uint64
}

// ReadOutput returns what the program wrote. It reads the journal, so it also works after the end.
func (s *Session) ReadOutput(q OutputQuery) OutputPage {
	filter := journal.Filter{Session: s.id, Classes: journal.MaskOf(journal.Output)}
	if q.Tail > 0 {
		return s.tailOutput(q)
	}
	p := OutputPage{Last: q.After, Chunks: []OutputChunk{}}
	left := q.MaxBytes
	lines := lineJoiner{}
	for after := q.After; ; {
		got := s.journal.Query(after, filter, 256)
		p.Dropped += got.Dropped
		for _, e := range got.Entries {
			out, ok := e.Data.(*Output)
			if !ok || (q.Stream != "both" && out.Stream != q.Stream) {
				p.Last = e.Seq
				continue
			}
			text := out.Text
			if q.Pattern != nil {
				text = matching(lines.join(out.Stream, text), q.Pattern)
			}
			if text == "" {
				p.Last = e.Seq
				continue
			}
			if len(text) > left && len(p.Chunks) > 0 {
				p.More = true
				return p
			}
			text = cutText(text, q.MaxBytes)
			left -= len(text)
			p.Chunks = append(p.Chunks, OutputChunk{e.Seq, out.Stream, text})
			p.Last = e.Seq
			if left <= 0 {
				p.More = got.More || e.Seq < got.LastSeq
				return p
			}
		}
		if !got.More || len(got.Entries) == 0 {
			p.Last = max(p.Last, got.LastSeq)
			return lines.rest(p, q)
		}
		after = got.LastSeq
	}
}

// lineJoiner joins lines that came in pieces, so that a pattern is matched with whole lines. It holds the open line of
// each stream.
type lineJoiner map[string]string

// join returns the complete lines up to the end of a piece, and keeps the rest.
func (j lineJoiner) join(stream, text string) string {
	text = j[stream] + text
	end := strings.LastIndexByte(text, '\n') + 1
	j[stream] = text[end:]
	return text[:end]
}

// rest adds the open lines, at the end of all output.
func (j lineJoiner) rest(p OutputPage, q OutputQuery) OutputPage {
	for _, stream := range []string{"stdout", "stderr"} {
		if text := matching(j[stream], q.Pattern); text != "" {
			p.Chunks = append(p.Chunks, OutputChunk{p.Last, stream, cutText(text, q.MaxBytes)})
		}
	}
	return p
}

// matching returns the lines that match a pattern.
func matching(text string, pattern *regexp.Regexp) string {
	if pattern == nil {
		return text
	}
	var kept strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		if line != "" && pattern.MatchString(strings.TrimRight(line, "\r\n")) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// cutText returns the first most bytes of a text.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// tailOutput returns the last lines of each stream.
func (s *Session) tailOutput(q OutputQuery) OutputPage {
	p := OutputPage{Last: s.journal.LastSeq()}
	filter := journal.Filter{Session: s.id, Classes: journal.MaskOf(journal.Output)}
	got := s.journal.Tail(filter, 1<<20)
	p.Dropped = got.Dropped
	half := q.MaxBytes
	if q.Stream == "both" {
		half /= 2
	}
	if q.Stream != journal.Stderr {
		p.Stdout = tailLines(matching(tailOf(got.Entries, journal.Stdout, math.MaxInt), q.Pattern), q.Tail, half)
	}
	if q.Stream != journal.Stdout {
		p.Stderr = tailLines(matching(tailOf(got.Entries, journal.Stderr, math.MaxInt), q.Pattern), q.Tail, half)
	}
	return p
}

// tailLines returns the last lines of a text, at most most bytes.
func tailLines(text string, lines, most int) string {
	start := len(strings.TrimSuffix(text, "\n"))
	for ; lines > 0 && start > 0; lines-- {
		start = max(strings.LastIndexByte(text[:start], '\n'), 0)
	}
	if start > 0 {
		start++ // after the line end that was found
	}
	text = text[start:]
	if len(text) > most {
		text = strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return text
}

// OutputTail returns the end of both streams in the order in which they were written, for the result of a launch that
// has already ended.
func (s *Session) OutputTail(most int) string {
	got := s.journal.Tail(journal.Filter{Session: s.id, Classes: journal.MaskOf(journal.Output)}, 1000)
	var text strings.Builder
	for _, e := range got.Entries {
		if out, ok := e.Data.(*Output); ok {
			text.WriteString(out.Text)
		}
	}
	return tailLines(text.String(), 1<<20, most)
}
