package interpreter

import (
	"strings"

	"breakwire/mapping/csharp"
)

// A member of base is one that the object's type may override, and a member of an interface may have its code there.
// The runtime calls neither by name, so a delegate is made of the method's address.

// baseMember evaluates base.name, or base.name(args).
func (r *run) baseMember(name string, args []csharp.Argument, call bool) Value {
	if !r.program.Calls() {
		r.foreign("base.%s needs a call, which is not allowed here", name)
	}
	this, ok := r.ask("this")
	frame := r.frameType()
	if !ok || this.isNull() || frame == "" {
		r.refuse("there is no base in a method without this")
	}
	of, accessor := typeExpr(frame)+".BaseType", name
	if !call {
		accessor = "get_" + name
	}
	all := r.methods(of, accessor)
	if len(all) == 0 && !call {
		return r.baseField(this, of, name)
	}
	if len(all) == 0 {
		r.refuse("base has no method %s", name)
	}
	c := r.choose(all, r.given(args), nil, "base."+name)
	if r.must(c.text+".IsStatic").Data == any(true) {
		return r.called(c, nil)
	}
	values, want := r.withReceiver(this, c)
	if r.must(c.text+".IsVirtual").Data == any(false) {
		if v, ok := r.byDelegate(c, c.text, values, want); ok {
			return v
		}
	}
	return r.byAddress(c, this, values[1:], want[1:])
}

// withReceiver returns the object and the arguments of a call, and the types that they are passed as.
func (r *run) withReceiver(v Value, c chosen) (values []Value, types []string) {
	values, types = []Value{v}, []string{v.Type}
	for i, a := range c.args {
		typ := csName(c.params[i])
		values, types = append(values, r.forParameter(a, typ)), append(types, typ)
	}
	return values, types
}

// baseField reads a field of a base class, also one that a derived class hides.
func (r *run) baseField(this Value, base, name string) Value {
	field, ok := Value{}, false
	for at := base; ; at += ".BaseType" {
		if field, ok = r.tried(at + `.GetDeclaredField("` + name + `")`); ok && !field.isNull() {
			break
		}
		if of, ok := r.ask(at + ".BaseType"); !ok || of.isNull() {
			r.refuse("base has no field or property %s", name)
		}
	}
	list := r.newArrayList()
	r.insert(list, 0, described(field), "object")
	r.insert(list, 1, this, "object")
	get := r.overload("System.Reflection.FieldInfo", "GetValue", "System.Object GetValue(System.Object)")
	return r.opened(r.must(delegate(get, "System.Func<System.Reflection.FieldInfo, System.Object, System.Object>") +
		".DynamicInvoke(" + list + ".ToArray())"))
}

// byAddress calls a method itself, and not what overrides it.
func (r *run) byAddress(c chosen, this Value, args []Value, want []string) Value {
	handles := r.keep("System.Collections.Generic.List<System.RuntimeMethodHandle>",
		`System.Activator.CreateInstance("System.Private.CoreLib","`+genericAt+
			r.qualified(typeText{"System.RuntimeMethodHandle", "System.RuntimeMethodHandle"})+`]]").Unwrap()`)
	r.do(handles + ".Add(" + c.text + ".MethodHandle)")
	address := r.closed("System.Func`1[System.IntPtr]", "System.RuntimeMethodHandle", handles, "GetFunctionPointer")
	pointers := r.newList(typeText{"System.IntPtr", "System.IntPtr"})
	r.do(pointers + ".Add(" + address + ".Invoke())")

	types := make([]string, 0, len(c.params)+1)
	for _, p := range c.params {
		types = append(types, "["+r.qualified(typeText{csName(p), fullClr(p)})+"]")
	}
	kind := "System.Action"
	if c.returns != "Void" {
		kind = "System.Func"
		types = append(types, "["+r.qualified(typeText{csName(c.returns), fullClr(c.returns)})+"]")
	}
	if len(types) > 0 {
		kind += "`" + string(rune('0'+len(types))) + "[" + strings.Join(types, ",") + "]"
	}
	list := r.newArrayList()
	r.insert(list, 0, this, "object")
	r.do(inserting("InsertRange", "System.Collections.Generic.List<System.IntPtr>", list, 1, pointers))
	texts := make([]string, len(args))
	for i, v := range args {
		text, ok := r.spoken(v)
		if !ok || v.inner() != want[i] && !v.isNull() {
			r.foreign("the debugger cannot pass a %s to base.%s", v.Type, c.name)
		}
		texts[i] = text
	}
	made := typeExpr(kind) + ".GetConstructors()[0].Invoke(" + list + ".ToArray())"
	return r.must(made + ".Invoke(" + strings.Join(texts, ", ") + ")")
}

// fullClr is the runtime's full name of a type in a signature, which leaves out System of simple ones.
func fullClr(clr string) string {
	if full := fullNames()[csName(clr)]; full != "" {
		return full
	}
	return clr
}

// closed is the text of a delegate for a method of one object or struct, the only element of a list. typ is the
// runtime's name of the delegate's type.
func (r *run) closed(typ, element, list, name string) string {
	args := r.newArrayList()
	r.insert(args, 0, described(r.must(typeExpr(typ))), "object")
	r.do(inserting("InsertRange", "System.Collections.Generic.List<"+element+">", args, 1, list))
	r.insert(args, 2, text(name), "string")
	return r.boundDelegate(args)
}

// byInterface evaluates a member that the declared type, an interface, has and the object's type does not name.
func (r *run) byInterface(v Value, of csharp.Node, name string, args []csharp.Argument, call bool) (Value, bool) {
	if !r.program.Calls() || v.Data != nil || v.Text == "" {
		return Value{}, false
	}
	t, ok := r.declaredType(of, v)
	if !ok || t.full == v.inner() || r.must(typeExpr(t.clr)+".IsInterface").Data != any(true) {
		return Value{}, false
	}
	accessor := name
	if !call {
		accessor = "get_" + name
	}
	all := r.methods(typeExpr(t.clr), accessor)
	if len(all) == 0 {
		return Value{}, false
	}
	c := r.choose(all, r.given(args), nil, name)
	values, want := r.withReceiver(v, c)
	return r.byDelegate(c, c.text, values, want)
}
