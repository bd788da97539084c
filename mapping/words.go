package mapping

import (
	"fmt"
	"strings"
)

// SplitWords splits a command line at blanks. Single quotes keep everything, double quotes all except \" and \\.
// Outside of quotes a backslash escapes only a blank, a quote or a backslash, so that Windows paths stay intact.
func SplitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	open, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'' && c != quote:
			word.WriteByte(c)
		case c == '\\' && i+1 < len(line) && strings.IndexByte(escapable(quote), line[i+1]) >= 0:
			i++
			word.WriteByte(line[i])
			open = true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("unclosed %c", quote)
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}

func escapable(quote byte) string {
	if quote == '"' {
		return `"\`
	}
	return "\"'\\ \t"
}
