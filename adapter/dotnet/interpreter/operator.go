package interpreter

import (
	"math"
	"math/big"
	"strings"
	"sync"

	"breakwire/mapping/csharp"
)

func (r *run) unary(n *csharp.Unary) Value {
	switch n.Op {
	case "^":
		v := r.known(r.eval(n.X))
		i, ok := v.Data.(*big.Int)
		if !ok || !i.IsInt64() {
			r.refuse("an index from the end is a whole number")
		}
		return Value{Type: "System.Index", Data: fromEnd{int(i.Int64())}}
	case "++", "--":
		r.foreign("a part of an expression changes no variable")
	case "throw", "await", "ref", "&", "*":
		r.foreign("breakwire does not evaluate %s", n.Op)
	}
	if n.Op == "-" {
		if l, ok := n.X.(*csharp.Literal); ok && (l.Source == "2147483648" || l.Source == "9223372036854775808") {
			i := new(big.Int).Neg(l.Value.(*big.Int))
			return Value{Type: map[bool]string{true: "int", false: "long"}[len(l.Source) == 10], Data: i, Const: true}
		}
	}
	v := r.known(r.eval(n.X))
	if v.isNull() {
		return v
	}
	if n.Op == "!" {
		if b, ok := v.Data.(bool); ok {
			return boolean(!b)
		}
		return r.throughProgram(n.Op, v)
	}
	if e, ok := r.enumNumber(v); ok && n.Op == "~" {
		return r.enumValue(v.Type, wrap(new(big.Int).Not(e.n), e.typ))
	}
	if isBig(v) && !v.nullable() {
		if x, ok := r.bigOf(v); ok && n.Op == "-" {
			return bigValue(new(big.Int).Neg(x))
		} else if ok && n.Op == "~" {
			return bigValue(new(big.Int).Not(x))
		}
	}
	nullable := v.nullable()
	typ := promoted(v, Value{Type: "int", Data: big.NewInt(0), Const: true})
	if typ == "" {
		return r.throughProgram(n.Op, v)
	}
	if n.Op == "-" && typ == "uint" {
		typ = "long"
	}
	if n.Op == "-" && (typ == "ulong" || typ == "nuint") || n.Op == "~" && integers()[typ].bits == 0 {
		r.refuse("operator %s cannot be applied to %s", n.Op, v.Type)
	}
	x := r.converted(v, typ)
	switch data := x.Data.(type) {
	case *big.Int:
		switch n.Op {
		case "-":
			x = r.settle(new(big.Int).Neg(data), typ, v.Const)
		case "~":
			x = r.settle(wrap(new(big.Int).Not(data), typ), typ, v.Const)
		}
	case float64:
		if n.Op == "-" {
			x.Data = -data
		}
	case decimal:
		if n.Op == "-" {
			x.Data = decimal{new(big.Int).Neg(data.n), data.scale}
		}
	}
	if nullable {
		x.Type = optional(x.Type)
	}
	return x
}

func (r *run) binary(n *csharp.Binary) Value {
	switch n.Op {
	case "&&", "||":
		if r.truth(r.eval(n.L)) == (n.Op == "||") {
			return boolean(n.Op == "||")
		}
		return boolean(r.truth(r.eval(n.R)))
	case "??":
		left := r.known(r.eval(n.L))
		if !left.isNull() {
			if typ := r.staticType(n.R); left.nullable() && !strings.HasSuffix(typ, "?") && typ != "null" &&
				(typ != "" || isStruct(left.inner())) {
				if inner := left.inner(); inner == "double" || inner == "float" {
					left = r.unwrapped(left) // for its digits
				}
				left.Type = left.inner()
			} else if isStruct(left.Type) && !left.nullable() {
				r.refuse("operator ?? cannot be applied to %s, which is never null (CS0019)", left.Type)
			}
			return r.common(left, n.R)
		}
		right := r.known(r.eval(n.R))
		if inner := left.inner(); isNumeric(inner) && isNumeric(right.inner()) && !right.isNull() &&
			widens(right.inner(), inner) {
			typ := right.Type
			right = r.converted(right, inner)
			right.Const = false
			if strings.HasSuffix(typ, "?") {
				right.Type = optional(inner)
			}
		}
		return right
	}
	a, b := r.known(r.eval(n.L)), r.known(r.eval(n.R))
	if text := a.Type == "string" || b.Type == "string"; !text && (r.inObject(n.L, a) || r.inObject(n.R, b)) {
		r.refuse("operator %s cannot be applied to an object: a value in it is read by a cast, as in (decimal)x", n.Op)
	}
	return r.combine(n.Op, a, b)
}

var comparisons = sync.OnceValue(func() map[string]bool {
	return map[string]bool{"==": true, "!=": true, "<": true, ">": true, "<=": true, ">=": true}
})

// holds reports whether a comparison is true for the order of its sides.
func holds(op string, order int) bool {
	switch op {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case ">":
		return order > 0
	case "<=":
		return order <= 0
	}
	return order >= 0
}

// combine is an operator on two values.
func (r *run) combine(op string, a, b Value) Value {
	equality := op == "==" || op == "!="
	if op == "+" && (a.Type == "string" || b.Type == "string") && !(a.isNull() && b.isNull() && a.Type != "string" &&
		b.Type != "string") {
		return Value{Type: "string", Data: r.string(a) + r.string(b), Const: a.Const && b.Const}
	}
	if equality && (a.Object || b.Object) && !a.isNull() && !b.isNull() {
		return boolean(r.referenceEquals(a, b) == (op == "=="))
	}
	if a.Boxed && b.Boxed {
		r.refuse("operator %s cannot be applied to %s and %s in objects; a boxed value is read by a cast, as in (int)x == 1",
			op, a.Type, b.Type)
	}
	if a.Boxed && !b.isNull() || b.Boxed && !a.isNull() { // of a dynamic variable
		a, b = r.opened(a), r.opened(b)
	}
	if a.Boxed || b.Boxed {
		return boolean(op == "!=")
	}
	if a.isNull() || b.isNull() {
		return r.withNull(op, a, b)
	}
	if x, ok := a.Data.(bool); ok {
		if y, ok := b.Data.(bool); ok {
			switch op {
			case "==":
				return boolean(x == y)
			case "!=", "^":
				return boolean(x != y)
			case "&":
				return boolean(x && y)
			case "|":
				return boolean(x || y)
			}
		}
	}
	if x, ok := a.Data.(string); ok && equality {
		if y, ok := b.Data.(string); ok {
			return boolean((x == y) == (op == "=="))
		}
	}
	if x, ok := a.Data.(typeValue); ok && equality {
		if y, ok := r.typeOf(b); ok {
			return boolean((string(x) == y) == (op == "=="))
		}
	}
	if _, ok := b.Data.(typeValue); ok && equality {
		return r.combine(op, b, a)
	}
	if x, ok := a.Data.(*tuple); ok && equality || isTuple(a) && isTuple(b) && equality {
		return r.sameTuples(op, a, b, x)
	}
	if isBig(a) || isBig(b) {
		if v, ok := r.bigOperator(op, a, b); ok {
			return v
		}
	}
	if equality && shownEnum(a) && shownEnum(b) && a.inner() == b.inner() {
		return boolean((a.Shown == b.Shown) == (op == "=="))
	}
	x, isEnum := r.enumNumber(a)
	y, alsoEnum := r.enumNumber(b)
	if isEnum || alsoEnum {
		return r.enums(op, a, b, x, y)
	}
	if typ := promoted(a, b); typ != "" {
		if op == "<<" || op == ">>" || op == ">>>" {
			return r.shift(op, a, b)
		}
		var v Value
		if comparisons()[op] && (typ == "double" || typ == "float") {
			if !r.try(func() { v = r.arithmetic(op, typ, a, b) }) {
				yes, ok := apart(op, a, b)
				if !ok {
					r.arithmetic(op, typ, a, b)
				}
				return boolean(yes)
			}
			return v
		}
		v = r.arithmetic(op, typ, a, b)
		if a.nullable() || b.nullable() {
			if !comparisons()[op] {
				v.Type = optional(v.Type)
			}
		}
		return v
	}
	if isNumeric(a.inner()) && isNumeric(b.inner()) {
		r.refuse("operator %s cannot be applied to %s and %s: cast one side", op, a.Type, b.Type)
	}
	return r.throughProgram(op, a, b)
}

func (r *run) withNull(op string, a, b Value) Value {
	if comparisons()[op] {
		both := a.isNull() && b.isNull()
		switch {
		case op == "==":
			return boolean(both)
		case op == "!=":
			return boolean(!both)
		}
		other := a
		if a.isNull() {
			other = b
		}
		if other.Type == "string" || other.Type == "bool" {
			r.refuse("operator %s cannot be applied to %s", op, other.Type)
		}
		return boolean(false)
	}
	if (op == "&" || op == "|") && (a.inner() == "bool" || b.inner() == "bool") { // three values
		known, ok := a.Data.(bool)
		if !ok {
			known, ok = b.Data.(bool)
		}
		if ok && known == (op == "|") {
			return Value{Type: "bool?", Data: known}
		}
		return nothing("bool?")
	}
	typ := promoted(Value{Type: a.inner(), Data: a.Data}, Value{Type: b.inner(), Data: b.Data})
	switch {
	case typ != "":
	case isNumeric(a.inner()) || isStruct(a.inner()):
		typ = a.inner()
	case isNumeric(b.inner()) || isStruct(b.inner()):
		typ = b.inner()
	default:
		r.refuse("operator %s cannot be applied to %s and %s", op, orNull(a.Type), orNull(b.Type))
	}
	return nothing(optional(typ))
}

func orNull(typ string) string {
	if typ == "" {
		return "null"
	}
	return typ
}

func (r *run) shift(op string, a, b Value) Value {
	typ := promoted(a, Value{Type: "int", Data: big.NewInt(0), Const: true})
	i := integers()[typ]
	count, ok := b.Data.(*big.Int)
	if i.bits == 0 || !ok || !widens(b.inner(), "int") {
		r.refuse("operator %s cannot be applied to %s and %s", op, a.Type, b.Type)
	}
	x := r.converted(a, typ).Data.(*big.Int)
	by := uint(new(big.Int).And(count, big.NewInt(int64(i.bits-1))).Int64())
	var n *big.Int
	switch {
	case op == "<<":
		n = new(big.Int).Lsh(x, by)
	case op == ">>>" && x.Sign() < 0:
		n = new(big.Int).Rsh(new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), uint(i.bits))), by)
	default:
		n = new(big.Int).Rsh(x, by)
	}
	v := Value{Type: typ, Data: wrap(n, typ), Const: a.Const && b.Const}
	if a.nullable() || b.nullable() {
		v.Type = optional(typ)
	}
	return v
}

// arithmetic computes with two numbers in their common type.
func (r *run) arithmetic(op, typ string, a, b Value) Value {
	constant := a.Const && b.Const
	x, y := r.operand(a, typ), r.operand(b, typ)
	cannot := func() { r.refuse("operator %s cannot be applied to %s and %s", op, a.Type, b.Type) }
	switch p := x.Data.(type) {
	case *big.Int:
		q := y.Data.(*big.Int)
		if comparisons()[op] {
			return boolean(holds(op, p.Cmp(q)))
		}
		n, ok := r.wholes(op, p, q)
		if !ok {
			cannot()
		}
		if op == "/" && !fits(n, typ) {
			r.throw("System.OverflowException", "Arithmetic operation resulted in an overflow.")
		}
		return r.settle(n, typ, constant)
	case float64:
		q := y.Data.(float64)
		if comparisons()[op] {
			if math.IsNaN(p) || math.IsNaN(q) {
				return boolean(op == "!=")
			}
			order := 0
			if p < q {
				order = -1
			} else if p > q {
				order = 1
			}
			return boolean(holds(op, order))
		}
		var f float64
		switch op {
		case "+":
			f = p + q
		case "-":
			f = p - q
		case "*":
			f = p * q
		case "/":
			f = p / q
		case "%":
			f = math.Mod(p, q)
		default:
			cannot()
		}
		if typ == "float" {
			f = single(f)
		}
		return Value{Type: typ, Data: f, Const: constant}
	case decimal:
		q := y.Data.(decimal)
		if comparisons()[op] {
			return boolean(holds(op, p.cmp(q)))
		}
		if !strings.Contains("+-*/%", op) {
			cannot()
		}
		if (op == "/" || op == "%") && q.n.Sign() == 0 {
			r.throw("System.DivideByZeroException", "Attempted to divide by zero.")
		}
		d, ok := p.compute(op, q)
		if !ok {
			r.throw("System.OverflowException", "Value was either too large or too small for a Decimal.")
		}
		return Value{Type: typ, Data: d, Const: constant}
	}
	cannot()
	return Value{}
}

// wholes computes with two whole numbers of any size. ok is false for an operator that they do not have.
func (r *run) wholes(op string, p, q *big.Int) (n *big.Int, ok bool) {
	n = new(big.Int)
	switch op {
	case "+":
		return n.Add(p, q), true
	case "-":
		return n.Sub(p, q), true
	case "*":
		return n.Mul(p, q), true
	case "&":
		return n.And(p, q), true
	case "|":
		return n.Or(p, q), true
	case "^":
		return n.Xor(p, q), true
	case "/", "%":
		if q.Sign() == 0 {
			r.throw("System.DivideByZeroException", "Attempted to divide by zero.")
		}
		if op == "/" {
			return n.Quo(p, q), true
		}
		return n.Rem(p, q), true
	}
	return nil, false
}

// operand converts a side of an operator to the common type.
func (r *run) operand(v Value, typ string) Value {
	v = r.exact(v)
	if v.inner() == typ {
		return v
	}
	return r.converted(Value{Type: v.inner(), Data: v.Data}, typ)
}

// throughProgram lets the program's own operators compute.
func (r *run) throughProgram(op string, operands ...Value) Value {
	texts, lifted := make([]string, len(operands)), false
	for i, v := range operands {
		if v.nullable() && !v.isNull() && v.Data == nil {
			v, lifted = r.unwrapped(v), !comparisons()[op]
			operands[i] = v
		}
		text, ok := r.spoken(v)
		if !ok {
			r.cannot(op, operands)
		}
		texts[i] = text
	}
	asked := op + texts[0]
	if len(texts) == 2 {
		asked = texts[0] + " " + op + " " + texts[1]
	}
	v, ok := r.ask(asked)
	for i := 0; !ok && len(texts) == 2 && i < 2; i++ { // a number beside a type with operators for wider ones
		for _, wide := range []string{"long", "double", "decimal"} {
			if n := operands[i]; n.Type == "int" && n.Data != nil && !ok {
				sides := []string{texts[0], texts[1]}
				sides[i], _ = r.spoken(r.converted(n, wide))
				asked = sides[0] + " " + op + " " + sides[1]
				v, ok = r.ask(asked)
			}
		}
	}
	if !ok && len(operands) == 2 {
		if same, is := r.references(op, operands[0], operands[1]); is {
			return same
		}
	}
	if !ok {
		r.cannot(op, operands)
	}
	v.Text = "(" + asked + ")"
	if lifted {
		v.Type, v.Lifted = optional(v.Type), true
	}
	return v
}

func (r *run) cannot(op string, operands []Value) {
	types := make([]string, len(operands))
	for i, v := range operands {
		types[i] = orNull(v.Type)
	}
	r.foreign("operator %s cannot be applied to %s", op, strings.Join(types, " and "))
}

// spoken writes a value as an expression for the debugger. ok is false when there is none.
func (r *run) spoken(v Value) (string, bool) {
	switch data := v.Data.(type) {
	case null:
		return "null", true
	case bool:
		return map[bool]string{true: "true", false: "false"}[data], true
	case *big.Int:
		switch typ := v.inner(); typ {
		case "char":
			return charText(data)
		case "int", "long", "uint", "ulong":
			suffix := map[string]string{"long": "L", "uint": "u", "ulong": "UL"}[typ]
			text := data.String() + suffix
			if data.Sign() < 0 {
				if least := new(big.Int).Neg(data); !fits(least, typ) {
					return "(" + new(big.Int).Add(data, big.NewInt(1)).String() + suffix + " - 1" + suffix + ")", true
				}
				text = "(" + text + ")"
			}
			return text, true
		}
		return v.Text, v.Text != ""
	case float64:
		if math.IsNaN(data) || math.IsInf(data, 0) {
			return v.Text, v.Text != ""
		}
		text := floatText(data, v.inner()) + map[string]string{"double": "d", "float": "f"}[v.inner()]
		if data < 0 || math.Signbit(data) {
			text = "(" + text + ")"
		}
		return text, true
	case decimal:
		text := data.String() + "m"
		if data.n.Sign() < 0 {
			text = "(" + text + ")"
		}
		return text, true
	case string:
		if v.Text != "" && isPlain(v.Text) {
			return v.Text, true
		}
		return quote(data), true
	}
	if v.Text == "" || !r.mayRepeat(v.Text) {
		return "", false
	}
	if v.Boxed {
		return v.Text + ".m_value", true
	}
	return v.Text, true
}

// isPlain reports whether a text is a variable, field or element.
func isPlain(text string) bool { return !strings.ContainsAny(text, "()=+-*/%&|?:;<>!~ \"'") }
