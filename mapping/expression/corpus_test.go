package expression

import (
	"math/rand/v2"
	"strings"
)

// writer makes texts of a language from a grammar, safe and unsafe ones, and damages some of them.
type writer struct {
	*rand.Rand
	lang Language
}

func newWriter(lang Language, seed uint64) *writer {
	return &writer{rand.New(rand.NewPCG(seed, uint64(len(lang)))), lang}
}

func (w *writer) one(of []string) string { return of[w.IntN(len(of))] }

// grammar has the parts of a language's texts. In a form ◇ is an expression, ○ a name, □ a type, △ a literal.
type grammar struct {
	names, types, literals []string
	looks, acts            []string // forms without an effect, and with one
	fragments              []string // for damaging texts
}

var everyFragment = []string{
	`"`, `'`, "`", `\`, `"""`, `'''`, `""`, `''`, `"\"`, `\"`, `\'`, `\\`, `\x28`, `\u0028`, `\N{LEFT PARENTHESIS}`,
	`\0`, "\\\n", `@"`, `$"`, `r"`, `R"(`,
	`b'`, `f"`, `u8"`, `L'`, `/*`, `*/`, `//`, `#`, `--`, `{`, `}`, `(`, `)`, `[`, `]`, `f(x)`, `f()`, `(x)`, `()`,
	`+f(x)+`, `=`, `==`, `:=`, `+=`, `=>`,
	`->`, `::`, `?`, `:`, `?.`, `??`, `..`, `...`, `.`, `,`, `;`, `!`, `@`, `$`, `&`, `*`, `^`, `~`, `<`, `>`, `<<`,
	`>>`, `<>`, ` `, "\n", "\r", "\t",
	"\x00", "\x0c", "\u00a0", "\u2028", "\u0085", "\ufeff", "é", "ｆ", "（", "＂", "٣", "ª", "😀", "0", "1",
	"1'", "1_",
	"0x", "1e", "1.", ".5", "'0'", `"a"`,
	`@LINE@`, ` if `, ` else `, ` and `, ` or `, ` not `, ` in `, ` is `, ` as `, ` new `, ` await `, ` yield `,
	` lambda `, ` throw `, ` delete `,
	` and_eq `, ` sizeof`, `nameof`, `call `, `dlv `, `-exec `, `/x `, `??/`, `??(`, `<:`, `:>`, `<%`, `%>`, `%:`,
	`++`, `--`, `%`, `x`, `_`,
}

var grammars = map[Language]grammar{
	CSharp: {
		names: []string{
			"a", "b", "list", "name", "order", "Node", "this", "_x", "@class", "$exception", "größe", "System", "x1",
			"await", "field",
		},
		types: []string{
			"int", "string", "Node", "a.B", "List<int>", "int[]", "int?", "Dictionary<string, List<int>>",
			"global::A", "object", "(int, int)",
		},
		literals: []string{
			"0", "12", "0x1F", "1.5", "2m", "1UL", ".5", "1e5", `"text"`, `"a\"b"`, `"\\"`, `"//"`, `"/*"`, "'c'",
			`'\''`, `'"'`, `"'"`, "true", "null",
			`@"a""b"`, `@"\"`, `$"{f()}"`, `$"{a}"`, `"""raw"""`, `"""a"b"""`, `$$"""{{f()}}"""`, `@$"{f()}"`,
			`"x"u8`, "1_000", `'\u0041'`, `"\x41"`, `""`,
			`"{f()}"`, `"é"`, `@""""`, `'\x41'`, "1'000", `"\e"`, `""""""`,
		},
		looks: []string{
			"◇ + ◇", "◇ == ◇", "◇ && ◇", "◇ < ◇", "◇ > ◇", "◇ >> ◇", "◇ ?? ◇", "◇ ? ◇ : ◇",
			"-◇", "!◇", "(◇)", "◇.○",
			"◇?.○", "○[◇]", "○?[◇]", "(□)◇", "(□)(◇)",
			"◇ is □", "◇ as □", "◇ is not null", "typeof(□)", "default(□)", "sizeof(□)", "nameof(○)",
			"checked(◇)",
			"◇!", "○[^◇]", "○[◇..◇]", "(◇, ◇)", "◇ is ◇",
			"○::○", "◇ >>> ◇", "◇ - ◇", "◇ * ◇", "○.○.○", "○.○", "○", "○", "△", "△",
		},
		acts: []string{
			"○(◇)", "◇.○(◇)", "○<□>(◇)", "○.○<□>()", "(◇)(◇)", "new □(◇)", "new()",
			"new[] { ◇ }", "new { ○ = ◇ }",
			"○ = ◇", "○ += ◇", "○++", "--○", "○ ??= ◇", "○ => ◇",
			"(○) => ◇", "await ◇", "throw ◇", `$"{◇}"`, "stackalloc int[◇]", "[◇, ◇]", "○ is { ○ : ◇ }",
			"○ is [◇]",
			"○ is (var x, _)", "○ is □ x", "◇ switch { _ => ◇ }",
			"○ with { ○ = ◇ }", "from x in ○ select ◇", "delegate { return ◇; }", "ref ○", "out ○",
			"◇?.○(◇)",
			"○!(◇)", "◇ is (◇, ◇)", "○ is □ (◇)",
			"async x => ◇", "(○ = ◇)", "○[○: ◇]", "&○", "*○", "○->○", "unchecked(○(◇))",
			"__makeref(○)",
			"○ is > ◇ and < ◇", "(○ < ○, ○ > (◇))",
			"#if X\n◇", "\n#line 1\n◇", "◇ /* ◇ */ + ◇", "◇ // ◇\n + ◇", "@○ = ◇", "\\u0061(◇)",
			"○ is □ or □",
		},
		fragments: []string{
			`@"""`, `$@"`, `@$"`, `$$"""`, `""""`, `@a`, `$exception`, ` with `, ` switch `, `typeof(`, `default`,
			`\u0066(x)`, "\n#if X\n", ` is (`, `u8`,
		},
	},
	Go: {
		names: []string{"a", "b", "list", "pkg", "x1", "_x", "größe", "iface", "nil", "call", "dlv", "f"},
		types: []string{
			"int", "string", "[]byte", "main.node", "*main.node", "map[string]int", "[3]int", "interface{}", "func()",
			"chan int", "struct{}",
		},
		literals: []string{
			"0", "12", "0x1F", "1.5", "1e5", "0o17", "017", "1i", "1_000", "0x1p-2", `"text"`, `"a\"b"`, `"//"`,
			"'c'", `'\''`, "`raw`", "`\"`", `"\x41"`,
			`'\u0041'`, "true", "0xc000012345", `""`, "``", "`a\nb`", `"{f()}"`,
		},
		looks: []string{
			"◇ + ◇", "◇ == ◇", "◇ && ◇", "◇ < ◇", "◇ &^ ◇", "-◇", "!◇", "^◇", "*○", "&○",
			"(◇)", "◇.○", "○[◇]",
			"○[◇:◇]", "○[:◇]", "○[◇:◇:◇]", "○.(□)", "len(◇)", "cap(○)",
			"int(◇)", "string(◇)", "[]byte(◇)", "(*main.node)(0xc000012345)", `(*"main.node")(0xc000012345)`, "○.○",
			"○", "○", "△", "△", "min(◇, ◇)",
		},
		acts: []string{
			"○(◇)", "○.○(◇)", "(◇)(◇)", "○[□](◇)", "□{◇}", "&□{◇}", "func() { ◇ }()", "<-○",
			"○ = ◇", "○ := ◇", "○++",
			"make(□, ◇)", "new(□)", "append(○, ◇)", "[]□(◇)",
			"call ○(◇)", "dlv config -list", "□(◇)", "(□)(◇)", "(*○)(◇)", "○.(type)", "◇ /* ◇ */",
			"◇ // ◇", "○ <- ◇",
			"○...", "len(◇...)", "panic(◇)", "delete(○, ◇)",
			"[]int{◇}", "◇; ◇", "go ○(◇)", "map[string]□{◇: ◇}", "(*□)(○)", "call ○", "dlv -○",
			"(func())(○)",
			"[]func()(◇)", "[...]int{◇}", "call -○", "copy(○, ○)",
		},
		fragments: []string{
			"func", "chan ", "map[", "[]", "(*", "interface{}", "struct{}", "\ncall f()", "len", "make", "<-", ":",
			"call\t", " dlv ", "int", "0x1p2",
		},
	},
	Python: {
		names: []string{
			"a", "b", "items", "self", "x1", "_x", "__x__", "größe", "None", "True", "print", "match", "f", "rb",
			"type",
		},
		types: []string{"int", "str"},
		literals: []string{
			"0", "12", "0x1F", "1.5", "1e5", ".5", "5.", "0o17", "0b11", "1j", "1_000", "'text'", `"text"`, `'a\'b'`,
			`"'"`, `'"'`, `"#"`, `r'a\'b'`, `b'x'`, `f"{f()}"`,
			`f'{a}'`, `rb"\""`, `u"x"`, `"""x"""`, `'''x'''`, `"""\""" + """`, `"\x41"`, `"\N{DIGIT ONE}"`, "007",
			`''`, `""`, `"{f()}"`, `f"{a!r:{f()}}"`, `fr"\{f()}"`,
			`t"{f()}"`, "1if", "1and", "0xfor", "1'2", `"a" "b"`,
		},
		looks: []string{
			"◇ + ◇", "◇ == ◇", "◇ and ◇", "◇ or ◇", "not ◇", "◇ in ◇", "◇ not in ◇", "◇ is ◇",
			"◇ is not ◇",
			"◇ if ◇ else ◇", "-◇", "~◇", "(◇)", "(◇,)", "(◇, ◇)",
			"◇.○", "○[◇]", "○[◇:◇]", "○[::◇]", "○[◇, ◇]", "○[:, ◇]", "◇ ** ◇", "◇ // ◇",
			"◇ @ ◇", "◇ < ◇ < ◇", "○.○",
			"○", "○", "△", "△", "△ % ◇",
		},
		acts: []string{
			"○(◇)", "◇.○(◇)", "(◇)(◇)", "[◇, ◇]", "{◇: ◇}", "{◇}", "[○ for ○ in ◇]",
			"(○ for ○ in ◇)", "lambda: ◇",
			"lambda ○: ◇", "○ = ◇", "(○ := ◇)", "○ += ◇", "await ◇",
			"(yield ◇)", "yield", "*○", "(*○, ◇)", "◇; ◇", "◇ # ◇", "○[○ := ◇]", "import ○", "del ○",
			"print ◇",
			"`◇`", "○ if ○ else lambda: ◇", "()", "[]", "...",
			"◇\n◇", "not lambda: ◇", "○: ○", "◇ if ○(◇) else ◇", "@○", "○@LINE@○", "◇ \\\n+ ◇",
			"async ○", "○ -> ○",
			"○ <> ○", "assert ◇", "raise ◇", "**○",
		},
		fragments: []string{
			`rb'`, `Rb"`, `F'`, `fr"`, `bR'''`, `t"`, "\\\n", "\n(", "@LINE@f(x)", "1if ", "0or ", "0xfor x in y",
			" for x in y", " async ", "lambda:0", `{f(x)}`,
		},
	},
	C: {
		names: []string{
			"a", "b", "p", "arr", "this", "ns", "x1", "_x", "größe", "Node", "NULL", "exec", "f", "operator", "u8",
		},
		types: []string{
			"int", "unsigned char", "struct P *", "Node *", "size_t", "uint32_t", "enum E", "long long",
			"const char *", "struct P", "Node", "ns::T", "void *", "ns::T *",
		},
		literals: []string{
			"0", "12", "0x1F", "1.5", "1.5f", "2UL", ".5", "5.", "1e5", "017", "09", "1'000", "0b11", "0x1p3",
			`"text"`, `"a\"b"`, `"//"`, `"/*"`, "'c'", `'\''`, `'"'`, `"'"`,
			`L"x"`, `u8"x"`, `R"(")"`, `R"x(" + f() + ")x"`, `"\x41"`, `'\101'`, `"x"_s`, "1_km", `"??/"`,
			`"??/" + f() + "`, "'ab'", `""`, "1u'2'", `"a" "b"`,
		},
		looks: []string{
			"◇ + ◇", "◇ == ◇", "◇ && ◇", "◇ < ◇", "◇ > ◇", "◇ >> ◇", "◇ ? ◇ : ◇", "-◇", "!◇",
			"~◇", "*○", "&○", "(◇)",
			"○.○", "○->○", "◇.○", "○[◇]", "(□)◇", "(□)(◇)",
			"sizeof(□)", "sizeof(○)", "sizeof(◇)", "○::○", "::○", "○", "○", "△", "△", "◇ / ◇",
			"◇ & ◇", "◇ | ◇",
			"◇ - ◇", "◇ % ◇", "◇ << ◇", "○::○::○",
		},
		acts: []string{
			"○(◇)", "○->○(◇)", "(◇)(◇)", "(*○)(◇)", "○<□>(◇)", "○<◇>(◇)", "○::○(◇)",
			"new □", "new □(◇)", "delete ○",
			"□{◇}", "□(◇)", "(□){◇}", "○ = ◇", "○ += ◇", "○++", "--○",
			"*○++", "[&]{ return ◇; }()", "({ ◇; })", "◇, ◇", "throw ◇", "○ and_eq ◇", "(○)and_eq ◇",
			"(○)or_eq - ◇",
			"co_await ◇", "operator new(◇)", "○.operator()(◇)",
			"static_cast<□>(◇)", "typeid(◇)", "◇ /* ◇ */ + ◇", "◇ // ◇\n+ ◇", "○->*○", "○.~○()",
			"○ ?: ◇", "&&○",
			"-exec ○", "`○", "_Generic(◇, □: ◇)", "@○", "[○ ○]", "^{ ◇; }",
			"○\n#define ○ ◇\n", "○ <: ◇ :>", "<% ◇ %>", "alignof(□)", "decltype(◇)", "noexcept(◇)",
			"__builtin_trap()", "○ < ○ > ::○(◇)", "○<sizeof(□)>(◇)", "(○ < ◇ && ○ > (◇))",
		},
		fragments: []string{
			`u8'`, `LR"(`, `R"x(`, `)x"`, "\\\n", "\n#define f ", "<:", "%:", `??=`, "operator()", "template ",
			"decltype", "not_eq", "xor_eq ", "bitand", "(int)", "*)", "(Node *)",
		},
	},
	unknown: {
		names:    []string{"a", "b", "list", "x1"},
		literals: []string{"0", "12", "1.5", `"text"`, `"#{f()}"`, `"$(f)"`, `"@{f}"`, "'c'"},
		looks:    []string{"◇ + ◇", "◇ == ◇", "◇ && ◇", "(◇)", "◇.○", "○[◇]", "○", "△"},
		acts: []string{"○(◇)", "○ = ◇", "○ ◇", "○++", "{ ◇ }", "○!", "○ /x/", "◇ -- ◇", "&○",
			"[◇]"},
	},
}

// text makes one text: mostly by the grammar, otherwise with up to three damaged places.
func (w *writer) text() string {
	acts := 0
	if w.IntN(3) == 0 {
		acts = 6
	}
	text := w.expression(3, acts)
	if w.IntN(2) == 0 {
		for range 1 + w.IntN(3) {
			text = w.spoiled(text)
		}
	}
	return text
}

// expression fills a form. One in acts forms has an effect; 0 means none.
func (w *writer) expression(depth, acts int) string {
	g := grammars[w.lang]
	if depth == 0 {
		return w.one([][]string{g.names, g.literals}[w.IntN(2)])
	}
	form := w.one(g.looks)
	if acts > 0 && w.IntN(acts) == 0 {
		form = w.one(g.acts)
	}
	var out strings.Builder
	for _, c := range form {
		switch {
		case c == '◇':
			out.WriteString(w.expression(depth-1, acts))
		case c == '○':
			out.WriteString(w.one(g.names))
		case c == '□':
			out.WriteString(w.one(g.types))
		case c == '△':
			out.WriteString(w.one(g.literals))
		case c != ' ' || w.IntN(6) > 0:
			out.WriteRune(c)
		}
	}
	return out.String()
}

func (w *writer) spoiled(text string) string {
	at := w.IntN(len(text) + 1)
	to := min(len(text), at+1+w.IntN(4))
	fragments := everyFragment
	if own := grammars[w.lang].fragments; len(own) > 0 && w.IntN(4) == 0 {
		fragments = own
	}
	switch w.IntN(6) {
	case 0:
		return text[:at] + text[to:]
	case 1:
		return text[:at] + w.one(fragments) + text[to:]
	case 2:
		return text[:to] + text[at:]
	case 3:
		return text[:at] + w.one(fragments) + text[at:] + w.one(fragments)
	default:
		return text[:at] + w.one(fragments) + text[at:]
	}
}
