package interpreter

import (
	"math/big"
	"strings"
)

func (r *run) aggregate(s *sequence, name string, args []Value, f func(int) func(...Value) Value) Value {
	switch name {
	case "Aggregate":
		at, fn := Value{}, 0
		started := len(args) > 1
		if started {
			at, fn = args[0], 1
		}
		step := f(fn)
		for x := range s.each {
			if !started {
				at, started = x, true
				continue
			}
			at = step(at, x)
			at.Const = false
		}
		if !started {
			r.throw("System.InvalidOperationException", "Sequence contains no elements")
		}
		if len(args) > 2 {
			return f(2)(at)
		}
		at.Const = false
		return at
	case "MinBy", "MaxBy":
		key := f(0)
		var best, bestKey Value
		n := 0
		for x := range s.each {
			k := key(x)
			better := n == 0
			if !better && !k.isNull() {
				c := r.compare(k, bestKey)
				better = bestKey.isNull() || c != 0 && (c < 0) == (name == "MinBy")
			}
			if better {
				best, bestKey = x, k
			}
			n++
		}
		if n == 0 {
			if isStruct(s.elem) || s.elem == "" {
				r.throw("System.InvalidOperationException", "Sequence contains no elements")
			}
			return nothing(s.elem)
		}
		return best
	}
	each := s.each
	elem := s.elem
	if len(args) == 1 {
		p := f(0)
		elem = ""
		each = func(yield func(Value) bool) {
			for x := range s.each {
				if !yield(p(x)) {
					return
				}
			}
		}
	}
	all := collect(each)
	for i := range all {
		all[i].Const = false
	}
	if len(all) > 0 && elem == "" {
		elem = all[0].Type
	}
	typ := strings.TrimSuffix(elem, "?")
	var present []Value
	for _, x := range all {
		if !x.isNull() {
			x.Type = x.inner()
			present = append(present, x)
		}
	}
	if name == "Min" || name == "Max" {
		return r.extreme(name, elem, present)
	}
	if wide := map[string]string{"char": "int", "short": "int", "byte": "int", "sbyte": "int", "ushort": "int",
		"uint": "long"}[typ]; wide != "" && len(args) == 1 { // what the lambda gives is converted
		for i, x := range present {
			present[i] = r.converted(x, wide)
		}
		elem, typ = wide+strings.TrimPrefix(elem, typ), wide
	}
	if !isNumeric(typ) || typ == "char" || typ == "short" || typ == "byte" || typ == "sbyte" || typ == "ushort" ||
		typ == "uint" || typ == "ulong" {
		r.refuse("there is no %s of %s: %s cannot be called like that", name, orNull(elem), name)
	}
	return r.summed(name, typ, elem, present)
}

func (r *run) extreme(name, elem string, present []Value) Value {
	if len(present) == 0 {
		if strings.HasSuffix(elem, "?") || elem != "" && !isStruct(elem) {
			return nothing(elem)
		}
		r.throw("System.InvalidOperationException", "Sequence contains no elements")
	}
	best := present[0]
	for _, x := range present[1:] {
		if c := r.compare(x, best); c != 0 && (c < 0) == (name == "Min") {
			best = x
		}
	}
	if strings.HasSuffix(elem, "?") {
		best.Type = elem
	}
	return best
}

// summed is Sum and Average, in the types in which LINQ adds.
func (r *run) summed(name, typ, elem string, present []Value) Value {
	saved := r.checked
	r.checked = true
	defer func() { r.checked = saved }()
	wide := typ
	if typ == "float" || name == "Average" && typ != "decimal" {
		wide = "double"
	}
	if name == "Average" && integers()[typ].bits != 0 {
		wide = "long"
	}
	zero := map[string]any{"decimal": decimal{big.NewInt(0), 0}, "double": float64(0), "float": float64(0)}[wide]
	if zero == nil {
		zero = big.NewInt(0)
	}
	sum := Value{Type: wide, Data: zero}
	for _, x := range present {
		sum = r.arithmetic("+", wide, sum, x)
	}
	out := sum
	if name == "Average" {
		if len(present) == 0 {
			if strings.HasSuffix(elem, "?") {
				return nothing(optional(typ))
			}
			r.throw("System.InvalidOperationException", "Sequence contains no elements")
		}
		result := "double"
		if typ == "decimal" {
			result = "decimal"
		}
		out = r.arithmetic("/", result, r.converted(sum, result), whole(int64(len(present))))
		if typ == "float" {
			out = r.converted(out, "float")
		}
	} else if typ == "float" {
		out = r.converted(sum, "float")
	}
	if strings.HasSuffix(elem, "?") {
		out.Type = optional(out.Type)
	}
	return out
}
