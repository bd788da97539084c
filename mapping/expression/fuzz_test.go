package expression

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzForNetcoredbg checks that a rewritten expression has no character that ends netcoredbg.
func FuzzForNetcoredbg(f *testing.F) {
	for _, s := range []string{
		"a == null && b.C > 3", "x ?? y?.Z", "!(a || b)", "a ? b : c ? d : e", `s == "a && b"`,
		"a[b ?? c].D(e, f == g)", "'\\'' == c", "a is not null", "((", "?[", "&&", "a ==",
		"null == null", "$\"{a ? b : c}\" ?? d", "@\"\"\"\" == e", "1 < a.b <= 2", "\xff == \x00", "é.ü == null",
		"😀 == \"😀\"", "$\"{😀}\"", "\"😀",
		"(int)-a + b", "a<-1", "a is > 2 and not (< -3 or 'x')", "~(a & b.C) != (d | e)", "f(g<int>(x), y[^1])",
		"(List<int[]>)a", "a! - -b", "(a)(b)",
		"1 + nameof(a.B<int>).C", "a?.GetValueOrDefault(b[(1)]).c.GetValueOrDefault(",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		plain := plane0(s)
		require.Equal(t, utf8.RuneCountInString(s), utf8.RuneCountInString(plain))
		for _, token := range Scan(plain) {
			require.True(t, token.Kind == String || strings.IndexFunc(token.Text, func(r rune) bool {
				return r > 0xffff
			}) < 0, "%q", plain)
		}
		require.LessOrEqual(t, len(nullableDefaults(s)), len(s))
		ForNetcoredbg(s)
	})
}
