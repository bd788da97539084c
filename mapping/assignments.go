package mapping

import (
	"regexp"
	"strings"
	"sync"
)

// Assignments returns the lines of a source text that assign the variable or member that an expression ends with. It
// knows the forms of C-like languages, Go and Python, and looks at each line alone: what it returns may assign another
// variable of the same name.
func Assignments(source, expression string, python bool) []int {
	name := lastName().FindStringSubmatch(expression)
	if name == nil {
		return nil
	}
	word := regexp.QuoteMeta(name[2])
	after := `(?:\s*\[[^\]]*\])*\s*(?:[-+*/%&|^]=|\*\*=|//=|<<=|>>=|\?\?=|:?=(?:[^=>~]|$)|\+\+|--|\)\s*=[^=>])`
	forms := `\b` + word + `\b(?:\s*,\s*[\w.]+)*` + after +
		`|(?:\+\+|--)(?:\w+(?:\.|->))*` + word + `\b` +
		`|\b(?:out|ref)\s+(?:\w+\s+)?` + word + `\b`
	if python {
		forms = `(?:^|[^.\w])(` + member(name[1]) + word + `)\b(?:\s*,\s*[\w.]+)*(?:\s*:\s*[\w.\[\], ]+)?` + after +
			`|\b(?:for|as|import)\s+(?:\w+\s*,\s*)*` + word + `\b`
	}
	find := regexp.MustCompile(forms)
	var lines []int
	code := codeOf(source, python)
	for i, line := range strings.Split(code, "\n") {
		at := find.FindStringIndex(line)
		if at == nil {
			continue
		}
		before := line[:at[0]+1] // the bracket may be the first character of the match
		if python && strings.Count(before, "(") > strings.Count(before, ")") && !strings.Contains(line[at[0]:at[1]], "for") {
			continue // an argument of a call
		}
		lines = append(lines, i+1)
	}
	return lines
}

// lastName matches the last name of an expression, without indexes. Its first group ends with a dot if it is a member.
var lastName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`((?:\.|->|::)?)\s*([\pL_][\pL\pN_]*)\s*(?:\[[^\]]*\]\s*)*$`)
})

// member returns the pattern of what stands before a name: Python writes the object of each member.
func member(dot string) string {
	if dot == "" {
		return ""
	}
	return `[\w.\[\]]+\.`
}

// codeOf returns a text with its comments and literals as spaces. Line ends stay.
func codeOf(source string, python bool) string {
	out := []byte(source)
	blank := func(from, to int) {
		for i := from; i < to && i < len(out); i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for i := 0; i < len(source); {
		rest := source[i:]
		var length int
		switch {
		case python && rest[0] == '#', !python && strings.HasPrefix(rest, "//"):
			length = upTo(rest, "\n", 0)
		case !python && strings.HasPrefix(rest, "/*"):
			length = upTo(rest, "*/", 2) + 2
		case python && (strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, `'''`)):
			length = upTo(rest, rest[:3], 3) + 3
		case rest[0] == '"' || rest[0] == '\'' || rest[0] == '`' && !python:
			length = literal(rest)
		default:
			i++
			continue
		}
		blank(i, i+length)
		i += length
	}
	return string(out)
}

// upTo returns the index of a mark in a text after a number of bytes, or the text's length.
func upTo(text, mark string, from int) int {
	if i := strings.Index(text[from:], mark); i >= 0 {
		return from + i
	}
	return len(text)
}

// literal returns the length of a text or character that begins a text. One that is not closed ends with its line.
func literal(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] != '`':
			i++
		case text[i] == text[0]:
			return i + 1
		case text[i] == '\n' && text[0] != '`':
			return i
		}
	}
	return len(text)
}
