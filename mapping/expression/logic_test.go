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

func TestComparisons(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []Comparison
	}{
		{"a.B == null", []Comparison{{0, 11, "a.B", "null", "==", true}}},
		{"null != a[0]", []Comparison{{0, 12, "a[0]", "null", "!=", true}}},
		{"a is null", []Comparison{{0, 9, "a", "null", "==", true}}},
		{"a is not null && b", []Comparison{{0, 13, "a", "null", "!=", true}}},
		{"!(c == App.Col.Red)", []Comparison{{2, 18, "c", "App.Col.Red", "==", false}}},
		{"n >= 3", []Comparison{{0, 6, "n", "3", ">=", false}}},
		{"n == -3", []Comparison{{0, 7, "n", "-3", "==", false}}},
		{"-3 < n && b", []Comparison{{0, 6, "-3", "n", "<", false}}},
		{"a.B == true", []Comparison{{0, 11, "a.B", "true", "==", false}}},
		{"a -3 == n", nil},
		{"a[0] - 3 == n", nil},
		{"n == -a", nil},
		{"f(a == null)", []Comparison{{2, 11, "a", "null", "==", true}}},
		{"a + b == null", nil},
		{"a == b + c", nil},
		{"!a == b", nil},
		{"a == b == c", nil},
		{"a is int", nil},
		{"== null", nil},
		{"a ==", nil},
		{"a < null", []Comparison{{0, 8, "a", "null", "<", false}}},
	} {
		assert.Equal(t, tt.want, Comparisons(tt.text), tt.text)
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
