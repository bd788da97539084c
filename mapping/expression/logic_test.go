package expression

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLogical(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"a && b", []string{"&&", "a ", " b"}},
		{"a && b || c", []string{"||", "a && b ", " c"}},
		{"a || b && c || d", []string{"||", "a ", " b && c || d"}},
		{"a ?? b || c", []string{"??", "a ", " b || c"}},
		{"(a && b)", nil},
		{"f(a && b)", nil},
		{"x => x && y", nil},
		{"a &&", nil},
		{"|| a", nil},
		{"a && b ? c : d", nil},
		{`"a && b"`, nil},
		{"", nil},
	} {
		op, left, right, ok := Logical(tt.text)
		if tt.want == nil {
			assert.False(t, ok, tt.text)
			continue
		}
		assert.Equal(t, tt.want, []string{op, left, right}, tt.text)
	}
}

func TestGroup(t *testing.T) {
	for _, tt := range []struct {
		text, inner string
		not, ok     bool
	}{
		{"(a && b)", "a && b", false, true},
		{"!(a)", "a", true, true},
		{"!!(a)", "a", false, true},
		{"(a) && (b)", "", false, false},
		{"(int)a", "", false, false},
		{"a", "", false, false},
		{"(", "", false, false},
		{"(a", "", false, false},
	} {
		inner, not, ok := Group(tt.text)
		assert.Equal(t, tt.ok, ok, tt.text)
		if ok {
			assert.Equal(t, tt.inner, inner, tt.text)
			assert.Equal(t, tt.not, not, tt.text)
		}
	}
}
