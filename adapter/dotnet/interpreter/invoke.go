package interpreter

import (
	"strconv"
	"strings"

	"breakwire/mapping/csharp"
)

// reflected calls a method whose arguments are not of the very types of its parameters: optional, named and params
// arguments, derived types, type arguments. of is the text of the System.Type that has it; target is null for a static
// one.
func (r *run) reflected(of, name string, target *Value, args []given, types []*csharp.Type) Value {
	if !r.program.Calls() {
		r.foreign("a call is not allowed here")
	}
	for _, a := range args {
		if a.value.Type == "lambda" {
			r.refuse("%s", onlyLINQ)
		}
	}
	all := r.methods(of, name)
	if len(all) == 0 {
		r.vague("there is no method %s", name)
	}
	bound := make([]typeText, len(types))
	for i, t := range types {
		bound[i] = r.typeFor(t)
	}
	c := r.choose(all, args, bound, name)
	return r.called(c, target)
}

const onlyLINQ = "a lambda can be passed only to the methods of LINQ on arrays and the runtime's collections"

// called calls a method.
func (r *run) called(c chosen, target *Value) Value {
	static := r.must(c.text+".IsStatic").Data == any(true)
	if !static && target == nil {
		r.refuse("%s needs an object", c.name)
	}
	if hasOut(c.params) {
		if static {
			target = nil
		}
		return r.calledWithOut(c, target)
	}
	var args []Value
	var want []string
	if !static {
		args, want = append(args, *target), append(want, target.Type)
	}
	for i, v := range c.args {
		typ := csName(c.params[i])
		if isSimple(strings.TrimSuffix(typ, "?")) {
			v = r.assigned(v, typ)
		}
		args, want = append(args, r.constantEnum(v)), append(want, typ)
	}
	if len(c.bound) == 0 {
		if v, ok := r.direct(c, static, args); ok {
			return v
		}
	}
	text := c.text + r.bound(c.bound)
	if v, ok := r.byDelegate(c, text, args, want); ok {
		return v
	}
	typ, ok := r.delegateType(c, want)
	if !static && !ok {
		r.foreign("the debugger cannot call %s with these arguments", c.name)
	}
	list := r.newArrayList()
	for i, v := range args {
		r.insert(list, i, v, want[i])
	}
	if !static {
		return r.must(delegate(text, typ) + ".DynamicInvoke(" + list + ".ToArray())")
	}
	return r.must(text + ".Invoke(null, " + list + ".ToArray())")
}

// direct calls it by its name, with all arguments.
func (r *run) direct(c chosen, static bool, args []Value) (Value, bool) {
	of := ""
	if static {
		declaring := r.must(c.text + ".DeclaringType.FullName")
		of = strings.ReplaceAll(stringOf(declaring), "+", ".")
		if of == "" || strings.ContainsAny(of, "`[") {
			return Value{}, false
		}
	} else {
		text, ok := r.receiver(args[0])
		if !ok {
			return Value{}, false
		}
		of, args = text, args[1:]
	}
	texts := make([]string, len(args))
	for i, v := range args {
		_, isEnum := v.Data.(number)
		text, ok := r.spoken(v)
		if s, is := v.Data.(*sequence); is && strings.HasSuffix(s.shown, "[]") {
			if len(r.all(s)) == 0 && canSpeak(s.elem) {
				text, ok = "System.Array.Empty<"+s.elem+">()", true
			} else {
				list, _ := r.built(s)
				text, ok = list+".ToArray()", true
			}
		}
		if !ok || isEnum || v.Boxed {
			return Value{}, false
		}
		texts[i] = text
	}
	return r.ask(of + "." + c.name + "(" + strings.Join(texts, ", ") + ")")
}

// byDelegate calls it through a delegate that the runtime makes for the very types of the arguments.
func (r *run) byDelegate(c chosen, text string, args []Value, want []string) (Value, bool) {
	types, texts := make([]string, len(args)), make([]string, len(args))
	for i, v := range args {
		typ := want[i]
		_, isEnum := v.Data.(number)
		switch {
		case isStruct(typ) || strings.HasSuffix(typ, "?"):
		case v.isNull():
			if !canSpeak(typ) {
				return Value{}, false
			}
			v.Text = "System.GC.AllocateArray<" + speakable(typ) + ">(1, false)[0]"
		case isStruct(v.inner()) || shownEnum(v) && typ != v.inner() || v.Boxed || isEnum:
			return Value{}, false
		default:
			typ = runtimeType(v)
		}
		spoken, ok := r.spoken(v)
		if v.isNull() && v.Text != "" {
			spoken = v.Text
		}
		if !ok || !canSpeak(typ) {
			return Value{}, false
		}
		types[i], texts[i] = typ, spoken
	}
	typ, ok := r.delegateType(c, types)
	if !ok {
		return Value{}, false
	}
	return r.ask(delegate(text, typ) + ".Invoke(" + strings.Join(texts, ", ") + ")")
}

// runtimeType is the type of an object's class. A System.Type is of a class that is not public.
func runtimeType(v Value) string {
	if _, ok := v.Data.(typeValue); ok {
		return "System.RuntimeType"
	}
	return v.inner()
}

// delegateType is the type of a delegate for a method that takes arguments of these types.
func (r *run) delegateType(c chosen, args []string) (string, bool) {
	types := make([]string, len(args))
	for i, typ := range args {
		if types[i] = speakable(typ); !canSpeak(typ) {
			return "", false
		}
	}
	returns := csName(c.returns)
	switch {
	case returns == "void" && len(types) == 0:
		return "System.Action", true
	case returns == "void":
		return "System.Action<" + strings.Join(types, ", ") + ">", true
	case !isStruct(returns) && !strings.HasSuffix(returns, "?") && r.referenceType(c.returns):
		returns = "object"
	case !canSpeak(returns):
		return "", false
	}
	return "System.Func<" + strings.Join(append(types, speakable(returns)), ", ") + ">", true
}

// referenceType reports whether a type of the runtime is a class or an interface.
func (r *run) referenceType(clr string) bool {
	if strings.HasSuffix(clr, "]") && strings.HasSuffix(csName(clr), "]") {
		return true
	}
	v, ok := r.ask(typeExpr(clr) + ".IsValueType")
	return !ok || v.Data != any(true)
}

// created calls a constructor of a type of the program.
func (r *run) created(t typeText, args []given) (text string) {
	if !r.program.Calls() {
		r.foreign("a call is not allowed here")
	}
	of := typeExpr(t.clr)
	var all []signature
	constructors := of + ".GetConstructors()"
	for i := range min(r.count(constructors), 16) {
		at := constructors + "[" + strconv.Itoa(i) + "]"
		if s, ok := parseSignature(at, stringOf(r.must(at+".ToString()"))); ok {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		r.foreign("%s has no constructor that can be called", t.full)
	}
	c := r.choose(all, args, nil, "new "+t.full)
	list := r.newArrayList()
	for i, v := range c.args {
		r.insert(list, i, r.forParameter(v, csName(c.params[i])), csName(c.params[i]))
	}
	return c.text + ".Invoke(" + list + ".ToArray())"
}

func (r *run) forParameter(v Value, typ string) Value {
	if isSimple(strings.TrimSuffix(typ, "?")) && !v.isNull() {
		v = r.assigned(v, strings.TrimSuffix(typ, "?"))
		v.Type = strings.TrimSuffix(typ, "?")
	}
	return v
}

// newOfProgram is new T(...) { ... } of a type of the program.
func (r *run) newOfProgram(t typeText, args []given, init *csharp.Initializer) Value {
	if init == nil {
		return r.stored(r.created(t, args), t)
	}
	text := ""
	if len(args) == 0 && r.must(typeExpr(t.clr)+".IsValueType").Data == any(true) {
		text = r.madeText(t)
	} else {
		text = r.created(t, args)
	}
	return r.setMembers(text, t, init)
}

// setMembers evaluates an initializer.
func (r *run) setMembers(text string, t typeText, init *csharp.Initializer) Value {
	var names []string
	var values []Value
	for _, x := range init.Items {
		a, ok := x.(*csharp.Assign)
		if !ok || a.Op != "=" {
			r.refuse("breakwire sets properties and fields of a new %s, and adds no elements", t.full)
		}
		name, ok := a.L.(*csharp.Name)
		if !ok {
			r.refuse("breakwire sets properties and fields of a new %s, and no elements", t.full)
		}
		names, values = append(names, name.Name), append(values, r.known(r.eval(a.R)))
	}
	if len(names) == 0 {
		return r.stored(text, t)
	}
	return r.initialized(text, t, names, values)
}

// with is a copy of a record or a struct with other values.
func (r *run) with(n *csharp.With) Value {
	v := r.known(r.eval(n.X))
	if v.isNull() {
		r.isNull(v.Text)
	}
	if t, ok := v.Data.(*tuple); ok {
		return r.withTuple(v, t, n.Init)
	}
	text, ok := r.receiver(v)
	if !ok || !r.program.Calls() {
		r.refuse("breakwire cannot copy a %s here", v.Type)
	}
	clr := stringOf(r.must(text + ".GetType().ToString()"))
	t := typeText{v.inner(), clr}
	clone := text + ".MemberwiseClone()"
	if r.must(text+".GetType().IsValueType").Data != any(true) {
		copies := typeExpr(clr) + `.GetMethod("<Clone>$")`
		if r.must(copies).isNull() {
			r.refuse("a %s is no record, so `with` cannot copy it (CS8858)", v.Type)
		}
		clone = delegate(copies, "System.Func<"+speakable(t.full)+", System.Object>") + ".Invoke(" + text + ")"
	}
	return r.setMembers(clone, t, n.Init)
}

// withTuple is with of an anonymous object or a tuple that is known here.
func (r *run) withTuple(v Value, t *tuple, init *csharp.Initializer) Value {
	out := &tuple{items: append([]Value(nil), t.items...), names: t.names}
	for _, x := range init.Items {
		a, ok := x.(*csharp.Assign)
		name, is := any(nil), false
		if ok {
			var n *csharp.Name
			if n, is = a.L.(*csharp.Name); is {
				name = n.Name
			}
		}
		found := false
		for i, have := range t.names {
			if is && (have == name || "Item"+strconv.Itoa(i+1) == name) {
				out.items[i], found = r.assigned(r.known(r.eval(a.R)), t.items[i].Type), true
			}
		}
		if !found {
			r.refuse("`with` sets members of %s", v.Type)
		}
	}
	return Value{Type: v.Type, Data: out}
}

// sameReference reports whether two objects are one.
func (r *run) sameReference(a, b Value) bool {
	switch {
	case a.isNull() || b.isNull():
		return a.isNull() && b.isNull()
	case a.inner() != b.inner(): // their types at run time
		return false
	case a.Text != "" && a.Text == b.Text && isPlain(a.Text):
		return true
	}
	x, ok := r.spoken(a)
	y, also := r.spoken(b)
	if !ok || !also || !r.program.Calls() || !canSpeak(a.inner()) {
		r.foreign("the debugger does not compare references of %s", a.Type)
	}
	typ := speakable(a.inner())
	v := r.must(delegate(method("System.Object", "ReferenceEquals"), "System.Func<"+typ+", "+typ+", bool>") + ".Invoke(" +
		x + ", " + y + ")")
	return r.truth(v)
}

// referenceEquals is object.ReferenceEquals: two structs in objects are never one object.
func (r *run) referenceEquals(a, b Value) bool {
	for _, v := range []Value{a, b} {
		if !v.isNull() && (v.Boxed || v.inner() == "string" && v.Text == "") {
			r.refuse("breakwire does not compare the objects of values that it has computed")
		}
		if !v.isNull() && isStruct(v.inner()) {
			return false
		}
	}
	return r.sameReference(a, b)
}

// references is == or != of two objects whose types declare no operator.
func (r *run) references(op string, a, b Value) (Value, bool) {
	if op != "==" && op != "!=" || a.Data != nil || b.Data != nil || !r.program.Calls() || !isObject(a) || !isObject(b) {
		return Value{}, false
	}
	for _, v := range []Value{a, b} {
		if r.valueType(v) {
			return Value{}, false
		}
		at := v.Text + ".GetType()"
		for range 8 {
			if r.count(at+`.GetMember("op_Equality")`) > 0 {
				return Value{}, false
			}
			at += ".BaseType"
			if base, ok := r.ask(at); !ok || base.isNull() {
				break
			}
		}
	}
	return boolean(r.sameReference(a, b) == (op == "==")), true
}

// isObject reports whether a value is shown as an object of a class or a struct, and not as an array.
func isObject(v Value) bool {
	return v.Text != "" && strings.HasPrefix(v.Shown, "{") && !strings.HasSuffix(v.Shown, "]}") && !v.Boxed
}
