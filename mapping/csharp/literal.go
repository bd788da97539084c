package csharp

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// number reads a number literal and finds its type.
func (s *scanner) number() bool {
	start := s.at
	base, digits := 10, "0123456789_"
	switch p := strings.ToLower(s.src[s.at:min(len(s.src), s.at+2)]); p {
	case "0x":
		base, digits = 16, "0123456789abcdefABCDEF_"
	case "0b":
		base, digits = 2, "01_"
	}
	if base != 10 {
		s.at += 2
	}
	take := func(set string) string {
		from := s.at
		for s.at < len(s.src) && strings.IndexByte(set, s.src[s.at]) >= 0 {
			s.at++
		}
		return s.src[from:s.at]
	}
	body := take(digits)
	real := false
	if base == 10 {
		if s.peek(0) == '.' && s.peek(1) >= '0' && s.peek(1) <= '9' {
			s.at++
			body += "." + take(digits)
			real = true
		}
		if c := s.peek(0); c == 'e' || c == 'E' {
			n := 1
			if s.peek(1) == '+' || s.peek(1) == '-' {
				n = 2
			}
			if d := s.peek(n); d >= '0' && d <= '9' {
				body += s.src[s.at : s.at+n]
				s.at += n
				body += take(digits)
				real = true
			}
		}
	}
	suffix := take("uUlLfFdDmM")
	if base == 16 {
		suffix = strings.Trim(suffix, "fFdD") // they are digits
	}
	if r, _ := utf8.DecodeRuneInString(s.src[s.at:]); s.at < len(s.src) && (letter(r) || r >= '0' && r <= '9') {
		return s.fail(s.at, "the end of the number", found(s.src[s.at:]))
	}
	plain := strings.ReplaceAll(body, "_", "")
	if plain == "" || strings.HasSuffix(body, "_") {
		return s.fail(s.at, "a digit", found(s.src[s.at:]))
	}
	t := token{kind: number, start: start}
	switch low := strings.ToLower(suffix); low {
	case "f", "d", "m":
		t.typ = map[string]string{"f": "float", "d": "double", "m": "decimal"}[low]
		t.value = plain
		return s.add(t)
	case "", "u", "l", "ul", "lu":
		if real && low == "" {
			t.typ, t.value = "double", plain
			return s.add(t)
		}
		if !real {
			n, _ := new(big.Int).SetString(plain, base)
			t.value, t.typ = n, integerType(n, low)
			if t.typ == "" {
				return s.fail(start, "a number of at most 64 bits", s.src[start:s.at])
			}
			return s.add(t)
		}
	}
	return s.fail(s.at-len(suffix), "one of the suffixes u, l, ul, f, d and m", suffix)
}

// integerType returns the first type that holds a number and has its suffix; "" when there is none.
func integerType(n *big.Int, suffix string) string {
	bits := n.BitLen()
	switch {
	case suffix == "" && bits <= 31:
		return "int"
	case !strings.Contains(suffix, "l") && bits <= 32:
		return "uint"
	case !strings.Contains(suffix, "u") && bits <= 63:
		return "long"
	case bits <= 64:
		return "ulong"
	}
	return ""
}

// escape reads \n, \x41, \u0041, \U0001F600 and the others. It is at the backslash.
func (s *scanner) escape() ([]uint16, bool) {
	at := s.at
	s.at += 2
	c := byte(0)
	if s.at <= len(s.src) {
		c = s.src[s.at-1]
	}
	if i := strings.IndexByte(`'"\0abfnrtve`, c); i >= 0 && c != 0 {
		return []uint16{uint16("'\"\\\x00\a\b\f\n\r\t\v\x1b"[i])}, true
	}
	least, most := 0, 0
	switch c {
	case 'x':
		least, most = 1, 4
	case 'u':
		least, most = 4, 4
	case 'U':
		least, most = 8, 8
	}
	from := s.at
	for s.at < len(s.src) && s.at-from < most && strings.IndexByte("0123456789abcdefABCDEF", s.src[s.at]) >= 0 {
		s.at++
	}
	if most == 0 || s.at-from < least {
		s.fail(at, `an escape such as \n, \t, \\ or \u0041 (write @"..." for a text without escapes)`, `\`)
		return nil, false
	}
	n, _ := strconv.ParseUint(s.src[from:s.at], 16, 32)
	if n > utf8.MaxRune {
		s.fail(at, `a character of at most \U0010FFFF`, s.src[at:s.at])
		return nil, false
	}
	if n <= 0xffff {
		return []uint16{uint16(n)}, true
	}
	return utf16.AppendRune(nil, rune(n)), true
}

// character reads 'x'.
func (s *scanner) character() bool {
	start := s.at
	s.at++
	var units []uint16
	switch c := s.peek(0); c {
	case '\'', '\n', 0:
		return s.fail(s.at, "a character between the quotes", found(s.src[s.at:]))
	case '\\':
		got, ok := s.escape()
		if !ok {
			return false
		}
		units = got
	default:
		r, n := utf8.DecodeRuneInString(s.src[s.at:])
		s.at += n
		units = utf16.AppendRune(nil, r)
	}
	if len(units) != 1 || s.peek(0) != '\'' {
		return s.fail(start, `one character between '' (a text is written "...")`, s.src[start:min(s.at+1, len(s.src))])
	}
	s.at++
	return s.add(token{kind: char, start: start, typ: "char", value: units[0]})
}

// literalText reads "...", @"..." and """...""".
func (s *scanner) literalText() bool {
	start := s.at
	verbatim := s.src[s.at] == '@'
	if verbatim {
		s.at++
	}
	quotes := run(s.src[s.at:], '"')
	raw := quotes >= 3 && !verbatim
	if !raw {
		quotes = 1
	}
	s.at += quotes
	first := len(s.tokens)
	s.tokens = append(s.tokens, token{kind: open, start: start}) // unindent looks at pieces
	if !s.piece(quotes, 0, verbatim, raw) {
		return false
	}
	s.at += quotes
	if raw && !s.unindent(first) {
		return false
	}
	value := s.tokens[len(s.tokens)-1].value
	s.tokens = s.tokens[:first]
	t := token{kind: text, start: start, typ: "string", value: value}
	if suffix := s.src[s.at:min(len(s.src), s.at+2)]; suffix == "u8" || suffix == "U8" {
		s.at += 2
		t.typ = "utf8"
	}
	return s.add(t)
}

// piece reads the text up to the closing quotes or, with braces, to a hole.
func (s *scanner) piece(quotes, braces int, verbatim, raw bool) bool {
	start := s.at
	var units []uint16
	for {
		c := s.peek(0)
		switch {
		case s.at >= len(s.src), c == '\n' && !verbatim && !raw:
			return s.fail(s.at, `the closing `+strings.Repeat(`"`, quotes), found(s.src[s.at:]))
		case c == '"' && raw:
			n := run(s.src[s.at:], '"')
			if n >= quotes { // quotes before the last ones belong to the text
				for range n - quotes {
					units = append(units, '"')
				}
				s.at += n - quotes
				return s.add(token{kind: piece, start: start, value: units})
			}
			for range n {
				units = append(units, '"')
			}
			s.at += n
		case c == '"' && verbatim && s.peek(1) == '"':
			units = append(units, '"')
			s.at += 2
		case c == '"':
			return s.add(token{kind: piece, start: start, value: units})
		case c == '{' && braces > 0:
			n := run(s.src[s.at:], '{')
			if !raw && n > 1 {
				units = append(units, '{')
				s.at += 2
				continue
			}
			if n >= braces {
				for range n - braces {
					units = append(units, '{')
				}
				s.at += n - braces
				return s.add(token{kind: piece, start: start, value: units})
			}
			units = append(units, '{')
			s.at++
		case c == '}' && braces > 0 && !raw:
			if s.peek(1) != '}' {
				return s.fail(s.at, "}} for a brace in the text", "}")
			}
			units = append(units, '}')
			s.at += 2
		case c == '\\' && !verbatim && !raw:
			got, ok := s.escape()
			if !ok {
				return false
			}
			units = append(units, got...)
		default:
			r, n := utf8.DecodeRuneInString(s.src[s.at:])
			s.at += n
			units = utf16.AppendRune(units, r)
		}
	}
}

// unindent takes the first and the last line of a raw text away when it has several, and the indentation of the last.
func (s *scanner) unindent(first int) bool {
	var pieces []int
	depth := 0
	for i, t := range s.tokens[first:] {
		switch {
		case t.kind == open:
			depth++
		case t.kind == finish:
			depth--
		case t.kind == piece && depth == 1: // the others are of texts in holes
			pieces = append(pieces, first+i)
		}
	}
	string16 := func(i int) string { return string(utf16.Decode(s.tokens[i].value.([]uint16))) }
	head, tail := pieces[0], pieces[len(pieces)-1]
	line := strings.TrimLeft(string16(head), " \t\r")
	if !strings.HasPrefix(line, "\n") {
		return true
	}
	last := string16(tail)
	indent := last[strings.LastIndexByte(last, '\n')+1:]
	if strings.Trim(indent, " \t") != "" || !strings.Contains(last, "\n") ||
		head == tail && strings.Count(last, "\n") < 2 {
		return s.fail(s.tokens[tail].end, `a line with """ alone at the end`, "text before it")
	}
	for _, i := range pieces {
		t := string16(i)
		if i == head {
			t = line
		}
		if i == tail {
			t = strings.TrimSuffix(t[:strings.LastIndexByte(t, '\n')], "\r")
		}
		t = strings.ReplaceAll(t, "\n"+indent, "\n")
		if i == head {
			t = strings.TrimPrefix(t, "\n")
		}
		s.tokens[i].value = utf16.Encode([]rune(t))
	}
	return true
}

// formatText is the format of a hole: a text with escapes has them there, too.
func formatText(open, written string) string {
	raw := strings.HasSuffix(open, `"""`)
	if raw || strings.Contains(open, "@") || !strings.Contains(written, `\`) {
		return written
	}
	s := &scanner{src: written}
	var out []uint16
	for s.at < len(written) {
		if written[s.at] == '\\' {
			if units, ok := s.escape(); ok {
				out = append(out, units...)
				continue
			}
			return written
		}
		c, size := utf8.DecodeRuneInString(written[s.at:])
		out = utf16.AppendRune(out, c)
		s.at += size
	}
	return string(utf16.Decode(out))
}
