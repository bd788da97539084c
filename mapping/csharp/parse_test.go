package csharp

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shape writes a tree in brackets, without places: (Binary + (Name i) (Literal int 1)).
func shape(v any) string {
	var out strings.Builder
	write(&out, reflect.ValueOf(v))
	return out.String()
}

func write(out *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			out.WriteString("-")
			return
		}
		if v.Kind() == reflect.Pointer && v.Elem().Kind() != reflect.Struct {
			fmt.Fprint(out, v.Interface())
			return
		}
		if s, ok := v.Interface().(fmt.Stringer); ok && v.Elem().Type().String() == "big.Int" {
			out.WriteString(s.String())
			return
		}
		write(out, v.Elem())
	case reflect.Struct:
		out.WriteString("(" + v.Type().Name())
		for i := range v.NumField() {
			if f := v.Field(i); v.Type().Field(i).Name != "Span" && !f.IsZero() {
				out.WriteString(" ")
				write(out, f)
			}
		}
		out.WriteString(")")
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint16 {
			fmt.Fprintf(out, "%q", decoded(v.Interface()))
			return
		}
		out.WriteString("[")
		for i := range v.Len() {
			if i > 0 {
				out.WriteString(" ")
			}
			write(out, v.Index(i))
		}
		out.WriteString("]")
	case reflect.String:
		if text := v.String(); text == "" || strings.ContainsFunc(text, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune(`()[]"`, r)
		}) {
			fmt.Fprintf(out, "%q", text)
			return
		}
		out.WriteString(v.String())
	default:
		fmt.Fprint(out, v.Interface())
	}
}

// A format has the escapes of its text.
func TestFormats(t *testing.T) {
	for text, want := range map[string]string{
		`$"{w:HH\\:mm}"`: `HH\:mm`, `$@"{w:HH\:mm}"`: `HH\:mm`, `$"{x:\u0023}"`: "#", `$"{x:0.00}"`: "0.00",
	} {
		tree, err := Parse(text)
		require.NoError(t, err, text)
		n := tree.(*Interpolated)
		require.Equal(t, want, n.Parts[0].Format, text)
		require.Equal(t, text, String(tree))
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"i + 2 * 3":         "(Binary + (Name i) (Binary * (Literal int 2 2) (Literal int 3 3)))",
		"a - b - c":         "(Binary - (Binary - (Name a) (Name b)) (Name c))",
		"a ?? b ?? c":       "(Binary ?? (Name a) (Binary ?? (Name b) (Name c)))",
		"a ? b : c ? d : e": "(Conditional (Name a) (Name b) (Conditional (Name c) (Name d) (Name e)))",
		"a >> b":            "(Binary >> (Name a) (Name b))",
		"a >>> b >= c":      "(Binary >= (Binary >>> (Name a) (Name b)) (Name c))",
		"x >>= 1":           "(Assign >>= (Name x) (Literal int 1 1))",
		"a < b > (c)":       "(Call (Name a [(Type [(TypeName b)])]) [(Argument (Name c))])",
		"a < b && c > d":    "(Binary && (Binary < (Name a) (Name b)) (Binary > (Name c) (Name d)))",
		"f(a < b, c > d)": "(Call (Name f) [(Argument (Binary < (Name a) (Name b))) (Argument (Binary > (Name " +
			"c) (Name d)))])",
		"-x switch { _ => 1 }": "(Switch (Unary - (Name x)) [(Arm (Discard) (Literal int 1 1))])",
		"(int)-x":              "(Cast (Type [(TypeName int true)]) (Unary - (Name x)))",
		"(a)-x":                "(Binary - (Paren (Name a)) (Name x))",
		"(a)(x)":               "(Cast (Type [(TypeName a)]) (Paren (Name x)))",
		"(a.B)x":               "(Cast (Type [(TypeName a) (TypeName B)]) (Name x))",
		"(a)[0]":               "(Index (Paren (Name a)) [(Argument (Literal int 0 0))])",
		"(a) is B":             "(Is (Paren (Name a)) (Constant (Name B)))",
		"(@int)x":              "(Cast (Type [(TypeName int)]) (Name x))",
		"@this.x":              "(Member (Name this) . x)",
		"this.x":               "(Member (Name this true) . x)",
		"@int.x":               "(Member (Name int) . x)",
		"int.x":                "(Member (Name int true) . x)",
		"(string[])x":          "(Cast (Type (Type [(TypeName string true)]) \"[]\") (Name x))",
		"((Vip)c).D":           "(Member (Paren (Cast (Type [(TypeName Vip)]) (Name c))) . D)",
		"x is int ? 1 : 2": "(Conditional (Is (Name x) (TypePattern (Type [(TypeName int true)]))) (Literal int 1 " +
			"1) (Literal int 2 2))",
		"x as int? ?? 3": "(Binary ?? (As (Name x) (Type (Type [(TypeName int true)]) ?)) (Literal int 3 3))",
		"a?.b?[0]?.c()": "(Call (Member (Index (Member (Name a) ?. b) true [(Argument (Literal int 0 0))]) ?. " +
			"c))",
		"x => x + 1":   "(Lambda true [(Parameter x)] (Binary + (Name x) (Literal int 1 1)))",
		"1_000u":       "(Literal uint 1_000u 1000)",
		"0xFF":         "(Literal int 0xFF 255)",
		"0xFFFFFFFF":   "(Literal uint 0xFFFFFFFF 4294967295)",
		"9000000000":   "(Literal long 9000000000 9000000000)",
		"1.5e3f":       "(Literal float 1.5e3f 1.5e3)",
		"1..2":         "(Slice (Literal int 1 1) (Literal int 2 2))",
		"..":           "(Slice)",
		"s[^1]":        "(Index (Name s) [(Argument (Unary ^ (Literal int 1 1)))])",
		"1.ToString()": "(Call (Member (Literal int 1 1) . ToString))",
		`$"a{b,5:X}c"`: `(Interpolated "$\"" "\"" 1 [(Part a a) (Part (Name b) (Literal int 5 ` +
			`5) X X) (Part c c)])`,
		`"a\tb"`:                      `(Literal string "\"a\\tb\"" "a\tb")`,
		`@"a""b\"`:                    `(Literal string "@\"a\"\"b\\\"" "a\"b\\")`,
		"\"\"\"\n  a\n   b\n  \"\"\"": `(Literal string "\"\"\"\n  a\n   b\n  \"\"\"" "a\n b")`,
		"i is > 5 and < 10": "(Is (Name i) (Both and (Relation > (Literal int 5 5)) (Relation < (Literal int " +
			"10 10))))",
		"c is { Home.City: \"K\", N: not null } x": "(Is (Name c) (Properties true [(SubPattern [Home City] (Constant " +
			"(Literal string \"\\\"K\\\"\" \"K\"))) (SubPattern [N] (Not (Constant (Literal null null))))] x))",
		"p is (1, _)": "(Is (Name p) (Properties true [(SubPattern (Constant (Literal int 1 1))) (SubPattern " +
			"(Discard))]))",
		"l is [1, .., var x]": "(Is (Name l) (ListPattern [(Constant (Literal int 1 1)) (SlicePattern) (VarPattern x)]))",
		"x is not (1 or 2)": "(Is (Name x) (Not (ParenPattern (Both or (Constant (Literal int 1 1)) " +
			"(Constant (Literal int 2 2))))))",
		"(1, B: 2)":          "(Tuple [(Argument (Literal int 1 1)) (Argument B (Literal int 2 2))])",
		"$exception.Message": "(Member (Name $exception) . Message)",
	} {
		tree, err := Parse(text)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, shape(tree), text)
		}
	}
}

// forms has every form of a C# 12 expression, and some that are easily mistaken.
var forms = strings.Split(strings.TrimSpace(`
x
@if
@class.@new
global::System.Math.PI
this.x
base.Describe()
int.MaxValue
string.Join(", ", words)
List<int>.Empty
A.B<int, List<string>>.C<D?>(1)
f(ref x, out var y, in z, out int q, out _)
f(times: 3, greeting: "Yo")
new()
new(1, 2)
new(1) { A = 2 }
new C()
new C { }
new C { A = 1, B = { C = 2 }, D = { 1, 2 }, ["k"] = 3, [1, 2] = 4 }
new Dictionary<int, string> { { 1, "a" }, { 2, "b" } }
new List<int>(nums) { 1, 2, }
new int[3]
new int[2, 3]
new int[2][]
new int[2][,]
new int[] { 1, 2 }
new int[,] { { 1, 2 }, { 3, 4 } }
new int?[] { 1, null }
new[] { 1, 2 }
new[,] { { 1 }, { 2 } }
new (int, string)[2]
new (int a, int b)[] { (1, 2) }
new { A = 1, x.B, c }
new Box<int>.Lid()
stackalloc int[3]
stackalloc[] { 1, 2 }
[1, 2, ..rest]
[]
typeof(int)
typeof(List<>)
typeof(Dictionary<,>)
typeof(A.B<int>[][,])
typeof(void)
sizeof(int)
default
default(List<int>)
nameof(a.b.c)
checked(a + b)
unchecked((int)x)
a is B
a is B b
a is not B
a is null
a is var x
a is var (x, (y, z))
a is int or long
a is (> 1 and < 5) or 7
a is A.B
a is A.B.C { D: 1 } x
a is A<int>
a is A<int> x && x.B
a is A(1, X: 2) { B: 3 } c
a is (1, 2)
a is (var x, 2) y
a is { }
a is { A: { B: 1 }, C.D: not null }
a is [1, .., 3]
a is [_, .. var rest]
a is [] or [> 1]
a is int[] x
a is (int)1
a is -1
a is 1 + 2
a is int.MaxValue
a is "x" or 'c' or true or 1.5m
a is (int, string)
a is <= -1
a as B
a as B[]
a as (int, string)?
a switch { 1 => "a", > 2 when b => "c", int x => x.ToString(), _ => throw new E() }
a switch { { A: 1 } => 2, null => 3, (1, 2) => 4, }
a with { B = 1, C = { 1 } }
a with { }
-a
- -a
+a
!a
~a
++a
--a
a++
a--
a!
a!.b
^1
*p
&x
p->x
await f()
await (a)
a..b
a..
..b
a[1..^1]
a[..]
a[1, 2]
a?[1]
a?.b.c
a?.b?.c
a * b / c % d
a << 1 >> 2 >>> 3
a & b | c ^ d
a && b || !c
a == b != c
a < b
a <= b
a ?? throw new E("x")
a ??= b
a ? b : c
a ? -1 : +1
a ? (b) : (c)
a ? [1] : [2]
a = b = c
a += 1
a -= 1
a *= 1
a /= 1
a %= 1
a &= 1
a |= 1
a ^= 1
a <<= 1
a >>= 1
a >>>= 1
(a, b) = (b, a)
(int x, var y) = t
(var (x, y), var z) = t
f(out var (x, y))
x => x
(x) => x
() => 1
(x, y) => x + y
(int x, string y) => x
(ref int x, params int[] y) => 1
(int x = 1) => x
int (int x) => x
List<int> (x) => null
async x => await x
static (x) => x
static async (x) => x
async () => { await f(); }
x => { return x; }
delegate { return 1; }
delegate (int x) { return x; }
x => y => x + y
@async => 1
a is () @or
@async(x)
from x in xs select x
from int x in xs where x > 1 select x
from x in xs from y in ys let z = x + y where z > 2 orderby x, y descending, z ascending select new { x, y }
from x in xs join y in ys on x.Id equals y.Id into g from h in g.DefaultIfEmpty() select h
from x in xs group x by x.A into g where g.Count() > 1 select g.Key
from x in xs where (x) is A select (x)
@from + 1
(int)x
(int?)x
(int[])x
(A.B)x
(A<int>)x
((A)x).B
(A)"text"
(A)'c'
(A)!x
(A)~x
(A)(x)
(int)-x
(a) - x
(a)
((a))
(a) with { B = 1 }
(a) switch { _ => 1 }
(a, b)
(a, b, c).Item1
(X: 1, Y: 2).Y
1
1u
1L
1ul
0x1F
0b1010_1010
1_000
1.5
.5
1e10
1.5E-3
1f
1d
1m
1.50m
'a'
'\''
'\n'
'\x41'
'\u00e9'
"text"
"a\"b\\c\u0041\x41\U0001F600"
"a"u8
@"c:\a""b"
"""raw "x" """
""""raw """ """"
$"a{b}c"
$"{a}{b,5}{c:X4}{d,-8:0.00}"
$"{{{a}}}"
$"{(a ? b : c)}"
$"{f("x")} {$"{y}"}"
$@"c:\{a}""\"
@$"c:\{a}"
$"""a {b} "c" """
$$"""{a} {{b}} {{{c}}}"""
$"{new { A = 1 }.A}"
$"{d["k"]:N2}"
$"{global::System.Math.PI}"
x?.y ?? z
a ? b?.c : d?[0]
a is B ? c : d
a is B { C: 1 } ? d : e
a as B ?? c
a < b
a < b == c > d
a.b<c>(d)
a.b < c
(a < b) | (c > d)
f(a < b, c > d)
f(a<b, c>(d))
x is A or B and not C
i is 7
/* comment */ a // and this
throw new E()
ref x
`), "\n")

func TestRoundTrip(t *testing.T) {
	for _, text := range forms {
		tree, err := Parse(text)
		if !assert.NoError(t, err, text) {
			continue
		}
		roundTrip(t, text, tree)
		start, end := tree.Range()
		if !strings.Contains(text, "/*") {
			assert.Equal(t, text, text[start:end], "the place of %s", text)
		}
	}
}

func roundTrip(t testing.TB, text string, tree Node) {
	printed := String(tree)
	again, err := Parse(printed)
	require.NoError(t, err, "%s printed as %s", text, printed)
	require.Equal(t, shape(tree), shape(again), "%s printed as %s", text, printed)
	require.Equal(t, printed, String(again), text)
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":            "column 1: expected an expression, found the end",
		"1 +":         "column 4: expected an expression, found the end",
		"a.":          "column 3: expected the name of a member after ., found the end",
		"(a":          "column 3: expected ), found the end",
		"(a, b":       "column 6: expected ), found the end",
		"f(a":         "column 4: expected , or ), found the end",
		"a[1":         "column 4: expected , or ], found the end",
		"a[]":         "column 3: expected an index, found ]",
		"a)":          "column 2: expected an operator or the end, found )",
		"(A]A":        "column 3: expected ), found ]",
		"a b":         "column 3: expected an operator or the end, found the name b",
		"a; b":        "column 2: expected an operator or the end, found ;",
		"if (flag) i": "column 1: expected an expression, found the keyword if",
		"x == 'Ann'":  `column 6: expected one character between '' (a text is written "..."), found 'An`,
		`"abc`:        `column 5: expected the closing ", found the end`,
		"\U00018618":  "column 1: expected an expression, found the character '\U00018618'",
		"größe +":     "column 8: expected an expression, found the end",
		"a ? b":       "column 6: expected the : of ?:, found the end",
		`$"{a"`: "column 5: expected } after the value of the hole (a ?: in it needs " +
			"brackets), found a text",
		`$"{a ? b : c}"`: "column 10: expected the : of ?:, found : c",
		`$"{}"`:          "column 4: expected an expression, found }",
		`$"}"`:           "column 3: expected }} for a brace in the text, found }",
		`"\q"`: `column 2: expected an escape such as \n, \t, \\ or \u0041 (write ` +
			`@"..." for a text without escapes), found \`,
		"0x":                      "column 3: expected a digit, found the end",
		"12ab":                    "column 3: expected the end of the number, found the character 'a'",
		"99999999999999999999999": "column 1: expected a number of at most 64 bits, found 99999999999999999999999",
		"a # b":                   "column 3: expected an expression, found the character '#'",
		"int":                     "column 4: expected a member after the type int, found the end",
		"x is":                    "column 5: expected a pattern, found the end",
		"x as 3":                  "column 6: expected the name of a type, found the number 3",
		"x switch { 1 : 2 }":      "column 14: expected => after the pattern, found :",
		"new { 1 }":               "column 7: expected Name = value in an anonymous object, found a value without a name",
		"new C":                   "column 6: expected ( or { or [ after the type of a new object, found the end",
		"new int[]":               "column 10: expected { with the elements, or a size in the brackets, found the end",
		"from x in xs":            "column 13: expected from, let, where, join, orderby, select or group, found the end",
		"x => { return x;":        "column 17: expected } after the statements, found the end",
		"a /* b":                  "column 7: expected */, found the end",
		"return x":                "column 1: expected an expression, found the keyword return",
		strings.Repeat("(", 200):  "column 67: expected fewer levels inside of each other, found too many",
	} {
		_, err := Parse(text)
		assert.EqualError(t, err, want, text)
	}
}

func TestBounded(t *testing.T) {
	for _, part := range []string{"(", "a<", "(a<", "a?", "a?[", "a is ", "x => ", "!", "[", "new{a=", `$"{`,
		"a.b<(", "(a,", "a ? ",
		"from x in ", "a is (", "a is {b:", "new[]{", "a switch { ", "-", "(int)", "a+", "a.", "a()", "f(a<b,"} {
		_, err := Parse(strings.Repeat(part, maxText/len(part)))
		assert.Error(t, err, part)
		_, _ = Parse(strings.Repeat(part, 500) + "a") // it ends
	}
}

// A limit is told apart from an error of syntax: what is too large may be C#.
func TestLimits(t *testing.T) {
	for text, limit := range map[string]bool{
		strings.Repeat("(", 200) + "a" + strings.Repeat(")", 200): true,
		strings.Repeat("a + ", 1000) + "a":                        true,
		"a" + strings.Repeat(".b", 1000):                          true,
		strings.Repeat("a", maxText+1):                            true,
		strings.Repeat(`$"{`, 300) + "a":                          true,
		"a b":                                                     false,
	} {
		_, err := Parse(text)
		var e *Error
		if assert.ErrorAs(t, err, &e) {
			assert.Equal(t, limit, e.Limit, "%.20s: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range forms {
		f.Add(text)
	}
	for _, text := range []string{"a b", "@int", "@this", "(@int[])x", "0 as @int",
		"0 is ((A,_!))", "0 is(A]A", "0 as A? ?", "(0)switch{_()=>0}", "(A]A",
		`$"{a ? b : c}"`, "a[", "x is", "((((",
		"a<b<c<d<", "\"\"\"\n a\n \"\"\"", "'\\u12'"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := Parse(text)
		if err == nil {
			if !strings.ContainsRune(text, '�') {
				roundTrip(t, text, tree)
			}
			return
		}
		var e *Error
		require.ErrorAs(t, err, &e)
		require.GreaterOrEqual(t, e.Column(), 1)
		require.NotEmpty(t, e.Expected)
		require.NotEmpty(t, e.Found)
	})
}
