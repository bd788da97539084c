package expression

import (
	"strings"
	"sync"
)

// Category is the kind of an unsafe part of an expression.
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

// Rejection is the first part of an expression that may change the program or that is not accepted.
type Rejection struct {
	Category  Category
	Offending string
	Advice    string // why it is not accepted, and what to write instead; "" when the category is enough
}

// Reason returns the category, with the advice if there is one.
func (r *Rejection) Reason() string {
	if r.Advice == "" {
		return string(r.Category)
	}
	return string(r.Category) + ": " + r.Advice
}

// Allowed lists the parts of a safe expression, for error messages.
const Allowed = "names, members, indexes, literals, arithmetic, comparisons and logic"

// Safe returns nil for an expression without effects: names, literals, members, indexes, operators without effect,
// conditional expressions, and the few built-in forms that are written like calls (len, sizeof, nameof, conversions).
// Property getters and overloaded operators count as having no effect.
//
// Each language has a closed grammar, down to the characters: everything else is rejected. There are no comments,
// prefixed, triple or interpolated strings, and only the usual escapes. C# has verbatim strings and digit separators;
// its tree (csharp.Parse) must agree. Of raw strings only Go's are accepted. An unknown language has the strictest
// grammar.
func Safe(lang Language, text string) *Rejection {
	if !Known(lang) {
		lang = unknown
	}
	tokens, bad := read(lang, text)
	if bad != nil {
		return bad
	}
	p := &parser{lang: lang, words: lexicons()[lang].keywords, text: text, tokens: tokens}
	switch lang {
	case Go:
		return p.goExpression()
	case Python:
		p.pythonExpression(0)
	case JavaScript:
		p.javascriptExpression(0)
	default:
		if p.typeArguments(); p.bad == nil {
			p.expression(0)
		}
	}
	if p.bad == nil && p.at < len(p.tokens) {
		p.unexpected()
	}
	if p.bad == nil && lang == CSharp {
		return csharpTree(text)
	}
	return p.bad
}

// maxDepth limits nesting.
const maxDepth = 100

var assignments = sync.OnceValue(func() map[string]bool {
	return words("= += -= *= /= %= &= |= ^= <<= >>= >>>= ??= &&= ||= := **= //= @= &^=")
})

// effects are words that begin an expression with an effect.
var effects = sync.OnceValue(func() map[Language]map[string]Category {
	return map[Language]map[string]Category{
		CSharp: {
			"new": ObjectCreation, "stackalloc": ObjectCreation, "await": Other, "throw": Other, "delegate": Lambda,
			"async": Lambda, "static": Lambda, "ref": Other,
		},
		Go: {
			"func": Lambda, "call": MethodCall, "go": Other, "defer": Other, "struct": ObjectCreation,
			"chan": ObjectCreation, "make": ObjectCreation, "new": ObjectCreation,
		},
		Python: {"lambda": Lambda, "await": Other, "yield": Other, "del": Other, "import": Other},
		JavaScript: {
			"new": ObjectCreation, "class": ObjectCreation, "function": Lambda, "async": Lambda, "await": Other,
			"yield": Other, "throw": Other, "delete": Other, "import": Other,
		},
		C: {"new": ObjectCreation, "delete": Other, "throw": Other, "co_await": Other},
	}
})

type parser struct {
	lang   Language
	words  map[string]bool // words that are not names
	text   string
	tokens []Token
	at     int
	bad    *Rejection
}

// reject records the text from an offset to the end of the current token.
func (p *parser) reject(c Category, from int, advice ...string) {
	if p.bad != nil {
		return
	}
	end := len(p.text)
	if p.at < len(p.tokens) {
		end = p.tokens[p.at].End
	}
	p.bad = &Rejection{c, strings.TrimSpace(p.text[min(from, end):end]), strings.Join(advice, "")}
}

// rejectRest records all text after an offset.
func (p *parser) rejectRest(c Category, from int, advice ...string) {
	p.at = len(p.tokens)
	p.reject(c, from, advice...)
}

// unexpected rejects the current token.
func (p *parser) unexpected() {
	if p.at >= len(p.tokens) {
		p.reject(ParseError, 0, "the expression is not complete")
		return
	}
	t := p.tokens[p.at]
	c, effect := effects()[p.lang][t.Text]
	switch {
	case t.Kind == Ident && effect:
		p.rejectRest(c, t.Start)
	case assignments()[t.Text], t.Text == "++", t.Text == "--":
		p.reject(Assignment, 0)
	case t.Text == "=>":
		p.reject(Lambda, 0)
	case t.Text == "{":
		p.reject(ObjectCreation, 0)
	default:
		p.reject(ParseError, t.Start)
	}
}

// ahead returns the token n places after the current one.
func (p *parser) ahead(n int) Token {
	if p.at+n < len(p.tokens) {
		return p.tokens[p.at+n]
	}
	return Token{Kind: Bad}
}

func (p *parser) is(texts ...string) bool { return isOneOf(p.ahead(0), texts...) }

func isOneOf(t Token, texts ...string) bool {
	if t.Kind != Op && t.Kind != Ident {
		return false
	}
	for _, text := range texts {
		if t.Text == text {
			return true
		}
	}
	return false
}

func (p *parser) isName(t Token) bool { return t.Kind == Ident && !p.words[t.Text] }

func (p *parser) take(texts ...string) bool {
	if !p.is(texts...) {
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

// tooDeep rejects nesting beyond maxDepth.
func (p *parser) tooDeep(depth int) bool {
	if depth > maxDepth {
		p.reject(ParseError, 0, "the expression is nested too deep")
	}
	return depth > maxDepth
}

// skipCall moves to the end of a call, so that the rejection has all of it.
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
