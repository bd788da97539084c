package tracepoints

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name  string
		in    string
		exprs []string
		// want is the message with each expression's value shown as [n].
		want string
	}{
		{"empty", "", nil, ""},
		{"literal", "here we are", nil, "here we are"},
		{"one expression", "i is {i}", []string{"i"}, "i is [0]"},
		{"several", "i is {i}, sum is {sum}", []string{"i", "sum"}, "i is [0], sum is [1]"},
		{"twice is once", "{i}+{ i }={i+i}", []string{"i", "i+i"}, "[0]+[0]=[1]"},
		{"only an expression", "{x}", []string{"x"}, "[0]"},
		{"side by side", "{a}{b}", []string{"a", "b"}, "[0][1]"},
		{"trimmed", "{  a . b  }", []string{"a . b"}, "[0]"},
		{"literal braces", "{{i}} is {i}", []string{"i"}, "{i} is [0]"},
		{"braces around a value", "{{{i}}}", []string{"i"}, "{[0]}"},
		{"four braces", "{{}}", nil, "{}"},
		{"percent and backslash are plain", `100% \n {i}`, []string{"i"}, `100% \n [0]`},
		{"quotes in literal text", `it's "{i}`, []string{"i"}, `it's "[0]`},
		{"unicode", "größe 世界 {größe}😀", []string{"größe"}, "größe 世界 [0]😀"},
		{"parentheses", "{f(a, (b))}", []string{"f(a, (b))"}, "[0]"},
		{"index", `{d["k"][0]}`, []string{`d["k"][0]`}, "[0]"},
		{"braces within", "{new[] {1, 2}.Length}", []string{"new[] {1, 2}.Length"}, "[0]"},
		{"Go composite", "{T{A: []int{1}}.A}", []string{"T{A: []int{1}}.A"}, "[0]"},
		{"Python dict after a space", `{ {"a": 1}["a"]}`, []string{`{"a": 1}["a"]`}, "[0]"},
		{"closing brace in a string", `{f("}")} x`, []string{`f("}")`}, "[0] x"},
		{"opening brace in a string", `{f("{")} x`, []string{`f("{")`}, "[0] x"},
		{"escaped quote", `{f("\"}")}`, []string{`f("\"}")`}, "[0]"},
		{"escaped backslash before the quote", `{f("\\")}`, []string{`f("\\")`}, "[0]"},
		{"char literal", `{s.IndexOf('}')}`, []string{`s.IndexOf('}')`}, "[0]"},
		{"escaped char literal", `{s.IndexOf('\'')}`, []string{`s.IndexOf('\'')`}, "[0]"},
		{"Python string", `{d['}']}`, []string{`d['}']`}, "[0]"},
		{"Python triple quotes", `{f("""a"}b""")}`, []string{`f("""a"}b""")`}, "[0]"},
		{"Python empty strings", `{f("", '')}`, []string{`f("", '')`}, "[0]"},
		{"C# verbatim", `{Open(@"C:\")}`, []string{`Open(@"C:\")`}, "[0]"},
		{"C# verbatim with quotes", `{f(@"a""}""b")}`, []string{`f(@"a""}""b")`}, "[0]"},
		{"C# verbatim interpolated", `{f($@"\{x}")}`, []string{`f($@"\{x}")`}, "[0]"},
		{"C# interpolated", `{$"{a} {b}"}`, []string{`$"{a} {b}"`}, "[0]"},
		{"C# verbatim name", `{@class.X}`, []string{"@class.X"}, "[0]"},
		{"Go raw string", "{f(`}\\`)}", []string{"f(`}\\`)"}, "[0]"},
		{"C++ digit separators", `{1'000'000 + x}`, []string{`1'000'000 + x`}, "[0]"},
		{"C++ char after a number", `{n == 5 ? 'a' : '}'}`, []string{`n == 5 ? 'a' : '}'`}, "[0]"},
		{"prefixed literals", `{f(L'}', u8"}", rb'}')}`, []string{`f(L'}', u8"}", rb'}')`}, "[0]"},
		{"comparison", "{a < b && c > d}", []string{"a < b && c > d"}, "[0]"},
		{"newline in it", "a\n{i\n}b", []string{"i"}, "a\n[0]b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.in)
			require.NoError(t, err)
			assert.Equal(t, tt.exprs, got.Expressions())
			assert.Equal(t, len(tt.exprs) == 0, got.Literal())
			assert.Equal(t, tt.in, got.String())
			values := make([]Value, len(tt.exprs))
			for i := range values {
				values[i].Text = "[" + string(rune('0'+i)) + "]"
			}
			assert.Equal(t, tt.want, got.Render(values))
		})
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"empty expression", "a {}", "empty expression {} (write {{ for a brace) at character 3"},
		{"blank expression", "{ \t}", "empty expression {} (write {{ for a brace) at character 1"},
		{"never closed", "a {i", "{ is never closed (write {{ for a brace) at character 3"},
		{"lone opening", "{", "{ is never closed (write {{ for a brace) at character 1"},
		{"lone closing", "a } b", "unexpected } (write }} for a brace) at character 3"},
		{"one too many", "{i}}", "unexpected } (write }} for a brace) at character 4"},
		{"odd braces", "{{{", "{ is never closed (write {{ for a brace) at character 3"},
		{"parenthesis never closed", "{f(a}", "( is never closed at character 3"},
		{"bracket never closed", "{a[1}", "[ is never closed at character 3"},
		{"bracket open at the end", "{a[1", "[ is never closed at character 3"},
		{"wrong bracket", "{f(a]}", "( is never closed at character 3"},
		{"closes what is not open", "{k)+(1}", "unexpected ) in the expression at character 3"},
		{"string never closed", `{f("a)}`, `string or character literal " is never closed at character 4`},
		{"char never closed", `{it's}`, `string or character literal ' is never closed at character 4`},
		{"verbatim never closed", `{@"a""}`, `string or character literal @ is never closed at character 2`},
		{"raw string never closed", "{`a}", "string or character literal ` is never closed at character 2"},
		{"backslash at the end", `{"\`, `string or character literal " is never closed at character 2`},
		{"characters, not bytes", "größe {}", "empty expression {} (write {{ for a brace) at character 7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(tt.in)
			require.EqualError(t, err, tt.want)
		})
	}
}

func TestParts(t *testing.T) {
	tpl, err := Parse("a {x} {{b}} {y}{x}")
	require.NoError(t, err)
	assert.Equal(t, []Part{{"a ", -1}, {"", 0}, {" {b} ", -1}, {"", 1}, {"", 0}}, tpl.Parts())
}

func TestRenderErrors(t *testing.T) {
	tpl, err := Parse("{a} {b} {c}")
	require.NoError(t, err)
	assert.Equal(t, "1 <error: NullReferenceException> <error: timeout>",
		tpl.Render([]Value{{Text: "1"}, {Err: "NullReferenceException"}, {Err: "timeout", Text: "ignored"}}))
	assert.Equal(t, "1 <error: not evaluated> <error: not evaluated>", tpl.Render([]Value{{Text: "1"}}))
}

func TestRenderIsCut(t *testing.T) {
	tpl, err := Parse("x{a}{b}")
	require.NoError(t, err)
	tests := []struct {
		name string
		a, b string
		want int
		cut  bool
	}{
		{"just fits", strings.Repeat("y", MaxMessage-2), "z", MaxMessage, false},
		{"one byte too long", strings.Repeat("y", MaxMessage-1), "z", MaxMessage, true},
		{"far too long", strings.Repeat("y", 100*MaxMessage), "z", MaxMessage, true},
		{"between runes", strings.Repeat("世", MaxMessage), "z", MaxMessage - 1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tpl.Render([]Value{{Text: tt.a}, {Text: tt.b}})
			assert.LessOrEqual(t, len(got), MaxMessage)
			assert.GreaterOrEqual(t, len(got), MaxMessage-utf8.UTFMax)
			assert.True(t, utf8.ValidString(got))
			assert.Equal(t, tt.cut, strings.HasSuffix(got, "… (cut)"))
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "i is {i}", "{{}}", "{{{i}}}", `{f("}")}`, "{it's}", `{@"""x""}"}`, "{a[1}", "}",
		"größe {}", "{1'000'000}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// Any text is a literal template when its braces are doubled.
		doubled := strings.NewReplacer("{", "{{", "}", "}}").Replace(s)
		literal, err := Parse(doubled)
		require.NoError(t, err)
		require.True(t, literal.Literal())
		if len(s) <= MaxMessage {
			require.Equal(t, s, literal.Render(nil))
		}

		tpl, err := Parse(s)
		if err != nil {
			var pe *ParseError
			require.ErrorAs(t, err, &pe)
			require.True(t, pe.Offset >= 0 && pe.Offset <= len(s))
			return
		}
		require.Equal(t, s, tpl.String())
		values := make([]Value, len(tpl.Expressions()))
		for i, e := range tpl.Expressions() {
			require.NotEmpty(t, e)
			require.Equal(t, strings.TrimSpace(e), e)
			values[i].Text = e
		}
		got := tpl.Render(values)
		require.LessOrEqual(t, len(got), MaxMessage)
		if utf8.ValidString(s) {
			require.True(t, utf8.ValidString(got))
		}
		// A scanned expression can be scanned again in any place.
		for _, e := range tpl.Expressions() {
			again, err := Parse("a { " + e + " } b")
			require.NoError(t, err)
			require.Equal(t, []string{e}, again.Expressions())
		}
	})
}
