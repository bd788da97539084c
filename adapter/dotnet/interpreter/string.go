package interpreter

import (
	"math/big"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// textSequence are the methods of a text that only sequences have.
var textSequence = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"First": true, "Last": true, "FirstOrDefault": true, "LastOrDefault": true, "Count": true, "Any": true, "All": true,
		"Select": true, "Where": true, "Reverse": true, "Distinct": true, "OrderBy": true, "ToList": true, "ToArray": true,
		"Skip": true, "Take": true, "GroupBy": true, "Sum": true, "Max": true, "Min": true, "ElementAt": true,
		"SequenceEqual": true, "Zip": true, "Single": true, "Append": true, "OrderByDescending": true,
	}
})

const (
	exactly = iota
	ignoreCase
)

// comparison reads a StringComparison. ok is false for those that depend on the culture.
func (r *run) comparison(v Value) (mode int, ok bool) {
	if v.inner() != "System.StringComparison" {
		return 0, false
	}
	n, ok := r.enumNumber(v)
	switch {
	case !ok:
		return 0, false
	case n.n.Int64() == 4:
		return exactly, true
	case n.n.Int64() == 5:
		return ignoreCase, true
	}
	r.refuse("breakwire compares texts only with Ordinal and OrdinalIgnoreCase")
	return 0, false
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// ordinal compares by UTF-16 units, and returns their difference as .NET does in the order of its sign.
func ordinal(a, b string) int {
	x, y := units(a), units(b)
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return int(x[i]) - int(y[i])
		}
	}
	return len(x) - len(y)
}

// textMethod calls a method of a text. Those that depend on the culture are left to the program.
func (r *run) textMethod(v Value, s, name string, args []Value) (Value, bool) {
	u := units(s)
	word, isText := firstText(args)
	isChar := false
	if len(args) > 0 && args[0].Type == "char" {
		if n, ok := args[0].Data.(*big.Int); ok && (n.Int64() < 0xD800 || n.Int64() >= 0xE000) {
			isChar, word = true, string(rune(n.Int64()))
		}
	}
	if len(args) > 0 {
		if mode, ok := r.comparison(args[len(args)-1]); ok && isText && len(args) == 2 {
			a, b := s, word
			if mode == ignoreCase {
				if !isASCII(a) || !isASCII(b) {
					r.refuse("breakwire ignores the case only of ASCII texts")
				}
				a, b = strings.ToUpper(a), strings.ToUpper(b)
			}
			switch name {
			case "Equals":
				return boolean(a == b), true
			case "Contains":
				return boolean(strings.Contains(a, b)), true
			case "StartsWith":
				return boolean(strings.HasPrefix(a, b)), true
			case "EndsWith":
				return boolean(strings.HasSuffix(a, b)), true
			case "IndexOf":
				return whole(int64(unitIndex(a, strings.Index(a, b)))), true
			}
			return Value{}, false
		}
	}
	one := len(args) == 1 && (isText || isChar)
	switch {
	case name == "Equals" && one && isText:
		return boolean(s == word), true
	case name == "Contains" && one:
		return boolean(strings.Contains(s, word)), true
	case (name == "StartsWith" || name == "EndsWith") && one && (isChar || plainASCII(s) && plainASCII(word)):
		if name == "StartsWith" {
			return boolean(strings.HasPrefix(s, word)), true
		}
		return boolean(strings.HasSuffix(s, word)), true
	case name == "IndexOf" && one && isChar:
		return whole(int64(unitIndex(s, strings.Index(s, word)))), true
	case name == "LastIndexOf" && one && isChar:
		return whole(int64(unitIndex(s, strings.LastIndex(s, word)))), true
	case name == "IndexOfAny" && len(args) == 1:
		set, ok := r.sequenceOf(args[0])
		if !ok {
			return Value{}, false
		}
		all := r.all(set)
		for i, c := range u {
			for _, x := range all {
				if n, ok := x.Data.(*big.Int); ok && n.Int64() == int64(c) {
					return whole(int64(i)), true
				}
			}
		}
		return whole(-1), true
	case name == "ToUpperInvariant" && len(args) == 0 && isASCII(s):
		return text(strings.ToUpper(s)), true
	case name == "ToLowerInvariant" && len(args) == 0 && isASCII(s):
		return text(strings.ToLower(s)), true
	case name == "Trim" && len(args) == 0:
		return text(strings.TrimFunc(s, unicode.IsSpace)), true
	case (name == "Trim" || name == "TrimStart" || name == "TrimEnd") && len(args) > 0:
		set := ""
		for _, a := range args {
			n, ok := a.Data.(*big.Int)
			if !ok || a.Type != "char" {
				return Value{}, false
			}
			set += string(rune(n.Int64()))
		}
		switch name {
		case "Trim":
			return text(strings.Trim(s, set)), true
		case "TrimStart":
			return text(strings.TrimLeft(s, set)), true
		}
		return text(strings.TrimRight(s, set)), true
	case name == "Replace" && len(args) == 2:
		with, ok := args[1].Data.(string)
		if isText && ok && word != "" {
			return text(strings.ReplaceAll(s, word, with)), true
		}
	case name == "Split":
		return r.split(s, args)
	case name == "ToCharArray" && len(args) == 0:
		l := &list{elem: "char", shown: "char[]"}
		for _, c := range u {
			l.items = append(l.items, Value{Type: "char", Data: big.NewInt(int64(c))})
		}
		return Value{Type: "char[]", Data: l.sequence()}, true
	case name == "Substring" && v.Text == "" || name == "Substring" && len(args) > 0:
		return r.substring(u, args)
	case (name == "PadLeft" || name == "PadRight") && len(args) > 0:
		with := ' '
		if len(args) == 2 {
			n, ok := args[1].Data.(*big.Int)
			if !ok || args[1].Type != "char" {
				return Value{}, false
			}
			with = rune(n.Int64())
		}
		width := r.position(args[0])
		if width < 0 || width > 10_000 {
			r.refuse("breakwire fills texts up to 10000 characters")
		}
		if name == "PadRight" {
			width = -width
		}
		return text(padded(s, width, with)), true
	case name == "ToString" && len(args) == 0:
		return v, true
	}
	return Value{}, false
}

// plainASCII reports whether a text has only characters that every culture compares one by one.
func plainASCII(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r >= utf8.RuneSelf || r < ' ' || r == '-' || r == '\''
	}) < 0
}

// unitIndex is a place in bytes as one in UTF-16 units.
func unitIndex(s string, at int) int {
	if at < 0 {
		return -1
	}
	return len(units(s[:at]))
}

func (r *run) substring(u []uint16, args []Value) (Value, bool) {
	if len(args) == 0 || len(args) > 2 {
		return Value{}, false
	}
	from := r.position(args[0])
	to := len(u)
	if len(args) == 2 {
		to = from + r.position(args[1])
	}
	if from < 0 || to > len(u) || from > to {
		r.throw("System.ArgumentOutOfRangeException", "Index and length must refer to a location within the string.")
	}
	s := decodeUnits(u[from:to])
	if strings.ContainsRune(s, utf8.RuneError) {
		r.refuse("it has half of a surrogate pair")
	}
	return text(s), true
}

// split is string.Split by characters or by texts, with a number of parts and options.
func (r *run) split(s string, args []Value) (Value, bool) {
	count, empty, trim := -1, true, false
	if n := len(args); n > 1 && args[n-1].inner() == "System.StringSplitOptions" {
		e, ok := r.enumNumber(args[n-1])
		if !ok {
			return Value{}, false
		}
		empty, trim = e.n.Bit(0) == 0, e.n.Bit(1) == 1
		args = args[:n-1]
	}
	if n := len(args); n == 2 && args[1].Type == "int" {
		count = r.position(args[1])
		args = args[:1]
	}
	if count >= 0 && (!empty || trim) {
		return Value{}, false
	}
	if len(args) == 1 {
		if list, ok := args[0].Data.(*sequence); ok {
			args = r.all(list)
		}
	}
	var seps []string
	for _, a := range args {
		switch data := a.Data.(type) {
		case *big.Int:
			if a.Type != "char" {
				return Value{}, false
			}
			seps = append(seps, string(rune(data.Int64())))
		case string:
			if data == "" {
				return Value{}, false
			}
			seps = append(seps, data)
		default:
			return Value{}, false
		}
	}
	if len(seps) == 0 || count == 0 {
		return Value{}, false
	}
	l := &list{elem: "string", shown: "string[]"}
	add := func(part string) {
		if trim {
			part = strings.TrimFunc(part, unicode.IsSpace)
		}
		if part != "" || empty {
			l.items = append(l.items, text(part))
		}
	}
	for rest := s; ; {
		at, length := -1, 0
		for _, sep := range seps {
			if i := strings.Index(rest, sep); i >= 0 && (at < 0 || i < at) {
				at, length = i, len(sep)
			}
		}
		if at < 0 || len(l.items)+1 == count {
			add(rest)
			break
		}
		add(rest[:at])
		rest = rest[at+length:]
	}
	return Value{Type: "string[]", Data: l.sequence()}, true
}
