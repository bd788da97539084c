package mapping

import (
	"bytes"
	"fmt"
	"strings"
)

const (
	excerptContext = 2   // lines before and after
	excerptWidth   = 160 // characters of a line
)

// Excerpt returns up to five numbered lines of a source file, with the given line in the middle and marked:
//
//	  20  {
//	→ 21      int w = Work(i);
//	  22      sum += w;
//
// The common indentation is removed, and long lines are cut. It returns nil when the file has no such line.
func Excerpt(content []byte, line int) []string {
	if line < 1 {
		return nil
	}
	first, last := max(1, line-excerptContext), line+excerptContext
	var lines []string
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	for n := 1; n <= last && len(content) > 0; n++ {
		var text []byte
		text, content, _ = bytes.Cut(content, []byte("\n"))
		if n >= first {
			lines = append(lines, strings.ToValidUTF8(strings.TrimRight(string(text), " \t\r"), "\uFFFD"))
		}
	}
	if first+len(lines) <= line {
		return nil
	}
	indent := sharedIndent(lines)
	width := len(fmt.Sprint(first + len(lines) - 1))
	for i, text := range lines {
		mark := " "
		if first+i == line {
			mark = "→"
		}
		if text = strings.TrimPrefix(text, indent); text != "" {
			cut, was := TruncateTo(text, excerptWidth)
			if text = cut; was {
				text += "…"
			}
		}
		lines[i] = strings.TrimRight(fmt.Sprintf("%s %*d  %s", mark, width, first+i, text), " ")
	}
	return lines
}

// sharedIndent returns the white space at the beginning of all lines with text.
func sharedIndent(lines []string) string {
	var indent string
	seen := false
	for _, l := range lines {
		if l == "" {
			continue
		}
		own := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		if !seen {
			indent, seen = own, true
		}
		for !strings.HasPrefix(own, indent) {
			indent = indent[:len(indent)-1]
		}
	}
	return indent
}
