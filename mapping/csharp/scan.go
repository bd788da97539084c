package csharp

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

type kind uint8

const (
	end kind = iota
	bad
	word    // a name or a keyword
	number  // a number literal
	char    // 'x'
	text    // a text literal
	op      // an operator or a bracket
	open    // $" : an interpolated text begins
	piece   // a text between holes
	hole    // { of a hole
	format  // :format of a hole
	closing // } of a hole
	finish  // the last quotes of an interpolated text
)

type token struct {
	kind       kind
	start, end int
	text       string
	escaped    bool   // @name: not a keyword
	value      any    // of a literal; of a piece its text
	typ        string // of a literal
	braces     int    // of open
	pair       int    // index of the closing bracket, of an opening one; 0 without
	err        *Error // of a bad token
}

// operators, the longest first. > is always alone, because List<List<int>> ends with two of them.
var operators = []string{
	">", "<<=", "??=", "&&", "||", "??", "==", "!=", "<=", "<<", "=>", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
	"|=", "^=", "->", "::", "..",
}

type scanner struct {
	src    string
	at     int
	tokens []token
	depth  int // of interpolated texts
}

// scan cuts a text into tokens. The last one is end or bad.
func scan(src string) []token {
	s := &scanner{src: src}
	for s.one(0) {
	}
	pair(s.tokens)
	return s.tokens
}

var closed = sync.OnceValue(func() map[string]string {
	return map[string]string{"(": "()", "[": "[]", "{": "{}"}
})

// pair notes for each opening bracket where it closes.
func pair(tokens []token) {
	var opened []int
	for i, t := range tokens {
		switch {
		case t.kind == hole, t.kind == op && (t.text == "(" || t.text == "[" || t.text == "{"):
			opened = append(opened, i)
		case t.kind == closing, t.kind == op && (t.text == ")" || t.text == "]" || t.text == "}"):
			if len(opened) == 0 {
				continue
			}
			begin := &tokens[opened[len(opened)-1]]
			opened = opened[:len(opened)-1]
			if begin.kind == hole && t.kind == closing ||
				begin.kind == op && t.kind == op && begin.text+t.text == closed()[begin.text] {
				begin.pair = i
			}
		}
	}
}

func (s *scanner) add(t token) bool {
	t.end = s.at
	if t.text == "" {
		t.text = s.src[t.start:t.end]
	}
	s.tokens = append(s.tokens, t)
	return true
}

// fail ends the tokens with an error.
func (s *scanner) fail(at int, expected, found string) bool {
	e := &Error{Text: s.src, At: at, Expected: expected, Found: found}
	s.tokens = append(s.tokens, token{kind: bad, start: at, end: at, err: e})
	return false
}

func (s *scanner) peek(n int) byte {
	if s.at+n < len(s.src) {
		return s.src[s.at+n]
	}
	return 0
}

func (s *scanner) has(prefix string) bool { return strings.HasPrefix(s.src[s.at:], prefix) }

// blank skips spaces and comments.
func (s *scanner) blank() bool {
	for s.at < len(s.src) {
		r, n := utf8.DecodeRuneInString(s.src[s.at:])
		switch {
		case unicode.IsSpace(r) || r == '\ufeff':
			s.at += n
		case s.has("//"):
			if line := strings.IndexByte(s.src[s.at:], '\n'); line >= 0 {
				s.at += line
			} else {
				s.at = len(s.src)
			}
		case s.has("/*"):
			length := strings.Index(s.src[s.at+2:], "*/")
			if length < 0 {
				return s.fail(len(s.src), "*/", "the end")
			}
			s.at += length + 4
		default:
			return true
		}
	}
	return true
}

// one reads a token. It returns false after the last one.
func (s *scanner) one(int) bool {
	if !s.blank() {
		return false
	}
	start := s.at
	if s.at >= len(s.src) {
		s.add(token{kind: end, start: start})
		return false
	}
	c := s.src[s.at]
	r, _ := utf8.DecodeRuneInString(s.src[s.at:])
	switch {
	case c == '"', c == '@' && s.peek(1) == '"':
		return s.literalText()
	case c == '$' && (s.peek(1) == '"' || s.peek(1) == '@' && s.peek(2) == '"' || s.peek(1) == '$'),
		s.has(`@$"`):
		return s.interpolated()
	case c == '\'':
		return s.character()
	case c >= '0' && c <= '9', c == '.' && s.peek(1) >= '0' && s.peek(1) <= '9':
		return s.number()
	case letter(r), (c == '@' || c == '$') && s.at+1 < len(s.src):
		return s.name()
	}
	for _, o := range operators {
		if s.has(o) {
			s.at += len(o)
			return s.add(token{kind: op, start: start})
		}
	}
	if strings.IndexByte("()[]{}.,;:?~!<+-*/%&|^=", c) >= 0 {
		s.at++
		return s.add(token{kind: op, start: start})
	}
	return s.fail(start, "an expression", fmt.Sprintf("the character %q", r))
}

// letter reports whether a name can begin with r. C# reads UTF-16 one unit at a time, so that a letter of two is none.
func letter(r rune) bool {
	return r == '_' || r <= 0xFFFF && (unicode.IsLetter(r) || unicode.Is(unicode.Nl, r))
}

// inName reports whether r can follow in a name.
func inName(r rune) bool {
	return letter(r) || r <= 0xFFFF && unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Cf)
}

func (s *scanner) name() bool {
	start := s.at
	escaped := s.src[s.at] == '@'
	if escaped || s.src[s.at] == '$' { // $exception is netcoredbg's name of the thrown exception
		s.at++
	}
	from := s.at
	for s.at < len(s.src) {
		r, n := utf8.DecodeRuneInString(s.src[s.at:])
		if !letter(r) && (s.at == from || !inName(r)) {
			break
		}
		s.at += n
	}
	if s.at == from {
		return s.fail(start, "a name after "+s.src[start:from], found(s.src[from:]))
	}
	t := token{kind: word, start: start, escaped: escaped}
	if escaped {
		t.text = s.src[from:s.at]
	}
	return s.add(t)
}

// found names what is at the beginning of a text.
func found(rest string) string {
	if rest == "" {
		return "the end"
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return fmt.Sprintf("the character %q", r)
}

// interpolated reads an interpolated text with its holes as tokens of their own.
func (s *scanner) interpolated() bool {
	start := s.at
	if s.depth++; s.depth > maxDepth {
		s.fail(start, "fewer texts inside of each other", "too many")
		s.tokens[len(s.tokens)-1].err.Limit = true
		return false
	}
	defer func() { s.depth-- }()
	braces, verbatim := 0, false
	for s.peek(0) == '$' || s.peek(0) == '@' {
		if s.src[s.at] == '$' {
			braces++
		} else {
			verbatim = true
		}
		s.at++
	}
	quotes := run(s.src[s.at:], '"')
	raw := quotes >= 3 && !verbatim
	switch {
	case quotes == 0:
		return s.fail(s.at, `" after `+s.src[start:s.at], found(s.src[s.at:]))
	case braces > 1 && !raw:
		return s.fail(s.at, `""" after `+s.src[start:s.at], found(s.src[s.at:]))
	case !raw:
		quotes = 1
	}
	s.at += quotes
	first := len(s.tokens)
	s.add(token{kind: open, start: start, braces: braces})
	for {
		if !s.piece(quotes, braces, verbatim, raw) {
			return false
		}
		if strings.HasPrefix(s.src[s.at:], strings.Repeat(`"`, quotes)) {
			from := s.at
			s.at += quotes
			s.add(token{kind: finish, start: from})
			if raw {
				return s.unindent(first)
			}
			return true
		}
		if !s.hole(braces) {
			return false
		}
	}
}

// hole reads {expression,align:format}.
func (s *scanner) hole(braces int) bool {
	start, first := s.at, len(s.tokens)
	s.at += braces
	s.add(token{kind: hole, start: start})
	depth := 0
	for {
		if !s.blank() {
			return false
		}
		switch s.peek(0) {
		case 0:
			return s.fail(s.at, "} after the value of the hole", "the end")
		case '(', '[', '{':
			depth++
		case ')', ']':
			depth--
		case '}':
			if depth == 0 {
				if n := run(s.src[s.at:], '}'); n < braces {
					return s.fail(s.at, strings.Repeat("}", braces), strings.Repeat("}", n))
				}
				from := s.at
				s.at += braces
				return s.add(token{kind: closing, start: from})
			}
			depth--
		case ':':
			last := s.tokens[len(s.tokens)-1]
			if depth == 0 && !(s.peek(1) == ':' && last.text == "global" && len(s.tokens) > first+1) {
				from := s.at
				length := strings.IndexAny(s.src[s.at:], "{}\n")
				if length < 0 || s.src[s.at+length] != '}' {
					return s.fail(s.at, "} after the format", "no }")
				}
				s.at += length
				s.add(token{kind: format, start: from})
				continue
			}
		}
		if !s.one(0) {
			return false
		}
	}
}

func run(text string, c byte) int {
	n := 0
	for n < len(text) && text[n] == c {
		n++
	}
	return n
}
