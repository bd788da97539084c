package expression

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSafe(t *testing.T) {
	tests := []struct {
		lang Language
		text string
		want Category // "" is safe
		part string
	}{
		{CSharp, `count`, "", ""},
		{CSharp, `count + 1 > 2 && !flag`, "", ""},
		{CSharp, `child.Parent?.Name`, "", ""},
		{CSharp, `dict["one"][2, 3]`, "", ""},
		{CSharp, `$exception.Message`, "", ""},
		{CSharp, `a ? b : c`, "", ""},
		{CSharp, `(int)color`, "", ""},
		{CSharp, `(Color)5`, "", ""},
		{CSharp, `x is string`, "", ""},
		{CSharp, `x as Node`, "", ""},
		{CSharp, `nullText ?? "d"`, "", ""},
		{CSharp, `nameof(count)`, "", ""},
		{CSharp, `typeof(System.Collections.Generic.List<int>)`, "", ""},
		{CSharp, `default(int)`, "", ""},
		{CSharp, `"a\"b" + 'c'`, "", ""},
		{CSharp, `@"a""b" + 'c'`, "", ""},
		{CSharp, `@"C:\temp\" + @"""" + @""`, "", ""},
		{CSharp, `@"a"u8`, ParseError, `@"a"u8`},
		{CSharp, `@"a" "b"`, ParseError, `"b"`},
		{CSharp, `@"a"" + f()`, ParseError, ""},
		{CSharp, `@"""" + f() + @""""`, MethodCall, "f()"},
		{CSharp, `@$"{f()}"`, Other, `@$"{f()}"`},
		{CSharp, `@@"a"`, ParseError, ""},
		{CSharp, "@\"a\nb\"", ParseError, ""},
		{CSharp, `(1, "two")`, "", ""},
		{CSharp, `a < b`, "", ""},
		{CSharp, `-(a + b) * 0x1F`, "", ""},
		{CSharp, `name!.Length`, "", ""},
		{CSharp, `list[^1]`, "", ""},
		{CSharp, `list.Clear()`, MethodCall, "list.Clear()"},
		{CSharp, `1 + child.Add(1, f(2))`, MethodCall, "child.Add(1, f(2))"},
		{CSharp, `Foo<int>(x)`, MethodCall, "Foo<int>(x)"},
		{CSharp, `a.B<List<int>>(1)`, MethodCall, "a.B<List<int>>(1)"},
		{CSharp, `(f)(x)`, MethodCall, "(f)(x)"},
		{CSharp, `twice(2)`, MethodCall, "twice(2)"},
		{CSharp, `a[f(1)]`, MethodCall, "f(1)"},
		{CSharp, `new Node("q", null)`, ObjectCreation, `new Node("q", null)`},
		{CSharp, `new Node()`, ObjectCreation, "new Node()"},
		{CSharp, `new()`, ObjectCreation, "new()"},
		{CSharp, `new[] {1}`, ObjectCreation, "new[] {1}"},
		{CSharp, `count = 9`, Assignment, "count = 9"},
		{CSharp, `a.b += 1`, Assignment, "a.b += 1"},
		{CSharp, `x++`, Assignment, "x++"},
		{CSharp, `--x`, Assignment, "--"},
		{CSharp, `x ??= y`, Assignment, "x ??= y"},
		{CSharp, `x => x`, Lambda, "x =>"},
		{CSharp, `$"{Kill()}"`, Other, `$"{Kill()}"`},
		{CSharp, `await t`, Other, "await t"},
		{CSharp, `a; b`, ParseError, ";"},
		{CSharp, `1 +`, ParseError, ""},
		{CSharp, ``, ParseError, ""},
		{CSharp, `"open`, ParseError, `"open`},
		{CSharp, `a b`, ParseError, "b"},
		{CSharp, `"""raw"""`, ParseError, `"""raw"""`},
		{CSharp, `$@"{a}"`, Other, `$@"{a}"`},
		{CSharp, `1_000 + 0x_FF + 0b1_0 + 1_0.5_0e1_0`, "", ""},
		{CSharp, `1_000_`, ParseError, ""},
		{CSharp, `1_000f_`, ParseError, ""},
		{CSharp, `0_x1`, ParseError, ""},
		{CSharp, `1_.5`, ParseError, ""},
		{CSharp, `'\u0041'`, ParseError, `'\u0041'`},
		{CSharp, `a // b`, ParseError, "// b"},
		{CSharp, `\u0061`, ParseError, `\`},
		{CSharp, `x is (1, 2)`, ParseError, "("},
		{CSharp, `x is Node n`, ParseError, "n"},
		{CSharp, `a.b < c > (d)`, MethodCall, "a.b < c > (d)"},
		{CSharp, `i < 5 && a > (b + 1)`, "", ""},
		{CSharp, `x is List<int> && y`, "", ""},
		{CSharp, `((List<int>)o).Count`, "", ""},
		{CSharp, `größe > @class.Länge`, "", ""},

		{Go, `len(list) + int(ratio)`, "", ""},
		{Go, `*pointer`, "", ""},
		{Go, `tree.Kids[1:2]`, "", ""},
		{Go, `area.(square).Side`, "", ""},
		{Go, `(*"main.node")(0xc000012345)`, "", ""},
		{Go, `(*main.node)(0xc000012345).Name`, "", ""},
		{Go, `[]byte("x")`, "", ""},
		{Go, "`raw` == text && truth", "", ""},
		{Go, `call f(1)`, MethodCall, "call f(1)"},
		{Go, `f(1)`, MethodCall, "f(1)"},
		{Go, `(*f)(x)`, MethodCall, "(*f)(x)"},
		{Go, `point{1, 2}`, ObjectCreation, "point{"},
		{Go, `&point{1, 2}`, ObjectCreation, "point{"},
		{Go, `make([]int, 2)`, ObjectCreation, "make([]int, 2)"},
		{Go, `x = 1`, Assignment, "x = 1"},
		{Go, `x := 1`, Assignment, "x := 1"},
		{Go, `(*main.List[int])(0xc000012345)`, "", ""},
		{Go, `iface.(map[string]int)`, "", ""},
		{Go, `dlv -x`, Other, "dlv -x"},
		{Go, `call -x`, MethodCall, "call -x"},
		{Go, `f /* */ (1)`, ParseError, "/* */ (1)"},
		{Go, `f[int](1)`, MethodCall, "f[int](1)"},
		{Go, `1_000`, ParseError, "1_000"},
		{Go, `len(a...)`, MethodCall, "len(a...)"},
		{Go, `<-pipe`, ParseError, "<-"},
		{Go, `func() {}()`, Lambda, "func() {}()"},

		{Python, `a and not b or c in d`, "", ""},
		{Python, `x if y else z`, "", ""},
		{Python, `items[1:-1]`, "", ""},
		{Python, `a is not None`, "", ""},
		{Python, `a not in b`, "", ""},
		{Python, `'a\'b' == "x"`, "", ""},
		{Python, `r'a\'b' == """x"""`, ParseError, `r'a\'b' == """x"""`},
		{Python, `(1, 2)`, "", ""},
		{Python, `len(x)`, MethodCall, "len(x)"},
		{Python, `obj.method()`, MethodCall, "obj.method()"},
		{Python, `x = 1`, Assignment, "x = 1"},
		{Python, `(x := 1)`, Assignment, "x := 1)"},
		{Python, `[i for i in x]`, ObjectCreation, "[i for i in x]"},
		{Python, `{1: 2}`, ObjectCreation, "{1: 2}"},
		{Python, `f"{x()}"`, Other, `f"{x()}"`},
		{Python, `lambda: 1`, Lambda, "lambda: 1"},
		{Python, `__import__("os")`, MethodCall, `__import__("os")`},
		{Python, `a; b`, ParseError, ";"},
		{Python, `"""\""" + """ + f()`, ParseError, `"""\""" + """ + f()`},
		{Python, `1and'2+'+f()#' '`, ParseError, `1and'2+'+f()#' '`},
		{Python, `b"x"`, ParseError, `b"x"`},
		{Python, `a@LINE@b`, ParseError, "@LINE@b"},
		{Python, `a # b`, ParseError, "# b"},
		{Python, "(a\n+ b)", "", ""},
		{Python, `"a\x41"`, ParseError, `"a\x41"`},
		{Python, `a[1:2, ::3]`, "", ""},
		{Python, "a\nimport os", ParseError, "import"},

		{C, `p->x + arr[3].y`, "", ""},
		{C, `*p & 0xff`, "", ""},
		{C, `(unsigned char)c`, "", ""},
		{C, `(struct P *)raw`, "", ""},
		{C, `sizeof(struct P)`, "", ""},
		{C, `a ? b : c`, "", ""},
		{C, `ns::value`, "", ""},
		{C, `exit(1)`, MethodCall, "exit(1)"},
		{C, `(f)(1)`, MethodCall, "(f)(1)"},
		{C, `(*f)(1)`, MethodCall, "(*f)(1)"},
		{C, `max<int>(1, 2)`, MethodCall, "max<int>(1, 2)"},
		{C, `x = 1`, Assignment, "x = 1"},
		{C, `p->x++`, Assignment, "p->x++"},
		{C, `new P`, ObjectCreation, "new P"},
		{C, "`process continue", ParseError, "`"},
		{C, `-exec -gdb-exit`, Other, "-exec -gdb-exit"},
		{C, `1 /*'*/ + f(1) //'`, ParseError, `/*'*/ + f(1) //'`},
		{C, `"??/" + f(1) + "`, ParseError, `"??/" + f(1) + "`},
		{C, `1'000`, ParseError, "1'000"},
		{C, `L"x"`, ParseError, `L"x"`},
		{C, `a < b && c > (d)`, MethodCall, "a < b && c > (d)"},
		{C, `(a < b) && c > (d)`, "", ""},
		{C, `(Color)x`, ObjectCreation, "(Color)x"},
		{C, `(x)and_eq -1`, ObjectCreation, "(x)and_eq"},
		{C, `*(Node *)(p + 4)`, "", ""},
		{C, `sizeof(arr) / sizeof(arr[0])`, "", ""},

		{"ruby", `a.b[0] == 1 && "x y" != c`, "", ""},
		{"ruby", `"#{f}"`, ParseError, `"#{f}"`},
		{"ruby", `f 1`, ParseError, "1"},
		{"ruby", `f(1)`, MethodCall, "f(1)"},
		{"ruby", `a -b`, "", ""},
	}
	for _, tt := range tests {
		t.Run(string(tt.lang)+" "+tt.text, func(t *testing.T) {
			got := Safe(tt.lang, tt.text)
			if tt.want == "" {
				assert.Nil(t, got)
				return
			}
			if assert.NotNil(t, got) {
				assert.Equal(t, tt.want, got.Category, got.Offending)
				if tt.part != "" {
					assert.Equal(t, tt.part, got.Offending)
				}
			}
		})
	}
}

// TestSafeOfLongTexts checks that very long texts end soon and do not exhaust the stack.
func TestSafeOfLongTexts(t *testing.T) {
	slowest, of := time.Duration(0), ""
	for _, part := range []string{
		"(", "[", "a<", "a<b>", "(a<b,", "-", "not ", "a.", "a[", "a?", "a ? b : ", "x is A<", "(int)", "((int", "*",
		"&", "[]",
		"func(", "a,", "a<b>(", "::a", "1+", "a if b else ", "typeof(", "(A)", "!", "'a'+", "a..", "a and ", "map[", "a.(",
	} {
		for _, lang := range []Language{CSharp, Go, Python, C, unknown} {
			began := time.Now()
			Safe(lang, strings.Repeat(part, MaxLength/4/len(part))+"a")
			if took := time.Since(began); took > slowest {
				slowest, of = took, string(lang)+" "+part
			}
		}
	}
	t.Logf("the slowest took %v: %s", slowest, of)
	assert.Less(t, slowest, 10*time.Second, of)
	assert.NotNil(t, Safe(C, strings.Repeat("(", maxDepth+1)+"a"+strings.Repeat(")", maxDepth+1)))
}

// For any text the check ends, and never accepts an obvious call.
func FuzzSafe(f *testing.F) {
	for _, s := range []string{"a.b[1]", "f(x)", "(a)(b)", "a<b>(c)", `"x\"`, "[[", "((((", "$\"{a}\"", "a?b:c", "?.",
		"\xff", "٣", "x٣", "1٣", "１"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, l := range []Language{CSharp, Go, Python, C, unknown} {
			Safe(l, s)
			if r := Safe(l, "zz("+s+")"); r == nil {
				t.Errorf("%s: zz(%s) is taken for safe", l, s)
			}
		}
	})
}
