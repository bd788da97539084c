package mapping

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Pieces splits a debugger's quoted text into texts of at most most characters, each in its own quotes. It does not
// split escape sequences. A text without quotes is split too.
func Pieces(quoted string, most int) []string {
	quote, inner := "", quoted
	if n := len(quoted); n >= 2 && (quoted[0] == '"' || quoted[0] == '\'') && quoted[n-1] == quoted[0] {
		quote, inner = quoted[:1], quoted[1:n-1]
	}
	var out []string
	for inner != "" {
		cut, _ := TruncateTo(inner, most)
		end := len(cut)
		if at := openEscape(inner, end); at > 0 {
			end = at
		}
		out = append(out, quote+inner[:end]+quote)
		inner = inner[end:]
	}
	return out
}

// openEscape returns where the escape sequence that a cut at end would split begins, 0 for none.
func openEscape(s string, end int) int {
	if end >= len(s) {
		return 0
	}
	for at := max(0, end-10); at < end; at++ {
		if s[at] != '\\' {
			continue
		}
		slashes := 0
		for i := at - 1; i >= 0 && s[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 1 {
			continue // the second backslash of a pair
		}
		if at+escapeLength(s[at:]) > end {
			return at
		}
	}
	return 0
}

func escapeLength(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case 'x':
		return 4
	case 'u':
		return 6
	case 'U':
		return 10
	}
	return 2
}

// UTF16Length returns the length that .NET has for the text of a quoted value.
func UTF16Length(quoted string) int {
	inner := quoted
	if n := len(quoted); n >= 2 && quoted[0] == '"' && quoted[n-1] == '"' {
		inner = quoted[1 : n-1]
	}
	n := 0
	for i := 0; i < len(inner); {
		if inner[i] == '\\' {
			if l := escapeLength(inner[i:]); l == 10 {
				n++ // a surrogate pair
			}
			i += escapeLength(inner[i:])
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(inner[i:])
		n += utf16.RuneLen(r)
		i += size
	}
	return n
}

// JoinQuoted joins two quoted texts with an escaped text between them.
func JoinQuoted(a, between, b string) string {
	return strings.TrimSuffix(a, `"`) + between + strings.TrimPrefix(b, `"`)
}
