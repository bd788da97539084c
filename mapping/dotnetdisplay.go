package mapping

import (
	"regexp"
	"strings"
	"sync"
)

// DisplayPart is a part of the text of a [DebuggerDisplay]: text, or with Path the members of the value.
type DisplayPart struct {
	Text     string // as it is written
	Path     []string
	NoQuotes bool
}

var displayPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:this\.)?([\pL_][\pL_0-9]*(?:\.[\pL_][\pL_0-9]*)*)\s*(,\s*nq)?\s*$`)
})

// DisplayParts splits the text of a [DebuggerDisplay]. What is more than a path of members stays text.
func DisplayParts(text string) (parts []DisplayPart) {
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		escaped := i+1 < len(text) && (text[i+1] == c && strings.IndexByte(`{}\`, c) >= 0 ||
			c == '\\' && strings.IndexByte("{}", text[i+1]) >= 0)
		if escaped {
			i++
			plain.WriteByte(text[i])
			continue
		}
		end := strings.IndexByte(text[i:], '}')
		if c != '{' || end < 0 {
			plain.WriteByte(c)
			continue
		}
		inside := text[i+1 : i+end]
		m := displayPath().FindStringSubmatch(inside)
		if m == nil {
			plain.WriteString(text[i : i+end+1])
			i += end
			continue
		}
		if plain.Len() > 0 {
			parts = append(parts, DisplayPart{Text: plain.String()})
			plain.Reset()
		}
		parts = append(parts, DisplayPart{text[i : i+end+1], strings.Split(m[1], "."), m[2] != ""})
		i += end
	}
	if plain.Len() > 0 {
		parts = append(parts, DisplayPart{Text: plain.String()})
	}
	return parts
}
