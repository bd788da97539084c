package mapping

import (
	"math/big"
	"strings"
	"unicode/utf16"
)

// BigIntegerText returns a System.Numerics.BigInteger from its fields: a small number is in sign, a large one in bits,
// the lowest first.
func BigIntegerText(sign int64, bits []uint32) string {
	if len(bits) == 0 {
		return big.NewInt(sign).String()
	}
	n := new(big.Int)
	for i := len(bits) - 1; i >= 0; i-- {
		n.Lsh(n, 32).Or(n, big.NewInt(int64(bits[i])))
	}
	if sign < 0 {
		n.Neg(n)
	}
	return n.String()
}

// TaskStatus returns the System.Threading.Tasks.TaskStatus that the state flags of a task mean.
func TaskStatus(flags int64) string {
	for _, s := range []struct {
		flag int64
		name string
	}{
		{0x200000, "Faulted"}, {0x400000, "Canceled"}, {0x1000000, "RanToCompletion"},
		{0x800000, "WaitingForChildrenToComplete"}, {0x20000, "Running"}, {0x10000, "WaitingToRun"},
		{0x2000000, "WaitingForActivation"},
	} {
		if flags&s.flag != 0 {
			return s.name
		}
	}
	return "Created"
}

// UTF16Quoted writes UTF-16 as netcoredbg writes a text.
func UTF16Quoted(units []uint16) string { return CSharpQuoted(string(utf16.Decode(units))) }

// CSharpQuoted writes a text as a literal of C#.
func CSharpQuoted(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		if i := strings.IndexRune("\"\\\n\r\t\x00\a\b\f\v", r); i >= 0 {
			out.WriteByte('\\')
			out.WriteByte(`"\nrt0abfv`[i])
		} else {
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// JSONRow is where a System.Text.Json.JsonDocument has an element in its text.
type JSONRow struct {
	Start, Length int
	Rows          int // of an array or object: how many rows further its end is
	Quoted        bool
}

// JSONRowSize is the number of bytes of a row.
const JSONRowSize = 12

// ReadJSONRow reads the row of an element. ok is false for what is no element.
func ReadJSONRow(data []byte) (r JSONRow, ok bool) {
	if len(data) < JSONRowSize {
		return JSONRow{}, false
	}
	u32 := func(i int) uint32 {
		return uint32(data[i]) | uint32(data[i+1])<<8 | uint32(data[i+2])<<16 | uint32(data[i+3])<<24
	}
	const startObject, endObject, startArray, endArray, text, null = 1, 2, 3, 4, 7, 11
	length := int(int32(u32(4)))
	if length != -1 { // the highest bit says that a text has escapes
		length &= 0x7FFF_FFFF
	}
	r = JSONRow{Start: int(u32(0)), Length: length}
	switch token := u32(8) >> 28; token {
	case startObject, startArray:
		r.Rows = int(u32(8) & 0x0FFF_FFFF)
	case endObject, endArray:
	case text:
		r.Quoted = true
	default:
		if token < text || token > null {
			return JSONRow{}, false
		}
	}
	return r, true
}
