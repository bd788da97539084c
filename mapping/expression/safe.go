package expression

import (
	"slices"
	"strings"
)

// Category says why an expression is not safe.
type Category string

// Categories of rejections.
const (
	MethodCall     Category = "MethodCall"
	ObjectCreation Category = "ObjectCreation"
	Assignment     Category = "Assignment"
	Lambda         Category = "Lambda"
	Other          Category = "Other"      // await, yield, throw, interpolated strings
	ParseError     Category = "ParseError" // what the grammar does not have
)

// Rejection is the first thing in an expression that may change the program.
type Rejection struct {
	Category  Category
	Offending string
}

// Allowed says what a safe expression may be made of, for error messages.
const Allowed = "names, members, indexes, literals, arithmetic, comparisons and logic"

// Safe returns nil for an expression that only looks: names, literals, members, indexes, operators without effect, conditional
// expressions, and the few built-in forms that are written like calls (len, sizeof, nameof, conversions of Go). The
// grammar is closed: what it does not know is rejected. Property getters and overloaded operators count as looking.
func Safe(lang Language, text string) *Rejection {
	p := &parser{lang: lang, text: text, tokens: Scan(lang, text)}
	for _, t := range p.tokens {
		if t.Kind == Bad {
			return &Rejection{ParseError, t.Text}
		}
	}
	p.expression(0)
	if p.bad == nil && p.at < len(p.tokens) {
		p.unexpected()
	}
	return p.bad
}

// maxDepth bounds the nesting that is followed.
const maxDepth = 100

type parser struct {
	lang   Language
	text   string
	tokens []Token
	at     int
	bad    *Rejection
}

func (p *parser) reject(c Category, from int) {
	if p.bad != nil {
		return
	}
	end := len(p.text)
	if p.at < len(p.tokens) {
		end = p.tokens[p.at].End
	}
	p.bad = &Rejection{c, strings.TrimSpace(p.text[min(from, end):end])}
}

// unexpected rejects the current token.
func (p *parser) unexpected() {
	if p.at >= len(p.tokens) {
		p.reject(ParseError, 0)
		return
	}
	t := p.tokens[p.at]
	switch t.Text {
	case "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>=", "??=", ":=", "**=", "//=", "@=", "++", "--":
		p.reject(Assignment, 0)
	case "=>":
		p.reject(Lambda, 0)
	case "{":
		p.reject(ObjectCreation, 0)
	default:
		p.reject(ParseError, t.Start)
	}
}

func (p *parser) peek() Token {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return Token{Kind: Bad}
}

func (p *parser) is(texts ...string) bool {
	t := p.peek()
	return (t.Kind == Op || t.Kind == Ident) && slices.Contains(texts, t.Text)
}

func (p *parser) take(text string) bool {
	if !p.is(text) {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(text string) {
	if p.bad == nil && !p.take(text) {
		p.unexpected()
	}
}

var binary = []string{
	"+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "&", "|", "^", "<<", ">>",
}

// expression: operand (operator operand)*. Precedence does not matter here.
func (p *parser) expression(depth int) {
	if depth > maxDepth {
		p.reject(ParseError, 0)
		return
	}
	p.operand(depth)
	for p.bad == nil {
		switch {
		case p.is(binary...), p.lang == CSharp && p.is("??", ">>>"), p.lang == Go && p.is("&^"), p.lang == Python && p.is("**", "//", "@"):
			p.at++
			p.operand(depth)
		case p.lang == CSharp && p.is("is", "as"):
			p.at++
			if p.take("not"); p.bad == nil {
				p.operand(depth)
			}
		case p.lang == Python && p.is("and", "or", "in"):
			p.at++
			p.operand(depth)
		case p.lang == Python && p.is("is"):
			p.at++
			p.take("not")
			p.operand(depth)
		case p.lang == Python && p.is("not"):
			p.at++
			p.expect("in")
			p.operand(depth)
		case p.lang == Python && p.is("if"):
			p.at++
			p.expression(depth + 1)
			p.expect("else")
			p.expression(depth + 1)
		case (p.lang == CSharp || p.lang == C) && p.is("?"):
			p.at++
			p.expression(depth + 1)
			p.expect(":")
			p.expression(depth + 1)
		default:
			return
		}
	}
}

// words that begin what is never safe.
var forbidden = map[Language]map[string]Category{
	CSharp: {"new": ObjectCreation, "stackalloc": ObjectCreation, "await": Other, "throw": Other, "delegate": Lambda, "from": Other, "async": Lambda},
	Go:     {"func": Lambda, "call": MethodCall, "go": Other, "defer": Other, "map": ObjectCreation, "struct": ObjectCreation, "chan": ObjectCreation},
	Python: {"lambda": Lambda, "await": Other, "yield": Other, "del": Other, "import": Other, "exec": Other, "print": Other},
	C:      {"new": ObjectCreation, "delete": Other, "throw": Other, "co_await": Other},
}

func (p *parser) operand(depth int) {
	for p.bad == nil {
		switch {
		case p.is("+", "-", "!", "~") && p.lang != Python, p.lang == Python && p.is("+", "-", "~", "not"),
			p.is("*", "&") && (p.lang == Go || p.lang == C), p.lang == Go && p.is("^"), p.lang == CSharp && p.is("^"):
			p.at++
			continue
		}
		break
	}
	p.primary(depth)
}

// primary: a literal, a name or a group, and what follows it.
func (p *parser) primary(depth int) {
	if p.bad != nil {
		return
	}
	t := p.peek()
	from := t.Start
	switch {
	case p.at >= len(p.tokens):
		p.unexpected()
		return
	case t.Kind == Interpolated:
		p.reject(Other, from)
		return
	case t.Kind == Number, t.Kind == String:
		p.at++
	case t.Kind == Ident:
		if c, no := forbidden[p.lang][t.Text]; no {
			p.at = len(p.tokens)
			p.reject(c, from)
			return
		}
		if p.builtinForm(depth) {
			break
		}
		p.at++
	case p.take("("):
		if p.castGroup() {
			p.operand(depth + 1)
			return
		}
		p.list(depth, ")", from)
	case t.Text == "[" && p.lang == Go && p.goConversion(depth):
	case t.Text == "[" || t.Text == "{":
		p.at = len(p.tokens)
		p.reject(ObjectCreation, from)
		return
	case t.Text == "::" && p.lang == C:
		p.at++
		p.primary(depth)
		return
	default:
		p.unexpected()
		return
	}
	p.postfix(depth, from, t)
}

// list reads expressions between commas up to a closing bracket.
func (p *parser) list(depth int, closing string, from int) {
	if p.bad != nil {
		return
	}
	if p.is(closing) {
		p.reject(ParseError, from)
		return
	}
	for p.bad == nil {
		p.expression(depth + 1)
		if p.bad != nil || !p.take(",") {
			break
		}
		if p.lang == Python && p.is(closing) {
			break
		}
	}
	p.expect(closing)
}

func (p *parser) postfix(depth, from int, first Token) {
	name := first.Kind == Ident
	for p.bad == nil {
		switch {
		case p.is("."), p.lang == CSharp && p.is("?.", "::"), p.lang == C && p.is("->", "::"):
			p.at++
			if p.lang == Go && p.take("(") { // a type assertion
				p.typeUntil(")")
				continue
			}
			if p.peek().Kind != Ident {
				p.unexpected()
				return
			}
			p.at++
			name = true
		case p.is("["), p.lang == CSharp && p.is("?["):
			p.at++
			p.index(depth, from)
		case p.lang == CSharp && p.is("!") && !p.operandFollows():
			p.at++
		case p.is("("):
			p.skipCall()
			p.reject(MethodCall, from)
		case p.is("{") && p.lang == Go:
			p.reject(ObjectCreation, from)
		case name && (p.lang == CSharp || p.lang == C) && p.is("<") && p.genericCall():
			p.reject(MethodCall, from)
		case p.is("++", "--"):
			p.reject(Assignment, from)
		case p.is("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>=", "??=", ":=", "**=", "//=", "@="):
			p.at = len(p.tokens)
			p.reject(Assignment, from)
		default:
			return
		}
	}
}

// index reads what stands between [ and ]: indexes, and slices of Go and Python.
func (p *parser) index(depth, from int) {
	for p.bad == nil && !p.take("]") {
		switch {
		case p.is(":") && (p.lang == Go || p.lang == Python), p.is(","), p.is("..") && p.lang == CSharp:
			p.at++
		default:
			p.expression(depth + 1)
			if !p.is("]", ",", ":", "..") {
				p.expect("]")
			}
		}
		if p.at >= len(p.tokens) && p.bad == nil {
			p.reject(ParseError, from)
		}
	}
}

func (p *parser) operandFollows() bool {
	if p.at+1 >= len(p.tokens) {
		return false
	}
	next := p.tokens[p.at+1]
	return next.Kind != Op || next.Text == "(" || next.Text == "="
}

// skipCall moves to the end of a call, so that all of it is named.
func (p *parser) skipCall() {
	open := 0
	for i := p.at; i < len(p.tokens); i++ {
		switch p.tokens[i].Text {
		case "(":
			open++
		case ")":
			if open--; open == 0 {
				p.at = i
				return
			}
		}
	}
	p.at = len(p.tokens)
}

// genericCall tells whether < begins type arguments with a call behind them: F<int>(x). Both languages read it so.
func (p *parser) genericCall() bool {
	open := 0
	for i := p.at; i < len(p.tokens); i++ {
		t := p.tokens[i]
		switch {
		case t.Text == "<":
			open++
		case t.Text == ">" || t.Text == ">>":
			if open -= len(t.Text); open <= 0 {
				if i+1 < len(p.tokens) && p.tokens[i+1].Text == "(" {
					p.at = i + 1
					p.skipCall()
					return true
				}
				return false
			}
		case t.Kind == Ident, t.Kind == Number, t.Text == ".", t.Text == ",", t.Text == "?", t.Text == "[", t.Text == "]", t.Text == "::", t.Text == "*":
		default:
			return false
		}
	}
	return false
}

var (
	goTypes = []string{
		"bool", "byte", "rune", "string", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
		"float32", "float64", "complex64", "complex128",
	}
	cTypes = []string{
		"bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "void", "size_t", "int8_t", "int16_t", "int32_t",
		"int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uintptr_t", "intptr_t", "const", "struct", "union", "enum", "wchar_t",
	}
	csharpTypes = []string{
		"bool", "byte", "sbyte", "char", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "decimal", "string", "object", "nint", "nuint",
	}
)

// builtinForm reads what is written like a call and is none.
func (p *parser) builtinForm(depth int) bool {
	if p.at+1 >= len(p.tokens) || p.tokens[p.at+1].Text != "(" {
		return false
	}
	word := p.peek().Text
	switch {
	case p.lang == CSharp && slices.Contains([]string{"typeof", "sizeof", "default"}, word), p.lang == C && (word == "sizeof" || word == "alignof"):
		p.at += 2
		p.typeUntil(")")
	case p.lang == CSharp && slices.Contains([]string{"nameof", "checked", "unchecked"}, word),
		p.lang == Go && (slices.Contains([]string{"len", "cap", "real", "imag", "complex", "min", "max"}, word) || slices.Contains(goTypes, word)):
		p.at += 2
		p.list(depth, ")", p.tokens[p.at-2].Start)
	case p.lang == Go && (word == "new" || word == "make"):
		from := p.peek().Start
		p.at++
		p.skipCall()
		p.reject(ObjectCreation, from)
	default:
		return false
	}
	return true
}

// goConversion reads []byte(x) and the like.
func (p *parser) goConversion(depth int) bool {
	if p.at+3 >= len(p.tokens) || p.tokens[p.at+1].Text != "]" || !slices.Contains(goTypes, p.tokens[p.at+2].Text) || p.tokens[p.at+3].Text != "(" {
		return false
	}
	from := p.peek().Start
	p.at += 4
	p.list(depth, ")", from)
	return true
}

// typeUntil reads a type up to a closing parenthesis.
func (p *parser) typeUntil(closing string) {
	for p.bad == nil && !p.take(closing) {
		t := p.peek()
		if t.Kind == Ident || t.Kind == Number || slices.Contains([]string{".", "[", "]", "*", "&", ",", "<", ">", ">>", "?", "::"}, t.Text) {
			p.at++
			continue
		}
		p.unexpected()
	}
}

// castGroup reads (type) when it is a cast: a type inside, and an operand behind it. ( has been taken.
func (p *parser) castGroup() bool {
	if p.lang == Python {
		return false
	}
	i, words, builtin := p.at, 0, false
	for ; i < len(p.tokens); i++ {
		t := p.tokens[i]
		if t.Text == ")" {
			break
		}
		switch {
		case t.Kind == Ident:
			words++
			builtin = builtin || p.lang == CSharp && slices.Contains(csharpTypes, t.Text) || p.lang == C && slices.Contains(cTypes, t.Text)
		case t.Kind == String && p.lang == Go: // Delve: (*"pkg.T")(0xc000010000)
			words++
		case slices.Contains([]string{".", "*", "[", "]", "?", "::", "&"}, t.Text):
		default:
			return false
		}
	}
	if words == 0 || i+1 >= len(p.tokens) {
		return false
	}
	next := p.tokens[i+1]
	switch {
	case p.lang == Go:
		// A conversion to a pointer type from an address; anything else would be a call.
		if next.Text != "(" || p.peek().Text != "*" || i+3 >= len(p.tokens) || p.tokens[i+2].Kind != Number || p.tokens[i+3].Text != ")" {
			return false
		}
		p.at = i + 3
		p.tokens[p.at].Kind, p.tokens[p.at].Text = Number, "0" // what stands for the pointer
	case next.Kind == Ident && !slices.Contains([]string{"is", "as"}, next.Text), next.Kind == Number, next.Kind == String:
		p.at = i + 1
	case next.Text == "(" && builtin:
		p.at = i + 1
	case builtin && slices.Contains([]string{"-", "+", "~", "!", "*", "&"}, next.Text):
		p.at = i + 1
	default:
		return false
	}
	return true
}
