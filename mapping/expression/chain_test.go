package expression

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestChains(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"a", []string{"a"}},
		{"a.b.c", []string{"a.b.c"}},
		{"list[name.Length - 1].X + 2", []string{"name.Length", "list[name.Length - 1].X"}},
		{`f(a.b, "x".Length)?.y`, []string{"a.b", `"x".Length`, `f(a.b, "x".Length)?.y`}},
		{"(a + b).Length", []string{"a", "b", "(a + b).Length"}},
		{"list.OfType<A.B>().Count()", []string{"list.OfType<A.B>().Count()"}},
		{"F<int, List<B>>(x.y) < z", []string{"x.y", "F<int, List<B>>(x.y)", "z"}},
		{"Box<int>.Made", []string{"Box<int>.Made"}},
		{"a < b && c > d", []string{"a", "b", "c", "d"}},
		{"1 + 2", nil},
		{"new Node(a)", []string{"Node(a)"}[:0:0]},
		{"a.", []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			var got []string
			for _, c := range Chains(tt.text) {
				got = append(got, tt.text[c.Start:c.End])
			}
			if tt.text == "new Node(a)" {
				assert.Equal(t, []string{"a", "Node(a)"}, got)
				return
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestChainPrefix(t *testing.T) {
	text := "x + a.b[1].c"
	c := Chains(text)[1]
	assert.Equal(t, "a.b", c.Prefix(text, 2))
	assert.Equal(t, "a.b[1]", c.Prefix(text, 3))
	assert.Equal(t, "a", c.Prefix(text, 1))
}

func TestConditional(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"flag ? 1 : 2", []string{"flag ", " 1 ", " 2"}},
		{"a ? b ? 1 : 2 : 3", []string{"a ", " b ? 1 : 2 ", " 3"}},
		{"f(a ? 1 : 2)", nil},
		{"a?.b", nil},
		{"a ?? b", nil},
		{"a?[1]", nil},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			c, y, n, ok := Conditional(tt.text)
			if tt.want == nil {
				assert.False(t, ok)
				return
			}
			assert.Equal(t, tt.want, []string{c, y, n})
		})
	}
}

func TestNameOf(t *testing.T) {
	for text, want := range map[string]string{
		"nameof(a)":                           "nameof(a) a",
		"1 + nameof( a.b.@class ).Length":     "nameof( a.b.@class ) class",
		"f(nameof(List<Dictionary<int, A>>))": "nameof(List<Dictionary<int, A>>) List",
		"nameof(global::A.B)":                 "nameof(global::A.B) B",
		"nameof(a[0])":                        "",
		"nameof()":                            "",
		"nameof(a":                            "",
		"nameof":                              "",
		`"nameof(a)"`:                         "",
	} {
		got := ""
		if start, end, name, ok := NameOf(text); ok {
			got = text[start:end] + " " + name
		}
		assert.Equal(t, want, got, text)
	}
}
