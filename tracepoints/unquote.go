package tracepoints

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Languages whose values Display can unquote, with the names of the backend profiles.
const (
	CSharp = "csharp" // netcoredbg
	Go     = "go"     // Delve
	Python = "python" // debugpy
	C      = "c"      // C, C++, Rust, Swift: lldb-dap
)

var (
	goUnsigned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+) = 0x[0-9a-f]+$`) })
	cPointer   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^0x[0-9a-fA-F]+ ((?:u8|[uUL])?".*)$`)
	})
)

// Display formats a value for a message: strings without their quotes and escapes, everything else as the debugger
// wrote it. It unquotes only where the type (or, without a type, the text) shows that the whole value is one string.
// A value that cannot be unquoted stays unchanged.
//
//	csharp  string        "a\"b"              a"b
//	go      string, named "a\tb"              a	b
//	go      uint          5 = 0x5             5      (Delve shows unsigned numbers twice)
//	python  str           'it\'s', "it's"     it's
//	c       char *        0x5581… "text"      text   (char[], std::string: without the address)
func Display(value, typ, lang string) string {
	switch lang {
	case CSharp:
		if t := strings.TrimSuffix(typ, "?"); t == "string" || t == "System.String" || t == "" {
			return unescapeOr(value, `"`, value)
		}
	case Go:
		// Only a string begins with a quote; its type may have any name.
		if s, err := strconv.Unquote(value); err == nil && value[0] == '"' {
			return s
		}
		if m := goUnsigned().FindStringSubmatch(value); m != nil {
			return m[1]
		}
	case Python:
		if typ == "str" || typ == "" {
			return unescapeOr(value, `'"`, value)
		}
	case C:
		if typ == "" || strings.Contains(typ, "char") || strings.Contains(strings.ToLower(typ), "str") {
			text := value
			if m := cPointer().FindStringSubmatch(value); m != nil {
				text = m[1]
			}
			for _, prefix := range []string{"u8", "u", "U", "L"} {
				if strings.HasPrefix(text, prefix+`"`) {
					text = text[len(prefix):]
					break
				}
			}
			return unescapeOr(text, `"`, value)
		}
	default:
		if typ == "string" || typ == "str" || typ == "String" {
			return unescapeOr(value, `"'`, value)
		}
	}
	return value
}

// unescapeOr removes quotes and escapes. It returns other when text is not exactly one quoted string.
func unescapeOr(text, quotes, other string) string {
	if len(text) < 2 || !strings.ContainsRune(quotes, rune(text[0])) || text[len(text)-1] != text[0] {
		return other
	}
	quote, inner := text[0], text[1:len(text)-1]
	if strings.IndexByte(inner, quote) < 0 && strings.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var b strings.Builder
	for i := 0; i < len(inner); {
		c := inner[i]
		if c == quote {
			return other // a quote inside: more than one string
		}
		if c != '\\' {
			b.WriteByte(c)
			i++
			continue
		}
		if i+1 == len(inner) {
			return other // the last quote is escaped
		}
		i += writeEscape(&b, inner[i:])
	}
	return b.String()
}

var simpleEscapes = sync.OnceValue(func() map[byte]byte {
	return map[byte]byte{
		'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', '"': '"', '\'': '\'', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v',
		'e': 0x1b,
	}
})

// writeEscape writes the character of the escape at the start of s and returns the escape's length. An unknown escape
// is kept as it is written.
func writeEscape(b *strings.Builder, s string) int {
	if c, ok := simpleEscapes()[s[1]]; ok {
		b.WriteByte(c)
		return 2
	}
	digits, base := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]], 16
	from := 2
	if s[1] >= '0' && s[1] <= '7' {
		digits, base, from = 3, 8, 1
	}
	end := from
	for end < len(s) && end < from+digits && isDigit(s[end], base) {
		end++
	}
	if end == from || base == 16 && end != from+digits {
		b.WriteString(s[:2])
		return 2
	}
	n, err := strconv.ParseUint(s[from:end], base, 32)
	if err != nil || n > utf8.MaxRune {
		b.WriteString(s[:end])
		return end
	}
	b.WriteRune(rune(n))
	return end
}

func isDigit(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
