package interpreter

import (
	"math/big"
	"strings"

	"breakwire/mapping/csharp"
)

// rearranged computes the methods that give a sequence of other elements or in another order.
func (r *run) rearranged(v Value, s *sequence, of *csharp.Member, args []Value, f func(int) func(...Value) Value,
	lazy lazily) Value {
	name := of.Name
	count := func() int { return r.position(args[0]) }
	const needing = " Skip Take SkipLast TakeLast Zip Concat Union Intersect Except Append Prepend Chunk "
	if len(args) == 0 && strings.Contains(needing, " "+name+" ") {
		r.foreign("%s takes an argument", name)
	}
	itself := func(x ...Value) Value { return x[0] }
	switch name {
	case "OrderBy", "OrderByDescending":
		return r.sorted(s, []order{{f(0), strings.HasSuffix(name, "Descending")}})
	case "Order", "OrderDescending":
		return r.sorted(s, []order{{itself, strings.HasSuffix(name, "Descending")}})
	case "ThenBy", "ThenByDescending":
		if s.orders == nil {
			r.foreign("ThenBy follows OrderBy")
		}
		return r.sorted(s.source, append(append([]order{}, s.orders...), order{f(0), strings.HasSuffix(name, "Descending")}))
	case "Reverse":
		return lazy(s.elem, func(yield func(Value) bool) {
			all := append([]Value{}, r.all(s)...)
			reverse(all)
			for _, x := range all {
				if !yield(x) {
					return
				}
			}
		})
	case "Skip", "Take":
		if part, ok := args[0].Data.(interval); ok && name == "Take" {
			return lazy(s.elem, func(yield func(Value) bool) {
				all := r.all(s)
				from, to := r.edge(part.from, 0, len(all)), r.edge(part.to, len(all), len(all))
				for _, x := range all[min(from, to):to] {
					if !yield(x) {
						return
					}
				}
			})
		}
		n := count()
		return lazy(s.elem, func(yield func(Value) bool) {
			i := 0
			if name == "Take" && n <= 0 {
				return
			}
			for x := range s.each {
				i++
				if (i > n) == (name == "Skip") && !yield(x) || name == "Take" && i == n {
					return
				}
			}
		})
	case "SkipLast", "TakeLast":
		return lazy(s.elem, func(yield func(Value) bool) {
			all := r.all(s)
			at := min(max(len(all)-count(), 0), len(all))
			part := all[:at]
			if name == "TakeLast" {
				part = all[at:]
			}
			for _, x := range part {
				if !yield(x) {
					return
				}
			}
		})
	case "SkipWhile", "TakeWhile":
		p := f(0)
		return lazy(s.elem, func(yield func(Value) bool) {
			i, skipping := int64(0), true
			for x := range s.each {
				if skipping {
					skipping = r.truth(p(x, whole(i)))
					i++
				}
				if name == "TakeWhile" && !skipping {
					return
				}
				if (name == "TakeWhile" || !skipping) && !yield(x) {
					return
				}
			}
		})
	case "Zip":
		other := r.argument(args, 0)
		var join func(...Value) Value
		if len(args) > 1 {
			join = f(1)
		}
		return lazy("", func(yield func(Value) bool) {
			b := r.all(other)
			i := 0
			for x := range s.each {
				if i == len(b) {
					return
				}
				y := Value{Type: "(" + x.Type + ", " + b[i].Type + ")",
					Data: &tuple{items: []Value{x, b[i]}, names: []string{"First", "Second"}}}
				if join != nil {
					y = join(x, b[i])
				}
				if i++; !yield(y) {
					return
				}
			}
		})
	case "Concat", "Append", "Prepend":
		one := (&list{items: args[:1]}).sequence()
		first, second := s, one
		switch name {
		case "Concat":
			second = r.argument(args, 0)
		case "Prepend":
			first, second = one, s
		}
		return lazy(s.elem, func(yield func(Value) bool) {
			for _, part := range []*sequence{first, second} {
				for x := range part.each {
					if !yield(x) {
						return
					}
				}
			}
		})
	case "Distinct", "DistinctBy", "Union", "Intersect", "Except":
		return r.set(s, name, args, f, lazy)
	case "GroupBy", "ToLookup":
		return r.grouped(s, name, args, f)
	case "ToDictionary":
		return r.dictionary(s, args, f)
	case "Chunk":
		n := count()
		if n < 1 {
			r.throw("System.ArgumentOutOfRangeException", "size")
		}
		return lazy(s.elem+"[]", func(yield func(Value) bool) {
			all := r.all(s)
			for at := 0; at < len(all); at += n {
				l := &list{all[at:min(at+n, len(all))], s.elem, s.elem + "[]"}
				if !yield(Value{Type: l.shown, Data: l.sequence()}) {
					return
				}
			}
		})
	case "DefaultIfEmpty":
		return lazy(s.elem, func(yield func(Value) bool) {
			some := false
			for x := range s.each {
				some = true
				if !yield(x) {
					return
				}
			}
			if !some {
				if len(args) > 0 {
					yield(args[0])
					return
				}
				yield(r.zero(r.typeFor(r.parseType(s.elem))))
			}
		})
	case "Join":
		return r.joined(s, args, f, lazy)
	}
	r.foreign("breakwire does not know %s of a %s", name, v.Type)
	return Value{}
}

// edge is an end of a range, inside of a sequence.
func (r *run) edge(v Value, otherwise, length int) int {
	at := otherwise
	if e, ok := v.Data.(fromEnd); ok {
		at = length - e.n
	} else if v.Type != "" {
		at = r.position(v)
	}
	return min(max(at, 0), length)
}

func (r *run) set(s *sequence, name string, args []Value, f func(int) func(...Value) Value, lazy lazily) Value {
	itself := func(v Value) Value { return v }
	key := itself
	if name == "DistinctBy" {
		by := f(0)
		key = func(v Value) Value { return by(v) }
	} else if name == "Distinct" && len(args) > 0 || len(args) > 1 {
		r.refuse("breakwire knows no comparers")
	}
	return lazy(s.elem, func(yield func(Value) bool) {
		all := r.all(s)
		var other []Value
		if name == "Union" || name == "Intersect" || name == "Except" {
			other = r.all(r.argument(args, 0))
		}
		if name == "Union" {
			all = append(append([]Value{}, all...), other...)
		}
		for _, x := range r.distinct(all, key) {
			if name == "Intersect" || name == "Except" {
				found := false
				for _, y := range other {
					found = found || r.same(x, y)
				}
				if found != (name == "Intersect") {
					continue
				}
			}
			if !yield(x) {
				return
			}
		}
	})
}

// groups puts elements with equal keys together, in the order of their first ones.
func (r *run) groups(s *sequence, key, element func(...Value) Value) []Value {
	var keys []Value
	var groups [][]Value
	at := map[string]int{}
next:
	for x := range s.each {
		k := key(x)
		y := element(x)
		if text, ok := plainKey(k); ok {
			i, known := at[text]
			if !known {
				i = len(keys)
				at[text] = i
				keys, groups = append(keys, k), append(groups, nil)
			}
			groups[i] = append(groups[i], y)
			continue
		}
		for i, have := range keys {
			if r.same(k, have) {
				groups[i] = append(groups[i], y)
				continue next
			}
		}
		keys, groups = append(keys, k), append(groups, []Value{y})
	}
	var out []Value
	for i, g := range groups {
		elem := g[0].Type
		l := &list{g, elem, "System.Linq.IGrouping<" + keys[i].Type + ", " + elem + ">"}
		group := l.sequence()
		group.key = &keys[i]
		out = append(out, Value{Type: l.shown, Data: group})
	}
	return out
}

func (r *run) grouped(s *sequence, name string, args []Value, f func(int) func(...Value) Value) Value {
	itself := func(x ...Value) Value { return x[0] }
	element := itself
	if len(args) == 2 && name == "ToLookup" || len(args) == 2 && takes(args[1], 1) {
		element = f(1)
	} else if len(args) > 1 {
		r.refuse("breakwire knows GroupBy with a key and an element")
	}
	out := r.groups(s, f(0), element)
	elem, types := "", ""
	if len(out) > 0 {
		elem = out[0].Type
		types = strings.TrimPrefix(elem, "System.Linq.IGrouping")
	}
	if name == "GroupBy" {
		l := &list{out, elem, enumerable + elem + ">"}
		return Value{Type: l.shown, Data: l.sequence()}
	}
	l := &list{out, elem, "System.Linq.ILookup" + types}
	lookup := l.sequence()
	return Value{Type: l.shown, Data: lookup}
}

func takes(v Value, params int) bool {
	f, ok := v.Data.(*function)
	return ok && len(f.params) == params
}

func (r *run) dictionary(s *sequence, args []Value, f func(int) func(...Value) Value) Value {
	key := f(0)
	value := func(x ...Value) Value { return x[0] }
	if len(args) > 1 {
		value = f(1)
	}
	l := &list{}
	known := map[string]bool{}
	for x := range s.each {
		k := key(x)
		if k.isNull() {
			r.throw("System.ArgumentNullException", "Value cannot be null. (Parameter 'key')")
		}
		text, ok := plainKey(k)
		if !ok {
			for _, have := range l.items {
				if r.same(have.Data.(*tuple).items[0], k) {
					text, ok = "", true
					known[""] = true
				}
			}
		}
		if ok && known[text] {
			r.throw("System.ArgumentException", "An item with the same key has already been added. Key: %s", r.show(k))
		}
		if ok {
			known[text] = true
		}
		l.items = append(l.items, keyValue(k, value(x)))
	}
	l.elem = collections + "KeyValuePair<object, object>"
	types := "<object, object>"
	if len(l.items) > 0 {
		l.elem = l.items[0].Type
		types = strings.TrimPrefix(l.elem, collections+"KeyValuePair")
	}
	l.shown = collections + "Dictionary" + types
	return Value{Type: l.shown, Data: l.sequence()}
}

func (r *run) joined(s *sequence, args []Value, f func(int) func(...Value) Value, lazy lazily) Value {
	if len(args) != 4 {
		r.foreign("Join takes four arguments")
	}
	other := r.argument(args, 0)
	outer, inner, result := f(1), f(2), f(3)
	return lazy("", func(yield func(Value) bool) {
		all := r.all(other)
		for x := range s.each {
			k := outer(x)
			for _, y := range all {
				if r.same(k, inner(y)) && !yield(result(x, y)) {
					return
				}
			}
		}
	})
}

// generated is Enumerable.Range and Repeat.
func (r *run) generated(name string, args []Value) Value {
	if len(args) != 2 {
		r.foreign("%s takes two arguments", name)
	}
	n := r.position(args[1])
	l := &list{elem: args[0].Type}
	if n < 0 || n > maxElements {
		r.refuse("breakwire makes at most %d elements", maxElements)
	}
	for i := range n {
		v := args[0]
		v.Const = false
		if name == "Range" {
			v.Data = new(big.Int).Add(args[0].Data.(*big.Int), big.NewInt(int64(i)))
		}
		l.items = append(l.items, v)
	}
	l.shown = enumerable + l.elem + ">"
	return Value{Type: l.shown, Data: l.sequence()}
}

// translated writes a query as calls of LINQ, as the compiler does.
func translated(q *csharp.Query) csharp.Node {
	var source csharp.Node
	var vars []string
	body := func(x csharp.Node) *csharp.Lambda {
		if len(vars) == 1 {
			return &csharp.Lambda{Params: []csharp.Parameter{{Name: vars[0]}}, Body: x}
		}
		return &csharp.Lambda{Params: []csharp.Parameter{{Name: transparent}}, Body: x}
	}
	call := func(name string, args ...csharp.Node) {
		c := &csharp.Call{Of: &csharp.Member{Of: source, Op: ".", Name: name}}
		for _, a := range args {
			c.Args = append(c.Args, csharp.Argument{Value: a})
		}
		source = c
	}
	all := func() *csharp.Anonymous {
		a := &csharp.Anonymous{}
		for _, v := range vars {
			a.Items = append(a.Items, csharp.Argument{Name: v, Value: &csharp.Name{Name: v}})
		}
		return a
	}
	for i, c := range q.Clauses {
		switch c.Op {
		case "from":
			if i == 0 {
				source, vars = c.X, []string{c.Name}
				continue
			}
			outer := body(c.X)
			inner := body(nil)
			vars = append(vars, c.Name)
			a := all()
			inner.Params = append(inner.Params, csharp.Parameter{Name: c.Name})
			inner.Body = a
			call("SelectMany", outer, inner)
		case "let":
			l := body(nil)
			vars = append(append([]string{}, vars...), c.Name)
			a := all()
			a.Items[len(a.Items)-1].Value = c.X
			l.Body = a
			call("Select", l)
		case "where":
			call("Where", body(c.X))
		case "orderby":
			for j, k := range c.Keys {
				name := map[bool]string{true: "OrderBy", false: "ThenBy"}[j == 0]
				if k.Direction == "descending" {
					name += "Descending"
				}
				call(name, body(k.X))
			}
		case "select":
			call("Select", body(c.X))
		case "group":
			call("GroupBy", body(c.By), body(c.X))
		case "into":
			vars = []string{c.Name}
		case "join":
			if c.Into != "" {
				return &csharp.Unary{Op: "join ... into of a query", X: c.X}
			}
			key := &csharp.Lambda{Params: []csharp.Parameter{{Name: c.Name}}, Body: c.Equals}
			on, result := body(c.On), body(nil)
			vars = append(append([]string{}, vars...), c.Name)
			result.Params = append(result.Params, csharp.Parameter{Name: c.Name})
			result.Body = all()
			call("Join", c.X, on, key, result)
		default:
			return &csharp.Unary{Op: c.Op + " of a query", X: c.X}
		}
	}
	return source
}

// transparent is the parameter that has all variables of a query as its members.
const transparent = "<all>"
