package mapping

import (
	"regexp"
	"strings"
	"sync"
)

// usingLine matches the using lines of C#: of a namespace, and of another name for one or for a type.
var usingLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\x{feff}?[ \t]*(?:global[ \t]+)?using[ \t]+(?:(\w+)[ \t]*=[ \t]*)?([\w.]+)[ \t]*;`)
})

// UsedNames returns the full names that a name of a type may have by the using lines of a C# source file.
func UsedNames(source []byte, name string) []string {
	var out []string
	first, rest, _ := strings.Cut(name, ".")
	for _, m := range usingLine().FindAllSubmatch(source, 200) {
		switch alias, space := string(m[1]), string(m[2]); {
		case alias == "":
			out = append(out, space+"."+name)
		case alias == first && rest == "":
			out = append(out, space)
		case alias == first:
			out = append(out, space+"."+rest)
		}
	}
	return out
}
