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
	for _, m := range declaration().FindAllSubmatchIndex(source, 10_000) {
		typ := string(source[m[2]:m[3]])
		if notTypes()[typ] || string(source[m[4]:m[5]]) != variable &&
			(source[m[1]-1] != '=' || !furtherVariable(source[m[1]:], variable)) {
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

// furtherVariable reports whether a declaration, from the value of its first variable on, declares another one:
// 42, b = f(1, 2), c;
func furtherVariable(rest []byte, variable string) bool {
	depth := 0
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return false
			}
		case '"', '\'':
			end := literalEnd(rest[i:])
			if end < 0 || i > 0 && strings.IndexByte(`@$"`, rest[i-1]) >= 0 { // one with rules of its own
				return false
			}
			i += end
		case ';':
			if depth == 0 {
				return false
			}
		case ',':
			if depth > 0 {
				continue
			}
			name := nextVariable().FindSubmatch(rest[i:])
			if name == nil { // a comma between type arguments: what follows is not understood
				return false
			}
			if string(name[1]) == variable {
				return true
			}
		}
	}
	return false
}

// nextVariable matches a variable after the comma of a declaration.
var nextVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^,\s*([\pL_][\pL\pN_]*)\s*[=,;]`)
})

// literalEnd returns the place of the closing quote of a text or character; -1 when it is not understood.
func literalEnd(rest []byte) int {
	for i := 1; i < len(rest) && rest[i] != '\n'; i++ {
		switch rest[i] {
		case '\\':
			i++
		case rest[0]:
			return i
		}
	}
	return -1
}

// notTypes are words of C# that may stand before a name which they do not declare.
var notTypes = sync.OnceValue(func() map[string]bool {
	return words("return new in is as and or not case throw await else goto using out ref params this")
})
