package interpreter

import (
	"breakwire/mapping"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
)

// Value is a value of an expression: known here (Data), a place in the program (Text), or both.
type Value struct {
	Type  string // its C# name; "" when it is not known, "null" of the literal
	Data  any
	Text  string   // an expression that the debugger evaluates to it
	Ref   int      // of its members
	Shown string   // as the debugger shows it
	Name  string   // in a listing
	Names []string // of the elements of the tuples in its type, from the outside in
	Boxed bool     // a number in an object
	Const bool     // a constant, which C# converts more freely

	Lifted bool // Text is of the value in the nullable
	Object bool // it was cast to object, so that == compares references
}

// The forms of Data: bool, *big.Int (integers and characters), float64, decimal, string, and these.
type (
	null     struct{}
	typeName string // the name of a type in an expression
	// typeValue is a System.Type.
	typeValue string
	// number is an enum's, with its type when that is known.
	number struct {
		n   *big.Int
		typ string
	}
	// tuple has the values of a tuple or of an anonymous object.
	tuple struct {
		items []Value
		names []string
	}
	// function is a lambda.
	function struct {
		params []string
		call   func(args []Value) Value
	}
	// interval is a Range.
	interval struct{ from, to Value }
	// fromEnd is an Index such as ^1.
	fromEnd struct{ n int }
)

// integer describes an integer type.
type integer struct {
	bits   int
	signed bool
}

var integers = sync.OnceValue(func() map[string]integer {
	return map[string]integer{
		"sbyte": {8, true}, "byte": {8, false}, "short": {16, true}, "ushort": {16, false}, "int": {32, true},
		"uint": {32, false}, "long": {64, true}, "ulong": {64, false}, "char": {16, false}, "nint": {64, true},
		"nuint": {64, false},
	}
})

// fullNames are the names of the keyword types in the runtime.
var fullNames = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"int": "System.Int32", "long": "System.Int64", "short": "System.Int16", "byte": "System.Byte",
		"uint": "System.UInt32", "ulong": "System.UInt64", "ushort": "System.UInt16", "sbyte": "System.SByte",
		"double": "System.Double", "float": "System.Single", "decimal": "System.Decimal", "char": "System.Char",
		"bool": "System.Boolean", "string": "System.String", "object": "System.Object", "nint": "System.IntPtr",
		"nuint": "System.UIntPtr", "void": "System.Void",
	}
})

// isSimple reports whether a keyword names the type.
func isSimple(typ string) bool { return fullNames()[typ] != "" && typ != "object" && typ != "void" }

// IsSimple reports whether a keyword names the type, as int or string.
func IsSimple(typ string) bool { return isSimple(typ) }

// IsNumeric reports whether a type is one of numbers or characters.
func IsNumeric(typ string) bool { return isNumeric(typ) }

func isNumeric(typ string) bool {
	return integers()[typ].bits != 0 || typ == "double" || typ == "float" || typ == "decimal"
}

// isStruct reports whether a type is known to have no null.
func isStruct(typ string) bool {
	return isSimple(typ) && typ != "string" || structs()[typ] || strings.HasPrefix(typ, "(") ||
		strings.HasPrefix(typ, "System.ValueTuple<") || strings.HasPrefix(typ, "System.Collections.Generic.KeyValuePair<")
}

var structs = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"System.DateTime": true, "System.TimeSpan": true, "System.Guid": true, "System.DateOnly": true,
		"System.TimeOnly": true, "System.DateTimeOffset": true, "System.Numerics.BigInteger": true,
	}
})

func (v Value) isNull() bool { _, ok := v.Data.(null); return ok }

func (v Value) inner() string { return strings.TrimSuffix(v.Type, "?") }

func (v Value) nullable() bool { return strings.HasSuffix(v.Type, "?") }

func boolean(b bool) Value { return Value{Type: "bool", Data: b} }

func whole(n int64) Value { return Value{Type: "int", Data: big.NewInt(n)} }

func text(s string) Value { return Value{Type: "string", Data: s} }

func nothing(typ string) Value { return Value{Type: typ, Data: null{}} }

// optional makes a type nullable.
func optional(typ string) string {
	if typ == "" || strings.HasSuffix(typ, "?") || typ == "null" {
		return typ
	}
	return typ + "?"
}

func units(s string) []uint16 { return utf16.Encode([]rune(s)) }

// unquote reads a text as netcoredbg shows it. ok is false when a part of it is not known.
func unquote(shown string) (string, bool) {
	if len(shown) < 2 || shown[0] != '"' || shown[len(shown)-1] != '"' {
		return "", false
	}
	s, err := strconv.Unquote(shown)
	if err != nil {
		var out strings.Builder
		body := shown[1 : len(shown)-1]
		for i := 0; i < len(body); i++ {
			if body[i] != '\\' || i+1 == len(body) {
				out.WriteByte(body[i])
				continue
			}
			i++
			if at := strings.IndexByte(`"\nrt0abfv'`, body[i]); at >= 0 {
				out.WriteByte("\"\\\n\r\t\x00\a\b\f\v'"[at])
			} else {
				return "", false
			}
		}
		s = out.String()
	}
	return s, !strings.ContainsRune(s, '\uFFFD')
}

// quote writes a text as a C# literal.
func quote(s string) string { return mapping.CSharpQuoted(s) }

// charText writes a character as a C# literal. ok is false for half a surrogate pair.
func charText(n *big.Int) (string, bool) {
	c := n.Int64()
	switch {
	case c == '\'':
		return `'\''`, true
	case c == '"':
		return `'"'`, true
	case c >= 0xD800 && c < 0xE000:
		return `'\u` + strconv.FormatInt(c, 16) + `'`, false
	}
	q := quote(string(rune(c)))
	return "'" + q[1:len(q)-1] + "'", true
}
