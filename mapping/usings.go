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

// declaration matches a variable of C# with its type, and the word before.
var declaration = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[(,;{\s])([\pL_][\pL\pN_.]*(?:<[\pL\pN_., <>\[\]?]*>)?(?:\[,*\])*\??)` +
		`\s+([\pL_][\pL\pN_]*)\s*[=;,)]`)
})

// DeclaredType returns the type with which a C# source file declares the variables of a name, "" when it does not, by
// var, or with several types.
func DeclaredType(source []byte, variable string) string {
	found := ""
	for _, m := range declaration().FindAllSubmatch(source, 10_000) {
		typ := string(m[1])
		if string(m[2]) != variable || notTypes()[typ] {
			continue
		}
		if found != "" && found != typ {
			return ""
		}
		found = typ
	}
	if found == "var" || found == "dynamic" {
		return ""
	}
	return found
}

// notTypes are words of C# that may stand before a name which they do not declare.
var notTypes = sync.OnceValue(func() map[string]bool {
	return words("return new in is as and or not case throw await else goto using out ref params this")
})
