package expression

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind of a token.
type Kind uint8

// Kinds. Interpolated is a string with expressions inside. Bad is a character that no language has, or a literal
// without an end.
const (
	Ident Kind = iota
	Number
	String
	Interpolated
	Op
	Bad
)

// Token is one word of an expression. Start and End are byte offsets.
type Token struct {
	Kind       Kind
	Text       string
	Start, End int
}

// operators, the longest first.
var operators = []string{
	">>>=",
	"<<=", ">>=", ">>>", "??=",
	"==", "!=", "<=", ">=", "&&", "||", "??", "?.", "?[", "->", "::", "=>", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
	"|=", "^=", "<<", ">>", "..",
}

// MaxLength is how many bytes of an expression are read. It bounds the work; nobody writes longer expressions.
const MaxLength = 64 << 10

// Scan splits a C# expression into tokens. It has no comments: they become operators and words, or Bad. A text that
// is too long is one Bad token with the beginning of its text.
func Scan(text string) []Token {
	if len(text) > MaxLength {
		return []Token{{Kind: Bad, Text: strings.ToValidUTF8(text[:40], "") + "...", End: len(text)}}
	}
	var out []Token
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			i += size
			continue
		}
		kind, end := scanOne(text, i)
		out = append(out, Token{Kind: kind, Text: text[i:end], Start: i, End: end})
		i = end
	}
	return out
}

func scanOne(text string, at int) (Kind, int) {
	if end, interpolated, ok := scanString(text, at); ok {
		switch {
		case end < 0:
			return Bad, len(text)
		case interpolated:
			return Interpolated, end
		}
		return String, end
	}
	r, size := utf8.DecodeRuneInString(text[at:])
	switch {
	case isWordStart(r) || (r == '@' || r == '$') && at+1 < len(text) && isWordStart(rune(text[at+1])):
		end := at + size
		for end < len(text) {
			r, n := utf8.DecodeRuneInString(text[end:])
			if !isWordStart(r) && !unicode.IsDigit(r) {
				break
			}
			end += n
		}
		return Ident, end
	case r >= '0' && r <= '9' || r == '.' && at+1 < len(text) && text[at+1] >= '0' && text[at+1] <= '9':
		return Number, numberEnd(text, at)
	case r == utf8.RuneError && size <= 1, r == '`', r == '\\', r == '$', r == ';', unicode.IsControl(r),
		unicode.IsDigit(r):
		return Bad, at + size
	}
	for _, op := range operators {
		if strings.HasPrefix(text[at:], op) {
			if op == "?." && at+2 < len(text) && text[at+2] >= '0' && text[at+2] <= '9' {
				break // a ? .5 : b
			}
			return Op, at + len(op)
		}
	}
	return Op, at + size
}

func isWordStart(r rune) bool { return r == '_' || unicode.IsLetter(r) }

// numberEnd returns where a number ends: digits, letters of suffixes and prefixes, points and signed exponents.
func numberEnd(text string, at int) int {
	hex := strings.HasPrefix(strings.ToLower(text[at:]), "0x")
	end, point := at, false
	for end < len(text) {
		c := text[end]
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case c == '.' && !point && !hex && end+1 < len(text) && text[end+1] >= '0' && text[end+1] <= '9':
			point = true
		case c == '.' && !point && end == at:
			point = true
		case (c == '+' || c == '-') && !hex && end > at && (text[end-1] == 'e' || text[end-1] == 'E'):
		case c == '\'' && end > at && end+1 < len(text) && text[end+1] >= '0' && text[end+1] <= '9': // C++ digit separator
		default:
			return end
		}
		end++
	}
	return end
}

// scanString reads a string or character literal. end is negative when the literal has no end.
func scanString(text string, at int) (end int, interpolated, ok bool) {
	i := at
	for i < len(text) && (text[i] == '$' || text[i] == '@') {
		i++
	}
	prefix := text[at:i]
	verbatim := strings.Contains(prefix, "@")
	interpolated = strings.Contains(prefix, "$")
	if i >= len(text) {
		return 0, false, false
	}
	quote := text[i]
	if quote != '"' && (quote != '\'' || prefix != "") {
		return 0, false, false
	}
	const mark = `"""`
	if !verbatim && strings.HasPrefix(text[i:], mark) {
		n := strings.Index(text[i+3:], mark)
		if n < 0 {
			return -1, interpolated, true
		}
		return i + 3 + n + 3, interpolated, true
	}
	for j := i + 1; j < len(text); j++ {
		switch c := text[j]; {
		case c == quote && verbatim && j+1 < len(text) && text[j+1] == quote:
			j++
		case c == quote:
			return j + 1, interpolated, true
		case c == '\\' && !verbatim:
			j++
		case c == '\n' && !verbatim:
			return -1, interpolated, true
		}
	}
	return -1, interpolated, true
}
