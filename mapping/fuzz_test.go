package mapping

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzPieces checks that the pieces join to the text, and that none is longer than the limit.
func FuzzPieces(f *testing.F) {
	for _, s := range []string{`"a\nb"`, `"\\\\\\"`, `"\u00e9\U0001F600\x41"`, `'x'`, "plain", `"\`, "\"\xff\xfe\"",
		"\"😀😀😀\"", "", `""`, `"\u`} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, most int) {
		most = 1 + int(uint(most)%40)
		quote, inner := "", s
		if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
			quote, inner = s[:1], s[1:n-1]
		}
		var whole strings.Builder
		for _, p := range Pieces(s, most) {
			body := strings.TrimSuffix(strings.TrimPrefix(p, quote), quote)
			require.NotEmpty(t, body)
			require.LessOrEqual(t, utf8.RuneCountInString(body), most)
			whole.WriteString(body)
		}
		require.Equal(t, inner, whole.String())
	})
}

// FuzzValueTexts checks that any value text gives a result of bounded size.
func FuzzValueTexts(f *testing.F) {
	for _, s := range []string{
		"{int[2, 3]}", "{int[99999999999]}", "97 'a'", "size=3", "0x00 size=4", "int[3][4]", "1 = 0x1",
		"interface {}(int) 5", "System.Collections.Generic.List<string>",
		`"a\u0041\`, "NaN", "<Main>d__1.MoveNext()", "🙂", "\xff", `a "b c" 'd`, `C:\x\ y`, "error: 0x80131302 x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, count, ok := ArrayText(s); ok {
			require.GreaterOrEqual(t, count, 0)
		}
		require.GreaterOrEqual(t, SizeText(s, s), 0)
		require.LessOrEqual(t, UTF16Length(s), 2*len(s))
		if n, ok := NumberText(s); ok {
			require.False(t, math.IsNaN(n) || math.IsInf(n, 0), s)
		}
		if IsNullText(s) {
			require.NotEmpty(t, s)
		}
		require.LessOrEqual(t, len(CharText(s)), len(s))
		if text := FloatText(s); text != s {
			require.Contains(t, []string{"NaN", "Infinity", "-Infinity"}, text)
		}
		if name, args := GenericType(s); args != "" {
			require.Equal(t, s, name+"<"+args+">")
		}
		LogicalVariable(s)
		Explain(s)
		require.LessOrEqual(t, utf8.RuneCountInString(Clip(s, 10)), 10+len(" ..."))
		if words, err := SplitWords(s); err == nil {
			require.LessOrEqual(t, len(strings.Join(words, "")), len(s))
		}
		if near := Nearest(s, []string{"session_id", "file", "", s}); near != "" {
			require.Contains(t, []string{"session_id", "file", s}, near)
		}
	})
}
