package expression

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBinary(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"(none ?? 0) > 3", []string{">", "(none ?? 0) ", " 3"}},
		{"maybe == count + 4", []string{"==", "maybe ", " count + 4"}},
		{"a + b * c", []string{"+", "a ", " b * c"}},
		{"a - b - c", []string{"-", "a - b ", " c"}},
		{"a & b == c", []string{"&", "a ", " b == c"}},
		{"a | b ^ c & d", []string{"|", "a ", " b ^ c & d"}},
		{"a == b != c", []string{"!=", "a == b ", " c"}},
		{"1 << 2 + 3", []string{"<<", "1 ", " 2 + 3"}},
		{"(int)color == 1", []string{"==", "(int)color ", " 1"}},
		{"(int)-x", nil},
		{"(int)-x - 1", []string{"-", "(int)-x ", " 1"}},
		{"(x) - 1", []string{"-", "(x) ", " 1"}},
		{"f(int) - 1", []string{"-", "f(int) ", " 1"}},
		{"a<-1", []string{"<", "a", "-1"}},
		{"a - -1", []string{"-", "a ", " -1"}},
		{"-a", nil},
		{"-a + b", []string{"+", "-a ", " b"}},
		{"a! == b", []string{"==", "a! ", " b"}},
		{"!a == b", []string{"==", "!a ", " b"}},
		{"a is > 2", []string{"is", "a ", " > 2"}},
		{"a is not null", []string{"is", "a ", " not null"}},
		{"a is > 2 and < 5", []string{"is", "a ", " > 2 and < 5"}},
		{"a is B == true", []string{"==", "a is B ", " true"}},
		{"a is List<B> == c", []string{"==", "a is List<B> ", " c"}},
		{"a is App.Map<B, List<C>>", []string{"is", "a ", " App.Map<B, List<C>>"}},
		{"a as B", []string{"as", "a ", " B"}},
		{"x.is == 1", []string{"==", "x.is ", " 1"}},
		{"F<int>(x)", nil},
		{"F<int>(x) == 1", nil},
		{"a < b", []string{"<", "a ", " b"}},
		{"a < b > c", []string{">", "a < b ", " c"}},
		{"a == b && c", nil},
		{"a == b ? c : d", nil},
		{"x => x + 1", nil},
		{"a = b + 1", nil},
		{"a += 1", nil},
		{"a++ + b", nil},
		{"f(a + b)", nil},
		{"(a + b)", nil},
		{"list[^1]", nil},
		{"list[^1] == 1", []string{"==", "list[^1] ", " 1"}},
		{"a == b, c", nil},
		{"a ==", nil},
		{"== a", nil},
		{`"a + b"`, nil},
		{"a switch { _ => b } + 1", nil},
		{`a == "`, nil},
		{"", nil},
	} {
		op, left, right, ok := Binary(tt.text)
		if tt.want == nil {
			assert.False(t, ok, "%s: %q %q %q", tt.text, left, op, right)
			continue
		}
		assert.Equal(t, tt.want, []string{op, left, right}, tt.text)
	}
}

func TestUnary(t *testing.T) {
	for _, tt := range []struct{ text, op, operand string }{
		{"-(a ?? 0)", "-", "(a ?? 0)"},
		{"!a.B", "!", "a.B"},
		{"~a", "~", "a"},
		{"!!a", "!", "!a"},
		{"-(int)a", "-", "(int)a"},
		{"-a + b", "", ""},
		{"!a && b", "", ""},
		{"!a ? b : c", "", ""},
		{"a", "", ""},
		{"-", "", ""},
	} {
		op, operand, ok := Unary(tt.text)
		assert.Equal(t, tt.op != "", ok, tt.text)
		assert.Equal(t, []string{tt.op, tt.operand}, []string{op, operand}, tt.text)
	}
}

func TestCast(t *testing.T) {
	for _, tt := range []struct{ text, typ, operand string }{
		{"(int)color", "int", "color"},
		{"(int)-x", "int", "-x"},
		{"(int)(a + b)", "int", "(a + b)"},
		{"(Node)child.Next", "Node", "child.Next"},
		{"(App.Node)(child)", "App.Node", "(child)"},
		{"(List<string>)x", "List<string>", "x"},
		{"(Dictionary<string, List<int>>) x", "Dictionary<string, List<int>>", " x"},
		{"(int?)x", "int?", "x"},
		{"(int[])x", "int[]", "x"},
		{"(int[,])x", "int[,]", "x"},
		{"(double)1", "double", "1"},
		{"(object)\"a\"", "object", "\"a\""},
		{"(long)(int)x", "long", "(int)x"},
		{"(x) - 1", "", ""},
		{"(x).Name", "", ""},
		{"(int)x + 1", "", ""},
		{"(a + b)c", "", ""},
		{"((Node)child).Name", "", ""},
		{"(a, b)c", "", ""},
		{"(a < b)c", "", ""},
		{"(true)x", "", ""},
		{"(x) is y", "", ""},
		{"(x)", "", ""},
		{"()x", "", ""},
		{"(int)", "", ""},
	} {
		typ, operand, ok := Cast(tt.text)
		assert.Equal(t, tt.typ != "", ok, tt.text)
		assert.Equal(t, []string{tt.typ, tt.operand}, []string{typ, operand}, tt.text)
	}
}

func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"f(a, g(b, c), d[1, 2])", []string{"a", " g(b, c)", " d[1, 2]"}},
		{"f()", nil},
		{"f(a ?? b)", []string{"a ?? b"}},
		{"x?[1, 2]", []string{"1", " 2"}},
		{"f(a", nil},
		{"x.y", nil},
	} {
		chains := Chains(tt.text)
		c := chains[len(chains)-1]
		assert.Equal(t, tt.want, Arguments(tt.text, c.Parts[len(c.Parts)-1]), tt.text)
	}
}

func TestPattern(t *testing.T) {
	for _, tt := range []struct{ text, op, left, right string }{
		{" > 2", ">", "", " 2"},
		{"<-2", "<", "", "-2"},
		{"> 2 and < 5 or 9", "or", "> 2 and < 5 ", " 9"},
		{"not null and A", "and", "not null ", " A"},
		{"not (A or B)", "not", "", " (A or B)"},
		{"(A or B)", "(", "", "A or B"},
		{"A", "", "", ""},
		{"{ X: 1 or 2 }", "", "", ""},
		{"or", "", "", ""},
		{"", "", "", ""},
	} {
		op, left, right := Pattern(tt.text)
		assert.Equal(t, []string{tt.op, tt.left, tt.right}, []string{op, left, right}, tt.text)
	}
}

func TestCuts(t *testing.T) {
	for text, want := range map[string]bool{
		"a + b": true, "(a)": true, "(int)a": true, "-1": true, "a ? b : c": true, "a ?? b": true, "a is B": true,
		"a": false, "a.b[c + d]": false, "f(a)": false, "x => x == 1": false, "^1": false, `"a + b"`: false, "": false,
	} {
		assert.Equal(t, want, Cuts(text), text)
	}
}
