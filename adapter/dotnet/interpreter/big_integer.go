package interpreter

import (
	"math/big"
	"strings"

	"breakwire/mapping"
)

const bigInteger = "System.Numerics.BigInteger"

// isBig reports whether a value is a BigInteger.
func isBig(v Value) bool { return v.inner() == bigInteger && !v.isNull() }

// bigOf returns the number of a BigInteger or of a whole number, which converts to one.
func (r *run) bigOf(v Value) (*big.Int, bool) {
	if n, ok := v.Data.(*big.Int); ok {
		return n, v.inner() != "char"
	}
	if !isBig(v) || v.Ref == 0 {
		return nil, false
	}
	var sign *big.Int
	var bits []uint32
	for _, m := range r.members(v, 0, 0) {
		switch m.Name {
		case "_sign":
			sign, _ = m.Data.(*big.Int)
		case "_bits":
			if m.isNull() {
				continue
			}
			for x := range r.cells(m, 0, 0) {
				n, ok := x.Data.(*big.Int)
				if !ok {
					return nil, false
				}
				bits = append(bits, uint32(n.Uint64()))
			}
		}
	}
	if sign == nil {
		return nil, false
	}
	n, ok := new(big.Int).SetString(mapping.BigIntegerText(sign.Int64(), bits), 10)
	return n, ok
}

func bigValue(n *big.Int) Value { return Value{Type: bigInteger, Data: n} }

// bigOperator is an operator with a BigInteger on one side.
func (r *run) bigOperator(op string, a, b Value) (Value, bool) {
	x, ok := r.bigOf(a)
	y, also := r.bigOf(b)
	if !ok || !also || a.nullable() || b.nullable() {
		return Value{}, false
	}
	if comparisons()[op] {
		return boolean(holds(op, x.Cmp(y))), true
	}
	if op != "<<" && op != ">>" {
		n, ok := r.wholes(op, x, y)
		return bigValue(n), ok
	}
	if b.Type != "int" || y.Sign() < 0 || y.Cmp(big.NewInt(maxElements)) > 0 {
		return Value{}, false
	}
	if op == "<<" {
		return bigValue(new(big.Int).Lsh(x, uint(y.Int64()))), true
	}
	return bigValue(new(big.Int).Rsh(x, uint(y.Int64()))), true
}

// bigCast converts a BigInteger to another type, or a number to a BigInteger. ok is false for others.
func (r *run) bigCast(v Value, typ string) (Value, bool) {
	if typ == "BigInteger" || typ == bigInteger {
		if isBig(v) {
			return v, true
		}
		if n, ok := r.bigOf(v); ok && integers()[v.Type].bits != 0 {
			return bigValue(n), true
		}
		return Value{}, false
	}
	if !isBig(v) || !isNumeric(typ) {
		return Value{}, false
	}
	n, ok := r.bigOf(v)
	if !ok {
		return Value{}, false
	}
	switch {
	case integers()[typ].bits != 0:
		if !fits(n, typ) {
			r.throw("System.OverflowException", "Value was either too large or too small for %s.", typ)
		}
		return Value{Type: typ, Data: n}, true
	case typ == "decimal" && new(big.Int).Abs(n).Cmp(largestValue()) > 0:
		r.throw("System.OverflowException", "Value was either too large or too small for a Decimal.")
	}
	return r.converted(Value{Type: "long", Data: n}, typ), true
}

// bigFunction is a function of BigInteger.
func (r *run) bigFunction(name string, args []Value) (Value, bool) {
	var n []*big.Int
	for _, a := range args {
		x, ok := r.bigOf(a)
		if !ok {
			if s, isText := a.Data.(string); isText && name == "Parse" && len(args) == 1 {
				x, ok = new(big.Int).SetString(strings.TrimSpace(s), 10)
			}
			if !ok {
				return Value{}, false
			}
		}
		n = append(n, x)
	}
	out := new(big.Int)
	const two = " Pow Add Subtract Multiply Divide Remainder Max Min Compare GreatestCommonDivisor "
	switch {
	case name == "ModPow" && len(n) == 3 && n[1].Sign() >= 0 && n[2].Sign() != 0:
		return bigValue(out.Rem(out.Exp(n[0], n[1], new(big.Int).Abs(n[2])), n[2])), n[0].Sign() >= 0
	case len(n) == 1:
		switch name {
		case "Parse":
			return bigValue(n[0]), true
		case "Abs":
			return bigValue(out.Abs(n[0])), true
		case "Negate":
			return bigValue(out.Neg(n[0])), true
		}
		return Value{}, false
	case len(n) != 2 || !strings.Contains(two, " "+name+" "):
		return Value{}, false
	case name == "Pow":
		if n[1].Sign() < 0 || n[1].Cmp(big.NewInt(maxElements)) > 0 || n[0].BitLen() > maxElements {
			return Value{}, false
		}
		return bigValue(out.Exp(n[0], n[1], nil)), true
	case name == "Max" || name == "Min":
		if (n[0].Cmp(n[1]) > 0) == (name == "Max") {
			return bigValue(n[0]), true
		}
		return bigValue(n[1]), true
	case name == "Compare":
		return whole(int64(n[0].Cmp(n[1]))), true
	case name == "GreatestCommonDivisor":
		return bigValue(out.GCD(nil, nil, new(big.Int).Abs(n[0]), new(big.Int).Abs(n[1]))), true
	}
	op := map[string]string{"Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "Remainder": "%"}[name]
	return r.bigOperator(op, bigValue(n[0]), bigValue(n[1]))
}

// bigMember is a member of a BigInteger that is known here.
func (r *run) bigMember(v Value, name string) (Value, bool) {
	n, ok := v.Data.(*big.Int)
	if !ok || v.Type != bigInteger {
		return Value{}, false
	}
	switch name {
	case "Sign":
		return whole(int64(n.Sign())), true
	case "IsZero":
		return boolean(n.Sign() == 0), true
	case "IsOne":
		return boolean(n.Cmp(big.NewInt(1)) == 0), true
	case "IsEven":
		return boolean(n.Bit(0) == 0), true
	}
	return Value{}, false
}
