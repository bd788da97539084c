package interpreter

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// parsed reads a number that is written as in C#.
func (r *run) parsed(typ, s string) (Value, bool) {
	d, ok := parseDecimal(strings.TrimPrefix(s, "-"))
	if !ok || s == "" || strings.ContainsAny(s[1:], "+-eE_, ") || strings.HasSuffix(s, ".") || strings.HasPrefix(s, ".") {
		return Value{}, false
	}
	if strings.HasPrefix(s, "-") {
		d.n = new(big.Int).Neg(d.n)
	}
	switch {
	case typ == "decimal":
		return Value{Type: typ, Data: d}, true
	case typ == "double":
		f, err := strconv.ParseFloat(s, 64)
		return Value{Type: typ, Data: f}, err == nil
	case d.scale == 0 && fits(d.n, typ):
		return Value{Type: typ, Data: d.n}, true
	}
	return Value{}, false
}

// staticKnown calls functions of the runtime that the debugger cannot call.
func (r *run) staticKnown(typ, name string, args []Value) (Value, bool) {
	if typ == "BigInteger" {
		return r.bigFunction(name, args)
	}
	switch typ + "." + name {
	case "string.Join", "String.Join":
		if len(args) < 2 {
			break
		}
		items := args[1:]
		if len(items) == 1 && items[0].Type != "string" {
			s, ok := r.sequenceOf(items[0])
			if !ok {
				break
			}
			items = r.all(s)
		}
		parts := make([]string, len(items))
		for i, v := range items {
			parts[i] = r.string(v)
		}
		return text(strings.Join(parts, r.string(args[0]))), true
	case "string.Concat", "String.Concat":
		items := args
		if len(items) == 1 && items[0].Type != "string" {
			s, ok := r.sequenceOf(items[0])
			if !ok {
				break
			}
			items = r.all(s)
		}
		out := ""
		for _, v := range items {
			out += r.string(v)
		}
		return text(out), true
	case "string.IsNullOrEmpty", "String.IsNullOrEmpty":
		if s, ok := firstText(args); ok || len(args) == 1 && args[0].isNull() {
			return boolean(s == ""), true
		}
	case "string.IsNullOrWhiteSpace", "String.IsNullOrWhiteSpace":
		if s, ok := firstText(args); ok || len(args) == 1 && args[0].isNull() {
			return boolean(strings.TrimSpace(s) == ""), true
		}
	case "object.ReferenceEquals", "Object.ReferenceEquals":
		if len(args) == 2 {
			return boolean(r.referenceEquals(args[0], args[1])), true
		}
	case "string.Equals", "String.Equals", "object.Equals", "Object.Equals":
		if len(args) == 2 && (args[0].isNull() || args[1].isNull()) {
			return boolean(args[0].isNull() == args[1].isNull()), true
		}
		if len(args) == 2 && args[0].Data != nil && args[1].Data != nil {
			return boolean(args[0].inner() == args[1].inner() && r.same(args[0], args[1])), true
		}
		if len(args) == 3 {
			a, ok := args[0].Data.(string)
			if b, also := args[1].Data.(string); ok && also {
				return r.textMethod(args[0], a, "Equals", []Value{text(b), args[2]})
			}
		}
	case "string.Compare", "String.Compare":
		if len(args) == 3 {
			if mode, ok := r.comparison(args[2]); ok {
				a, ok1 := args[0].Data.(string)
				b, ok2 := args[1].Data.(string)
				if ok1 && ok2 && mode == ignoreCase && isASCII(a) && isASCII(b) {
					return whole(int64(ordinal(strings.ToUpper(a), strings.ToUpper(b)))), true
				}
			}
		}
	case "Enum.Parse":
		full, ok := "", false
		if len(args) == 2 {
			full, ok = r.typeOf(args[0])
		}
		if s, isText := args[len(args)-1].Data.(string); ok && isText {
			if i := slices.Index(r.enumType(full).names, strings.TrimSpace(s)); i >= 0 {
				return r.enumValue(full, r.enumType(full).values[i]), true
			}
		}
	case "Enum.IsDefined":
		if len(args) == 2 {
			full, ok := r.typeOf(args[0])
			e := r.enumType(full)
			if s, isText := args[1].Data.(string); ok && isText && len(e.names) > 0 {
				return boolean(slices.Contains(e.names, s)), true
			}
			if n, whole := args[1].Data.(*big.Int); ok && whole && args[1].Type == e.under && len(e.names) > 0 {
				return boolean(slices.ContainsFunc(e.values, func(x *big.Int) bool { return x.Cmp(n) == 0 })), true
			}
			if n, ok := r.enumNumber(args[1]); ok {
				for _, x := range r.enumType(args[1].inner()).values {
					if x.Cmp(n.n) == 0 {
						return boolean(true), true
					}
				}
				return boolean(false), len(r.enumType(args[1].inner()).values) > 0
			}
		}
	case "Enum.GetNames", "Enum.GetValues", "Enum.GetName":
		return r.enumMembers(name, args)
	case "Array.IndexOf":
		if len(args) == 2 {
			if s, ok := r.sequenceOf(args[0]); ok {
				i := 0
				for v := range s.each {
					if r.same(v, args[1]) {
						return whole(int64(i)), true
					}
					i++
				}
				return whole(-1), true
			}
		}
	case "double.Parse", "decimal.Parse", "int.Parse", "long.Parse":
		if s, ok := firstText(args); ok && len(args) == 2 && strings.HasSuffix(args[1].Text, "CultureInfo.InvariantCulture") {
			return r.parsed(strings.TrimSuffix(typ, ".Parse"), s)
		}
	case "KeyValuePair.Create":
		if len(args) == 2 {
			return keyValue(args[0], args[1]), true
		}
	case "Math.Max", "Math.Min":
		if len(args) == 2 {
			typ := promoted(args[0], args[1])
			if i := integers()[typ]; i.bits != 0 && !args[0].nullable() && !args[1].nullable() {
				a, b := r.operand(args[0], typ), r.operand(args[1], typ)
				if (a.Data.(*big.Int).Cmp(b.Data.(*big.Int)) > 0) == (name == "Max") {
					return Value{Type: typ, Data: a.Data}, true
				}
				return Value{Type: typ, Data: b.Data}, true
			}
		}
	case "Math.Abs":
		if len(args) != 1 {
			break
		}
		if n, ok := args[0].Data.(*big.Int); ok && (args[0].Type == "int" || args[0].Type == "long") {
			if !fits(new(big.Int).Abs(n), args[0].Type) {
				r.throw("System.OverflowException", "Negating the minimum value of a twos complement number is invalid.")
			}
			return Value{Type: args[0].Type, Data: new(big.Int).Abs(n)}, true
		}
	}
	return Value{}, false
}

// enumMembers is Enum.GetNames, GetValues and GetName for the type of an enum.
func (r *run) enumMembers(function string, args []Value) (Value, bool) {
	if len(args) == 0 {
		return Value{}, false
	}
	full, ok := r.typeOf(args[0])
	last := args[len(args)-1]
	n, is := r.enumNumber(last)
	e := r.enumType(last.inner())
	if by, whole := last.Data.(*big.Int); ok && whole && len(args) == 2 {
		n, is, e = number{n: by}, true, r.enumType(full)
	}
	if function == "GetName" && is && (len(args) == 1 || ok) {
		for i, x := range e.values {
			if x.Cmp(n.n) == 0 {
				return text(e.names[i]), true
			}
		}
		return nothing("string"), len(e.values) > 0
	}
	e = r.enumType(full)
	if !ok || len(args) != 1 || len(e.names) == 0 {
		return Value{}, false
	}
	l := &list{elem: "string", shown: "string[]"}
	if function == "GetValues" {
		l.elem, l.shown = full, full+"[]"
	}
	for i := range e.names {
		if function == "GetValues" {
			l.items = append(l.items, r.enumValue(full, e.values[i]))
		} else {
			l.items = append(l.items, text(e.names[i]))
		}
	}
	return Value{Type: l.shown, Data: l.sequence()}, function != "GetName"
}
