package interpreter

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"sync"

	"breakwire/mapping"
)

// wrap cuts a number to the bits of a type.
func wrap(n *big.Int, typ string) *big.Int {
	i := integers()[typ]
	if fits(n, typ) {
		return n
	}
	mod := new(big.Int).Lsh(big.NewInt(1), uint(i.bits))
	n = new(big.Int).Mod(n, mod)
	if i.signed && n.Bit(i.bits-1) == 1 {
		n.Sub(n, mod)
	}
	return n
}

// fits reports whether a type holds a number.
func fits(n *big.Int, typ string) bool {
	i := integers()[typ]
	if !i.signed {
		return n.Sign() >= 0 && n.BitLen() <= i.bits
	}
	least := new(big.Int).Lsh(big.NewInt(-1), uint(i.bits-1))
	return n.Cmp(least) >= 0 && n.Cmp(new(big.Int).Not(least)) <= 0
}

// settle cuts the result of an operation to its type. In checked(...) and in constants, an overflow is an error.
func (r *run) settle(n *big.Int, typ string, constant bool) Value {
	if !fits(n, typ) {
		switch {
		case r.checked:
			r.throw("System.OverflowException", "Arithmetic operation resulted in an overflow.")
		case constant && r.unchecked == 0:
			r.refuse("the constant overflows (CS0220): write unchecked(...), or make one side a long with the suffix L")
		}
		n = wrap(n, typ)
	}
	return Value{Type: typ, Data: n, Const: constant}
}

// promoted returns the type in which C# computes with two numbers; "" when there is none.
func promoted(a, b Value) string {
	x, y := a.inner(), b.inner()
	either := func(typ string) bool { return x == typ || y == typ }
	positive := func(v Value) bool {
		n, ok := v.Data.(*big.Int)
		return ok && v.Const && n.Sign() >= 0
	}
	signed := func(v Value) bool { return integers()[v.inner()].signed && !positive(v) }
	switch {
	case !isNumeric(x) || !isNumeric(y):
		return ""
	case either("decimal"):
		if either("double") || either("float") {
			return ""
		}
		return "decimal"
	case either("double"):
		return "double"
	case either("float"):
		return "float"
	case either("ulong") || either("nuint") && !either("long"):
		if signed(a) || signed(b) {
			return ""
		}
		if either("ulong") {
			return "ulong"
		}
		return "nuint"
	case either("long"):
		return "long"
	case either("nint"):
		if either("uint") {
			return "long"
		}
		return "nint"
	case either("uint"):
		if signed(a) || signed(b) {
			return "long"
		}
		return "uint"
	}
	return "int"
}

// widens reports whether C# converts a number type to another one without a cast.
func widens(from, to string) bool {
	a, b := integers()[from], integers()[to]
	switch {
	case from == to || !isNumeric(from):
		return from == to
	case to == "char":
		return false
	case a.bits != 0 && b.bits != 0:
		if to == "nint" || to == "nuint" {
			b.bits = 33 // it has at least 32
		}
		if from == "nint" || from == "nuint" {
			a.bits = 64
		}
		return a.bits < b.bits && (!a.signed || b.signed) || a == b && from != "char" && to != "nint"
	case a.bits != 0:
		return to == "double" || to == "float" || to == "decimal"
	}
	return from == "float" && to == "double"
}

// toFloat returns a number as float64.
func toFloat(data any) (float64, bool) {
	switch n := data.(type) {
	case *big.Int:
		f, _ := new(big.Float).SetInt(n).Float64()
		return f, true
	case float64:
		return n, true
	case decimal:
		f, _ := n.rat().Float64()
		return f, true
	}
	return 0, false
}

// single rounds to a float.
func single(f float64) float64 { return float64(float32(f)) }

// converted converts a known number to another number type, as a cast does.
func (r *run) converted(v Value, typ string) Value {
	v = r.exact(v)
	out := Value{Type: typ, Const: v.Const && integers()[typ].bits != 0}
	inexact := func() {
		r.refuse("the number %s does not fit into %s", r.show(v), typ)
	}
	switch {
	case typ == "decimal":
		switch n := v.Data.(type) {
		case *big.Int:
			out.Data = decimal{n, 0}
		case decimal:
			out.Data = n
		case float64:
			d, ok := decimalOf(n, v.inner() == "float")
			if !ok {
				r.throw("System.OverflowException", "Value was either too large or too small for a Decimal.")
			}
			out.Data = d
		}
	case typ == "double" || typ == "float":
		f, ok := toFloat(v.Data)
		if n, is := v.Data.(*big.Int); is && typ == "float" {
			f32, _ := new(big.Float).SetInt(n).Float32()
			f = float64(f32)
		}
		if !ok {
			break
		}
		if typ == "float" {
			f = single(f)
		}
		out.Data = f
	case integers()[typ].bits != 0:
		var n *big.Int
		switch x := v.Data.(type) {
		case *big.Int:
			n = x
		case decimal:
			n = x.truncated()
			if !fits(n, typ) {
				r.throw("System.OverflowException", "Value was either too large or too small for %s.", typ)
			}
		case float64:
			if math.IsNaN(x) || math.IsInf(x, 0) {
				inexact()
			}
			n, _ = new(big.Float).SetFloat64(x).Int(nil)
			if !fits(n, typ) {
				if r.checked {
					r.throw("System.OverflowException", "Arithmetic operation resulted in an overflow.")
				}
				inexact() // it is undefined in C#
			}
		default:
			r.refuse("there is no conversion of %s to %s", v.Type, typ)
		}
		if !fits(n, typ) && (r.checked || v.Const && r.unchecked == 0) {
			if v.Const {
				r.refuse("the constant %s does not fit into %s (CS0221): write unchecked(...)", n, typ)
			}
			r.throw("System.OverflowException", "Arithmetic operation resulted in an overflow.")
		}
		out.Data = wrap(n, typ)
	}
	if out.Data == nil {
		r.refuse("there is no conversion of %s to %s", v.Type, typ)
	}
	return out
}

// exact makes sure that a double or float is known to its last bit.
func (r *run) exact(v Value) Value {
	typ := v.inner()
	if typ != "double" && typ != "float" || v.Data != nil {
		return v
	}
	if f, ok := mapping.ReadFloat(v.Shown, typ); ok && f.Certain() {
		v.Data = f.Number()
		return v
	}
	if v.nullable() && r.program.Calls() && v.Text != "" {
		nullable := v.Type
		if v = r.unwrapped(v); v.Text == "" { // what a getter returned, and is no longer known
			return r.digits(v)
		}
		v = r.exact(v)
		v.Type = nullable
		return v
	}
	if !r.program.Calls() || v.Text == "" || !r.mayRepeat(v.Text) {
		return r.digits(v)
	}
	question := map[string]string{"double": "System.BitConverter.DoubleToInt64Bits(",
		"float": "System.BitConverter.SingleToInt32Bits("}[typ]
	bits, ok := r.ask(question + v.Text + ")")
	n, known := bits.Data.(*big.Int)
	if !ok || !known {
		return r.digits(v)
	}
	if typ == "float" {
		v.Data = float64(math.Float32frombits(uint32(n.Int64())))
	} else {
		v.Data = math.Float64frombits(uint64(n.Int64()))
	}
	return v
}

// apart compares two numbers of which not all digits are known. ok is false when their shown digits are too near.
func apart(op string, a, b Value) (result, ok bool) {
	number := func(v Value) (float64, bool) {
		if f, ok := toFloat(v.Data); ok {
			return f, true
		}
		f, err := strconv.ParseFloat(v.Shown, 64)
		return f, err == nil
	}
	x, ok1 := number(a)
	y, ok2 := number(b)
	if !ok1 || !ok2 || !(math.Abs(x-y) > 1e-6*max(math.Abs(x), math.Abs(y))) {
		return false, false
	}
	if x < y {
		return holds(op, -1), true
	}
	return holds(op, 1), true
}

// digits refuses a double of which only some digits are known.
func (r *run) digits(v Value) Value {
	if f, ok := special()[v.Shown]; ok {
		v.Data = f
		return v
	}
	r.refuse("not all digits of %s are known: the debugger shows 16 of a double and 8 of a float", v.Shown)
	return v
}

var special = sync.OnceValue(func() map[string]float64 {
	return map[string]float64{
		"nan": math.NaN(), "-nan": math.NaN(), "NaN": math.NaN(), "inf": math.Inf(1), "Infinity": math.Inf(1),
		"-inf": math.Inf(-1), "-Infinity": math.Inf(-1),
	}
})

// floatText writes a double or float as .NET does: the shortest text that reads back to it.
func floatText(f float64, typ string) string {
	bits, most := 64, 15
	if typ == "float" {
		bits, most = 32, 7
	}
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		if math.Signbit(f) {
			return "-0"
		}
		return "0"
	}
	sci := strconv.FormatFloat(f, 'e', -1, bits)
	mantissa, power, _ := strings.Cut(sci, "e")
	exponent, _ := strconv.Atoi(power)
	digits := len(strings.Trim(strings.Replace(mantissa, ".", "", 1), "-"))
	if exponent+1 > max(digits, most) || exponent+1 < -3 {
		sign := "+"
		if exponent < 0 {
			sign, exponent = "-", -exponent
		}
		if exponent < 10 {
			sign += "0"
		}
		return mantissa + "E" + sign + strconv.Itoa(exponent)
	}
	return strconv.FormatFloat(f, 'f', -1, bits)
}
