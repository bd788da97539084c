package tracepoints

import (
	"fmt"
	"strings"
)

// scanExpression returns the offset of the } that closes the expression which begins at start.
func scanExpression(s string, start int) (int, error) {
	type bracket struct {
		closer byte
		offset int
	}
	var open []bracket
	for i := start; i < len(s); {
		c := s[i]
		if end, ok := literalEnd(s, start, i); ok {
			if end < 0 {
				return 0, &ParseError{s, i, fmt.Sprintf("string or character literal %c is never closed", c)}
			}
			i = end
			continue
		}
		switch c {
		case '(':
			open = append(open, bracket{')', i})
		case '[':
			open = append(open, bracket{']', i})
		case '{':
			open = append(open, bracket{'}', i})
		case ')', ']', '}':
			if len(open) == 0 {
				if c == '}' {
					return i, nil
				}
				return 0, &ParseError{s, i, fmt.Sprintf("unexpected %c in the expression", c)}
			}
			top := open[len(open)-1]
			if c != top.closer {
				return 0, &ParseError{s, top.offset, fmt.Sprintf("%c is never closed", s[top.offset])}
			}
			open = open[:len(open)-1]
		}
		i++
	}
	if len(open) > 0 {
		return 0, &ParseError{s, open[len(open)-1].offset, fmt.Sprintf("%c is never closed", s[open[len(open)-1].offset])}
	}
	return 0, &ParseError{s, start - 1, "{ is never closed (write {{ for a brace)"}
}

// literalEnd reports whether a string or character literal begins at i, and returns the offset after it, -1 when it
// has no end. start is where the expression begins; text before it is ignored.
func literalEnd(s string, start, i int) (end int, ok bool) {
	switch c := s[i]; c {
	case '@', '$':
		// C# verbatim, also $@"" and @$"": no escapes, "" is a quote.
		j := i
		for j < len(s) && (s[j] == '@' || s[j] == '$') {
			j++
		}
		if j < len(s) && s[j] == '"' && strings.Contains(s[i:j], "@") {
			return verbatimEnd(s, j+1), true
		}
	case '`': // Go raw string
		// C# code has no backtick.
		if n := strings.IndexByte(s[i+1:], '`'); n >= 0 {
			return i + 1 + n + 1, true
		}
		return -1, true
	case '"', '\'':
		if c == '\'' && isDigitSeparator(s, start, i) {
			return 0, false
		}
		if triple := strings.Repeat(string(c), 3); strings.HasPrefix(s[i:], triple) {
			return escapedEnd(s, i+3, triple), true // Python, and raw strings of C#
		}
		return escapedEnd(s, i+1, string(c)), true
	}
	return 0, false
}

// escapedEnd returns the offset after the closing quote. It skips what a backslash escapes.
func escapedEnd(s string, i int, quote string) int {
	for i < len(s) {
		if s[i] == '\\' {
			i += 2
			continue
		}
		if strings.HasPrefix(s[i:], quote) {
			return i + len(quote)
		}
		i++
	}
	return -1
}

func verbatimEnd(s string, i int) int {
	for i < len(s) {
		if s[i] != '"' {
			i++
			continue
		}
		if i+1 < len(s) && s[i+1] == '"' {
			i += 2
			continue
		}
		return i + 1
	}
	return -1
}

// isDigitSeparator distinguishes C++'s 1'000 from a character literal: the quote is inside a word that begins with a
// digit and continues after the quote.
func isDigitSeparator(s string, start, i int) bool {
	if i+1 >= len(s) || !isWordByte(s[i+1]) {
		return false
	}
	j := i
	for j > start && (isWordByte(s[j-1]) || s[j-1] == '\'') {
		j--
	}
	return j < i && s[j] >= '0' && s[j] <= '9'
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// mapLiterals rewrites the string and character literals of an expression and keeps the rest. The expression was
// scanned before, so its literals are closed.
func mapLiterals(expr string, rewrite func(literal string) string) string {
	var b strings.Builder
	for i := 0; i < len(expr); {
		if end, ok := literalEnd(expr, 0, i); ok && end > 0 {
			b.WriteString(rewrite(expr[i:end]))
			i = end
			continue
		}
		b.WriteByte(expr[i])
		i++
	}
	return b.String()
}
