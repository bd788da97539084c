package adapter

import (
	"strings"

	"breakwire/adapter/journal"
)

// OutputTails are the last bytes of each output stream.
type OutputTails struct {
	Stdout  string `json:"stdout"`
	Stderr  string `json:"stderr"`
	LastSeq uint64 `json:"lastSeq"`
	Dropped uint64 `json:"dropped"`
}

// OutputTails returns the last bytes of each stream, at most most of each. It reads the journal, so it also works after
// the end.
func (s *Session) OutputTails(most int) OutputTails {
	got := s.journal.Tail(journal.Filter{Session: s.id, Classes: journal.MaskOf(journal.Output)}, 1<<20)
	tails := OutputTails{LastSeq: got.LastSeq, Dropped: got.Dropped}
	tails.Stdout, tails.Stderr = tailOf(got.Entries, journal.Stdout, most), tailOf(got.Entries, journal.Stderr, most)
	return tails
}

func tailOf(entries []journal.Entry, stream string, most int) string {
	var parts []string
	have := 0
	for i := len(entries) - 1; i >= 0 && have < most; i-- {
		if out, ok := entries[i].Data.(*Output); ok && out.Stream == stream {
			parts = append(parts, out.Text)
			have += len(out.Text)
		}
	}
	var text strings.Builder
	text.Grow(have)
	for i := len(parts) - 1; i >= 0; i-- {
		text.WriteString(parts[i])
	}
	if have <= most {
		return text.String()
	}
	return strings.ToValidUTF8(text.String()[have-most:], "")
}
