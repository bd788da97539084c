package inspect

import (
	"breakwire/adapter/fault"
	"math/big"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
)

type body = dap.EvaluateResponseBody

func TestLiteral(t *testing.T) {
	for _, tt := range []struct {
		value, typ, want string
	}{
		{"7", "int?", "7"},
		{"-7", "int", "(-7)"},
		{"-2147483648", "int", "(-2147483647 - 1)"},
		{"-9223372036854775808", "long", "(-9223372036854775807L - 1L)"},
		{"-2147483648", "long", "(-2147483648L)"},
		{"18446744073709551615", "ulong", "18446744073709551615UL"},
		{"3", "double", "3d"}, // 3 / 2 is another number
		{"-nan", "double?", "(0d / 0d)"},
		{"-inf", "float", "(-1f / 0f)"},
		{"1.5", "decimal?", "1.5m"},
		{"39 '\\''", "char?", `'\''`},
		{"120 'x'", "char", `'x'`},
		{"55357 ''", "char", `'\ud83d'`},
		{"65533 '\ufffd'", "char", `'\ufffd'`},
		{"63 '?'", "char", `'\u003f'`},
		{"true", "bool", "true"},
	} {
		assert.Equal(t, tt.want, literal(body{Result: tt.value, Type: tt.typ}), "%s %s", tt.typ, tt.value)
	}
}

func TestCompared(t *testing.T) {
	for _, tt := range []struct {
		left  body
		op    string
		right body
		want  string
	}{
		{body{Result: "18446744073709551615", Type: "ulong"}, ">", body{Result: "5", Type: "int"}, "true"},
		{body{Result: "18446744073709551615", Type: "ulong"}, "==", body{Result: "-1", Type: "int"}, "false"},
		{body{Result: "-7", Type: "int?"}, "<", body{Result: "-5000000000", Type: "long"}, "false"},
		{body{Result: "97 'a'", Type: "char"}, "==", body{Result: "97", Type: "byte"}, "true"},
		{body{Result: "55357 ''", Type: "char"}, "==", body{Result: "55358 ''", Type: "char"}, "false"},
		{body{Result: "true", Type: "bool?"}, "!=", body{Result: "true", Type: "bool"}, "false"},
		{body{Result: "true", Type: "bool"}, "<", body{Result: "true", Type: "bool"}, ""},
		{body{Result: "1", Type: "double"}, "==", body{Result: "1", Type: "int"}, ""},
		{body{Result: `"a"`, Type: "string"}, "==", body{Result: `"a"`, Type: "string"}, ""},
		{body{Result: "{int}", Type: "int"}, "==", body{Result: "1", Type: "int"}, ""},
	} {
		yes, ok := compared(tt.op, tt.left, tt.right)
		assert.Equal(t, tt.want != "", ok, "%v", tt)
		assert.Equal(t, tt.want == "true", yes, "%v", tt)
	}
}

// A float may differ from the digits that are shown.
func TestApart(t *testing.T) {
	for _, tt := range []struct{ left, op, right, want string }{
		{"1.5", "<", "2", "true"},
		{"1.5", "==", "2", "false"},
		{"1.5", "==", "1.5", ""},
		{"1.5", "<=", "1.5000001", ""},
		{"-nan", "==", "1", ""},
		{"inf", ">", "1", ""},
		{"0", ">", "-1e-300", "true"},
	} {
		yes, ok := apart(tt.op, body{Result: tt.left, Type: "double"}, body{Result: tt.right, Type: "double"})
		assert.Equal(t, tt.want != "", ok, "%v", tt)
		assert.Equal(t, tt.want == "true", yes, "%v", tt)
	}
}

func TestFits(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		typ  string
		want bool
	}{
		{127, "sbyte", true}, {128, "sbyte", false}, {-128, "sbyte", true}, {-129, "sbyte", false},
		{255, "byte", true}, {256, "byte", false}, {-1, "byte", false},
		{-1 << 31, "int", true}, {1 << 31, "int", false}, {1 << 31, "uint", true}, {-1 << 63, "long", true},
		{65535, "char", true},
	} {
		assert.Equal(t, tt.want, fits(big.NewInt(tt.n), tt.typ), "%v", tt)
	}
}

func TestConstant(t *testing.T) {
	for text, want := range map[string]string{
		"5": "int", "-5": "int", "- 5": "int", "2147483647": "int", "true": "bool", "null": "object",
		"2147483648": "", "05": "", "--5": "", "5L": "", "5.0": "", "": "", "-": "", "x": "", "+5": "", "1_0": "",
	} {
		a, ok := constant(text)
		assert.Equal(t, want != "", ok, text)
		assert.Equal(t, want, a.body.Type, text)
	}
}

func TestWithNull(t *testing.T) {
	value := func(result, typ, text string) answer {
		return answer{body: body{Result: result, Type: typ}, text: text}
	}
	for _, tt := range []struct {
		left  answer
		op    string
		right answer
		want  string
	}{
		{value("null", "int?", "none"), "+", value("1", "int", "1"), "null int?"},
		{value("1.5", "double", "x"), "*", value("null", "int?", "none"), "null double?"},
		{value("null", "int?", "none"), "+", value(`"a"`, "string", "name"), `"a" string`},
		{value("null", "string", "a?.Length"), "-", value("1", "int", "1"), "null int?"},
		{value("null", "string", "a?.Length"), "+", value("1", "int", "1"), ""},
		{value("null", "string", "a"), "+", value("1", "int", "1"), ""},
		{value("null", "bool?", "a"), "&", value("true", "bool", "b"), ""},
		{value("null", "object", "null"), "+", value("null", "object", "null"), ""},
	} {
		got, err := rescue{cause: &fault.Error{}}.withNull(tt.op, tt.left, tt.right)
		if tt.want == "" {
			assert.Error(t, err, "%v", tt)
			continue
		}
		assert.Equal(t, tt.want, got.body.Result+" "+got.body.Type)
	}
}

func TestIsNamed(t *testing.T) {
	for _, tt := range []struct {
		typ, name string
		want      bool
	}{
		{"App.Node", "Node", true},
		{"App.Node", "App.Node", true},
		{"App.Node", "global::App.Node", true},
		{"App.SubNode", "Node", false},
		{"App.Node", "Other.Node", false},
		{"App.Outer.Inner", "Outer.Inner", true},
		{"App.Outer+Inner", "Inner", true},
		{"int", "Int32", true},
		{"int", "System.Int32", true},
		{"System.Int32", "int", false}, // netcoredbg writes int
		{"App.Int32", "Int32", true},
		{"System.Collections.Generic.List<string>", "List<string>", true},
		{"System.Collections.Generic.List<string>", "List<int>", false},
		{"System.Collections.Generic.List<string>", "List", false},
		{"int[]", "int[]", true},
		{"int[,]", "int[]", false},
	} {
		assert.Equal(t, tt.want, isNamed(tt.typ, tt.name), "%v", tt)
	}
}

func TestSpacesOf(t *testing.T) {
	assert.Equal(t, []string{
		"", "App.Models.", "App.", "App.Program.", "System.", "System.Collections.", "System.Collections.Generic.",
		"System.IO.",
		"App.Models+", "App+", "App.Program+",
	}, spacesOf("App.Models.Node<System.String>", "App.Program.Main(string[])"))
}
