package csharp

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth = 200     // parts inside of each other; a bracket counts as three
	maxChain = 500     // parts of one chain, operators in a row
	maxText  = 8 << 10 // bytes of an expression
	maxSteps = 40      // tokens that are looked at, for each token
)

// Error says where an expression cannot be read.
type Error struct {
	Text     string
	At       int // byte offset
	Expected string
	Found    string
	Limit    bool // it may be C#, but is longer or deeper than what is read here
}

// Column returns the place as a number of characters, from 1.
func (e *Error) Column() int { return utf8.RuneCountInString(e.Text[:min(e.At, len(e.Text))]) + 1 }

func (e *Error) Error() string {
	return fmt.Sprintf("column %d: expected %s, found %s", e.Column(), e.Expected, e.Found)
}

// parser reads tokens. Its methods stop with a panic of *Error, which Parse recovers.
type parser struct {
	src     string
	tokens  []token
	at      int
	depth   int
	steps   int
	arrows  bool // there is a => somewhere
	choices int  // ?: that wait for their colon, in this bracket
	queries int  // queries around
}

// Parse reads one expression.
func Parse(src string) (tree Node, err error) {
	p := &parser{src: src}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			tree, err = nil, e
		}
	}()
	if len(src) > maxText {
		p.limit(maxText, fmt.Sprintf("at most %d bytes", maxText))
	}
	p.tokens = scan(src)
	for _, t := range p.tokens {
		p.arrows = p.arrows || t.text == "=>"
	}
	tree = p.expression()
	if t := p.tok(); t.kind != end {
		p.fail("an operator or the end")
	}
	return tree, nil
}

func (p *parser) stop(at int, expected, found string) {
	panic(&Error{Text: p.src, At: at, Expected: expected, Found: found})
}

// limit stops because the expression is too large.
func (p *parser) limit(at int, expected string) {
	panic(&Error{Text: p.src, At: at, Expected: expected, Found: "too many", Limit: true})
}

// fail stops at the current token.
func (p *parser) fail(expected string) {
	t := p.tok()
	if t.kind == bad {
		panic(t.err)
	}
	p.stop(t.start, expected, t.shown())
}

// shown names a token.
func (t token) shown() string {
	switch {
	case t.kind == end:
		return "the end"
	case t.kind == word && keyword[t.text] && !t.escaped:
		return "the keyword " + t.text
	case t.kind == word:
		return "the name " + t.text
	case t.kind == number:
		return "the number " + t.text
	case t.kind == text || t.kind == open:
		return "a text"
	case t.kind == piece || t.kind == finish:
		return "the end of the hole"
	}
	return t.text
}

func (p *parser) tok() token { return p.tokens[p.at] }

// ahead returns the token n places on.
func (p *parser) ahead(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tok()
	if p.steps++; p.steps > maxSteps*len(p.tokens) {
		p.limit(t.start, "fewer possible meanings")
	}
	if p.at < len(p.tokens)-1 {
		p.at++
	}
	return t
}

// is reports whether the token n places on is an operator.
func (p *parser) is(n int, text string) bool {
	t := p.ahead(n)
	return t.kind == op && t.text == text
}

// isWord reports whether the token n places on is a word that is not escaped.
func (p *parser) isWord(n int, words ...string) bool {
	t := p.ahead(n)
	if t.kind != word || t.escaped {
		return false
	}
	for _, w := range words {
		if t.text == w {
			return true
		}
	}
	return false
}

func (p *parser) accept(text string) bool {
	if p.is(0, text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(text string) token {
	if !p.is(0, text) {
		p.fail(text)
	}
	return p.next()
}

// isName reports whether the token n places on is a name: a word that is no keyword.
func (p *parser) isName(n int) bool {
	t := p.ahead(n)
	return t.kind == word && (t.escaped || !keyword[t.text])
}

func (p *parser) name(what string) string {
	if !p.isName(0) {
		p.fail(what)
	}
	return p.next().text
}

// span returns the place from a start to the last token that was read.
func (p *parser) span(start int) Span { return Span{start, p.tokens[max(p.at-1, 0)].end} }

// deeper counts the nodes inside of each other; the caller defers its result.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxDepth {
		p.limit(p.tok().start, "fewer levels inside of each other")
	}
	return func() { p.depth-- }
}

// bracketed reads what is inside brackets, where a colon belongs to no ?: outside.
func (p *parser) bracketed(read func()) {
	saved := p.choices
	p.choices = 0
	read()
	p.choices = saved
}

// try reads something and goes back when that is not possible.
func (p *parser) try(read func() bool) (ok bool) {
	at, depth, choices, queries := p.at, p.depth, p.choices, p.queries
	defer func() {
		if r := recover(); r != nil {
			if e, is := r.(*Error); !is || e.Limit && p.steps > maxSteps*len(p.tokens) {
				panic(r)
			}
			ok = false
		}
		if !ok {
			p.at, p.depth, p.choices, p.queries = at, depth, choices, queries
		}
	}()
	return read()
}

var assignments = map[string]bool{
	"=": true, "+=": true, "-=": true, "*=": true, "/=": true, "%=": true, "&=": true, "|=": true, "^=": true,
	"<<=": true, ">>=": true, ">>>=": true, "??=": true,
}

// expression reads an expression of the lowest precedence.
func (p *parser) expression() Node {
	defer p.deeper()()
	if n := p.lambda(); n != nil {
		return n
	}
	if n := p.query(); n != nil {
		return n
	}
	start := p.tok().start
	if p.isWord(0, "throw", "ref") {
		op := p.next().text
		x := p.expression()
		return &Unary{p.span(start), op, x}
	}
	left := p.binary(0)
	if p.is(0, "?") {
		p.next()
		p.choices++
		then := p.expression()
		p.choices--
		if !p.is(0, ":") {
			p.fail("the : of ?:")
		}
		p.next()
		other := p.expression()
		return &Conditional{p.span(start), left, then, other}
	}
	if op, length := p.operator(); assignments[op] {
		p.at += length - 1
		p.next()
		right := p.expression()
		return &Assign{p.span(start), op, left, right}
	}
	return left
}

// operator returns the operator at the current place and how many tokens it has: > is always a token of its own.
func (p *parser) operator() (string, int) {
	t := p.tok()
	if t.kind != op {
		if p.isWord(0, "is", "as", "switch", "with") {
			return t.text, 1
		}
		return "", 0
	}
	text, n := t.text, 1
	for t.text == ">" && n < 4 {
		then := p.ahead(n)
		if then.kind != op || then.start != p.ahead(n-1).end || then.text != ">" && then.text != "=" {
			break
		}
		text += then.text
		n++
		if then.text == "=" {
			break
		}
	}
	return text, n
}

// ranks of binary operators, the lowest first.
var ranks = map[string]int{
	"??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, ">": 8, "<=": 8, ">=": 8, "is": 8,
	"as": 8, "<<": 9, ">>": 9, ">>>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "switch": 12, "with": 12,
}

const shiftRank = 9

// binary reads operators of at least a rank.
func (p *parser) binary(least int) Node {
	defer p.deeper()()
	start := p.tok().start
	left := p.slice()
	for count := 0; ; count++ {
		op, length := p.operator()
		rank := ranks[op]
		if rank == 0 || rank < least || op == "with" && !p.is(1, "{") || op == "switch" && !p.is(1, "{") {
			return left
		}
		if count > maxChain { // the tree is that deep
			p.limit(p.tok().start, "fewer operators")
		}
		p.at += length - 1
		p.next()
		switch op {
		case "is":
			pattern := p.pattern()
			left = &Is{p.span(start), left, pattern}
		case "as":
			typ := p.typeBeforeOperator()
			left = &As{p.span(start), left, typ}
		case "switch":
			left = p.cases(start, left)
		case "with":
			init := p.initializer()
			left = &With{p.span(start), left, init}
		case "??":
			var right Node
			if p.isWord(0, "throw") {
				right = p.expression()
			} else {
				right = p.binary(rank)
			}
			left = &Binary{p.span(start), op, left, right}
		default:
			right := p.binary(rank + 1)
			left = &Binary{p.span(start), op, left, right}
		}
	}
}

// slice reads a range: a..b, a.., ..b or .. alone.
func (p *parser) slice() Node {
	start := p.tok().start
	var from Node
	if !p.is(0, "..") {
		from = p.unary()
		if !p.is(0, "..") {
			return from
		}
	}
	p.next()
	var to Node
	if p.begins(0) {
		to = p.unary()
	}
	return &Slice{p.span(start), from, to}
}

// begins reports whether an operand begins n places on.
func (p *parser) begins(n int) bool {
	switch t := p.ahead(n); t.kind {
	case number, char, text, open:
		return true
	case word:
		return t.escaped || !keyword[t.text] || operandWord[t.text]
	case op:
		return strings.Contains(" ( [ - + ! ~ ++ -- ^ & * .. ", " "+t.text+" ")
	}
	return false
}

func (p *parser) unary() Node {
	defer p.deeper()()
	t := p.tok()
	switch {
	case t.kind == op && strings.Contains(" - + ! ~ ^ & * ++ -- ", " "+t.text+" "):
		p.next()
		x := p.unary()
		return &Unary{p.span(t.start), t.text, x}
	case p.isWord(0, "await") && p.begins(1) && (p.ahead(1).kind != op || p.is(1, "(")):
		p.next()
		x := p.unary()
		return &Unary{p.span(t.start), "await", x}
	case p.is(0, "("):
		if n := p.cast(); n != nil {
			return n
		}
	}
	return p.postfix(p.primary())
}

// cast reads (Type)x; nil when the bracket is something else.
func (p *parser) cast() Node {
	start, until := p.tok().start, p.tok().pair
	var typ *Type
	ok := p.try(func() bool {
		p.next()
		typ = p.typ()
		if p.at != until || until == 0 {
			return false
		}
		p.next()
		if typ.only() {
			return p.begins(0)
		}
		t := p.tok()
		switch t.kind {
		case number, char, text, open:
			return true
		case word:
			if t.escaped {
				return true
			}
			if t.text == "with" && p.is(1, "{") || t.text == "and" || t.text == "or" ||
				p.queries > 0 && queryWord[t.text] {
				return false
			}
			return !keyword[t.text] || operandWord[t.text]
		case op:
			return t.text == "(" || t.text == "!" && !p.is(1, "=") || t.text == "~" || t.text == "[" && typ.generic()
		}
		return false
	})
	if !ok {
		return nil
	}
	x := p.unary()
	return &Cast{p.span(start), typ, x}
}

// keyword has the words that are no names. operandWord has those of them that begin an operand.
var keyword, operandWord, keywordType, queryWord = set(
	"abstract as base bool break byte case catch char checked class const continue decimal default delegate do double " +
		"else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface " +
		"internal is lock long namespace new null object operator out override params private protected public " +
		"readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true try " +
		"typeof uint ulong unchecked unsafe ushort using virtual void volatile while"),
	set("base bool byte char checked decimal default delegate double false float int long new null object sbyte short " +
		"sizeof stackalloc static string this true typeof uint ulong unchecked ushort"),
	set("bool byte char decimal double float int long object sbyte short string uint ulong ushort void"),
	set("from where select group into orderby join let in on equals by ascending descending")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}
