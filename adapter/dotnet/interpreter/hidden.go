package interpreter

import (
	"slices"
	"strings"

	"breakwire/mapping/csharp"
)

// The debugger takes a member of an object's own type. C# takes that of the declared type, which is another one where
// a member hides one of a base class by new.

// hides reports whether an object's type has a member that hides another one.
func (r *run) hides(v Value, member string) bool {
	typ := strings.ReplaceAll(v.inner(), "+", ".")
	return slices.Contains(r.program.Hiding(member), typ)
}

// hidden evaluates of.member, or of.member(args), of the declared type of an object. ok is false when nothing is hidden
// from that type.
func (r *run) hidden(v Value, of csharp.Node, member string, args []csharp.Argument, call bool) (Value, bool) {
	if !r.hides(v, member) {
		return Value{}, false
	}
	t, ok := r.declaredType(of, v)
	if !ok {
		r.refuse("%s.%s hides a member of a base class, and the declared type of %s is not known here: cast it, as in "+
			"((%s)%s).%s", v.inner(), member, csharp.String(of), v.inner(), csharp.String(of), member)
	}
	if t.full == v.inner() {
		return Value{}, false
	}
	name := member
	if !call {
		name = "get_" + member
	}
	all := r.methods(typeExpr(t.clr), name)
	if len(all) == 0 {
		r.refuse("there is no %s in %s", member, t.full)
	}
	c := r.choose(all, r.given(args), nil, member)
	values, want := r.withReceiver(v, c)
	got, ok := r.byDelegate(c, c.text, values, want)
	if !ok {
		r.refuse("the debugger cannot call %s of %s on a %s", member, t.full, v.inner())
	}
	return got, true
}

// declaredType is the type that the compiler knows of an expression.
func (r *run) declaredType(n csharp.Node, v Value) (typeText, bool) {
	switch n := n.(type) {
	case *csharp.Paren:
		return r.declaredType(n.X, v)
	case *csharp.Cast:
		return r.resolve(n.Type)
	case *csharp.As:
		return r.resolve(n.Type)
	case *csharp.New:
		return typeText{v.inner(), v.inner()}, true
	case *csharp.Member:
		if of, short := r.chain(n.Of); !short && n.Op == "." {
			return r.memberType(of, n.Name)
		}
	case *csharp.Name:
		if n.Is("this") {
			if t := r.frameType(); t != "" {
				return typeText{csName(t), t}, true
			}
		}
		if name := r.program.Declared(n.Name); name != "" && n.Args == nil {
			if tree, err := csharp.Parse("typeof(" + name + ")"); err == nil {
				return r.resolve(tree.(*csharp.OfType).Type)
			}
		}
	}
	return typeText{}, false
}

// memberType is the declared type of a property or field of an object.
func (r *run) memberType(of Value, name string) (typeText, bool) {
	text, ok := r.receiver(of)
	if !ok {
		return typeText{}, false
	}
	members := text + `.GetType().GetMember("` + name + `")`
	if r.count(members) != 1 {
		return typeText{}, false
	}
	what := map[string]string{"System.Reflection.RuntimePropertyInfo": ".PropertyType",
		"System.Reflection.RtFieldInfo": ".FieldType"}[r.must(members+"[0]").Type]
	clr := stringOf(r.must(members + "[0]" + what + ".ToString()"))
	return typeText{csName(clr), clr}, what != "" && clr != ""
}
