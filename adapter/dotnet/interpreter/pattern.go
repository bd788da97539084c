package interpreter

import (
	"math/big"
	"strings"

	"breakwire/mapping/csharp"
)

// matches reports whether a value matches a pattern. It binds the pattern's variables.
func (r *run) matches(v Value, n csharp.Node) bool {
	v = r.known(v)
	switch n := n.(type) {
	case *csharp.Discard:
		return true
	case *csharp.VarPattern:
		if n.Names != nil {
			r.refuse("breakwire does not take a value apart with var (...)")
		}
		r.bind(n.Name, v)
		return true
	case *csharp.ParenPattern:
		return r.matches(v, n.X)
	case *csharp.Not:
		return !r.matches(v, n.X)
	case *csharp.Both:
		if yes := r.matches(v, n.L); yes == (n.Op == "or") {
			return yes
		}
		return r.matches(v, n.R)
	case *csharp.Relation:
		return r.matchesValue(n.Op, v, r.eval(n.X))
	case *csharp.Constant:
		return r.matchesConstant(v, n.X)
	case *csharp.TypePattern:
		yes := r.matchesType(v, n.Type)
		if yes {
			r.bind(n.Name, r.opened(v))
		}
		return yes
	case *csharp.Properties:
		return r.matchesProperties(v, n)
	case *csharp.ListPattern:
		return r.matchesList(v, n)
	}
	r.foreign("breakwire does not evaluate the pattern %s", csharp.String(n))
	return false
}

func (r *run) matchesType(v Value, t *csharp.Type) bool {
	if v.isNull() {
		return false
	}
	if named(v.inner(), t.String()) {
		return true
	}
	yes, certain := r.isType(v, r.typeBeside(v, t))
	if !certain {
		r.foreign("whether it is a %s cannot be told", t.String())
	}
	return yes
}

// opened is the value of a nullable or in a box.
func (r *run) opened(v Value) Value {
	v.Object = false
	switch {
	case v.isNull():
		return v
	case v.Boxed:
		return r.child(v, "m_value")
	case v.nullable():
		return r.unwrapped(v)
	}
	return v
}

func (r *run) matchesConstant(v Value, n csharp.Node) bool {
	if t := asType(n); t != nil {
		if l, isName := n.(*csharp.Name); isName && l.Keyword && fullNames()[l.Name] != "" {
			return r.matchesType(v, t)
		}
		c := r.eval(n)
		if _, is := c.Data.(typeName); is {
			return r.matchesType(v, t)
		}
		return r.matchesValue("==", v, c)
	}
	return r.matchesValue("==", v, r.eval(n))
}

// asType returns a name with its members as a type; nil for other expressions.
func asType(n csharp.Node) *csharp.Type {
	switch n := n.(type) {
	case *csharp.Name:
		return &csharp.Type{Names: []csharp.TypeName{{Name: n.Name, Keyword: n.Keyword, Args: n.Args}}}
	case *csharp.Member:
		if t := asType(n.Of); t != nil && n.Op == "." {
			t.Names = append(t.Names, csharp.TypeName{Name: n.Name, Args: n.Args})
			return t
		}
	}
	return nil
}

// matchesValue compares with a constant. A value in a box must have the constant's type.
func (r *run) matchesValue(op string, v, constant Value) bool {
	constant = r.known(constant)
	if constant.isNull() {
		return v.isNull() == (op == "==")
	}
	if v.isNull() {
		return false
	}
	if v.Boxed {
		if v.Type != constant.Type {
			return false
		}
		v = r.opened(v)
	} else if isSimple(v.inner()) && (isNumeric(v.inner()) != isNumeric(constant.inner())) {
		r.foreign("a %s is never a %s", v.Type, constant.Type)
	}
	if isNumeric(v.inner()) && isNumeric(constant.inner()) && !widens(constant.inner(), v.inner()) {
		if !constant.Const {
			r.foreign("a %s is never a %s", v.Type, constant.Type)
		}
		constant = r.converted(constant, v.inner())
	}
	return r.truth(r.combine(op, v, constant))
}

func (r *run) matchesProperties(v Value, n *csharp.Properties) bool {
	if v.isNull() || n.Type != nil && !r.matchesType(v, n.Type) {
		return false
	}
	v = r.opened(v)
	if n.HasItems {
		items := r.deconstructed(v, len(n.Items))
		if len(items) != len(n.Items) {
			r.refuse("the tuple has %d elements, the pattern %d", len(items), len(n.Items))
		}
		for i, p := range n.Items {
			if !r.matches(items[i], p.Pattern) {
				return false
			}
		}
	}
	for _, p := range n.Named {
		at := v
		for i, name := range p.Path {
			if at = r.known(at); i > 0 && at.isNull() {
				return false
			}
			at = r.member(r.opened(at), name)
		}
		if !r.matches(at, p.Pattern) {
			return false
		}
	}
	r.bind(n.Name, v)
	return true
}

func (r *run) matchesList(v Value, n *csharp.ListPattern) bool {
	if v.isNull() {
		return false
	}
	items, ok := r.sequenceOf(v)
	if !ok {
		r.refuse("breakwire does not know the elements of a %s", v.Type)
	}
	all := r.all(items)
	slice := -1
	for i, p := range n.Items {
		if _, is := p.(*csharp.SlicePattern); is {
			slice = i
		}
	}
	fixed := len(n.Items)
	if slice >= 0 {
		fixed--
	}
	if len(all) < fixed || slice < 0 && len(all) != fixed {
		return false
	}
	for i, p := range n.Items {
		switch {
		case i == slice:
			if s := p.(*csharp.SlicePattern); s.X != nil {
				rest := r.listed(items.of(all[i : i+len(all)-fixed]))
				if !r.matches(Value{Type: v.Type, Data: rest.sequence()}, s.X) {
					return false
				}
			}
		case slice >= 0 && i > slice:
			if !r.matches(all[len(all)-len(n.Items)+i], p) {
				return false
			}
		default:
			if !r.matches(all[i], p) {
				return false
			}
		}
	}
	r.bind(n.Name, v)
	return true
}

func isTuple(v Value) bool {
	_, known := v.Data.(*tuple)
	return known && v.Type != "anonymous type" || strings.HasPrefix(v.Type, "System.ValueTuple<") && !v.nullable()
}

// tupleOf returns the elements of a tuple.
func (r *run) tupleOf(v Value) []Value {
	if t, ok := v.Data.(*tuple); ok {
		return t.items
	}
	if v.Ref == 0 {
		r.refuse("the debugger does not tell the elements of the tuple")
	}
	var out []Value
	for _, m := range r.members(v, 0, 0) {
		if strings.HasPrefix(m.Name, "Item") && !strings.ContainsAny(m.Name, ". ") && m.Name != "Item" {
			out = append(out, m)
		}
	}
	return out
}

func (r *run) sameTuples(op string, a, b Value, _ *tuple) Value {
	if !isTuple(a) || !isTuple(b) {
		r.refuse("operator %s cannot be applied to %s and %s", op, a.Type, b.Type)
	}
	x, y := r.tupleOf(a), r.tupleOf(b)
	if len(x) != len(y) {
		r.refuse("the tuples have %d and %d elements", len(x), len(y))
	}
	for i := range x {
		if !r.truth(r.combine("==", x[i], y[i])) {
			return boolean(op == "!=")
		}
	}
	return boolean(op == "==")
}

// deconstructed takes a tuple or a record apart. The compiler gives a record a Deconstruct for its parameters, which
// are its properties.
func (r *run) deconstructed(v Value, count int) []Value {
	if isTuple(v) {
		return r.tupleOf(v)
	}
	const generated = "System.Runtime.CompilerServices.CompilerGeneratedAttribute"
	if of, ok := r.receiver(v); ok && r.program.Calls() {
		for _, s := range r.methods(of+".GetType()", "Deconstruct") {
			if len(s.params) != count || !r.hasAttribute(s.text, generated) {
				continue
			}
			var items []Value
			for _, name := range r.names(s) {
				items = append(items, r.known(r.member(v, name)))
			}
			return items
		}
	}
	r.refuse("breakwire takes only tuples and records apart in a pattern; write the members' names, as in { X: 1 }")
	return nil
}

// hasAttribute reports whether a type or a method, as the text of its description, has an attribute.
func (r *run) hasAttribute(of, attribute string) bool {
	attributes := of + ".GetCustomAttributesData()"
	v, ok := r.ask(attributes + ".Count")
	n, is := v.Data.(*big.Int)
	for i := int64(0); ok && is && i < min(n.Int64(), 8); i++ {
		name, _ := r.ask(attributes + "[" + big.NewInt(i).String() + "].AttributeType.FullName")
		if name.Data == any(attribute) {
			return true
		}
	}
	return false
}
