package mapping

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplitWords(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"  a  b\tc ", []string{"a", "b", "c"}},
		{`a 'b c' "d e"f`, []string{"a", "b c", "d ef"}},
		{`a "" ''`, []string{"a", "", ""}},
		{`C:\bin\x.exe "C:\Program Files\y"`, []string{`C:\bin\x.exe`, `C:\Program Files\y`}},
		{`a\ b \"c "d\"e\\"`, []string{"a b", `"c`, `d"e\`}},
		{`'a\'`, []string{`a\`}},
	} {
		got, err := SplitWords(tc.in)
		require.NoError(t, err, tc.in)
		require.Equal(t, tc.want, got, tc.in)
	}
}

func TestSplitWordsErrors(t *testing.T) {
	for _, in := range []string{`a "b`, `'`, `a 'b c`} {
		_, err := SplitWords(in)
		require.ErrorContains(t, err, "unclosed", in)
	}
}
