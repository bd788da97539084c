package interpreter

import (
	"math/big"
	"slices"
	"strings"
	"sync"

	"breakwire/mapping/csharp"
)

// parseType reads the name of a type.
func (r *run) parseType(name string) *csharp.Type {
	tree, err := csharp.Parse("typeof(" + name + ")")
	if n, ok := tree.(*csharp.OfType); ok && err == nil {
		return n.Type
	}
	r.refuse("%s is no type", name)
	return nil
}

// named reports whether a name means the type: it may leave out leading namespaces.
func named(typ, name string) bool {
	typ = strings.ReplaceAll(typ, "+", ".")
	return typ != "" && !strings.ContainsAny(name, "<[?(") && !isSimple(name) && ("."+typ == "."+name ||
		strings.HasSuffix(typ, "."+name))
}

// cast evaluates (typ)v.
func (r *run) cast(v Value, typ string) Value {
	v = r.known(v)
	v.Object = false
	inner, nullable := strings.CutSuffix(typ, "?")
	back := func(x Value) Value {
		if nullable {
			x.Type, x.Const = optional(inner), false
		}
		return x
	}
	switch {
	case typ == "object":
		v.Object = true
		return v
	case v.isNull() && nullable:
		return nothing(optional(r.typeFor(r.parseType(inner)).full))
	case v.isNull() && isStruct(inner):
		if v.nullable() {
			r.throw("System.InvalidOperationException", "Nullable object must have a value.")
		}
		r.throw("System.NullReferenceException", "Object reference not set to an instance of an object.")
	case isBig(v) || inner == "BigInteger" || inner == bigInteger:
		if x, ok := r.bigCast(v, inner); ok {
			return back(x)
		}
	case v.Boxed:
		if inner == v.Type {
			return back(r.child(v, "m_value"))
		}
		if isSimple(inner) {
			r.throw("System.InvalidCastException", "Unable to cast object of type '%s' to type '%s'.", fullNames()[v.Type],
				fullNames()[inner])
		}
	case isNumeric(inner) && isNumeric(v.inner()):
		return back(r.converted(Value{Type: v.inner(), Data: r.exact(v).Data, Const: v.Const, Text: v.Text}, inner))
	case isNumeric(inner):
		if n, ok := r.enumNumber(v); ok {
			return back(r.converted(Value{Type: n.typ, Data: n.n}, inner))
		}
	case v.inner() == inner && isSimple(inner),
		named(v.inner(), inner) && v.Data == nil && strings.HasPrefix(v.Shown, "{"):
		return back(v)
	}
	if isSimple(inner) && isSimple(v.inner()) {
		r.foreign("there is no conversion of %s to %s", v.Type, typ)
	}
	t := r.typeBeside(v, r.parseType(inner))
	if isNumeric(v.inner()) {
		if e := r.enumOf(t); e != nil {
			return back(r.enumValue(t.full, r.converted(Value{Type: v.inner(), Data: v.Data}, e.under).Data.(*big.Int)))
		}
	}
	if v.isNull() {
		return nothing(t.full)
	}
	if x, ok := r.conversion(v, t.full); ok {
		return back(x)
	}
	yes, certain := r.isType(v, t)
	switch {
	case !certain:
		r.foreign("whether it is a %s cannot be told", typ)
	case !yes:
		r.foreign("%s is a %s, which is no %s: the cast throws, unless a conversion is declared that breakwire does not know",
			v.Text, v.Type, typ)
	}
	if items, ok := v.Data.(*sequence); ok && strings.Contains(t.full, "IEnumerable<") {
		shown := *items
		shown.shown = t.full
		return Value{Type: t.full, Data: &shown}
	}
	return v
}

// inObject reports whether a value is a decimal in a variable that is declared as object: the debugger shows it as if
// it were declared as decimal.
func (r *run) inObject(n csharp.Node, v Value) bool {
	name, ok := n.(*csharp.Name)
	return ok && v.Type == "decimal" && r.program.Declared(name.Name) == "object"
}

// unboxed casts a value in an object: only to its own type.
func (r *run) unboxed(v Value, typ string) Value {
	if inner := strings.TrimSuffix(typ, "?"); isNumeric(inner) && inner != v.Type {
		r.throw("System.InvalidCastException", "Unable to cast object of type '%s' to type '%s'.", fullNames()[v.Type],
			fullNames()[inner])
	}
	return r.cast(v, typ)
}

// conversion calls a conversion that the types declare.
func (r *run) conversion(v Value, to string) (Value, bool) {
	if !r.program.Calls() || v.Data != nil && isSimple(to) {
		return Value{}, false
	}
	text, ok := r.spoken(v)
	if !ok {
		return Value{}, false
	}
	for _, at := range []string{to, v.inner()} {
		if isSimple(at) || strings.ContainsAny(at, "<[?(") || at == "" || strings.HasPrefix(at, "System.") {
			continue
		}
		for _, name := range []string{"op_Explicit", "op_Implicit"} {
			asked := at + "." + name + "(" + text + ")"
			if x, ok := r.ask(asked); ok && x.Type == to {
				return x, true
			}
		}
	}
	return Value{}, false
}

// as evaluates v as typ.
func (r *run) as(v Value, typ string) Value {
	v = r.known(v)
	v.Object = false
	inner, nullable := strings.CutSuffix(typ, "?")
	t := r.typeBeside(v, r.parseType(inner))
	none := nothing(t.full)
	if nullable {
		none.Type = optional(t.full)
	}
	if v.isNull() {
		return none
	}
	yes, certain := r.isType(v, t)
	switch {
	case !certain:
		r.foreign("whether it is a %s cannot be told", typ)
	case !yes:
		return none
	case v.Boxed && nullable:
		v = r.child(v, "m_value")
		v.Type = optional(v.Type)
	}
	return v
}

// bases of the runtime's generic types and of arrays, where the debugger cannot tell the type arguments.
var genericBases = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"List":       "IList ICollection IEnumerable IReadOnlyList IReadOnlyCollection",
		"[]":         "IList ICollection IEnumerable IReadOnlyList IReadOnlyCollection",
		"HashSet":    "ISet ICollection IEnumerable IReadOnlyCollection",
		"Dictionary": "IDictionary IReadOnlyDictionary", "SortedDictionary": "IDictionary IReadOnlyDictionary",
		"Queue": "IEnumerable IReadOnlyCollection", "Stack": "IEnumerable IReadOnlyCollection",
		"LinkedList": "ICollection IEnumerable IReadOnlyCollection",
		"SortedSet":  "ISet ICollection IEnumerable IReadOnlyCollection",
	}
})

const collections = "System.Collections.Generic."

// isType reports whether a value is of a type. certain is false when that cannot be told.
func (r *run) isType(v Value, t typeText) (yes, certain bool) {
	typ := strings.ReplaceAll(v.inner(), "+", ".")
	switch {
	case v.isNull():
		return false, true
	case t.full == "object" || typ == t.full:
		return true, true
	case isSimple(t.full):
		return false, typ != "" && typ != "object"
	}
	full := strings.ReplaceAll(typ, " ", "")
	wanted := strings.ReplaceAll(t.full, " ", "")
	if full == wanted {
		return true, true
	}
	head, args, _ := strings.Cut(full, "<")
	if strings.HasSuffix(full, "[]") {
		head, args = collections+"[]", strings.TrimSuffix(full, "[]")+">"
	}
	if of, ok := genericBases()[strings.TrimPrefix(head, collections)]; ok {
		base, baseArgs, generic := strings.Cut(strings.TrimPrefix(wanted, collections), "<")
		listed := slices.Contains(strings.Fields(of), base)
		switch {
		case generic && listed && args == baseArgs:
			return true, true
		case generic && listed: // List<string> is an IEnumerable<object>
			return false, isStruct(strings.TrimSuffix(args, ">")) || isStruct(strings.TrimSuffix(baseArgs, ">"))
		case generic && strings.HasPrefix(wanted, collections):
			return false, true
		case wanted == "System.Collections.IEnumerable":
			return true, true
		case wanted == "System.Collections.IList" || wanted == "System.Collections.ICollection":
			return true, strings.HasPrefix(head, collections+"List") || strings.HasPrefix(head, collections+"[]")
		}
	}
	if isSimple(typ) && !strings.HasPrefix(t.full, "System.") {
		return false, true
	}
	if v.Text == "" || !r.program.Calls() || isSimple(typ) || strings.HasSuffix(typ, "]") {
		return false, false
	}
	of, ok := r.typeOfValue(v)
	if !ok {
		return false, false
	}
	return r.derives(of, t)
}

// derives asks for the base types and interfaces of a type.
func (r *run) derives(of string, t typeText) (yes, certain bool) {
	if strings.Contains(t.clr, "[") { // with type arguments
		return false, false
	}
	at := of
	for range 12 {
		v, ok := r.ask(at + ".FullName")
		name, known := v.Data.(string)
		switch {
		case !ok || !known:
			return false, false
		case name == t.clr:
			return true, true
		case name == "System.Object" || name == "System.ValueType":
			last := t.clr[strings.LastIndexAny(t.clr, ".+")+1:]
			i, ok := r.ask(of + `.GetInterface("` + last + `")`)
			if !ok {
				return false, false
			}
			if i.isNull() {
				return false, true
			}
			full, ok := r.ask(of + `.GetInterface("` + last + `").FullName`)
			return full.Data == any(t.clr), ok
		}
		at += ".BaseType"
	}
	return false, false
}
