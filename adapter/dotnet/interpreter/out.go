package interpreter

import (
	"slices"
	"strconv"
	"strings"

	"breakwire/mapping/csharp"
)

// A method with out parameters is called with an array of arguments that stays in the program: the runtime writes what
// the method has set into it.

const (
	outType = "out" // of an argument that the method sets
	byRef   = " ByRef"
)

// outArgument is the argument of out var x, out T x or out _.
func (r *run) outArgument(n csharp.Node) given {
	d, ok := n.(*csharp.Declaration)
	name := ""
	if ok {
		name = d.Name
	} else if of, is := n.(*csharp.Name); is && of.Name == "_" {
		name, ok = "_", true
	}
	if !ok || name == "" {
		r.refuse("an out argument declares its variable here, as in out var x: breakwire sets no variables of the program")
	}
	return given{value: Value{Type: outType}, out: name}
}

// hasOut reports whether a method sets one of its arguments.
func hasOut(params []string) bool {
	return slices.ContainsFunc(params, func(p string) bool { return strings.HasSuffix(p, byRef) })
}

// calledWithOut calls a method, and declares the variables that it sets.
func (r *run) calledWithOut(c chosen, target *Value) Value {
	list := r.newArrayList()
	for i, v := range c.args {
		if v.Type == outType {
			r.insert(list, i, nothing("object"), "object")
			continue
		}
		typ := csName(c.params[i])
		r.insert(list, i, r.constantEnum(r.forParameter(v, typ)), typ)
	}
	t := typeText{arrayList, arrayList}
	lists := r.newList(t)
	r.do(lists + ".Add(" + list + ")")
	toArray := r.overload(arrayList, "ToArray", "System.Object[] ToArray()")
	arrays := r.convertAll(lists, t, typeText{"System.Object", "System.Object"}, toArray)

	text := c.text + r.bound(c.bound)
	var got Value
	if target == nil {
		got = r.must(text + ".Invoke(null, " + arrays + "[0])")
	} else {
		method := r.must(text)
		call := r.newArrayList()
		r.insert(call, 0, *target, "object")
		r.do(inserting("InsertRange", "System.Collections.Generic.List<System.Object>", call, 1, arrays))
		args := r.newArrayList()
		r.insert(args, 0, described(r.must(typeExpr("System.Func`3[System.Object,System.Object[],System.Object]"))), "object")
		r.insert(args, 1, described(method), "object")
		r.insert(args, 2, Value{Type: "string", Data: "Invoke"}, "string")
		got = r.must(r.boundDelegate(args) + ".DynamicInvoke(" + call + ".ToArray())")
	}
	for i, v := range c.args {
		if name := c.outs[i]; v.Type == outType && name != "_" {
			typ := csName(strings.TrimSuffix(c.params[i], byRef))
			set := r.must(arrays + "[0][" + strconv.Itoa(i) + "]")
			if set.isNull() {
				set = nothing(typ)
			}
			r.bind(name, r.opened(set))
		}
	}
	return r.opened(got)
}

// described is an object of the runtime's reflection as an argument.
func described(v Value) Value { return Value{Type: v.Type, Text: v.Text, Shown: v.Shown} }

// boundDelegate is the text of a delegate for a method of one object: args has the delegate's type, the object, and the
// name of the method.
func (r *run) boundDelegate(args string) string {
	create := r.overload("System.Delegate", "CreateDelegate",
		"System.Delegate CreateDelegate(System.Type, System.Object, System.String)")
	return delegate(create, "System.Func<System.Type, System.Object, string, System.Delegate>") + ".DynamicInvoke(" +
		args + ".ToArray())"
}
