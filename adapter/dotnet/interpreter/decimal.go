package interpreter

import (
	"math/big"
	"strconv"
	"strings"
)

// decimal is n / 10^scale.
type decimal struct {
	n     *big.Int
	scale int
}

const maxScale = 28

// largestValue returns the largest number of 96 bits.
func largestValue() *big.Int {
	return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 96), big.NewInt(1))
}

func ten() *big.Int { return big.NewInt(10) }

func power(n int) *big.Int { return new(big.Int).Exp(ten(), big.NewInt(int64(n)), nil) }

func parseDecimal(text string) (decimal, bool) {
	text = strings.ReplaceAll(text, "_", "")
	whole, fraction, _ := strings.Cut(text, ".")
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		exponent, err := strconv.Atoi(text[e+1:])
		base, ok := parseDecimal(text[:e])
		if err != nil || !ok || exponent > 60 || exponent < -60 {
			return decimal{}, false
		}
		if base.scale -= exponent; base.scale < 0 {
			base = decimal{new(big.Int).Mul(base.n, power(-base.scale)), 0}
		}
		return base.fit()
	}
	n, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return decimal{}, false
	}
	return decimal{n, len(fraction)}.fit()
}

// decimalOf converts a double with 15 digits, a float with 7, as .NET does.
func decimalOf(f float64, isFloat bool) (decimal, bool) {
	digits := 15
	if isFloat {
		digits = 7
	}
	d, ok := parseDecimal(strconv.FormatFloat(f, 'e', digits-1, 64))
	if !ok {
		return decimal{}, false
	}
	return d.trimmed(0), true
}

// fit rounds half to even until the number has at most 96 bits and 28 digits behind the point.
func (d decimal) fit() (decimal, bool) {
	if d.scale <= maxScale && new(big.Int).Abs(d.n).Cmp(largestValue()) <= 0 {
		return d, true
	}
	for cut := max(d.scale-maxScale, 1); cut <= d.scale; cut++ {
		n := roundDiv(d.n, power(cut))
		if new(big.Int).Abs(n).Cmp(largestValue()) <= 0 && d.scale-cut <= maxScale {
			return decimal{n, d.scale - cut}, true
		}
	}
	return decimal{}, false
}

// roundDiv divides and rounds half to even.
func roundDiv(a, b *big.Int) *big.Int {
	q, m := new(big.Int).QuoRem(a, b, new(big.Int))
	twice := new(big.Int).Abs(m)
	twice.Lsh(twice, 1)
	if c := twice.Cmp(new(big.Int).Abs(b)); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(int64(a.Sign()*b.Sign())))
	}
	return q
}

// trimmed takes zeros at the end away, down to a scale.
func (d decimal) trimmed(least int) decimal {
	n := new(big.Int).Set(d.n)
	for d.scale > least {
		q, m := new(big.Int).QuoRem(n, ten(), new(big.Int))
		if m.Sign() != 0 {
			break
		}
		n = q
		d.scale--
	}
	return decimal{n, d.scale}
}

func (d decimal) rat() *big.Rat { return new(big.Rat).SetFrac(d.n, power(d.scale)) }

func (d decimal) truncated() *big.Int { return new(big.Int).Quo(d.n, power(d.scale)) }

func (d decimal) cmp(e decimal) int { return d.rat().Cmp(e.rat()) }

func (d decimal) String() string {
	digits := new(big.Int).Abs(d.n).String()
	if d.scale > 0 {
		digits = strings.Repeat("0", max(0, d.scale+1-len(digits))) + digits
		digits = digits[:len(digits)-d.scale] + "." + digits[len(digits)-d.scale:]
	}
	if d.n.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// aligned gives two numbers the same scale.
func aligned(a, b decimal) (x, y *big.Int, scale int) {
	scale = max(a.scale, b.scale)
	return new(big.Int).Mul(a.n, power(scale-a.scale)), new(big.Int).Mul(b.n, power(scale-b.scale)), scale
}

// compute is a op b. ok is false when the result is too large.
func (a decimal) compute(op string, b decimal) (decimal, bool) {
	switch op {
	case "*":
		return decimal{new(big.Int).Mul(a.n, b.n), a.scale + b.scale}.fit()
	case "/":
		n, scale := new(big.Int).Set(a.n), a.scale-b.scale
		if scale < 0 {
			n.Mul(n, power(-scale))
			scale = 0
		}
		// As many digits as may be needed; zeros that the division has added go away again.
		wide := decimal{nil, scale + 60}
		q, m := new(big.Int).QuoRem(n.Mul(n, power(60)), b.n, new(big.Int))
		if m.Sign() != 0 { // a digit that keeps a half from looking exact
			q.Mul(q, ten())
			q.Add(q, big.NewInt(int64(a.n.Sign()*b.n.Sign())))
			wide.scale++
		}
		wide.n = q
		d, ok := wide.trimmed(scale).fit()
		return d, ok
	}
	x, y, scale := aligned(a, b)
	switch op {
	case "+":
		return decimal{x.Add(x, y), scale}.fit()
	case "-":
		return decimal{x.Sub(x, y), scale}.fit()
	}
	return decimal{x.Rem(x, y), scale}.fit()
}
