package mapping

import (
	"math"
	"strconv"
	"strings"
)

// Float is a double or float of .NET as netcoredbg shows it: with 16 or 8 significant digits, so that several numbers
// look alike.
type Float struct {
	near   float64 // the number that the text reads as
	digits int     // 16 or 8
}

// ReadFloat reads the value of a double or float. ok is false for NaN, infinities and other texts.
func ReadFloat(value, typ string) (f Float, ok bool) {
	f.digits = 16
	bits := 64
	if strings.TrimSuffix(typ, "?") == "float" {
		f.digits, bits = 8, 32
	}
	near, err := strconv.ParseFloat(value, bits)
	if err != nil && !math.IsInf(near, 0) || math.IsNaN(near) || err == nil && math.IsInf(near, 0) {
		return Float{}, false
	}
	f.near = f.clip(near)
	return f, true
}

// clip returns the largest number for one that was rounded up beyond it.
func (f Float) clip(x float64) float64 {
	most := math.MaxFloat64
	if f.digits == 8 {
		most = math.MaxFloat32
	}
	return max(-most, min(x, most))
}

// Certain reports whether no other number is shown in the same way: its neighbours are shown in other ones.
func (f Float) Certain() bool {
	if f.near == 0 {
		return true
	}
	below, above := math.Nextafter(f.near, math.Inf(-1)), math.Nextafter(f.near, math.Inf(1))
	if f.digits == 8 {
		below = float64(math.Nextafter32(float32(f.near), float32(math.Inf(-1))))
		above = float64(math.Nextafter32(float32(f.near), float32(math.Inf(1))))
	}
	shown := func(x float64) string { return strconv.FormatFloat(x, 'e', f.digits-1, 64) }
	return shown(below) != shown(f.near) && shown(above) != shown(f.near)
}

// Number returns the number that the text reads as.
func (f Float) Number() float64 { return f.near }

// Question returns an expression that netcoredbg computes without running code of the program, and whose value tells
// the missing digits: the distance to the number that is shown, or a float as a double.
func (f Float) Question(expression string) string {
	switch {
	case f.digits == 8:
		return expression + " + 0d"
	case f.near < 0:
		return expression + " + " + strconv.FormatFloat(-f.near, 'E', -1, 64) + "d"
	}
	return expression + " - " + strconv.FormatFloat(f.near, 'E', -1, 64) + "d"
}

// Answer returns the number, from the answer to Question. ok is false when the answer is about another number.
func (f Float) Answer(value string) (exact Float, ok bool) {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return f, false
	}
	bits := 32
	if f.digits == 16 {
		x, bits = f.near+x, 64
	} else {
		x = float64(float32(x))
	}
	shown, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', f.digits-1, 64), bits)
	return Float{x, f.digits}, x == f.near || f.clip(shown) == f.near // the text may have had all digits already
}

// Text returns the number as C# prints it: the shortest text that reads back to it.
func (f Float) Text() string {
	bits, most := 64, 17
	if f.digits == 8 {
		bits, most = 32, 9
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f.near, 'E', -1, bits), "E")
	n, _ := strconv.Atoi(exponent)
	if n < -4 || n >= most {
		return mantissa + "E" + exponent
	}
	return strconv.FormatFloat(f.near, 'f', -1, bits)
}
