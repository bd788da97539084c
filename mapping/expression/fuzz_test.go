package expression

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzParts: what an expression is cut into is what it was made of, and each part is shorter than the whole.
func FuzzParts(f *testing.F) {
	for _, s := range []string{
		"a == null && b.C > 3", "x ?? y?.Z", "!(a || b)", "a ? b : c ? d : e", `s == "a && b"`, "a[b ?? c].D(e, f == g)", "'\\'' == c", "a is not null", "((", "?[", "&&", "a ==",
		"null == null", "$\"{a ? b : c}\" ?? d", "@\"\"\"\" == e", "1 < a.b <= 2", "\xff == \x00", "é.ü == null", "😀 == \"😀\"", "$\"{😀}\"", "\"😀",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if op, left, right, ok := Logical(s); ok {
			require.Equal(t, s, left+op+right)
		}
		if condition, yes, no, ok := Conditional(s); ok {
			require.Equal(t, s, condition+"?"+yes+":"+no)
		}
		if inner, _, ok := Group(s); ok {
			require.Less(t, len(inner), len(s))
			require.Contains(t, s, "("+inner+")")
		}
		plane0 := Plane0(s)
		require.Equal(t, utf8.RuneCountInString(s), utf8.RuneCountInString(plane0))
		for _, token := range Scan(CSharp, plane0) {
			require.True(t, token.Kind == String || strings.IndexFunc(token.Text, func(r rune) bool { return r > 0xffff }) < 0, "%q", plane0)
		}
		for _, c := range Comparisons(s) {
			require.True(t, 0 <= c.Start && c.Start < c.End && c.End <= len(s), "%+v", c)
			whole := s[c.Start:c.End]
			require.True(t, strings.Contains(whole, c.Left) && strings.Contains(whole, c.Right) && c.Left != "" && c.Right != "", "%+v", c)
			require.Equal(t, c.Null, c.Right == "null" && (c.Op == "==" || c.Op == "!="), "%+v", c)
		}
		for _, c := range Chains(s) {
			require.NotEmpty(t, c.Parts)
			at := c.Start
			for i, p := range c.Parts {
				require.True(t, at <= p.Start && p.Start < p.End && p.End <= c.End, "%q %+v", s, c)
				require.Equal(t, s[c.Start:p.End], c.Prefix(s, i+1))
				at = p.End
			}
			require.Equal(t, c.End, at)
		}
	})
}
