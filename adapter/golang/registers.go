package golang

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Registers in which Go returns values on amd64, in their order.
var (
	integers = []string{"RAX", "RBX", "RCX", "RDI", "RSI", "R8", "R9", "R10", "R11"}
	floats   = []string{"XMM0", "XMM1", "XMM2", "XMM3", "XMM4", "XMM5", "XMM6", "XMM7"}
)

// Returned is one returned value: its type and the registers that hold it. A type whose registers are not known has
// none, and neither have those after it.
type Returned struct {
	Type      string
	Registers []string
}

// bits are the widths of the integer types; negative for those with a sign.
var bits = map[string]int{
	"int": -64, "int8": -8, "int16": -16, "int32": -32, "int64": -64, "rune": -32,
	"uint": 64, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64, "uintptr": 64, "byte": 8, "bool": 1,
}

// Registers assigns registers to results.
func Registers(types []string) []Returned {
	list := make([]Returned, len(types))
	ints, reals := integers, floats
	known := true
	for i, t := range types {
		list[i].Type = t
		need, from := 0, &ints
		switch {
		case bits[t] != 0, strings.HasPrefix(t, "*"), strings.HasPrefix(t, "map["), strings.HasPrefix(t, "chan "):
			need = 1
		case t == "string", t == "error", t == "any", t == "interface{}":
			need = 2
		case strings.HasPrefix(t, "[]"):
			need = 3
		case t == "float64", t == "float32":
			need, from = 1, &reals
		}
		if known = known && need > 0 && need <= len(*from); known {
			list[i].Registers, *from = (*from)[:need], (*from)[need:]
		}
	}
	return list
}

// Integer returns the number in Delve's text of an integer register: 42 = 0x2a.
func Integer(text string) (uint64, bool) {
	_, hexadecimal, ok := strings.Cut(text, "= 0x")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(hexadecimal), 16, 64)
	return n, err == nil
}

// Float returns the number in Delve's text of a floating point register: its bytes as hexadecimal digits in quotes.
func Float(text string, single bool) (string, bool) {
	raw, err := hex.DecodeString(strings.Trim(text, `"`))
	if err != nil || len(raw) < 8 {
		return "", false
	}
	if single {
		return strconv.FormatFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))), 'g', -1, 32), true
	}
	return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(raw)), 'g', -1, 64), true
}

// Scalar returns the value of a type in one register. ok is false for a type whose value is elsewhere.
func Scalar(typ string, n uint64) (value string, ok bool) {
	width := bits[typ]
	switch {
	case typ == "bool":
		return strconv.FormatBool(n&1 == 1), true
	case width > 0:
		return strconv.FormatUint(n&(math.MaxUint64>>(64-width)), 10), true
	case width < 0:
		return strconv.FormatInt(int64(n<<(64+width))>>(64+width), 10), true
	case n == 0:
		return "nil", true
	case strings.HasPrefix(typ, "*"):
		return fmt.Sprintf("%#x", n), true
	}
	return "", false
}

// Bytes returns the text in Delve's array of bytes: [2]uint8 [97,98].
func Bytes(text string) string {
	at := strings.LastIndexByte(text, '[')
	if at < 0 {
		return ""
	}
	var raw []byte
	for _, number := range strings.Split(strings.TrimSuffix(text[at+1:], "]"), ",") {
		if n, err := strconv.ParseUint(number, 10, 8); err == nil {
			raw = append(raw, byte(n))
		}
	}
	return string(raw)
}
