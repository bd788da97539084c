package expression

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzParts checks that the parts of an expression join to the same expression, and that each part is shorter than
// the whole.
func FuzzParts(f *testing.F) {
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
		plain := plane0(s)
		require.Equal(t, utf8.RuneCountInString(s), utf8.RuneCountInString(plain))
		for _, token := range Scan(plain) {
			require.True(t, token.Kind == String || strings.IndexFunc(token.Text, func(r rune) bool {
				return r > 0xffff
			}) < 0, "%q", plain)
		}
		if op, left, right, ok := Binary(s); ok {
			require.Equal(t, s, left+op+right)
			require.Less(t, max(len(left), len(right)), len(s))
			_, _, _, logical := Logical(s)
			require.False(t, logical, "what binds less is cut first")
		}
		if op, operand, ok := Unary(s); ok {
			require.True(t, strings.HasSuffix(s, op+operand))
		}
		if _, operand, ok := Cast(s); ok {
			require.True(t, strings.HasSuffix(s, ")"+operand))
			require.NotEmpty(t, operand)
		}
		if op, left, right := Pattern(s); op != "" {
			require.Less(t, max(len(left), len(right)), len(s))
		}
		if start, end, name, ok := NameOf(s); ok {
			require.True(t, start < end && end <= len(s) && strings.Contains(s[start:end], name))
		}
		require.LessOrEqual(t, len(nullableDefaults(s)), len(s))
		Literal(s)
		TypeName(s)
		Cuts(s)
		for _, c := range Chains(s) {
			require.NotEmpty(t, c.Parts)
			at := c.Start
			for i, p := range c.Parts {
				require.True(t, at <= p.Start && p.Start < p.End && p.End <= c.End, "%q %+v", s, c)
				require.Equal(t, s[c.Start:p.End], c.Prefix(s, i+1))
				from := p.Start
				for _, arg := range Arguments(s, p) {
					n := strings.Index(s[from:p.End], arg)
					require.GreaterOrEqual(t, n, 0)
					from += n + len(arg)
				}
				at = p.End
			}
			require.Equal(t, c.End, at)
		}
	})
}
