package inspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A recursion is told once, with the number of its rounds; what only looks like one is left as it is.
func TestRecurring(t *testing.T) {
	for _, tc := range []struct{ stack, want string }{
		{"", ""},
		{"a b c", "a b c"},
		{"a a b", "a a b"},
		{"a a a b", "a*2 b"},
		{"x a a a a a b", "x a*4 b"},
		{"a b a b a b c", "a*2 b*2 c"},
		{"a b a b c", "a b a b c"},
		{"a b c d a b c d a b c d", "a*2 b*2 c*2 d*2"},
		{"a a a b b b b", "a*2 b*3"},
		{"a b b b a b b b a b b b z", "a*2 b*2 b*2 b*2 z"},
	} {
		var frames []Frame
		for i, name := range strings.Fields(tc.stack) {
			frames = append(frames, Frame{Index: i, Function: name, Location: &Location{File: "/f", Line: int(name[0])}})
		}
		var got []string
		total := 0
		for _, f := range recurring(slices.Clip(frames)) {
			text := f.Function
			if f.Repeated > 0 {
				text += fmt.Sprintf("*%d", f.Repeated)
			}
			got = append(got, text)
			total += 1 + f.Repeated
		}
		if text := strings.Join(got, " "); text != tc.want || total != len(frames) {
			t.Errorf("%s: got %s (%d frames), want %s", tc.stack, text, total, tc.want)
		}
	}
}

func TestFrameLines(t *testing.T) {
	frames := []Frame{
		{Function: "park", IsExternal: true, Folded: 2},
		{Function: "main.work", Location: &Location{File: "/m.go", Line: 7}, Repeated: 4},
		{Function: "main.main", Location: &Location{File: "/m.go", Line: 9}},
	}
	want := []string{"park (+2)", "main.work /m.go:7 (5 times)", "main.main /m.go:9"}
	if got := frameLines(frames, 20); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := frameLines(frames, 1); !slices.Equal(got, []string{"park (+2)", "..."}) {
		t.Errorf("got %q", got)
	}
}
