package adapter

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"breakwire/adapter/inspect"
	"breakwire/adapter/journal"
)

// A pattern is matched with whole lines, however the debugger has cut them.
func TestPatternOverPieces(t *testing.T) {
	s := &Session{id: "s1", journal: journal.New()}
	for _, text := range []string{"one er", "ror here\ntwo\nthr", "ee error", "\nlast err", "or"} {
		s.journal.Add(journal.Entry{Session: "s1", Class: journal.Output, Type: journal.TypeOutput, Stream: "stdout",
			Data: &Output{Stream: "stdout", Text: text}, Size: len(text)})
	}
	read := func(pattern string) (texts []string) {
		q := OutputQuery{Stream: "both", MaxBytes: 1000}
		if pattern != "" {
			q.Pattern = regexp.MustCompile(pattern)
		}
		for _, c := range s.ReadOutput(q).Chunks {
			texts = append(texts, c.Text)
		}
		return texts
	}
	assert.Equal(t, []string{"one error here\n", "three error\n", "last error"}, read("error"))
	assert.Nil(t, read("nothing"))
	assert.Len(t, read(""), 5)
}

// A long text is stored in pieces of whole characters, because an answer is bounded by events.
func TestLongOutputIsKeptInPieces(t *testing.T) {
	s := &Session{id: "s1", journal: journal.New()}
	text := "x" + strings.Repeat("ä", outputPiece) // so that the limit is inside a character
	s.printed("stdout", text)
	var got string
	entries, _ := s.journal.Cursor(0, journal.Filter{Session: "s1", Classes: journal.MaskOf(journal.Output)}).
		Next(make([]journal.Entry, 0, 10))
	for _, e := range entries {
		piece := e.Data.(*Output).Text
		assert.LessOrEqual(t, len(piece), outputPiece)
		assert.True(t, utf8.ValidString(piece))
		got += piece
	}
	assert.Len(t, entries, 3)
	assert.Equal(t, text, got)
}

func TestCLRMethod(t *testing.T) {
	tests := []struct{ frame, typ, method string }{
		{"ThreadsApp.Program.Inspect()", "Program", "Inspect"},
		{"Program.<Inner>d__0.MoveNext()", "Program", "Inner"},
		{"A.B<int>.Do<string>()", "B", "Do"},
		{"A.Node..ctor()", "Node", ".ctor"},
		{"P.<>c__DisplayClass6_0.<Main>b__0()", "<>c__DisplayClass6_0", "<Main>b__0"},
		{"Main()", "", "Main"},
	}
	for _, tt := range tests {
		typ, method := inspect.ClrMethod(tt.frame)
		assert.Equal(t, tt.typ, typ, tt.frame)
		assert.Equal(t, tt.method, method, tt.frame)
	}
}

func TestSuffixed(t *testing.T) {
	assert.Equal(t, "2.5f", inspect.Suffixed("float", "2.5", "csharp"))
	assert.Equal(t, "2m", inspect.Suffixed("decimal?", " 2 ", "csharp"))
	assert.Equal(t, "a + 1", inspect.Suffixed("float", "a + 1", "csharp"))
	assert.Equal(t, "2.5", inspect.Suffixed("float64", "2.5", "go"))
}

func TestFold(t *testing.T) {
	frames := []inspect.Frame{{Index: 0}, {Index: 1, IsExternal: true}, {Index: 2, IsExternal: true},
		{Index: 3, IsExternal: true}, {Index: 4}, {Index: 5, IsExternal: true}}
	got := inspect.Fold(frames)
	assert.Len(t, got, 4)
	assert.Equal(t, 2, got[1].Folded)
	assert.Equal(t, 4, got[2].Index)
	assert.Zero(t, got[3].Folded)
}
