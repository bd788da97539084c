package mapping

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// CollectionKind is the kind of a collection, independent of the language.
type CollectionKind string

// Kinds of collections.
const (
	Array      CollectionKind = "Array"
	List       CollectionKind = "List"
	Dictionary CollectionKind = "Dictionary"
	Set        CollectionKind = "Set"
	Queue      CollectionKind = "Queue"
	Stack      CollectionKind = "Stack"
	Other      CollectionKind = "Other"
)

// CollectionType is what a type's name says about a collection. Kind is "" for a type that is not a collection or
// whose name does not show it.
type CollectionType struct {
	Kind    CollectionKind
	Key     string // of a dictionary, "" when unknown
	Element string
}

// kinds maps the last part of a type's name to the kind, for the four languages.
var kinds = sync.OnceValue(func() map[string]CollectionKind {
	return map[string]CollectionKind{
		"List": List, "LinkedList": List, "ImmutableList": List, "Collection": List, "ObservableCollection": List,
		"ReadOnlyCollection": List,
		"ImmutableArray":     Array, "Dictionary": Dictionary, "SortedDictionary": Dictionary,
		"ConcurrentDictionary": Dictionary,
		"ImmutableDictionary":  Dictionary, "SortedList": Dictionary, "HashSet": Set, "SortedSet": Set,
		"ImmutableHashSet": Set,
		"Queue":            Queue, "ConcurrentQueue": Queue, "PriorityQueue": Queue, "Stack": Stack, "ConcurrentStack": Stack,

		"vector": List, "list": List, "forward_list": List, "array": Array, "map": Dictionary,
		"unordered_map": Dictionary, "multimap": Dictionary,
		"set": Set, "unordered_set": Set, "multiset": Set, "deque": Queue, "queue": Queue, "stack": Stack,
		"Vec": List, "VecDeque": Queue, "HashMap": Dictionary, "BTreeMap": Dictionary, "BTreeSet": Set,

		"tuple": List, "dict": Dictionary, "OrderedDict": Dictionary, "defaultdict": Dictionary, "Counter": Dictionary,
		"frozenset": Set,
	}
})

// CollectionOf parses the name of a type of C#, Go, Python, C++ or Rust.
func CollectionOf(typ string) CollectionType {
	typ = strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(strings.TrimSpace(typ), "*&"), "const "))
	if rest, ok := strings.CutPrefix(typ, "map["); ok { // Go
		if end := closing(rest, '[', ']'); end >= 0 {
			return CollectionType{Dictionary, rest[:end], rest[end+1:]}
		}
	}
	if rest, ok := strings.CutPrefix(typ, "["); ok {
		end := closing(rest, '[', ']')
		switch {
		case end < 0:
			return CollectionType{}
		case end == 0:
			return CollectionType{Kind: List, Element: rest[1:]}
		case end < len(rest)-1:
			return CollectionType{Kind: Array, Element: rest[end+1:]}
		}
		element, _, _ := strings.Cut(rest[:end], ";") // Rust
		return CollectionType{Kind: Array, Element: strings.TrimSpace(element)}
	}
	name, args := typ, ""
	if open := strings.IndexByte(typ, '<'); open > 0 {
		end := closing(typ[open+1:], '<', '>')
		if end < 0 {
			return CollectionType{}
		}
		name, args = typ[:open], typ[open+1:open+1+end]
		if rest := strings.TrimSpace(typ[open+end+2:]); strings.HasPrefix(rest, "[") { // an array of generic types
			name, args = typ, ""
		}
	}
	if args == "" {
		if at := firstBracket(typ); at > 0 && strings.HasSuffix(typ, "]") { // C#: int[][,], C: int[2][3]
			// The brackets contain sizes or nothing. If they contain types, this is a generic type of Go.
			if end := closing(typ[at+1:], '[', ']'); end >= 0 && strings.Trim(typ[at+1:at+1+end], "0123456789, ") == "" {
				return CollectionType{Kind: Array, Element: strings.TrimSpace(typ[:at]) + typ[at+end+2:]}
			}
		}
	}
	kind := kinds()[name[strings.LastIndexAny(name, ".:")+1:]]
	t := CollectionType{Kind: kind}
	if kind == "" {
		return t
	}
	parts := TypeArguments(args)
	switch {
	case kind == Dictionary && len(parts) > 1:
		t.Key, t.Element = parts[0], parts[1]
	case kind != Dictionary && len(parts) > 0:
		t.Element = parts[0]
	}
	return t
}

// firstBracket returns the index of the first [ outside of < and >.
func firstBracket(typ string) int {
	depth := 0
	for i, c := range typ {
		switch c {
		case '<':
			depth++
		case '>':
			depth--
		case '[':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// closing returns the index of the bracket that closes one before s, -1 for none.
func closing(s string, open, shut rune) int {
	depth := 1
	for i, c := range s {
		switch c {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// TypeArguments splits type arguments at the commas outside of brackets.
func TypeArguments(args string) []string {
	if args == "" {
		return nil
	}
	var parts []string
	depth, from := 0, 0
	for i, c := range args {
		switch c {
		case '<', '[', '(':
			depth++
		case '>', ']', ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(args[from:i]))
				from = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(args[from:]))
}

// sizeText matches how lldb shows a container, also behind a reference.
var sizeText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:0x[0-9a-fA-F]+ )?size=(\d+)$`)
})

// SizeText returns the number of elements of a C++ container or a C array from lldb's text, 0 for anything else.
func SizeText(value, typ string) int {
	digits := ""
	if m := sizeText().FindStringSubmatch(value); m != nil {
		digits = m[1]
	} else if at := firstBracket(typ); at > 0 && strings.HasSuffix(typ, "]") {
		digits, _, _ = strings.Cut(typ[at+1:], "]")
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// IsNullText reports whether a debugger's text of a value is null, nil, None or a null pointer.
func IsNullText(value string) bool {
	switch value {
	case "null", "nil", "None", "NULL", "nullptr", "<nil>":
		return true
	}
	if digits, ok := strings.CutPrefix(value, "0x"); ok && digits != "" {
		return strings.Trim(digits, "0") == ""
	}
	// Delve: *main.T nil, []int len: 0, cap: 0, nil
	return strings.HasSuffix(value, " nil") && !strings.HasPrefix(value, `"`)
}

// NumberText parses a debugger's text of a number: also with Delve's hexadecimal form after it (1 = 0x1), or with the
// type of an interface's value before it. It reports false for NaN and the infinities.
func NumberText(value string) (float64, bool) {
	value, _, _ = strings.Cut(strings.TrimSuffix(value, "…"), " = 0x")
	if strings.HasPrefix(value, "interface {}(") {
		if end := strings.Index(value, ") "); end > 0 {
			value = value[end+2:]
		}
	}
	if value == "" || !strings.ContainsRune("+-.0123456789", rune(value[0])) || strings.ContainsAny(value, "xXnNpP_") {
		return 0, false
	}
	f, err := strconv.ParseFloat(value, 64)
	return f, err == nil
}

// numericTypes are the number types of C#, Go, Python, C and Rust.
var numericTypes = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"number": true, "byte": true, "sbyte": true, "short": true, "ushort": true, "int": true, "uint": true, "long": true,
		"ulong": true, "nint": true, "nuint": true,
		"float": true, "double": true, "decimal": true, "int8": true, "int16": true, "int32": true, "int64": true,
		"uint8": true, "uint16": true,
		"uint32": true, "uint64": true, "uintptr": true, "float32": true, "float64": true, "unsigned int": true,
		"unsigned long": true, "long long": true,
		"unsigned long long": true, "size_t": true, "int8_t": true, "int16_t": true, "int32_t": true, "int64_t": true,
		"uint8_t":  true,
		"uint16_t": true, "uint32_t": true, "uint64_t": true, "i8": true, "i16": true, "i32": true, "i64": true,
		"i128": true, "u8": true,
		"u16": true, "u32": true, "u64": true, "u128": true, "isize": true, "usize": true, "f32": true, "f64": true,
	}
})

// IsNumericType reports whether a type is a number, also in an interface of Go or nullable in C#.
func IsNumericType(typ string) bool {
	typ = strings.TrimSuffix(strings.TrimPrefix(typ, "interface {}("), ")")
	return numericTypes()[strings.TrimSuffix(typ, "?")]
}
