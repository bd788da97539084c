package mapping

import (
	"strconv"
	"strings"
)

// DemangleType returns the name of a C++ type as people write it, from the text that its std::type_info has (Itanium
// C++ ABI, "Mangling"). ok is false for a text that is not understood.
//
//	9BankError               BankError
//	N4bank5ErrorIiEE         bank::Error<int>
//	PKc                      const char*
//	Z4mainE3Bad              main::Bad
func DemangleType(mangled string) (name string, ok bool) {
	if len(mangled) > maxDemangled {
		return "", false
	}
	d := demangler{in: strings.TrimPrefix(mangled, "*")} // a name that is compared by its address has a star
	name = d.typ().text()
	if d.failed || d.at != len(d.in) || name == "" {
		return "", false
	}
	return plainStd(name), true
}

// plainStd replaces what only the library's authors write.
var plainStd = strings.NewReplacer(
	"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string",
	"std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>", "std::string",
	"std::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string",
	"::__cxx11::", "::", "::__1::", "::",
).Replace

// declared is a type's name in two parts, with the place for * and & between them: "int (" and ")[3]".
type declared struct{ left, right string }

func (t declared) text() string { return t.left + t.right }

// Bounds of a name: substitutions can double its length again and again.
const (
	maxDemangled = 8 << 10
	maxNesting   = 100
)

// demangler reads one mangled name from left to right.
type demangler struct {
	in      string
	at      int
	nesting int
	failed  bool
	seen    []declared // what S_, S0_, ... stand for
	given   []string   // the template arguments that T_, T0_, ... stand for
}

func (d *demangler) fail() string {
	d.failed, d.at = true, len(d.in)
	return ""
}

// take moves past text if it comes next.
func (d *demangler) take(text string) bool {
	if d.failed || !strings.HasPrefix(d.in[d.at:], text) {
		return false
	}
	d.at += len(text)
	return true
}

func (d *demangler) peek() byte {
	if d.at >= len(d.in) {
		return 0
	}
	return d.in[d.at]
}

// keep remembers a type for substitutions.
func (d *demangler) keep(t declared) declared {
	if len(t.left)+len(t.right) > maxDemangled {
		d.fail()
	}
	d.seen = append(d.seen, t)
	return t
}

var builtinTypes = map[byte]string{
	'v': "void", 'w': "wchar_t", 'b': "bool", 'c': "char", 'a': "signed char", 'h': "unsigned char", 's': "short",
	't': "unsigned short", 'i': "int", 'j': "unsigned int", 'l': "long", 'm': "unsigned long", 'x': "long long",
	'y': "unsigned long long", 'n': "__int128", 'o': "unsigned __int128", 'f': "float", 'd': "double",
	'e': "long double", 'g': "__float128", 'z': "...",
}

var dTypes = map[byte]string{
	'n': "std::nullptr_t", 'i': "char32_t", 's': "char16_t", 'u': "char8_t", 'a': "auto", 'f': "decimal32",
	'd': "decimal64", 'e': "decimal128", 'h': "_Float16",
}

func (d *demangler) typ() declared {
	if d.nesting++; d.nesting > maxNesting {
		d.fail()
	}
	defer func() { d.nesting-- }()
	c := d.peek()
	if name, ok := builtinTypes[c]; ok {
		d.at++
		return declared{left: name}
	}
	switch c {
	case 'P', 'R', 'O':
		d.at++
		return d.keep(pointerTo(d.typ(), map[byte]string{'P': "*", 'R': "&", 'O': "&&"}[c]))
	case 'K', 'V', 'r':
		d.at++
		return d.keep(qualified(d.typ(), map[byte]string{'K': "const", 'V': "volatile", 'r': "restrict"}[c]))
	case 'A':
		d.at++
		size := d.digits()
		if !d.take("_") {
			d.fail()
		}
		t := d.typ()
		return d.keep(declared{strings.TrimSuffix(t.left, " ") + " ", "[" + size + "]" + t.right})
	case 'F':
		d.at++
		d.take("Y")
		result := d.typ()
		parameters := d.parameters()
		d.take("E")
		return d.keep(declared{strings.TrimSuffix(result.left, " ") + " ", "(" + parameters + ")" + result.right})
	case 'M':
		d.at++
		class := d.typ().text()
		return d.keep(pointerTo(d.typ(), " "+class+"::*"))
	case 'D':
		return d.otherType()
	case 'T':
		return d.keep(declared{left: d.parameter()})
	}
	return declared{left: d.name(true)}
}

func (d *demangler) otherType() declared {
	d.at++
	if d.take("p") {
		return d.typ() // the expansion of a pack
	}
	if d.take("o") {
		return d.typ() // a function that does not throw
	}
	name, ok := dTypes[d.peek()]
	if !ok {
		d.fail()
	}
	d.at = min(d.at+1, len(d.in))
	return declared{left: name}
}

// pointerTo puts * or & behind a type; behind that of a function or array in parentheses.
func pointerTo(t declared, mark string) declared {
	if t.right != "" && !strings.HasPrefix(t.right, ")") {
		return declared{t.left + "(" + strings.TrimPrefix(mark, " "), ")" + t.right}
	}
	return declared{t.left + mark, t.right}
}

func qualified(t declared, word string) declared {
	if strings.HasPrefix(t.right, "(") {
		return declared{t.left, t.right + " " + word} // a method
	}
	if t.right != "" || strings.HasSuffix(t.left, "*") || strings.HasSuffix(t.left, "&") {
		return declared{t.left + " " + word, t.right}
	}
	return declared{left: word + " " + t.left}
}

// parameters reads the parameters of a function, up to the end or an E.
func (d *demangler) parameters() string {
	var out []string
	for !d.failed && d.at < len(d.in) && d.peek() != 'E' {
		out = append(out, d.typ().text())
	}
	if len(out) == 1 && out[0] == "void" {
		return ""
	}
	return strings.Join(out, ", ")
}

// name reads a name with its scopes and template arguments. isType: the whole of it may be substituted later.
func (d *demangler) name(isType bool) string {
	switch {
	case d.take("N"):
		return d.nested(isType)
	case d.take("Z"):
		return d.local(isType)
	}
	var name string
	substituted := false
	switch {
	case d.take("St"):
		name = "std::" + d.part("")
	case d.peek() == 'S':
		name, substituted = d.substitution(), true
	default:
		name = d.part("")
	}
	if d.peek() != 'I' {
		if isType && !substituted {
			d.keep(declared{left: name})
		}
		return name
	}
	if !substituted {
		d.keep(declared{left: name})
	}
	name += d.templateArguments()
	if isType {
		d.keep(declared{left: name})
	}
	return name
}

// nested reads N ... E. Each scope may be substituted later, and a type with its last part.
func (d *demangler) nested(isType bool) string {
	for d.take("K") || d.take("V") || d.take("r") || d.take("R") || d.take("O") {
		continue // of a method
	}
	name, last := "", ""
	for !d.failed && !d.take("E") {
		switch c := d.peek(); {
		case c == 0:
			d.fail()
		case name == "" && d.take("St"):
			name = "std"
			continue
		case name == "" && c == 'S':
			name = d.substitution()
			last = name[strings.LastIndexByte(name, ':')+1:]
			continue
		case c == 'T':
			name = d.parameter()
		case c == 'I':
			name += d.templateArguments()
		case c == 'B':
			d.at++
			d.sourceName() // an ABI tag
			continue
		default:
			last = d.part(last)
			name = scoped(name, last)
		}
		if isType || d.peek() != 'E' {
			d.keep(declared{left: name})
		}
	}
	return name
}

// local reads a name inside of a function: Z function E name.
func (d *demangler) local(isType bool) string {
	function := d.encoding()
	if !d.take("E") {
		return d.fail()
	}
	if d.take("s") {
		d.discriminator()
		return function + "::string literal"
	}
	if d.take("d") { // in a default argument
		d.digits()
		d.take("_")
	}
	name := function + "::" + d.name(false)
	d.discriminator()
	if isType {
		d.keep(declared{left: name})
	}
	return name
}

func (d *demangler) discriminator() {
	if d.take("__") {
		d.digits()
		d.take("_")
	} else if d.take("_") {
		d.digits()
	}
}

// encoding reads a function with its parameters.
func (d *demangler) encoding() string {
	if d.nesting++; d.nesting > maxNesting {
		d.fail()
	}
	defer func() { d.nesting-- }()
	name := d.name(false)
	if c := d.peek(); c == 0 || c == 'E' {
		return name
	}
	if strings.HasSuffix(name, ">") {
		d.typ() // a template function has its result in front of the parameters
	}
	return name + "(" + d.parameters() + ")"
}

func scoped(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "::" + name
}

// part reads one part of a name. class is the part before it, which a constructor repeats.
func (d *demangler) part(class string) string {
	c := d.peek()
	switch {
	case c >= '0' && c <= '9':
		return d.sourceName()
	case d.take("L"):
		return d.part(class) // internal linkage
	case d.take("Ut"):
		d.digits()
		d.take("_")
		return "{unnamed}"
	case d.take("Ul"):
		parameters := d.parameters()
		d.take("E")
		d.digits()
		d.take("_")
		return "{lambda(" + parameters + ")}"
	case d.take("C1"), d.take("C2"), d.take("C3"):
		return class
	case d.take("D0"), d.take("D1"), d.take("D2"):
		return "~" + class
	case d.take("cl"):
		return "operator()"
	case d.take("cv"):
		return "operator " + d.typ().text()
	}
	return d.fail()
}

func (d *demangler) digits() string {
	from := d.at
	for c := d.peek(); c >= '0' && c <= '9'; c = d.peek() {
		d.at++
	}
	return d.in[from:d.at]
}

func (d *demangler) sourceName() string {
	n, err := strconv.Atoi(d.digits())
	if err != nil || n == 0 || n > len(d.in)-d.at {
		return d.fail()
	}
	name := d.in[d.at : d.at+n]
	d.at += n
	for d.peek() == 'B' { // an ABI tag
		d.at++
		d.sourceName()
	}
	if strings.HasPrefix(name, "_GLOBAL_") && len(name) > 9 && name[9] == 'N' {
		return "(anonymous namespace)"
	}
	return name
}

var stdNames = map[byte]string{
	'a': "std::allocator", 'b': "std::basic_string", 's': "std::string", 'i': "std::istream", 'o': "std::ostream",
	'd': "std::iostream",
}

func (d *demangler) substitution() string {
	d.at++ // S
	if name, ok := stdNames[d.peek()]; ok {
		d.at++
		return name
	}
	i, ok := d.index(36)
	if !ok || i >= len(d.seen) {
		return d.fail()
	}
	return d.seen[i].text()
}

// index reads the number of a substitution or a template parameter: _ is 0, 0_ is 1.
func (d *demangler) index(base int) (int, bool) {
	from := d.at
	for d.at < len(d.in) && d.in[d.at] != '_' && d.at-from < 4 {
		d.at++
	}
	text := d.in[from:d.at]
	if !d.take("_") {
		return 0, false
	}
	if text == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(strings.ToLower(text), base, 16)
	return int(n) + 1, err == nil
}

func (d *demangler) parameter() string {
	d.at++ // T
	i, ok := d.index(10)
	if !ok || i >= len(d.given) {
		return d.fail()
	}
	return d.given[i]
}

// templateArguments reads I ... E.
func (d *demangler) templateArguments() string {
	d.at++
	args := d.arguments()
	d.given = args
	text := "<" + strings.Join(args, ", ") + ">"
	if len(text) > maxDemangled {
		return d.fail()
	}
	return text
}

func (d *demangler) arguments() []string {
	if d.nesting++; d.nesting > maxNesting {
		d.fail()
	}
	defer func() { d.nesting-- }()
	args := []string{}
	for !d.failed && !d.take("E") {
		switch {
		case d.take("J"):
			args = append(args, d.arguments()...)
		case d.take("L"):
			args = append(args, d.literal())
		case d.take("XadL"), d.take("XL"):
			args = append(args, d.literal())
			d.take("E")
		default:
			args = append(args, d.typ().text())
		}
		if d.at >= len(d.in) && !d.failed {
			d.fail()
		}
	}
	return args
}

// literal reads a value as template argument: L type value E, or the address of a function.
func (d *demangler) literal() string {
	if d.take("_Z") {
		name := d.encoding()
		d.take("E")
		return "&" + name
	}
	typ := d.typ().text()
	end := strings.IndexByte(d.in[d.at:], 'E')
	if end < 0 {
		return d.fail()
	}
	value := d.in[d.at : d.at+end]
	d.at += end + 1
	if n, ok := strings.CutPrefix(value, "n"); ok {
		value = "-" + n
	}
	switch {
	case typ == "bool" && value == "0":
		return "false"
	case typ == "bool":
		return "true"
	case typ == "int":
		return value
	}
	return "(" + typ + ")" + value
}
